"""Baselines: models with known abilities that run in this process and need no key."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from chronotope.errors import InputError
from chronotope.models.baselines.letters import Baseline, by_majority, by_rule, draw_answer
from chronotope.models.option_shape import RULES

if TYPE_CHECKING:
    from chronotope.models.model import Model

__all__ = ["FORMS", "Baseline", "baseline"]

FORMS = (
    "baseline/random, baseline/constant-A (any letter), baseline/option-shape, "
    + "".join(f"baseline/option-shape:{rule}, " for rule in RULES)
    + "baseline/size-by-name, baseline/joint, baseline/sight"
)


def baseline(name: str) -> "Model":
    """Return the baseline of a name such as ``baseline/random``.

    ``option-shape:RULE`` follows one rule of ``models.option_shape``. Plain ``option-shape`` chooses the letter that
    most rules choose. If all rules disagree, it chooses the letter of the rule ``median``. Among options that are equal
    for a rule, the choice is random and ignores positions. ``size-by-name`` and ``joint`` see all questions of a
    benchmark but no picture; ``sight`` gets exactly the same parts as a model.

    Raises:
        InputError: If there is no such baseline (the message lists the names), or if a required library is missing.
    """
    _, _, kind = name.partition("baseline/")
    if kind == "random":
        return Baseline(name, lambda options, seed: draw_answer(options, name, seed))
    if constant := re.fullmatch(r"constant-([A-Z])", kind):
        return Baseline(name, lambda options, seed: constant.group(1), constant.group(1))
    if kind == "option-shape":
        return Baseline(name, by_majority)
    rule = kind.removeprefix("option-shape:")
    if rule != kind and rule in RULES:
        return Baseline(name, lambda options, seed: by_rule(rule, options, seed))
    if kind in _OPENED:
        return _OPENED[kind](name)
    raise InputError(f"there is no baseline {name!r}: expected one of {FORMS}")


def _size_by_name(name: str) -> "Model":
    from chronotope.models.baselines.size_by_name import size_by_name
    from chronotope.models.baselines.studied import StudiedBaseline

    return StudiedBaseline(name, size_by_name)


def _joint(name: str) -> "Model":
    from chronotope.models.baselines.joint import joint
    from chronotope.models.baselines.studied import StudiedBaseline

    return StudiedBaseline(name, joint)


def _sight(name: str) -> "Model":
    from chronotope.models.baselines.sight import open_sight

    return open_sight(name)


# Imported only on use, because these baselines load large libraries.
_OPENED: dict[str, Callable[[str], "Model"]] = {"size-by-name": _size_by_name, "joint": _joint, "sight": _sight}
