"""The flags of commands that call a model: the address, the key, the pace and the price."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from chronotope.api.vocabulary import Credentials


class Workers(BaseModel):
    """The workers of a cluster that have a model of this machine; each field is a flag."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    on: str | None = Field(
        None,
        description="ray: workers of a Ray cluster, which RAY_ADDRESS names, have the weights of a transformers/ model "
        "and answer; ray://HOST:PORT: those of the cluster with this client address",
    )
    workers: int | None = Field(
        None, ge=1, description="number of these workers (default: one for each GPU; without GPUs, for each node)"
    )

    @property
    def placed(self) -> dict[str, Any]:
        """Return the fields of a `ModelSpec` that name the workers."""
        return {"on": self.on, "workers": self.workers}


class Service(BaseModel):
    """The service of a model; each field is a flag."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str | None = Field(None, description="the URL before /chat/completions")
    key_variable: str | None = Field(
        None,
        description="the environment variable with the API key (default: the provider's variable; "
        "CHRONOTOPE_API_KEY for endpoint/)",
    )
    header: list[str] = Field(
        default_factory=list, description="'Name: value', a header of each request; can be repeated"
    )

    @property
    def credentials(self) -> Credentials | None:
        """Return the key's variable and the headers; None if neither is given."""
        given = Credentials(self.key_variable, tuple(self.header))
        return None if given == Credentials() else given
