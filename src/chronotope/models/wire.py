"""The form in which a service takes requests and gives replies.

`Endpoint` sends and receives in the same way for all services; everything that differs is in a `Wire`, one module each.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from chronotope.errors import InputError
from chronotope.io import canonical_json
from chronotope.models.body import Piece, Shape
from chronotope.models.model import Decoding, RawReply
from chronotope.models.replies import ServiceError
from chronotope.models.secrets import refuse_secrets

__all__ = ["ONE_REPLY", "OURS", "STREAMED", "Fields", "Wire", "allowed", "closed_schema", "written"]

# Why a field of the body cannot be chosen.
OURS = "is set by Chronotope for each question"
STREAMED = "would stream the reply, which Chronotope reads as a whole"
ONE_REPLY = "would buy several replies to a question, of which only one is read"

# Keywords of a JSON schema that every service understands.
SCHEMA_WORDS = {"$defs", "$ref", "anyOf", "const", "description", "enum", "items", "properties", "required", "type"}


@dataclass(frozen=True)
class Fields:
    """The fields of a request besides model and messages.

    ``body`` has them as they are written. ``set_as`` has them by the names with which a person sets them (``--set``);
    errors of the service are searched for both.
    """

    body: Mapping[str, Any]
    set_as: Mapping[str, Any] = field(default_factory=dict)


class Wire(Protocol):
    """A form of requests and replies.

    ``name`` is stored in ``run.yaml``. ``service`` and ``remedy`` are parts of error messages.
    """

    @property
    def name(self) -> str:
        """Return the name of the form."""
        ...

    @property
    def service(self) -> str:
        """Return words for a service of this form."""
        ...

    @property
    def remedy(self) -> str:
        """Return the end of the advice for an unknown address."""
        ...

    @property
    def needs_limit(self) -> bool:
        """Check whether each request has to limit its reply."""
        ...

    def path(self, model: str) -> str:
        """Return the path after the base URL."""
        ...

    def headers(self, key: str) -> dict[str, str]:
        """Return the headers for a key, which may be empty."""
        ...

    def fields(self, decoding: Decoding) -> Fields:
        """Return the fields of the body besides model and messages.

        Raises:
            InputError: If a field must not be set, has an invalid value, or looks like a secret.
        """
        ...

    def shape(self, fields: Fields) -> Shape:
        """Return the form of content parts."""
        ...

    def body(self, model: str, pieces: Sequence[Piece], fields: Fields) -> list[bytes]:
        """Return the body as fragments of one JSON object in UTF-8.

        Fragments of pictures and videos are shared between bodies.

        Raises:
            InputError: If this form cannot express the parts, or a field cannot be written as JSON.
        """
        ...

    def answer_schema(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings that make replies valid under a schema."""
        ...

    def read(self, data: bytes) -> RawReply:
        """Read the reply in a body with a good status.

        UnreadableReplyError is raised if it is not a reply.
        """
        ...

    def error(self, data: bytes) -> ServiceError:
        """Read the error in a failed request's body; never raise."""
        ...


def allowed(extra: Mapping[str, Any], reserved: Mapping[str, str]) -> None:
    """Refuse fields that cannot be chosen, or look like a secret.

    ``reserved`` maps names to reasons.

    Raises:
        InputError: If there is such a field.
    """
    for name, why in reserved.items():
        if name in extra and not (why is ONE_REPLY and extra[name] in (None, 1)):
            raise InputError(f"the field {name!r} of the request body cannot be set, because it {why}: leave it out")
    refuse_secrets(extra)


def written(fields: Mapping[str, Any]) -> bytes:
    """Encode fields as a JSON object.

    Raises:
        InputError: If a field cannot be written as JSON.
    """
    try:
        return canonical_json(dict(fields)).encode()
    except (TypeError, ValueError) as error:
        raise InputError(f"the settings of the request cannot be written as JSON ({error}): change them") from None


def closed_schema(schema: Any) -> Any:
    """Reduce a JSON schema to the keywords that every service takes.

    All properties are required, and no others are allowed: services that enforce a schema demand both.
    """
    if isinstance(schema, list):
        return [closed_schema(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    named = {"properties", "$defs"}
    closed = {
        word: {name: closed_schema(one) for name, one in value.items()} if word in named else closed_schema(value)
        for word, value in schema.items()
        if word in SCHEMA_WORDS
    }
    if "properties" in closed:
        closed |= {"required": list(closed["properties"]), "additionalProperties": False}
    return closed
