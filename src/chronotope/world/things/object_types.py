"""The object types of homes and tables, read from the one table ``object_types.yaml``: a row for each type.

A new object type is a new row, and a new sketch if the sketch of another type does not serve. The head of the table
explains its fields.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from chronotope.io import read_yaml
from chronotope.world.things.effects import adapted
from chronotope.world.things.kind import Kind, Model, Use
from chronotope.world.things.sizes import Sizes

_SKETCHES = "chronotope.world.things.sketches"

Row = dict[str, Any]


def _part(rows: Mapping[str, Row], part: Literal["home", "table"]) -> dict[str, Row]:
    """Return the fields of the types in homes or on tables, together with the fields that both share."""
    shared = ({key: each for key, each in row.items() if key not in ("home", "table")} for row in rows.values())
    return {name: both | row[part] for (name, row), both in zip(rows.items(), shared, strict=True) if part in row}


def _home_kind(name: str, row: Row, rows: Mapping[str, Row]) -> Kind:
    fields = {key: each for key, each in row.items() if key not in ("holds", "holds_like", "lies_on", "change")}
    use = {key: fields.pop(key) for key in Use.__dataclass_fields__ if key in fields}
    use |= {"flags": frozenset(use.get("flags", "").split()), "holds": _held(row.get("holds_like", name), rows)}
    sketch, change = _sketch(fields), row.get("change")
    if "size" not in inspect.signature(sketch).parameters:
        sketch = adapted(sketch, None if change is None else _function(change))
    shows = frozenset(fields.pop("shows", "").split())
    return Kind(**_looks(name, fields), sketch=sketch, shows=shows, use=Use(**use), **fields)


def _table_kind(name: str, row: Row) -> Kind:
    fields = dict(row)
    return Kind(**_looks(name, fields), sketch=_sketch(fields), **fields)


def _held(name: str, rows: Mapping[str, Row]) -> dict[str, float]:
    # What lies on the type by rows of other types comes first, the most frequent before the others.
    beside = {child: row["lies_on"][name] for child, row in rows.items() if name in row.get("lies_on", {})}
    return dict(sorted(beside.items(), key=lambda item: -item[1])) | rows[name].get("holds", {})


def _looks(name: str, fields: Row) -> Row:
    """Take the looks and the sizes of things of a kind out of the fields of its row."""
    # Rounding removes the error of the division, so that 8.55 cm are 0.0855 m.
    sizes = Sizes(
        fields.pop("tied", "x y z"), *(tuple(round(cm / 100, 6) for cm in each) for each in fields.pop("sizes"))
    )
    words = {key: tuple(fields.pop(key).split()) for key in ("colours", "materials")}
    return {"type": name, "sizes": sizes, **words}


def _sketch(fields: Row) -> Callable[..., Model]:
    made, options = _function(fields.pop("sketch")), fields.pop("options", {})
    return partial(made, **options) if options else made


def _function(named: str) -> Callable[..., Model]:
    module, name = named.split(".")
    return getattr(import_module(f"{_SKETCHES}.{module}"), name)


def _kinds() -> tuple[dict[str, Kind], dict[str, Kind]]:
    rows = read_yaml(Path(__file__).with_name("object_types.yaml"))
    homes, tables = _part(rows, "home"), _part(rows, "table")
    kinds = [_table_kind(name, row) for name, row in tables.items()]
    return {name: _home_kind(name, row, homes) for name, row in homes.items()}, {kind.noun: kind for kind in kinds}


HOME_KINDS, TABLE_KINDS = _kinds()
"""Every kind of thing in homes by its object type, and every kind of thing on tables by its noun."""
