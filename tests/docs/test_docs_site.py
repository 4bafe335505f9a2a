"""The built site: clean, complete, and loading nothing from elsewhere."""

import importlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import house
import pytest

FOREIGN = re.compile(r"(?:https?:)?//", re.IGNORECASE)
LOADS = {"src", "srcset", "poster", "data", "background"}  # attributes whose address a browser loads by itself
LINKS = {"canonical", "alternate", "next", "prev", "author", "license"}  # of <link>: named, not loaded


class Loaded(HTMLParser):
    """The addresses from which a page loads something, and the ids that it has."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.ids: set[str] = set()
        self._style = False
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self._style = tag == "style"
        self.ids.add(values.get("id", ""))
        self.addresses += [values[name] for name in LOADS & values.keys()]
        if tag in ("link", "image", "use", "feImage") and not LINKS & set(values.get("rel", "").split()):
            self.addresses += [values[name] for name in ("href", "xlink:href") if name in values]
        self.addresses += in_style(values.get("style", ""))

    def handle_data(self, data: str) -> None:
        if self._style:
            self.addresses += in_style(data)


def in_style(text: str) -> list[str]:
    return re.findall(r"url\(\s*['\"]?([^'\")]+)", text) + re.findall(r"@import\s+['\"]([^'\"]+)", text)


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def test_foreign_addresses_are_found(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<link rel="stylesheet" href="https://a/x.css"><link rel="canonical" href="https://b/"><script src="//c/x.js">'
        "</script><style>@import 'http://d/x.css'; p { background: url(https://e/x.png) }</style><a href='https://f/'>"
        '<img src="own.png" style="background: url(http://g/x.png)">'
    )
    foreign = {address for address in Loaded(page).addresses if FOREIGN.match(address)}
    assert foreign == {"https://a/x.css", "//c/x.js", "http://d/x.css", "https://e/x.png", "http://g/x.png"}


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    assert len(pages(site)) > 20
    for page in pages(site):
        assert [one for one in Loaded(page).addresses if FOREIGN.match(one)] == [], page.relative_to(site)
    for sheet in site.rglob("*.css"):
        assert [one for one in in_style(sheet.read_text(encoding="utf-8")) if FOREIGN.match(one)] == [], sheet.name


def test_what_is_loaded_is_there(site: Path) -> None:
    for page in pages(site):
        if page.name == "404.html":  # its addresses begin at the server's root
            continue
        for address in Loaded(page).addresses:
            if address and not address.startswith(("data:", "#")):
                assert (page.parent / address.partition("?")[0].partition("#")[0]).resolve().is_file(), (page, address)


def test_the_search_knows_every_page_and_needs_no_service(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    known = {entry["location"].partition("#")[0] for entry in index["docs"]}
    there = {page.parent.relative_to(site).as_posix() for page in pages(site) if page.name == "index.html"}
    assert {location.rstrip("/") or "." for location in known} == there
    assert list((site / "assets" / "javascripts" / "workers").glob("search*.js"))


def built_rooms() -> list[str]:
    return [room.name for floor in house.floors() for room in floor if room.built and room.name != "cli"]


@pytest.mark.parametrize("room", built_rooms())
def test_the_reference_has_every_public_name_and_no_private_one(site: Path, room: str) -> None:
    ids = Loaded(site / "reference" / room / "index.html").ids
    names = getattr(importlib.import_module(f"chronotope.{room}"), "__all__", [])
    assert {f"chronotope.{room}.{name}" for name in names} <= ids
    assert f"chronotope.{room}" in ids
    assert [one for one in ids if re.search(r"^chronotope\..*\._", one)] == []


def test_the_house_stands_in_its_page_and_leads_to_every_room(site: Path) -> None:
    text = (site / "architecture" / "index.html").read_text(encoding="utf-8")
    drawing = text[text.index('<svg class="house"') : text.index("</svg>", text.index('<svg class="house"'))]
    links = re.findall(r'<a href="\.\./([^"]+)/">', drawing)
    assert {f"reference/{room}" for room in built_rooms()} | {"commands"} <= set(links)
    assert all((site / link / "index.html").is_file() for link in links)


def test_no_page_speaks_of_a_file_that_is_not_on_the_site(site: Path) -> None:
    for page in pages(site):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r'href="[^":]*\.md["#]', text), page.relative_to(site)
