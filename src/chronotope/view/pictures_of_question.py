"""The pictures of a question, independent of any run: frames of its clips, and its still pictures."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chronotope.io import plain_name
from chronotope.media import ClipFacts, decode_frames, encode_picture, frame_times, plan_frames, read_picture
from chronotope.protocol import option_letters
from chronotope.question import Benchmark, MediaItem, Question


@dataclass(frozen=True, eq=False)
class QuestionPicture:
    """A picture of a question, RGB uint8 (height, width, 3).

    ``name`` can be the name of a file without its suffix. ``words`` are a label, such as the time of a frame.
    """

    name: str
    words: str
    rgb: np.ndarray


def question_pictures(benchmark: Benchmark, question: Question, count: int) -> Iterator[QuestionPicture]:
    """Yield ``count`` evenly spaced frames of each clip, and still pictures.

    Frames are from the time window of the question. Pictures of options come last.
    """
    several = len(question.media) > 1
    for place, item in enumerate(question.media, 1):
        named = f"{place}-{plain_name(item.role)}-" if several else ""
        for path in item.paths:
            if benchmark.media[path].kind == "video":
                yield from _frames(benchmark, question, item, path, named, count)
            else:
                words = item.label or item.role
                yield QuestionPicture(named + Path(path).stem, words, read_picture(benchmark.folder / path))
    for letter, option in zip(option_letters(len(question.options)), question.options, strict=True):
        if option.image is not None:
            yield QuestionPicture(f"option-{letter}", letter, read_picture(benchmark.folder / option.image))


def _frames(
    benchmark: Benchmark, question: Question, item: MediaItem, path: str, named: str, count: int
) -> Iterator[QuestionPicture]:
    file = benchmark.media[path]
    facts = ClipFacts(
        file.sha256, file.width or 0, file.height or 0, file.frames or 0, file.fps, file.duration_s or 0.0
    )
    times = frame_times(benchmark.folder / path) if file.fps is None else None
    window = _window(item, question, facts)
    plan = plan_frames(facts, "endpoints", count=count, window=window, times=times)
    wanted = dict(zip(plan.indices, plan.times, strict=True))
    for index, rgb in decode_frames(benchmark.folder / path, sorted(wanted)):
        yield QuestionPicture(f"{named}{Path(path).stem}-{wanted[index]:06.2f}s", f"{wanted[index]:.1f} s", rgb)


def _window(item: MediaItem, question: Question, facts: ClipFacts) -> tuple[float, float] | None:
    """Return the time window (s) of a clip.

    Returns None for the whole clip. If the media item has its own window, this window is used instead of the window of
    the question.
    """
    if item.start is not None or item.end is not None:
        return item.start or 0.0, facts.duration_s if item.end is None else item.end
    return None if question.window is None else (question.window.start, question.window.end)


def write_question_pictures(benchmark: Benchmark, question: Question, folder: Path, count: int) -> list[Path]:
    """Write the pictures of a question as JPEG files; return their paths.

    The names of the files contain the clip and the time.
    """
    paths: list[Path] = []
    for one in question_pictures(benchmark, question, count):
        folder.mkdir(parents=True, exist_ok=True)  # only if there is something to write
        path = folder / f"{one.name}.jpg"
        path.write_bytes(encode_picture(one.rgb, "jpeg", 90).data)
        paths.append(path)
    return paths
