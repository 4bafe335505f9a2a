"""The parts of all pages: templates, and the scripts and style sheets with their addresses."""

import inspect
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup

from chronotope import __version__
from chronotope.io import sha256_bytes
from chronotope.view import words
from chronotope.view.browser_page import page_file, style_sheet

_HERE = ("chronotope.review.app", "static")
# The scripts of a question, in this order; all are inside one function, so that their names are not global.
_SCRIPTS = ("base.js", "frames.js")
_OWN_SCRIPTS = ("player.js", "people.js")
_START = b'"use strict";\nwindow.REPORT = JSON.parse(document.getElementById("data")?.textContent ?? "{}");\n(() => {\n'
TYPES = {"css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml"}
TYPES |= {"txt": "text/plain; charset=utf-8"}


@cache
def static_files() -> dict[str, bytes]:
    """Return the scripts and the style sheet of all pages, by name."""
    scripts = [*map(page_file, _SCRIPTS), *map(_own, _OWN_SCRIPTS)]
    return {
        "people.css": style_sheet(_own("people.css")),
        "people.js": _START + b"\n".join(scripts) + b"})();\n",
        "theme.js": page_file("theme.js"),
        "htmx.js": _own("htmx.min.js"),
        "icon.svg": _own("icon.svg"),
        "htmx.LICENSE.txt": _own("htmx.LICENSE.txt"),
    }


def _own(name: str) -> bytes:
    return files(_HERE[0]).joinpath(_HERE[1], name).read_bytes()


@cache
def _version(name: str) -> str:
    return sha256_bytes(static_files()[name])[:10]


@cache
def environment() -> jinja2.Environment:
    """Return the environment of all templates.

    Every text is escaped, because stems, options and notes can contain markup.
    """
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("chronotope.review.app", "pages"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {
        name: function
        for name, function in vars(words).items()
        if inspect.isfunction(function) and function.__module__ == words.__name__
    }
    made.globals |= {"static": lambda name: f"/static/{_version(name)}/{name}", "version": __version__}
    return made


def written_report(benchmark: str, study: str, figures: Sequence[Any]) -> str:
    """Write the figures of a study as one file, which needs no server and runs no script."""
    # Without a script nobody sets the theme, so the dark colours follow the system's setting.
    style = static_files()["people.css"].decode()
    style = style.replace(
        "@media screen { :root[data-theme=dark]", "@media screen and (prefers-color-scheme: dark) { :root"
    )
    return page("written.html.j2", benchmark=benchmark, study=study, figures=figures, style=Markup(style))


def page(template: str, **values: Any) -> str:
    """Write a page from a template."""
    # A reply or a stem can contain an unpaired surrogate, which UTF-8 cannot encode.
    return environment().get_template(template).render(**values).encode("utf-8", "replace").decode()
