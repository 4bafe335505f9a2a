"""Lists and mappings of any length in bounded memory: the items of a long one are in a temporary file.

A short list or mapping is in memory, as usual. When it has more than `KEPT` items, all items move to a temporary SQLite
database. SQLite makes it in the folder for temporary files (``TMPDIR``), and deletes it when the process ends, even if
the process is killed. An item that was read is a copy: equal to the item that was added, but not the same object.
"""

import io
import pickle
import sqlite3
from collections.abc import ItemsView, Iterable, Iterator, MutableMapping, Sequence, ValuesView
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from operator import attrgetter
from typing import Any, TypeVar, cast, overload

from chronotope.errors import InputError

KEPT = 5_000_000  # maximum number of items in memory: until scores are bounded, too, a run needs more with a lower one
_PAGE = 256  # items that are read at once
_CACHE = 16 << 10  # KiB of the database in memory

_Item = TypeVar("_Item")


class _Reducers(dict[type, Any]):
    """Maps each data class to a function that packs its fields.

    The way of the standard library takes three times as long for a frozen class with slots.
    """

    def __missing__(self, kind: type) -> Any:
        if not is_dataclass(kind) or not all(one.init for one in fields(kind)):
            raise KeyError(kind)
        names = [one.name for one in fields(kind)]
        get: Any = attrgetter(*names) if len(names) > 1 else lambda value: (getattr(value, names[0]),)
        return self.setdefault(kind, lambda value: (kind, get(value)))


_REDUCERS = _Reducers()


def _packed(item: Any) -> bytes:
    file = io.BytesIO()
    pickler = pickle.Pickler(file, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _REDUCERS
    pickler.dump(item)
    return file.getvalue()


@contextmanager
def _plain_errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError as error:
        raise InputError(
            f"the folder for temporary files cannot hold the data of this command ({error}): free disk space there, "
            "or set TMPDIR to another folder"
        ) from error


class _Table:
    """A table of packed items, each with a place from 0 and a key."""

    def __init__(self) -> None:
        with _plain_errors():
            self._file = sqlite3.connect("", isolation_level=None, check_same_thread=False)
            for words in (
                "PRAGMA journal_mode=OFF", f"PRAGMA cache_size=-{_CACHE}",
                "CREATE TABLE items (place INTEGER PRIMARY KEY, key TEXT UNIQUE, item BLOB)", "BEGIN",
            ):  # fmt: skip
                self._file.execute(words)

    def do(self, words: str, *values: Any) -> sqlite3.Cursor:
        with _plain_errors():
            return self._file.execute(words, values)

    def put(self, place: int, key: str | None, item: Any) -> None:
        self.do("INSERT INTO items VALUES (?, ?, ?)", place, key, _packed(item))

    def one(self, where: str, value: Any) -> Any:
        """Return the first column of a row, or None."""
        found = self.do(f"SELECT item FROM items WHERE {where} = ?", value).fetchone()
        return None if found is None else found[0]

    def pages(self, column: str, start: int = 0) -> Iterator[Any]:
        """Yield a column of all rows, in order, even if rows are added."""
        while True:
            words = f"SELECT place, {column} FROM items WHERE place >= ? ORDER BY place LIMIT {_PAGE}"
            rows = self.do(words, start).fetchall()
            yield from (row[1:] for row in rows)
            if len(rows) < _PAGE:
                return
            start = rows[-1][0] + 1


class SpilledList(Sequence[_Item]):
    """A list to which items can be added; a long one is on the disk."""

    def __init__(self, items: Iterable[_Item] = ()) -> None:
        self._items: list[_Item] = []
        self._table: _Table | None = None
        self._length = 0
        for item in items:
            self.append(item)

    def append(self, item: _Item) -> None:
        """Add an item at the end."""
        if self._table is None:
            self._items.append(item)
            if len(self._items) > KEPT:
                self._table = _Table()
                for place, one in enumerate(self._items):
                    self._table.put(place, None, one)
                self._items = []
        else:
            self._table.put(self._length, None, item)
        self._length += 1

    def ended(self) -> Sequence[_Item]:
        """Return the items as a sequence that does not change: a short list becomes a tuple."""
        return tuple(self._items) if self._table is None else self

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> _Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[_Item]: ...
    def __getitem__(self, index: int | slice) -> _Item | Sequence[_Item]:
        if self._table is None:
            return self._items[index]
        places = range(self._length)[index]
        if isinstance(places, range):
            return SpilledList(self[place] for place in places)
        return pickle.loads(self._table.one("place", places))

    def __iter__(self) -> Iterator[_Item]:
        if self._table is None:
            return iter(self._items)
        return (pickle.loads(item) for (item,) in self._table.pages("item"))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        others = cast("Sequence[object]", other)
        return len(self) == len(others) and all(own == one for own, one in zip(self, others, strict=True))

    def __reduce__(self) -> tuple[Any, ...]:
        return SpilledList, (tuple(self),)

    def __repr__(self) -> str:
        return repr(self._items) if self._table is None else f"<list of {self._length:,} items in a temporary file>"

    __hash__ = None  # pyright: ignore[reportAssignmentType] (as for a list)


class SpilledDict(MutableMapping[str, _Item]):
    """A mapping from texts to items, in the order of insertion; a long one is on the disk."""

    def __init__(self, items: Iterable[tuple[str, _Item]] = ()) -> None:
        self._items: dict[str, _Item] = {}
        self._table: _Table | None = None
        self._length = self._next = 0
        for key, item in items:
            self[key] = item

    def __setitem__(self, key: str, item: _Item) -> None:
        if self._table is None:
            self._items[key] = item
            if len(self._items) > KEPT:
                self._table = _Table()
                items, self._items = self._items, {}
                for one in items.items():
                    self._add(self._table, *one)
        elif self._table.do("UPDATE items SET item = ? WHERE key = ?", _packed(item), key).rowcount == 0:
            self._add(self._table, key, item)

    def _add(self, table: _Table, key: str, item: _Item) -> None:
        table.put(self._next, key, item)
        self._next, self._length = self._next + 1, self._length + 1

    def __getitem__(self, key: str) -> _Item:
        if self._table is None:
            return self._items[key]
        found = self._table.one("key", key)
        if found is None:
            raise KeyError(key)
        return pickle.loads(found)

    def __delitem__(self, key: str) -> None:
        if self._table is None:
            del self._items[key]
        elif self._table.do("DELETE FROM items WHERE key = ?", key).rowcount:
            self._length -= 1
        else:
            raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        if self._table is None:
            return key in self._items
        return self._table.do("SELECT 1 FROM items WHERE key = ?", key).fetchone() is not None

    def __len__(self) -> int:
        return len(self._items) if self._table is None else self._length

    def __iter__(self) -> Iterator[str]:
        if self._table is None:
            return iter(self._items)
        return (key for (key,) in self._table.pages("key"))

    def __reduce__(self) -> tuple[Any, ...]:
        return SpilledDict, (tuple(self.pairs()),)

    def pairs(self) -> Iterator[tuple[str, _Item]]:
        """Yield keys with their items, in order."""
        if self._table is None:
            return iter(self._items.items())
        return ((key, pickle.loads(item)) for key, item in self._table.pages("key, item"))

    def values(self) -> ValuesView[_Item]:
        """Return the items, in order."""
        return _Values(self)

    def items(self) -> ItemsView[str, _Item]:
        """Return keys with their items, in order."""
        return _Items(self)


class _Values(ValuesView[_Item]):
    """The items of a mapping, read page by page."""

    _mapping: SpilledDict[_Item]

    def __iter__(self) -> Iterator[_Item]:
        return (item for _, item in self._mapping.pairs())


class _Items(ItemsView[str, _Item]):
    """The keys and items of a mapping, read page by page."""

    _mapping: SpilledDict[_Item]

    def __iter__(self) -> Iterator[tuple[str, _Item]]:
        return self._mapping.pairs()
