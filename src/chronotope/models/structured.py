"""Calls whose reply is an object of a known form: for writing, describing, judging and checking, never for answering.

Every call is in a ledger before the next one of its kind is made, and none that is there is made again. Needs
pydantic-ai (extra ``writer``), which is imported when the first call is made.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from chronotope.errors import InputError
from chronotope.ledger import CallKind, Ledger, call_key
from chronotope.media import Encoded
from chronotope.models.lines import ledger_line
from chronotope.models.model import RawReply
from chronotope.models.names import Service, find_service

__all__ = ["Structured", "open_structured", "require_structured"]

T = TypeVar("T", bound=BaseModel)

ATTEMPTS = 3  # replies asked for until one has the form
_NOT_INSTALLED = "a writer model is called with pydantic-ai, which is not installed: pip install 'chronotope[writer]'"
_DECODING = {"temperature": 0.0}


@dataclass
class Structured:
    """A model that is asked for objects, and the ledger of what it said; made by ``open_structured``."""

    name: str
    service: Service
    ledger: Ledger

    async def ask(
        self, kind: CallKind, ask: str, instructions: str, parts: Sequence[str | Encoded], form: type[T]
    ) -> T | None:
        """The reply as ``form``; None where the service gives none, which the ledger says why.

        ``ask`` names the call in the ledger. Raises InputError where the service does not take the key or does not know
        the model: no other call would fare better.
        """
        key = call_key(_messages(instructions, parts, form), self.name, _DECODING)
        if key in self.ledger.replied:
            return _read(self.ledger.replied[key].reply, form)
        start = time.monotonic()
        reply = await self._call(instructions, parts, form)
        reply = replace(reply, seconds=time.monotonic() - start, pictures=_hashes(parts))
        self.ledger.append(ledger_line(reply, key=key, ask=ask, kind=kind))
        return _read(reply.text, form)

    async def _call(self, instructions: str, parts: Sequence[str | Encoded], form: type[BaseModel]) -> RawReply:
        from pydantic_ai import Agent, BinaryContent, PromptedOutput
        from pydantic_ai.exceptions import AgentRunError, ModelHTTPError, UserError
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        key = self.service.key.get_secret_value() if self.service.key is not None else "none"
        provider = OpenAIProvider(base_url=self.service.base_url, api_key=key)
        agent: Any = Agent(
            OpenAIChatModel(self.service.model, provider=provider),
            output_type=PromptedOutput(form),
            instructions=instructions,
            retries=ATTEMPTS - 1,
            model_settings={"temperature": 0.0},
        )
        sent = [
            part if isinstance(part, str) else BinaryContent(part.data, media_type=part.media_type) for part in parts
        ]
        try:
            told = await agent.run(sent)
        except ModelHTTPError as error:
            if error.status_code in (401, 403, 404):
                raise InputError(
                    f"{self.name}: the service refuses (HTTP {error.status_code}): check the key, the URL and the name"
                ) from None
            return RawReply(state="failed", error=f"HTTP {error.status_code}")
        except UserError as error:
            raise InputError(f"{self.name}: cannot be used as a writer ({error})") from error
        except AgentRunError as error:
            return RawReply(state="failed", error=type(error).__name__)
        usage = told.usage
        return RawReply(
            state="replied",
            text=told.output.model_dump_json(),
            finish="stop",
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
        )


def open_structured(name: str, base_url: str | None, ledger: Ledger) -> Structured:
    """The model of a name (see ``open_model``), asked for objects; nothing is sent yet.

    Raises InputError for a name, a URL or a key that cannot be used, and where pydantic-ai is not installed.
    """
    return Structured(name, require_structured(name, base_url), ledger)


def require_structured(name: str, base_url: str | None) -> Service:
    """The service of a model that is to be asked for objects; InputError, before any work, where it cannot be."""
    if find_spec("pydantic_ai") is None:
        raise InputError(_NOT_INSTALLED)
    return find_service(name, base_url)


def _messages(instructions: str, parts: Sequence[str | Encoded], form: type[BaseModel]) -> list[dict[str, Any]]:
    shown = [part if isinstance(part, str) else {"picture": part.sha256} for part in parts]
    return [{"instructions": instructions, "form": form.model_json_schema()}, {"parts": shown}]


def _hashes(parts: Sequence[str | Encoded]) -> tuple[str, ...]:
    return tuple(part.sha256 for part in parts if not isinstance(part, str))


def _read(reply: str | None, form: type[T]) -> T | None:
    try:
        return None if reply is None else form.model_validate_json(reply)
    except ValidationError:
        return None
