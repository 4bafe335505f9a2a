"""The key of a model call: equal if the same bytes go to the same model."""

from collections.abc import Mapping
from typing import Any

from chronotope.io import canonical_json, sha256_bytes

__all__ = ["call_key", "messages_key"]


def call_key(prompt: str, model: str, decoding: Mapping[str, Any], repeat: int = 0) -> str:
    """Compute the key of a call: a hexadecimal SHA-256.

    It covers the prompt, the model and the decoding. ``prompt`` is the SHA-256 of the messages (see ``describe``), in
    which each picture is a file hash and a plan: resuming opens no clip, and long content is hashed only once.
    ``repeat`` distinguishes deliberate repetitions of a call. ``decoding`` must be plain JSON without NaN.
    """
    what = {"decoding": decoding, "model": model, "prompt": prompt, "repeat": repeat}
    return sha256_bytes(canonical_json(what).encode())


def messages_key(messages: str, model: str, decoding: Mapping[str, Any], repeat: int = 0) -> str:
    """Compute the key of a call from its messages in canonical JSON.

    Structured calls have such keys, and so do the asks of runs from versions before keys used the hash of a prompt.
    """
    head, foot = canonical_json({"decoding": decoding}), canonical_json({"model": model, "repeat": repeat})
    return sha256_bytes(f'{head[:-1]},"messages":{messages},{foot[1:]}'.encode())
