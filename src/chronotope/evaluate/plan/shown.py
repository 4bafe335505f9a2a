"""The largest number and size of pictures in a plan's asks.

The check of a model uses this.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from chronotope.evaluate.plan.plan import Plan, shown_size, tokens_of_size
from chronotope.protocol import Ask, Part, Text, Video, without_options

__all__ = ["MOST_BETWEEN", "Place", "Shown", "planned_shown", "words_beside"]

MOST_BETWEEN = 6  # pictures with words between: the order is lost with any number of them, and more cost more
SHOWINGS = 5  # requests of a check that show all pictures, or nearly so
VIDEO_SHOWINGS, VIDEO_PICTURES = 4, 8  # requests that show a test clip, and its seconds

# Where words of a message stand: before its first picture or video, between two, after its last.
Place = Literal["before", "between", "after"]


@dataclass(frozen=True)
class Shown:
    """The largest number and size of pictures in an ask."""

    pictures: int = 0
    size: tuple[int, int] = (0, 0)
    videos: int = 0
    video_size: tuple[int, int] = (0, 0)
    words: tuple[Place, ...] = ()

    @property
    def has_order(self) -> bool:
        """Check whether moving pictures before all words would change the prompts."""
        return "before" in self.words or "between" in self.words

    @property
    def tokens(self) -> int:
        """Estimate the tokens of the pictures and videos of a check."""
        pictures = SHOWINGS * self.pictures + 2 * min(self.pictures, MOST_BETWEEN)
        videos = VIDEO_SHOWINGS * VIDEO_PICTURES + 2 * self.videos if self.videos else 0
        return pictures * tokens_of_size(*self.size) + videos * tokens_of_size(*self.video_size)


def planned_shown(plan: Plan) -> Shown | None:
    """Return the largest number and size of pictures in asks, or None."""
    most = max(plan.asks, key=lambda ask: plan.prompts[ask.id].pictures)
    pictures = plan.prompts[most.id].pictures
    videos, words = 0, set[Place]()
    largest = (0, 0)
    for parts in map(plan.parts, _one_of_each(plan)):
        clips = [part for part in parts if isinstance(part, Video)]
        videos = max(videos, len(clips))
        files = [plan.benchmark.media[clip.path] for clip in clips]
        largest = max([largest, *((file.width or 0, file.height or 0) for file in files)], key=lambda of: of[0] * of[1])
        words |= words_beside(parts)
    if not pictures and not videos:
        return None
    size = shown_size(plan, most) if pictures else (0, 0)
    return Shown(pictures, size, videos, largest, tuple(sorted(words)))


def words_beside(parts: Sequence[Part]) -> set[Place]:
    """Return the places of texts in messages that have pictures."""
    places: set[Place] = set()
    for _, message in groupby(without_options(parts), key=lambda part: part.role):
        of_text = [(isinstance(part, Text), not isinstance(part, Text) or bool(part.text.strip())) for part in message]
        kinds = [is_text for is_text, counts in of_text if counts]
        if all(kinds):
            continue
        first, last = kinds.index(False), len(kinds) - 1 - kinds[::-1].index(False)
        found: dict[Place, list[bool]] = {"before": kinds[:first], "between": kinds[first:last], "after": kinds[last:]}
        places |= {place for place, stretch in found.items() if any(stretch)}
    return places


def _one_of_each(plan: Plan) -> list[Ask]:
    """Return one ask of each kind.

    Prompts of one task and strategy with equally many pictures and files have the same structure.
    """
    kinds: dict[tuple[object, ...], Ask] = {}
    for ask in plan.asks:
        prompt = plan.prompts[ask.id]
        kinds.setdefault(
            (plan.questions[ask.question].task, ask.strategy, ask.input, prompt.pictures, len(prompt.files)), ask
        )
    return list(kinds.values())
