"""Names that are safe as those of files, and paths that stay in their folder."""

import re
import unicodedata
from pathlib import PurePosixPath

from chronotope.io.hashes import sha256_bytes

__all__ = ["name_fault", "path_fault", "plain_name", "slug"]


def slug(text: str) -> str:
    """A stable name of lower-case ASCII letters, digits, dots, dashes and underscores, safe as a file name.

    A text of which nothing is left (another script) is named by its hash.
    """
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9._]+", "-", ascii_text.lower()).strip("-._")
    return name or f"n{sha256_bytes(text.encode())[:12]}"


def plain_name(text: str) -> str:
    """The text itself if it is plain (up to 100 ASCII letters, digits, ``.-_``, no dot first), else its slug."""
    return text if re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}", text) else slug(text)[:100]


def path_fault(path: str) -> str | None:
    """What is wrong with a path inside a folder: None for a relative one with slashes that stays in the folder.

    Signs that join letters or set their direction are part of names in some scripts; breaks of lines are not.
    """
    parts = path.split("/")
    try:
        path.encode()
    except UnicodeEncodeError:
        return f"path {path[:200]!r} is not text in UTF-8; rename the file"
    if any(unicodedata.category(sign) in ("Cc", "Zl", "Zp") for sign in path):
        return f"path {path[:200]!r} has a line break or a control character in it; rename the file"
    unsafe = path.startswith("/") or "\\" in path or (len(path) > 1 and path[1] == ":")
    if unsafe or any(part in ("", ".", "..") for part in parts) or str(PurePosixPath(path)) != path:
        return (
            f"path {path[:200]!r} is not safe; expected one relative to the folder, with slashes, without '.' and '..'"
        )
    return None


def name_fault(name: str) -> str | None:
    """What is wrong with a name that is to be a file's: None for a printable one that is a single part of a path."""
    if name.isprintable() and not set(name) & set("/\\") and not name.startswith(".") and 0 < len(name.encode()) <= 200:
        return None
    return f"{name[:60]!r} is no safe name; expected up to 200 printable characters without '/' and '\\', no '.' first"
