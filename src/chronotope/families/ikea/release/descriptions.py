"""The released descriptions of a release folder."""

from dataclasses import dataclass, field
from pathlib import Path

from chronotope.errors import InputError
from chronotope.families.ikea.descriptions import StepKey, StepRecord, import_descriptions
from chronotope.io import read_json

__all__ = ["ReleasedDescriptions", "find_descriptions"]

NAMES = ("step_descriptions.json", "step_descriptions_all.json")
_TOLD = 3  # faults told one by one


@dataclass(frozen=True)
class ReleasedDescriptions:
    """Descriptions of the steps of each manual, and notes on reading them."""

    texts: dict[StepKey, StepRecord] = field(default_factory=dict[StepKey, StepRecord])
    notes: tuple[str, ...] = ("no step_descriptions.json: the strategies visual_text and text_only cannot be asked",)


def find_descriptions(places: list[Path]) -> ReleasedDescriptions:
    """Find the descriptions of the files in these folders.

    Descriptions of the first file have priority.

    Raises:
        InputError: If a file is damaged.
    """
    texts: dict[StepKey, StepRecord] = {}
    notes: list[str] = []
    files = {file.resolve(): file for place in places for name in NAMES if (file := place / name).is_file()}
    for path in files.values():
        rows = read_json(path)
        if not isinstance(rows, list):
            raise InputError(f"{path}: expected a list of descriptions, found another form of JSON")
        read = import_descriptions(rows, path.name)
        new = {key: record for key, record in read.records.items() if key not in texts}
        if texts and not new:  # a copy of the first
            continue
        texts |= new
        more = len(read.faults) - _TOLD
        notes += [f"{len(new)} descriptions of diagrams, from {path.name}", *read.faults[:_TOLD]]
        notes += [f"{path.name}: {more} further rows are left out"] if more > 0 else []
    return ReleasedDescriptions(texts, tuple(notes)) if notes else ReleasedDescriptions()
