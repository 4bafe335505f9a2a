"""The largest number and the largest size of the pictures in the asks of a plan.

The check of a model shows pictures of this number and size.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from chronotope.evaluate.plan.plan import Plan, picture_size, pictures_of, shown_size
from chronotope.models import tokens_of_size
from chronotope.protocol import Ask, Part, Text, Video, without_options

MOST_BETWEEN = 6  # pictures in the check of the order; more are not needed, because their number does not matter
SHOWINGS = 5  # requests of a check that show all or nearly all pictures
VIDEO_SHOWINGS, VIDEO_PICTURES = 5, 8  # requests that show a test clip, and the seconds of this clip

# The position of a text in a message: before the first picture or video, between two, or after the last.
Place = Literal["before", "between", "after"]


@dataclass(frozen=True)
class Shown:
    """The largest number of pictures and videos in an ask, and their largest size.

    ``words`` has the positions of texts among the pictures of the prompts. ``frames`` is the number of frames in a
    video of frames, and 0 for files. ``timed`` states whether the prompts have the times of numbered pictures.
    """

    pictures: int = 0
    size: tuple[int, int] = (0, 0)
    videos: int = 0
    video_size: tuple[int, int] = (0, 0)
    words: tuple[Place, ...] = ()
    frames: int = 0
    timed: bool = False

    @property
    def has_order(self) -> bool:
        """Check whether prompts have text before or between their pictures.

        A service that moves all pictures before all text would change such prompts.
        """
        return "before" in self.words or "between" in self.words

    @property
    def tokens(self) -> int:
        """Estimate the tokens of all pictures and videos in a check."""
        pictures = SHOWINGS * self.pictures + (2 + self.timed) * min(self.pictures, MOST_BETWEEN)
        each = self.frames + VIDEO_PICTURES if self.frames else VIDEO_PICTURES
        videos = VIDEO_SHOWINGS * each + 2 * self.videos if self.videos else 0
        return pictures * tokens_of_size(*self.size) + videos * tokens_of_size(*self.video_size)


def planned_shown(plan: Plan) -> Shown | None:
    """Find the largest number and size of pictures in an ask.

    With a method, the calls of its stages show pictures, and the asks do not. Returns None if no prompt of the plan
    shows a picture or a video.
    """
    prompts = _of_steps(plan) if plan.staged is not None else [plan.parts(ask) for ask in _one_of_each(plan)]
    most = max(prompts, key=lambda parts: len(pictures_of(parts)), default=())
    pictures = len(pictures_of(most))
    videos, frames, words = 0, 0, set[Place]()
    largest = (0, 0)
    for parts in prompts:
        clips = [part for part in parts if isinstance(part, Video)]
        videos = max(videos, len(clips))
        frames = max([frames, *(len(clip.frames.frames) for clip in clips if clip.frames is not None)])
        largest = max([largest, *(_size(plan, clip) for clip in clips)], key=lambda of: of[0] * of[1])
        words |= words_beside(parts)
    if not pictures and not videos:
        return None
    size = shown_size(plan.benchmark, most) if pictures else (0, 0)
    timed = plan.settings.frames_as == "images"
    return Shown(pictures, size, videos, largest, tuple(sorted(words)), frames, timed)


def _size(plan: Plan, video: Video) -> tuple[int, int]:
    """Return width and height (px) of a video."""
    if video.frames is not None:
        return picture_size(plan.benchmark, video.frames.frames[0])
    file = plan.benchmark.media[video.path]
    return file.width or 0, file.height or 0


def words_beside(parts: Sequence[Part]) -> set[Place]:
    """Return the positions of texts in messages with pictures."""
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
    """Return one ask for each structure of a prompt.

    Prompts have the same structure if they agree in task, strategy, input, number of pictures and number of files.
    """
    kinds: dict[tuple[object, ...], Ask] = {}
    for ask in plan.asks:
        prompt = plan.prompts[ask.id]
        kinds.setdefault(
            (plan.questions[ask.question].task, ask.strategy, ask.input, prompt.pictures, len(prompt.files)), ask
        )
    return list(kinds.values())


def _of_steps(plan: Plan) -> list[Sequence[Part]]:
    """Return the different prompts with pictures in the stages of a method."""
    steps = (made.step for ask in plan.asks for made in plan.steps(ask, lambda _: None))
    return list({step.prompt: step.parts for step in steps if pictures_of(step.parts)}.values())
