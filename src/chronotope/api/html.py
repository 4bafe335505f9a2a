"""HTML for notebooks: pictures inside the page, and texts that are never markup."""

import base64
import io
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from PIL import Image

from chronotope.io import visible
from chronotope.media import Encoded, open_picture

WIDTH = 240  # px, width of a picture that is shown beside other pictures
QUALITY = 80


def block(title: str, *parts: str) -> str:
    """Join HTML parts under a title; the title is plain text."""
    return f'<div class="chronotope"><b>{escape(_shown(title))}</b>{"".join(parts)}</div>'


def pre(text: str) -> str:
    """Show a text with its line breaks."""
    return f'<pre style="white-space: pre-wrap; text-align: left">{escape(_shown(text))}</pre>'


def facts(values: Mapping[str, Any]) -> str:
    """Show names with their values in two columns; None is left out."""
    rows = "".join(
        f'<tr><td style="text-align: left">{escape(_shown(name))}</td>'
        f'<td style="text-align: left">{escape(_shown(str(value)))}</td></tr>'
        for name, value in values.items()
        if value is not None
    )
    return f"<table>{rows}</table>"


def grid(pictures: Iterable[tuple[np.ndarray | Encoded, str]], width: int = WIDTH) -> str:
    """Show pictures side by side, each with its label.

    A picture is RGB uint8 (height, width, 3), or encoded.
    """
    cells: Sequence[str] = [picture(one, words, width) for one, words in pictures]
    return f'<div style="display: flex; flex-wrap: wrap; gap: 6px">{"".join(cells)}</div>'


def picture(one: np.ndarray | Encoded | Image.Image, words: str, width: int = WIDTH) -> str:
    """Show one picture, at most ``width`` px wide, above its label."""
    if isinstance(one, Encoded):
        with open_picture(io.BytesIO(one.data)) as stored:
            opened = stored.convert("RGB")
    else:
        opened = one if isinstance(one, Image.Image) else Image.fromarray(one)
    if opened.width > width:
        opened = opened.resize((width, max(1, round(opened.height * width / opened.width))), Image.Resampling.LANCZOS)
    buffer = io.BytesIO()
    opened.save(buffer, "JPEG", quality=QUALITY)
    data = base64.b64encode(buffer.getvalue()).decode()
    return (
        f'<figure style="margin: 0"><img src="data:image/jpeg;base64,{data}" alt="{escape(_shown(words))}">'
        f"<figcaption>{escape(_shown(words))}</figcaption></figure>"
    )


def _shown(text: str) -> str:
    """Escape control characters, and unpaired surrogates, which no page can contain."""
    return visible(text)
