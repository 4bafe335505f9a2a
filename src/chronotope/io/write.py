"""Functions that write files and folders; an error leaves no incomplete file or folder."""

import json
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import yaml

from chronotope.errors import InputError
from chronotope.io.read import DEEPEST_YAML, MOST_JSON, MOST_YAML
from chronotope.io.system import plain_refusal


@contextmanager
def write_atomically(path: Path) -> Iterator[Path]:
    """Yield a temporary path that is renamed to ``path`` at the end.

    The caller creates a file or a folder at the temporary path. After an exception this file or folder is deleted. The
    temporary path has the suffix of ``path``, because video encoders choose the format by the suffix. If an OSError
    names no file, or names the temporary path, the error is raised again with ``path`` as its file name.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{uuid.uuid4().hex}.partial{path.suffix}")
    try:
        yield temporary
        temporary.replace(path)
    except OSError as error:
        plain = plain_refusal(error)
        if plain.filename is None or Path(plain.filename).is_relative_to(temporary):
            plain.filename = str(path)
        raise plain from error
    finally:
        if temporary.is_dir():
            shutil.rmtree(temporary, ignore_errors=True)
        else:
            # On a read-only file system, `unlink` fails even for a missing file. This error would hide the original
            # error.
            with suppress(OSError):
                temporary.unlink()


def write_json(path: Path, value: Any, most: int | None = MOST_JSON) -> None:
    """Write an indented JSON file; an error leaves no incomplete file.

    ``most`` is the largest file (bytes) that `read_json` reads; None for a file that Chronotope does not read.

    Raises:
        InputError: If the file would be larger.
    """
    with write_atomically(path) as temporary:
        data = (json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()
        if most is not None:
            _check_size(path, data, most)
        temporary.write_bytes(data)


def write_yaml(path: Path, value: Any) -> None:
    """Write a YAML file; an error leaves no incomplete file.

    The keys keep the order of ``value``.

    Raises:
        InputError: If `read_yaml` would refuse the file, because it is too large or nested too deeply.
    """
    if _is_deep(value, DEEPEST_YAML):
        raise InputError(f"{path}: its values are nested more than {DEEPEST_YAML} levels deep: use simpler settings")
    with write_atomically(path) as temporary:
        data = yaml.dump(value, Dumper=_PlainDumper, sort_keys=False, allow_unicode=True, width=120).encode()
        _check_size(path, data, MOST_YAML)
        temporary.write_bytes(data)


def _check_size(path: Path, data: bytes, most: int) -> None:
    """Refuse a file that its reader would refuse."""
    if len(data) > most:
        size, limit = (f"{number >> 20} MB" if most >> 20 else f"{number >> 10} KB" for number in (len(data), most))
        raise InputError(
            f"{path}: would have {size}, and such a file is read only up to {limit}: use fewer or shorter values"
        )


def _is_deep(value: Any, left: int) -> bool:
    """Check whether lists and mappings are nested more than ``left`` levels deep."""
    if not isinstance(value, dict | list | tuple):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return left == 0 or any(_is_deep(one, left - 1) for one in inner)


class _PlainDumper(yaml.SafeDumper):
    """A YAML dumper that writes no aliases, because `read_yaml` refuses aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True
