"""What calls cost, and the bound that a run's money may not pass."""

import asyncio

from chronotope.evaluate.asks import PlannedAsk
from chronotope.evaluate.card import RunPrice

__all__ = ["Budget", "foreseen_money", "money"]

MILLION = 1_000_000


def money(price: RunPrice, input_tokens: float, output_tokens: float) -> float:
    """What so many tokens cost. Cached tokens count in full: services differ in what they let off for them."""
    return (input_tokens * price.input + output_tokens * price.output) / MILLION


def foreseen_money(price: RunPrice, calls: int, tokens: int, max_tokens: int) -> float:
    """What calls with so many input tokens in all cost if every reply is as long as it may be."""
    return money(price, tokens, calls * max_tokens)


class Budget:
    """Lets calls through as long as the most they may cost still fits; without a bound, all of them.

    What a call may cost is its estimated input, corrected by how far earlier estimates were off, with a reply of full
    length. ``spent`` is what the run's calls cost so far.
    """

    def __init__(self, price: RunPrice | None, most: float | None, max_tokens: int, spent: float) -> None:
        self.price, self.most, self.spent = price, most, spent
        self.exhausted = False
        self._max_tokens = max_tokens
        self._reserved: list[float] = []  # one amount for each call in flight
        self._waiting: list[asyncio.Future[None]] = []
        self._estimated = self._counted = 0

    async def admit(self, planned: PlannedAsk) -> float | None:
        """Reserve what a call may cost, waiting for calls in flight where it is not sure to fit; None: it does not."""
        if self.price is None:
            return 0.0
        while not self.exhausted:
            off = self._counted / self._estimated if self._estimated else 1.0
            cost = money(self.price, off * planned.estimated_tokens, self._max_tokens)
            if self.most is None or self.spent + sum(self._reserved) + cost <= self.most:
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

    def settle(self, reserved: float, planned: PlannedAsk, tokens: tuple[int | None, int | None]) -> float | None:
        """Count what a call cost in place of what was reserved for it; None where its tokens are not known.

        A call whose reply tells no tokens counts with what was reserved; one that brought nothing has tokens (0, 0).
        """
        if self.price is None:
            return None
        self._reserved.remove(reserved)
        if tokens[0] is None or tokens[1] is None:
            self.spent += reserved
            cost = None
        else:
            cost = money(self.price, tokens[0], tokens[1])
            self.spent += cost
            if tokens[0]:
                self._estimated += planned.estimated_tokens
                self._counted += tokens[0]
        self._wake()
        return cost

    def add(self, tokens: tuple[int | None, int | None]) -> float | None:
        """Count what a call cost for which nothing was reserved."""
        if self.price is None:
            return None
        cost = money(self.price, tokens[0] or 0, tokens[1] or 0)
        self.spent += cost
        return cost

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)
