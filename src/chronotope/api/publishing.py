"""Publish benchmarks and results on a hub."""

from __future__ import annotations  # `help` shows short names of types

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from chronotope.api.checked_settings import as_path
from chronotope.api.opened_run import Run
from chronotope.api.telling import Advance, advance_of
from chronotope.errors import InputError
from chronotope.question import Benchmark, open_benchmark

if TYPE_CHECKING:
    from chronotope.make import Published

MANIFEST = "run.yaml"


def publish(
    bench: Benchmark | Run | Path | str,
    address: str,
    *,
    of: str | None = None,
    out: Path | str | None = None,
    private: bool = False,
    progress: Advance | bool = False,
) -> Published:
    """Publish a benchmark on a hub, or propose the scores of a run to its model.

    The ``address`` is ``hf://OWNER/NAME``. The hub gets the benchmark, a page with licences and authors, Croissant
    metadata, ``eval.yaml`` and checksums. With ``private``, only the owner can see a new data set. If ``bench`` is a
    run, ``of`` is the address of the published benchmark. With ``out``, this folder (of a run, this file) is written,
    and nothing is sent. The result has the ``commit``, the ``files`` and the ``size`` in bytes.

    Raises:
        InputError: If an address is not one, ``out`` exists, a run is unfinished, the package huggingface_hub is
            missing, or the hub cannot be reached or refuses the upload.
    """
    from chronotope.make import publish as make

    place = None if out is None else as_path(out, "out")
    if isinstance(bench, Run) or (not isinstance(bench, Benchmark) and (as_path(bench, "bench") / MANIFEST).exists()):
        return _publish_scores(bench if isinstance(bench, Run) else Run(bench), address, of, place)
    if of is not None:
        raise InputError(f"found {of!r}", where="of", expected="None, because only a run has results of a benchmark")
    opened = bench if isinstance(bench, Benchmark) else open_benchmark(as_path(bench, "bench"))
    return make(opened, address, place, private=private, progress=advance_of(progress, "publishing"))


def _publish_scores(run: Run, address: str, of: str | None, out: Path | None) -> Published:
    from chronotope.make import publish_result_file, result_file

    scores, card = run.computed(), run.results().card
    if of is None:
        raise InputError(f"{run.folder}: is a run: name the published benchmark with --of hf://OWNER/NAME")
    if missing := scores.states.get("not_asked", 0) + scores.states.get("failed", 0):
        raise InputError(f"{run.folder}: {missing} asks have no reply yet: finish the run first")
    day = datetime.fromtimestamp((run.folder / "ledger.jsonl").stat().st_mtime, UTC).date().isoformat()
    tasks = {name: one.value for name, one in scores.tasks.items()}
    notes = f"Chronotope, {card.benchmark.name} {card.benchmark.content_hash[:12]}, {scores.overall.items} questions"
    text = result_file(of, scores.overall.value, tasks, day, notes)
    return publish_result_file(text, card.benchmark.name, address, out)
