"""What calls cost, and the bound that a run's money may not pass."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Self

from chronotope.errors import InputError
from chronotope.evaluate.asks import PlannedAsk
from chronotope.evaluate.card import RunPrice
from chronotope.ledger import LedgerLine
from chronotope.models import RawReply

__all__ = ["Budget", "foreseen_money", "money"]

MILLION = 1_000_000


def money(price: RunPrice, input_tokens: float, output_tokens: float) -> float:
    """What so many tokens cost. Cached tokens count in full: services differ in what they let off for them."""
    return (input_tokens * price.input + output_tokens * price.output) / MILLION


def foreseen_money(price: RunPrice, calls: int, tokens: int, longest_reply: int) -> float:
    """What calls with so many input tokens in all cost if every reply is as long as it may be."""
    return money(price, tokens, calls * longest_reply)


class Budget:
    """Lets calls through as long as the most they may cost still fits; without a bound, all of them.

    What a call may cost is its estimated input, corrected by how far earlier estimates were off, with a reply of full
    length. Until the tokens of a first reply are known, one call goes alone. ``spent`` is what the run's calls cost so
    far.
    """

    def __init__(self, price: RunPrice | None, most: float | None, longest_reply: int) -> None:
        self.price, self.most, self.spent = price, most, 0.0
        self.exhausted = False
        self._longest_reply = longest_reply
        self._reserved: list[float] = []  # one amount for each call in flight
        self._waiting: list[asyncio.Future[None]] = []
        self._estimated = self._counted = 0.0  # input tokens of the calls whose tokens are known

    def count_earlier(self, lines: Iterable[LedgerLine], planned: Mapping[str, PlannedAsk]) -> Self:
        """Count what a run's ledger holds; calls without money are priced by their tokens."""
        for line in lines if self.price is not None else ():
            self.spent += self._cost(line.input_tokens, line.output_tokens) if line.money is None else line.money
            if line.key in planned and line.input_tokens:
                self._compare(planned[line.key].estimated_tokens, line.input_tokens)
        return self

    def learn(self, estimated: float, counted: float) -> None:
        """Take note of how many tokens something truly has for which so many were estimated."""
        if not self._counted and estimated > 0:
            self._compare(estimated, counted)

    def expect(self, what: str, tokens: int, calls: int) -> None:
        """Raise InputError where calls that are made whatever the bound may alone pass it."""
        if self.price is not None and self.most is not None:
            cost = foreseen_money(self.price, calls, tokens, self._longest_reply)
            if self.spent + cost > self.most:
                raise InputError(
                    f"--max-cost {self.most:g}: {what} may alone cost {cost:.2g}, and {self.spent:.2g} is spent: raise "
                    "the bound, or leave the check out with --no-check"
                )

    async def admit(self, planned: PlannedAsk) -> float | None:
        """Reserve what a call may cost, waiting for calls in flight where it is not sure to fit; None: it does not."""
        if self.price is None:
            return 0.0
        while not self.exhausted:
            off = self._counted / self._estimated if self._estimated else 1.0
            cost = money(self.price, off * planned.estimated_tokens, self._longest_reply)
            fits = self.most is None or self.spent + sum(self._reserved) + cost <= self.most
            alone = self.most is not None and not self._counted
            if fits and not (alone and self._reserved):
                self._reserved.append(cost)
                return cost
            if not self._reserved:
                self.exhausted = True
                self._wake()
                break
            future = asyncio.get_running_loop().create_future()
            self._waiting.append(future)
            await future
        return None

    def settle(self, reserved: float, planned: PlannedAsk, reply: RawReply | None) -> float | None:
        """What a call cost, counted in place of what was reserved for it; None for a reply: it was not made.

        A reply that tells no tokens counts with what was reserved; a call that brought nothing costs nothing.
        """
        if self.price is None:
            return None
        self._reserved.remove(reserved)
        cost = 0.0
        if reply is not None:
            untold = reply.input_tokens is None and reply.output_tokens is None
            known = not untold or reply.state != "replied"
            cost = self._cost(reply.input_tokens, reply.output_tokens) if known else reserved
            if reply.input_tokens:
                self._compare(planned.estimated_tokens, reply.input_tokens)
        self.spent += cost
        self._wake()
        return cost

    def add(self, line: LedgerLine) -> float | None:
        """Count what a call cost for which nothing was reserved."""
        if self.price is None:
            return None
        cost = self._cost(line.input_tokens, line.output_tokens)
        self.spent += cost
        return cost

    @property
    def passed(self) -> bool:
        """Whether more is spent than the bound."""
        return self.most is not None and self.spent > self.most

    def _cost(self, input_tokens: int | None, output_tokens: int | None) -> float:
        assert self.price is not None
        return money(self.price, input_tokens or 0, output_tokens or 0)

    def _compare(self, estimated: float, counted: float) -> None:
        self._estimated += estimated
        self._counted += counted

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)
