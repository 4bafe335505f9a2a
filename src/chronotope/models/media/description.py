"""The description of a generation service as data: paths, where ids stand, words for states, and its models.

A service of the usual form (submit, poll, fetch over HTTP) needs no code, only such a file. Users can write their own.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from chronotope.errors import InputError
from chronotope.io import read_yaml
from chronotope.io.fields import first_fault
from chronotope.models.media.request import Input, MediaLimits, MediaRequest, MediaType
from chronotope.models.services.key import checked_url
from chronotope.models.services.secrets import refuse_secrets

_HERE = Path(__file__).parent / "services"
_VARIABLE = r"[A-Za-z_][A-Za-z0-9_]*"

Place = Annotated[str, Field(min_length=1, max_length=200)]
"""A place in a JSON object, such as ``data.outputs.0``."""


def _url(value: str) -> str:
    try:
        return checked_url(value)
    except InputError as error:
        raise ValueError(str(error)) from None


class _Described(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Price(_Described):
    """The cost of a job, or of a second of its clip; prices change often, so users state them."""

    job: float = Field(default=0.0, ge=0, le=1e6)
    second: float = Field(default=0.0, ge=0, le=1e6)


class Duration(_Described):
    """The field of the duration (s), the durations that the model makes, and whether they are sent as text."""

    field: Place
    values: tuple[float, ...] = ()
    as_text: bool = False


class Size(_Described):
    """The field of the size, its form, and the sizes (px) that the model makes."""

    field: Place
    form: str = "{width}*{height}"
    values: tuple[tuple[int, int], ...] = ()


class DescribedModel(_Described):
    """A model of a service: the fields of its requests.

    ``inputs`` maps inputs to the fields in which they are sent as data URIs. ``fields`` are constant fields. ``seed``
    and ``fixed_camera`` are names of fields.
    """

    kind: MediaType
    inputs: Mapping[Input, Place] = Field(default_factory=dict)
    needs: tuple[Input, ...] = ()
    duration: Duration | None = None
    size: Size | None = None
    seed: Place | None = None
    fixed_camera: Place | None = None
    fields: Mapping[str, Any] = Field(default_factory=dict)
    longest_prompt: int = Field(4000, ge=1)
    price: Price | None = None

    @model_validator(mode="after")
    def _check(self) -> "DescribedModel":
        if missing := set(self.needs) - set(self.inputs):
            raise ValueError(f"needs {', '.join(sorted(missing))}, but has no field for it")
        try:
            refuse_secrets(self.fields)
        except InputError as error:
            raise ValueError(str(error)) from None
        return self

    @property
    def limits(self) -> MediaLimits:
        """Return what the model can do."""
        durations = () if self.duration is None else self.duration.values
        sizes = () if self.size is None else self.size.values
        return MediaLimits(
            self.kind,
            durations or None,
            sizes or None,
            frozenset(self.inputs),
            frozenset(self.needs),
            self.seed is not None,
            self.longest_prompt,
        )

    def body(self, request: MediaRequest, shown: Mapping[Input, str]) -> dict[str, Any]:
        """Return the fields of a request, besides model and prompt; ``shown`` has data URIs."""
        body = dict(self.fields)
        body |= {self.inputs[name]: uri for name, uri in shown.items()}
        if self.duration is not None and request.seconds is not None:
            seconds = int(request.seconds) if float(request.seconds).is_integer() else request.seconds
            body[self.duration.field] = str(seconds) if self.duration.as_text else seconds
        if self.size is not None and request.size is not None:
            width, height = request.size
            body[self.size.field] = self.size.form.format(width=width, height=height)
        if self.seed is not None and request.seed is not None:
            body[self.seed] = request.seed
        if self.fixed_camera is not None:
            body[self.fixed_camera] = request.is_camera_fixed
        return body | dict(request.fields)


class Submit(_Described):
    """How a job is submitted: the path for each kind, and where the id stands in the answer.

    ``token_header`` or ``token_field`` carries our name for the job, if the service knows such names. A service that
    answers a repeated name with ``duplicate_status`` has the id of the existing job at ``duplicate_id``.
    """

    paths: Mapping[MediaType, Place]
    id: Place
    model_field: Place = "model"
    prompt_field: Place = "prompt"
    code: Place | None = Field(None, description="where a body has its own status, such as an HTTP status")
    token_header: Place | None = None
    token_field: Place | None = None
    duplicate_status: int | None = None
    duplicate_id: Place | None = None


class Poll(_Described):
    """How a job is asked for: path, words for states, and where the results stand.

    ``first`` and ``every`` are the times (s) before the first question and between questions; ``longest`` (s) is how
    long one command asks. ``refused`` are regular expressions for errors about the content of a request.
    """

    path: Place
    state: Place
    done: tuple[str, ...]
    failed: tuple[str, ...]
    outputs: Place
    error: Place | None = None
    refused: tuple[str, ...] = ()
    seed: Place | None = None
    money: Place | None = None
    first: Mapping[MediaType, float] = Field(default_factory=lambda: {"image": 0.0, "video": 60.0})
    every: float = Field(20.0, gt=0)
    longest: float = Field(1200.0, gt=0)

    @model_validator(mode="after")
    def _check(self) -> "Poll":
        if "{id}" not in self.path:
            raise ValueError("the path has no {id}")
        for pattern in self.refused:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{pattern!r} is not a regular expression ({error})") from None
        return self


class HttpDescription(_Described):
    """A generation service over HTTP."""

    schema_version: Literal[1] = 1
    name: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    base_url: Annotated[str, AfterValidator(_url)]
    key_variable: Annotated[str, Field(pattern=f"^{_VARIABLE}$")]
    key_header: Annotated[str, Field(pattern=r"^[A-Za-z0-9-]+$")] = "Authorization"
    key_form: Annotated[str, Field(pattern=r"\{key\}")] = "Bearer {key}"
    submit: Submit
    poll: Poll
    models: Mapping[str, DescribedModel]


def read_description(path: Path) -> HttpDescription:
    """Read the description of a service.

    Raises:
        InputError: If the file cannot be read, or is not such a description. The message names the field.
    """
    try:
        return HttpDescription.model_validate(read_yaml(path))
    except ValidationError as error:
        raise InputError(f"{path}: {first_fault(error)}", expected="the description of a generation service") from None


def known_descriptions() -> dict[str, Path]:
    """Return the descriptions that come with this package, by the names of their services."""
    return {path.stem: path for path in sorted(_HERE.glob("*.yaml"))}


def found_at(body: Any, place: str | None) -> Any:
    """Return what stands at a place of a JSON value, or None."""
    for step in () if place is None else place.split("."):
        if isinstance(body, Mapping):
            body = body.get(step)
        elif isinstance(body, list) and step.isdigit() and int(step) < len(body):
            body = body[int(step)]
        else:
            return None
    return None if place is None else body
