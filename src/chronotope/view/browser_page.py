"""The question browser as a part of a web page: its data, scripts, styles and markup.

The markup is the template ``browser.html.j2`` in `PAGE`. A page with this markup needs the files of `browser_files`.
"""

import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

PAGE = ("chronotope.view", "page")  # the package and the folder of the templates, scripts and style sheets
_SCRIPTS = ("base.js", "frames.js", "answers.js", "browser.js")  # in this order


def browser_files(data: Mapping[str, Any], style: bytes, scripts: Iterable[bytes] = ()) -> dict[str, bytes]:
    """Return the files of a page with the question browser, by name.

    ``style`` has the page's own rules. ``scripts`` follow the scripts of the browser, and use their names.
    """
    # All scripts are inside one function, so that their names are not global names of the page.
    parts = b"\n".join([*map(page_file, _SCRIPTS), *scripts])
    return {
        "questions.js": _data_script(data),
        "report.css": style_sheet(style),
        "report.js": b'"use strict";\n(() => {\n' + parts + b"})();\n",
        "theme.js": page_file("theme.js"),
    }


def style_sheet(own: bytes = b"") -> bytes:
    """Return the style sheet of a page with questions.

    ``own`` has the rules of the page itself. All pages, of reports and of the review app, share the other rules.
    """
    return b"".join((page_file("colours.css"), page_file("page.css"), own, page_file("browser.css")))


def page_file(name: str) -> bytes:
    """Return a script or a style sheet of the question browser."""
    return files(PAGE[0]).joinpath(PAGE[1], name).read_bytes()


def _data_script(data: Mapping[str, Any]) -> bytes:
    """Return the script that gives the page its data, as ``window.REPORT``.

    A script is used instead of a JSON file, because pages opened from disk may not fetch files.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # In older browsers, the two characters that are replaced here would end the line inside a string. A reply can
    # contain an unpaired surrogate, which UTF-8 cannot encode: a question mark replaces it.
    text = text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return f"window.REPORT = {text};\n".encode("utf-8", "replace")
