"""``asks.parquet``: the planned asks of a run, one row per ask.

A run folder with this file can be read without planning the asks again.
"""

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.json as pj
import pyarrow.parquet as pq

from chronotope.errors import InputError
from chronotope.evaluate.plan.plan import Plan
from chronotope.io import canonical_json, irregular_kind, refusal, refuse_links, unreadable, write_atomically
from chronotope.io.packed import PackedDict, PackedList
from chronotope.io.parquet import TooLargeError, arrow_path, table_batches, table_rows
from chronotope.ledger import call_key, messages_key
from chronotope.media import FramePlan
from chronotope.models import Decoding, refuse_frame_times
from chronotope.protocol import Ask, describe

ASKS_SCHEMA = 2  # since version 2, an ask contains everything that determines its prompt
ASKS = "asks.parquet"
KEYED_BY_MESSAGES = 1  # last schema version of runs whose keys are hashes of whole messages
_COLUMNS = pa.schema(
    [
        ("id", pa.string()),
        ("question", pa.string()),
        ("placement", pa.list_(pa.int32())),
        ("input", pa.string()),
        ("strategy", pa.string()),
        ("plans", pa.string()),
        ("prompt", pa.string()),
        ("key", pa.string()),
        ("pictures", pa.int32()),
        ("estimated_tokens", pa.int32()),
        ("wording", pa.string()),
    ],
    metadata={"chronotope.schema_version": str(ASKS_SCHEMA)},
)

ROW_GROUP = 50_000  # asks that are written together; they need about 150 MB
_SINCE_2 = frozenset({"wording"})


@dataclass(frozen=True)
class PlannedAsk:
    """An ask with the hash of its prompt, the key of its call, and its size."""

    ask: Ask
    prompt: str
    key: str
    pictures: int
    estimated_tokens: int


def plan_calls(plan: Plan, model: str, decoding: Decoding) -> Sequence[PlannedAsk]:
    """Compute the key of the call of each ask.

    Asks with equal prompts share one key, unless a prompt is repeated deliberately (`Ask.repeat`).

    Raises:
        InputError: If a field of the request's body cannot be combined with a video of frames.
    """
    if plan.settings.frames_as == "video":
        refuse_frame_times(decoding.extra)
    drawn = decoding.model_dump(mode="json")
    both = ((ask, plan.prompts[ask.id]) for ask in plan.asks)
    return PackedList(
        PlannedAsk(ask, made.sha256, call_key(made.sha256, model, drawn, ask.repeat), made.pictures, made.tokens)
        for ask, made in both
    )


def keyed_as(
    schema: int, plan: Plan, planned: Sequence[PlannedAsk], model: str, decoding: Decoding
) -> Sequence[PlannedAsk]:
    """Replace the keys of calls by keys of an older schema.

    In schema version 1, the key of a call is a hash of its complete messages. The answers of runs with schema version 1
    are stored under such keys. For these runs, the messages are made again, so that new asks also get a key of schema
    version 1.
    """
    drawn = decoding.model_dump(mode="json")
    if schema > KEYED_BY_MESSAGES:
        first = planned[0] if planned else None
        if first is None or first.key == call_key(first.prompt, model, drawn, first.ask.repeat):
            return planned  # all keys are of this schema, model and decoding
        keyed = (replace(one, key=call_key(one.prompt, model, drawn, one.ask.repeat)) for one in planned)
    else:
        keyed = (replace(one, key=messages_key(describe(plan.parts(one.ask)), model, drawn)) for one in planned)
    return PackedList(keyed)


def write_asks(folder: Path, planned: Sequence[PlannedAsk]) -> None:
    """Add asks to a run folder; replace asks with equal ids."""
    path = folder / ASKS
    merged, changed = PackedDict((known.ask.id, known) for known in _known(folder)), False
    for one in planned:
        if merged.get(one.ask.id) != one:
            merged[one.ask.id], changed = one, True
    if not changed:
        return
    refuse_links(path)
    rows = map(_row, merged.values())
    with write_atomically(path) as temporary, pq.ParquetWriter(arrow_path(temporary), _COLUMNS) as file:
        while group := list(islice(rows, ROW_GROUP)):
            # JSON is used because converting Python lists to arrays imports pandas if installed (45 MB, half a second).
            lines = "\n".join(map(json.dumps, group)).encode()
            options = pj.ReadOptions(block_size=len(lines) + 1), pj.ParseOptions(explicit_schema=_COLUMNS)
            table = pj.read_json(io.BytesIO(lines), *options)
            file.write_table(table.replace_schema_metadata(_COLUMNS.metadata))


def check_asks(folder: Path) -> None:
    """Check that asks can be added to a run folder.

    Raises:
        InputError: If the file of asks in the folder has a newer version, or the user has no permission to read this
            file.
    """
    _known(folder)


def _known(folder: Path) -> Sequence[PlannedAsk]:
    """Read the asks of a run folder.

    Returns an empty list if the file of asks is missing or damaged, because planning writes this file again.

    Raises:
        InputError: If the file has a newer version, is a folder or a pipe, is too large, or the user has no permission
            to read it.
    """
    path = folder / ASKS
    if not path.exists():
        return []
    try:
        return read_asks(folder)
    except TooLargeError:
        raise
    except InputError:
        if irregular_kind(path) is not None or _is_kept(path):  # opening a pipe would wait for ever
            raise
        return []


def _is_kept(path: Path) -> bool:
    try:
        return _version(pq.read_schema(arrow_path(path))) > ASKS_SCHEMA
    except (OSError, ValueError, pa.ArrowException) as error:
        return isinstance(error, OSError) and bool(error.errno)


def read_asks(folder: Path) -> Sequence[PlannedAsk]:
    """Read the asks of a run folder, in their planned order.

    Raises:
        InputError: If the file is missing or cannot be read.
    """
    path = folder / ASKS
    try:
        schema = pq.read_schema(arrow_path(path)) if irregular_kind(path) is None else _COLUMNS
        version = _version(schema)
        if version > ASKS_SCHEMA:
            raise InputError(
                f"{path}: schema version {version}, but this version reads up to {ASKS_SCHEMA}: update chronotope"
            )
        columns = [name for name in _COLUMNS.names if version > 1 or name not in _SINCE_2]
        missing = [name for name in columns if name not in schema.names]
        if missing:
            raise InputError(
                f"{path}: column {missing[0]!r} is missing: run the same command again to write the file again"
            )
        return PackedList(_planned(row) for batch in table_batches(path, columns) for row in table_rows(batch, columns))
    except InputError:
        raise
    except FileNotFoundError as error:
        raise _unreadable(path, refusal(error)) from error
    except (OSError, ValueError, TypeError, AttributeError, pa.ArrowException) as error:
        if isinstance(error, OSError) and error.errno:
            raise InputError(unreadable(path, error)) from error
        raise _unreadable(path, str(error)) from error  # TypeError, AttributeError: a column has another type


def _unreadable(path: Path, why: str) -> InputError:
    return InputError(
        f"{path}: cannot be read ({' '.join(why.split())}): run the same command again to write the file again"
    )


def _version(schema: pa.Schema) -> int:
    """Return the schema version of a file; 0 if the file states none."""
    stated = (schema.metadata or {}).get(b"chronotope.schema_version", b"0")
    return int(stated) if stated.isdigit() else 0


def _row(one: PlannedAsk) -> dict[str, Any]:
    ask = one.ask
    return {
        "id": ask.id,
        "question": ask.question,
        "placement": list(ask.placement),
        "input": ask.input,
        "strategy": ask.strategy,
        "plans": _plans_text(ask.plans),
        "prompt": one.prompt,
        "key": one.key,
        "pictures": one.pictures,
        "estimated_tokens": one.estimated_tokens,
        "wording": canonical_json(dict(ask.wording)),
    }


@lru_cache(maxsize=1024)
def _plans_text(plans: tuple[FramePlan | None, ...]) -> str:
    """Convert frame plans to JSON text, and cache the text.

    The text is cached, because all asks about a clip share the same long text.
    """
    return canonical_json([None if plan is None else plan.to_dict() for plan in plans])


@lru_cache(maxsize=1024)
def _read_plans(text: str) -> tuple[FramePlan | None, ...]:
    """Read frame plans from the JSON text that `_plans_text` wrote."""
    return tuple(None if plan is None else FramePlan.from_dict(plan) for plan in json.loads(text))


def _planned(row: dict[str, Any]) -> PlannedAsk:
    plans, wording = _read_plans(row["plans"]), tuple(json.loads(row.get("wording") or "{}").items())
    ask = Ask(row["id"], row["question"], tuple(row["placement"]), plans, row["strategy"], row["input"], wording)
    return PlannedAsk(ask, row["prompt"], row["key"], row["pictures"], row["estimated_tokens"])
