"""The check of every reply before it is used, from a service, a function, or the package of someone else."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from pydantic import TypeAdapter, ValidationError

from chronotope.errors import InputError
from chronotope.io import value_words
from chronotope.ledger import oversize
from chronotope.models.model import Decoding, RawReply, Session
from chronotope.models.services.replies import count_of, money_of
from chronotope.protocol import Part

TOKENS = ("input_tokens", "cached_tokens", "stored_tokens", "output_tokens", "reasoning_tokens")
TOLD = 200  # characters of a foreign value that a message quotes


async def ask_checked(
    session: Session, tail: Sequence[Part], decoding: Decoding, *, seed: str, urgent: bool = False
) -> RawReply:
    """Ask a session, and check its reply; see `Session.ask` and `checked_reply`."""
    return checked_reply(await session.ask(tail, decoding, seed=seed, urgent=urgent), seed)


def checked_reply(found: object, ask: str, name: str = "the model") -> RawReply:
    """Return a reply whose fields and size are checked.

    The fields of the result have the right types, and its text has at most 16 MB. Impossible numbers of tokens and
    impossible costs are ignored. A reply with a longer text becomes a failed call, which keeps its tokens and its cost.
    The ledger accepts every reply that this function returns.

    Raises:
        InputError: If ``found`` is not a `RawReply`, or a field has another type.
    """
    if not isinstance(found, RawReply):
        raise InputError(f"{name} returned {value_words(found)} for {ask}: expected text, or a RawReply")
    try:
        reply = _fields().validate_python(vars(found))
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False, include_context=False)[0]
        field = ".".join(str(part) for part in fault["loc"])
        value = value_words(getattr(found, str(fault["loc"][0]), None))
        raise InputError(
            f"{name} returned a RawReply for {ask} with {field}={value}: {fault['msg'][:TOLD]}: correct this field"
        ) from None
    tokens = {name: count_of(getattr(reply, name)) for name in TOKENS}
    reply = replace(reply, **tokens, money=money_of(reply.money))
    if (fault := oversize(reply.text, reply.reasoning)) is None:
        return reply
    state = "failed" if reply.state == "replied" else reply.state
    return replace(
        reply, state=state, error=fault, text=None, reasoning=None, finish=None, letter_log_probabilities=None
    )


@cache
def _fields() -> TypeAdapter[RawReply]:
    return TypeAdapter(RawReply)


def error_words(error: BaseException) -> str:
    """Return the kind and the text of an error.

    Making the text of a foreign error can itself raise an error, which is caught.
    """
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001 (a foreign class can raise anything)
        text = "an error whose text cannot be read"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
