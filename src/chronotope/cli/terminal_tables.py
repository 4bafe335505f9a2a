"""Tables without truncated cells.

Columns that do not fit are moved to further tables, which repeat the name columns.
"""

from collections.abc import Collection, Iterator, Sequence

from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text


def fitted(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    words: Collection[int] = (0,),
    names: int = 1,
    room: int | None = None,
    lines: bool = True,
    bold: Collection[int] = (),
) -> Iterator[Table]:
    """Split a table into tables that are at most ``room`` characters wide.

    If ``room`` is None, there is one table. Every table repeats the first ``names`` columns. The columns in ``words``
    contain text: they are aligned left, and wrapped if necessary, except for the name columns. All other columns
    contain numbers and are aligned right. ``bold`` contains the indices of the rows to print in bold. Cells contain no
    markup. A name is split into several lines if it would leave no room for numbers.
    """
    heads = [[head, *(row[place] for row in rows)] for place, head in enumerate(columns)]
    natural = [max(map(_line, cells)) for cells in heads]
    least = [
        max([_word(cells[0]), *map(_line if place < names or place not in words else _word, cells[1:])])
        for place, cells in enumerate(heads)
    ]
    if room is not None:
        least[:names] = [min(width, room * 5 // 8) for width in least[:names]]
    between, edges = (3, 1) if lines else (1, 0)
    for part in _parts([width + between for width in least], names, room, edges):
        free = None if room is None else room - edges - between * len(part)
        widths = _widths([natural[place] for place in part], [least[place] for place in part], free)
        drawn = Table(
            title=Text(title) if title else None,
            title_justify="left",
            title_style="bold",
            box=box.HEAVY_HEAD if lines else None,
            padding=(0, 1) if lines else (0, 1, 0, 0),
            width=sum(widths) + edges + between * len(part),
        )
        for place, width in zip(part, widths, strict=True):
            side = "left" if place in words else "right"
            drawn.add_column(Text(columns[place]), justify=side, width=width, overflow="fold")
        for number, row in enumerate(rows):
            drawn.add_row(*(Text(row[place]) for place in part), style="bold" if number in bold else None)
        yield drawn
        title = ""


def _parts(least: Sequence[int], names: int, room: int | None, edges: int) -> Iterator[list[int]]:
    """Yield the columns of each table.

    A table has the name columns and as many other columns as fit, but at least one other column.
    """
    first = list(range(min(names, len(least))))
    part, taken = first, edges + sum(least[place] for place in first)
    for place in range(len(first), len(least)):
        if len(part) > len(first) and room is not None and taken + least[place] > room:
            yield part
            part, taken = first, edges + sum(least[place] for place in first)
        part, taken = [*part, place], taken + least[place]
    yield part


def _widths(natural: list[int], least: list[int], room: int | None) -> list[int]:
    """Return the width of each column.

    All columns get their full width if the table then fits. Otherwise, text is wrapped to make columns narrower. If the
    table still does not fit, the widest columns are narrowed further, and their words are split.
    """
    widths = list(natural)
    for floor in (least, [1] * len(least)):
        while room is not None and sum(widths) > room:
            spare = [width - low for width, low in zip(widths, floor, strict=True)]
            if max(spare) <= 0:
                break
            widths[spare.index(max(spare))] -= 1
    return widths


def _line(text: str) -> int:
    """Return the width of the longest line of a text."""
    return max(map(cell_len, text.split("\n")))


def _word(text: str) -> int:
    """Return the width of the longest word of a text."""
    return max(map(cell_len, text.split()), default=0)
