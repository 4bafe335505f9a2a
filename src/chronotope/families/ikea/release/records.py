"""Reader of one released record: its task, media, options and answer, or the code of its defect."""

import re
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Any

from chronotope.families import UnusableError
from chronotope.families.ikea.tasks import BINARY, CODES
from chronotope.families.ikea.write.item import BINARY_WORDS, Flag
from chronotope.families.released_cells import count_of, sentence_of
from chronotope.question import MediaItem

# Descriptions of defects. Records with a defect in LEFT_OUT cannot be asked; a defect in KEPT becomes a flag.
LEFT_OUT = {
    "unknown_type": "a type other than 1a, 1b, 1c, 2a, 2b, 2c",
    "unreadable": "a field that is missing or cannot be read",
    "no_such_option": "an answer that is not one of the options",
    "missing_picture": "a missing frame or diagram",
}
KEPT = {
    "repeated_id": "the id of an earlier row (the number of the row was appended)",
    "answer_step_differs": "an answer_step_id that differs from the step of the correct option",
    "answer_contradicted": "an answer that contradicts other fields of the record",
    "equal_options": "equal options",
    Flag.RIGHT_DIAGRAM_MISSING: "a correct step whose diagram is not shown",
    Flag.THREE_OPTIONS: "three options instead of four",
    Flag.DUPLICATE_DIAGRAM: "two steps whose diagrams are the same file",
    Flag.BLANK_DIAGRAM: "a diagram that is an empty picture",
    Flag.GAP_IN_SEQUENCE: "three steps that do not follow one another",
    Flag.SAME_RECORDING: "two clips from the same video",
    Flag.NAME_COLLISION: "a product name that several products share",
    "no_description": "a diagram without a description (only asked with the strategy visual)",
}
USUAL = 4  # options of T1, T3 and T4


_YES_NO = re.compile(r"\s*(yes|no)\b", re.IGNORECASE)
_IMAGE = re.compile(r"Image (\d+)")


@dataclass(frozen=True)
class RawOption:
    """A released option: its text, or the path of its picture.

    ``step`` is the step of the option, or None if the record does not contain the step.
    """

    text: str | None
    image: str | None
    step: int | None


@dataclass(frozen=True)
class Record:
    """A released record from which a question can be made, with the released paths.

    ``step`` is the step that the clip shows, or None for D1 and D2. ``positive`` is true if the correct answer is Yes
    or Same, and None for tasks with other answers. ``diagrams`` maps the paths of the shown diagrams to their steps.
    ``unlike`` is a step whose diagram must differ from the shown diagrams. ``facts`` are stored in the provenance.
    """

    id: str
    task: str
    product: str
    category: str
    stem: str
    options: tuple[RawOption, ...]
    answer: int
    media: tuple[MediaItem, ...]
    diagrams: dict[str, int]
    step: int | None = None
    positive: bool | None = None
    unlike: int | None = None
    flags: frozenset[str] = frozenset()
    facts: dict[str, Any] = field(default_factory=dict[str, Any])

    @property
    def paths(self) -> list[str]:
        """Return the paths of all frames and diagrams, without repetition."""
        shown = (path for item in self.media for path in item.paths)
        return list(dict.fromkeys([*shown, *(one.image for one in self.options if one.image is not None)]))


def read_record(values: dict[str, Any]) -> Record:
    """Read one record, whose fields have the authors' names.

    Raises:
        UnusableError: If the record cannot be asked. The code of the error is a key of ``LEFT_OUT``.
    """
    code = values.get("type")
    if not isinstance(code, str) or code not in CODES:
        raise UnusableError("unknown_type")
    task = CODES[code][0]
    reader = _Reader(task, values)
    options, answer = reader.options()
    media, diagrams = reader.media()
    diagrams |= {one.image: one.step for one in options if one.image is not None and one.step is not None}
    told = reader.facts(options, answer, diagrams)
    return Record(
        id=reader.text("id"),
        task=task,
        product=reader.text("product"),
        category=reader.text("category"),
        stem=reader.text("question"),
        options=options,
        answer=answer,
        media=media,
        diagrams=diagrams,
        step=told.step,
        positive=told.positive,
        unlike=told.step if task == "T2" else None,
        flags=frozenset(_flags(task, options, answer, told, diagrams)),
        facts=told.facts,
    )


@dataclass(frozen=True)
class _Told:
    """The steps and videos of a record.

    ``answer_step`` is the step that the record names as the answer, or None if the record names no such step.
    """

    step: int | None
    positive: bool | None
    answer_step: int | None
    same_video: bool
    facts: dict[str, Any]


@dataclass(frozen=True)
class _Reader:
    """A reader that checks each field of one record."""

    task: str
    values: dict[str, Any]

    def text(self, name: str) -> str:
        return sentence_of(self.values.get(name))

    def options(self) -> tuple[tuple[RawOption, ...], int]:
        """Return the options in the order of their letters.

        The second value is the index of the correct option.
        """
        rows = _dicts(self.values.get("options"))
        labels = [sentence_of(row.get("label")).upper() for row in rows]
        letters = list(ascii_uppercase[: len(rows)])
        if sorted(labels) != letters or len(rows) < 2:
            raise UnusableError("unreadable")
        pictures = self.task in ("T1", "T4")
        found: list[RawOption] = []
        for _, row in sorted(zip(labels, rows, strict=True), key=lambda both: both[0]):
            step = count_of(row["step_id"]) if row.get("step_id") is not None else None
            text, image = (None, sentence_of(row.get("image"))) if pictures else (sentence_of(row.get("text")), None)
            if pictures and step is None:
                raise UnusableError("unreadable")
            found.append(RawOption(text, image, step))
        answer = self.values.get("answer")
        if not isinstance(answer, str) or answer.strip().upper() not in letters:
            raise UnusableError("no_such_option")
        return tuple(found), letters.index(answer.strip().upper())

    def media(self) -> tuple[tuple[MediaItem, ...], dict[str, int]]:
        """Return the ordered media, and {path of a diagram: step}."""
        if self.task == "D1":
            return (
                MediaItem("clip_a", "frames", self._frames("video_frames_a"), "Clip A"),
                MediaItem("clip_b", "frames", self._frames("video_frames_b"), "Clip B"),
            ), {}
        if self.task == "D2":
            diagrams = _dicts(self.values.get("step_images"))
            items = [_diagram(sentence_of(row.get("image")), sentence_of(row.get("label"))) for row in diagrams]
            return tuple(items), _steps_by_path(
                [(sentence_of(row["image"]), count_of(row.get("step_id"))) for row in diagrams]
            )
        video = MediaItem("video", "frames", self._frames("video_frames"))
        if self.task == "T2":
            path = self.text("manual_step_image")
            return (video, _diagram(path)), {path: count_of(self.values.get("manual_step_id"))}
        if self.task == "T3":
            shown = self.values.get("manual_images")
            if not isinstance(shown, dict) or not shown:
                raise UnusableError("unreadable")
            sequence = sorted((count_of(step), sentence_of(path)) for step, path in shown.items())
            items = [_diagram(path, f"Step {step + 1}") for step, path in sequence]
            return (video, *items), _steps_by_path([(path, step) for step, path in sequence])
        return (video,), {}

    def facts(self, options: tuple[RawOption, ...], answer: int, diagrams: dict[str, int]) -> _Told:
        """Return the steps and videos that the record and its metadata name."""
        said = self.values.get("metadata")
        if not isinstance(said, dict):
            raise UnusableError("unreadable")
        if self.task == "D1":
            videos = [sentence_of(said.get("video_a")), sentence_of(said.get("video_b"))]
            steps = [count_of(said.get("step_a")), count_of(said.get("step_b"))]
            return _Told(None, _truth(said), None, videos[0] == videos[1], {"takes": videos, "steps": steps})
        if self.task == "D2":
            return _Told(None, None, None, False, {"steps": list(diagrams.values())})
        video = {"takes": [sentence_of(said.get("video_id"))]}
        if self.task == "T2":
            step, shown = count_of(said.get("actual_step")), count_of(said.get("shown_step"))
            return _Told(step, _truth(said), None, False, video | {"steps": [step], "shown_step": shown})
        right = options[answer].step
        told = self.values.get("answer_step_id")
        answer_step = right if told is None else count_of(told)
        step = count_of(said.get("current_step")) if self.task == "T4" else answer_step
        facts = video | {"steps": [step], "answer_step": right, "option_steps": [one.step for one in options]}
        return _Told(step, None, answer_step, False, facts)

    def _frames(self, name: str) -> tuple[str, ...]:
        paths = self.values.get(name)
        if not isinstance(paths, list) or not paths:
            raise UnusableError("unreadable")
        return tuple(sentence_of(path) for path in paths)


def _flags(task: str, options: tuple[RawOption, ...], answer: int, told: _Told, diagrams: dict[str, int]) -> list[str]:
    """Return the flags for defects that are visible in the record alone."""
    of_four = task in ("T1", "T3", "T4")
    steps = sorted(diagrams.values())
    faults = {
        "answer_step_differs": of_four and told.answer_step != options[answer].step,
        "answer_contradicted": _is_contradicted(task, options, answer, told, diagrams),
        "equal_options": len({(one.text, one.image) for one in options}) < len(options),
        Flag.RIGHT_DIAGRAM_MISSING: task == "T3" and told.answer_step not in steps,
        Flag.THREE_OPTIONS: of_four and len(options) < USUAL,
        Flag.GAP_IN_SEQUENCE: task == "D2" and steps[-1] - steps[0] >= len(steps),
        Flag.SAME_RECORDING: told.same_video,
    }
    return [flag for flag, found in faults.items() if found]


def _is_contradicted(
    task: str, options: tuple[RawOption, ...], answer: int, told: _Told, diagrams: dict[str, int]
) -> bool:
    """Check whether the answer contradicts the record's steps."""
    words = options[answer].text or ""
    if task in BINARY:
        one, other = told.facts["steps"][0], told.facts.get("shown_step", told.facts["steps"][-1])
        said = _YES_NO.match(words)
        return (one == other) != told.positive or (said is not None and (said[1].lower() == "yes") != told.positive)
    if task == "D2":
        steps = list(diagrams.values())
        order = [int(number) - 1 for number in _IMAGE.findall(words)]
        return sorted(order) != list(range(len(steps))) or [steps[place] for place in order] != sorted(steps)
    if task == "T3":
        return words.strip() != f"Step {(options[answer].step or 0) + 1}"
    return task == "T4" and told.answer_step is not None and told.step is not None and told.answer_step <= told.step


def binary_words(record: Record) -> tuple[str, ...] | None:
    """Return the paper's words for the two options of T2 and D1.

    The words have the released order of the options. The result is None for records of other tasks.
    """
    if record.task not in BINARY or len(record.options) != 2:
        return None
    yes, no = BINARY_WORDS[record.task]
    return tuple(yes if (place == record.answer) is record.positive else no for place in range(2))


def _diagram(path: str, label: str | None = None) -> MediaItem:
    return MediaItem("diagram", "image", (path,), label)


def _steps_by_path(pairs: list[tuple[str, int]]) -> dict[str, int]:
    if not pairs or len(dict(pairs)) < len(pairs):
        raise UnusableError("unreadable")
    return dict(pairs)


def _truth(said: dict[str, Any]) -> bool:
    value = said.get("is_positive")
    if not isinstance(value, bool):
        raise UnusableError("unreadable")
    return value


def _dicts(value: Any) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not value or not all(isinstance(one, dict) for one in value):
        raise UnusableError("unreadable")
    return value
