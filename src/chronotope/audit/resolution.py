"""Whether options lie so close together that the pictures cannot tell them apart."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from chronotope.audit.findings import Finding
from chronotope.audit.wording import finding
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
        count = len(self.apart)
        if not count:
            said = "No question has both a recording and options whose spacing is a known ratio (tag `spacing`)."
            return finding("resolution", "not tested", said)
        rated = f"{count:,} questions have options that are a known ratio apart, and a thing to measure by."
        items = tuple(name for name, apart in self.apart.items() if apart < LEAST)
        typical = float(np.median(list(self.apart.values())))
        half = f"in half of them, by at least {typical:.1f}"
        if not items:
            said = f"{rated} In each, neighbouring options differ by at least 1 pixel; {half}."
            return finding("resolution", "pass", said)
        said = f"{rated} In {len(items):,} of them, neighbouring options differ by less than 1 pixel; {half}."
        return finding("resolution", "slight", said, items=items)


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
