r"""A terminal that shows texts as they are: no markup, no emoji codes, no commands.

Names, paths, questions and replies may contain any character. Three kinds are printed as escapes, such as ``\x1b``:
control characters (C0 except line ends and tabs, DEL, C1), which form escape sequences; characters that change the
writing direction; and unpaired surrogates, which cannot be printed.
"""

import re
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

__all__ = ["PlainConsole", "visible", "visible_json"]

_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """Escape every character that a terminal would obey or cannot show."""
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def visible_json(text: str) -> str:
    """Escape the same characters in JSON, with JSON escapes.

    The parsed value stays the same.
    """
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class PlainConsole(Console):
    """A console that prints every text as it is, with unprintable characters escaped.

    Styles are passed separately from texts.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, soft_wrap=True, markup=False, emoji=False, highlight=False)

    def render_str(self, text: str, **how: Any) -> Text:
        """Make the printable form of a text, without markup."""
        return super().render_str(visible(text), **how)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render texts that do not pass through `render_str`."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)
