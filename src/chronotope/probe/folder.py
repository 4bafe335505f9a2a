"""The folder of a probe: its manifest, the rows of each unit, tables and figures."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from chronotope.errors import InputError
from chronotope.io import path_fault, read_yaml, refuse_links, write_atomically, write_yaml
from chronotope.io.parquet import arrow_path, reading_table
from chronotope.probe.layer import Row, Summary

PROBE, SCHEMA = "probe.yaml", 2
_PARTS, _FIGURES, LOCK = "parts", "figures", ".lock"
_UNIT = "unit"  # the column with the id of a row's unit


def _inside(path: str) -> str:
    """Check that a path of the manifest stays in the folder."""
    if fault := path_fault(path):
        raise ValueError(fault)
    return path


InsidePath = Annotated[str, AfterValidator(_inside)]


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FigureFile(_Plain):
    """A figure of a probe: its path in the folder, its title and its caption."""

    path: InsidePath
    title: str
    words: str


class LayerEntry(_Plain):
    """A measured layer: its settings, the number of its units, its tables by name, and its figures.

    ``complete`` is false while units are missing.
    """

    settings: dict[str, Any] = Field(default_factory=dict)
    units: int = 0
    complete: bool = False
    tables: dict[str, InsidePath] = Field(default_factory=dict)
    figures: list[FigureFile] = Field(default_factory=list)


class ProbeManifest(_Plain):
    """The content of ``probe.yaml``.

    ``weights`` identifies the weights of the model: a commit, or a hash of its files.
    """

    schema_version: int = SCHEMA
    benchmark: str
    path: str
    content_hash: str
    family: str
    model: str
    weights: dict[str, Any]
    layers: dict[str, LayerEntry] = Field(default_factory=dict)
    versions: dict[str, str] = Field(default_factory=dict)


def is_probe(folder: Path) -> bool:
    """Check whether a folder is the folder of a probe."""
    return (folder / PROBE).is_file()


def read_manifest(folder: Path) -> ProbeManifest:
    """Read the manifest of a probe.

    Raises:
        InputError: If the folder is not a probe, or has another version.
    """
    path = folder / PROBE
    if not path.is_file():
        raise InputError(f"{folder}: is not the folder of a probe: it has no {PROBE}")
    values = read_yaml(path)
    version = values.get("schema_version")
    if isinstance(version, int) and version > SCHEMA:
        raise InputError(f"{path}: schema version {version}, but this version reads up to {SCHEMA}: update chronotope")
    if isinstance(version, int) and version < SCHEMA:
        raise InputError(
            f"{path}: was measured by an older version, which counted tokens otherwise: run chronotope probe again "
            "with another --out"
        )
    try:
        return ProbeManifest.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(f"{path}: field {'.'.join(map(str, first['loc']))!r}: {first['msg']}") from None


def read_table(folder: Path, path: str) -> list[Row]:
    """Read a table of a probe.

    Raises:
        InputError: If the table is missing or damaged.
    """
    with reading_table(folder / path, remedy="run chronotope probe again"):
        return pq.read_table(arrow_path(folder / path)).to_pylist()


class ProbeStore:
    """The rows of one layer in the folder of a probe.

    The rows of a unit become one file as soon as the unit is measured. At the end these files become one table.
    """

    def __init__(self, folder: Path, layer: str) -> None:
        self.folder, self.layer = folder, layer
        self._parts = folder / _PARTS / layer
        self._table = folder / f"{layer}.parquet"
        refuse_links(self._parts.parent, self._parts, self._table, folder / _FIGURES)

    def done(self) -> set[str]:
        """Return the ids of the measured units."""
        parts = self._parts.glob("*.parquet") if self._parts.is_dir() else ()
        found = {unit for part in parts if (unit := self._unit(part)) is not None}
        if self._table.exists():
            with reading_table(self._table, remedy="delete it, and run the same command again"):
                found |= set(pq.read_table(arrow_path(self._table), columns=[_UNIT])[_UNIT].to_pylist())
        return found

    def keep(self, unit: str, rows: Sequence[Row]) -> None:
        """Store the rows of a unit."""
        assert rows, unit
        table = pa.Table.from_pylist([{_UNIT: unit} | dict(row) for row in rows])
        name = hashlib.sha256(unit.encode()).hexdigest()[:32]
        with write_atomically(self._parts / f"{name}.parquet") as temporary:
            pq.write_table(table, arrow_path(temporary))

    def join(self) -> None:
        """Put the rows of all units into one table."""
        parts = sorted(self._parts.glob("*.parquet")) if self._parts.is_dir() else []
        if not parts:
            return
        tables = {part: pq.read_table(arrow_path(part)) for part in parts}
        newer = {unit for table in tables.values() for unit in table[_UNIT].to_pylist()}
        if self._table.exists():
            old = pq.read_table(arrow_path(self._table))
            kept = pa.array([unit not in newer for unit in old[_UNIT].to_pylist()], pa.bool_())
            tables = {self._table: old.filter(kept), **tables}
        with write_atomically(self._table) as temporary:
            pq.write_table(pa.concat_tables(tables.values(), promote_options="permissive"), arrow_path(temporary))
        for part in parts:
            part.unlink()
        self._parts.rmdir()
        if not any(self._parts.parent.iterdir()):
            self._parts.parent.rmdir()

    def rows(self, units: set[str]) -> list[Row]:
        """Return the rows of some units."""
        return [row for row in read_table(self.folder, self._table.name) if row[_UNIT] in units]

    def write(self, summary: Summary) -> tuple[dict[str, str], list[FigureFile]]:
        """Write tables and figures; return their paths in the folder."""
        tables: dict[str, str] = {}
        for name, rows in summary.tables.items():
            if rows:
                tables[name] = f"{self.layer}-{name}.parquet"
                with write_atomically(self.folder / tables[name]) as temporary:
                    pq.write_table(pa.Table.from_pylist([dict(row) for row in rows]), arrow_path(temporary))
        figures: list[FigureFile] = []
        for one in summary.figures:
            path = f"{_FIGURES}/{self.layer}-{one.name}.svg"
            with write_atomically(self.folder / path) as temporary:
                temporary.write_text(one.svg, encoding="utf-8")
            figures.append(FigureFile(path=path, title=one.title, words=one.words))
        return tables, figures

    def _unit(self, part: Path) -> str | None:
        """Return the unit of a part.

        A damaged part is removed, so that its unit is measured again.
        """
        try:
            return pq.read_table(arrow_path(part), columns=[_UNIT])[_UNIT][0].as_py()
        except (OSError, ValueError, KeyError, IndexError, pa.ArrowException):
            part.unlink(missing_ok=True)
            return None


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder of a probe for this process.

    Raises:
        InputError: If another process works on the folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    refuse_links(folder / LOCK, folder / PROBE)
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise InputError(
            f"{folder}: another process works on this probe: wait for it, or choose another --out"
        ) from None
    try:
        yield
    finally:
        lock.release()
        (folder / LOCK).unlink(missing_ok=True)


def join_manifest(folder: Path, wanted: ProbeManifest, layer: str, settings: Mapping[str, Any]) -> ProbeManifest:
    """Make or continue the manifest of a probe, for a layer.

    Raises:
        InputError: If the folder has another probe, or other files.
    """
    if not is_probe(folder):
        others = sorted(one.name for one in folder.iterdir() if one.name != LOCK)
        if others:
            raise InputError(f"{folder}: contains {others[0]}, and is not the folder of a probe: choose another --out")
        return _with_layer(wanted, layer, settings)
    there = read_manifest(folder)
    for name, words in (
        ("content_hash", "another benchmark"),
        ("model", "another model"),
        ("weights", "other weights"),
    ):
        if getattr(there, name) != getattr(wanted, name):
            raise InputError(
                f"{folder}: is the probe of {words} ({name}: {getattr(there, name)!r}, now {getattr(wanted, name)!r}): "
                "choose another --out"
            )
    entry = there.layers.get(layer)
    if entry is not None and entry.settings != dict(settings):
        differing = [key for key in {**entry.settings, **settings} if entry.settings.get(key) != settings.get(key)]
        raise InputError(
            f"{folder}: layer {layer} was measured with {differing[0]} {entry.settings.get(differing[0])!r}, now "
            f"{settings.get(differing[0])!r}: use the same settings, or choose another --out"
        )
    return there if entry is not None else _with_layer(there, layer, settings)


def _with_layer(manifest: ProbeManifest, layer: str, settings: Mapping[str, Any]) -> ProbeManifest:
    return manifest.model_copy(update={"layers": {**manifest.layers, layer: LayerEntry(settings=dict(settings))}})


def store_manifest(folder: Path, manifest: ProbeManifest) -> None:
    """Write the manifest of a probe."""
    write_yaml(folder / PROBE, manifest.model_dump(mode="json"))
