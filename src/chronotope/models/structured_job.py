"""A job of calls whose replies are objects: one model, one ledger, and one limit on the cost of all calls.

Judging answers, describing pictures and rewording names are such jobs. `StructuredJob` makes the calls of a job, and
`CountedJob` only counts them.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from chronotope.errors import InputError
from chronotope.interrupts import run_async
from chronotope.io import canonical_json
from chronotope.ledger import CallKind, Ledger, LedgerLine, read_ledger
from chronotope.media import Encoded
from chronotope.models.calls import Calls
from chronotope.models.model import Decoding
from chronotope.models.money import Budget, OverBudgetError, foreseen_money
from chronotope.models.opening import fitting, is_local
from chronotope.models.services.availability import Say, Trouble, watched
from chronotope.models.spec import ModelSpec
from chronotope.models.structured import (
    FORMLESS,
    Structured,
    longest_object,
    open_structured,
    read_structured,
    structured_key,
    structured_tokens,
)

REASONS_TOLD = 3
LIMITS = ("max_tokens", "max_completion_tokens")  # fields that limit a reply

T = TypeVar("T", bound=BaseModel)
Done = TypeVar("Done")
Parts = Sequence[str | Encoded]


@dataclass(frozen=True, eq=False)
class Stage:
    """One kind of call of a job: its instructions, and the fields of its requests.

    The user's fields replace ``fields``.
    """

    kind: CallKind
    instructions: str
    fields: Mapping[str, Any] = field(default_factory=dict[str, Any])


class UnansweredError(InputError):
    """The error for calls that failed without a reply."""


class Asker(Protocol):
    """The interface for the calls of a job."""

    async def ask(self, stage: Stage, name: str, parts: Parts, form: type[T]) -> T | None:
        """Return the reply to a call.

        The result is None if no reply can be read.
        """
        ...

    def require_answers(self) -> None:
        """Check that no call failed without a reply.

        Raises:
            UnansweredError: If a call failed, so that a later attempt may succeed.
        """
        ...


class _Job:
    """The model of a job, and the fields of the requests in each stage."""

    def __init__(self, model: ModelSpec, stages: Sequence[Stage], calls: Calls) -> None:
        self.model, self.calls = model, calls
        # The weights of a model in this process are loaded once, so all stages share the settings of the longest reply.
        shared = max(stages, key=lambda one: longest_object(one.fields)) if is_local(model.name) else None
        self._fields = {stage: _sent_fields(model, shared or stage) for stage in stages}

    def _key(self, stage: Stage, parts: Parts, form: type[BaseModel]) -> str:
        return structured_key(self.model.name, stage.instructions, parts, form, self._fields[stage])

    def _longest(self, stage: Stage) -> int:
        return longest_object(self._fields[stage])


class StructuredJob(_Job):
    """The calls of a job to its model; each reply is in the ledger before the next call.

    ``asked`` counts the calls that were not in the ledger. ``unread`` has the keys of the calls without a readable
    reply. ``budget`` includes the cost of the ``earlier`` calls, by default all calls of the ledger. ``flag`` sets
    fields of the request body.
    """

    def __init__(
        self,
        model: ModelSpec,
        stages: Sequence[Stage],
        ledger: Ledger,
        calls: Calls,
        *,
        earlier: Sequence[LedgerLine] | None = None,
        beside: Budget | None = None,
        flag: str = "--set",
    ) -> None:
        super().__init__(model, stages, calls)
        self.asked, self.unread = 0, set[str]()
        self._ledger, self._in_flight = ledger, dict[str, asyncio.Lock]()
        longest = self._longest(stages[0])
        if beside is None:
            self.budget = Budget(calls.price, calls.max_cost, longest)
            self.budget.count_earlier(read_ledger(ledger.path) if earlier is None else earlier)
        else:
            self.budget = beside.beside(calls.price, longest)
        self._opened: dict[str, Structured] = {}  # by the fields of requests
        for stage, fields in self._fields.items():
            if (key := canonical_json(fields)) not in self._opened:
                budget = self.budget.beside(calls.price, self._longest(stage)) if self._opened else self.budget
                self._opened[key] = open_structured(
                    model.name, model.base_url, ledger, credentials=model.credentials, fields=fields, flag=flag,
                    budget=budget, placed=model.placed, **calls.pace,
                )  # fmt: skip

    def run(
        self, work: Callable[[], Awaitable[Done]], room: int, say: Say | None = None, look: Say | None = None
    ) -> Done:
        """Do work that makes calls, with open connections.

        While the work is done, ``room`` bytes are kept for the ledger. ``say`` is called with sentences for the user.
        ``look`` is called with the present problem of the service, several times a minute.

        Raises:
            InputError: If the work raises it, or the disk has too little room.
        """

        def watch() -> None:
            if look is not None and (found := self.trouble()) is not None:
                look(found.sentence)

        async def watched_work() -> Done:
            async with self.connected(), watched(self.trouble, say, watch):
                return await work()

        with self._ledger.keeping(room, say):
            return run_async(watched_work())

    @asynccontextmanager
    async def connected(self) -> AsyncGenerator[None]:
        """Keep connections for all calls of the context; `run` does so, too."""
        async with AsyncExitStack() as stack:
            for one in self._opened.values():
                await stack.enter_async_context(one.connected())
            yield

    def trouble(self) -> Trouble | None:
        """Return the present problem of the service (see `Model.trouble`)."""
        return next((found for one in self._opened.values() if (found := one.trouble()) is not None), None)

    async def ask(self, stage: Stage, name: str, parts: Parts, form: type[T]) -> T | None:
        """Return the reply to a call.

        A reply that the ledger has is not requested again. The result is None if no reply can be read. Equal calls are
        made once, even if no reply can be read.

        Raises:
            OverBudgetError: If the call could exceed the limit on the cost.
            InputError: If the service refuses every call.
        """
        key = self._key(stage, parts, form)
        async with self._in_flight.setdefault(key, asyncio.Lock()):
            if key in self.unread:  # an equal call was made, and paid for
                return None
            is_known = key in self._ledger.replied
            opened = self._opened[canonical_json(self._fields[stage])]
            found = await opened.ask(stage.kind, name, stage.instructions, parts, form)
            self.asked += not is_known
            if found is None:
                self.unread.add(key)
        return found

    def require_answers(self) -> None:
        """Check that no call failed without a reply.

        A call does not count if the service refused it, or if its replies had another form.

        Raises:
            UnansweredError: If a call failed, so that a later attempt may succeed.
        """
        lines = unanswered(self._ledger.path, self.unread)
        failed = [line for line in lines if line.state == "failed" and not (line.error or "").startswith(FORMLESS)]
        if failed:
            told = reasons_of(failed)
            raise UnansweredError(
                f"{len(failed)} calls failed ({told}): all replies are kept, and the same command continues"
            )


@dataclass(frozen=True)
class CountedCalls:
    """The calls that a job would make now.

    ``tokens`` and ``money`` are estimates with replies of maximum length; ``money`` is None without a price.
    """

    calls: int
    tokens: int
    money: float | None


class CountedJob(_Job):
    """Counts the calls of a job that are missing in a ledger, with their estimated tokens.

    ``replied`` maps the key of each answered call to its ledger line. ``stand_in`` makes the reply to a missing call
    from the form, the name and the maximum number of tokens; it should be as long as possible, so that calls with this
    reply are estimated at their largest. ``stand_in`` can return None.
    """

    def __init__(
        self,
        model: ModelSpec,
        stages: Sequence[Stage],
        calls: Calls,
        replied: Mapping[str, LedgerLine],
        stand_in: Callable[[type[BaseModel], str, int], BaseModel | None] = lambda form, name, longest: None,
    ) -> None:
        super().__init__(model, stages, calls)
        self._replied, self._stand_in = replied, stand_in
        self._count, self._tokens = Counter[Stage](), Counter[Stage]()
        self._counted = set[str]()

    async def ask(self, stage: Stage, name: str, parts: Parts, form: type[T]) -> T | None:
        """Return the reply in the ledger, or count the call."""
        key = self._key(stage, parts, form)
        if key in self._replied:
            return read_structured(self._replied[key].reply, form)
        if key not in self._counted:
            self._counted.add(key)
            self._count[stage] += 1
            self._tokens[stage] += structured_tokens(stage.instructions, parts, form)
        found = self._stand_in(form, name, self._longest(stage))
        return found if isinstance(found, form) else None

    def require_answers(self) -> None:
        """Do nothing, because no call is made."""

    def counted(self) -> CountedCalls:
        """Return the number and the cost of the missing calls."""
        price = self.calls.price
        money = None if price is None else sum(
            foreseen_money(price, count, self._tokens[stage], self._longest(stage))
            for stage, count in self._count.items()
        )  # fmt: skip
        return CountedCalls(self._count.total(), self._tokens.total(), money)


async def do_all(
    works: Sequence[Callable[[], Awaitable[Done]]],
    at_once: int,
    advance: Callable[[int, int], None] | None = None,
) -> list[Done]:
    """Do ``works`` in their order, some at once; return their results.

    At most ``at_once`` of ``works`` run at the same time. After the first error, nothing further starts, and what has
    started is finished, because its calls are paid for. ``advance`` is called when a piece of work ends, with the
    number of finished pieces and the position of this piece.

    Raises:
        OverBudgetError: If the next call could exceed the limit on the cost.
        InputError: If one of ``works`` raises it.
    """
    waiting = iter(enumerate(works))
    found: dict[int, Done] = {}
    errors: list[Exception] = []

    async def slot() -> None:
        for place, work in waiting:
            if errors:
                break
            try:
                found[place] = await work()
                if advance is not None:
                    advance(len(found), place)
            except Exception as error:  # noqa: BLE001 - it is raised when the other works are finished
                errors.append(error)
                break

    await asyncio.gather(*(slot() for _ in range(min(at_once, len(works)))))
    if errors:  # what the service refuses is told before the limit on the cost
        raise next((one for one in errors if not isinstance(one, OverBudgetError)), errors[0])
    return [found[place] for place in range(len(works))]


def unanswered(ledger: Path, keys: Collection[str]) -> list[LedgerLine]:
    """Return the last line of each call that has no reply."""
    last = {line.key: line for line in read_ledger(ledger) if line.key in keys}
    return [line for line in last.values() if line.state != "replied"]


def reasons_of(lines: Sequence[LedgerLine]) -> str:
    """Return the most frequent reasons for missing replies, with their numbers."""
    reasons = Counter(line.error or "no reason was given" for line in lines)
    return ", ".join(f"{reason}: {count}" for reason, count in reasons.most_common(REASONS_TOLD))


def _sent_fields(model: ModelSpec, stage: Stage) -> dict[str, Any]:
    """Return the fields of the body of a stage's requests.

    Settings that the model is known to refuse are left out.
    """
    given = dict(model.settings)
    if not stage.fields:
        return given
    refused = {name for name, value in fitting(model.name, Decoding.model_validate({})).extra.items() if value is None}
    left_out = {*refused, *(LIMITS if any(name in given for name in LIMITS) else ())}
    left_out |= {"top_p"} if "temperature" in refused else set()
    return {name: value for name, value in stage.fields.items() if name not in left_out} | given
