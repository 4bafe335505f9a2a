"""Open and build benchmarks, and look at their questions and recordings."""

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, overload

import numpy as np
import pyarrow as pa
from pydantic import Field, StrictBool, StrictStr

from chronotope.api.checked_settings import as_path, checked
from chronotope.api.html import block, facts, grid
from chronotope.api.options import check_names, check_writer, spec_of, with_calls
from chronotope.api.recordings import ShownRecording, given_facts, load_recording
from chronotope.api.telling import Advance, advance_of, warner
from chronotope.errors import InputError, visible
from chronotope.evaluate.plan import Selection
from chronotope.models import JobCalls, ModelSpec, Number, Say, Whole
from chronotope.protocol import option_letters
from chronotope.question import Benchmark as Folder
from chronotope.question import Profile, Question, find_question, find_questions, one_of, open_benchmark
from chronotope.recording import Kind
from chronotope.view.score_rows import arrow_table

if TYPE_CHECKING:
    from chronotope.make import BuildRequest, Built
    from chronotope.recording.sources import Given
    from chronotope.world import EngineName, QualityName

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

        The pictures are ``count`` evenly spaced frames of each clip, and the still pictures.
        """
        from chronotope.view import question_pictures  # loads the decoder

        assert self.benchmark is not None
        return [one.rgb for one in question_pictures(self.benchmark, self, count)]

    @property
    def letters(self) -> tuple[str, ...]:
        """Return the letters of the options, in the published order."""
        return tuple(option_letters(len(self.options)))

    def write_frames(self, folder: Path | str, count: int = FRAMES) -> list[Path]:
        """Write the question's pictures as JPEG files; return their paths (see `frames`)."""
        from chronotope.view import write_question_pictures

        assert self.benchmark is not None
        return write_question_pictures(self.benchmark, self, as_path(folder, "folder"), count)

    def _repr_html_(self) -> str:
        from chronotope.view import question_pictures

        assert self.benchmark is not None
        pictures = question_pictures(self.benchmark, self, FRAMES)
        window = None if self.window is None else f"{self.window.start:g} to {self.window.end:g} s"
        about = {"task": self.task, "variant": self.variant, "time window": window, "question": self.stem}
        options = {
            f"{letter}{' (correct)' if number in self.answer else ''}": option.text or option.image
            for number, (letter, option) in enumerate(zip(self.letters, self.options, strict=True))
        }
        return block(
            self.id,
            grid((one.rgb, one.words) for one in pictures),
            facts(about | options | {"expected": self.expected}),
        )


@dataclass(frozen=True, eq=False, repr=False)
class Benchmark(Folder):
    """A benchmark, with its questions by id and its recordings.

    ``len(bench)`` is the number of questions, and a loop over ``bench`` yields them. ``bench["id"]`` is the question
    with an id, and ``bench[0]`` is the first question. An unknown id or position raises InputError. ``bench[[ids]]``
    (or positions), ``bench[:20]`` and `filter` return a part of the benchmark, which `chronotope.run` asks alone.
    ``whole`` is the benchmark of a part, or None. ``built`` has the notes about the sources, and the sources that
    failed, if `build` made the benchmark in this process.
    """

    whole: "Benchmark | None" = None
    built: "Built | None" = None

    def __len__(self) -> int:
        return len(self.questions)

    def __iter__(self) -> Iterator[BenchmarkQuestion]:
        return (self._shown(question) for question in self.questions)

    @overload
    def __getitem__(self, name: str | int) -> BenchmarkQuestion: ...
    @overload
    def __getitem__(self, name: slice | Iterable[str | int]) -> "Benchmark": ...
    def __getitem__(self, name: str | int | slice | Iterable[str | int]) -> "BenchmarkQuestion | Benchmark":
        if isinstance(name, str):
            return self._shown(find_question(self, name))
        if isinstance(name, slice):
            return self._part(self.questions[name])
        if isinstance(name, Iterable):
            return self.filter(questions=[one if isinstance(one, str) else self._at(one).id for one in name])
        return self._shown(self._at(name))

    def _at(self, position: int) -> Question:
        """Return the question at a position.

        Raises:
            InputError: If ``position`` is not the index of a question. True and False are refused, because a mask is
                not a list of positions.
        """
        try:
            if isinstance(position, bool):
                raise TypeError
            return self.questions[operator.index(position)]
        except (TypeError, IndexError):
            raise InputError(
                f"no question {position!r}",
                where=str(self.folder),
                expected=f"the id of a question, or a position from 0 to {len(self) - 1}",
            ) from None

    def filter(
        self,
        where: Callable[[BenchmarkQuestion], bool] | None = None,
        *,
        questions: str | Iterable[str] | None = None,
        tasks: str | Iterable[str] = (),
        variants: str | Iterable[str] = (),
        tags: Mapping[str, str | Iterable[str]] | None = None,
    ) -> "Benchmark":
        """Return the part of the benchmark that meets all conditions.

        ``where`` is called with each question, and returns true if the question is wanted. ``questions`` (ids),
        ``tasks`` and ``variants`` are texts or lists of texts. ``tags`` maps the name of a tag to one or more of its
        values.

        Raises:
            InputError: If there is no such question, task, variant or tag, or no question meets all conditions.
        """
        found = [self._shown(one) for one in self.questions]
        if questions is not None:
            found = [self._shown(one) for one in find_questions(self, _several(questions))]
        wanted: list[tuple[str, tuple[str, ...], Callable[[Question], tuple[str, ...]]]] = [
            ("task", _several(tasks), lambda one: (one.task,)),
            ("variant", _several(variants), lambda one: (one.variant,)),
            *(
                (f"tag {key}", _several(of), lambda one, key=key: one.tags.get(key, ()))
                for key, of in (tags or {}).items()
            ),
        ]
        for what, names, of in wanted:
            there = sorted({value for one in self.questions for value in of(one)})
            for name in names:
                if name not in there:
                    raise InputError(
                        f"no question of {what} {name!r}", where=str(self.folder), expected=one_of(there, like=name)
                    )
            found = [one for one in found if not names or set(names) & set(of(one))]
        found = [one for one in found if where is None or where(one)]
        if not found:
            raise InputError("no question meets all conditions", where=str(self.folder), fix="use fewer conditions")
        ids = {one.id for one in found}
        return self._part([one for one in self.questions if one.id in ids])

    def recordings(self) -> Iterator[ShownRecording]:
        """Read the recordings, sorted by id."""
        return map(load_recording, sorted(place for place in (self.folder / "recordings").glob("*") if place.is_dir()))

    def recording(self, name: str) -> ShownRecording:
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

    def _part(self, questions: Sequence[Question]) -> "Benchmark":
        return replace(self, questions=tuple(questions), whole=self.whole or self)

    def _shown(self, question: Question) -> BenchmarkQuestion:
        values = {one.name: getattr(question, one.name) for one in fields(Question)}
        return BenchmarkQuestion(**values, benchmark=self)

    def __repr__(self) -> str:
        of = "" if self.whole is None else f" of {len(self.whole.questions)}"
        return visible(
            f"<Benchmark {self.card.name!r}: {len(self)}{of} questions of {self.card.family}, {self.folder}>"
        )

    def _repr_html_(self) -> str:
        about = {"folder": self.folder, "family": self.card.family, "profile": self.card.profile}
        about |= {"questions": len(self), "clusters": len({one.cluster for one in self.questions})}
        tasks = sorted(Counter(one.task for one in self.questions).items())
        return block(self.card.name, facts(about | {f"task {name}": count for name, count in tasks}))


def open(folder: Path | str) -> Benchmark:  # noqa: A001 - users write `ct.open`
    """Open a benchmark folder.

    Raises:
        InputError: If the folder does not exist, or is not a valid benchmark.
    """
    folder = as_path(folder, "folder", "the path of a benchmark folder")
    if not folder.exists():
        raise InputError("no such folder", where=str(folder), expected="a benchmark folder, which has a card.yaml")
    return _of(open_benchmark(folder))


def selected(
    bench: Folder | Path | str,
    questions: Sequence[str] | None,
    tasks: Sequence[str],
    limit: int | None,
    variants: Sequence[str],
) -> tuple[Folder, Selection]:
    """Return the whole benchmark, and the questions to ask.

    If a part of a benchmark is given, these are the questions of the part.

    Raises:
        InputError: If the folder is not a benchmark, or the part is empty or does not have one of the questions.
    """
    folder = bench if isinstance(bench, Folder) else open(bench)
    if isinstance(folder, Benchmark) and folder.whole is not None:
        questions = [one.id for one in (find_questions(folder, questions) if questions else folder.questions)]
        if not questions:  # an empty selection would select all questions
            raise InputError("this part of the benchmark has no questions", where=str(folder.folder))
        folder = folder.whole
    return folder, Selection(tuple(tasks), limit, tuple(variants), tuple(questions or ()))


def world(kind: str, count: int) -> str:
    """Name simulated scenes as a source for `build`, such as ``world("table", 8)``.

    Raises:
        InputError: If there is no such kind of world, or ``count`` is not a number from 1 to 9999.
    """
    from chronotope.make.sources.origin import parse_world  # loads many libraries that only builds need

    source = f"world:{kind}:{count}"
    parse_world(source)
    return source


class _BuildGiven(JobCalls):
    """The options of `chronotope.build` whose types can be checked.

    `build` describes them.
    """

    seed: Whole = 0
    profile: Profile = "strict"
    fps: Annotated[Number, Field(gt=0)] | None = None
    kind: Kind | None = None
    gravity: str | None = None
    source_format: str | None = None
    workers: Annotated[Whole, Field(ge=1)] | None = 1
    on: StrictStr | None = None
    keep_going: StrictBool = False

    @property
    def facts(self) -> "Given":
        """Return the facts that the format of recordings lacks."""
        return given_facts(self.fps, self.kind, self.gravity)

    @property
    def writer_calls(self) -> JobCalls:
        """Return the settings of the writer's calls."""
        return JobCalls.model_validate({name: getattr(self, name) for name in JobCalls.model_fields})


@with_calls(JobCalls)
def build(
    family: str,
    source: Path | str,
    out: Path | str,
    *,
    seed: int = 0,
    profile: Profile = "strict",
    options: Mapping[str, Any] | None = None,
    world_options: Mapping[str, Any] | None = None,
    fps: float | None = None,
    kind: Kind | None = None,
    gravity: str | None = None,
    source_format: str | None = None,
    quality: "QualityName | None" = None,
    assets: Path | str | None = None,
    engine: "EngineName" = "own",
    writer: str | ModelSpec | None = None,
    base_url: str | None = None,
    workers: int | None = 1,
    on: str | None = None,
    keep_going: bool = False,
    progress: Advance | bool = False,
    say: Say | None = None,
    **calls: Any,
) -> Benchmark:
    """Build a benchmark, or open it if it is built already.

    ``source`` is a path, or the result of `world`. ``options`` are settings of the family, and ``world_options``
    those of the kind of world, such as ``{"people": 2}``. ``quality`` is ``photo``, ``full`` or ``fast`` for
    rendered scenes; without it, homes are drawn with ``photo`` if Embree is installed, and other worlds with
    ``full``. ``assets`` is a folder of `forge`, and ``engine`` films homes: ``own`` or ``thor``. ``fps``, ``kind``
    and ``gravity`` are facts that the format of recordings lacks; ``source_format`` names it. ``writer`` is a model
    that rewords names of things, or describes diagrams; the settings of its calls, such as ``max_cost``, have the
    names of their flags. With several ``workers`` (None: one for each core), a script needs ``if __name__ ==
    "__main__":`` around the call. ``on`` is "ray" or "ray://HOST:PORT": a Ray cluster has the workers. With
    ``keep_going``, sources that cannot be used are skipped, and ``say`` is called with the reasons, by default as
    warnings. ``progress`` is a function, or true to write lines to standard error.

    Raises:
        InputError: If a setting or a source cannot be used, no question can be written, or ``out`` has other files.
    """
    values = locals()
    from chronotope.make import build as make

    request = build_request(**{name: values[name] for name in _OF_REQUEST}, **calls)
    advance = advance_of(progress, f"building {request.called}")
    made = make(request, workers=workers, on=on, keep_going=keep_going, progress=advance)
    return _told(made, say or warner())


_OF_REQUEST = (
    *("family", "source", "out", "seed", "profile", "options", "world_options", "fps", "kind", "gravity"),
    *("source_format", "quality", "assets", "engine", "writer", "base_url", "workers", "on", "keep_going"),
)


def build_request(
    *, family: str, source: Path | str, out: Path | str, options: Mapping[str, Any] | None,
    world_options: Mapping[str, Any] | None, quality: "QualityName | None", assets: Path | str | None,
    engine: "EngineName", writer: str | ModelSpec | None, base_url: str | None, **plain: Any,
) -> "BuildRequest":  # fmt: skip
    """Check the parameters of `build`, and return its request.

    Raises:
        InputError: If a parameter cannot be used.
    """
    from chronotope.families import family as find_family
    from chronotope.make import BuildRequest

    check_names(build, plain)
    given: _BuildGiven = checked(_BuildGiven, plain, "", "build")
    check_writer(writer, given, base_url)
    checked(find_family(family).build.Options, options, "options", f"family {family}")
    _require_engine(engine)
    return BuildRequest(
        family, source if isinstance(source, str) else as_path(source, "source"), as_path(out, "out"), seed=given.seed,
        profile=given.profile, options=dict(options or {}), given=given.facts, source_name=given.source_format,
        quality=quality, assets=None if assets is None else as_path(assets, "assets"), engine=engine,
        writer=None if writer is None else spec_of(writer, base_url), writer_calls=given.writer_calls,
        world_options=dict(world_options or {}),
    )  # fmt: skip


def _require_engine(engine: str) -> None:
    from chronotope.world import EngineName

    if engine not in (engines := get_args(EngineName)):
        raise InputError(f"found {engine!r}", where="engine", expected=f"one of {', '.join(engines)}")


def _told(built: "Built", tell: Say) -> Benchmark:
    for failure in built.failures:
        tell(f"left out {failure.source}: {failure.reason}")
    return _of(built.benchmark, built)


def _of(found: Folder, built: "Built | None" = None) -> Benchmark:
    return Benchmark(**{one.name: getattr(found, one.name) for one in fields(Folder)}, built=built)


def _several(names: str | Iterable[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


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
