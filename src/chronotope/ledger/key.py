"""The key of a model call: equal for equal bytes to the same model."""

from collections.abc import Mapping
from typing import Any

from chronotope.io import canonical_json, sha256_bytes

__all__ = ["call_key", "messages_key"]


def call_key(prompt: str, model: str, decoding: Mapping[str, Any], repeat: int = 0) -> str:
    """Compute the key of a call: a hexadecimal SHA-256.

    It covers the prompt, the model and the decoding. ``prompt`` is the SHA-256 of the messages (see ``describe``),
    which give every picture as file hash and plan, so that resuming opens no clip and nothing long is hashed twice.
    ``repeat`` tells deliberate repetitions of one call apart. ``decoding`` must be plain JSON without NaN.
    """
    what = {"decoding": decoding, "model": model, "prompt": prompt, "repeat": repeat}
    return sha256_bytes(canonical_json(what).encode())


def messages_key(messages: str, model: str, decoding: Mapping[str, Any], repeat: int = 0) -> str:
    """Compute the key of a call from its messages in canonical JSON.

    Structured calls have such keys, and so have the asks of runs that were begun before prompts were named by hash.
    """
    head, foot = canonical_json({"decoding": decoding}), canonical_json({"model": model, "repeat": repeat})
    return sha256_bytes(f'{head[:-1]},"messages":{messages},{foot[1:]}'.encode())
