"""The settings of paid calls, defined once: commands, campaigns, Python functions and requests take them from here."""

import operator
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from chronotope.errors import InputError
from chronotope.models.money import RunPrice
from chronotope.models.services.in_flight import WAIT


def _whole(value: Any) -> Any:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise ValueError("expected a whole number")
    return operator.index(value)  # NumPy's integers have their own type


def _number(value: Any) -> float:
    if isinstance(value, bool | str) or not hasattr(value, "__float__"):
        raise ValueError("expected a number")
    return float(value)


def _price(value: Any) -> Any:
    if value is None or isinstance(value, RunPrice):
        return value
    if isinstance(value, str):
        return _price_in(value)
    try:
        of_input, of_output = map(_number, value)
        return RunPrice(input=of_input, output=of_output)
    except (TypeError, ValueError):
        raise ValueError(
            "expected the prices of a million input and output tokens, as [2.5, 10], both at least 0"
        ) from None


def _price_in(text: str) -> RunPrice:
    try:
        of_input, of_output = (float(amount) for amount in text.split(","))
        return RunPrice(input=of_input, output=of_output)
    except ValueError:
        raise ValueError("expected IN,OUT, the price per million input and output tokens, such as 2.5,10") from None


Whole = Annotated[int, BeforeValidator(_whole)]
Number = Annotated[float, BeforeValidator(_number)]
Price = Annotated[RunPrice | None, BeforeValidator(_price)]


class Calls(BaseModel):
    """The price of paid calls, the limit on their cost, and their pace.

    - ``price`` is the price of a million input and output tokens.
    - ``max_cost`` limits the cost of all calls, computed from the price or stated by the service.
    - ``concurrency`` is the largest number of requests in flight.
    - ``timeout`` (s) limits one attempt at a call, and ``wait`` (s) limits the time until the service accepts
      connections.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    concurrency: Whole = Field(default=128, ge=1, description="maximum number of requests in flight")
    timeout: Number = Field(
        default=300.0, gt=0, description="seconds for one attempt at a call; a call has six attempts"
    )
    wait: Number = Field(default=WAIT, ge=0, description="seconds to wait until the service accepts connections")
    price: Price = Field(default=None, description="IN,OUT: price per million input and output tokens, such as 2.5,10")
    max_cost: Number | None = Field(
        default=None,
        gt=0,
        description="stop before all calls cost more than this amount (needs --price, unless the service reports "
        "costs)",
    )

    @classmethod
    def of(cls, **values: Any) -> "Calls":
        """Make the settings of calls from plain values.

        Raises:
            InputError: If a value is invalid. The message names the setting.
        """
        try:
            return cls(**values)
        except ValidationError as error:
            first = error.errors()[0]
            flag = f"--{first['loc'][0]}".replace("_", "-")
            raise InputError(
                f"{first['msg'].removeprefix('Value error, ')}, found {first['input']!r}", where=flag
            ) from None

    @property
    def calls(self) -> "Calls":
        """Return these settings alone, without the settings that a subclass adds."""
        return Calls.model_validate({name: getattr(self, name) for name in Calls.model_fields})

    @property
    def pace(self) -> dict[str, Any]:
        """Return the settings that `open_model` takes."""
        return {"concurrency": self.concurrency, "timeout": self.timeout, "wait": self.wait}


class JobCalls(Calls):
    """The settings of calls whose replies are objects, such as verdicts and descriptions."""

    concurrency: Whole = Field(default=16, ge=1, description="maximum number of requests in flight")
