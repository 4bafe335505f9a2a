"""Replies in a table with a header, as CSV or TSV."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from chronotope.errors import InputError

# Names of the columns, the most certain first; case, blanks and underscores do not matter.
IDS = ("id", "questionid", "qid", "questionids", "askid", "itemid", "sampleid", "exampleid", "uid", "index")
REPLIES = (
    *("reply", "response", "rawresponse", "modelresponse", "modelreply", "prediction", "pred", "modelprediction"),
    *("modeloutput", "output", "rawoutput", "generatedtext", "generation", "completion", "modelanswer", "answer"),
)
# A column of this name can have the correct answers. It has the replies only if nothing else could be there.
UNSURE = "answer"
DELIMITERS = ("\t", ",", ";")


def is_table(path: Path, text: str) -> bool:
    """Check whether a file is a table with a header, not JSON.

    The suffix decides (``.csv``, ``.tsv``); otherwise, the first line has a delimiter and the name of a column.
    """
    if path.suffix.lower() in (".csv", ".tsv"):
        return True
    first = text.lstrip().partition("\n")[0].strip()
    if not first or first[0] in "{[":
        return False
    names = {_plain(name) for name in _cells(first, _delimiter(first))}
    return bool(names & set(IDS)) and len(names) > 1


def read_table(path: Path, text: str) -> tuple[list[tuple[int, str, str | None]], str | None]:
    """Read the rows of a table: line, id, and reply.

    An empty cell is not a reply. The second value is a sentence that names the columns, if they have other names than
    ``id`` and ``reply``.

    Raises:
        InputError: If the header has no such columns, the replies may be the correct answers, or a row has another
            number of cells.
    """
    header = next((line for line in text.split("\n") if line.strip()), "")
    delimiter = "\t" if path.suffix.lower() == ".tsv" else _delimiter(header)
    before = csv.field_size_limit(len(text) + 1)  # a reply that is too large costs one row, not the table
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise InputError(
            f"{path}: cannot be read as a table at line {reader.line_num} ({error}): save it again as CSV or TSV, with "
            "each quote in a cell doubled"
        ) from None
    finally:
        csv.field_size_limit(before)
    if not rows:
        return [], None
    (_, names), *lines = rows
    of_id, of_reply = _column(path, names, IDS, "id"), _column(path, names, REPLIES, "reply")
    if _plain(names[of_reply]) == UNSURE and len(names) > 2:
        raise InputError(
            f"{path}: the column {names[of_reply]!r} may have the correct answers, and none is named 'reply': "
            "rename the column of the replies to 'reply'"
        )
    for number, row in lines:
        if len(row) != len(names):
            raise InputError(
                f"{path}: line {number} has {len(row)} cells, the header has {len(names)}: quote cells that contain "
                f"{delimiter!r} or line breaks"
            )
    told = None
    if (names[of_id].strip(), names[of_reply].strip()) != ("id", "reply"):
        told = f"{path.name}: the ids are read from the column {names[of_id]!r}, the replies from {names[of_reply]!r}"
    return [
        (number, row[of_id].strip(), row[of_reply] if row[of_reply].strip() else None) for number, row in lines
    ], told


def _column(path: Path, names: Sequence[str], known: Sequence[str], what: str) -> int:
    plain = [_plain(name) for name in names]
    found = next((plain.index(name) for name in known if name in plain), None)
    if found is None:
        shown = ", ".join(repr(name) for name in names[:12])
        raise InputError(f"{path}: no column is named {what!r} (the columns are {shown}): rename the column")
    if plain.count(plain[found]) > 1:
        raise InputError(f"{path}: several columns are named {names[found]!r}: rename or remove all but one")
    return found


def _plain(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def _delimiter(header: str) -> str:
    return max(DELIMITERS, key=header.count)


def _cells(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter), [])
