"""What calls cost, and the bound that a run's money may not pass."""

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


def money(price: RunPrice, input_tokens: float, output_tokens: float) -> float:
    """Price tokens; cached ones count in full, because services differ."""
    return (input_tokens * price.input + output_tokens * price.output) / MILLION


def foreseen_money(price: RunPrice, calls: int, tokens: int, longest_reply: int) -> float:
    """Price calls whose replies are as long as they may be."""
    return money(price, tokens, calls * longest_reply)


def amount(money: float | None) -> str:
    """Print an amount of money."""
    return "–" if money is None else f"{money:.2f}" if money >= 1 else f"{money:.2g}"


class Budget:
    """Lets calls through while the most that they may cost still fits.

    A call may cost its estimated input, corrected by how far earlier estimates were off, and a reply of full length, by
    the price. Without a price it may cost as much as the dearest call whose cost the service stated, or in proportion
    more. Until a first reply has stated its cost, one call goes alone. What a service states counts before the price.
    ``spent`` is what the run's calls cost so far. ``untold`` means that neither price nor service says what a call
    costs, so that no bound can be kept.
    """

    def __init__(self, price: RunPrice | None, most: float | None, longest_reply: int) -> None:
        self.price, self.most, self.spent = price, most, 0.0
        self.exhausted = self.untold = False
        self.known = price is not None  # whether anything tells what calls cost
        self.longest_reply = longest_reply
        self._reserved: list[float] = []  # one amount for each call in flight
        self._waiting: list[asyncio.Future[None]] = []
        self._estimated = self._counted = 0.0  # input tokens of the calls whose tokens are known
        self._dearest: tuple[float, float] | None = None  # money that the service told, estimated input tokens

    def count_earlier(self, lines: Iterable[LedgerLine], planned: Mapping[str, PlannedAsk]) -> Self:
        """Count what a ledger holds; calls without money are priced by tokens."""
        for line in lines:
            self.spent += self._cost(line) or 0.0
            if line.key in planned and line.input_tokens:
                self._compare(planned[line.key].estimated_tokens, line.input_tokens)
        return self

    def learn(self, estimated: float, counted: float) -> None:
        """Note how many tokens something has, for which so many were estimated."""
        if not self._counted and estimated > 0:
            self._compare(estimated, counted)

    def expect(self, what: str, tokens: int, calls: int) -> None:
        """Check that calls which are made in any case can fit.

        Raises:
            InputError: If they may alone pass the bound.
        """
        if self.price is not None and self.most is not None:
            cost = foreseen_money(self.price, calls, tokens, self.longest_reply)
            if self.spent + cost > self.most:
                raise InputError(
                    f"--max-cost {self.most:g}: {what} alone may cost {cost:.2g}, and {self.spent:.2g} is spent: "
                    "raise the limit, or skip the check with --no-check"
                )

    async def admit(self, estimated: float, replies: int = 1) -> float | None:
        """Reserve what a call may cost; None if it does not fit.

        It may cost up to ``replies`` replies. If it is not sure whether they fit, it waits for calls in flight.
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
        """Replace what was reserved for a call by what it cost.

        ``replies`` is how many were paid for; ``reply`` has the tokens and money of all of them. None: one, if it
        replied. A reply with neither money nor tokens counts with what was reserved; a call without a reply costs
        nothing.
        """
        self._reserved.remove(reserved)
        cost = None if reply is None else self._cost(reply)
        paid = replies if replies is not None else int(reply is not None and reply.state == "replied")
        if reply is not None and paid:
            tells = reply.money is not None or reply.input_tokens is not None or reply.output_tokens is not None
            if self.price is not None and not tells:
                cost = paid * money(self.price, self._off() * estimated, self.longest_reply)
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
        """Count what a call cost for which nothing was reserved."""
        cost = self._cost(line)
        self.spent += cost or 0.0
        return cost

    @property
    def passed(self) -> bool:
        """Check whether more is spent than the bound."""
        return self.most is not None and self.spent > self.most

    def _foreseen(self, estimated: float) -> float | None:
        """Estimate what a call of so many input tokens may cost.

        None if nothing is known yet.
        """
        if self.price is not None:
            return money(self.price, self._off() * estimated, self.longest_reply)
        if self._dearest is None:
            return None
        dearest, tokens = self._dearest
        return dearest * max(1.0, estimated / tokens if tokens else 1.0)

    def _off(self) -> float:
        return self._counted / self._estimated if self._estimated else 1.0

    def _cost(self, call: LedgerLine | RawReply) -> float | None:
        """Return what a call cost, as stated or by its tokens.

        None if neither is known.
        """
        if call.money is not None:
            self.known = True
            return call.money
        return None if self.price is None else money(self.price, call.input_tokens or 0, call.output_tokens or 0)

    def _compare(self, estimated: float, counted: float) -> None:
        self._estimated += estimated
        self._counted += counted

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)
