"""Pools that run the jobs of a command: worker processes of this machine, or the nodes of a Ray cluster.

All pools have one function, ``run``. The rest of Chronotope does not know which pool runs its jobs.
"""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.pool.cluster import Cluster
    from chronotope.pool.local import Local
    from chronotope.pool.places import check_on, chosen_pool
    from chronotope.pool.units import FolderJob, Pool, Tell

__all__ = ["Cluster", "FolderJob", "Local", "Pool", "Tell", "check_on", "chosen_pool"]

# Each worker loads only what it needs.
__getattr__, __dir__ = public_names(
    __name__,
    {
        ".cluster": ("Cluster",),
        ".local": ("Local",),
        ".places": ("check_on", "chosen_pool"),
        ".units": ("FolderJob", "Pool", "Tell"),
    },
)
