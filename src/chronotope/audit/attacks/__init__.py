"""Attacks: the baselines that exploit what a benchmark may reveal, as the models ``baseline/...``.

``option-shape:RULE`` follows one rule of `option_shape`. Plain ``option-shape`` chooses the letter that most rules
choose. If all rules disagree, it chooses the letter of the rule ``median``. Among options that are equal for a rule,
the choice is random and ignores positions. ``size-by-name`` and ``joint`` see all questions of a benchmark but no
picture. ``sight`` gets exactly the same parts as a model, and measures in the frames with classical vision.
"""

from collections.abc import Callable

from chronotope.audit.attacks.option_shape import RULES, by_majority, by_rule
from chronotope.models import Baseline, Model, ModelProvider

__all__ = ["BASELINES"]


def _option_shape(name: str) -> Model:
    return Baseline(name, by_majority)


def _size_by_name(name: str) -> Model:
    from chronotope.audit.attacks.size_by_name import size_by_name
    from chronotope.audit.attacks.studied import StudiedBaseline

    return StudiedBaseline(name, size_by_name)


def _joint(name: str) -> Model:
    from chronotope.audit.attacks.joint import joint
    from chronotope.audit.attacks.studied import StudiedBaseline

    return StudiedBaseline(name, joint)


def _sight(name: str) -> Model:
    from chronotope.audit.attacks.sight import open_sight

    return open_sight(name)


def _following(rule: str) -> Callable[[str], Model]:
    return lambda name: Baseline(name, lambda options, seed: by_rule(rule, options, seed))


# The modules of some are imported only on use, because they load large libraries.
_OPENED: dict[str, Callable[[str], Model]] = {
    "option-shape": _option_shape,
    **{f"option-shape:{rule}": _following(rule) for rule in RULES},
    "size-by-name": _size_by_name,
    "joint": _joint,
    "sight": _sight,
}


BASELINES = ModelProvider("baseline", lambda kind: _OPENED[kind](f"baseline/{kind}"), models=tuple(_OPENED))
