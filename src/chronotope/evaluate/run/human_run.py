"""The run of a person: the same folder, plan and ledger as the run of a model.

A person gets the prompts of a model. Each answer is a line of the ledger, on disk before the next question is shown.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from typing import Any

from chronotope.errors import InputError
from chronotope.evaluate.plan.asks import PlannedAsk, plan_calls, write_asks
from chronotope.evaluate.plan.manifest import HUMAN, LEDGER, RUNS, check_manifest, home_of, join_manifest, make_manifest
from chronotope.evaluate.plan.plan import Plan, Selection, make_plan
from chronotope.evaluate.run.self_evaluation import check_self_evaluation
from chronotope.evaluate.score import Answered, RunResults, open_run
from chronotope.families import Family
from chronotope.io import name_fault
from chronotope.ledger import Ledger, LedgerLine
from chronotope.models import Decoding, Limits
from chronotope.protocol import AskSettings
from chronotope.question import Benchmark

LONGEST_NAME, LONGEST_ANSWER = 60, 2000  # characters


@dataclass(frozen=True, eq=False)
class HumanRequest:
    """Everything that the run of a person needs.

    ``clip`` states whether the person can play the clips, in addition to the frames of a model. The value belongs to
    the identity of the run. The other fields are as in `chronotope.evaluate.run.RunRequest`.
    """

    benchmark: Benchmark
    family: Family
    name: str
    settings: AskSettings
    selection: Selection = field(default_factory=Selection)
    out: Path | None = None
    runs: Path = RUNS
    clip: bool = True


def human_name(name: str) -> str:
    """Return the name of the model of a person's run.

    Raises:
        InputError: If the name is empty, too long, or contains characters that a path cannot have.
    """
    name = name.strip()
    fault = name_fault(name) if name else "is empty"
    if fault is not None or len(name) > LONGEST_NAME:
        raise InputError(
            fault or f"has {len(name)} characters", where="name", expected=f"a name of 1 to {LONGEST_NAME} characters"
        )
    return f"{HUMAN}/{name}"


@contextmanager
def begin_human_run(request: HumanRequest) -> Generator["HumanRun"]:
    """Begin or continue the run of a person; its folder is locked meanwhile.

    Raises:
        InputError: If the questions cannot be asked, another process uses the folder, or it has other content.
    """
    model = human_name(request.name)
    plan = make_plan(request.benchmark, request.family, request.settings, request.selection, Limits(needs_check=False))
    check_self_evaluation(request.family, model, None, request.settings, plan.questions.values())
    decoding = Decoding.model_validate({})
    card = make_manifest(plan, model, decoding, about_model={"clip": request.clip})
    planned = plan_calls(plan, model, decoding)
    folder = request.out if request.out is not None else home_of(card, planned, request.runs)
    check_manifest(folder, card, planned)
    with Ledger.open(folder / LEDGER) as ledger:
        join_manifest(folder, card, planned)
        write_asks(folder, planned)
        yield HumanRun(folder, plan, planned, ledger, clip=request.clip)


class HumanRun:
    """The run of a person while its folder is open; any thread may use it."""

    def __init__(
        self, folder: Path, plan: Plan, planned: Sequence[PlannedAsk], ledger: Ledger, *, clip: bool = True
    ) -> None:
        self.folder, self.plan, self.clip = folder, plan, clip
        self.planned = {one.ask.id: one for one in planned}
        self._ledger, self._lock = ledger, Lock()
        self._last: str | None = None

    @property
    def last_answered(self) -> str | None:
        """Return the ask that was answered last since the run was begun, or None."""
        return self._last

    @property
    def answered(self) -> list[str]:
        """Return the ids of the answered asks, in the planned order."""
        return [name for name, one in self.planned.items() if one.key in self._ledger.replied]

    def next_ask(self, skipped: Sequence[str] = ()) -> str | None:
        """Return the next ask without an answer, or None.

        Skipped asks come last, in the order in which they were skipped.
        """
        left = [name for name, one in self.planned.items() if one.key not in self._ledger.replied]
        unseen = [name for name in left if name not in skipped]
        return next(iter(unseen), None) or next((name for name in skipped if name in left), None)

    def reply_to(self, ask: str) -> str | None:
        """Return the person's reply to an ask, or None."""
        line = self._ledger.replied.get(self.planned[ask].key)
        return None if line is None else line.reply

    def answer(
        self,
        ask: str,
        reply: str,
        pictures: Sequence[str] = (),
        seconds: float | None = None,
        about: Mapping[str, Any] | None = None,
        *,
        again: bool = False,
    ) -> bool:
        """Write an answer to the ledger; return whether it was new.

        ``pictures`` are the hashes of the pictures shown, ``seconds`` is the time since the question was shown, and
        ``about`` has further facts for the ledger. An ask has one answer, so that a form that is sent twice changes
        nothing. With ``again``, a new answer replaces the old one, which stays in the ledger.

        Raises:
            InputError: If there is no such ask, the answer is empty or too long, or it cannot be written.
        """
        planned = self.planned.get(ask)
        if planned is None:
            raise InputError(f"there is no ask {ask!r}", where=str(self.folder))
        reply = reply.strip()
        if not 0 < len(reply) <= LONGEST_ANSWER:
            raise InputError(f"{len(reply)} characters", where="answer", expected=f"1 to {LONGEST_ANSWER} characters")
        with self._lock:
            if planned.key in self._ledger.replied and not again:
                return False
            self._ledger.append(
                LedgerLine(
                    key=planned.key,
                    ask=ask,
                    state="replied",
                    reply=reply,
                    seconds=None if seconds is None else round(seconds, 3),
                    pictures=list(pictures),
                    at=datetime.now(UTC).isoformat(timespec="seconds"),
                    extra=dict(about or {}),
                )
            )
            self._last = ask
        return True

    def results(self) -> RunResults:
        """Return all answers so far, read and scored like those of a model."""
        return open_run(self.folder)

    def result_of(self, ask: str) -> Answered:
        """Return one ask with the reading of its answer."""
        return next(one for one in self.results().answered if one.ask.id == ask)
