"""The table of models that become things of homes or streets: the object type of each, its front and its scale."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chronotope.errors import InputError
from chronotope.io import canonical_json, read_json
from chronotope.io.fields import first_fault
from chronotope.world.street.street_types import STREET_KINDS
from chronotope.world.things import HOME_KINDS
from chronotope.world.things.colour_table import COLOUR_TABLE

_TABLE = Path(__file__).with_name("models.json")


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    types: dict[str, list[str]] = Field(default_factory=dict)
    street: dict[str, list[str]] = Field(default_factory=dict)
    scale: dict[str, Annotated[float, Field(ge=0.2, le=5)]] = Field(default_factory=dict)
    yaw: dict[str, float] = Field(default_factory=dict)
    colours: dict[str, str] = Field(default_factory=dict)


@dataclass(frozen=True)
class Models:
    """The object type of each model by its id in its library, and the turns (degrees) of models with another front.

    ``types`` are those of homes, and ``street`` those of streets. A turn is about the vertical axis, counter-clockwise
    seen from above, and a multiple of 90°. ``scale`` has the factors of models whose stated size is not real, and
    ``colours`` the colours by which people call models of streets, if windows, tyres and pictures hide the paint.
    """

    types: dict[str, str]
    yaw: dict[str, float]
    street: dict[str, str] = field(default_factory=dict[str, str])
    scale: dict[str, float] = field(default_factory=dict[str, float])
    colours: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def known(self) -> frozenset[str]:
        """Return the ids of all models of the table."""
        return frozenset((*self.types, *self.street))

    @property
    def settings(self) -> str:
        """Return a text that is equal for equal tables."""
        return canonical_json([self.types, self.street, self.yaw, self.scale, self.colours])


def read_models(path: Path | None = None) -> Models:
    """Read a table of models.

    Without a path, this is the table of Chronotope, whose models were looked at one by one.

    Raises:
        InputError: If the file is not such a table, or if no home or street has one of its object types.
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
    unknown = next((name for name in table.street if name not in STREET_KINDS), None)
    if unknown is not None:
        raise InputError(
            f"{path}: has the object type {unknown!r} of streets: expected one of {', '.join(STREET_KINDS)}"
        )
    other = next((colour for colour in table.colours.values() if colour not in COLOUR_TABLE), None)
    if other is not None:
        raise InputError(f"{path}: has the colour {other!r}: expected one of {', '.join(COLOUR_TABLE)}")
    turned = next((key for key, yaw in table.yaw.items() if yaw % 90), None)
    if turned is not None:
        raise InputError(f"{path}: {turned} is turned by {table.yaw[turned]}°: expected a multiple of 90")
    homes, streets = (
        {model: name for name, models in part.items() for model in models} for part in (table.types, table.street)
    )
    return Models(homes, table.yaw, streets, table.scale, table.colours)
