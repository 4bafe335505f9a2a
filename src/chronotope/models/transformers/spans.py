"""An encoded prompt: token ids, tensors of media, and the tokens of each part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

SpanKind = Literal["image", "video", "option", "text"]


@dataclass(frozen=True)
class Span:
    """The tokens of one picture, video, option or text.

    The span has the tokens from ``start`` up to, but not including, ``end`` of the prompt. ``part`` is the index of the
    part in the list of parts. ``vision`` are the positions of the tokens that stand for vision features; other tokens
    of a picture are its marks. The picture of an option has its own span, with the option's ``part``. ``letter`` is the
    option's letter.
    """

    kind: SpanKind
    part: int
    start: int
    end: int
    vision: tuple[int, ...] = ()
    letter: str | None = None


@dataclass(frozen=True)
class Encoded:
    """A prompt as the input of a model.

    - ``input_ids`` has the shape (1, L), int64.
    - ``tensors`` are the other inputs: pixels, grids of patches, types of tokens. Shapes depend on the family.
    - ``spans`` has one span for each picture, video and option, in the order of the prompt.
    - ``text`` is the rendered prompt, with one placeholder for each picture and video.
    - ``texts`` has one span of kind ``text`` for each text that is not an option.
    """

    input_ids: Any
    tensors: Mapping[str, Any]
    spans: Sequence[Span]
    text: str
    texts: Sequence[Span] = ()

    @property
    def length(self) -> int:
        """Return the number of tokens."""
        return int(self.input_ids.shape[1])

    def media_end(self, media: int) -> int:
        """Return the position after the first ``media`` pictures and videos."""
        shown = [span for span in self.spans if span.kind != "option"]
        return max((span.end for span in shown[:media]), default=0)
