"""Hosted services at a local address, and one picture and one video to show them."""

import asyncio
import hashlib
import io
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import strategies as st
from models_chat_server import ChatServer
from PIL import Image as Pillow

from chronotope.media import Encoded
from chronotope.models import Decoding, RawReply, open_model, opening
from chronotope.models.services.endpoint import Endpoint
from chronotope.protocol import Image, Part, Picture, PictureFile, Text, Video

KEY = "sk-of-a-hosted-service-0123456789"
VARIABLES = {"anthropic": "ANTHROPIC_API_KEY", "google": "GEMINI_API_KEY", "azure": "AZURE_OPENAI_API_KEY"}


def _drawn(number: int) -> bytes:
    pixels = np.random.default_rng(number).integers(0, 255, (24, 32, 3), dtype=np.uint8)
    file = io.BytesIO()
    Pillow.fromarray(pixels).save(file, "JPEG")
    return file.getvalue()


BYTES = {"a": _drawn(1), "b": _drawn(2), "c": _drawn(3), "v": b"\x00\x00\x00\x18ftypmp42" + bytes(300)}


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def bytes_of(shown: Picture | Video) -> Encoded:
    data = BYTES[shown.path]
    return Encoded(data, sha(data), "video/mp4" if shown.path == "v" else "image/jpeg")


def picture(name: str) -> Image:
    return Image(PictureFile(name, sha(BYTES[name])))


VIDEO = Video("v", sha(BYTES["v"]))


# What no service sends, in fields that ask for a number, a text or an object.
ODD = st.recursive(
    st.sampled_from([None, True, -1, 1e308, "x", 10**400]), lambda inner: st.lists(inner, max_size=2), max_leaves=4
)


def at_home(patch: pytest.MonkeyPatch, server: ChatServer, provider: str) -> None:
    """Let a provider's models be asked at a local server, with a key."""
    root = server.url.removesuffix("/v1")
    home = replace(opening.HOSTED[provider], base_url=f"{root}/own", chat_url=f"{root}/chat-form")
    patch.setitem(opening.HOSTED, provider, home)
    patch.setenv(VARIABLES[provider], KEY)


def ask(
    name: str,
    *tails: Sequence[Part],
    prefix: Sequence[Part] = (),
    decoding: Decoding | None = None,
    retries: int = 2,
    base_url: str | None = None,
) -> list[RawReply]:
    """Ask a model by its name, each tail after the prefix, one after the other."""

    async def go() -> list[RawReply]:
        model = open_model(name, timeout=10, wait=1, base_url=base_url)
        assert isinstance(model, Endpoint)
        model._retries, model._backoff = retries, 0.001
        try:
            async with model.open(prefix, bytes_of) as session:
                return [
                    await session.ask(tail, decoding or Decoding(), seed=str(number))
                    for number, tail in enumerate(tails or [[Text("Which?")]])
                ]
        finally:
            await model.close()

    return asyncio.run(go())


def meant(parts: Sequence[Part]) -> tuple[str, list[str]]:
    """The system text, and the texts and hashes of pictures for the user: neighbouring texts of one role are one."""
    system, user, last = "", [], None
    for part in parts:
        if isinstance(part, Text):
            if part.role == "system":
                system += part.text
            elif last == ("user", "text"):
                user[-1] += part.text
            else:
                user.append(part.text)
            last = (part.role, "text")
        elif isinstance(part, Image | Video):
            user.append((part.picture if isinstance(part, Image) else part).sha256)
            last = (part.role, "shown")
    return system, user
