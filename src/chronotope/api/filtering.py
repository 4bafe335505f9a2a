"""Filter the questions of a benchmark by passes of a model; the benchmark itself never changes."""

from __future__ import annotations  # `help` shows short names of types

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from chronotope.api.benchmarks import Benchmark
from chronotope.api.benchmarks import open as open_folder
from chronotope.api.checked_settings import as_path, checked, unknown
from chronotope.api.data_frames import table
from chronotope.api.options import FilterGiven, with_calls
from chronotope.api.telling import advance_of, warn, warner
from chronotope.errors import InputError
from chronotope.evaluate.run import Progress
from chronotope.families import family
from chronotope.io import canonical_json
from chronotope.models import Answer, Calls, Model, ModelSpec, Say
from chronotope.question import Benchmark as Folder
from chronotope.review.filters import (
    PASSES,
    Choice,
    PassForeseen,
    PassOutcome,
    PassRecord,
    PassRequest,
    View,
    apply_records,
    find_pass,
    foresee_pass,
    pass_shares,
    read_records,
    record_folder,
    run_pass,
)
from chronotope.review.filters import write_filtered as write

_DECISIONS = [(name, pa.string()) for name in ("pass", "model", "question", "outcome", "reason")] + [
    ("detail", pa.string())
]
_SHARES = [("pass", pa.string()), ("model", pa.string())] + [
    (name, pa.int64())
    for name in ("questions", "decided", "dropped", "undecided", "changed", "unchanged", "skipped", "unanswered")
]
_SHARES += [("share", pa.float64())]


class Filters:
    """All decisions about a benchmark, which the passes have made so far.

    ``Filters(bench)`` reads the decisions that were made earlier; ``record`` is their folder, as in `filter_pass`.
    ``outcome`` counts what `filter_pass` did now. ``passes`` has the numbers of decisions of each pass and model.

    Raises:
        InputError: If the benchmark or its decisions cannot be read.
    """

    def __init__(
        self, bench: Folder | Path | str, record: Path | str | None = None, outcome: PassOutcome | None = None
    ) -> None:
        self._benchmark, self.outcome = _whole(bench), outcome
        self.folder = record_folder(self._benchmark.folder) if record is None else as_path(record, "record")
        self.records: list[PassRecord] = read_records(self.folder, self._benchmark)
        self.passes = pass_shares(self.records)

    def left(self, without: str | Sequence[str] = (), keep: str | Sequence[str] = ()) -> View:
        """Return the questions that remain after the passes, and the dropped ones with the reasons.

        ``without`` and ``keep`` are as in `write_filtered`.

        Raises:
            InputError: If there are no such decisions, or no question with this id.
        """
        return apply_records(self._benchmark.questions, self.records, _choice(without, keep))

    def decisions(self) -> Any:
        """Return a table with a row for each decision.

        The table is a DataFrame if pandas is installed, and otherwise an Arrow table.
        """
        rows = [
            {"pass": record.name, "model": record.model} | one.model_dump() | {"detail": canonical_json(one.detail)}
            for record in self.records
            for one in record.decisions
        ]
        return table(_DECISIONS, [{name: row[name] for name, _ in _DECISIONS} for row in rows])

    def shares(self) -> Any:
        """Return a table with a row for each pass and model.

        ``share`` is the fraction of decided questions that were dropped or changed.
        """
        return table(
            _SHARES,
            [{"pass": one.name} | {name: getattr(one, name) for name, _ in _SHARES[1:]} for one in self.passes],
        )


@with_calls(Calls)
def filter_pass(
    bench: Folder | Path | str,
    name: str,
    model: str | ModelSpec | Model | Answer,
    *,
    record: Path | str | None = None, temperature: float | None = None, top_p: float | None = None,
    max_tokens: int | None = None, set: Mapping[str, Any] | None = None, check: bool = True,
    progress: Progress | bool = False, say: Say | None = None, **settings: Any,
) -> Filters:  # fmt: skip
    """Make one pass of a model over the questions of a benchmark.

    ``name`` is ``text-only``, ``ambiguity``, ``rewrite``, ``too-easy`` or ``capability``. ``model`` is as in `run`. The
    same call continues an interrupted pass. The benchmark does not change; `write_filtered` writes the filtered
    benchmark. The parameters have the names of the flags of ``chronotope filter``:

    - ``record`` is the folder of the replies and decisions; the default is ``BENCHMARK.filters`` beside the benchmark.
    - ``temperature``, ``top_p``, ``max_tokens`` and ``set`` (further fields of the request body) replace the settings
      of the pass.
    - ``settings`` are the family's settings for showing videos, such as ``frames`` (pass ``too-easy`` only).
    - ``price`` is the price of a million input and output tokens. ``max_cost`` limits the cost of the pass.
    - ``progress`` is a function, or true to write lines about the progress to standard error.
    - All others are described in `chronotope.review.filters.PassRequest`.

    Raises:
        InputError: If an option is wrong, or the service rejects every request.
        KeyboardInterrupt: If the user pressed Ctrl-C. All replies so far are kept.
    """
    request = _request(**locals())
    outcome, tell = run_pass(request), say or warn
    for problem in outcome.problems:
        tell(f"{name}: {problem}")
    if outcome.interrupted:
        raise KeyboardInterrupt(outcome.problems[0])
    return Filters(request.benchmark, request.folder, outcome)


def foresee_filter_pass(*given: Any, **options: Any) -> PassForeseen:
    """Count the calls of `filter_pass`; nothing is sent or written."""
    bound = inspect.signature(filter_pass).bind(*given, **options)
    bound.apply_defaults()
    return foresee_pass(_request(**bound.arguments))


def _request(
    bench: Folder | Path | str,
    name: str,
    model: str | ModelSpec | Model | Answer,
    *,
    settings: Mapping[str, Any],
    progress: Progress | bool,
    say: Say | None,
    **plain: Any,
) -> PassRequest:
    """Check the options of a pass, and put them together."""
    plain |= {option: value for option, value in settings.items() if option in Calls.model_fields}
    settings = {option: value for option, value in settings.items() if option not in Calls.model_fields}
    given: FilterGiven = checked(FilterGiven, plain, "", "filter_pass")
    folder = _whole(bench)
    fields = family(folder.card.family).RunSettings
    for option in settings.keys() - fields.model_fields.keys():
        known = sorted({*inspect.signature(filter_pass).parameters, *fields.model_fields} - {"settings"})
        raise unknown("there is no such option", option, known, option)
    if find_pass(name).looks:
        checked(fields, settings, "", f"family {folder.card.family}")
    return PassRequest(
        folder, name, model, given.record, given.decoding, settings, given.calls, given.check,
        progress=advance_of(progress, name), say=say or warner(),
    )  # fmt: skip


def _whole(bench: Folder | Path | str) -> Folder:
    """Open a whole benchmark, because a pass decides about all questions."""
    folder = bench if isinstance(bench, Folder) else open_folder(bench)
    if isinstance(folder, Benchmark) and folder.whole is not None:
        raise InputError("is a part of a benchmark", where="bench", expected="a whole benchmark")
    return folder


def write_filtered(
    bench: Folder | Path | str,
    out: Path | str,
    *,
    record: Path | str | None = None,
    without: str | Sequence[str] = (),
    keep: str | Sequence[str] = (),
) -> Benchmark:
    """Write the benchmark that remains after the passes, as a new folder.

    ``without`` names passes that do not count, as ``PASS`` or ``PASS:MODEL``. ``keep`` are the ids of questions that no
    pass drops. No model is called.

    Raises:
        InputError: If ``out`` exists, if no pass was made, or if no question is left.
    """
    found = Filters(bench, record)
    for one in (without,) if isinstance(without, str) else without:
        if one.partition(":")[0] not in PASSES:
            raise InputError(f"found {one!r}", where="without", expected=f"passes among {', '.join(PASSES)}")
    write(found._benchmark, found.records, as_path(out, "out"), _choice(without, keep))
    return open_folder(out)


def _choice(without: str | Sequence[str], keep: str | Sequence[str]) -> Choice:
    given, kept = ((one,) if isinstance(one, str) else tuple(one) for one in (without, keep))
    return Choice(given, kept)
