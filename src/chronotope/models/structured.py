"""Calls whose reply is an object of a known form: for writing, describing, judging and checking, never for answering.

Every call is in a ledger before the next one of its kind is made, and none that is there is made again. Needs
pydantic-ai (extra ``writer``), which is imported when the first call is made.
"""

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.util import find_spec
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from chronotope.errors import InputError
from chronotope.files import canonical_json
from chronotope.ledger import CallKind, Ledger, call_key
from chronotope.media import Encoded
from chronotope.models.lines import ledger_line
from chronotope.models.model import RawReply
from chronotope.models.names import Service, find_service

__all__ = ["Structured", "open_structured", "read_structured", "require_structured", "structured_key"]

T = TypeVar("T", bound=BaseModel)

ATTEMPTS = 3  # replies asked for until one has the form
_NOT_INSTALLED = (
    "a model that writes or judges is called with pydantic-ai, which is not installed: pip install 'chronotope[writer]'"
)
_DECODING = {"temperature": 0.0}
# What a body that is no completion is stumbled over with: pydantic-ai takes a service's word for its form.
_NO_COMPLETION = (AttributeError, LookupError, TypeError, ValueError)


@dataclass
class Structured:
    """A model that is asked for objects, and the ledger of what it said; made by ``open_structured``."""

    name: str
    service: Service
    ledger: Ledger
    _provider: Any = field(default=None, repr=False)

    @asynccontextmanager
    async def connected(self) -> AsyncGenerator[None]:
        """Keep connections for all calls made within; else each call opens its own, which takes far longer than it."""
        self._provider = self._new_provider()
        try:
            async with self._provider:
                yield
        finally:
            self._provider = None

    async def ask(
        self, kind: CallKind, ask: str, instructions: str, parts: Sequence[str | Encoded], form: type[T]
    ) -> T | None:
        """The reply as ``form``; None where the service gives none, which the ledger says why.

        ``ask`` names the call in the ledger. Raises InputError where the service does not take the key or does not know
        the model: no other call would fare better.
        """
        key = structured_key(self.name, instructions, parts, form)
        if key in self.ledger.replied:
            return read_structured(self.ledger.replied[key].reply, form)
        start = time.monotonic()
        reply = await self._call(instructions, parts, form)
        reply = replace(reply, seconds=time.monotonic() - start, pictures=_hashes(parts))
        self.ledger.append(ledger_line(reply, key=key, ask=ask, kind=kind))
        return read_structured(reply.text, form)

    async def _call(self, instructions: str, parts: Sequence[str | Encoded], form: type[BaseModel]) -> RawReply:
        from pydantic_ai import Agent, BinaryContent, PromptedOutput
        from pydantic_ai.exceptions import AgentRunError, ModelHTTPError, UserError
        from pydantic_ai.models.openai import OpenAIChatModel

        agent: Any = Agent(
            OpenAIChatModel(self.service.model, provider=self._provider or self._new_provider()),
            output_type=PromptedOutput(form),
            instructions=instructions,
            retries=ATTEMPTS - 1,
            model_settings={"temperature": 0.0},
        )
        sent = [
            part if isinstance(part, str) else BinaryContent(part.data, media_type=part.media_type) for part in parts
        ]
        try:
            async with agent:  # closes what connections it opened itself
                told = await agent.run(sent)
        except ModelHTTPError as error:
            if error.status_code in (401, 403, 404):
                raise InputError(
                    f"{self.name}: the service refuses (HTTP {error.status_code}): check the key, the URL and the name"
                ) from None
            return RawReply(state="failed", error=f"HTTP {error.status_code}")
        except UserError as error:
            raise InputError(f"{self.name}: cannot be asked for objects ({error})") from error
        except AgentRunError as error:
            return RawReply(state="failed", error=type(error).__name__)
        except _NO_COMPLETION as error:
            return RawReply(state="failed", error=f"no completion came back ({type(error).__name__})")
        usage = told.usage
        return RawReply(
            state="replied",
            text=told.output.model_dump_json(),
            finish="stop",
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
        )

    def _new_provider(self) -> Any:
        from pydantic_ai.providers.openai import OpenAIProvider

        key = self.service.key.get_secret_value() if self.service.key is not None else "none"
        return OpenAIProvider(base_url=self.service.base_url, api_key=key)


def open_structured(name: str, base_url: str | None, ledger: Ledger) -> Structured:
    """The model of a name (see ``open_model``), asked for objects; nothing is sent yet.

    Raises InputError for a name, a URL or a key that cannot be used, and where pydantic-ai is not installed.
    """
    return Structured(name, require_structured(name, base_url), ledger)


def require_structured(name: str, base_url: str | None, *, to_ask: bool = True) -> Service:
    """The service of a model that is to be asked for objects; InputError, before any work, where it cannot be.

    Where it is not opened ``to_ask``, no key is needed.
    """
    if find_spec("pydantic_ai") is None:
        raise InputError(_NOT_INSTALLED)
    return find_service(name, base_url, to_ask=to_ask)


def structured_key(name: str, instructions: str, parts: Sequence[str | Encoded], form: type[BaseModel]) -> str:
    """The key in the ledger of what ``Structured.ask`` asks of the model of that name."""
    shown = [part if isinstance(part, str) else {"picture": part.sha256} for part in parts]
    messages = [{"instructions": instructions, "form": _schema(form)}, {"parts": shown}]
    return call_key(canonical_json(messages), name, _DECODING)


def read_structured(reply: str | None, form: type[T]) -> T | None:
    """What a line of the ledger holds as its reply; None where that is not of the form."""
    try:
        return None if reply is None else form.model_validate_json(reply)
    except ValidationError:
        return None


@cache
def _schema(form: type[BaseModel]) -> dict[str, Any]:
    return form.model_json_schema()


def _hashes(parts: Sequence[str | Encoded]) -> tuple[str, ...]:
    return tuple(part.sha256 for part in parts if not isinstance(part, str))
