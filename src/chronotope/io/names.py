"""Checks and conversions that make file names and relative paths safe."""

import re
import unicodedata
from pathlib import Path

from chronotope.io.hashes import sha256_bytes

QUOTED = 200  # characters of a foreign value that a message quotes
_DIRECTIONS = frozenset(["LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"])


def slug(text: str) -> str:
    """Turn ``text`` into a name that is safe as a file name.

    The name consists of lower-case ASCII letters, digits, dots, dashes and underscores. If the text has no such
    characters (for example, if it is Chinese), the name is a hash of the text. Equal texts give equal names.
    """
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9._]+", "-", ascii_text.lower()).strip("-._")
    return name or f"n{sha256_bytes(text.encode())[:12]}"


def plain_name(text: str) -> str:
    """Return ``text`` if it is a plain name, otherwise its slug.

    A plain name has up to 100 ASCII letters, digits and ``.-_``, and does not begin with a dot.
    """
    return text if re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}", text) else slug(text)[:100]


def path_fault(path: str) -> str | None:
    """Describe the fault of a relative path, or return None.

    A valid path is relative, uses slashes and does not lead out of its folder. Invisible characters that join letters
    or set the writing direction are allowed, because names in some scripts need them. Line breaks and control
    characters are not allowed.
    """
    parts = path.split("/")
    try:
        path.encode()
    except UnicodeEncodeError:
        return f"path {path[:200]!r} is not text in UTF-8; rename the file"
    plain = path.isascii() and path.isprintable()
    if not plain and any(unicodedata.category(sign) in ("Cc", "Zl", "Zp") for sign in path):
        return f"path {path[:200]!r} contains a line break or a control character; rename the file"
    unsafe = path.startswith("/") or "\\" in path or (len(path) > 1 and path[1] == ":")
    if unsafe or any(part in ("", ".", "..") for part in parts):
        return f"path {path[:200]!r} is not safe; expected a relative path with slashes, without the parts '.' and '..'"
    return None


def name_fault(name: str) -> str | None:
    """Describe the fault of a file name, or return None.

    A valid name has at most 200 bytes, only printable characters, no slash or backslash, and no dot at the beginning.
    """
    if name.isprintable() and not set(name) & set("/\\") and not name.startswith(".") and 0 < len(name.encode()) <= 200:
        return None
    return (
        f"{name[:60]!r} is not a safe name; expected up to 200 printable characters without '/' and '\\', and no '.' "
        "at the beginning"
    )


def same_name(name: str) -> str:
    """Return a key that is equal for two names of one file.

    Some file systems take two such names for the same. Such names differ only in upper and lower case, or in the form
    of accented letters (composed or decomposed).
    """
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def spelled(path: Path) -> Path | None:
    """Find a file by its path, in any spelling of its name.

    A table may spell the name otherwise than the disk. The name may differ in the form of accented letters (macOS
    stores them decomposed), or in the case of its suffix. The result is None if there is no such file, or if its folder
    cannot be read.
    """
    for name in dict.fromkeys([path.name, *(unicodedata.normalize(form, path.name) for form in ("NFC", "NFD"))]):
        stem, dot, suffix = name.rpartition(".")
        for end in dict.fromkeys([suffix, suffix.lower(), suffix.upper()]):
            try:
                if (found := path.with_name(f"{stem}{dot}{end}")).is_file():
                    return found
            except (OSError, ValueError):  # too long, or no access
                return None
    return None


def printable(text: str, most: int = 200) -> str:
    """Return a foreign name without signs that a terminal obeys.

    Pages obey such signs, too. Control characters, marks that set the writing direction, line separators and unpaired
    surrogates become blanks; several blanks become one. A text of more than ``most`` characters is cut.
    """
    pairs = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # Java writes other signs as two halves
    shown = "".join(" " if _is_obeyed(sign) else sign for sign in pairs[: 4 * most])
    return " ".join(shown.split())[:most]


def _is_obeyed(sign: str) -> bool:
    return unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp") or unicodedata.bidirectional(sign) in _DIRECTIONS


def value_words(value: object) -> str:
    """Return the beginning of a value's repr.

    The repr of a foreign value can raise an error.
    """
    try:
        text = repr(value)
    except BaseException:  # noqa: BLE001 (a foreign class can raise anything)
        text = f"a {type(value).__name__} whose repr cannot be read"
    return text if len(text) <= QUOTED else f"{text[:QUOTED]}…"
