"""The table of models that become things of homes: the object type of each, and its front."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chronotope.errors import InputError
from chronotope.io import canonical_json, read_json
from chronotope.io.fields import first_fault
from chronotope.world.things import HOME_KINDS

_TABLE = Path(__file__).with_name("models.json")


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    types: dict[str, list[str]]
    yaw: dict[str, float] = Field(default_factory=dict)


@dataclass(frozen=True)
class Models:
    """The object type of each model by its id in its library, and the turns (degrees) of models with another front.

    A turn is about the vertical axis, counter-clockwise seen from above, and a multiple of 90°.
    """

    types: dict[str, str]
    yaw: dict[str, float]

    @property
    def settings(self) -> str:
        """Return a text that is equal for equal tables."""
        return canonical_json([self.types, self.yaw])


def read_models(path: Path | None = None) -> Models:
    """Read a table of models.

    Without a path, this is the table of Chronotope, whose models were looked at one by one.

    Raises:
        InputError: If the file is not such a table, or if no home has one of its object types.
    """
    path = path or _TABLE
    try:
        table = _Table.model_validate(read_json(path))
    except ValidationError as error:
        raise InputError(f"{path}: is not a table of models: {first_fault(error)}") from error
    for name in table.types:
        if name not in HOME_KINDS or HOME_KINDS[name].mount == "wall":
            offered = ", ".join(key for key, kind in HOME_KINDS.items() if kind.mount != "wall")
            raise InputError(f"{path}: has the object type {name!r}: expected one of {offered}")
    turned = next((key for key, yaw in table.yaw.items() if yaw % 90), None)
    if turned is not None:
        raise InputError(f"{path}: {turned} is turned by {table.yaw[turned]}°: expected a multiple of 90")
    return Models({model: name for name, models in table.types.items() for model in models}, table.yaw)
