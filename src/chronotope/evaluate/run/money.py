"""The cost of calls, and the limit on the total cost of a run."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Self

from chronotope.errors import InputError
from chronotope.evaluate.plan.asks import PlannedAsk
from chronotope.evaluate.plan.manifest import RunPrice
from chronotope.ledger import LedgerLine
from chronotope.models import RawReply

__all__ = ["Budget", "amount", "foreseen_money", "money"]

MILLION = 1_000_000


STORED = 0.25  # of the price of the input, that tokens cost in addition if a service puts them into its cache


def money(price: RunPrice, input_tokens: float, output_tokens: float, stored_tokens: float = 0) -> float:
    """Compute the cost of tokens.

    Cached tokens are priced in full, because services price cached tokens differently. ``stored_tokens`` are the input
    tokens that the service put into its cache.
    """
    return ((input_tokens + STORED * stored_tokens) * price.input + output_tokens * price.output) / MILLION


def foreseen_money(price: RunPrice, calls: int, tokens: int, longest_reply: int) -> float:
    """Compute the cost of calls whose replies have the maximum length."""
    return money(price, tokens, calls * longest_reply)


def amount(money: float | None) -> str:
    """Format an amount of money."""
    return "–" if money is None else f"{money:.2f}" if money >= 1 else f"{money:.2g}"


class Budget:
    """Admits calls as long as their maximum cost fits into the limit.

    If a price is known, the maximum cost of a call is the cost of its input and of a reply of maximum length. The
    number of input tokens is estimated, and the estimate is corrected by the error of earlier estimates.

    If no price is known, the maximum cost is the cost of the most expensive call so far. If the call has more input
    than the most expensive call, its maximum cost is increased in proportion. Calls are made one at a time until the
    service has stated the cost of a call. If the service states the cost of a call, this cost is used instead of the
    cost computed from the price.

    ``spent`` is the cost of the calls of the run so far. ``untold`` is true if neither the price nor the service gives
    a cost. If ``untold`` is true, no limit can be applied. ``dearest_input`` is the highest price of an input token,
    divided by the usual price.
    """

    def __init__(
        self, price: RunPrice | None, most: float | None, longest_reply: int, dearest_input: float = 1.0
    ) -> None:
        self.price, self.most, self.spent = price, most, 0.0
        self._dearest_input = dearest_input
        self.exhausted = self.untold = False
        self.known = price is not None  # whether anything tells what calls cost
        self.longest_reply = longest_reply
        self._reserved: list[float] = []  # one amount for each call in flight
        self._waiting: list[asyncio.Future[None]] = []
        self._estimated = self._counted = 0.0  # input tokens of the calls whose tokens are known
        self._dearest: tuple[float, float] | None = None  # money that the service told, estimated input tokens

    def count_earlier(self, lines: Iterable[LedgerLine], planned: Mapping[str, PlannedAsk]) -> Self:
        """Add the cost of the calls in a ledger.

        If the ledger has no cost for a call, the cost is computed from its tokens.
        """
        for line in lines:
            self.spent += self._cost(line) or 0.0
            if line.key in planned and line.input_tokens:
                self._compare(planned[line.key].estimated_tokens, line.input_tokens)
        return self

    def learn(self, estimated: float, counted: float) -> None:
        """Record the estimated and the true number of tokens."""
        if not self._counted and estimated > 0:
            self._compare(estimated, counted)

    def expect(self, what: str, tokens: int, calls: int) -> None:
        """Check that required calls cannot exceed the limit.

        Raises:
            InputError: If the required calls alone can exceed the limit.
        """
        if self.price is not None and self.most is not None:
            cost = foreseen_money(self.price, calls, round(self._dearest_input * tokens), self.longest_reply)
            if self.spent + cost > self.most:
                raise InputError(
                    f"--max-cost {self.most:g}: {what} alone may cost {cost:.2g}, and {self.spent:.2g} is already "
                    "spent: raise the limit, or skip the check with --no-check"
                )

    async def admit(self, estimated: float, replies: int = 1) -> float | None:
        """Reserve the maximum cost of a call, or return None.

        The call may need up to ``replies`` replies. If this cost could exceed the limit, the method first waits for the
        calls in flight. Returns None if the limit does not admit the call.
        """
        if self.most is None:
            self._reserved.append(0.0)
            return 0.0
        while not self.exhausted:
            foreseen = self._foreseen(estimated)
            cost = None if foreseen is None else foreseen * replies
            fits = self.spent + sum(self._reserved) + (cost or 0.0) <= self.most
            alone = cost is None or (self.price is not None and not self._counted)
            if fits and not (alone and self._reserved):
                self._reserved.append(cost or 0.0)
                return cost or 0.0
            if not self._reserved:
                self.exhausted = True
                self._wake()
                break
            future = asyncio.get_running_loop().create_future()
            self._waiting.append(future)
            await future
        return None

    def settle(
        self, reserved: float, estimated: float, reply: RawReply | None, replies: int | None = None
    ) -> float | None:
        """Replace the reserved cost of a call by the true cost.

        ``replies`` is the number of replies that must be paid for. ``reply`` has the tokens and the cost of all these
        replies. If ``replies`` is None, one reply is counted if there was a reply. A reply that states neither cost nor
        tokens costs the reserved amount. A call without a reply costs nothing.
        """
        self._reserved.remove(reserved)
        cost = None if reply is None else self._cost(reply)
        paid = replies if replies is not None else int(reply is not None and reply.state == "replied")
        if reply is not None and paid:
            tells = reply.money is not None or reply.input_tokens is not None or reply.output_tokens is not None
            if self.price is not None and not tells:
                cost = paid * money(self.price, self._dearest_input * self._off() * estimated, self.longest_reply)
            if reply.money is not None and reply.money / paid >= (self._dearest or (0.0, 0.0))[0]:
                self._dearest = (reply.money / paid, estimated)
            if self.most is not None and cost is None:
                self.exhausted = self.untold = True
        if reply is not None and reply.input_tokens:
            self._compare(estimated * max(1, paid), reply.input_tokens)
        self.spent += cost or 0.0
        self._wake()
        return cost

    def add(self, line: LedgerLine) -> float | None:
        """Add the cost of a call that had no reserved amount."""
        cost = self._cost(line)
        self.spent += cost or 0.0
        return cost

    @property
    def passed(self) -> bool:
        """Check whether the cost so far exceeds the limit."""
        return self.most is not None and self.spent > self.most

    def _foreseen(self, estimated: float) -> float | None:
        """Estimate the maximum cost of a call from its input tokens.

        Returns None if no cost is known yet.
        """
        if self.price is not None:
            return money(self.price, self._dearest_input * self._off() * estimated, self.longest_reply)
        if self._dearest is None:
            return None
        dearest, tokens = self._dearest
        return dearest * max(1.0, estimated / tokens if tokens else 1.0)

    def _off(self) -> float:
        return self._counted / self._estimated if self._estimated else 1.0

    def _cost(self, call: LedgerLine | RawReply) -> float | None:
        """Return the stated cost of a call, or compute the cost.

        The cost is computed from the number of tokens. Returns None if neither the cost nor the price is known.
        """
        if call.money is not None:
            self.known = True
            return call.money
        if self.price is None:
            return None
        return money(self.price, call.input_tokens or 0, call.output_tokens or 0, call.stored_tokens or 0)

    def _compare(self, estimated: float, counted: float) -> None:
        self._estimated += estimated
        self._counted += counted

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)
