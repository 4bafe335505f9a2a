"""Write a changed benchmark: a new folder, whose media are links to the files of the original."""

import os
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from chronotope.io import link_or_copy, write_atomically
from chronotope.question.benchmark import Benchmark, Card
from chronotope.question.folder import write_benchmark_tables
from chronotope.question.question import Question

_WRITTEN = ("card.yaml", "questions.parquet", "media.parquet", "descriptions.parquet")
_TRUTH = ("recordings", "procedures")  # files that are never changed in place


def write_changed(
    benchmark: Benchmark,
    questions: Sequence[Question],
    out: Path,
    command: str,
    left_out: Sequence[str] = (),
    add: Callable[[Path], object] | None = None,
) -> Card:
    """Write a benchmark with other questions about the same media.

    Media that no question uses are left out, and so are the files ``left_out``. ``command`` is the command on the card.
    ``add`` writes further files into the new folder. The original folder is not changed.
    """
    used = {path for question in questions for item in question.media for path in item.paths}
    used |= {option.image for question in questions for option in question.options if option.image}
    media = {path: file for path, file in benchmark.media.items() if path in used}
    described = [description for description in benchmark.descriptions if description.image in media]
    card = benchmark.card.model_copy(update={"name": out.absolute().name, "command": command})
    with write_atomically(out) as temporary:
        _copy(benchmark, set(media), Path(temporary), left_out)
        written = write_benchmark_tables(temporary, card, questions, media, described)
        if add is not None:
            add(Path(temporary))
    return written


def _copy(benchmark: Benchmark, media: set[str], target: Path, without: Sequence[str]) -> None:
    """Link media and ground truth, and copy all other files."""
    source = benchmark.folder

    def left_out(folder: str, names: list[str]) -> set[str]:
        inside = Path(folder).relative_to(source)
        paths = {name: (inside / name).as_posix() for name in names}
        unused = {name for name, path in paths.items() if path in benchmark.media and path not in media}
        return unused | {name for name, path in paths.items() if name.startswith(".") or path in (*_WRITTEN, *without)}

    def take(path: str, to: str) -> None:
        inside = Path(path).relative_to(source)
        if inside.as_posix() in media or inside.parts[0] in _TRUTH:
            link_or_copy(path, to)
        else:
            shutil.copy2(path, to)

    shutil.copytree(source, target, ignore=left_out, copy_function=take, dirs_exist_ok=True)
    for folder, _, _ in os.walk(target, topdown=False):  # folders of unused media
        if not any(Path(folder).iterdir()):
            Path(folder).rmdir()
