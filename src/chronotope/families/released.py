"""The data that an importer returns: questions, omitted rows, and defects."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from chronotope.errors import InputError
from chronotope.question import Description, Question


class _OfTask(Protocol):
    """The interface of a row that was read: an object with a task."""

    @property
    def task(self) -> str: ...


_Row = TypeVar("_Row", bound=_OfTask)


@dataclass(frozen=True)
class Finding:
    """A defect of released data, and the rows with this defect.

    ``rows`` has a name for each row, such as its row number. ``words`` describes the defect; in reports the words
    follow a count such as "12 questions". If ``left_out`` is true, the benchmark does not contain these rows. If it is
    false, the benchmark contains the rows as questions with the flag ``code``.
    """

    code: str
    words: str
    rows: tuple[str, ...]
    left_out: bool = False


@dataclass(frozen=True)
class Release:
    """The authors' released data, as an importer returns it before any clip is opened.

    - ``files`` maps each media path of ``questions`` (inside the new benchmark) to the file in the release.
    - ``names`` maps the id of each question to the name of its row in ``findings``.
    - ``refusals`` counts the omitted rows, for each task and code.
    - ``notes`` are sentences about the conventions of the data.
    - ``descriptions`` describe pictures in ``files``.
    - ``bring_truth`` writes the ground truth into the benchmark's folder as recordings, and returns sentences about the
      recordings. ``bring_truth`` is None if the release has no ground truth of its clips.
    """

    questions: tuple[Question, ...]
    files: dict[str, Path]
    names: dict[str, str]
    licence: str
    attributions: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    refusals: dict[str, dict[str, int]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    descriptions: tuple[Description, ...] = ()
    bring_truth: Callable[[Path], tuple[str, ...]] | None = None


class NoClipError(InputError):
    """The error for a release that has a readable table, but no clip or picture."""


def folders_in(places: Iterable[Path]) -> list[Path]:
    """Return each folder, followed by its direct subfolders.

    The subfolders are sorted by name. The subfolders are included because downloads may put files into a subfolder.
    """
    found: list[Path] = []
    for place in places:
        try:
            inside = sorted(item for item in place.iterdir() if not item.name.startswith(".") and item.is_dir())
        except OSError:  # the folder is missing or not accessible
            inside = []
        found += [place, *inside]
    return list(dict.fromkeys(found))


class UnusableError(Exception):
    """The error for a row from which no question can be made; ``code`` gives the reason."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class ReleasedRows:
    """The questions and the defects that are collected while a released table is read.

    The keys of ``left_out`` are the codes of defects that exclude a row from the benchmark. The keys of ``kept`` are
    the codes of all other defects. The values of both mappings describe the defects. Reports list the defects in the
    order of these mappings. ``name_of`` returns the name of a row in findings; rows are numbered from 1.
    """

    def __init__(self, left_out: Mapping[str, str], kept: Mapping[str, str], name_of: Callable[[int], str]) -> None:
        self._left_out, self._words, self._name_of = left_out, {**left_out, **kept}, name_of
        self.questions: list[Question] = []
        self.names: dict[str, str] = {}
        self._refusals: dict[str, Counter[str]] = defaultdict(Counter)
        self._rows: dict[str, list[str]] = defaultdict(list)

    @property
    def refusals(self) -> dict[str, dict[str, int]]:
        """Return the number of omitted rows, for each task and code."""
        return {task: dict(codes) for task, codes in sorted(self._refusals.items())}

    def read_all(
        self, values: Sequence[Any], read: Callable[[Any], _Row], task_of: Callable[[Any], str]
    ) -> list[tuple[int, _Row]]:
        """Read all rows, and return each readable row with its number.

        If ``read`` raises UnusableError for a row, this row is counted as omitted.
        """
        rows: list[tuple[int, _Row]] = []
        for number, value in enumerate(values, 1):
            try:
                rows.append((number, read(value)))
            except UnusableError as error:
                self.leave_out(error.code, number, task_of(value))
        return rows

    def read_known(
        self,
        path: Path,
        values: Sequence[Any],
        read: Callable[[Any], _Row],
        task_of: Callable[[Any], str],
        known: tuple[str, str, Sequence[str]],
    ) -> list[tuple[int, _Row]]:
        """Read all rows of a table like `read_all`, and check their tasks.

        ``path`` is the table's path for messages. ``known`` has the name of the paper's benchmark, the paper's word for
        its tasks, and the names of the tasks.

        Raises:
            InputError: If no row can be read, or no row has one of these tasks.
        """
        rows = self.read_all(values, read, task_of)
        whose, word, tasks = known
        if not rows:
            raise InputError(
                f"{path}: none of the {len(values)} rows is a question of {whose} ({self.told()}): check the path"
            )
        found = list(dict.fromkeys(row.task for _, row in rows))
        if not set(found) & set(tasks):
            raise InputError(
                f"{path}: none of the {word} in this file ({', '.join(found[:5])}) belongs to {whose}: expected "
                f"{', '.join(tasks)}"
            )
        return rows

    def keep(self, question: Question, number: int) -> None:
        """Add a question, and count its flags as defects of its row."""
        self.questions.append(question)
        self.names[question.id] = self._name_of(number)
        for flag in question.flags:
            self._rows[flag].append(self._name_of(number))

    def leave_out(self, code: str, number: int, task: str) -> None:
        """Count a row from which no question can be made."""
        self._rows[code].append(self._name_of(number))
        self._refusals[task][code] += 1

    def findings(self) -> tuple[Finding, ...]:
        """Return all defects that were found, with the rows of each defect."""
        codes = [code for code in self._words if code in self._rows]
        return tuple(
            Finding(code, self._words[code], tuple(self._rows[code]), code in self._left_out) for code in codes
        )

    def told(self) -> str:
        """Describe all defects in one line, with the number of rows.

        The line explains why a table has no readable row.
        """
        return "; ".join(f"{finding.words}: {len(finding.rows)} rows" for finding in self.findings())
