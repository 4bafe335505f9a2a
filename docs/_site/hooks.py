"""Hooks of MkDocs that add pages: the reference, the commands, and pages from other folders of the repository."""

import importlib.util
import re
from pathlib import Path
from typing import Any

import command_reference
import house
from mkdocs.structure.files import File, Files

# Pages from other folders of the repository, by their path on the site.
_ELSEWHERE = {"changelog.md": "CHANGELOG.md", "performance-results.md": "perf/RESULTS.md"}
_DARK = '[data-md-color-scheme="slate"] .house'


def _packages(room: str) -> list[str]:
    """Return the package of a room, and every package inside it with an ``__all__``."""
    found = importlib.util.find_spec(f"chronotope.{room}")
    if found is None or found.origin is None:
        return []
    if not found.submodule_search_locations:
        return [found.name]
    inside = sorted(Path(found.origin).parent.rglob("__init__.py"))
    return [
        ".".join(["chronotope", room, *file.parent.relative_to(Path(found.origin).parent).parts])
        for file in inside
        if file == Path(found.origin) or "__all__" in file.read_text(encoding="utf-8")
    ]


def _reference() -> dict[str, list[str]]:
    """Return the packages of every existing room, in the contract's order; ``cli`` has a separate page."""
    rooms = [room.name for layer in house.floors() for room in layer if room.name != "cli"]
    return {room: packages for room in rooms if (packages := _packages(room))}


def on_config(config: Any) -> Any:
    """Add the rooms to the navigation."""
    pages = [{room: f"reference/{room}.md"} for room in _reference()]
    for entry in config.nav:
        if "Reference" in entry:
            entry["Reference"] = [{"Overview": entry["Reference"]}, *pages]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages."""
    root = Path(config.config_file_path).parent
    for page, path in _ELSEWHERE.items():
        files.append(File.generated(config, page, content=(root / path).read_text(encoding="utf-8")))
    files.append(File.generated(config, "commands.md", content=command_reference.page()))
    for room, packages in _reference().items():
        sections = "\n\n".join(f"::: {package}" for package in packages)
        files.append(File.generated(config, f"reference/{room}.md", content=sections + "\n"))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Correct links to pages from other folders, and draw the house into its page."""
    for target, path in _ELSEWHERE.items():
        markdown = markdown.replace(f"(../{path})", f"({target})")
    if page.file.src_uri == "architecture.md":
        built = _reference()
        drawn = house.draw(
            house.floors(),
            dark=_DARK,
            link=lambda room: f"../reference/{room}/" if room in built else "../commands/" if room == "cli" else None,
        )
        markdown = re.sub(
            r"!\[[^\]]*\]\(images/house\.svg\)", lambda _: f'<div class="drawing">{drawn}</div>', markdown
        )
    return markdown
