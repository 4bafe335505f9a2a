"""Check whether a model connects numbered pictures with the times that are written between them."""

from collections.abc import Sequence

import numpy as np

from chronotope.evaluate.plan.shown import MOST_BETWEEN
from chronotope.evaluate.run.check.calls import Calls
from chronotope.evaluate.run.check.pictures import is_near
from chronotope.evaluate.score.check_outcome import CheckOutcome, beginning
from chronotope.protocol import Image, Part, Text, Video, time_label

__all__ = ["check_times"]

QUESTION = (
    "One of the pictures above shows the number {number}. Its time is written before it. How many seconds is that? "
    "Reply with the number of seconds only."
)


async def check_times(
    calls: Calls, things: Sequence[tuple[Image | Video, int]], outcome: CheckOutcome, generator: np.random.Generator
) -> CheckOutcome:
    """Ask for the time of a numbered picture, and add the finding.

    The times have random distances, so that a model cannot guess them.

    Raises:
        InputError: If the call failed after all its attempts.
    """
    things = things[:MOST_BETWEEN]
    seconds = np.cumsum(generator.integers(3, 9, size=len(things))).tolist()
    place = int(generator.integers(len(things)))
    parts: list[Part] = []
    for number, ((thing, _), time) in enumerate(zip(things, seconds, strict=True), 1):
        parts += [Text(time_label(number, time), label=True), thing]
    parts.append(Text(QUESTION.format(number=things[place][1])))
    async with calls.open(()) as session:
        reply = calls.settled(await calls.call(session, (), parts, "check-time", [number for _, number in things]))
    right = is_near(reply, seconds[place])
    found = outcome.with_answers({"time": right}, {"time": reply})
    if right:
        return found
    return found.warned(
        f"{calls.name} may not connect pictures with the times between them: it answers “{beginning(reply)}” in place "
        f"of {seconds[place]} s"
    )
