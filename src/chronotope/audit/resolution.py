"""Whether options lie so close together that the pictures cannot tell them apart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from chronotope.audit.findings import Finding
from chronotope.question import Question
from chronotope.recording import Recording

LEAST = 1.0  # px by which neighbouring options must differ in the picture of the thing that is measured
_SIZES = "sizes"  # the tag of questions about the size of a thing, which is itself measured


@dataclass
class Resolution:
    """The distances (px) of neighbouring options, for questions whose options have a known ratio.

    A length is measured in the picture against a thing of known size, or is the size of a thing. If this thing covers
    an extent of e pixels at its best moment (the root of its visible pixels), its extent is known to a pixel at best,
    so options with the ratio r can be told apart only if e (r - 1) is at least one pixel.
    """

    apart: dict[str, float] = field(default_factory=dict[str, float])

    def look(self, recording: Recording, questions: Sequence[Question]) -> None:
        """Measure the questions about one recording."""
        rated = [(one, ratio) for one in questions if len(one.recordings) == 1 and (ratio := _ratio(one))]
        extents = dict(_extents(recording)) if rated else {}
        for one, ratio in rated:
            roles = ("scale", "stem", "asked") if _SIZES in one.tags.get("quantity", ()) else ("scale",)
            known = [extents[of.entity] for of in one.mentions if of.role in roles and of.entity in extents]
            if known:
                self.apart[one.id] = min(known) * (ratio - 1)

    def finding(self) -> Finding:
        """Find questions whose neighbouring options differ by less than a pixel."""
        title, count = "Options that pictures can tell apart", len(self.apart)
        if not count:
            said = "No question has both options with a known ratio and a recording."
            return Finding("resolution", title, "not tested", said, false_alarms=0)
        items = tuple(name for name, apart in self.apart.items() if apart < LEAST)
        typical = float(np.median(list(self.apart.values())))
        told = f"in half of the {count:,} questions, they differ by at least {typical:.1f} pixels"
        if not items:
            return Finding(
                "resolution",
                title,
                "pass",
                f"All neighbouring options differ by at least a pixel; {told}.",
                false_alarms=0,
            )
        said = f"In {len(items):,} questions, neighbouring options differ by less than a pixel at the best moment; "
        advice = "Leave these questions out, or draw options that lie farther apart."
        return Finding("resolution", title, "slight", f"{said}{told}.", advice, items=items, false_alarms=0)


def _ratio(one: Question) -> float | None:
    try:
        ratio = float(one.tags.get("spacing", ("",))[0])
    except ValueError:  # an angle, or nothing
        return None
    return ratio if ratio > 1 else None


def _extents(recording: Recording) -> Iterator[tuple[str, float]]:
    for entity in recording.entities:
        if entity.visible_pixels is not None:
            yield entity.id, float(np.sqrt(entity.visible_pixels.max()))
