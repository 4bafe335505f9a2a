"""The table of colours is sound, and the only list of colours."""

import ast
from pathlib import Path

import pytest

import chronotope
from chronotope.audit.attacks.sight.colours import COLOURS as SEEN_COLOURS
from chronotope.audit.attacks.sight.colours import colour_of
from chronotope.families.m3.looks import COLOURS as DESCRIBED_COLOURS
from chronotope.families.m3.looks import are_alike, basic_colour
from chronotope.world.things import COLOURS
from chronotope.world.things.colour_table import COLOUR_TABLE, COLOUR_WORDS, Colour

SOURCE = Path(chronotope.__path__[0])
FEWEST = 4  # colours that make a list of colours


@pytest.mark.parametrize("row", COLOUR_TABLE.values(), ids=lambda row: row.name)
def test_every_row_is_sound(row: Colour) -> None:
    assert all(0 <= part <= 1 for part in row.srgb)
    for low, high in row.hsv:
        assert all(0 <= least <= most <= top for least, most, top in zip(low, high, (180, 255, 255), strict=True))
    assert set(row.alike) <= set(COLOUR_TABLE) - {row.name}
    assert all(COLOUR_WORDS[word] == row.name for word in (row.name, *row.words)), "a word means one colour"


def test_all_rooms_have_the_colours_of_the_table() -> None:
    assert tuple(COLOURS) == DESCRIBED_COLOURS == tuple(COLOUR_TABLE)
    assert set(SEEN_COLOURS) == {name for name, row in COLOUR_TABLE.items() if row.hsv}
    for word, name in COLOUR_WORDS.items():
        assert basic_colour(f"dark {word}") == name
        assert colour_of(f"the {word} mug") == (name if COLOUR_TABLE[name].hsv else None)
    assert all(are_alike(name, other) for name, row in COLOUR_TABLE.items() for other in row.alike)


def test_no_other_code_lists_colours() -> None:
    found: list[str] = []
    for path in SOURCE.rglob("*.py"):
        if path.name == "colour_table.py" or path.parent.name == "sketches":  # sketches choose the colours of trims
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Dict | ast.Tuple | ast.List | ast.Set):
                values = node.keys if isinstance(node, ast.Dict) else node.elts
                names = {each.value for each in values if isinstance(each, ast.Constant)} & set(COLOUR_WORDS)
                if len(names) >= FEWEST:
                    found.append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert not found, "let the row of the colour say what is special about it"
