"""The data of the question browser: every ask of every run, with its pictures, and the clips that its page can play.

The addresses of clips are relative paths from the page to the benchmark, so the folder of the benchmark must exist.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from chronotope.errors import InputError
from chronotope.evaluate.score import Answered, RunResults, Scores
from chronotope.io import read_json, unreadable
from chronotope.io.packed import Keys, PackedList
from chronotope.media import FrameCache
from chronotope.protocol import FrameOf, Video
from chronotope.question import LICENCE_NOT_STATED, Benchmark, MediaFile, Question, limit_balanced
from chronotope.view.answers import answer_data
from chronotope.view.frame_plans import files_by_hash, plan_words
from chronotope.view.frames import FramesChoice, Strip, chosen_questions, make_strip
from chronotope.view.prompts import Shown, prompt_words, shown_pictures
from chronotope.view.question_boxes import BoxReader, RecordingReader, asked_about, recording_folder

MOST_ANSWERS = 50_000  # answers of all runs on a page; with more, the page would have more than 50 MB


@dataclass
class Clips:
    """The different clips of a report, as data for its web page.

    Each entry of ``data`` has these fields:

    - ``path`` is the path of the clip in its benchmark.
    - ``duration`` is the duration of the clip (s), or None if it is unknown.
    - ``address`` is the path of the clip relative to the folder of the report, or None if the file did not exist when
      the report was written.
    """

    report: Path
    data: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _places: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])

    def of(self, benchmark: Benchmark, question: Question) -> list[list[Any]]:
        """List the clips of a question.

        Each clip is a list of four elements: the index in ``data``, the label, the start (s) and the end (s). The start
        and the end can be None.
        """
        return [
            [self._place(benchmark, path), item.label, item.start, item.end]
            for item in question.media
            if item.kind == "video"
            for path in item.paths
        ]

    def _place(self, benchmark: Benchmark, path: str) -> int:
        key = (benchmark.card.content_hash, path)
        if key not in self._places:
            self._places[key] = len(self.data)
            file = benchmark.media.get(path)
            address = self._address(benchmark.folder.resolve() / path)
            self.data.append({"path": path, "duration": None if file is None else file.duration_s, "address": address})
        return self._places[key]

    def _address(self, clip: Path) -> str | None:
        if not os.path.isfile(clip):  # noqa: PTH113 - Path.is_file raises an error if there is no permission for the folder
            return None
        try:
            return quote(os.fsencode(Path(os.path.relpath(clip, self.report)).as_posix()))
        except ValueError:  # no relative path leads to another drive
            return None


@dataclass(frozen=True)
class BrowsedRun:
    """A run whose questions are shown.

    ``name`` is unique, and ``here`` is its name among the runs of its benchmark. ``asked`` is the name of this
    benchmark.
    """

    name: str
    here: str
    asked: str
    run: RunResults
    scores: Scores

    @property
    def benchmark(self) -> str:
        """Return the content hash of the benchmark of the run."""
        return self.run.card.benchmark.content_hash


@dataclass
class Browser:
    """The data of the question browser, as plain values for JSON.

    - ``items`` has one entry for each ask. The field ``question`` is an index into ``questions``. In each prompt, the
      field ``strip`` is an index into ``strips``. The field ``answers`` is in the order of ``runs``; an answer is None
      if the run does not have this ask. The field ``prompts`` has several prompts if the settings of the runs differ.
      Each answer has the index of its prompt; the index is None if the reply was imported.
    - ``questions`` has one entry for each question. The field ``clips`` contains indices into ``clips`` (see
      ``Clips``).
    - ``strips`` has one entry for each list of pictures. The field ``boxes`` maps entities to their boxes (see
      ``BoxReader``).
    - ``asked`` has the benchmark of each run, and ``names`` has its name among the runs of this benchmark.
    - ``notes`` are sentences about questions that are left out.
    - ``problems`` are sentences about frames that cannot be shown, or that differ from the frames that were sent.
    """

    runs: list[str]
    asked: list[str]
    names: list[str]
    questions: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    strips: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    items: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    clips: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    problems: list[str] = field(default_factory=list[str])
    notes: list[str] = field(default_factory=list[str])

    def data(self) -> dict[str, Any]:
        """Return the data that the web page loads."""
        return {
            name: getattr(self, name) for name in ("runs", "asked", "names", "questions", "strips", "items", "clips")
        }


def gather(
    compared: Sequence[BrowsedRun],
    choice: FramesChoice,
    folder: Path,
    progress: Callable[[int, int], None] | None = None,
) -> Browser:
    """Collect all asks of the runs, and write frames into ``folder``.

    Frames are written only for the chosen questions. If the runs together have more than ``MOST_ANSWERS`` asks, only
    some questions are shown, balanced over the clips.
    """
    browser = Browser(*([getattr(one, name) for one in compared] for name in ("name", "asked", "here")))
    clips = Clips(folder.parent, browser.clips)
    reader = RecordingReader(browser.problems, "no boxes are drawn")
    total, done = sum(len(one.run.answered) for one in compared), 0
    questions = _asked(compared)
    kept = _kept(questions, total) if total > MOST_ANSWERS else None
    if kept is not None:
        every = sum(map(len, questions.values()))
        browser.notes.append(
            f"The page shows {len(kept):,} of {every:,} questions, balanced over the clips: a browser cannot show "
            "more. All scores and tables cover all questions."
        )
    gatherer = _Gatherer(browser, folder, _chosen(compared, choice, questions), clips, BoxReader(reader))
    # Imported runs come last, because their prompts are unknown. If only imported runs have an ask, the
    # protocol's prompt is shown.
    for place, one in sorted(enumerate(compared), key=lambda run: run[1].run.card.elsewhere is not None):
        for answered in one.run.answered:
            if kept is None or (one.benchmark, answered.question.id) in kept:
                gatherer.add(place, one, answered)
            done += 1
            if progress is not None:
                progress(done, total)
    gatherer.tell_differing()
    return gatherer.browser


def _asked(compared: Sequence[BrowsedRun]) -> dict[str, Sequence[Question]]:
    """Return the asked questions of each benchmark, by its content hash."""
    keys: dict[str, Keys] = {}
    questions: dict[str, PackedList[Question]] = {}
    for one in compared:
        known, of = keys.setdefault(one.benchmark, Keys()), questions.setdefault(one.benchmark, PackedList[Question]())
        for answered in one.run.answered:
            if known.add(answered.question.id):
                of.append(answered.question)
    return dict(questions)


def _kept(questions: Mapping[str, Sequence[Question]], answers: int) -> set[tuple[str, str]]:
    """Choose questions with about ``MOST_ANSWERS`` of all answers."""
    return {
        (benchmark, question.id)
        for benchmark, of in questions.items()
        for question in limit_balanced(of, max(1, len(of) * MOST_ANSWERS // answers))
    }


def _chosen(
    compared: Sequence[BrowsedRun], choice: FramesChoice, questions: Mapping[str, Sequence[Question]]
) -> set[tuple[str, str]]:
    """Choose the questions whose frames are shown.

    Returns the content hash of the benchmark and the id of each question.
    """
    wrong: dict[str, set[str]] = {}
    for one in compared if choice.which == "wrong" else ():
        asked = {a.question.id for a in one.run.answered if a.line is not None}
        failed = {s.question.id for s in one.scores.scored if s.metrics.get("strict") != 1}
        wrong.setdefault(one.benchmark, set()).update(asked & failed)
    return {
        (benchmark, question)
        for benchmark, of_benchmark in questions.items()
        for question in chosen_questions(choice, of_benchmark, wrong.get(benchmark, set()))
    }


@dataclass
class _Gatherer:
    """Collects the data of the browser.

    The class caches all data, so that no data are computed twice.
    """

    browser: Browser
    folder: Path
    chosen: set[tuple[str, str]]
    clips: Clips
    reader: BoxReader
    cache: FrameCache = field(default_factory=FrameCache)
    questions: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    items: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict[tuple[str, str], dict[str, Any]])
    strips: dict[tuple[str, str | None, Shown], tuple[int, Strip] | None] = field(
        default_factory=dict[tuple[str, str | None, Shown], tuple[int, Strip] | None]
    )
    licences: dict[tuple[str, str], str | None] = field(default_factory=dict[tuple[str, str], str | None])
    files: dict[str, dict[str, MediaFile]] = field(default_factory=dict[str, dict[str, MediaFile]])
    differing: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    boxed: set[tuple[int, str]] = field(default_factory=set[tuple[int, str]])

    def add(self, place: int, one: BrowsedRun, answered: Answered) -> None:
        """Add one ask of the run at index ``place``."""
        item = self._item(one, answered)
        if one.run.card.elsewhere is not None and item["prompts"]:
            item["answers"][place] = answer_data(one.run, answered, None) | {"prompt": None}
            return
        prompt, made = self._prompt(one, answered)
        if prompt not in item["prompts"]:
            item["prompts"].append(prompt)
        answer = answer_data(one.run, answered, made)
        if answer["frames"] == "differ":
            self.differing.setdefault(one.name, []).append(answered.ask.id)
        asked = None if one.run.card.elsewhere is not None else item["prompts"].index(prompt)
        item["answers"][place] = answer | {"prompt": asked}

    def _prompt(self, one: BrowsedRun, answered: Answered) -> tuple[dict[str, Any], Strip | None]:
        """Return the prompt of an ask in a run, and its pictures.

        The pictures are None if the browser does not show them.
        """
        parts = one.run.parts(answered.ask)
        shown = shown_pictures(parts)
        strip = self._strip(one, answered.question, shown)
        videos = [part.path for part in parts if isinstance(part, Video) and part.frames is None]
        plans = [] if videos else [plan for plan in answered.ask.plans if plan is not None]
        prompt = {
            "text": prompt_words(parts),
            "plan": [plan_words(plan, self._files(one)) for plan in plans],
            "pictures": len(shown),
            "videos": videos,
            "strip": None if strip is None else strip[0],
        }
        return prompt, None if strip is None else strip[1]

    def tell_differing(self) -> None:
        """Report the runs whose frames differ from the frames sent.

        The browser shows frames that are extracted again from the clips.
        """
        for name, asks in self.differing.items():
            self._problem(
                f"{name}: for {len(asks)} of its prompts (the first is {asks[0]}), the shown frames differ from those "
                "that were sent, because versions of code or libraries have changed since then (see its run.yaml)"
            )

    def _files(self, one: BrowsedRun) -> dict[str, MediaFile]:
        if one.benchmark not in self.files:
            self.files[one.benchmark] = files_by_hash(one.run.benchmark)
        return self.files[one.benchmark]

    def _problem(self, sentence: str) -> None:
        if sentence not in self.browser.problems:
            self.browser.problems.append(sentence)

    def _item(self, one: BrowsedRun, answered: Answered) -> dict[str, Any]:
        ask, question = answered.ask, answered.question
        key = (one.benchmark, ask.id)
        if key not in self.items:
            options = [question.options[index] for index in ask.placement]
            self.items[key] = {
                "id": ask.id,
                "question": self._question(one, question),
                "options": [option.text or option.image for option in options],
                "right": [place for place, index in enumerate(ask.placement) if index in question.answer],
                "prompts": [],
                "answers": [None] * len(self.browser.runs),
            }
            self.browser.items.append(self.items[key])
        return self.items[key]

    def _question(self, one: BrowsedRun, question: Question) -> int:
        key = (one.benchmark, question.id)
        if key not in self.questions:
            self.questions[key] = len(self.browser.questions)
            window, moment = question.window, question.provenance.get("at")
            self.browser.questions.append(
                {
                    "benchmark": one.asked,
                    "task": question.task,
                    "variant": question.variant,
                    "scene": question.cluster,
                    "tags": {name: list(values) for name, values in question.tags.items()},
                    "stem": question.stem,
                    "expected": question.expected,
                    "window": None if window is None else [window.start, window.end],
                    "at": moment if isinstance(moment, int | float) else None,
                    "names": asked_about(question),
                    "clips": self.clips.of(one.run.benchmark, question),
                    "flags": list(question.flags),
                    "provenance": question.provenance,
                }
            )
        return self.questions[key]

    def _strip(self, one: BrowsedRun, question: Question, shown: Shown) -> tuple[int, Strip] | None:
        """Return the index and the content of the pictures of a prompt.

        Returns None if the pictures are not requested or cannot be made.
        """
        if not shown or (one.benchmark, question.id) not in self.chosen:
            return None
        licence = self._licence(one, question)
        key = (one.benchmark, licence, shown)
        if key not in self.strips:
            self.strips[key] = None
            try:
                strip = make_strip(one.run.benchmark.folder, [picture for picture, _ in shown], self.folder, self.cache)
            except InputError as error:
                self._problem(str(error))
            else:
                self.strips[key] = (len(self.browser.strips), strip)
                self.browser.strips.append(strip_data(strip, shown, licence))
        if (made := self.strips[key]) is not None:
            self._add_boxes(made[0], one, question, shown)
        return made

    def _add_boxes(self, place: int, one: BrowsedRun, question: Question, shown: Shown) -> None:
        """Add the boxes of a question's entities to its pictures.

        The questions about one clip share the same pictures, but ask about different entities.
        """
        boxes: dict[str, Any] = self.browser.strips[place]["boxes"]
        if (place, question.id) not in self.boxed and asked_about(question).keys() - boxes.keys():
            pictures = [picture for picture, _ in shown]
            boxes |= self.reader.boxes(one.run.benchmark.folder, question, pictures)
        self.boxed.add((place, question.id))

    def _licence(self, one: BrowsedRun, question: Question) -> str | None:
        """Return the licence of a question's pictures.

        The licence comes from the recording or, if it states none, from the benchmark. Returns None if neither states a
        licence.
        """
        benchmark = one.run.benchmark
        folder = recording_folder(benchmark.folder, question)
        if (key := (one.benchmark, "" if folder is None else folder.name)) not in self.licences:
            stated = None if folder is None else self._stated(folder / "recording.json")
            whole = None if benchmark.card.licence == LICENCE_NOT_STATED else benchmark.card.licence
            self.licences[key] = stated or whole
        return self.licences[key]

    def _stated(self, document: Path) -> str | None:
        """Read the licence in the file of a recording.

        Returns None if there is no such file, as in imported benchmarks.
        """
        try:
            values = read_json(document) if document.is_file() else None
        except InputError as error:
            self._problem(str(error))
            return None
        except OSError as error:
            self._problem(unreadable(document, error))
            return None
        return values.get("licence") if isinstance(values, dict) else None


def strip_data(strip: Strip, shown: Shown, licence: str | None) -> dict[str, Any]:
    """Return the pictures of a prompt as plain values.

    ``frames`` has the file and the label of each picture. ``times`` has the time (s) of each frame. ``of`` has the clip
    of each frame, if the prompt shows several clips.
    """
    times = [round(p.plan.times[p.position], 3) if isinstance(p, FrameOf) else None for p, _ in shown]
    clips = [p.path if isinstance(p, FrameOf) else None for p, _ in shown]
    return {
        "licence": licence,
        "frames": [[file, words] for file, (_, words) in zip(strip.files, shown, strict=True)],
        "times": times,
        "of": clips if len(set(clips)) > 1 else None,
        "boxes": {},
    }
