"""The tables of a report's page, read as a person does: by the model's name and the head of the column."""

from html.parser import HTMLParser


class Tables(HTMLParser):
    """Every table of a page by the label of its box: rows of cells, each cell its words with single blanks."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.classes: dict[str, list[str | None]] = {}
        self._label = ""
        self._cell: list[str] | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag in ("div", "figure") and attributes.get("class") == "wide":
            self._label = attributes["aria-label"] or ""
        elif tag == "tr":
            self.tables.setdefault(self._label, []).append([])
            self.classes.setdefault(self._label, []).append(attributes.get("class"))
        elif tag in ("td", "th"):
            self._cell = []
        elif tag in ("small", "br", "span") and self._cell is not None:
            self._cell.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th") and self._cell is not None:
            self.tables[self._label][-1].append(" ".join("".join(self._cell).split()))
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)

    def rows(self, label: str) -> dict[str, dict[str, str]]:
        """Rows by the model's name, cells by the head of their column."""
        [(_, rows)] = [(name, rows) for name, rows in self.tables.items() if name.startswith(label)]
        heads = next(row for row in rows if row[0] in ("model", "minus", ""))
        heads = rows[1] if rows[0][0] == "" and rows[1][0] == "model" else heads
        return {row[0]: dict(zip(heads[1:], row[1:], strict=False)) for row in rows[rows.index(heads) + 1 :]}


def row_of(rows: dict[str, dict[str, str]], model: str) -> dict[str, str]:
    """The cells of one model, whose name may be followed by marks."""
    [row] = [cells for name, cells in rows.items() if name.partition(" ")[0] == model]
    return row
