"""Open weights in this process, with PyTorch and Transformers (the extra ``local``).

The modules import PyTorch only inside functions, so everything else works without it.
"""

from chronotope.models.transformers.families import FAMILIES, FamilyRow
from chronotope.models.transformers.finite import refuse_nan
from chronotope.models.transformers.local import LocalModel, Resolved, load
from chronotope.models.transformers.memory import is_out_of_memory
from chronotope.models.transformers.settings import LocalSettings, local_settings
from chronotope.models.transformers.spans import Encoded, Span

__all__ = [
    "FAMILIES",
    "Encoded",
    "FamilyRow",
    "LocalModel",
    "LocalSettings",
    "Resolved",
    "Span",
    "is_out_of_memory",
    "load",
    "local_settings",
    "refuse_nan",
]
