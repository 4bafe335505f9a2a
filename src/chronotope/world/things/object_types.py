"""The object types of homes, tables and stages, read from the one table ``object_types.yaml``: a row for each type.

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


def _part(rows: Mapping[str, Row], *parts: Literal["home", "table", "stage"]) -> dict[str, Row]:
    """Return the fields of the types that have the last of ``parts``.

    The fields that all uses of a type share come first, and then the fields of each part.
    """
    merged: dict[str, Row] = {}
    for name, row in rows.items():
        if parts[-1] in row:
            merged[name] = {key: value for key, value in row.items() if key not in ("home", "table", "stage")}
            for part in parts:
                merged[name] |= row.get(part, {})
    return merged


def _home_kind(name: str, row: Row, rows: Mapping[str, Row]) -> Kind:
    fields = {key: each for key, each in row.items() if key not in ("holds", "holds_like", "lies_on", "change")}
    use = {key: fields.pop(key) for key in Use.__dataclass_fields__ if key in fields}
    use |= {"flags": frozenset(use.get("flags", "").split()), "holds": _held(row.get("holds_like", name), rows)}
    sketch, change = _sketch(fields), row.get("change")
    if "size" not in inspect.signature(sketch).parameters:
        sketch = adapted(sketch, None if change is None else _function(change))
    shows = frozenset(fields.pop("shows", "").split())
    return Kind(**_looks(name, fields), sketch=sketch, shows=shows, use=Use(**use), **fields)


def kind_of(name: str, row: Row, sketches: str = _SKETCHES) -> Kind:
    """Make a kind from a row whose sketch is a function of a module in the package ``sketches``."""
    fields = dict(row)
    return Kind(**_looks(name, fields), sketch=_sketch(fields, sketches), **fields)


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


def _sketch(fields: Row, sketches: str = _SKETCHES) -> Callable[..., Model]:
    made, options = _function(fields.pop("sketch"), sketches), fields.pop("options", {})
    return partial(made, **options) if options else made


def _function(named: str, sketches: str = _SKETCHES) -> Callable[..., Model]:
    module, name = named.split(".")
    return getattr(import_module(f"{sketches}.{module}"), name)


def _kinds() -> tuple[dict[str, Kind], dict[str, Kind], dict[str, Kind]]:
    rows = read_yaml(Path(__file__).with_name("object_types.yaml"))
    homes, tables, stages = _part(rows, "home"), _part(rows, "table"), _part(rows, "table", "stage")
    on_tables, on_stages = (
        {kind.noun: kind for kind in map(kind_of, part, part.values())} for part in (tables, stages)
    )
    return {name: _home_kind(name, row, homes) for name, row in homes.items()}, on_tables, on_stages


HOME_KINDS, TABLE_KINDS, STAGE_KINDS = _kinds()
"""Kinds of things: those in homes by their object types, and those on tables and on stages by their nouns."""
