"""Checks of models behind servers that look at what they are sent; the fixture ``seeing`` starts them."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path

from chronotope.evaluate.plan import Shown
from chronotope.evaluate.run import check_model
from chronotope.evaluate.score import CheckOutcome
from chronotope.ledger import LedgerLine
from chronotope.models import Decoding
from chronotope.models.services.endpoint import Endpoint
from chronotope.models.services.in_flight import WAIT

ALL = ("first", "last", "count", "colour")


@dataclass
class Seeing:
    """A service that looks, as its options say."""

    url: str
    log: Path

    def requests(self) -> list[dict]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def large(self) -> list[dict]:
        """The requests with the most pictures, as they came in."""
        requests = self.requests()
        most = max(request["pictures"] for request in requests)
        return [request for request in requests if request["pictures"] == most]


def check(
    url: str,
    count: int = 8,
    size: tuple[int, int] = (64, 48),
    decoding: Decoding | None = None,
    allowed: bool = False,
    wait: float = WAIT,
    **shown: object,
) -> tuple[CheckOutcome, list[LedgerLine]]:
    lines: list[LedgerLine] = []

    async def made() -> CheckOutcome:
        model = Endpoint("endpoint/seeing", "seeing", url, retries=1, backoff=0.01, wait=wait)
        try:
            what = Shown(count, size, **shown)
            return await check_model(model, decoding or Decoding(), what, lines.append, allow_lost_order=allowed)
        finally:
            await model.close()

    return asyncio.run(made()), lines
