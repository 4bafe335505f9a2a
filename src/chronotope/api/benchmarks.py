"""Open and build benchmarks, and look at their questions and recordings."""

import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from chronotope.api.finding import find_question, one_of
from chronotope.api.html import block, facts, grid
from chronotope.api.recordings import load_recording
from chronotope.api.settings import checked
from chronotope.api.telling import Lines, warn
from chronotope.errors import InputError
from chronotope.protocol import option_letters
from chronotope.question import Benchmark as Folder
from chronotope.question import Profile, Question, open_benchmark
from chronotope.recording import Recording
from chronotope.view import question_pictures
from chronotope.view.tables import arrow_table

__all__ = ["Benchmark", "BenchmarkQuestion", "build", "open", "world"]

FRAMES = 8
_COLUMNS = (
    *((name, pa.string()) for name in ("id", "task", "variant", "cluster", "stem")),
    ("options", pa.list_(pa.string())),
    *((name, pa.string()) for name in ("answer", "expected")),
    *((name, pa.float64()) for name in ("start", "end")),
    *((name, pa.list_(pa.string())) for name in ("recordings", "media")),
)


@dataclass(frozen=True, slots=True)
class BenchmarkQuestion(Question):
    """A question with its benchmark, which shows itself in a notebook."""

    benchmark: Folder | None = field(default=None, repr=False, compare=False)

    def frames(self, count: int = FRAMES) -> list[np.ndarray]:
        """Return the question's pictures, each RGB uint8 (height, width, 3).

        These are ``count`` evenly spaced frames of each clip, and the still pictures.
        """
        assert self.benchmark is not None
        return [one.rgb for one in question_pictures(self.benchmark, self, count)]

    def _repr_html_(self) -> str:
        assert self.benchmark is not None
        pictures = question_pictures(self.benchmark, self, FRAMES)
        window = None if self.window is None else f"{self.window.start:g} to {self.window.end:g} s"
        about = {"task": self.task, "variant": self.variant, "time window": window, "question": self.stem}
        letters = option_letters(len(self.options))
        options = {
            f"{letter}{' (correct)' if number in self.answer else ''}": option.text or option.image
            for number, (letter, option) in enumerate(zip(letters, self.options, strict=True))
        }
        return block(
            self.id,
            grid((one.rgb, one.words) for one in pictures),
            facts(about | options | {"expected": self.expected}),
        )


class Benchmark(Folder):
    """A benchmark, with its questions by id and its recordings.

    ``len(bench)`` is the number of questions, and a loop over ``bench`` yields them. ``bench["id"]`` is the question
    with an id, and ``bench[0]`` is the first question. An unknown id or position raises InputError.
    """

    def __len__(self) -> int:
        return len(self.questions)

    def __iter__(self) -> Iterator[BenchmarkQuestion]:
        return (self._shown(question) for question in self.questions)

    def __getitem__(self, name: str | int) -> BenchmarkQuestion:
        if isinstance(name, str):
            return self._shown(find_question(self, name))
        try:
            return self._shown(self.questions[operator.index(name)])
        except (TypeError, IndexError):
            raise InputError(
                f"no question {name!r}",
                where=str(self.folder),
                expected=f"the id of a question, or a position from 0 to {len(self) - 1}",
            ) from None

    def recording(self, name: str) -> Recording:
        """Return the recording that has the given id.

        Raises:
            InputError: If there is no such recording.
        """
        folders = {folder.name: folder for folder in sorted((self.folder / "recordings").glob("[!.]*"))}
        if name not in folders:
            raise InputError(f"no recording {name!r}", where=str(self.folder), expected=one_of(list(folders)))
        return load_recording(folders[name])

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table with a row for each question.

        ``answer`` has the letters of the correct options. ``start`` and ``end`` are the time window in seconds. Each
        tag has a column ``tag NAME``; several values are joined with commas.
        """
        tags = sorted({key for question in self.questions for key in question.tags})
        columns = [*_COLUMNS, *((f"tag {key}", pa.string()) for key in tags)]
        return arrow_table(pa.schema(columns), [_row(question, tags) for question in self.questions])

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each question (see `to_arrow`).

        Raises:
            InputError: If pandas is not installed.
        """
        if find_spec("pandas") is None:
            raise InputError("pandas is not installed", fix="pip install pandas, or use to_arrow()")
        return self.to_arrow().to_pandas()

    def _shown(self, question: Question) -> BenchmarkQuestion:
        values = {one.name: getattr(question, one.name) for one in fields(Question)}
        return BenchmarkQuestion(**values, benchmark=self)

    def __repr__(self) -> str:
        return f"<Benchmark {self.card.name!r}: {len(self.questions)} questions of {self.card.family}, {self.folder}>"

    def _repr_html_(self) -> str:
        counts = self.card.counts
        about = {"folder": self.folder, "family": self.card.family, "profile": self.card.profile}
        about |= {"questions": counts.questions, "clusters": counts.clusters, "clips": counts.clips}
        return block(self.card.name, facts(about | {f"task {name}": count for name, count in counts.tasks.items()}))


def open(folder: Path | str) -> Benchmark:  # noqa: A001 - users write `ct.open`
    """Open a benchmark folder.

    Raises:
        InputError: If the folder does not exist, or is not a valid benchmark.
    """
    if not Path(folder).exists():
        raise InputError("no such folder", where=str(folder), expected="a benchmark folder, which has a card.yaml")
    return _of(open_benchmark(folder))


def world(kind: str, count: int) -> str:
    """Name simulated scenes as a source for `build`, such as ``world("table", 8)``.

    Raises:
        InputError: If there is no such kind of world, or ``count`` is not a number from 1 to 9999.
    """
    from chronotope.make.origin import parse_world  # loads many libraries that only builds need

    source = f"world:{kind}:{count}"
    parse_world(source)
    return source


def build(
    family: str,
    source: Path | str,
    out: Path | str,
    *,
    seed: int = 0,
    profile: Profile = "strict",
    options: Mapping[str, Any] | None = None,
    quality: Any = None,
    workers: int = 1,
    keep_going: bool = False,
    progress: bool = False,
) -> Benchmark:
    """Build a benchmark, or open it if it is built already.

    ``source`` is a path, or the result of `world`. ``options`` are settings of the family, and ``quality`` is
    ``photo``, ``full`` or ``fast`` for rendered scenes; without it, homes are drawn with ``photo`` if Embree is
    installed, and other worlds with ``full``. With several ``workers``, a script needs ``if __name__ == "__main__":``
    around the call; a notebook does not. With ``keep_going``, sources that cannot be used are skipped with a warning.
    With ``progress``, lines about the progress are written to standard error.

    Raises:
        InputError: If a setting is wrong, a source cannot be used, no question could be written, or ``out`` contains
            other files.
    """
    from chronotope.families import family as find_family
    from chronotope.make import BuildRequest
    from chronotope.make import build as make

    checked(find_family(family).BuildOptions, options, "options", f"family {family}")
    request = BuildRequest(
        family, source, Path(out), seed=seed, profile=profile, options=dict(options or {}), quality=quality
    )
    tell = Lines(f"building {request.out.name}") if progress else None
    built = make(request, workers=workers, keep_going=keep_going, progress=tell)
    for failure in built.failures:
        warn(f"left out {failure.source}: {failure.reason}")
    return _of(built.benchmark)


def _of(found: Folder) -> Benchmark:
    return Benchmark(**{one.name: getattr(found, one.name) for one in fields(Folder)})


def _row(question: Question, tags: list[str]) -> dict[str, Any]:
    letters, window = option_letters(len(question.options)), question.window
    return {
        "options": [option.text or option.image for option in question.options],
        "answer": "".join(letters[number] for number in question.answer) or None,
        "start": None if window is None else window.start,
        "end": None if window is None else window.end,
        "recordings": list(question.recordings),
        "media": [path for item in question.media for path in item.paths],
        **{name: getattr(question, name) for name in ("id", "task", "variant", "cluster", "stem", "expected")},
        **{f"tag {key}": ", ".join(question.tags.get(key, ())) or None for key in tags},
    }
