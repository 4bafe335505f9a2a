"""Check whether a model sees all pictures of its prompts, before the first question.

The check shows the model numbered, coloured pictures. The large request has the same number of pictures as an ask of
the run, and its pictures have the same size. The large request is made with four different questions: for the first
number, for the last number, for the number of pictures, and for the colour (red or blue) of one picture.

Before the large request, the check makes two small requests, with one and with two pictures. The small requests
distinguish a service with a limit on pictures from a model without vision, and measure the number of tokens of a
picture. If clips are sent as videos, a test clip is also checked (`check_video`). If the prompts have texts before or
between pictures, two further requests test whether the service keeps the order of texts and pictures (`check_order`).
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np

from chronotope.errors import InputError
from chronotope.evaluate.plan.shown import MOST_BETWEEN, Shown
from chronotope.evaluate.run.check.calls import WITHOUT_PICTURES, Calls
from chronotope.evaluate.run.check.check_pictures import (
    QUESTIONS,
    CheckAnswer,
    CheckPicture,
    draw_pictures,
    is_near,
    read_answer,
    told_to_arrive,
)
from chronotope.evaluate.run.check.order import check_order
from chronotope.evaluate.run.check.video import check_videos, draw_frames, draw_video
from chronotope.evaluate.score.check_outcome import ASKED, CheckOutcome, beginning, pictures_words
from chronotope.evaluate.score.results import CUT_SHORT, PARSER, only_thinks
from chronotope.evaluate.score.scores import longer_flag
from chronotope.ledger import LedgerLine
from chronotope.models import Decoding, Model, RawReply, Session
from chronotope.protocol import Image, Part, PictureFile, Text, Video, time_label

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


SHORT_OF = 0.75  # least share of the expected tokens: with fewer, some pictures must be missing
# Number of pictures for the two small requests. The large request has other pictures, so that no cache can answer it.
SPARE = 3


async def check_model(
    model: Model,
    decoding: Decoding,
    shown: Shown,
    record: Callable[[LedgerLine], None],
    *,
    allow_lost_order: bool = False,
) -> CheckOutcome:
    """Show a model the pictures of a check, and ask questions.

    Each call is recorded. The pictures are new in each check, so that the service cannot answer from a cached reply.
    ``shown`` is the number and the size of the pictures. ``decoding`` are the settings of the run, but the check raises
    a low limit on the length of replies. The outcome describes everything that failed. With ``allow_lost_order``, the
    outcome has only a warning if text does not stay between pictures.

    Raises:
        InputError: If one of these conditions is met:

            - The model accepts no pictures.
            - A call failed after all its attempts.
            - The service reports an error that is unrelated to pictures, such as a rejected API key.
    """
    if not model.limits.looks:
        raise InputError(f"{model.name} accepts no pictures, so the check of pictures is not possible")
    if (shown.pictures < 1 and shown.videos < 1) or (shown.pictures and min(shown.size) < 1):
        raise InputError(
            f"{pictures_words(shown.pictures, shown.size)}: expected at least one picture of at least 1x1 px"
        )
    calls, generator = Calls(model, decoding, record), np.random.default_rng()
    outcome = CheckOutcome(
        pictures=shown.pictures, width=shown.size[0], height=shown.size[1], accepted=True, videos=shown.videos,
        video_frames=shown.frames, timed=shown.timed, words_beside=shown.words,
        at=datetime.now(UTC).isoformat(timespec="milliseconds"),
    )  # fmt: skip
    things: list[tuple[Image | Video, int]] = []
    if shown.pictures:
        pictures = _Pictures(calls, shown, outcome, generator)
        outcome, things = await pictures.made(), pictures.things
    if shown.videos and outcome.problem is None:
        outcome = await check_videos(calls, shown, outcome, generator)
    if shown.timed and outcome.problem is None:
        outcome = await check_times(calls, things, outcome, generator)
    alone = len(things) + shown.videos < 2  # with a single picture or video, there is no text between pictures
    if outcome.problem is not None or not shown.has_order or alone:
        return outcome
    if len(things) < 2:
        things += _videos(calls, shown, generator)
    return await check_order(calls, shown, things, outcome, generator, allowed=allow_lost_order)


def _videos(calls: Calls, shown: Shown, generator: np.random.Generator) -> list[tuple[Image | Video, int]]:
    """Render as many test clips as an ask shows.

    Returns each clip with its number.
    """
    if shown.frames:
        videos = [draw_frames(shown.video_size, generator, shown.frames)]  # a prompt has at most one video of frames
    else:
        videos = [draw_video(shown.video_size, generator, numbers=1) for _ in range(shown.videos)]
    calls.have({video.part.path: video.encoded for video in videos})
    return [(video.part, video.numbers[0]) for video in videos]


class _Pictures:
    """Checks whether one model sees pictures."""

    def __init__(self, calls: Calls, shown: Shown, base: CheckOutcome, generator: np.random.Generator) -> None:
        self._calls, self._size, self._base = calls, shown.size, base
        count = shown.pictures
        drawn = draw_pictures(count + SPARE, self._size, generator, but=count)
        calls.have({_path(picture): picture.encoded for picture in drawn})
        self._pictures, self._spare = drawn[:count], drawn[count:]
        asked = self._pictures[int(generator.integers(count))]
        self._questions = {name: question.format(number=asked.number) for name, question in QUESTIONS.items()}
        first, last = self._pictures[0].number, self._pictures[-1].number
        self._truth: dict[str, CheckAnswer] = {"first": first, "last": last, "count": count, "colour": asked.colour}

    @property
    def things(self) -> list[tuple[Image | Video, int]]:
        """List all pictures of the large request, with their numbers."""
        return [(image, p.number) for image, p in zip(_images(self._pictures), self._pictures, strict=True)]

    async def made(self) -> CheckOutcome:
        """Make all calls about pictures, and return the outcome."""
        few: dict[int, int | None] = {}  # input tokens of each accepted request, by number of pictures
        for shown in (self._spare[:1], self._spare[1:]):
            if len(shown) < len(self._pictures):
                async with self._calls.open(_images(shown)) as session:
                    reply = await self._offer(session, shown, f"check-{len(shown)}")
                if reply.state == "replied":
                    few[len(shown)] = reply.input_tokens
                elif not few:
                    return self._refused(reply, few)
        async with self._calls.open(_images(self._pictures)) as session:
            first = await self._offer(session, self._pictures, "check-first")
            if first.state != "replied":
                return self._refused(first, few)
            replies = {"first": first} | await self._ask_others(session)
        return self._found(replies, few, await self._gives_log_probabilities())

    async def _offer(self, session: Session, shown: Sequence[CheckPicture], ask: str) -> RawReply:
        """Ask for the number on the first picture.

        The reply has the state ``refused`` if the service refuses these pictures.
        """
        return await self._calls.offer(
            session, _images(shown), [Text(self._questions["first"])], ask, [picture.number for picture in shown]
        )

    async def _ask_others(self, session: Session) -> dict[str, RawReply]:
        """Ask the other questions in parallel.

        The first question has put the pictures into the cache, where the calls for all other questions find them.
        """
        others = {name: question for name, question in self._questions.items() if name != "first"}
        shown, numbers = _images(self._pictures), [picture.number for picture in self._pictures]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = {
                    name: group.create_task(
                        self._calls.call(session, shown, [Text(question)], f"check-{name}", numbers)
                    )
                    for name, question in others.items()
                }
        except* InputError as errors:
            raise errors.exceptions[0] from None
        return {name: self._calls.settled(task.result()) for name, task in tasks.items()}

    async def _gives_log_probabilities(self) -> bool | None:
        """Check whether the service gives log-probabilities of letters.

        Returns None if the reply does not show whether the service gives log-probabilities.
        """
        asking = self._calls.decoding.extra | {"logprobs": True, "top_logprobs": 5}
        decoding = self._calls.decoding.model_copy(update={"extra": asking})
        tail = [Text(WITHOUT_PICTURES)]
        try:
            async with self._calls.open(()) as session:
                reply = await self._calls.call(session, (), tail, "check-log-probabilities", (), decoding)
        except InputError:
            return False  # the service refuses the fields
        if reply.state != "replied":
            return False if reply.state == "refused" else None
        given = reply.letter_log_probabilities is not None
        return given if given or (reply.text or "").strip().startswith("A") else None

    def _refused(self, reply: RawReply, few: dict[int, int | None]) -> CheckOutcome:
        """Return the outcome for a service that refused the pictures.

        The keys of ``few`` are the numbers of pictures that the service accepted.
        """
        words = reply.error or "no reason was given"
        if few:
            problem = (
                f"{self._calls.name} refuses {self._shown_words()} in one request, but accepts {max(few)} ({words}): "
                "use fewer frames (--frames), or raise the service's limit of pictures"
            )
        else:
            problem = (
                f"{self._calls.name} refuses pictures of {self._size[0]}x{self._size[1]} px, but answers requests "
                f"without pictures ({words}): choose a vision model, or use --input blind"
            )
        return self._base.model_copy(update={"accepted": False, "problem": problem})

    def _found(
        self, replies: dict[str, RawReply], few: dict[int, int | None], log_probabilities: bool | None
    ) -> CheckOutcome:
        """Return the outcome for a service that accepted all pictures."""
        answers: dict[str, CheckAnswer | None] = {
            name: read_answer(name, reply.text) for name, reply in replies.items()
        }
        right = {name: None if told is None else told == self._truth[name] for name, told in answers.items()}
        tokens = replies["first"].input_tokens
        arrived, why = self._arrived(answers, right, tokens, few)
        problem, warnings = None, []
        if arrived is False:
            problem = (
                f"not all of {self._shown_words()} reach {self._calls.name}: {why}: use fewer frames (--frames), "
                "raise the service's limit of pictures, or skip the check with --no-check"
            )
        elif why is not None:
            warnings.append(why)
        if wrong := [self._wrong(name, reply) for name, reply in replies.items() if not right[name]]:
            seen = "although all of them arrive" if arrived else "and may not see them"
            warnings.append(f"{self._calls.name} answers badly about {self._shown_words()}, {seen}: {', '.join(wrong)}")
        if silent := sum(only_thinks(reply.text, reply.reasoning, reply.finish) for reply in replies.values()):
            warnings.append(f"{self._calls.name}: {silent} of {len(replies)} replies are empty, {PARSER}")
        if too_long := self._too_long(replies, answers):
            warnings.append(too_long)
        cached = [reply.cached_tokens for reply in replies.values() if reply.cached_tokens is not None]
        later = [reply.cached_tokens or 0 for name, reply in replies.items() if name != "first"]
        facts = {
            "arrived": arrived,
            "reports_cached_tokens": bool(cached),
            "cached_tokens": max(later) if cached else None,
            "input_tokens": tokens,
            "tokens_per_picture": _per_picture(few | {len(self._pictures): tokens}),
            "log_probabilities": log_probabilities,
            "problem": problem,
        }
        return self._base.with_answers(right, replies).warned(*warnings).model_copy(update=facts)

    def _arrived(
        self,
        answers: Mapping[str, CheckAnswer | None],
        right: Mapping[str, bool | None],
        tokens: int | None,
        few: dict[int, int | None],
    ) -> tuple[bool | None, str | None]:
        """Decide whether all pictures reached the model.

        Returns the decision, and a text that explains the decision. If pictures are missing, the text gives the reason.
        If there is no evidence for missing pictures, the text describes another irregularity, or is None.

        - The number of input tokens is evidence if the tokens of the small requests are known, because the expected
          number for all pictures can then be computed.
        - The answers of the model are evidence if they agree on a smaller number of pictures, unless the number of
          tokens is closer to the expected number for all pictures.
        - If the model names the first and the last picture correctly, a low number of tokens alone is not evidence,
          because services shrink pictures if there are many of them. A wrong count of pictures alone is not evidence,
          because models count badly. If the number of tokens and the model's count agree on the same smaller number,
          some pictures between the first and the last one are missing.
        """
        count, each = len(self._pictures), _per_picture(few)
        ends = bool(right["first"] and right["last"])
        told = told_to_arrive([picture.number for picture in self._pictures], answers)
        arrived = True if ends and right["count"] else None
        short: str | None = None
        if tokens is not None and each is not None:
            base = few[1] or 0
            reached = 1 + (tokens - base) / each  # the number of pictures according to their tokens
            expected = base + (count - 1) * each
            if told is not None and abs(reached - told) >= abs(reached - count):
                told = None
            if tokens < SHORT_OF * expected:
                short = f"it counts {tokens:,} input tokens, expected about {expected:,.0f}"
                if ends and answers["count"] == round(reached) >= 2:
                    told = round(reached)
            elif reached > count - 0.5:
                arrived = True
        seen = None if told is None else f"its answers match those of a model that sees {told} of them"
        if short is not None and seen is None and ends:
            how = (
                "all pictures arrived, so the service shrinks pictures"
                if arrived
                else ("the first and the last picture arrived, so the service may shrink pictures")
            )
            return arrived, f"{self._calls.name}: {short}; {how} when there are many"
        reasons = [reason for reason in (short, seen) if reason is not None]
        return (False, " and ".join(reasons)) if reasons else (arrived, None)

    def _too_long(self, replies: Mapping[str, RawReply], answers: Mapping[str, CheckAnswer | None]) -> str | None:
        """Return a warning if replies reach the limit on tokens."""
        _, most = self._calls.run.longest_reply
        cut = any(reply.finish == CUT_SHORT and answers[name] is None for name, reply in replies.items())
        if not cut and (most is None or max(reply.output_tokens or 0 for reply in replies.values()) <= most):
            return None
        given = "tokens than the service allows" if most is None else f"than the {most} tokens that the run allows"
        return f"{self._calls.name} needs more {given} for a reply: raise the limit ({longer_flag(self._calls.run)})"

    def _wrong(self, name: str, reply: RawReply) -> str:
        if reply.state == "refused":
            return f"{ASKED[name]} (refused: {reply.error or 'no reason was given'})"
        if reply.finish == CUT_SHORT and read_answer(name, reply.text) is None:
            return f"{ASKED[name]} (cut short before an answer)"
        return f"{ASKED[name]} (“{beginning(reply)}” in place of {self._truth[name]})"

    def _shown_words(self) -> str:
        return pictures_words(len(self._pictures), self._size)


def _path(picture: CheckPicture) -> str:
    return f"check/{picture.number}.jpg"


def _images(shown: Sequence[CheckPicture]) -> list[Image]:
    return [Image(PictureFile(_path(picture), picture.encoded.sha256)) for picture in shown]


def _per_picture(tokens: dict[int, int | None]) -> float | None:
    """Return the input tokens that each further picture adds, or None.

    ``tokens`` maps the number of pictures in a request to the input tokens of this request.
    """
    one, two = tokens.get(1), tokens.get(2)
    return float(two - one) if one is not None and two is not None and two > one else None
