"""The flags of commands that only call a model: the address, the key, the pace and the price."""

from pydantic import BaseModel, ConfigDict, Field

from chronotope.evaluate.run import TIMEOUT
from chronotope.models import WAIT, Credentials

__all__ = ["ServiceFlags"]


class ServiceFlags(BaseModel):
    """How the service is called; each field is a flag."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str | None = Field(None, description="the URL before /chat/completions")
    key_variable: str | None = Field(
        None, description="the environment variable with the API key (default: the provider's variable)"
    )
    header: list[str] = Field(
        default_factory=list, description="'Name: value', a header of each request; can be repeated"
    )
    timeout: float = Field(TIMEOUT, gt=0, allow_inf_nan=False, description="seconds for one attempt at a call")
    wait: float = Field(
        WAIT, ge=0, allow_inf_nan=False, description="seconds to wait until the service accepts connections"
    )
    price: str | None = Field(None, description="IN,OUT: price per million input and output tokens, such as 2.5,10")

    @property
    def credentials(self) -> Credentials | None:
        """Return the key's variable and the headers; None if neither is given."""
        given = Credentials(self.key_variable, tuple(self.header))
        return None if given == Credentials() else given
