"""The cost of calls, and the limit on the cost of all calls of a command."""

import asyncio
import math
from collections.abc import Iterable, Mapping
from typing import Self

from pydantic import BaseModel, ConfigDict, Field

from chronotope.errors import InputError
from chronotope.ledger import LedgerLine
from chronotope.models.lines import lost_of
from chronotope.models.model import Lost, RawReply

MILLION = 1_000_000
CHARACTERS_PER_TOKEN = 4
PIXELS_PER_TOKEN_SIDE = 28


BATCH = "batch"  # name of the field in a ledger line's ``extra`` that contains the id of the batch job
SHARE = 0.5  # price of a call in a batch job, as a share of the price of a single call
STORED = 0.25  # surcharge for tokens written to a service's cache, as a share of the price of input tokens


class RunPrice(BaseModel):
    """The cost of a million tokens, in the currency of the service."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)


class OverBudgetError(InputError):
    """The error for a call that was not made, because it could exceed the limit on the cost."""


def money(price: RunPrice, input_tokens: float, output_tokens: float, stored_tokens: float = 0) -> float:
    """Return the cost of tokens; cached tokens have the full price."""
    return ((input_tokens + STORED * stored_tokens) * price.input + output_tokens * price.output) / MILLION


def foreseen_money(price: RunPrice, calls: int, tokens: int, longest_reply: int) -> float:
    """Return the cost of calls with replies of maximum length."""
    return money(price, tokens, calls * longest_reply)


def tokens_of_text(text: str) -> int:
    """Estimate the tokens of a text."""
    return math.ceil(len(text) / CHARACTERS_PER_TOKEN)


def tokens_of_size(width: int, height: int) -> int:
    """Estimate the tokens of a picture of this size (px)."""
    return math.ceil(width / PIXELS_PER_TOKEN_SIDE) * math.ceil(height / PIXELS_PER_TOKEN_SIDE)


class _Purse:
    """The money of a run, which the budgets of several models can share."""

    def __init__(self) -> None:
        self.spent = 0.0
        self.exhausted = self.untold = False
        self.in_flight, self.reserved = 0, 0.0  # number of calls in flight, and their maximum cost together
        self.waiting: list[asyncio.Future[None]] = []
        self.dearest: tuple[float, float] | None = None  # of all models: cost and estimated tokens


class Budget:
    """Admits calls as long as their maximum cost still fits.

    With a price, the maximum cost of a call is the price of its estimated input and of a reply of maximum length. The
    estimate is corrected by the error of earlier estimates. Without a price, the maximum is the cost of the most
    expensive call so far, increased in proportion if the input is longer. Until the service has stated a first cost,
    only one call is made at a time. A cost stated by the service replaces the cost computed from the price. ``spent``
    is the cost of the run's calls so far. ``untold`` means that neither price nor service gives a cost, so no limit is
    possible. ``dearest_input`` is the highest price of an input token, as a multiple of the usual price. ``share`` is
    the price of the admitted calls, as a share of the usual price: 0.5 for calls in batch jobs. If a run asks several
    models, each model has a budget with its own price, and the budgets share one limit (`beside`). The first call of a
    model without a price is then assumed to cost as much as the most expensive call of the other models.
    """

    def __init__(
        self,
        price: RunPrice | None,
        most: float | None,
        longest_reply: int,
        dearest_input: float = 1.0,
        share: float = 1.0,
    ) -> None:
        self.price, self.most = price, most
        self._purse = _Purse()
        self._dearest_input, self._share = dearest_input, share
        self.known = price is not None  # whether the cost of calls is known
        self.is_silent = False  # whether a call of this model had no cost, although there is a limit
        self.longest_reply = longest_reply
        self._estimated = self._counted = 0.0  # input tokens of calls with known token counts
        self._dearest: tuple[float, float] | None = None  # the stated cost, and the estimated input tokens
        self._most_lost = 0.0  # the largest cost of the attempts of a call whose replies could not be read

    def beside(self, price: RunPrice | None, longest_reply: int, dearest_input: float = 1.0) -> "Budget":
        """Make the budget of another model, with the same limit and money."""
        other = Budget(price, self.most, longest_reply, dearest_input)
        other._purse = self._purse
        return other

    @property
    def spent(self) -> float:
        """Return the cost of all calls so far."""
        return self._purse.spent

    @spent.setter
    def spent(self, amount: float) -> None:
        self._purse.spent = amount

    @property
    def exhausted(self) -> bool:
        """Check whether no further call is admitted."""
        return self._purse.exhausted

    @property
    def untold(self) -> bool:
        """Check whether neither price nor service gives a cost."""
        return self._purse.untold

    def count_earlier(self, lines: Iterable[LedgerLine], estimated: Mapping[str, float] | None = None) -> Self:
        """Count a ledger's calls; calls without a cost are priced by tokens.

        ``estimated`` maps the keys of calls to their estimated input tokens.
        """
        for line in lines:
            self.spent += (self._cost(line) if line.money is not None else self._cost_with_lost(line)) or 0.0
            if estimated is not None and line.input_tokens and line.key in estimated:
                self._compare(estimated[line.key], line.input_tokens)
        return self

    def learn(self, estimated: float, counted: float) -> None:
        """Record the true number of tokens for an estimate."""
        if not self._counted and estimated > 0:
            self._compare(estimated, counted)

    def expect(self, what: str, tokens: int, calls: int) -> None:
        """Check that required calls fit into the limit.

        Raises:
            OverBudgetError: If these calls alone can exceed the limit.
        """
        if self.price is not None and self.most is not None:
            cost = foreseen_money(self.price, calls, round(self._dearest_input * tokens), self.longest_reply)
            if self.spent + cost > self.most:
                raise OverBudgetError(
                    f"--max-cost {self.most:g}: {what} alone may cost {cost:.2g}, and {self.spent:.2g} is spent: "
                    "raise the limit, or skip the check with --no-check"
                )

    async def admit(self, estimated: float) -> float | None:
        """Reserve the maximum cost of a call, or return None.

        If it is uncertain whether the call fits, the method waits for calls in flight.
        """
        while not self.exhausted:
            reserved = self.reserve(estimated)
            if reserved is not None or self.exhausted:
                return reserved
            future = asyncio.get_running_loop().create_future()
            self._purse.waiting.append(future)
            await future
        return None

    def reserve(self, estimated: float) -> float | None:
        """Reserve the maximum cost of a call, without waiting.

        Returns None if it is uncertain whether the call fits. If the result is None and no call is in flight, the
        budget is exhausted.
        """
        if self.most is None:
            return self.hold(estimated)
        cost = self._foreseen(estimated)
        fits = self.spent + self._purse.reserved + (cost or 0.0) <= self.most
        alone = (self._dearest is None) if self.price is None else not self._counted
        if fits and not (alone and self._purse.in_flight):
            return self.hold(estimated)
        if not self._purse.in_flight:
            self._purse.exhausted = True
            self._wake()
        return None

    def hold(self, estimated: float) -> float:
        """Reserve the maximum cost of a call that is in flight already."""
        cost = 0.0 if self.most is None else self._foreseen(estimated) or 0.0
        purse = self._purse
        purse.in_flight, purse.reserved = purse.in_flight + 1, purse.reserved + cost
        return cost

    def most_of(self, estimated: float) -> float | None:
        """Return the maximum cost of a call.

        Returns None if no price is known.
        """
        return None if self.price is None else self._foreseen(estimated)

    def settle(self, reserved: float, estimated: float, reply: RawReply | None) -> float | None:
        """Replace the reserved cost of a call by the true cost.

        If a reply has neither cost nor tokens, the reserved cost is the result. A call without a reply is free. The
        attempts whose replies could not be read are counted, too; if their tokens are unknown, each of them counts as
        the most expensive call that was foreseen.
        """
        purse = self._purse
        purse.in_flight -= 1
        purse.reserved = purse.reserved - reserved if purse.in_flight else 0.0  # without the errors of rounding
        cost = None if reply is None else self._cost(reply)
        if reply is not None and reply.state == "replied":
            tells = reply.money is not None or reply.input_tokens is not None or reply.output_tokens is not None
            if self.price is not None and not tells:
                cost = self._foreseen(estimated)
            if reply.money is not None and reply.money >= (self._dearest or (0.0, 0.0))[0]:
                self._dearest = (reply.money, estimated)
                purse.dearest = max(purse.dearest or (0.0, 0.0), self._dearest)
            if self.most is not None and cost is None:
                purse.exhausted = purse.untold = self.is_silent = True
        if reply is not None and (lost := reply.lost) is not None:
            more = self._cost_of_lost(lost, self._share, estimated)
            if more is not None:
                cost = (cost or 0.0) + more
                self._most_lost = max(self._most_lost, more)
            elif self.most is not None and lost.is_known:
                purse.exhausted = purse.untold = self.is_silent = True
        if reply is not None and reply.input_tokens:
            self._compare(estimated, reply.input_tokens)
        self.spent += cost or 0.0
        self._wake()
        return cost

    def refusal(self, name: str, flag: str) -> "OverBudgetError":
        """Return the error for a call that exceeds the budget.

        ``name`` is the model's name. ``flag`` is the flag that sets the price.
        """
        if self.untold:
            return OverBudgetError(
                f"{name} does not report costs, which --max-cost needs: add {flag} IN,OUT, and the same command "
                "continues"
            )
        return OverBudgetError(
            f"{name}: the next call could exceed --max-cost {self.most:g} ({self.spent:.4g} is spent): the same "
            "command with a larger limit continues"
        )

    def add(self, line: LedgerLine) -> float | None:
        """Count the cost of a call without a reservation.

        ``line`` states the cost of the call alone; the result has the cost of its unreadable attempts, too.
        """
        cost = self._cost_with_lost(line)
        self.spent += cost or 0.0
        return cost

    @property
    def passed(self) -> bool:
        """Check whether the cost exceeds the limit."""
        return self.most is not None and self.spent > self.most

    def _foreseen(self, estimated: float) -> float | None:
        """Estimate the maximum cost of a call from its input tokens.

        Attempts that may be lost count, too.

        Returns None if no cost is known yet.
        """
        cost = self._foreseen_once(estimated)
        return None if cost is None else cost + self._most_lost

    def _foreseen_once(self, estimated: float) -> float | None:
        """Estimate the maximum cost of an attempt from its input tokens."""
        if self.price is not None:
            tokens = self._dearest_input * self._off() * estimated
            return self._share * money(self.price, tokens, self.longest_reply)
        known = self._dearest or self._purse.dearest
        if known is None:
            return None
        dearest, tokens = known
        return dearest * max(1.0, estimated / tokens if tokens else 1.0)

    def _off(self) -> float:
        return self._counted / self._estimated if self._estimated else 1.0

    def _cost(self, call: LedgerLine | RawReply) -> float | None:
        """Return the cost of a call, as stated or by its tokens.

        Returns None if neither is known.
        """
        if call.money is not None:
            self.known = True
            return call.money
        if self.price is None:
            return None
        share = self._share if isinstance(call, RawReply) else SHARE if BATCH in call.extra else 1.0
        return share * money(self.price, call.input_tokens or 0, call.output_tokens or 0, call.stored_tokens or 0)

    def _cost_with_lost(self, line: LedgerLine) -> float | None:
        """Return the cost of a call with its unreadable attempts."""
        cost, lost = self._cost(line), lost_of(line)
        more = None if lost is None else self._cost_of_lost(lost, SHARE if BATCH in line.extra else 1.0)
        return cost if more is None else (cost or 0.0) + more

    def _cost_of_lost(self, lost: Lost, share: float, estimated: float | None = None) -> float | None:
        """Return the cost of attempts without a readable reply.

        ``estimated`` are the input tokens of an attempt, for attempts whose tokens are unknown. Returns None if no cost
        is known.
        """
        once = None if estimated is None else self._foreseen_once(estimated)
        untold = lost.untold * (once or 0.0)
        if lost.money is not None:
            self.known = True
            return lost.money + untold
        if self.price is None:
            return untold or None
        return share * money(self.price, lost.input_tokens or 0, lost.output_tokens or 0) + untold

    def _compare(self, estimated: float, counted: float) -> None:
        self._estimated += estimated
        self._counted += counted

    def _wake(self) -> None:
        waiting, self._purse.waiting = self._purse.waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)
