"""Request bodies in the chat-completions format, joined from shared fragments.

Each shared fragment is encoded only once.
"""

import base64
import json
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from chronotope.errors import InputError
from chronotope.io import canonical_json
from chronotope.models.model import Decoding, LengthField, PictureBytes
from chronotope.models.secrets import refuse_secrets
from chronotope.protocol import Image, Part, Picture, Role, Text, Video, without_options

__all__ = ["Encoder", "Piece", "fragments", "request_fields", "stream"]

CHUNK = 1 << 19  # of what many asks begin with, held once and sent as it is
# Other small fragments go out together and large ones in slices: each request in flight holds a copy of so much.
JOINED = 1 << 18

# Fields of the body that are not to be chosen, and why.
_OURS = "is set by Chronotope for each question"
_STREAMED = "would stream the reply, which Chronotope reads as a whole"
_ONE = "would buy several replies to a question, of which only one is read"
RESERVED = {
    "messages": _OURS,
    "model": _OURS,
    "stream": _STREAMED,
    "stream_options": _STREAMED,
    "n": _ONE,
    "best_of": _ONE,
}


@dataclass(frozen=True)
class Piece:
    """Encoded parts as adjacent fragments.

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

    def __init__(self, pictures: PictureBytes) -> None:
        self._pictures = pictures
        self._encoded: dict[str, bytes] = {}

    def prefix(self, parts: Iterable[Part]) -> list[Piece]:
        """Encode the parts with which many asks begin.

        The media of a role, with the texts before and between them, form one piece, in chunks that are sent unchanged.
        """
        pieces = self._pieces(parts, keep=False)
        return [one for role, group in groupby(pieces, key=attrgetter("role")) for one in _in_a_row(role, group)]

    def pieces(self, parts: Iterable[Part]) -> list[Piece]:
        """Encode some parts as pieces, in order."""
        return list(self._pieces(parts, keep=True))

    def _pieces(self, parts: Iterable[Part], *, keep: bool) -> Iterator[Piece]:
        for part in without_options(parts):
            if isinstance(part, Text):
                yield Piece(part.role, (json.dumps(part.text)[1:-1].encode(),))
            else:
                yield self._shown(part.picture if isinstance(part, Image) else part, part.role, keep)

    def _shown(self, shown: Picture | Video, role: Role, keep: bool) -> Piece:
        encoded = self._pictures(shown)
        content = self._encoded.get(encoded.sha256)
        if content is None:
            kind = "video_url" if isinstance(shown, Video) else "image_url"
            head = f'{{"type":"{kind}","{kind}":{{"url":"data:{encoded.media_type};base64,'.encode()
            content = b"".join((head, base64.b64encode(encoded.data), b'"}}'))
            if keep:
                self._encoded[encoded.sha256] = content
        return Piece(role, (content,), (encoded.sha256,))


def _in_a_row(role: Role, pieces: Iterable[Piece]) -> list[Piece]:
    """Join all pieces up to the last picture or video.

    Texts after the last picture or video stay separate, because the tail continues these texts.
    """
    hashes: list[str] = []
    texts: list[Piece] = []  # that no picture has followed yet

    def contents() -> Iterator[bytes]:
        begun = False
        for piece in pieces:
            if not piece.sha256:
                texts.append(piece)
                continue
            for content in (_text_part(texts), piece.fragments):
                if begun and content:
                    yield b","
                yield from content
                begun = begun or bool(content)
            texts.clear()
            hashes.extend(piece.sha256)

    chunks = tuple(_chunks(contents(), CHUNK))
    return [*([Piece(role, chunks, tuple(hashes))] if hashes else []), *texts]


def request_fields(decoding: Decoding, length_field: LengthField = "max_tokens") -> dict[str, object]:
    """Return the fields of the body besides model and messages.

    ``length_field`` is the name of the field that limits the tokens of a reply. A field in ``extra`` replaces the
    default field, and null removes a field. Each of ``max_tokens`` and ``max_completion_tokens`` replaces the other
    field, because some services refuse both fields together.

    Raises:
        InputError: If a field must not be set or looks like a secret, or a limit is not a number of tokens.
    """
    for name, why in RESERVED.items():
        if name in decoding.extra and not (why is _ONE and decoding.extra[name] in (None, 1)):
            raise InputError(f"the field {name!r} of the request body cannot be set, because it {why}: leave it out")
    refuse_secrets(decoding.extra)
    bound, most = decoding.longest_reply
    ours = bound if bound in decoding.extra else length_field
    fields: dict[str, object] = {"temperature": decoding.temperature, ours: most}
    if decoding.top_p != 1:  # which is what it is without, and some services refuse it beside a temperature
        fields["top_p"] = decoding.top_p
    return {name: value for name, value in (fields | decoding.extra).items() if value is not None}


def fragments(model: str, pieces: Sequence[Piece], fields: dict[str, object]) -> list[bytes]:
    """Return the body of a request as fragments of JSON in UTF-8.

    Fragments of pictures and videos are shared between bodies. Consecutive parts of one role make one message. The
    content of a message without pictures and videos is a string, because servers of text-only models require it.

    Raises:
        InputError: If a field cannot be written as JSON.
    """
    try:
        foot = canonical_json(fields).encode()[1:]
    except (TypeError, ValueError) as error:
        raise InputError(f"the settings of the request cannot be written as JSON ({error}): change them") from None
    body = [b'{"model":' + json.dumps(model).encode() + b',"messages":[']
    for number, (role, group) in enumerate(groupby(pieces, key=lambda piece: piece.role)):
        body.append(b'%s{"role":"%s","content":' % (b"," if number else b"", role.encode()))
        body += _content(list(group))
        body.append(b"}")
    return [*body, b"]," if fields else b"]", foot]


def _content(pieces: list[Piece]) -> list[bytes]:
    if not any(piece.sha256 for piece in pieces):
        return [b'"', *_fragments(pieces), b'"']
    content: list[bytes] = []
    for is_shown, group in groupby(pieces, key=lambda piece: bool(piece.sha256)):
        if is_shown:
            content += [fragment for piece in group for fragment in (b",", *piece.fragments)]
        elif part := _text_part(group):
            content += [b",", *part]
    return [b"[", *content[1:], b"]"]


def _text_part(pieces: Iterable[Piece]) -> list[bytes]:
    """Return the content part of consecutive texts.

    The result is empty if all texts are empty, because services refuse an empty text.
    """
    texts = _fragments(pieces)
    return [b'{"type":"text","text":"', *texts, b'"}'] if any(texts) else []


def _fragments(pieces: Iterable[Piece]) -> list[bytes]:
    return [fragment for piece in pieces for fragment in piece.fragments]


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
