"""The decisions of all passes over a benchmark: the file ``filters.jsonl`` in a folder beside the benchmark.

The first line names the benchmark and its content hash. Each other line is the decision of a pass about one question.
If a run of a pass is made again, all its lines are replaced. The file is computed from the ledgers of the runs, which
are in the same folder, so no paid reply is lost if the file is deleted.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chronotope.errors import InputError
from chronotope.io import canonical_json, read_text, sha256_bytes, write_atomically
from chronotope.question import Benchmark, Question
from chronotope.review.filters.item import Outcome

FILTERS = "filters.jsonl"
SCHEMA = 1
LEAVES_OUT = ("drop", "undecided")  # the outcomes with which a question is left out
MOST = 1 << 30  # bytes
PATIENCE = 30.0  # seconds to wait for another process that writes the file


class Decision(BaseModel):
    """The decision of a pass about one question.

    ``words`` is the hash of the words on which the decision is based. If the words change, the decision does not count.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    question: str
    outcome: Outcome
    reason: str = ""
    words: str
    detail: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True)
class PassRecord:
    """All decisions of one run of a pass; ``run`` is the folder of its ledger."""

    name: str
    model: str
    run: str
    decisions: tuple[Decision, ...]

    def count(self, *outcomes: str) -> int:
        """Count the decisions with one of these outcomes."""
        return sum(decision.outcome in outcomes for decision in self.decisions)


def record_folder(benchmark: Path) -> Path:
    """Return the default folder of decisions, beside the benchmark."""
    whole = benchmark.resolve()
    return whole.with_name(f"{whole.name}.filters")


def words_of(question: Question) -> str:
    """Return the hash of the words and the answer of a question."""
    options = [[option.text, option.image] for option in question.options]
    words = [question.stem, options, list(question.answer), question.expected]
    return sha256_bytes(canonical_json(words).encode())[:12]


def read_records(folder: Path, benchmark: Benchmark) -> list[PassRecord]:
    """Read the decisions about a benchmark, run by run.

    Returns an empty list if there is no file yet.

    Raises:
        InputError: If the file cannot be read, or is about another benchmark.
    """
    path = folder / FILTERS
    if not path.exists():
        return []
    lines = read_text(path, MOST).removesuffix("\n").split("\n")
    head = _parsed(path, 1, lines[0] if lines else "")
    if head.get("schema") != SCHEMA:
        raise InputError("has no header of this version", where=str(path), fix="run a pass again, which writes it anew")
    if head.get("content_hash") != benchmark.card.content_hash:
        raise InputError(
            f"has the decisions about another version of {benchmark.folder.name}",
            where=str(path),
            fix="restore the benchmark, or name another folder with --record",
        )
    runs: dict[tuple[str, str, str], list[Decision]] = {}
    for number, line in enumerate(lines[1:], 2):
        values = _parsed(path, number, line)
        try:
            decision = Decision.model_validate(values)
            runs.setdefault((values["pass"], values["model"], values["run"]), []).append(decision)
        except (ValidationError, KeyError) as error:
            wanted = "pass, model, run, question, words, and an outcome of " + ", ".join(get_args(Outcome))
            raise InputError("is not a decision", where=f"{path}, line {number}", expected=wanted) from error
    return [PassRecord(name, model, run, tuple(made)) for (name, model, run), made in runs.items()]


def keep_record(folder: Path, benchmark: Benchmark, record: PassRecord) -> None:
    """Replace the decisions of a run in the file.

    Earlier decisions of the same pass and model, from a run with other settings, are replaced, too.

    Raises:
        InputError: If the file is about another benchmark, or another process keeps it locked.
    """
    from filelock import FileLock, Timeout  # importing takes 0.1 s, and few commands need it

    try:
        with FileLock(folder / f"{FILTERS}.lock", timeout=PATIENCE):
            records = read_records(folder, benchmark)
            same = [(one.name, one.model) == (record.name, record.model) for one in records]
            if any(same):
                place = same.index(True)
                kept = [one for one, is_same in zip(records, same, strict=True) if not is_same]
                records = [*kept[:place], record, *kept[place:]]
            else:
                records.append(record)
            write_records(folder / FILTERS, benchmark, records)
    except Timeout:
        raise InputError(f"{folder / FILTERS}: another process writes this file: run the command again") from None


def write_records(path: Path, benchmark: Benchmark, records: Sequence[PassRecord]) -> None:
    """Write decisions to a file, in one step."""
    head = {"schema": SCHEMA, "benchmark": benchmark.card.name, "content_hash": benchmark.card.content_hash}
    with write_atomically(path) as temporary:
        temporary.write_text("".join(f"{canonical_json(line)}\n" for line in (head, *_lines(records))))


def _lines(records: Iterable[PassRecord]) -> Iterable[dict[str, Any]]:
    for record in records:
        about = {"pass": record.name, "model": record.model, "run": record.run}
        for one in record.decisions:
            yield about | one.model_dump(mode="json")


def _parsed(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        values = json.loads(line)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise InputError("is not a JSON object", where=f"{path}, line {number}", fix="run a pass again after moving it")
    return values
