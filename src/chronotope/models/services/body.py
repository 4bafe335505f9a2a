"""Parts of request bodies, joined from shared fragments that are encoded once.

The wire format of a service (`Wire`) decides how texts, pictures and videos are written.
"""

import base64
import json
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter

from chronotope.media import Encoded
from chronotope.models.model import PictureBytes
from chronotope.protocol import Image, Part, Picture, Role, Text, Video, without_options

CHUNK = 1 << 19  # bytes of a chunk of a shared prefix; chunks exist once and are sent unchanged
# Maximum bytes of other fragments that are sent at once: small fragments are joined, and large fragments are sliced.
# Each request copies this amount.
JOINED = 1 << 18
BLANK = 64  # bytes; a longer text is never treated as blank


@dataclass(frozen=True)
class Shape:
    """The wire format of content parts in a request body.

    ``text`` are the bytes before and after a text; ``shown`` returns the bytes before and after the base64 of a picture
    or video. ``mark`` replaces the last byte of the last picture of a shared prefix, for services that need a mark at
    the end of the prefix. With ``drops_blank``, blank texts are left out, because the service refuses them.
    """

    text: tuple[bytes, bytes]
    shown: Callable[[Encoded], tuple[bytes, bytes]]
    mark: bytes = b""
    drops_blank: bool = False


@dataclass(frozen=True)
class Piece:
    """Some parts of a prompt, encoded for a request as a sequence of fragments.

    If ``sha256`` names pictures or videos, the fragments are complete content parts with commas between them.
    Otherwise, the fragments are the inside of a JSON string without its quotes, so that adjacent texts can be joined
    without a separator.
    """

    role: Role
    fragments: tuple[bytes, ...]
    sha256: tuple[str, ...] = ()


class Encoder:
    """Turns parts into pieces of a request.

    Every picture and video is encoded as base64 only once, for all asks that show it. The raw bytes are not kept.
    """

    def __init__(self, pictures: PictureBytes, shape: Shape) -> None:
        self._pictures, self._shape = pictures, shape
        self._encoded: dict[str, bytes] = {}

    def prefix(self, parts: Iterable[Part]) -> list[Piece]:
        """Encode the parts at the beginning of many asks.

        All media of a role, and the texts before and between these media, form one piece. This piece consists of chunks
        that are sent unchanged.
        """
        pieces: Iterable[Piece] = self._pieces(parts, keep=False)
        if self._shape.mark:
            pieces = _marked(list(pieces), self._shape.mark)
        groups = groupby(pieces, key=attrgetter("role"))
        return [one for role, group in groups for one in _in_a_row(role, group, self._shape)]

    def pieces(self, parts: Iterable[Part]) -> list[Piece]:
        """Encode some parts as pieces, in order."""
        return list(self._pieces(parts, keep=True))

    def _pieces(self, parts: Iterable[Part], *, keep: bool) -> Iterator[Piece]:
        for part in without_options(parts):
            if isinstance(part, Text):
                yield Piece(part.role, (inside_text(part.text),))
            else:
                yield self._shown(part.picture if isinstance(part, Image) else part, part.role, keep)

    def _shown(self, shown: Picture | Video, role: Role, keep: bool) -> Piece:
        encoded = self._pictures(shown)
        content = self._encoded.get(encoded.sha256)
        if content is None:
            head, foot = self._shape.shown(encoded)
            # vLLM reads a video of frames as encoded pictures that are separated by commas.
            data = b",".join(base64.b64encode(one.data) for one in encoded.frames or (encoded,))
            content = b"".join((head, data, foot))
            if keep:
                self._encoded[encoded.sha256] = content
        return Piece(role, (content,), encoded.hashes)


def inside_text(text: str) -> bytes:
    """Encode a text as the inside of a JSON string."""
    return json.dumps(text)[1:-1].encode()


def _marked(pieces: list[Piece], mark: bytes) -> list[Piece]:
    """Mark the last picture of a prefix."""
    last = max((number for number, piece in enumerate(pieces) if piece.sha256), default=None)
    if last is not None:
        (content,) = pieces[last].fragments
        pieces[last] = replace(pieces[last], fragments=(content[:-1] + mark,))
    return pieces


def _in_a_row(role: Role, pieces: Iterable[Piece], shape: Shape) -> list[Piece]:
    """Join all pieces up to the last picture or video.

    Texts after the last picture or video stay separate, because the tail continues these texts.
    """
    hashes: list[str] = []
    texts: list[Piece] = []  # texts that no picture or video has followed yet

    def contents() -> Iterator[bytes]:
        begun = False
        for piece in pieces:
            if not piece.sha256:
                texts.append(piece)
                continue
            for content in (_text_part(texts, shape), piece.fragments):
                if begun and content:
                    yield b","
                yield from content
                begun = begun or bool(content)
            texts.clear()
            hashes.extend(piece.sha256)

    chunks = tuple(_chunks(contents(), CHUNK))
    return [*([Piece(role, chunks, tuple(hashes))] if hashes else []), *texts]


def content_of(pieces: Iterable[Piece], shape: Shape) -> list[bytes]:
    """Return content parts with commas between them.

    Neighbouring texts are one part.
    """
    content: list[bytes] = []
    for is_shown, group in groupby(pieces, key=lambda piece: bool(piece.sha256)):
        if is_shown:
            content += [fragment for piece in group for fragment in (b",", *piece.fragments)]
        elif part := _text_part(group, shape):
            content += [b",", *part]
    return content[1:]


def content_for_user(pieces: Iterable[Piece], shape: Shape) -> list[bytes]:
    """Return the content parts of a single user message.

    Texts stay separate if there was a system text between them.
    """
    runs = (group for role, group in groupby(pieces, key=attrgetter("role")) if role == "user")
    content = [content for run in runs if (content := content_of(run, shape))]
    return [fragment for number, run in enumerate(content) for fragment in ([b","] if number else []) + run]


def joined(pieces: Iterable[Piece]) -> list[bytes]:
    """Return the fragments of all pieces."""
    return [fragment for piece in pieces for fragment in piece.fragments]


def _text_part(pieces: Iterable[Piece], shape: Shape) -> list[bytes]:
    """Return the content part of consecutive texts.

    The result is empty if all texts are empty, because services refuse an empty text.
    """
    texts = joined(pieces)
    if not any(texts) or (shape.drops_blank and _is_blank(texts)):
        return []
    return [shape.text[0], *texts, shape.text[1]]


def _is_blank(texts: Sequence[bytes]) -> bool:
    return sum(map(len, texts)) <= BLANK and not json.loads(b'"%b"' % b"".join(texts)).strip()


async def stream(body: Sequence[bytes]) -> AsyncIterator[bytes]:
    """Yield the fragments of a body in chunks.

    The chunks keep the number of writes small. At most 256 KiB of a body or a video are copied.
    """
    for chunk in _chunks(body, JOINED):
        yield chunk


def _chunks(fragments: Iterable[bytes], most: int) -> Iterator[bytes]:
    """Join small fragments into chunks of at most ``most`` bytes.

    A fragment that is large enough for a chunk is not copied.
    """
    waiting: list[bytes] = []
    size = 0
    for fragment in fragments:
        step = most if len(fragment) > CHUNK else CHUNK
        for start in range(0, len(fragment), step):
            data = fragment[start : start + step]
            if waiting and size + len(data) > most:
                yield b"".join(waiting)
                waiting, size = [], 0
            waiting.append(data)
            size += len(data)
    if waiting:
        yield b"".join(waiting)
