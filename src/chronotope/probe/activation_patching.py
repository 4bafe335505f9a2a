"""Activation patching: which layers and tokens carry the fact in which two clips differ.

The same question is asked about two clips with different answers. The model reads the second clip (corrupted), but some
of its states are replaced by those of the first clip (clean). If the answer then changes to the answer of the first
clip, these states carry the fact (Vig et al., 2020; Meng et al., 2022; Zhang and Nanda, 2024).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.errors import InputError
from chronotope.probe.capture import depths_of
from chronotope.probe.residual import Inputs, Stream

Answers = tuple[Sequence[int], Sequence[int]]
SMALL = 1e-6  # difference of two margins that counts as none, in nats


@dataclass(frozen=True)
class Patching:
    """The margins of the clean answer, in nats, when states are patched.

    A margin is the log-probability of the clean answer minus the log-probability of the corrupted answer. ``clean`` and
    ``corrupted`` are the margins without patching. ``patched`` (depths, groups) has one margin for each depth and each
    group of tokens: the states of this group are replaced at this depth. A depth is a number of layers.
    """

    groups: tuple[str, ...]
    clean: float
    corrupted: float
    patched: NDArray[np.float64]

    @property
    def effects(self) -> NDArray[np.float64]:
        """Return the normalised effects (depths, groups).

        The effect is 0 if patching changes nothing, and 1 if it restores the margin of the clean clip.
        """
        return (self.patched - self.corrupted) / (self.clean - self.corrupted)

    @property
    def flips(self) -> NDArray[np.bool_]:
        """Return where patching flips the answer (depths, groups)."""
        return self.patched > 0


def answer_margins(stream: Stream, clean: Inputs, corrupted: Inputs, answers: Answers) -> tuple[float, float]:
    """Compute the margins of the clean answer for both prompts, in nats.

    The model tells both clips apart if the first margin is above 0 and the second below 0.

    Raises:
        InputError: If the prompts have different tokens, or the answers are equal.
    """
    _refuse_unlike(clean, corrupted, answers)
    one, other = (_margin(stream.logits(stream.prepare(of)), answers) for of in (clean, corrupted))
    return one, other


def patch_states(
    stream: Stream, clean: Inputs, corrupted: Inputs, answers: Answers, groups: Mapping[str, Sequence[int]]
) -> Patching:
    """Patch each group of tokens at each depth, from clean to corrupted.

    ``clean`` and ``corrupted`` are the tensors of two prompts with equal tokens, which differ only in their media.
    ``answers`` has the tokens of the clean answer, and the tokens of the corrupted answer. ``groups`` maps names to
    positions of tokens (see `token_groups`). The vision encoder runs once for each prompt, and the decoder once for
    each group and depth.
    Families with deepstack (Qwen3-VL) add the pictures of the corrupted clip again after the first layers, so patching
    before these layers does not restore everything.

    Raises:
        InputError: If the prompts have different tokens, the answers are equal, a group is empty, or both prompts have
            the same margin.
    """
    _refuse_unlike(clean, corrupted, answers)
    _refuse_positions(groups, clean["input_ids"].shape[1])
    source, target = stream.prepare(clean), stream.prepare(corrupted)
    states = stream.states(source)
    before, after = _margin(stream.logits(source), answers), _margin(stream.logits(target), answers)
    if abs(before - after) < SMALL:
        raise InputError(
            f"both prompts have the margin {before:.3g}, so the model does not react to the difference between the "
            "clips: choose two clips between which its answer changes"
        )
    patched = [
        [
            _margin(stream.logits_with(target, depth, tokens, states[depth, list(tokens)]), answers)
            for tokens in groups.values()
        ]
        for depth in range(depths_of(stream.family) + 1)
    ]
    return Patching(tuple(groups), before, after, np.array(patched))


def token_groups(tokens: Sequence[int], vision: Sequence[int]) -> dict[str, list[int]]:
    """Group the tokens of a prompt by pictures and texts.

    ``vision`` are the tokens that stand for vision features. Each run of such tokens is a picture, or a step of a
    video: ``picture 1``, ``picture 2``. The group ``pictures`` has all of them. The other groups are the texts
    ``before``, ``between`` and ``after`` the pictures, and the ``last`` token, which is not in ``after``. Empty groups
    are left out.
    """
    wanted = set(vision)
    seen = [place for place, token in enumerate(tokens) if token in wanted]
    end = len(tokens) - 1
    first, last = (seen[0], seen[-1]) if seen else (end, end - 1)
    groups: dict[str, list[int]] = {"before": list(range(first))}
    number = 0
    for place in seen:
        if place == first or place - 1 not in groups[f"picture {number}"]:
            number += 1
            groups[f"picture {number}"] = []
        groups[f"picture {number}"].append(place)
    groups["pictures"] = seen
    groups["between"] = [place for place in range(first, last) if tokens[place] not in wanted]
    groups["after"] = list(range(last + 1, end))
    groups["last"] = [end]
    return {name: places for name, places in groups.items() if places}


def _margin(logits: Any, answers: Answers) -> float:
    one, other = (logits[list(tokens)].logsumexp(0) for tokens in answers)
    return float(one - other)


def _refuse_unlike(clean: Inputs, corrupted: Inputs, answers: Answers) -> None:
    one, other = clean["input_ids"][0].tolist(), corrupted["input_ids"][0].tolist()
    if one != other:
        shorter = min(len(one), len(other))
        place = next((at for at in range(shorter) if one[at] != other[at]), shorter)
        raise InputError(
            f"the prompts have {len(one)} and {len(other)} tokens, and differ from token {place} on: patching needs "
            "the same question about two clips of the same size and the same number of frames"
        )
    if set(answers[0]) & set(answers[1]):
        raise InputError("the clean and the corrupted answer are equal: choose two clips with different answers")


def _refuse_positions(groups: Mapping[str, Sequence[int]], length: int) -> None:
    for name, places in groups.items():
        if not places or not all(0 <= place < length for place in places):
            raise InputError(f"group {name!r} of tokens: expected positions from 0 to {length - 1}, at least one")
