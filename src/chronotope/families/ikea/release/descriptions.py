"""Search for the released descriptions of diagrams in a release folder."""

from dataclasses import dataclass, field
from pathlib import Path

from chronotope.errors import InputError
from chronotope.families.ikea.descriptions import StepKey, StepRecord, import_descriptions
from chronotope.io import read_json

NAMES = ("step_descriptions.json", "step_descriptions_all.json")
_TOLD = 3  # number of faults that are reported one by one


@dataclass(frozen=True)
class ReleasedDescriptions:
    """The descriptions of the steps of all manuals, and notes about the files."""

    texts: dict[StepKey, StepRecord] = field(default_factory=dict[StepKey, StepRecord])
    notes: tuple[str, ...] = ("no step_descriptions.json: the strategies visual_text and text_only cannot be asked",)


def find_descriptions(places: list[Path]) -> ReleasedDescriptions:
    """Read all files of descriptions in the folders ``places``.

    If several files describe the same step, the first file is used.

    Raises:
        InputError: If a file is not a JSON list.
    """
    texts: dict[StepKey, StepRecord] = {}
    notes: list[str] = []
    files = {file.resolve(): file for place in places for name in NAMES if (file := place / name).is_file()}
    for path in files.values():
        rows = read_json(path)
        if not isinstance(rows, list):
            raise InputError(f"{path}: expected a JSON list of descriptions, found other JSON")
        read = import_descriptions(rows, path.name)
        new = {key: record for key, record in read.records.items() if key not in texts}
        if texts and not new:  # this file only repeats earlier files
            continue
        texts |= new
        more = len(read.faults) - _TOLD
        notes += [f"{len(new)} descriptions of diagrams, from {path.name}", *read.faults[:_TOLD]]
        notes += [f"{path.name}: {more} further rows are left out"] if more > 0 else []
    return ReleasedDescriptions(texts, tuple(notes)) if notes else ReleasedDescriptions()
