"""The flag ``--preset``: the published settings of a model."""

from collections.abc import Mapping, Sequence
from typing import Any

from chronotope.api.vocabulary import Family, families
from chronotope.errors import InputError
from chronotope.io import canonical_json


def preset_help() -> str:
    """Write the help of the flag, with the names of all presets."""
    names = "; ".join(
        f"{name}: {', '.join(one.paper.presets)}" for name, one in families().items() if one.paper.presets
    )
    return f"the settings with which the paper's authors ran a model ({names})"


def with_preset(
    name: str | None, chosen: Family, fields: Mapping[str, Any], pairs: Sequence[str]
) -> tuple[dict[str, Any], list[str]]:
    """Return flags and ``--set`` pairs with the settings of a preset.

    Without a name, they are returned unchanged.

    Raises:
        InputError: If the family has no such preset, or a flag sets the same as the preset.
    """
    if name is None:
        return dict(fields), list(pairs)
    preset = chosen.paper.presets.get(name)
    if preset is None:
        known = (
            f"expected one of {', '.join(chosen.paper.presets)}"
            if chosen.paper.presets
            else "this family has no presets"
        )
        raise InputError(f"--preset {name}: is not a preset of the family {chosen.name}: {known}")
    for flag in preset.settings:
        if fields.get(flag) is not None:
            raise InputError(f"--{flag.replace('_', '-')}: --preset {name} sets it, too: omit one of the two flags")
    for key in preset.body:
        if any(pair.partition("=")[0] == key for pair in pairs):
            raise InputError(f"--set {key}=…: --preset {name} sets it, too: omit one of the two flags")
    return {**fields, **preset.settings}, [
        *pairs, *(f"{key}={canonical_json(value)}" for key, value in preset.body.items())
    ]  # fmt: skip
