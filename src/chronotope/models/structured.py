"""Calls whose reply is a structured object: for writing, describing, judging and checking.

Questions of a benchmark are not asked in this way. Every attempt is written to a ledger before the next attempt is
made. A call that returned an object is not repeated. Calls are sent like questions, through an `Endpoint`, within a
`Budget`.
"""

import io
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, ValidationError

from chronotope.errors import InputError
from chronotope.io import canonical_json
from chronotope.ledger import CallKind, Ledger, messages_key
from chronotope.media import Encoded, open_picture
from chronotope.models.checked import ask_checked
from chronotope.models.lines import ledger_line
from chronotope.models.model import LENGTH_FIELDS, Decoding, Model, RawReply
from chronotope.models.money import Budget, tokens_of_size, tokens_of_text
from chronotope.models.opening import PLACES, find_service, fitting, is_local, open_model
from chronotope.models.services.availability import Trouble
from chronotope.models.services.in_flight import WAIT
from chronotope.models.services.wire import Wire
from chronotope.models.spec import Credentials
from chronotope.protocol import Image, Part, PictureFile, Text, Video, without_thinking

if TYPE_CHECKING:
    from chronotope.models.services.endpoint import Endpoint

T = TypeVar("T", bound=BaseModel)

ATTEMPTS = 3  # maximum number of attempts to get an object of the requested form
BACKOFF = 1.0  # seconds; see Endpoint
FORMLESS = "no reply had the expected form"  # the error of a call begins with this text
TOLD = 80  # maximum number of characters of a reply that are quoted
_FORM = "Reply with one JSON object and nothing else. It has to be valid under this JSON schema:"
LONGEST = 4000  # default limit on the tokens of a reply: an object and a short reasoning
_DECODING = {"temperature": 0.0}

# Words in the error of a service that refuses schemas.
_NO_SCHEMA = re.compile(
    r"response_?format|json_?schema|response_?mime_?type|output_?(config|format)|structured.?output", re.IGNORECASE
)


@dataclass
class Structured:
    """A model that returns objects, and the ledger of its replies.

    ``open_structured`` makes it. If there is a budget, every attempt needs the permission of the budget.
    """

    name: str
    ledger: Ledger
    fields: Mapping[str, Any]  # fields of the request body, chosen by the user
    _decoding: Decoding
    _wire: Wire | None  # None for a model in this process, which accepts no schema
    _connect: Callable[[], Model] = field(repr=False)
    _budget: Budget | None = None
    _flag: str = "--set"
    _endpoint: Model | None = field(default=None, repr=False)
    _plain: bool = False  # whether the service has refused a schema

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
        """Return the current problem of the service (see `Model.trouble`)."""
        return None if self._endpoint is None else self._endpoint.trouble()

    async def ask(
        self, kind: CallKind, ask: str, instructions: str, parts: Sequence[str | Encoded], form: type[T]
    ) -> T | None:
        """Ask for an object of the class ``form``.

        If the service accepts schemas, the request contains the form as a JSON schema. After a reply without this form,
        the next attempt describes the fault. Every attempt is a line of the ledger with its own cost, written before
        the next attempt. The result is None if no reply had the requested form; the reasons are in the ledger. ``ask``
        names the call in the ledger.

        Raises:
            OverBudgetError: If an attempt could exceed the budget. Such an attempt is not made.
            InputError: If the use is wrong (such as a key that is not accepted), so that all other calls would fail,
                too.
        """
        key = structured_key(self.name, instructions, parts, form, self.fields)
        if key in self.ledger.replied:
            return read_structured(self.ledger.replied[key].reply, form)
        if self._endpoint is None:
            async with self.connected():
                return await self.ask(kind, ask, instructions, parts, form)
        head = _head(instructions, form)
        again = ""
        for number in range(1, ATTEMPTS + 1):
            reply, money = await self._attempt(self._endpoint, ask, head + again, parts, form)
            found = _found(reply, form)
            if found is not None:
                reply = replace(reply, text=found.model_dump_json())
            elif reply.state == "replied":
                again, reply = _repair(reply, form), _formless(reply)
            line = ledger_line(reply, key=key, ask=ask, kind=kind, money=money)
            self.ledger.append(line.model_copy(update={"extra": line.extra | {"attempt": number}}))
            if found is not None or not again:
                return found
        return None

    async def _attempt(
        self,
        endpoint: Model,
        ask: str,
        told: str,
        parts: Sequence[str | Encoded],
        form: type[BaseModel],
    ) -> tuple[RawReply, float | None]:
        """Ask once, if the budget admits it.

        Returns the reply and its cost.
        """
        estimated = _estimated(told, parts)
        reserved = None if self._budget is None else await self._budget.admit(estimated)
        if self._budget is not None and reserved is None:
            raise self._budget.refusal(self.name, self._flag.replace("set", "price"))
        try:
            reply = await self._sent(endpoint, ask, told, parts, form)
        except BaseException:
            self._settle(reserved, estimated, None)
            raise
        return reply, self._settle(reserved, estimated, reply)

    def _settle(self, reserved: float | None, estimated: float, reply: RawReply | None) -> float | None:
        if self._budget is None or reserved is None:
            return None
        return self._budget.settle(reserved, estimated, reply)

    async def _sent(
        self,
        endpoint: Model,
        ask: str,
        told: str,
        parts: Sequence[str | Encoded],
        form: type[BaseModel],
    ) -> RawReply:
        """Send the request with the schema.

        If the service refuses schemas, the request is sent without it.
        """
        pictures = {part.sha256: part for part in parts if not isinstance(part, str)}
        prompt = [Text(told, "system"), *_parts(parts)]
        async with endpoint.open([], lambda picture: pictures[_path(picture)]) as session:
            if self._wire is not None and not self._plain:
                extra = _merged(self._wire.answer_schema(_schema(form)), self._decoding.extra)
                decoding = self._decoding.model_copy(update={"extra": extra})
                try:
                    reply = await ask_checked(session, prompt, decoding, seed=ask)
                    refusal = reply.error if reply.state == "refused" else None
                except InputError as error:
                    refusal = str(error)
                    if not _NO_SCHEMA.search(refusal):
                        raise
                else:
                    if refusal is None or not _NO_SCHEMA.search(refusal):
                        return reply
                self._plain = True
            return await ask_checked(session, prompt, self._decoding, seed=ask)


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
    budget: Budget | None = None,
    placed: Mapping[str, Any] | None = None,
) -> Structured:
    """Open a model to ask for objects; no request is sent.

    ``fields`` are further fields of the request body, which ``flag`` sets. If these fields do not limit the reply, the
    limit is `longest_object` if the cost is limited or the service needs a limit. Otherwise, the reply is unlimited.
    The name has the same form as in ``open_model``. ``budget`` admits the calls and counts their cost. ``placed`` are
    settings of a model in this process that have no influence on replies, such as ``on``.

    Raises:
        InputError: If the name, the URL, the key or a field cannot be used.
    """
    fields = fields or {}
    if is_local(name):
        return _in_process(name, ledger, fields, budget, flag, placed or {})
    if placed:
        raise InputError(f"takes no {', '.join(placed)}, because it does not run in this process", where=name)
    service = find_service(name, base_url, credentials)
    service.connect(name)  # raises its errors early
    is_bounded = (budget is not None and budget.most is not None) or service.wire.needs_limit
    limit = {"max_tokens": longest_object(fields) if is_bounded else None}
    decoding = fitting(name, Decoding.model_validate({"extra": (limit | dict(fields))}))
    service.wire.fields(decoding)

    def connect() -> "Endpoint":
        return service.connect(name, concurrency=concurrency, timeout=timeout, backoff=BACKOFF, wait=wait, flag=flag)

    return Structured(name, ledger, fields, decoding, service.wire, connect, budget, flag)


def _in_process(
    name: str,
    ledger: Ledger,
    fields: Mapping[str, Any],
    budget: Budget | None,
    flag: str,
    placed: Mapping[str, Any],
) -> Structured:
    """Open a model in this process to ask for objects.

    No weights are loaded.

    Raises:
        InputError: If the model or a field cannot be used.
    """
    limit = {"max_tokens": longest_object(fields)}
    decoding = fitting(name, Decoding.model_validate({"extra": limit | dict(fields)}))
    model = open_model(name, fields={**placed, **fields})
    return Structured(name, ledger, fields, decoding, None, lambda: model, budget, flag)


def longest_object(fields: Mapping[str, Any]) -> int:
    """Return the maximum tokens of a reply with an object.

    ``fields`` of the request body may contain the limit.
    """
    return next((bound for name in LENGTH_FIELDS if isinstance(bound := fields.get(name), int)), LONGEST)


def require_structured(
    name: str, base_url: str | None, credentials: Credentials | None = None, *, to_ask: bool = True
) -> None:
    """Check that a model can return objects.

    Call this function before all other work, so that the error is raised early. No key is needed if ``to_ask`` is
    false.

    Raises:
        InputError: If the model cannot return objects.
    """
    if name.startswith("baseline/"):
        raise InputError(f"{name} only chooses options: choose a model that writes text, such as openai/NAME")
    if is_local(name):
        open_model(name, base_url=base_url)
        return
    find_service(name, base_url, credentials, to_ask=to_ask).connect(name)


def structured_key(
    name: str,
    instructions: str,
    parts: Sequence[str | Encoded],
    form: type[BaseModel],
    fields: Mapping[str, Any] | None = None,
) -> str:
    """Compute the key of a call of ``Structured.ask``.

    ``name`` is the model's name, and ``fields`` are the further fields of the body.
    """
    shown = [part if isinstance(part, str) else {"picture": part.sha256} for part in parts]
    messages = [{"instructions": instructions, "form": _schema(form)}, {"parts": shown}]
    sent = {key: value for key, value in (fields or {}).items() if not (is_local(name) and key in PLACES)}
    return messages_key(canonical_json(messages), name, _DECODING | sent)


def structured_tokens(instructions: str, parts: Sequence[str | Encoded], form: type[BaseModel]) -> int:
    """Estimate the input tokens of the first attempt of a call."""
    return _estimated(_head(instructions, form), parts)


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


def _head(instructions: str, form: type[BaseModel]) -> str:
    """Return the instructions of a call, with the form of the reply."""
    return f"{instructions}\n\n{_FORM}\n{canonical_json(_schema(form))}"


def _estimated(told: str, parts: Sequence[str | Encoded]) -> int:
    return tokens_of_text(told) + sum(map(_tokens, parts))


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


def _tokens(part: str | Encoded) -> int:
    """Estimate the tokens of a text or a picture."""
    if isinstance(part, str):
        return tokens_of_text(part)
    with open_picture(io.BytesIO(part.data)) as picture:
        return tokens_of_size(*picture.size)


def _merged(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """Add the user's fields to our fields; objects are merged."""
    both = {name: {**ours[name], **value} for name, value in theirs.items() if _are_objects(ours.get(name), value)}
    return {**ours, **theirs, **both}


def _are_objects(*values: object) -> bool:
    return all(isinstance(value, dict) for value in values)


def _repair(reply: RawReply, form: type[BaseModel]) -> str:
    """Describe the faults of a reply to the model.

    The description becomes a further part of the model's instructions.
    """
    return (
        f"\n\nAn earlier reply was “{_beginning(reply.text)}”. {_fault(reply, form)} Take care that this one is valid."
    )


def _fault(reply: RawReply, form: type[BaseModel]) -> str:
    text = without_thinking(reply.text or "") or reply.text or ""
    try:
        form.model_validate_json(text[text.find("{") : text.rfind("}") + 1])
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        return f"It was not such an object ({f'{place}: ' if place else ''}{first['msg']})."
    return "It was not such an object."


def _formless(reply: RawReply) -> RawReply:
    """Convert a reply without a valid object to a failed call."""
    return replace(reply, state="failed", text=None, error=f"{FORMLESS}: “{_beginning(reply.text)}”")


def _beginning(text: str | None) -> str:
    words = " ".join((text or "").split())
    return words if len(words) <= TOLD else words[: TOLD - 1] + "…"
