"""Functions that write files and folders; an error leaves no incomplete file or folder."""

import json
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import yaml

from chronotope.io.system import plain_refusal

__all__ = ["write_atomically", "write_json", "write_yaml"]


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


def write_json(path: Path, value: Any) -> None:
    """Write an indented JSON file; an error leaves no incomplete file."""
    with write_atomically(path) as temporary:
        temporary.write_text(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def write_yaml(path: Path, value: Any) -> None:
    """Write a YAML file; an error leaves no incomplete file.

    The keys keep the order of ``value``.
    """
    with write_atomically(path) as temporary:
        text = yaml.dump(value, Dumper=_PlainDumper, sort_keys=False, allow_unicode=True, width=120)
        temporary.write_text(text, encoding="utf-8")


class _PlainDumper(yaml.SafeDumper):
    """A YAML dumper that writes no aliases, because `read_yaml` refuses aliases."""

    def ignore_aliases(self, data: Any) -> bool:
        return True
