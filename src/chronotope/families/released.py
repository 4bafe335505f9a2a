"""The result of importing released data: questions, rows left out, and defects."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from chronotope.errors import InputError
from chronotope.question import Description, Question

__all__ = ["Finding", "NoClipError", "Release", "ReleasedRows", "UnusableError", "folders_in"]


class _OfTask(Protocol):
    """A row as read, with its task."""

    @property
    def task(self) -> str: ...


_Row = TypeVar("_Row", bound=_OfTask)


@dataclass(frozen=True)
class Finding:
    """A defect of released data and the rows that have it.

    Each row is named by its place. ``words`` describe the defect, after a count such as "12 questions". Rows that a
    benchmark cannot contain are ``left_out``; the others are kept with the flag ``code``.
    """

    code: str
    words: str
    rows: tuple[str, ...]
    left_out: bool = False


@dataclass(frozen=True)
class Release:
    """The authors' released data as an importer read it, before any clip is opened.

    ``files`` maps each media path of ``questions`` (inside the new benchmark) to the present path of the file.
    ``names`` maps each question to the name of its row in findings. ``refusals`` counts the rows left out, by task and
    code. ``notes`` name the conventions of the data. ``descriptions`` belong to pictures among ``files``. If the
    release has ground truth of its clips, ``bring_truth`` writes it into the benchmark's folder as recordings, and
    returns sentences about it.
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
    """A release with a readable table, but without any clip or picture."""


def folders_in(places: Iterable[Path]) -> list[Path]:
    """Return each folder, followed by its subfolders.

    These are sorted by name; downloads may put files there.
    """
    found: list[Path] = []
    for place in places:
        try:
            inside = sorted(item for item in place.iterdir() if not item.name.startswith(".") and item.is_dir())
        except OSError:  # not there, or may not be entered
            inside = []
        found += [place, *inside]
    return list(dict.fromkeys(found))


class UnusableError(Exception):
    """The row cannot be a question; ``code`` gives the reason."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class ReleasedRows:
    """Questions kept and rows left out while a table is read; rows are numbered from 1.

    ``left_out`` and ``kept`` have the words of each defect by code, in the order of the report; ``name_of`` returns the
    place of a row.
    """

    def __init__(self, left_out: Mapping[str, str], kept: Mapping[str, str], name_of: Callable[[int], str]) -> None:
        self._left_out, self._words, self._name_of = left_out, {**left_out, **kept}, name_of
        self.questions: list[Question] = []
        self.names: dict[str, str] = {}
        self._refusals: dict[str, Counter[str]] = defaultdict(Counter)
        self._rows: dict[str, list[str]] = defaultdict(list)

    @property
    def refusals(self) -> dict[str, dict[str, int]]:
        """Return how many rows each code left out, by task."""
        return {task: dict(codes) for task, codes in sorted(self._refusals.items())}

    def read_all(
        self, values: Sequence[Any], read: Callable[[Any], _Row], task_of: Callable[[Any], str]
    ) -> list[tuple[int, _Row]]:
        """Read the rows that can be read, with their numbers.

        A row for which ``read`` raises UnusableError is left out.
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
        """Read the rows of the table at ``path`` as `read_all` does.

        ``known`` is the benchmark, its word for tasks, and its tasks.

        Raises:
            InputError: If no row can be read, or the rows belong to another benchmark.
        """
        rows = self.read_all(values, read, task_of)
        whose, word, tasks = known
        if not rows:
            raise InputError(f"{path}: none of its {len(values)} rows is a question of {whose} ({self.told()})")
        found = list(dict.fromkeys(row.task for _, row in rows))
        if not set(found) & set(tasks):
            raise InputError(
                f"{path}: none of its {word} ({', '.join(found[:5])}) is one of {whose}'s: expected {', '.join(tasks)}"
            )
        return rows

    def keep(self, question: Question, number: int) -> None:
        """Keep a question, with the defects of its flags."""
        self.questions.append(question)
        self.names[question.id] = self._name_of(number)
        for flag in question.flags:
            self._rows[flag].append(self._name_of(number))

    def leave_out(self, code: str, number: int, task: str) -> None:
        """Count a row that a benchmark cannot contain."""
        self._rows[code].append(self._name_of(number))
        self._refusals[task][code] += 1

    def findings(self) -> tuple[Finding, ...]:
        """Return every defect that was found, with its rows."""
        codes = [code for code in self._words if code in self._rows]
        return tuple(
            Finding(code, self._words[code], tuple(self._rows[code]), code in self._left_out) for code in codes
        )

    def told(self) -> str:
        """Describe the defects in a few words.

        This is for a table without any readable row.
        """
        return "; ".join(f"{finding.words}: {len(finding.rows)} rows" for finding in self.findings())
