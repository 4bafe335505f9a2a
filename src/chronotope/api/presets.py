"""The settings with which a paper's authors ran a model."""

from collections.abc import Callable, Mapping
from typing import Any

from chronotope.errors import InputError
from chronotope.families import Family


def with_preset(
    name: str | None,
    chosen: Family,
    settings: Mapping[str, Any],
    body: Mapping[str, Any],
    called: Callable[[str], str] = str,
    kind: str = "parameters",
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return settings of a family, and fields of the request body, with those of a preset.

    ``settings`` and ``body`` are those that the user gave. Without a name, they are returned unchanged. ``called``
    makes the name of a parameter as the user gives it, and ``kind`` is the word for such parameters.

    Raises:
        InputError: If the family has no such preset, or a setting or a field is given that the preset sets, too.
    """
    if name is None:
        return dict(settings), dict(body)
    presets, of_user = chosen.paper.presets, f"{called('preset')} {name}"
    if name not in presets:
        known = f"expected one of {', '.join(presets)}" if presets else "this family has no presets"
        raise InputError(f"{of_user}: is not a preset of the family {chosen.name}: {known}")
    preset = presets[name]
    twice = [called(option) for option in preset.settings if option in settings]
    twice += [f"{called('set')} {key}=…" for key in preset.body if key in body]
    for option in twice:
        raise InputError(f"{option}: {of_user} sets it, too: omit one of the two {kind}")
    return {**settings, **preset.settings}, {**body, **preset.body}
