"""The calls that check a model; each call is recorded.

The check ends if a call results in neither a reply nor a refusal.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace

from chronotope.errors import InputError
from chronotope.io import sha256_bytes
from chronotope.ledger import LedgerLine, call_key
from chronotope.media import Encoded
from chronotope.models import Decoding, Model, RawReply, Session, ask_checked, ledger_line, own_words
from chronotope.protocol import Part, Picture, PictureFile, Text, Video, describe

ROOM = 200  # tokens, minimum for the limit on a reply: enough for an answer in a sentence, or after a short thought

WITHOUT_PICTURES = "Reply with the single capital letter A and nothing else."


class Calls:
    """Makes the calls of a check to one model."""

    def __init__(self, model: Model, run: Decoding, record: Callable[[LedgerLine], None]) -> None:
        self.model, self.run, self.decoding, self._record = model, run, _roomy(run), record
        self._encoded: dict[str, Encoded] = {}

    @property
    def name(self) -> str:
        """Return the name of the model."""
        return self.model.name

    def have(self, encoded: Mapping[str, Encoded]) -> None:
        """Store the bytes of pictures and videos under their paths.

        The parts of a prompt refer to pictures and videos by these paths.
        """
        self._encoded |= encoded

    def open(self, shown: Sequence[Part]) -> AbstractAsyncContextManager[Session]:
        """Open a session of calls whose prompts begin with the same parts."""
        return self.model.open(shown, self._bytes_of)

    async def call(
        self,
        session: Session,
        shown: Sequence[Part],
        tail: Sequence[Part],
        ask: str,
        numbers: Sequence[int],
        decoding: Decoding | None = None,
    ) -> RawReply:
        """Make and record one call, with the numbers on its pictures.

        ``shown`` contains the parts with which the session was opened. ``tail`` contains the parts after ``shown``.
        """
        decoding = decoding or self.decoding
        reply = await ask_checked(session, tail, decoding, seed=ask)
        key = call_key(sha256_bytes(describe([*shown, *tail]).encode()), self.name, decoding.model_dump(mode="json"))
        line = ledger_line(reply, key=key, ask=ask, kind="check")
        self._record(line.model_copy(update={"extra": line.extra | {"numbers": list(numbers)}}))
        return reply

    async def offer(
        self,
        session: Session,
        shown: Sequence[Part],
        tail: Sequence[Part],
        ask: str,
        numbers: Sequence[int],
        remedy: str = "",
    ) -> RawReply:
        """Make one call, and find out whether pictures are refused.

        Returns a reply with the state ``refused`` if the service refuses the pictures. A rejected request can mean that
        the service refuses the pictures, or that the request is wrong in another way. A second request without pictures
        decides between these two cases. ``remedy`` is a further remedy to state in the error message.

        Raises:
            InputError: If the call failed, or the service also refuses the request without pictures.
        """
        try:
            reply = await self.call(session, shown, tail, ask, numbers)
        except InputError as error:
            reply = RawReply("refused", error=str(error))
        if reply.error is not None:  # the outcome has its own advice
            reply = replace(reply, error=own_words(reply.error))
        if self.settled(reply, remedy).state == "refused":
            async with self.open(()) as wordy:
                words = await self.call(wordy, (), [Text(WITHOUT_PICTURES)], "check-without-pictures", ())
            if self.settled(words).state == "refused":
                raise InputError(f"{self.name} refuses all requests, with and without pictures: {words.error}")
        return reply

    def settled(self, reply: RawReply, remedy: str = "") -> RawReply:
        """Check that a call resulted in an answer or a refusal.

        Returns the reply of the call.

        Raises:
            InputError: If the call failed.
        """
        if reply.state not in ("replied", "refused"):
            raise InputError(
                f"{self.name} could not be checked ({reply.error}): run the same command again, {remedy}or "
                "skip the check with --no-check"
            )
        return reply

    def _bytes_of(self, shown: Picture | Video) -> Encoded:
        assert isinstance(shown, PictureFile | Video)  # a check shows no frames of clips
        return self._encoded[shown.path]


def _roomy(decoding: Decoding) -> Decoding:
    """Raise a run's limit on replies to the check's minimum.

    The new limit is set in the same field of the request that limits the replies of the run.
    """
    field, most = decoding.longest_reply
    if most is None or most >= ROOM:
        return decoding
    if decoding.extra.get(field) is None:
        return decoding.model_copy(update={"max_tokens": ROOM})
    return decoding.model_copy(update={"extra": decoding.extra | {field: ROOM}})
