"""The table of object types is complete, and the only place that names them."""

import ast
import inspect
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import numpy as np
import pytest

import chronotope.world
from chronotope.io import read_yaml
from chronotope.world.homes.programme import PROGRAMMES, Item, WallItem, programme_of
from chronotope.world.things import COLOURS, HOME_KINDS, STAGE_KINDS, TABLE_KINDS, Kind, sketches
from chronotope.world.things.kind import HomeState, Model

WORLD = Path(chronotope.world.__path__[0])
ROWS = read_yaml(WORLD / "things" / "object_types.yaml")
KINDS = [*HOME_KINDS.values(), *TABLE_KINDS.values(), *STAGE_KINDS.values()]
SKETCHES = WORLD / "things" / "sketches"


def named_sketches(row: dict[str, Any]) -> set[str]:
    parts = (row, *(row.get(use, {}) for use in ("home", "table", "stage")))
    return {part[key] for part in parts for key in ("sketch", "change") if key in part}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.type)
def test_every_row_is_complete(kind: Kind) -> None:
    assert kind.noun and kind.materials and callable(kind.sketch) and kind.density > 0
    assert kind.colours and set(kind.colours) <= set(COLOURS)
    least, most = kind.sizes.bounds
    assert (least > 0).all() and (least <= most).all() and np.isfinite(most).all()
    assert kind.shows <= set(HomeState.__dataclass_fields__)


@pytest.mark.parametrize("name", HOME_KINDS)
def test_what_a_row_says_of_other_types_and_of_rooms_exists(name: str) -> None:
    use, row = HOME_KINDS[name].use, ROWS[name]["home"]
    assert use.purpose and set(use.rooms) | set(use.places) <= set(PROGRAMMES)
    assert {*row.get("holds", {}), *row.get("lies_on", {}), row.get("holds_like", name)} <= set(HOME_KINDS)
    assert set(use.holds) <= set(HOME_KINDS)


@pytest.mark.parametrize("room", PROGRAMMES)
def test_the_programme_of_a_room_names_types_that_exist(room: str) -> None:
    programme = PROGRAMMES[room]
    floor = {each for item in programme.furniture for each in (item.type, item.beside, item.before, item.bears)}
    hung = {each for item in programme.walls for each in (item.type, item.above)}
    assert (floor | hung | {item.type for item in programme.windows}) - {None} <= set(HOME_KINDS)
    assert all(HOME_KINDS[item.type].mount == "wall" for item in (*programme.walls, *programme.windows))


def test_a_type_can_state_its_places_in_rooms_in_its_own_row(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, place in (("Bathtub", {"where": "corner", "chance": 0.2}), ("Mirror", {"low": [1.0, 1.2]})):
        kind = HOME_KINDS[name]
        monkeypatch.setitem(HOME_KINDS, name, replace(kind, use=replace(kind.use, places={"Kitchen": place})))
    before, after = PROGRAMMES["Kitchen"], programme_of("Kitchen", read_yaml(WORLD / "homes" / "rooms.yaml")["Kitchen"])
    assert after.furniture == (*before.furniture, Item("Bathtub", "corner", 0.2))
    assert after.walls == (*before.walls, WallItem("Mirror", (1.0, 1.2)))


def test_every_sketch_is_that_of_a_row() -> None:
    used = {name for row in ROWS.values() for name in named_sketches(row)}
    made = set[str]()
    for module in iter_modules(sketches.__path__):
        functions = inspect.getmembers(import_module(f"{sketches.__name__}.{module.name}"), inspect.isfunction)
        made |= {
            f"{module.name}.{name}"
            for name, function in functions
            if function.__module__.endswith(f".{module.name}")
            and not name.startswith("_")
            and inspect.signature(function).return_annotation is Model
        }
    assert used <= made
    assert not {name for name in made - used if name.split(".")[1] not in shared()}


def shared() -> set[str]:
    # Functions that sketches of several modules use.
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in SKETCHES.glob("*.py")]
    return {
        name.name
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(sketches.__name__)
        for name in node.names
    }


def strings_in(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def test_no_other_code_names_an_object_type() -> None:
    known = {*HOME_KINDS, *TABLE_KINDS, *STAGE_KINDS} - {*COLOURS}  # an orange is a fruit, too
    found = [
        f"{path.relative_to(WORLD)}:{line}: {name}"
        for path in sorted(WORLD.rglob("*.py"))
        if SKETCHES not in path.parents and path.name != "__init__.py"  # which lists the names that a package offers
        for line, name in strings_in(path)
        if name in known
    ]
    assert not found, "let the row of the type say what is special about it"


def test_what_has_letters_says_so() -> None:
    """A sketch that writes, itself or by a helper, belongs to rows that say that they are lettered."""
    calls = {}
    for path in (*SKETCHES.glob("*.py"), SKETCHES.parent / "wall_pictures.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        source = {
            name.name: f"{(node.module or '').rpartition('.')[2]}.{name.name}"
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for name in node.names
        }
        for made in tree.body:
            if isinstance(made, ast.FunctionDef):
                # A function may also be handed on by its name.
                named = {ast.unparse(one) for one in ast.walk(made) if isinstance(one, ast.Name | ast.Attribute)}
                calls[f"{path.stem}.{made.name}"] = {
                    name if "." in name else source.get(name, f"{path.stem}.{name}") for name in named
                }
    writing = {name for name, of in calls.items() if "textures.write" in of}
    while more := {name for name, of in calls.items() if of & writing} - writing:
        writing |= more
    assert {name for name, row in ROWS.items() if row.get("lettered")} == {
        name for name, row in ROWS.items() if set(named_sketches(row)) & writing
    }
