"""The object types of streets, read from the one table ``street_types.yaml``: a row for each type.

A new object type is a new row, and a new sketch if the sketch of another type does not serve. The head of the table
explains its fields.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from chronotope.io import read_yaml
from chronotope.world.things.kind import Kind
from chronotope.world.things.object_types import Row, kind_of
from chronotope.world.things.sizes import Sizes

_SKETCHES = "chronotope.world.street.sketches"


@dataclass(frozen=True, eq=False)
class StreetKind:
    """An object type as it is in streets.

    ``kind`` has its name, colours, materials and the sizes of built-in things, whose front is along +x. ``real`` has
    the sizes that are true for any shape of the type. ``triangles`` is the largest number of triangles of an asset. A
    type that is not ``built_in`` is only in libraries, and its sketch raises `InputError`.
    """

    kind: Kind
    use: Literal["vehicle", "furniture", "cart"]
    real: Sizes
    triangles: int
    built_in: bool


def _street_kind(name: str, row: Row) -> StreetKind:
    fields: dict[str, Any] = dict(row)
    use, triangles = fields.pop("use"), fields.pop("triangles", 16_000)
    built_in = "sketch" in fields
    real = Sizes("x y z", *((low / 100, high / 100) for low, high in fields.pop("real", fields["sizes"])))
    if not built_in:
        fields |= {"sketch": "missing.missing", "options": {"noun": fields["noun"]}}
    return StreetKind(kind_of(name, fields, _SKETCHES), use, real, triangles, built_in)


STREET_KINDS: dict[str, StreetKind] = {
    name: _street_kind(name, row) for name, row in read_yaml(Path(__file__).with_name("street_types.yaml")).items()
}
"""Every kind of thing in streets by its object type."""
