"""Reader of the two released tables of each task: the questions, and the metadata of the clips.

Each table is a Parquet file.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from chronotope.errors import InputError
from chronotope.families.released_table import ReleasedTable, WantedTable, candidates
from chronotope.families.vgenst.tasks import TASKS
from chronotope.io.parquet import arrow_path, column_names, read_bounded, reading_table
from chronotope.question import Variant

NEEDED = ("idx", "theme", "qa_type", "base")
# The columns of each variant. The authors' reformatter uses other names for the same columns.
FORMS: Mapping[Variant, tuple[str, ...]] = {
    "none_distractor": ("variant_NoT_distractor", "variant_1_NoT_distractor"),
    "none_answer": ("variant_NoT_answer", "variant_2_NoT_answer"),
    "open": ("variant_open_ended", "variant_3_open_ended"),
}
WANTED = WantedTable(
    suffixes=(".parquet",),
    columns=NEEDED,
    optional=("sample_id", *FORMS),
    renamed={theirs: ours for ours, names in FORMS.items() for theirs in names},
    expected=f"expected VGenST-Bench's columns {', '.join(NEEDED)} and its variant_… columns",
)


@dataclass(frozen=True)
class TaskTable:
    """The rows of one table of questions, as dictionaries by column name.

    ``task`` is None if the file name does not name one of the twelve tasks.
    """

    path: Path
    task: str | None
    rows: list[dict[str, Any]]
    absent: tuple[Variant, ...] = ()  # variants without a column


def release_root(path: Path) -> Path:
    """Return the release folder, which contains ``qa`` and ``videos``."""
    folder = path if path.is_dir() else path.parent
    return folder.parent if folder.name == "qa" and not (folder / "qa").is_dir() else folder


def find_tables(path: Path) -> list[TaskTable]:
    """Find and read the tables of questions, ordered by task.

    ``path`` is a release folder, its subfolder ``qa``, or one Parquet file.

    Raises:
        InputError: If there is no table, or no table has the name of a task.
    """
    files = candidates(path / "qa" if (path / "qa").is_dir() else path, WANTED)
    tasks = {file: _task(file) for file in files}
    if not any(tasks.values()):
        found = ", ".join(file.name for file in files[:5]) or "none"
        raise InputError(
            f"{path}: there is no table of VGenST-Bench (found {found}): expected qa/<TASK>.parquet, such as "
            f"qa/{TASKS[0]}.parquet"
        )
    order = {task: number for number, task in enumerate(TASKS)}
    files.sort(key=lambda file: (order.get(tasks[file] or "", len(order)), file.name))
    return [_read(file, tasks[file]) for file in files]


def _task(file: Path) -> str | None:
    """Return the task in a file name, or None.

    Files that come from the Hugging Face Hub have a number after the name of the task.
    """
    return next((task for task in TASKS if file.stem == task or file.stem.startswith(f"{task}-")), None)


def _read(path: Path, task: str | None) -> TaskTable:
    if task is None:
        with reading_table(path):
            return TaskTable(path, None, [{}] * pq.read_metadata(arrow_path(path)).num_rows)
    table = ReleasedTable.read(path, WANTED)
    return TaskTable(path, task, table.rows, tuple(form for form in FORMS if form not in table.names))


def read_models(file: Path) -> dict[int, dict[str, str]]:
    """Read the names of models that made each clip and its questions.

    The result maps the number of each clip to {role: name of the model}. The names come from all columns that have
    "model" in their name. A cell of such a column is the name of a model, or a struct or JSON object that maps roles to
    names. The result is empty if the file is missing or has no such column.
    """
    if not file.is_file():
        return {}
    with reading_table(file):
        names = column_names(file)
        wanted = [name for name in names if "model" in name.casefold()]
        if "idx" not in names or not wanted:
            return {}
        rows = read_bounded(file, ["idx", *wanted])
    found: dict[int, dict[str, str]] = {}
    for row in rows:
        if isinstance(row["idx"], int):
            told = {role: model for name in wanted for role, model in _models(name, row[name]).items()}
            found.setdefault(row["idx"], told)
    return {idx: told for idx, told in found.items() if told}


def _models(name: str, value: Any) -> Mapping[str, str]:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    if isinstance(value, dict):
        return {str(role): model for role, model in value.items() if isinstance(model, str) and model.strip()}
    return {name: value} if isinstance(value, str) and value.strip() else {}
