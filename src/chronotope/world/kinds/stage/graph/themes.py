"""Themes: the pools of visual worlds, each theme with the set that is built for it, or for text only."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chronotope.io import read_yaml, slug

TEXT = "text only"
SETS = ("kitchen", "workshop", "office", "shop", "classroom", "plaza", "street", "park", "station hall", "bathroom",
        "living room", "bedroom", "garage", "canteen", "town")  # fmt: skip
OUTDOORS = ("plaza", "street", "park", "town")


@dataclass(frozen=True)
class Theme:
    """A theme: the set that is built for it, or None, and the tones and dressings of the set.

    ``id`` is unique in all pools.
    """

    id: str
    name: str
    category: str
    set: str | None
    palette: tuple[str, ...] = ()

    @property
    def is_drawn(self) -> bool:
        """Check whether a set is built for the theme."""
        return self.set is not None


@dataclass(frozen=True)
class Pool:
    """The themes of a task."""

    name: str
    themes: tuple[Theme, ...]

    @property
    def categories(self) -> tuple[str, ...]:
        """Return the names of the categories."""
        return tuple(dict.fromkeys(theme.category for theme in self.themes))

    @property
    def drawn(self) -> tuple[Theme, ...]:
        """Return the themes for which a set is built."""
        return tuple(theme for theme in self.themes if theme.is_drawn)

    def named(self, name: str) -> Theme | None:
        """Return the theme with a name, or None."""
        return next((theme for theme in self.themes if theme.name == name), None)


def _set_of(place: str, known: list[str]) -> tuple[str | None, tuple[str, ...]]:
    if place == TEXT:
        return None, ()
    found = next(name for name in SETS if place.startswith(name))
    tones = tuple(place.removeprefix(found).split())
    assert tones and set(tones) <= set(known), place
    return found, tones


def _pools() -> dict[str, Pool]:
    data: dict[str, Any] = read_yaml(Path(__file__).with_name("themes.yaml"))
    pools = {}
    for pool, categories in data["pools"].items():
        themes = [
            Theme(
                f"{pool.lower()}/{slug(name)}", name, category, *_set_of(place, [*data["palettes"], *data["dressings"]])
            )
            for category, places in categories.items()
            for place, names in places.items()
            for name in names.split(" | ")
        ]
        pools[pool] = Pool(pool, tuple(themes))
    return pools


POOLS: Mapping[str, Pool] = _pools()
"""The pools by the short code of their task; MC's themes are also those of QC and CI."""


def category_of(pool: str, theme: str) -> str:
    """Return the category of a theme, or "" for a theme of another list."""
    found = POOLS[pool].named(theme)
    return found.category if found else ""


def setting_of(pool: str, theme: str) -> str:
    """Return the set of a theme, or "" for a theme of text only or of another list."""
    found = POOLS[pool].named(theme)
    return found.set or "" if found else ""
