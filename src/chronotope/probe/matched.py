"""Pairs of pictures that show the same thing in two media, such as a diagram and a frame, for contrastive training."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection, make_plan
from chronotope.families import family
from chronotope.io import write_atomically
from chronotope.io.parquet import arrow_path
from chronotope.media import Encoded, FrameCache
from chronotope.models import Limits
from chronotope.probe.measures.pairs import SPLITS
from chronotope.probe.prompts import prompts_of
from chronotope.probe.settings import read_roles
from chronotope.probe.shown import Shown, roles_of, shown_of
from chronotope.question import open_benchmark
from chronotope.view.frames import make_pictures


def export_pairs(folder: Path | str, out: Path | str, *, roles: str | None = None, tasks: Sequence[str] = ()) -> int:
    """Write all pairs of pictures of one thing.

    The two pictures are in two media of a benchmark.

    The folder ``pictures`` and the file ``metadata.parquet`` are written into ``out``, in the form that
    ``datasets.load_dataset("imagefolder", data_dir=out)`` reads. A row has the two files, the cluster, the thing, the
    take of the second picture, and the number of a fold (0 to 4). All pairs of a cluster are in one fold. ``roles`` are
    two media, such as ``diagram,video``; the default is the first two. Returns the number of pairs.

    Raises:
        InputError: If the folder is not a benchmark, ``out`` has files, or no thing is shown in both media.
    """
    benchmark, out = open_benchmark(Path(folder)), Path(out)
    if out.exists() and any(out.iterdir()):
        raise InputError(f"{out}: the folder has files", fix="name a new or empty folder")
    chosen = family(benchmark.card.family)
    settings = chosen.RunSettings.model_validate({})
    plan = make_plan(benchmark, chosen, settings, Selection(tuple(tasks)), Limits())
    shown = shown_of(prompts_of(plan, "pairs"), {"pairs": plan})
    named = read_roles(roles, roles_of(shown))
    if len(named) > 2:
        raise InputError(f"roles {roles}: expected two roles, separated by a comma")
    things: dict[tuple[str, str], dict[str, list[Shown]]] = {}
    for one in shown:
        of = things.setdefault((one.group, one.depicted.thing), {})
        of.setdefault(one.depicted.medium, []).append(one)
    both = {thing: of for thing, of in things.items() if all(role in of for role in named)}
    if len(named) < 2 or not both:
        raise InputError(f"{folder}: no thing is shown in two media, such as a diagram and a clip")
    first, second = named
    folds = {cluster: at % SPLITS for at, cluster in enumerate(sorted({cluster for cluster, _ in both}))}
    cache, rows = FrameCache(), dict[tuple[str, ...], dict[str, Any]]()
    for (cluster, thing), of in both.items():
        files = {role: _files(benchmark.folder, out, of[role], cache) for role in (first, second)}
        for (one, _), (other, take) in product(files[first], files[second]):
            row = {f"{first}_file_name": one, f"{second}_file_name": other, "cluster": cluster, "thing": thing}
            rows[cluster, thing, one, other] = row | {"take": take, "fold": folds[cluster]}
    with write_atomically(out / "metadata.parquet") as temporary:
        pq.write_table(pa.Table.from_pylist(list(rows.values())), arrow_path(temporary))
    return len(rows)


def _files(folder: Path, out: Path, shown: Sequence[Shown], cache: FrameCache) -> list[tuple[str, str]]:
    """Write the pictures of a thing.

    Returns each path in ``out`` with its take.
    """
    found: list[tuple[str, str]] = []
    for one in shown:
        made = make_pictures(folder, one.pictures, cache)
        found += [(_written(out, picture), one.depicted.take) for picture in made]
    return list(dict.fromkeys(found))


def _written(out: Path, picture: Encoded) -> str:
    path = f"pictures/{picture.sha256[:32]}.{picture.media_type.partition('/')[2]}"
    if not (out / path).is_file():
        with write_atomically(out / path) as temporary:
            temporary.write_bytes(picture.data)
    return path
