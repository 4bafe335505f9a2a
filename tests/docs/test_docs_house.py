"""The picture of the house is today's: every room of the import contract, on its floor, with a line that fits."""

import re
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import house
import matplotlib
import pytest
from PIL import ImageFont

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "images" / "house.svg"
SVG = "{http://www.w3.org/2000/svg}"


def contract() -> list[list[str]]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    [layers] = [one["layers"] for one in settings["contracts"] if one.get("containers") == ["chronotope"]]
    return [[room.strip() for room in layer.split("|")] for layer in layers]


def drawn() -> list[ElementTree.Element]:
    tree = ElementTree.parse(PICTURE)
    return [group for group in tree.iter(f"{SVG}g") if "room" in group.get("class", "").split()]


def words(room: ElementTree.Element, kind: str) -> str:
    return " ".join(text.text for text in room.iter(f"{SVG}text") if text.get("class") == kind)


def test_every_room_of_the_contract_stands_on_its_floor() -> None:
    floors: dict[str, list[str]] = {}
    for room in drawn():
        name = words(room, "name")
        promised = "promised" in room.get("class").split()
        floors.setdefault(room.find(f"{SVG}rect").get("y"), []).append(f"({name})" if promised else name)
    assert [floors[y] for y in sorted(floors, key=float)] == contract()


def test_every_room_has_its_line_and_no_line_is_left_over() -> None:
    assert all(words(room, "line") for room in drawn())
    assert set(house.LINES) == {room.strip("()") for layer in contract() for room in layer}


def test_the_picture_is_as_the_script_draws_it() -> None:
    assert house.draw(house.floors()) == PICTURE.read_text(encoding="utf-8"), "run: python docs/_site/house.py"


@pytest.mark.parametrize(("kind", "font", "size"), [("name", "DejaVuSansMono-Bold", 15), ("line", "DejaVuSans", 13)])
def test_no_text_sticks_out_of_its_room(kind: str, font: str, size: int) -> None:
    """In one of the widest fonts that a browser may choose."""
    measure = ImageFont.truetype(str(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / f"{font}.ttf"), size)
    for room in drawn():
        rect = room.find(f"{SVG}rect")
        bottom = float(rect.get("y")) + float(rect.get("height"))
        for text in room.iter(f"{SVG}text"):
            if text.get("class") == kind:
                assert measure.getlength(text.text) < float(rect.get("width")) - 8, text.text
                assert float(text.get("y")) < bottom - 4


def test_the_walks_pass_modules_that_are_there_in_at_most_fourteen_stations() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    walks = page.partition("## Two walks")[2].partition("\n## ")[0].split("**A ")[1:]
    for walk in walks:
        stations = re.findall(r"(?m)^\d+\. .+", walk)
        assert 10 <= len(stations) <= 14
        named = re.findall(r"`([a-z_/]+(?:\.py)?)`", "\n".join(stations))
        assert len(named) >= len(stations) - 1
        for name in named:
            if "/" in name or name in ("world",):
                assert (ROOT / "src" / "chronotope" / name).exists(), name
    assert len(walks) == 2
