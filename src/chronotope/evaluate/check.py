"""Does a model see what it is sent? Asked with numbered, coloured pictures before questions are paid for.

As many pictures, and as large, as a run will show go out in one request: which is first, which is last, how many, red
or blue? One picture and two go out before them, so that a limit can be told from a model that takes no pictures, and so
that the tokens of a picture are known.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime

import numpy as np

from chronotope.errors import InputError
from chronotope.evaluate.check_outcome import ASKED, CheckOutcome, pictures_words
from chronotope.evaluate.check_pictures import QUESTIONS, CheckPicture, Told, draw_pictures, read_answer, told_to_arrive
from chronotope.evaluate.plan import Plan, shown_size
from chronotope.evaluate.results import CUT_SHORT
from chronotope.evaluate.scores import longer_flag
from chronotope.ledger import LedgerLine, call_key
from chronotope.models import Decoding, Model, RawReply, Session, ledger_line
from chronotope.protocol import Image, PictureFile, Text, describe, without_thinking

__all__ = ["CheckOutcome", "check_model", "planned_pictures"]

ROOM = 200  # tokens of a reply, at least: a sentence around the answer, or a short thought before it
SHORT_OF = 0.75  # of the tokens that so many pictures make: with fewer, not all of them can be there
TOLD = 80  # characters of a reply that are told
# Pictures for the requests of one and of two: the large request has none of them, so that nothing is cached for it.
SPARE = 3

WITHOUT_PICTURES = "Reply with the single capital letter A and nothing else."


def planned_pictures(plan: Plan) -> tuple[int, tuple[int, int]] | None:
    """The most pictures that an ask of a plan shows, and (width, height) px of the largest; None where none has any."""
    most = max(plan.asks, key=lambda ask: plan.prompts[ask.id].pictures)
    count = plan.prompts[most.id].pictures
    return (count, shown_size(plan, most)) if count else None


async def check_model(
    model: Model, decoding: Decoding, count: int, size: tuple[int, int], record: Callable[[LedgerLine], None]
) -> CheckOutcome:
    """Show a model ``count`` pictures of ``size`` (width, height) px and ask what it sees; each call is recorded.

    The pictures are drawn anew each time, so that no reply that a service remembers stands for pictures it has not
    looked at. ``decoding`` is that of the run; replies get more room where it gives little. What does not hold is told
    in the outcome.

    Raises InputError where the model looks at no pictures, where a call failed after all its attempts (the check could
    not be made), and for wrong use that has nothing to do with pictures, such as a key that is not accepted.
    """
    if not model.limits.looks:
        raise InputError(f"{model.name} looks at no pictures: there is nothing to check")
    if count < 1 or min(size) < 1:
        raise InputError(f"{pictures_words(count, size)}: expected at least one picture of at least 1x1 px")
    return await _Check(model, decoding, count, size, record).made()


class _Check:
    """One check of one model."""

    def __init__(
        self, model: Model, decoding: Decoding, count: int, size: tuple[int, int], record: Callable[[LedgerLine], None]
    ) -> None:
        self._model, self._size, self._record = model, size, record
        self._run, self._decoding = decoding, _roomy(decoding)
        generator = np.random.default_rng()
        drawn = draw_pictures(count + SPARE, size, generator, but=count)
        self._encoded = {_path(picture): picture.encoded for picture in drawn}
        self._pictures, self._spare = drawn[:count], drawn[count:]
        asked = self._pictures[int(generator.integers(count))]
        self._questions = {name: question.format(number=asked.number) for name, question in QUESTIONS.items()}
        first, last = self._pictures[0].number, self._pictures[-1].number
        self._truth: dict[str, Told] = {"first": first, "last": last, "count": count, "colour": asked.colour}

    async def made(self) -> CheckOutcome:
        """Make all calls, and say what they tell."""
        few: dict[int, int | None] = {}  # how many pictures were taken in one request, and its input tokens
        for shown in (self._spare[:1], self._spare[1:]):
            if len(shown) < len(self._pictures):
                async with self._open(shown) as session:
                    reply = await self._offer(session, shown, f"check-{len(shown)}")
                if reply.state == "replied":
                    few[len(shown)] = reply.input_tokens
                elif not few:
                    return self._refused(reply, few)
        async with self._open(self._pictures) as session:
            first = await self._offer(session, self._pictures, "check-first")
            if first.state != "replied":
                return self._refused(first, few)
            replies = {"first": first} | await self._ask_others(session)
        return self._found(replies, few, await self._gives_log_probabilities())

    async def _offer(self, session: Session, shown: Sequence[CheckPicture], ask: str) -> RawReply:
        """Ask which of some pictures is first; ``refused`` where it is these pictures that the service does not take.

        Of what the model says is wrong use, as of a refusal, that is known once a request without pictures is answered.
        """
        try:
            reply = await self._call(session, shown, self._questions["first"], ask)
        except InputError as error:
            reply = RawReply("refused", error=str(error))
        if self._settled(reply).state == "refused":
            async with self._open(()) as wordy:
                words = await self._call(wordy, (), WITHOUT_PICTURES, "check-without-pictures")
            if self._settled(words).state == "refused":
                raise InputError(f"{self._model.name} refuses requests, with and without pictures: {words.error}")
        return reply

    async def _ask_others(self, session: Session) -> dict[str, RawReply]:
        """Put the questions after the first, side by side: what the first had cached is there for all of them."""
        others = {name: question for name, question in self._questions.items() if name != "first"}
        try:
            async with asyncio.TaskGroup() as group:
                tasks = {
                    name: group.create_task(self._call(session, self._pictures, question, f"check-{name}"))
                    for name, question in others.items()
                }
        except* InputError as errors:
            raise errors.exceptions[0] from None
        return {name: self._settled(task.result()) for name, task in tasks.items()}

    async def _gives_log_probabilities(self) -> bool | None:
        """Whether a service that is asked for them gives log-probabilities of letters; None where nothing tells."""
        asking = self._decoding.extra | {"logprobs": True, "top_logprobs": 5}
        decoding = self._decoding.model_copy(update={"extra": asking})
        try:
            async with self._open(()) as session:
                reply = await self._call(session, (), WITHOUT_PICTURES, "check-log-probabilities", decoding)
        except InputError:
            return False  # the fields are not taken
        if reply.state != "replied":
            return False if reply.state == "refused" else None
        given = reply.letter_log_probabilities is not None
        return given if given or (reply.text or "").strip().startswith("A") else None

    def _open(self, shown: Sequence[CheckPicture]) -> AbstractAsyncContextManager[Session]:
        return self._model.open(_images(shown), lambda picture: self._encoded[picture.path])

    async def _call(
        self,
        session: Session,
        shown: Sequence[CheckPicture],
        question: str,
        ask: str,
        decoding: Decoding | None = None,
    ) -> RawReply:
        """One call, recorded."""
        decoding, tail = decoding or self._decoding, Text(question)
        reply = await session.ask([tail], decoding, seed=ask)
        messages = describe([*_images(shown), tail])
        key = call_key(messages, self._model.name, decoding.model_dump(mode="json"))
        line = ledger_line(reply, key=key, ask=ask, kind="check")
        # What was drawn is kept nowhere else.
        self._record(line.model_copy(update={"extra": {"numbers": [picture.number for picture in shown]}}))
        return reply

    def _settled(self, reply: RawReply) -> RawReply:
        """A reply, or a refusal; InputError where a call brought neither."""
        if reply.state not in ("replied", "refused"):
            raise InputError(
                f"{self._model.name} could not be checked ({reply.error}): run the same command again, or `chronotope "
                "run` with --no-check"
            )
        return reply

    def _refused(self, reply: RawReply, few: dict[int, int | None]) -> CheckOutcome:
        """The outcome where pictures were not taken; ``few`` are the numbers of pictures that were."""
        words = reply.error or "no reason was given"
        if few:
            problem = (
                f"{self._model.name} does not take {self._shown_words()} in one request, though "
                f"it takes {max(few)} ({words}): ask with fewer (--frames), or raise the service's limit of pictures"
            )
        else:
            problem = (
                f"{self._model.name} takes no pictures of {self._size[0]}x{self._size[1]} px, though it answers a "
                f"request without any ({words}): choose a model that sees, or ask it with --input blind"
            )
        return self._outcome(accepted=False, problem=problem)

    def _found(
        self, replies: dict[str, RawReply], few: dict[int, int | None], log_probabilities: bool | None
    ) -> CheckOutcome:
        """The outcome where all pictures were taken."""
        answers: dict[str, Told | None] = {name: read_answer(name, reply.text) for name, reply in replies.items()}
        right = {name: None if told is None else told == self._truth[name] for name, told in answers.items()}
        tokens = replies["first"].input_tokens
        arrived, why = self._arrived(answers, right, tokens, few)
        problem, warnings = None, []
        if arrived is False:
            problem = (
                f"not all of {self._shown_words()} reach {self._model.name}: {why}: ask with "
                "fewer (--frames), raise the service's limit of pictures, or run with --no-check if you know better"
            )
        elif why is not None:
            warnings.append(why)
        if wrong := [self._wrong(name, reply) for name, reply in replies.items() if not right[name]]:
            shown = self._shown_words()
            warnings.append(f"{self._model.name} answers badly about {shown}: {', '.join(wrong)}")
        if too_long := self._too_long(replies, answers):
            warnings.append(too_long)
        cached = [reply.cached_tokens for reply in replies.values() if reply.cached_tokens is not None]
        later = [reply.cached_tokens or 0 for name, reply in replies.items() if name != "first"]
        return self._outcome(
            accepted=True,
            arrived=arrived,
            right=right,
            replies={name: _beginning(reply) for name, reply in replies.items()},
            reports_cached_tokens=bool(cached),
            cached_tokens=max(later) if cached else None,
            input_tokens=tokens,
            tokens_per_picture=_per_picture(few | {len(self._pictures): tokens}),
            log_probabilities=log_probabilities,
            problem=problem,
            warnings=tuple(warnings),
        )

    def _arrived(
        self,
        answers: Mapping[str, Told | None],
        right: Mapping[str, bool | None],
        tokens: int | None,
        few: dict[int, int | None],
    ) -> tuple[bool | None, str | None]:
        """Whether all pictures reached the model, and why not; or, where nothing says not, what is odd all the same.

        Tokens tell if one and two pictures were counted too: then those of any number are known. Answers that agree on
        fewer pictures tell as well, unless the tokens are nearer to those of all. Where first and last are named
        rightly neither too few tokens (services shrink many pictures) nor a wrong number (models count badly) tells
        alone: only where both are of the same number of pictures were those between left out.
        """
        count, each = len(self._pictures), _per_picture(few)
        ends = bool(right["first"] and right["last"])
        told = told_to_arrive([picture.number for picture in self._pictures], answers)
        arrived = True if ends and right["count"] else None
        short: str | None = None
        if tokens is not None and each is not None:
            base = few[1] or 0
            reached = 1 + (tokens - base) / each  # pictures, by their tokens
            expected = base + (count - 1) * each
            if told is not None and abs(reached - told) >= abs(reached - count):
                told = None
            if tokens < SHORT_OF * expected:
                short = f"it counts {tokens:,} input tokens where they make about {expected:,.0f}"
                if ends and answers["count"] == round(reached) >= 2:
                    told = round(reached)
            elif reached > count - 0.5:
                arrived = True
        seen = None if told is None else f"its answers are those of a model that sees {told} of them"
        if short is not None and seen is None and ends:
            how = "all were seen, so it shrinks them" if arrived else "first and last were seen, so it may shrink them"
            return arrived, f"{self._model.name}: {short}; {how} when there are many"
        reasons = [reason for reason in (short, seen) if reason is not None]
        return (False, " and ".join(reasons)) if reasons else (arrived, None)

    def _too_long(self, replies: Mapping[str, RawReply], answers: Mapping[str, Told | None]) -> str | None:
        """A warning where replies take more room than the run gives them."""
        _, most = self._run.longest_reply
        cut = any(reply.finish == CUT_SHORT and answers[name] is None for name, reply in replies.items())
        if not cut and (most is None or max(reply.output_tokens or 0 for reply in replies.values()) <= most):
            return None
        given = "tokens than the service gives" if most is None else f"than the {most} tokens that the run gives"
        return f"{self._model.name} takes more {given} a reply: give it more room ({longer_flag(self._run)})"

    def _wrong(self, name: str, reply: RawReply) -> str:
        if reply.state == "refused":
            return f"{ASKED[name]} (refused: {reply.error or 'no reason was given'})"
        if reply.finish == CUT_SHORT and read_answer(name, reply.text) is None:
            return f"{ASKED[name]} (cut short before an answer)"
        return f"{ASKED[name]} (“{_beginning(reply)}” in place of {self._truth[name]})"

    def _shown_words(self) -> str:
        return pictures_words(len(self._pictures), self._size)

    def _outcome(self, **found: object) -> CheckOutcome:
        width, height = self._size
        facts = {"pictures": len(self._pictures), "width": width, "height": height, "at": _now()}
        return CheckOutcome.model_validate(facts | found)


def _roomy(decoding: Decoding) -> Decoding:
    """A run's decoding with room for what is asked here, in the field that bounds replies."""
    field, most = decoding.longest_reply
    if most is None or most >= ROOM:
        return decoding
    if decoding.extra.get(field) is None:
        return decoding.model_copy(update={"max_tokens": ROOM})
    return decoding.model_copy(update={"extra": decoding.extra | {field: ROOM}})


def _path(picture: CheckPicture) -> str:
    return f"check/{picture.number}.jpg"


def _images(shown: Sequence[CheckPicture]) -> list[Image]:
    return [Image(PictureFile(_path(picture), picture.encoded.sha256)) for picture in shown]


def _per_picture(tokens: dict[int, int | None]) -> float | None:
    """What a second picture costs, from the input tokens by number of pictures; None where that is not told."""
    one, two = tokens.get(1), tokens.get(2)
    return float(two - one) if one is not None and two is not None and two > one else None


def _beginning(reply: RawReply) -> str:
    """The first words of a reply, without its thinking where that has ended."""
    text = reply.text or reply.error or ""
    words = " ".join((without_thinking(text) or text).split())
    return words if len(words) <= TOLD else words[: TOLD - 1] + "…"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
