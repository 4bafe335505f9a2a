"""The settings with which the authors of a paper ran a model."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Preset:
    """The published settings of a model.

    ``settings`` are run settings of the family by name. ``body`` has further fields of the request body.
    """

    settings: Mapping[str, Any]
    body: Mapping[str, Any] = field(default_factory=dict)
