"""Request bodies of the chat-completions form, put together from fragments that are encoded once and shared."""

import base64
import json
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from chronotope.errors import InputError
from chronotope.files import canonical_json
from chronotope.models.model import Decoding, LengthField, PictureBytes
from chronotope.protocol import Image, Option, Part, Picture, Role, Video

__all__ = ["Encoder", "Piece", "fragments", "request_fields", "stream"]

# Small fragments go out together and large ones in slices; more would hold copies of pictures and videos in memory.
CHUNK = 1 << 19

RESERVED = ("messages", "model", "stream")


@dataclass(frozen=True)
class Piece:
    """A part in the form in which it is sent.

    ``data`` is a whole content part where ``sha256`` names a picture or video, else the inside of a JSON string (no
    quotes), so that neighbouring texts join by standing side by side.
    """

    role: Role
    data: bytes
    sha256: str | None = None


class Encoder:
    """Turns parts into pieces. Every picture and video is put into base64 once, however many asks show it.

    The bytes themselves are not kept.
    """

    def __init__(self, pictures: PictureBytes) -> None:
        self._pictures = pictures
        self._encoded: dict[str, bytes] = {}

    def pieces(self, parts: Iterable[Part]) -> list[Piece]:
        """The pieces of some parts, in their order."""
        found: list[Piece] = []
        for part in parts:
            if isinstance(part, Image | Video):
                found.append(self._shown(part.picture if isinstance(part, Image) else part, part.role))
                continue
            text = part.shown if isinstance(part, Option) else part.text
            found.append(Piece(part.role, json.dumps(text)[1:-1].encode()))
            if isinstance(part, Option) and part.image is not None:
                found.append(self._shown(part.image, part.role))
        return found

    def _shown(self, shown: Picture | Video, role: Role) -> Piece:
        encoded = self._pictures(shown)
        if encoded.sha256 not in self._encoded:
            kind = "video_url" if isinstance(shown, Video) else "image_url"
            head = f'{{"type":"{kind}","{kind}":{{"url":"data:{encoded.media_type};base64,'.encode()
            self._encoded[encoded.sha256] = b"".join((head, base64.b64encode(encoded.data), b'"}}'))
        return Piece(role, self._encoded[encoded.sha256], encoded.sha256)


def request_fields(decoding: Decoding, length_field: LengthField = "max_tokens") -> dict[str, object]:
    """The fields of the body besides model and messages; ``length_field`` carries the most tokens of a reply.

    A field of ``extra`` takes the place of ours, null leaves a field out, and either of ``max_tokens`` and
    ``max_completion_tokens`` stands for the other, because some services refuse both together. Raises InputError for
    fields that are not to be chosen, and for a bound that is no number of tokens.
    """
    for name in RESERVED:
        if name in decoding.extra:
            raise InputError(f"the field {name!r} of the request body cannot be set: leave it out of --set")
    bound, most = decoding.longest_reply
    ours = bound if bound in decoding.extra else length_field
    fields = {"temperature": decoding.temperature, "top_p": decoding.top_p, ours: most}
    return {name: value for name, value in (fields | decoding.extra).items() if value is not None}


def fragments(model: str, pieces: Sequence[Piece], fields: dict[str, object]) -> list[bytes]:
    """The body as fragments, pictures and videos being the shared ones; joined they are one JSON object in UTF-8.

    Parts of one role that stand together make one message. A message of texts alone has a string as its content, which
    servers of text-only models insist on. Raises InputError for fields that JSON cannot hold.
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
    if all(piece.sha256 is None for piece in pieces):
        return [b'"', *(piece.data for piece in pieces), b'"']
    content: list[bytes] = []
    for is_shown, group in groupby(pieces, key=lambda piece: piece.sha256 is not None):
        data = [piece.data for piece in group]
        if is_shown:
            content += [fragment for shown in data for fragment in (b",", shown)]
        elif any(data):  # services refuse a text part without text
            content += [b',{"type":"text","text":"', *data, b'"}']
    return [b"[" + content[0][1:], *content[1:], b"]"]


async def stream(body: Sequence[bytes]) -> AsyncIterator[bytes]:
    """The fragments in chunks of 256 to 512 KiB: few writes, and never a copy of the whole body or of a video."""
    waiting: list[bytes] = []
    size = 0
    for fragment in body:
        for start in range(0, len(fragment), CHUNK):
            waiting.append(fragment[start : start + CHUNK])  # no copy where the fragment is no longer than that
            size += len(waiting[-1])
            if size >= CHUNK:
                yield b"".join(waiting)
                waiting, size = [], 0
    if waiting:
        yield b"".join(waiting)
