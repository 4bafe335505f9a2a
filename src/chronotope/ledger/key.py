"""The key of a call to a model.

Two calls have equal keys if they send the same bytes to the same model.
"""

from collections.abc import Mapping
from typing import Any

from chronotope.io import canonical_json, sha256_bytes


def call_key(prompt: str, model: str, decoding: Mapping[str, Any], repeat: int = 0) -> str:
    """Compute the key of a call, a hexadecimal SHA-256 hash.

    The key depends on the prompt, the model and the decoding. ``prompt`` is the SHA-256 hash of the messages (see
    ``describe``). In these messages, each picture is represented by a file hash and a frame plan. Therefore,
    a run can be continued without opening clips, and long content is hashed only once. ``repeat`` distinguishes
    deliberate repetitions of a call. ``decoding`` must be plain JSON without NaN.
    """
    what = {"decoding": decoding, "model": model, "prompt": prompt, "repeat": repeat}
    return sha256_bytes(canonical_json(what).encode())


def messages_key(messages: str, model: str, decoding: Mapping[str, Any], repeat: int = 0) -> str:
    """Compute the key of a call from its messages.

    ``messages`` is canonical JSON. The keys of structured calls, and of asks in older runs, are computed from
    messages. The keys of asks in newer runs are computed from the hash of the prompt.
    """
    head, foot = canonical_json({"decoding": decoding}), canonical_json({"model": model, "repeat": repeat})
    return sha256_bytes(f'{head[:-1]},"messages":{messages},{foot[1:]}'.encode())
