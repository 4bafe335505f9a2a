"""Probes of open models: what the vision encoder sees, what the language model keeps, what the answer uses.

The names of this package are imported when they are used, because `chronotope.probe.capture` and the measures are
also useful alone.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

_PLACES = {"folder": ("ProbeManifest", "is_probe", "read_manifest", "read_table"), "layers": ("LAYERS",)} | {
    "probing": ("ProbeRequest", "Probed", "probe"),
    "settings": ("ProbeSettings",),
    "matched": ("export_pairs",),
}


def __getattr__(name: str) -> Any:
    """Import a name of this package when it is first used."""
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
