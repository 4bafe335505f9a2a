"""The tables camera.parquet and tracks.parquet, which contain the data of each sample in plain columns.

Any Parquet reader can read both tables.

camera.parquet has one row for each sample. The columns of camera.parquet are ``time`` (s), ``valid``, and
``camera_00`` to ``camera_33`` for world_T_camera (first digit: row, second digit: column). If the recording has the
data, camera.parquet also has these columns:

- ``intrinsics_00`` to ``intrinsics_22``
- ``vehicle_00`` to ``vehicle_33``
- ``velocity_x`` to ``velocity_z`` (m/s)
- ``depth`` and ``identities`` (file names)

tracks.parquet has one row for each entity and sample. The columns of tracks.parquet are ``entity``, ``frame``,
``pose_00`` to ``pose_33``, and the other values of an entity per frame. If a thing does not move, its pose is in one
row whose ``frame`` is null.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from chronotope.errors import InputError
from chronotope.io.parquet import arrow_path, reading_table
from chronotope.recording.document import EntityFile, RecordingFile
from chronotope.recording.types import Entity, Recording

# Field of Entity -> its columns. A field with one column is (T,); all other fields are (T, number of columns).
PER_FRAME: dict[str, tuple[str, ...]] = {
    "visible": ("visible",),
    "visible_pixels": ("visible_pixels",),
    "visible_fraction": ("visible_fraction",),
    "box2d": ("box_x0", "box_y0", "box_x1", "box_y1"),
    "label_speed": ("speed_x", "speed_y", "speed_z"),
}
_TYPES = {"visible": pa.bool_(), "visible_pixels": pa.int64()}
_DTYPES = {"visible": np.bool_, "visible_pixels": np.int64}


class CameraColumns(TypedDict):
    """The fields of ``Recording`` that camera.parquet stores."""

    times: np.ndarray
    valid: np.ndarray
    world_T_camera: np.ndarray
    intrinsics: np.ndarray | None
    vehicle_pose: np.ndarray | None
    velocity: np.ndarray | None
    depth: tuple[str | None, ...] | None
    identities: tuple[str | None, ...] | None


_MOST_BYTES = 4 << 30
_VELOCITY = ("velocity_x", "velocity_y", "velocity_z")

Tracks = list[dict[str, np.ndarray]]


def _names(prefix: str, rows: int, columns: int) -> list[str]:
    return [f"{prefix}_{row}{column}" for row in range(rows) for column in range(columns)]


_POSE = tuple(_names("pose", 4, 4))


def _matrix_columns(prefix: str, matrices: np.ndarray) -> dict[str, pa.Array]:
    count, rows, columns = matrices.shape
    flat = np.asarray(matrices, np.float64).reshape(count, rows * columns)
    return {name: pa.array(flat[:, i].copy()) for i, name in enumerate(_names(prefix, rows, columns))}


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table to a Parquet file that preserves every bit.

    Dictionary encoding is not used, because it would merge the values 0.0 and -0.0, and different NaNs.
    """
    pq.write_table(table, arrow_path(path), compression="zstd", use_dictionary=False, write_statistics=False)


def camera_table(recording: Recording) -> pa.Table:
    """Return the table camera.parquet of a recording."""
    columns: dict[str, pa.Array] = {
        "time": pa.array(np.asarray(recording.times, np.float64)),
        "valid": pa.array(np.asarray(recording.valid, np.bool_)),
        **_matrix_columns("camera", recording.world_T_camera),
    }
    if recording.intrinsics is not None and recording.intrinsics.ndim == 3:
        columns |= _matrix_columns("intrinsics", recording.intrinsics)
    if recording.vehicle_pose is not None:
        columns |= _matrix_columns("vehicle", recording.vehicle_pose)
    if recording.velocity is not None:
        values = np.asarray(recording.velocity, np.float64)
        columns |= {name: pa.array(values[:, i].copy()) for i, name in enumerate(_VELOCITY)}
    for name, files in (("depth", recording.depth), ("identities", recording.identities)):
        if files is not None:
            columns[name] = pa.array(files, pa.string())
    return pa.table(columns)


def tracks_table(recording: Recording) -> pa.Table | None:
    """Return the table tracks.parquet, or None if there are no entities."""
    parts = [part for entity in recording.entities for part in _entity_parts(entity, len(recording.times))]
    return pa.concat_tables(parts) if parts else None


def _entity_parts(entity: Entity, samples: int) -> list[pa.Table]:
    """Return the rows of an entity as a list of tables.

    If the entity does not move, the first row has its constant pose, and the frame in this row is null. The rows
    for single samples follow, if the entity has values per sample.
    """
    static = len(entity.poses) == 1
    known = {name: np.asarray(value) for name in PER_FRAME if (value := getattr(entity, name)) is not None}
    parts = [_entity_rows(entity.id, pa.nulls(1, pa.int32()), entity.poses, {})] if static else []
    if known or not static:
        frames = pa.array(np.arange(samples, dtype=np.int32))
        parts.append(_entity_rows(entity.id, frames, None if static else entity.poses, known))
    return parts


def _entity_rows(name: str, frames: pa.Array, poses: np.ndarray | None, known: dict[str, np.ndarray]) -> pa.Table:
    count = len(frames)
    columns: dict[str, pa.Array] = {"entity": pa.array([name] * count, pa.string()), "frame": frames}
    if poses is None:
        columns |= {column: pa.nulls(count, pa.float64()) for column in _POSE}
    else:
        columns |= _matrix_columns("pose", poses)
    for field, names in PER_FRAME.items():
        kind, dtype = _TYPES.get(field, pa.float64()), _DTYPES.get(field, np.float64)
        if field in known:
            values = known[field].astype(dtype).reshape(count, len(names))
            columns |= {column: pa.array(values[:, i].copy(), kind) for i, column in enumerate(names)}
        else:
            columns |= {column: pa.nulls(count, kind) for column in names}
    return pa.table(columns)


def _read(path: Path) -> pa.Table:
    if not path.is_file():
        raise InputError(f"{path}: no such file, but the recording.json in this folder needs it")
    with reading_table(path, remedy="make the recording again"), pq.ParquetFile(arrow_path(path)) as file:
        unpacked = sum(file.metadata.row_group(number).total_byte_size for number in range(file.num_row_groups))
        if unpacked > _MOST_BYTES:
            raise InputError(f"{path}: {unpacked >> 30} GB when unpacked, expected a smaller table")
        table = file.read()
        table.validate(full=True)
        return table


def _column(table: pa.Table, path: Path | str, name: str, kind: pa.DataType, *, nulls: bool = False) -> pa.ChunkedArray:
    if table.column_names.count(name) != 1:
        raise InputError(
            f"{path}: column {name!r} is missing or repeated; expected exactly one such column, of type {kind}"
        )
    column = table.column(name)
    if column.type != kind:
        raise InputError(f"{path}: column {name!r} is of type {column.type}, expected {kind}")
    if column.null_count and not nulls:
        raise InputError(f"{path}: column {name!r} has {column.null_count} empty cells, expected none")
    return column


def _numbers(table: pa.Table, path: Path | str, names: list[str] | tuple[str, ...], kind: pa.DataType) -> np.ndarray:
    """Return the columns as one array of shape (rows, len(names))."""
    return np.stack([_column(table, path, name, kind).to_numpy() for name in names], axis=-1)


def _matrices(table: pa.Table, path: Path | str, prefix: str, size: int) -> np.ndarray:
    flat = _numbers(table, path, _names(prefix, size, size), pa.float64())
    return np.ascontiguousarray(flat).reshape(len(flat), size, size)


def _file_names(table: pa.Table, path: Path, name: str) -> tuple[str | None, ...]:
    return tuple(_column(table, path, name, pa.string(), nulls=True).to_pylist())


def read_camera(path: Path, document: RecordingFile) -> CameraColumns:
    """Read the fields of ``Recording`` that camera.parquet stores.

    Raises:
        InputError: If a column is missing or damaged, or if the number of rows is wrong. The message names the
        column or both numbers of rows.
    """
    table = _read(path)
    if table.num_rows != document.samples:
        raise InputError(f"{path}: {table.num_rows} rows, but field 'samples' of recording.json is {document.samples}")
    return {
        "times": _column(table, path, "time", pa.float64()).to_numpy().copy(),
        "valid": _column(table, path, "valid", pa.bool_()).to_numpy().copy(),
        "world_T_camera": _matrices(table, path, "camera", 4),
        "intrinsics": _matrices(table, path, "intrinsics", 3) if document.intrinsics_per_frame else None,
        "vehicle_pose": _matrices(table, path, "vehicle", 4) if document.vehicle_pose else None,
        "velocity": _numbers(table, path, _VELOCITY, pa.float64()) if document.velocity else None,
        "depth": _file_names(table, path, "depth") if document.depth else None,
        "identities": _file_names(table, path, "identities") if document.identities else None,
    }


def read_tracks(path: Path, document: RecordingFile) -> Tracks:
    """Read the poses and values per frame of each entity.

    The result has one dictionary for each entity. The dictionary maps the name of a field of ``Entity`` to its
    array.

    Raises:
        InputError: If the table is damaged. The message names the faulty columns.
    """
    table = _read(path)
    names = _column(table, path, "entity", pa.string()).to_pylist()
    frames = _column(table, path, "frame", pa.int32(), nulls=True).to_pylist()
    tracks: Tracks = []
    columns = _Columns(table)
    samples = list(range(document.samples))
    start = 0
    for entity in document.entities:
        count = int(entity.static) + (document.samples if entity.per_frame or not entity.static else 0)
        expected = [*([None] if entity.static else []), *(samples if count > int(entity.static) else [])]
        if names[start : start + count] != [entity.id] * count or frames[start : start + count] != expected:
            raise InputError(
                f"{path}: columns 'entity' and 'frame', rows {start} to {start + count - 1}: expected {count} rows of "
                f"entity {entity.id!r} in the order of frames"
            )
        tracks.append(_read_entity(columns, range(start, start + count), path, entity))
        start += count
    if start != table.num_rows:
        raise InputError(
            f"{path}: the table has {table.num_rows} rows, but the entities of recording.json have {start} rows"
        )
    return tracks


class _Columns:
    """Groups of columns of a table as arrays.

    Each group is converted once, because a table has rows of hundreds of entities.
    """

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self._known: dict[Sequence[str], tuple[np.ndarray, np.ndarray]] = {}

    def numbers(self, rows: range, place: Path | str, names: Sequence[str], kind: pa.DataType) -> np.ndarray:
        """Return some rows of columns as one array of shape (rows, len(names)).

        Raises:
            InputError: If a column is missing or of another type, or has empty cells in these rows.
        """
        if names not in self._known:
            columns = [_column(self._table, place, name, kind, nulls=True) for name in names]
            nothing = pa.scalar(0, pa.int8()).cast(kind)
            filled = [column.fill_null(nothing) if column.null_count else column for column in columns]
            empty = [column.is_null().to_numpy() for column in columns]
            self._known[names] = np.stack([each.to_numpy() for each in filled], axis=-1), np.logical_or.reduce(empty)
        values, is_empty = self._known[names]
        part = slice(rows.start, rows.stop)
        if is_empty[part].any():
            for name in names:
                _column(self._table.slice(rows.start, len(rows)), place, name, kind)  # one of them raises the error
        return values[part]


def _read_entity(columns: _Columns, rows: range, path: Path, entity: EntityFile) -> dict[str, np.ndarray]:
    posed = rows[:1] if entity.static else rows
    framed = rows[1:] if entity.static else rows
    place = f"{path}, entity {entity.id!r}"
    poses = columns.numbers(posed, place, _POSE, pa.float64())
    found = {"poses": poses.reshape(len(posed), 4, 4).copy()}
    for field in entity.per_frame:
        names = PER_FRAME[field]
        values = columns.numbers(framed, place, names, _TYPES.get(field, pa.float64()))
        found[field] = (values[:, 0] if len(names) == 1 else values).copy()
    return found
