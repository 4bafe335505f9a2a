"""Paths that users give."""

from pathlib import Path

from chronotope.errors import InputError

__all__ = ["existing", "runs_in"]


def existing(path: Path) -> Path:
    """Return the path, or raise InputError if nothing exists there."""
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    return path


def runs_in(folder: Path) -> list[Path]:
    """Return the run at ``folder``, or the runs inside it by name."""
    inside = [] if (folder / "run.yaml").exists() else sorted(card.parent for card in folder.glob("[!.]*/run.yaml"))
    return inside or [folder]
