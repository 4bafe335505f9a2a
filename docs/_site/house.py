"""Draws the house: all rooms of the import contract in pyproject.toml, with one floor for each layer.

    python docs/_site/house.py

writes docs/images/house.svg. The site includes the same drawing in its page. There the drawing follows the site's
switch between light and dark, and each room is a link to its reference.
"""

import textwrap
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "images" / "house.svg"

LINES = {
    "cli": "the commands; no logic",
    "api": "import chronotope: the functions, and results as objects",
    "report": "tables, plots, and the HTML report with every question",
    "view": "contact sheets, frame strips, prompts and plans as text",
    "audit": "shortcuts and balance of a benchmark",
    "review": "passes of models that drop, rewrite or tag questions",
    "probe": "search for the layer of a model that loses information",
    "suites": "tasks and logs for other evaluation suites",
    "make": "jobs that make benchmark folders",
    "evaluate": "plans, runs, resume, scores, statistics",
    "families": "one paper each: its writer and its protocol",
    "methods": "other ways to get answers than asking",
    "models": "endpoints, local models and baselines",
    "protocol": "asks, prompt parts, the only reply reader, scoring rules",
    "ledger": "the append-only file of every call",
    "scene": "names, visibility and positions of things",
    "world": "simulated worlds: scenes, rendering, verification",
    "question": "the question type of all families, options, the benchmark folder",
    "recording": "the ground truth of a clip; a module for each data set",
    "geometry": "transforms, boxes, directions, trajectories",
    "media": "clips, frame plans, decoding, the frame cache",
    "pool": "worker processes, or a Ray cluster",
    "io": "opens, limits, checks and writes files; hashes, slugs; faults as sentences",
    "plugins": "entry points",
    "errors": "the error type for bad input",
    "interrupts": "the handling of Ctrl-C",
    "lazy": "names imported at their first use",
}
_INKS = ("ink", "soft", "room", "floor", "edge", "name")
LIGHT = dict(zip(_INKS, ("#1e2333", "#565e75", "#ffffff", "#eceff8", "#aab3d1", "#303f9f"), strict=True))
DARK = dict(zip(_INKS, ("#e7e9f2", "#a9b0c6", "#262a38", "#191c26", "#4d5675", "#a3b0f5"), strict=True))

_WIDTH, _WALL, _GAP = 600, 10, 8  # px: widths of the house, of the margin beside the rooms, of the gap between rooms
_EAVES, _LEVEL, _LINE = 74, 64, 16  # px: heights of the roof, of a floor with one line of text, of each further line
_LETTER = 7  # px: width of a letter of the smaller text


@dataclass(frozen=True)
class Room:
    """A room of the contract, with ``built`` false for a planned room (in brackets in the contract)."""

    name: str
    built: bool


def floors() -> list[list[Room]]:
    """Return the layers of the contract from the top down, each with its rooms."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    [contract] = [one for one in settings["contracts"] if one.get("containers") == ["chronotope"]]
    layers = [[name.strip() for name in layer.split("|")] for layer in contract["layers"]]
    return [[Room(name.strip("()"), not name.startswith("(")) for name in layer] for layer in layers]


def draw(
    layers: Sequence[Sequence[Room]],
    *,
    dark: str = "@media (prefers-color-scheme: dark) { .house",
    link: Callable[[str], str | None] = lambda room: None,
) -> str:
    """Return the picture as SVG.

    ``dark`` is the CSS selector of the dark colours. ``link`` returns the address of a room's page.
    """
    parts, y = [], _EAVES
    for rooms in layers:
        width = (_WIDTH - 2 * _WALL - (len(rooms) - 1) * _GAP) / len(rooms)
        texts = [textwrap.wrap(_line(room), int((width - 24) / _LETTER)) for room in rooms]
        height = _LEVEL + _LINE * (max(map(len, texts)) - 1)
        parts.append(f'<rect class="floor" x="0" y="{y}" width="{_WIDTH}" height="{height}"/>')
        for column, (room, text) in enumerate(zip(rooms, texts, strict=True)):
            drawn = _room(room, text, _WALL + column * (width + _GAP), y, width, height)
            address = link(room.name)
            parts.append(f'<a href="{escape(address)}">{drawn}</a>' if address else drawn)
        y += height + 4
    roof = f'<path class="floor" d="M0 {_EAVES - 4} L{_WIDTH / 2:g} 4 L{_WIDTH} {_EAVES - 4} Z"/>'
    title = f'<text class="title" x="{_WIDTH / 2:g}" y="{_EAVES - 18}">chronotope</text>'
    return (
        f'<svg class="house" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {y}" role="img" '
        f'aria-label="The rooms of Chronotope, from the top layer down">\n<style>\n{_style(dark)}</style>\n'
        + "\n".join([roof, title, *parts])
        + "\n</svg>\n"
    )


def _line(room: Room) -> str:
    return LINES[room.name] + ("" if room.built else " (to come)")


def _room(room: Room, text: Sequence[str], x: float, y: int, width: float, height: int) -> str:
    kind = "room" if room.built else "room promised"
    middle = x + width / 2
    lines = "".join(
        f'<text class="line" x="{middle:g}" y="{y + 45 + _LINE * number}">{escape(line)}</text>'
        for number, line in enumerate(text)
    )
    return (
        f'<g class="{kind}"><rect x="{x:g}" y="{y + 6}" width="{width:g}" height="{height - 12}" rx="6"/>'
        f'<text class="name" x="{middle:g}" y="{y + 27}">{escape(room.name)}</text>{lines}</g>'
    )


def _style(dark: str) -> str:
    def colours(values: dict[str, str]) -> str:
        return " ".join(f"--{name}: {value};" for name, value in values.items())

    return f"""\
.house {{ {colours(LIGHT)} font-family: system-ui, "DejaVu Sans", Arial, sans-serif; }}
{dark} {{ {colours(DARK)} }}{" }" if dark.startswith("@") else ""}
.house .floor {{ fill: var(--floor); }}
.house text {{ text-anchor: middle; fill: var(--soft); font-size: 13px; }}
.house .title {{ fill: var(--ink); font-size: 17px; font-weight: 600; }}
.house .name {{ fill: var(--name); font: 600 15px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; }}
.house .room rect {{ fill: var(--room); stroke: var(--edge); }}
.house .promised rect {{ fill: none; stroke-dasharray: 5 4; }}
.house .promised .name {{ fill: var(--soft); }}
.house a:hover rect {{ stroke: var(--name); stroke-width: 2; }}
"""


if __name__ == "__main__":
    PICTURE.write_text(draw(floors()), encoding="utf-8")
