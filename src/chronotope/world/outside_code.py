"""The code of a kind of world that another package has, as a part of what determines its scenes."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from chronotope.io import canonical_json, sha256_bytes, sha256_file

OWN = __name__.partition(".")[0]


def code_hash(lay: Callable[..., Any]) -> str | None:
    """Hash the package that lays out a kind of world; the result is None for Chronotope's own kinds.

    The hash covers all files of the package, such as its tables, or the only file of a module. It depends on neither
    the folder nor the version of the package, so an editable installation has it, too.
    """
    module = getattr(lay, "__module__", None) or ""
    return None if module.partition(".")[0] == OWN else _hash_of(module)


@cache
def _hash_of(module: str) -> str:
    """Hash the files of the outermost package of a module.

    A namespace around the package has no file and is passed over.
    """
    names = module.split(".")
    packages = (sys.modules.get(".".join(names[:end])) for end in range(1, len(names) + 1))
    found = next((package for package in packages if package is not None and package.__file__ is not None), None)
    if found is None or found.__file__ is None:
        return ""
    file = Path(found.__file__)
    paths = sorted(file.parent.rglob("*")) if hasattr(found, "__path__") else [file]
    files = [path for path in paths if path.is_file() and "__pycache__" not in path.parts]
    hashes = [[path.relative_to(file.parent).as_posix(), sha256_file(path)] for path in files]
    return sha256_bytes(canonical_json(hashes).encode())
