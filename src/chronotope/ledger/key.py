"""The key of a model call: equal for calls that would send the same bytes to the same model."""

from collections.abc import Mapping, Sequence
from typing import Any

from chronotope.files import canonical_json, sha256_bytes

__all__ = ["call_key"]


def call_key(messages: Sequence[Mapping[str, Any]], model: str, decoding: Mapping[str, Any], repeat: int = 0) -> str:
    """Hexadecimal SHA-256 of what is sent, to whom and how.

    ``messages`` give every picture as file hash and plan, never as bytes, so that resuming opens no clip. ``repeat``
    tells deliberate repetitions of one call apart. All of it must be plain JSON without NaN.
    """
    call = {"messages": list(messages), "model": model, "decoding": decoding, "repeat": repeat}
    return sha256_bytes(canonical_json(call).encode())
