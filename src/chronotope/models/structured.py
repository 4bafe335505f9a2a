"""Calls whose reply is a structured object: for writing, describing, judging and checking.

Questions are not answered in this way. Every call is written to a ledger before the next call of its kind is made, and
is not repeated. Like questions, these calls are sent through an `Endpoint`.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from chronotope.errors import InputError
from chronotope.io import canonical_json
from chronotope.ledger import CallKind, Ledger, messages_key
from chronotope.media import Encoded
from chronotope.models.chat import request_fields
from chronotope.models.credentials import Credentials
from chronotope.models.hearing import Trouble
from chronotope.models.in_flight import WAIT
from chronotope.models.lines import ledger_line
from chronotope.models.model import Decoding, RawReply
from chronotope.models.names import Service, find_service, fitting
from chronotope.protocol import Image, Part, PictureFile, Text, Video, without_thinking

if TYPE_CHECKING:
    from chronotope.models.endpoint import Endpoint

__all__ = [
    "ATTEMPTS",
    "FORMLESS",
    "Structured",
    "open_structured",
    "read_structured",
    "require_structured",
    "structured_key",
]

T = TypeVar("T", bound=BaseModel)

ATTEMPTS = 3  # replies asked for until one has the form
BACKOFF = 1.0  # s, see Endpoint
FORMLESS = "no reply had the expected form"  # how the error of a call begins whose replies did not
TOLD = 80  # characters of a reply that are told
_FORM = "Reply with one JSON object and nothing else. It has to be valid under this JSON schema:"
_AGAIN = "An earlier reply was not such an object: take care that this one is."
_DECODING = {"temperature": 0.0}

# Called with what a call came to as soon as that is known, and with how many replies were paid for; gives what it cost,
# None where nobody knows.
Settle = Callable[[RawReply, int], float | None]


@dataclass
class Structured:
    """A model that returns objects, and the ledger of its replies.

    ``open_structured`` makes such a model.
    """

    name: str
    ledger: Ledger
    fields: Mapping[str, Any]  # of the request body, chosen by a person
    _decoding: Decoding
    _connect: Callable[[], "Endpoint"] = field(repr=False)
    _endpoint: "Endpoint | None" = field(default=None, repr=False)

    @asynccontextmanager
    async def connected(self) -> AsyncGenerator[None]:
        """Keep connections for all calls of the context.

        The recorded state of the service is also kept.
        """
        self._endpoint = self._connect()
        try:
            yield
        finally:
            endpoint, self._endpoint = self._endpoint, None
            await endpoint.close()

    def trouble(self) -> Trouble | None:
        """Return the current trouble of the service, as in `Model`."""
        return None if self._endpoint is None else self._endpoint.trouble()

    async def ask(
        self,
        kind: CallKind,
        ask: str,
        instructions: str,
        parts: Sequence[str | Encoded],
        form: type[T],
        settle: Settle | None = None,
    ) -> T | None:
        """Ask for an object of the class ``form``.

        Returns None if the service gives no such object. The ledger then has the reason. ``ask`` names the call in the
        ledger. Replies before an error or an interruption are in the ledger.

        Raises:
            InputError: If every other call would also fail, for example because the key is not accepted.
        """
        key = structured_key(self.name, instructions, parts, form, self.fields)
        if key in self.ledger.replied:
            return read_structured(self.ledger.replied[key].reply, form)
        if self._endpoint is None:
            async with self.connected():
                return await self.ask(kind, ask, instructions, parts, form, settle)
        start = time.monotonic()
        replies: list[RawReply] = []

        def keep(reply: RawReply) -> None:
            told = replace(reply, seconds=time.monotonic() - start)
            paid = sum(one.state == "replied" for one in replies)
            money = None if settle is None else settle(told, paid)
            self.ledger.append(ledger_line(told, key=key, ask=ask, kind=kind, money=money))

        try:
            reply = await self._call(self._endpoint, ask, instructions, parts, form, replies)
        except (InputError, asyncio.CancelledError):
            if replies:
                with suppress(InputError):  # of a full disc: what ended the call is told, and the line waits in memory
                    keep(_formless(_summed(replies)))
            raise
        keep(reply)
        return read_structured(reply.text, form)

    async def _call(
        self,
        endpoint: "Endpoint",
        ask: str,
        instructions: str,
        parts: Sequence[str | Encoded],
        form: type[BaseModel],
        replies: list[RawReply],
    ) -> RawReply:
        """Ask a few times, until a reply is a valid object.

        The tokens and the cost of the returned reply are the sums over all attempts. Each reply is added to ``replies``
        when it arrives.
        """
        pictures = {part.sha256: part for part in parts if not isinstance(part, str)}
        shown, head = _parts(parts), f"{instructions}\n\n{_FORM}\n{canonical_json(_schema(form))}"
        found: BaseModel | None = None
        async with endpoint.open([], lambda picture: pictures[_path(picture)]) as session:
            for _ in range(ATTEMPTS):
                told = f"{head}\n{_AGAIN}" if replies else head
                replies.append(await session.ask([Text(told, "system"), *shown], self._decoding, seed=ask))
                found = _found(replies[-1], form)
                if replies[-1].state != "replied" or found is not None:
                    break
        last = _summed(replies)
        if last.state != "replied":
            return last
        if found is not None:
            return replace(last, text=found.model_dump_json())
        return _formless(last)


def open_structured(
    name: str,
    base_url: str | None,
    ledger: Ledger,
    *,
    credentials: Credentials | None = None,
    fields: Mapping[str, Any] | None = None,
    flag: str = "--set",
    concurrency: int = 16,
    timeout: float = 300.0,
    wait: float = WAIT,
) -> Structured:
    """Open a model to ask for objects; no request is sent.

    ``name`` is a name as in ``open_model``. ``fields`` are further fields of the request body, which the flag ``flag``
    sets. The length of a reply has no limit unless ``fields`` contains a limit.

    Raises:
        InputError: If the name, the URL, the key or a field cannot be used.
    """
    service, fields = require_structured(name, base_url, credentials), fields or {}
    decoding = fitting(name, Decoding.model_validate({"extra": {"max_tokens": None, **fields}}))
    request_fields(decoding)

    def connect() -> "Endpoint":
        return service.connect(name, concurrency=concurrency, timeout=timeout, backoff=BACKOFF, wait=wait, flag=flag)

    return Structured(name, ledger, fields, decoding, connect)


def require_structured(
    name: str, base_url: str | None, credentials: Credentials | None = None, *, to_ask: bool = True
) -> Service:
    """Return the service of a model that can return objects.

    The check should be made before any work. No key is needed if ``to_ask`` is false.

    Raises:
        InputError: If the model cannot return objects.
    """
    service = find_service(name, base_url, credentials, to_ask=to_ask)
    service.connect(name)  # says what is wrong
    return service


def structured_key(
    name: str,
    instructions: str,
    parts: Sequence[str | Encoded],
    form: type[BaseModel],
    fields: Mapping[str, Any] | None = None,
) -> str:
    """Compute the key of a call that ``Structured.ask`` makes.

    ``name`` is the model's name, ``fields`` are the further fields of the body.
    """
    shown = [part if isinstance(part, str) else {"picture": part.sha256} for part in parts]
    messages = [{"instructions": instructions, "form": _schema(form)}, {"parts": shown}]
    return messages_key(canonical_json(messages), name, _DECODING | dict(fields or {}))


def read_structured(reply: str | None, form: type[T]) -> T | None:
    """Parse the reply in a ledger line as a ``form`` object.

    Returns None if the reply is not such an object.
    """
    try:
        return None if reply is None else form.model_validate_json(reply)
    except ValidationError:
        return None


@cache
def _schema(form: type[BaseModel]) -> dict[str, Any]:
    return form.model_json_schema()


def _parts(parts: Sequence[str | Encoded]) -> list[Part]:
    """Make the parts of a prompt.

    A line break separates consecutive texts.
    """
    made: list[Part] = []
    for part in parts:
        if not isinstance(part, str):
            made.append(Image(PictureFile(part.sha256, part.sha256)))
        else:
            made.append(Text(f"\n{part}" if made and isinstance(made[-1], Text) else part))
    return made


def _path(picture: Any) -> str:
    assert not isinstance(picture, Video)
    return picture.path


def _found(reply: RawReply, form: type[T]) -> T | None:
    """Find the object in a reply.

    Models often write thinking, code fences and phrases around the object.
    """
    text = without_thinking(reply.text or "") or reply.text or ""
    whole = read_structured(text.strip(), form)
    return whole or read_structured(text[text.find("{") : text.rfind("}") + 1], form)


def _summed(replies: Sequence[RawReply]) -> RawReply:
    """Return the last reply with the sums over all replies.

    The sums are those of the tokens, the cost and the attempts.
    """
    names = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "money", "attempts")
    told = {name: [value for one in replies if (value := getattr(one, name)) is not None] for name in names}
    return replace(replies[-1], **{name: sum(values) if values else None for name, values in told.items()})


def _formless(reply: RawReply) -> RawReply:
    """Convert a reply without a valid object to a failed call."""
    return replace(reply, state="failed", text=None, error=f"{FORMLESS}: “{_beginning(reply.text)}”")


def _beginning(text: str | None) -> str:
    words = " ".join((text or "").split())
    return words if len(words) <= TOLD else words[: TOLD - 1] + "…"
