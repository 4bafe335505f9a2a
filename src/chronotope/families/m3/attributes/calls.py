"""The calls of the describer: to a model, or only counted."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from chronotope.errors import InputError
from chronotope.families.m3.attributes.prompts import COMPARE, STAGES, Description, Stage
from chronotope.ledger import Ledger, LedgerLine, read_ledger
from chronotope.media import Encoded
from chronotope.models import (
    FORMLESS,
    Budget,
    Credentials,
    Decoding,
    Say,
    Structured,
    fitting,
    foreseen_money,
    is_local,
    longest_object,
    open_structured,
    read_structured,
    structured_key,
    structured_tokens,
    watched,
)
from chronotope.models import Calls as PaidCalls

AT_ONCE = 16  # calls in flight at most
REASONS_TOLD = 3
LIMITS = ("max_tokens", "max_completion_tokens")  # fields that limit a reply
_CHARACTERS = 4  # of a token

T = TypeVar("T", bound=BaseModel)
Parts = Sequence[str | Encoded]


@dataclass(frozen=True)
class How:
    """The model that describes, and the settings of its calls.

    ``fields`` are further fields of the request body. The limit of ``calls`` is for all calls of a ledger.
    """

    model: str
    base_url: str | None = None
    credentials: Credentials | None = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    calls: PaidCalls = field(default_factory=lambda: PaidCalls(concurrency=AT_ONCE))


class UnansweredError(InputError):
    """The error for calls that failed without a reply."""


class Asker(Protocol):
    """The interface for the calls of the describer."""

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


class Calls:
    """The calls to the model of ``how``; each reply is in the ledger before the next call.

    ``asked`` counts the calls that were not in the ledger. ``unread`` has the keys of the calls without a readable
    reply.
    """

    def __init__(self, how: How, ledger: Ledger, lines: Sequence[LedgerLine]) -> None:
        self.how, self._ledger = how, ledger
        self.asked, self.unread = 0, set[str]()
        self._in_flight: dict[str, asyncio.Lock] = {}
        first, *others = dict.fromkeys(_settled(stage, how) for stage in STAGES)
        self.budget = Budget(how.calls.price, how.calls.max_cost, _longest(first, how)).count_earlier(lines)
        self._opened = {first: self._open(first, self.budget)}
        for stage in others:
            self._opened[stage] = self._open(stage, self.budget.beside(how.calls.price, _longest(stage, how)))

    def _open(self, stage: Stage, budget: Budget) -> Structured:
        how = self.how
        return open_structured(
            how.model, how.base_url, self._ledger, credentials=how.credentials, fields=_fields(stage, how),
            budget=budget, **how.calls.pace,
        )  # fmt: skip

    @asynccontextmanager
    async def connected(self, say: Say | None) -> AsyncGenerator[None]:
        """Keep the connections of all stages, and report trouble with the service."""
        async with AsyncExitStack() as stack:
            for one in self._opened.values():
                await stack.enter_async_context(one.connected())
                await stack.enter_async_context(watched(one.trouble, say))
            yield

    async def ask(self, stage: Stage, name: str, parts: Parts, form: type[T]) -> T | None:
        """Return the reply to a call.

        The result is None if no reply can be read.

        Raises:
            OverBudgetError: If the call could exceed the limit on the cost.
            InputError: If the service refuses every call.
        """
        key = structured_key(self.how.model, stage.instructions, parts, form, _fields(stage, self.how))
        async with self._in_flight.setdefault(key, asyncio.Lock()):  # equal calls at the same time would be paid twice
            is_known = key in self._ledger.replied
            found = await self._opened[_settled(stage, self.how)].ask(stage.kind, name, stage.instructions, parts, form)
        self.asked += not is_known
        if found is None:
            self.unread.add(key)
        return found

    def require_answers(self) -> None:
        """Check that no call failed without a reply.

        A call that the service refused, or whose replies had another form, is no such call.

        Raises:
            UnansweredError: If a call failed, so that a later attempt may succeed.
        """
        last = {line.key: line for line in read_ledger(self._ledger.path) if line.key in self.unread}
        errors = [line.error or "no reason" for line in last.values() if line.state == "failed"]
        failed = Counter(error for error in errors if not error.startswith(FORMLESS))
        if failed:
            told = ", ".join(f"{error}: {count}" for error, count in failed.most_common(REASONS_TOLD))
            raise UnansweredError(
                f"{failed.total()} calls failed ({told}): all replies are kept, and the same command continues"
            )


@dataclass
class Foreseeing:
    """Counts the calls that are missing in a ledger, with their estimated tokens.

    A call that is missing gets the longest possible description as its reply, so that calls with this description are
    estimated at their largest.
    """

    how: How
    replied: Mapping[str, LedgerLine]
    calls: Counter[Stage] = field(default_factory=Counter[Stage])
    tokens: Counter[Stage] = field(default_factory=Counter[Stage])
    _counted: set[str] = field(default_factory=set[str])

    async def ask(self, stage: Stage, name: str, parts: Parts, form: type[T]) -> T | None:
        """Return the reply in the ledger, or count the call."""
        key = structured_key(self.how.model, stage.instructions, parts, form, _fields(stage, self.how))
        if key in self.replied:
            return read_structured(self.replied[key].reply, form)
        if key not in self._counted:
            self._counted.add(key)
            self.calls[stage] += 1
            self.tokens[stage] += structured_tokens(stage.instructions, parts, form)
        if issubclass(form, Description):
            return form(description=name.ljust(_CHARACTERS * _longest(stage, self.how), "."))
        return None

    def require_answers(self) -> None:
        """Do nothing, because no call is made."""

    @property
    def money(self) -> float | None:
        """Return the cost of the calls with replies of maximum length."""
        price = self.how.calls.price
        if price is None:
            return None
        return sum(
            foreseen_money(price, count, self.tokens[stage], _longest(stage, self.how))
            for stage, count in self.calls.items()
        )


def _settled(stage: Stage, how: How) -> Stage:
    """Return the stage whose settings the calls of a stage have.

    All stages share the settings of the longest replies if the model is in this process: its weights are loaded once.
    """
    return COMPARE if is_local(how.model) else stage


def _fields(stage: Stage, how: How) -> dict[str, Any]:
    """Return the fields of the body of a stage's requests.

    The user's fields replace ours. Settings that the model is known to refuse are left out.
    """
    refused = {name for name, value in fitting(how.model, Decoding.model_validate({})).extra.items() if value is None}
    left_out = {*refused, *(LIMITS if any(name in how.fields for name in LIMITS) else ())}
    left_out |= {"top_p"} if "temperature" in refused else set()
    ours = {name: value for name, value in _settled(stage, how).fields.items() if name not in left_out}
    return ours | dict(how.fields)


def _longest(stage: Stage, how: How) -> int:
    return longest_object(_fields(stage, how))
