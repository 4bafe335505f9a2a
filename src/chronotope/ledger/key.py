"""The key of a model call: equal for calls that would send the same bytes to the same model."""

from collections.abc import Mapping
from typing import Any

from chronotope.io import canonical_json, sha256_bytes

__all__ = ["call_key"]


def call_key(messages: str, model: str, decoding: Mapping[str, Any], repeat: int = 0) -> str:
    """Hexadecimal SHA-256 of the canonical JSON of what is sent, to whom and how.

    ``messages`` are canonical JSON already, for they are long; they give every picture as file hash and plan, never as
    bytes, so that resuming opens no clip. ``repeat`` tells deliberate repetitions of one call apart. ``decoding`` must
    be plain JSON without NaN.
    """
    head, foot = canonical_json({"decoding": decoding}), canonical_json({"model": model, "repeat": repeat})
    return sha256_bytes(f'{head[:-1]},"messages":{messages},{foot[1:]}'.encode())
