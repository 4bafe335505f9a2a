"""Probes of open models: what the vision encoder sees, what the language model keeps, what the answer uses.

The names of this package are imported when they are used, because `chronotope.probe.capture` and the measures are
also useful alone.
"""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.probe.folder import ProbeManifest, is_probe, read_manifest, read_table
    from chronotope.probe.layers import LAYERS
    from chronotope.probe.matched import export_pairs
    from chronotope.probe.probing import Probed, ProbeRequest, probe
    from chronotope.probe.settings import ProbeSettings

__all__ = [
    "LAYERS",
    "ProbeManifest",
    "ProbeRequest",
    "ProbeSettings",
    "Probed",
    "export_pairs",
    "is_probe",
    "probe",
    "read_manifest",
    "read_table",
]

__getattr__, __dir__ = public_names(
    __name__,
    {
        ".folder": ("ProbeManifest", "is_probe", "read_manifest", "read_table"),
        ".layers": ("LAYERS",),
        ".matched": ("export_pairs",),
        ".probing": ("Probed", "ProbeRequest", "probe"),
        ".settings": ("ProbeSettings",),
    },
)
