"""Write files and folders whole or not at all."""

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
    """Yield a temporary path that replaces ``path`` at the end.

    The caller may create a file or a folder there. After an exception it is deleted. The temporary name keeps the
    suffix, because encoders use it. An OSError without a file name, or with the temporary one, is raised again with
    ``path``.
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
            # A read-only file system refuses to remove even what is not there, and would hide why nothing is.
            with suppress(OSError):
                temporary.unlink()


def write_json(path: Path, value: Any) -> None:
    """Write indented JSON, whole or not at all."""
    with write_atomically(path) as temporary:
        temporary.write_text(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def write_yaml(path: Path, value: Any) -> None:
    """Write YAML, whole or not at all, with keys in order."""
    with write_atomically(path) as temporary:
        text = yaml.dump(value, Dumper=_PlainDumper, sort_keys=False, allow_unicode=True, width=120)
        temporary.write_text(text, encoding="utf-8")


class _PlainDumper(yaml.SafeDumper):
    """A dumper of YAML without aliases, which `read_yaml` refuses."""

    def ignore_aliases(self, data: Any) -> bool:
        return True
