r"""Output to a terminal without markup, emoji codes or control sequences.

Names, paths, questions and replies may contain any character. Three kinds of characters are printed as escapes, such as
``\x1b``:

- control characters (C0 except line ends and tabs, DEL, C1), because they form control sequences,
- characters that change the writing direction,
- unpaired surrogates, because they cannot be printed.
"""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from chronotope.errors import HIDDEN, visible


def visible_json(text: str) -> str:
    """Escape control and unprintable characters in JSON.

    The characters become JSON escapes, so that the parsed value is unchanged.
    """
    return HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class PlainConsole(Console):
    """A console that prints every text unchanged, without markup.

    Control and unprintable characters are escaped. Styles are passed separately from texts.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, soft_wrap=True, markup=False, emoji=False, highlight=False)

    def render_str(self, text: str, **how: Any) -> Text:
        """Make a text printable, without interpreting markup."""
        return super().render_str(visible(text), **how)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render an object, and make all its texts printable."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)
