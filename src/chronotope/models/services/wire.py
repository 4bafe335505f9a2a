"""The wire format of a service: that of its requests and replies.

`Endpoint` sends and receives in the same way for all services. All differences are in a `Wire`, one module for each
form.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from chronotope.errors import InputError
from chronotope.io import canonical_json
from chronotope.models.model import Decoding, RawReply
from chronotope.models.services.body import Piece, Shape
from chronotope.models.services.replies import ServiceError
from chronotope.models.services.secrets import refuse_secrets
from chronotope.protocol import FramesOf

# The reasons why a field of the body cannot be chosen.
OURS = "is set by Chronotope for each question"
STREAMED = "would stream the reply, which Chronotope reads as a whole"
ONE_REPLY = "would buy several replies to a question, of which only one is read"

# Keywords of a JSON schema that every service understands.
SCHEMA_WORDS = {"$defs", "$ref", "anyOf", "const", "description", "enum", "items", "properties", "required", "type"}


@dataclass(frozen=True)
class Fields:
    """The fields of a request besides model and messages.

    ``body`` has the fields as they are sent. ``set_as`` has the same fields under the names that the user gives with
    ``--set``. Both names are searched for in errors of the service.
    """

    body: Mapping[str, Any]
    set_as: Mapping[str, Any] = field(default_factory=dict)


class Wire(Protocol):
    """A wire format: that of requests and replies.

    ``name`` is stored in ``run.yaml``. ``service`` and ``remedy`` are parts of error messages.
    """

    @property
    def name(self) -> str:
        """Return the name of the wire format."""
        ...

    @property
    def service(self) -> str:
        """Return the words for a service with this wire format."""
        ...

    @property
    def remedy(self) -> str:
        """Return the end of the advice about an unknown address."""
        ...

    @property
    def needs_limit(self) -> bool:
        """Check whether each request must limit its reply."""
        ...

    def path(self, model: str) -> str:
        """Return the path after the base URL."""
        ...

    def headers(self, key: str) -> dict[str, str]:
        """Return the headers for a key; the key may be empty."""
        ...

    def fields(self, decoding: Decoding) -> Fields:
        """Return the fields of the body besides model and messages.

        Raises:
            InputError: If a field must not be set, has an invalid value, or looks like a secret.
        """
        ...

    def with_times(self, fields: Fields, frames: FramesOf) -> Fields:
        """Add the times of a video of frames to the fields.

        Raises:
            InputError: If the service does not accept a video of frames.
        """
        ...

    def shape(self, fields: Fields) -> Shape:
        """Return the format of content parts."""
        ...

    def body(self, model: str, pieces: Sequence[Piece], fields: Fields) -> list[bytes]:
        """Return the body as fragments of one JSON object in UTF-8.

        Fragments of pictures and videos are shared between bodies.

        Raises:
            InputError: If this wire format cannot express the parts, or if a field cannot be written as JSON.
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
        """Read the error in a failed request's body, without raising exceptions."""
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

    All properties are required, and no others are allowed, because services that enforce a schema demand both.
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
