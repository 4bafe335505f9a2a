"""The flags of commands that call a model: the address, the key, the pace and the price."""

from pydantic import BaseModel, ConfigDict, Field

from chronotope.api.vocabulary import Credentials


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
