"""How large a model is, where its name tells, and to which series it belongs."""

import re

__all__ = ["series", "size_of"]

# 7B, 0.5B, 500M, as a word of its own; the 3 billion active parameters of "30B-A3B" are not its size.
_SIZE = re.compile(r"(?<![A-Za-z\d.])(\d+(?:\.\d+)?)([bm])(?![A-Za-z\d])", re.IGNORECASE)
_ACTIVE = re.compile(r"[-_ ]a\d+(?:\.\d+)?b(?![A-Za-z\d])", re.IGNORECASE)


def size_of(name: str) -> float | None:
    """Billions of parameters, as the name of a model says, such as Qwen3-VL-8B; None where it does not."""
    found = _SIZE.search(name)
    if found is None:
        return None
    return float(found[1]) / (1 if found[2] in "bB" else 1000)


def series(name: str) -> str:
    """The name without the size: what models of one kind have in common."""
    kept = _SIZE.sub("", _ACTIVE.sub("", name), count=1)
    return re.sub(r"([-_. /])[-_. ]+", r"\1", kept).strip("-_. ")
