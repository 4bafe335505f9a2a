"""Lists and mappings of any length in little memory: a long one keeps its items pickled and compressed.

A short list or mapping holds its items, as usual. When it has more than `KEPT` items, they are packed: `PAGE` items are
pickled together and compressed. A question then needs about 50 bytes instead of a thousand, and 10 microseconds to pack
and unpack. Packed items are unpacked page by page when they are read, and the last pages that were read are kept. So an
item of a long list is a copy: equal to the item that was added, but not the same object.
"""

import io
import pickle
import zlib
from array import array
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from dataclasses import fields, is_dataclass
from functools import lru_cache
from hashlib import blake2b
from operator import attrgetter
from typing import Any, TypeVar, cast, overload

KEPT = 50_000  # maximum number of items that are not packed; so many questions need half a gigabyte in a run
PAGE = 8  # items that are packed together; reading one item unpacks all of these
_READ = 128  # unpacked pages that are kept for each list
_LIKE = 8192  # bytes of the first page of a list, which the compression of all other pages refers to
_DIGEST = 16  # bytes of the hash of a key; among 5 million keys, two equal hashes have a probability of 1e-25

_Item = TypeVar("_Item")
_Key = TypeVar("_Key")


class _Reducers(dict[type, Any]):
    """Maps each data class to a function that packs its fields.

    The way of the standard library takes three times as long for a frozen class with slots.
    """

    def __missing__(self, kind: type) -> Any:
        if not is_dataclass(kind) or not all(one.init for one in fields(kind)):
            raise KeyError(kind)
        names = [one.name for one in fields(kind)]
        get: Any = attrgetter(*names) if len(names) > 1 else lambda value: (getattr(value, names[0]),)
        if hasattr(kind, "__post_init__"):  # would check again what was checked when the item was made
            return self.setdefault(kind, lambda value: (_made, (kind, names, get(value))))
        return self.setdefault(kind, lambda value: (kind, get(value)))


def _made(kind: type, names: Sequence[str], values: Sequence[Any]) -> Any:
    made = object.__new__(kind)
    for name, value in zip(names, values, strict=True):
        object.__setattr__(made, name, value)
    return made


_REDUCERS = _Reducers()


def _pickled(items: Sequence[Any]) -> bytes:
    file = io.BytesIO()
    pickler = pickle.Pickler(file, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _REDUCERS
    pickler.dump(items)
    return file.getvalue()


class _Pages:
    """Pages of packed items."""

    def __init__(self, first: Sequence[Any]) -> None:
        self._like = _pickled(first)[:_LIKE]
        self._pages: list[bytes] = []

    def add(self, items: Sequence[Any]) -> None:
        """Add a page."""
        press = zlib.compressobj(1, zdict=self._like)
        self._pages.append(press.compress(_pickled(items)) + press.flush())

    def read(self, number: int) -> list[Any]:
        """Return the items of a page."""
        return pickle.loads(zlib.decompressobj(zdict=self._like).decompress(self._pages[number]))


class PackedList(Sequence[_Item]):
    """A list to which items can be added; one with more than ``kept`` items is packed.

    By default, ``kept`` is ``KEPT``.
    """

    def __init__(self, items: Iterable[_Item] = (), kept: int | None = None) -> None:
        self._kept = KEPT if kept is None else kept
        self._items: list[_Item] = []  # the last items, which fill no page yet; all items of a short list
        self._pages: _Pages | None = None
        self._start = 0  # the place of the first of them
        for item in items:
            self.append(item)

    def append(self, item: _Item) -> None:
        """Add an item at the end."""
        self._items.append(item)
        if len(self._items) > self._kept or (self._pages is not None and len(self._items) >= PAGE):
            if self._pages is None:
                self._pages = _Pages(self._items[:PAGE])
                self._page = lru_cache(_READ)(self._pages.read)
            whole = len(self._items) // PAGE * PAGE
            for start in range(0, whole, PAGE):
                self._pages.add(self._items[start : start + PAGE])
            del self._items[:whole]
            self._start += whole

    @property
    def is_packed(self) -> bool:
        """Check whether items are packed."""
        return self._pages is not None

    def ended(self) -> Sequence[_Item]:
        """Return the items as a sequence that does not change: a short list becomes a tuple."""
        return tuple(self._items) if self._pages is None else self

    def __len__(self) -> int:
        return self._start + len(self._items)

    @overload
    def __getitem__(self, index: int) -> _Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[_Item]: ...
    def __getitem__(self, index: int | slice) -> _Item | Sequence[_Item]:
        if self._pages is None:
            return self._items[index]
        if isinstance(index, slice):
            return Selected(self, array("I", range(len(self))[index]))
        place = index + len(self) if index < 0 else index
        if place >= self._start:
            return self._items[place - self._start]
        if place < 0:
            raise IndexError("list index out of range")
        return self._page(place // PAGE)[place % PAGE]

    def __iter__(self) -> Iterator[_Item]:
        place = 0
        while place < len(self):  # items may be added while others are read
            page = (
                self._page(place // PAGE)[place % PAGE :] if place < self._start else self._items[place - self._start :]
            )
            yield from page
            place += len(page)

    def __eq__(self, other: object) -> bool:
        return _equal(self, other)

    def __reduce__(self) -> tuple[Any, ...]:
        return PackedList, (tuple(self),)

    def __repr__(self) -> str:
        return repr(self._items) if self._pages is None else f"<list of {len(self):,} packed items>"

    __hash__ = None  # pyright: ignore[reportAssignmentType] (as for a list)


class Selected(Sequence[_Item]):
    """Some items of a packed list, by their places."""

    def __init__(self, items: Sequence[_Item], places: Sequence[int]) -> None:
        self._all, self._places = items, places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> _Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[_Item]: ...
    def __getitem__(self, index: int | slice) -> _Item | Sequence[_Item]:
        if isinstance(index, slice):
            return Selected(self._all, self._places[index])
        return self._all[self._places[index]]

    def __iter__(self) -> Iterator[_Item]:
        return map(self._all.__getitem__, self._places)

    def __eq__(self, other: object) -> bool:
        return _equal(self, other)

    def __reduce__(self) -> tuple[Any, ...]:
        return PackedList, (tuple(self),)

    __hash__ = None  # pyright: ignore[reportAssignmentType] (as for a list)


def _equal(own: Sequence[Any], other: object) -> bool:
    if not isinstance(other, Sequence):
        return NotImplemented
    others = cast("Sequence[object]", other)
    return len(own) == len(others) and all(one == another for one, another in zip(own, others, strict=True))


def select(items: Sequence[_Item], keep: Callable[[_Item], bool]) -> Sequence[_Item]:
    """Return the items for which ``keep`` is true, in order; those of a packed list stay packed."""
    if isinstance(items, PackedList) and items.is_packed:
        return Selected(cast("Sequence[_Item]", items), array("I", (n for n, item in enumerate(items) if keep(item))))
    if isinstance(items, Selected):
        chosen = cast("Selected[_Item]", items)
        places = (place for place, item in zip(chosen._places, chosen, strict=True) if keep(item))
        return Selected(chosen._all, array("I", places))
    return [item for item in items if keep(item)]


def group(items: Sequence[_Item], key_of: Callable[[_Item], _Key]) -> dict[_Key, Sequence[_Item]]:
    """Return the items of each group by its key, in order; those of a packed list stay packed."""
    every, own = (items._all, items._places) if isinstance(items, Selected) else (items, None)
    places: dict[_Key, array[int]] = {}
    for number, item in enumerate(items):
        places.setdefault(key_of(item), array("I")).append(number if own is None else own[number])
    is_long = own is not None or (isinstance(items, PackedList) and items.is_packed)
    return {key: Selected(every, of) if is_long else [items[place] for place in of] for key, of in places.items()}


def chosen(items: Sequence[_Item], places: Sequence[int]) -> Sequence[_Item]:
    """Return the items at these places; those of a packed list stay packed."""
    if isinstance(items, PackedList) and items.is_packed:
        return Selected(cast("Sequence[_Item]", items), array("I", places))
    return tuple(items[place] for place in places)


class Keys:
    """A set of texts that numbers its members from 0, in the order in which they were added.

    Only a hash of each text is kept, so a member needs about 30 bytes.
    """

    def __init__(self, keys: Iterable[str | bytes] = ()) -> None:
        self._digests = bytearray()
        self._table, self._mask = array("I", bytes(4 * 64)), 63  # at the place of each hash: the number + 1, or 0
        for key in keys:
            self.add(key)

    def add(self, key: str | bytes) -> bool:
        """Add a text or its bytes; return whether it is new."""
        there = len(self)
        return self.numbered(key) == there

    def number(self, key: str | bytes) -> int | None:
        """Return the number of a text, or None if it is not a member."""
        return self._find(_digest(key))[1]

    def numbered(self, key: str | bytes) -> int:
        """Return the number of a text, after adding it if it is new."""
        place, number = self._find(digest := _digest(key))
        if number is None:
            number = len(self)
            self._digests += digest
            self._table[place] = number + 1
            if 2 * len(self) > self._mask:
                self._grow()
        return number

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str | bytes) and self.number(key) is not None

    def __len__(self) -> int:
        return len(self._digests) // _DIGEST

    def _find(self, digest: bytes) -> tuple[int, int | None]:
        """Return the place of a hash in the table, and its number if it is there."""
        table, mask, digests = self._table, self._mask, self._digests
        place = int.from_bytes(digest[:8]) & mask
        while found := table[place]:
            if digests[_DIGEST * (found - 1) : _DIGEST * found] == digest:
                return place, found - 1
            place = (place + 1) & mask
        return place, None

    def _grow(self) -> None:
        self._mask = mask = 4 * self._mask + 3
        self._table = table = array("I", bytes(4 * (mask + 1)))
        for number in range(1, len(self) + 1):
            place = int.from_bytes(self._digests[_DIGEST * (number - 1) : _DIGEST * (number - 1) + 8]) & mask
            while table[place]:
                place = (place + 1) & mask
            table[place] = number


def _digest(key: str | bytes) -> bytes:
    data = key if isinstance(key, bytes) else key.encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=_DIGEST).digest()


class ByKey(Mapping[str, _Item]):
    """The items of a packed list by a key of each item; of several items with one key, the last counts."""

    def __init__(self, items: Sequence[_Item], key_of: Callable[[_Item], str]) -> None:
        self._listed, self._key_of, self._keys = items, key_of, Keys()
        self._places = array("I")
        for place, item in enumerate(items):
            number = self._keys.numbered(key_of(item))
            if number == len(self._places):
                self._places.append(place)
            else:
                self._places[number] = place

    def __getitem__(self, key: str) -> _Item:
        number = self._keys.number(key)
        if number is None:
            raise KeyError(key)
        return self._listed[self._places[number]]

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self.pairs())

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self.pairs()),)

    def pairs(self) -> Iterator[tuple[str, _Item]]:
        """Yield keys with their items, in order."""
        return ((self._key_of(item := self._listed[place]), item) for place in self._places)

    def values(self) -> ValuesView[_Item]:
        """Return the items, in order."""
        return _Values(self)

    def items(self) -> ItemsView[str, _Item]:
        """Return keys with their items, in order."""
        return _Items(self)


def by_key(items: Sequence[_Item], key_of: Callable[[_Item], str]) -> Mapping[str, _Item]:
    """Return items by their keys; those of a packed list stay packed."""
    is_long = isinstance(items, Selected) or (isinstance(items, PackedList) and items.is_packed)
    return ByKey(items, key_of) if is_long else {key_of(item): item for item in items}


class PackedDict(Mapping[str, _Item]):
    """A mapping from texts to items, in the order of insertion; a long one is packed."""

    def __init__(self, items: Iterable[tuple[str, _Item]] = ()) -> None:
        self._items: dict[str, _Item] = {}
        self._keys: Keys | None = None
        self._places = array("I")  # of each key, by its number: its pair; the pairs of replaced items stay
        self._listed = PackedList[tuple[str, _Item]]()
        for key, item in items:
            self[key] = item

    def __setitem__(self, key: str, item: _Item) -> None:
        if self._keys is not None:
            self._put(self._keys, key, item)
            return
        self._items[key] = item
        if len(self._items) > KEPT:
            self._keys = Keys()
            items, self._items = self._items, {}
            for one in items.items():
                self._put(self._keys, *one)

    def _put(self, keys: Keys, key: str, item: _Item) -> None:
        number = keys.numbered(key)
        if number == len(self._places):
            self._places.append(len(self._listed))
        else:
            self._places[number] = len(self._listed)
        self._listed.append((key, item))

    def __getitem__(self, key: str) -> _Item:
        if self._keys is None:
            return self._items[key]
        number = self._keys.number(key)
        if number is None:
            raise KeyError(key)
        return self._listed[self._places[number]][1]

    def __contains__(self, key: object) -> bool:
        return key in (self._items if self._keys is None else self._keys)

    def __len__(self) -> int:
        return len(self._items) if self._keys is None else len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._items) if self._keys is None else (key for key, _ in self.pairs())

    def __reduce__(self) -> tuple[Any, ...]:
        return PackedDict, (tuple(self.pairs()),)

    def pairs(self) -> Iterator[tuple[str, _Item]]:
        """Yield keys with their items, in order."""
        return iter(self._items.items()) if self._keys is None else (self._listed[place] for place in self._places)

    def values(self) -> ValuesView[_Item]:
        """Return the items, in order."""
        return _Values(self)

    def items(self) -> ItemsView[str, _Item]:
        """Return keys with their items, in order."""
        return _Items(self)


class _Values(ValuesView[_Item]):
    """The items of a mapping, read page by page."""

    _mapping: "PackedDict[_Item] | ByKey[_Item]"

    def __iter__(self) -> Iterator[_Item]:
        return (item for _, item in self._mapping.pairs())


class _Items(ItemsView[str, _Item]):
    """The keys and items of a mapping, read page by page."""

    _mapping: "PackedDict[_Item] | ByKey[_Item]"

    def __iter__(self) -> Iterator[tuple[str, _Item]]:
        return self._mapping.pairs()
