"""Export of a benchmark in the layout of the authors' own data."""

from collections.abc import Callable
from pathlib import Path

from chronotope.errors import InputError
from chronotope.families import families, family
from chronotope.io import write_atomically
from chronotope.question import Benchmark

Progress = Callable[[int, int, str], None]


def export_release(
    benchmark: Benchmark, out: Path, *, pictures: bool = True, progress: Progress | None = None
) -> tuple[str, ...]:
    """Write a benchmark as its paper's authors would release it; return notes.

    ``pictures`` also writes each frame of the videos as a picture. An error or an interruption leaves no incomplete
    folder.

    Raises:
        InputError: If there is no such layout for the benchmark's family, or if ``out`` is not empty.
    """
    chosen = family(benchmark.card.family)
    if chosen.release.write is None:
        able = ", ".join(name for name, one in families().items() if one.release.write is not None)
        raise InputError(
            f"{benchmark.folder}: there is no export for family {chosen.name}: expected a benchmark of {able}"
        )
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise InputError(f"{out}: exists already: choose another --out, or delete the folder")
    with write_atomically(out) as folder:
        folder.mkdir()
        return chosen.release.write(benchmark, folder, pictures=pictures, progress=progress)
