"""The size and the series of a model, read from its name."""

import re

# 7B, 0.5B, 500M, as a separate word; the 3 billion active parameters of "30B-A3B" are not the size.
_SIZE = re.compile(r"(?<![A-Za-z\d.])(\d+(?:\.\d+)?)([bm])(?![A-Za-z\d])", re.IGNORECASE)
_ACTIVE = re.compile(r"[-_ ]a\d+(?:\.\d+)?b(?![A-Za-z\d])", re.IGNORECASE)


def size_of(name: str) -> float | None:
    """Read the size of a model from its name.

    The size is in billions of parameters. For example, ``Qwen3-VL-8B`` has the size 8. Returns None if the name
    contains no size.
    """
    found = _SIZE.search(name)
    if found is None:
        return None
    return float(found[1]) / (1 if found[2] in "bB" else 1000)


def series(name: str) -> str:
    """Return the name of a model without its size.

    Models of one series share this name.
    """
    kept = _SIZE.sub("", _ACTIVE.sub("", name), count=1)
    return re.sub(r"([-_. /])[-_. ]+", r"\1", kept).strip("-_. ")
