"""Pools that run the jobs of a command: worker processes of this machine, or the nodes of a Ray cluster.

All pools have one function, ``run``. The rest of Chronotope does not know which pool runs its jobs. `Actors` are
workers of a cluster that keep an object, such as a model with its weights.
"""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.pool.actors import Actor, Actors, LostError
    from chronotope.pool.cluster import Cluster
    from chronotope.pool.local import Local
    from chronotope.pool.places import check_on, chosen_actors, chosen_pool
    from chronotope.pool.units import TRIES, FolderJob, Pool, Tell

__all__ = [
    "TRIES",
    "Actor",
    "Actors",
    "Cluster",
    "FolderJob",
    "Local",
    "LostError",
    "Pool",
    "Tell",
    "check_on",
    "chosen_actors",
    "chosen_pool",
]

# Each worker loads only what it needs.
__getattr__, __dir__ = public_names(
    __name__,
    {
        ".actors": ("Actor", "Actors", "LostError"),
        ".cluster": ("Cluster",),
        ".local": ("Local",),
        ".places": ("check_on", "chosen_actors", "chosen_pool"),
        ".units": ("TRIES", "FolderJob", "Pool", "Tell"),
    },
)
