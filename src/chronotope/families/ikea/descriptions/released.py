"""The authors' descriptions, ``step_descriptions.json`` of their released data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from chronotope.families.ikea.descriptions.record import StepRecord, says_nothing
from chronotope.families.ikea.tasks import DIMENSIONS

__all__ = ["ImportedDescriptions", "StepKey", "import_descriptions"]

StepKey = tuple[str, str, int]
"""Category, product, number of the step. The product alone will not do: three names belong to several products.

The category is empty where the file does not say it, as the authors' own loader does not ask for it.
"""


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore")

    category: str = ""
    product: str
    step_id: int
    description: dict[str, Any]


@dataclass(frozen=True)
class ImportedDescriptions:
    """The records of all rows that can be used, and a sentence for each that cannot."""

    records: dict[StepKey, StepRecord]
    faults: tuple[str, ...] = ()


def import_descriptions(records: Sequence[Any], where: str = "step_descriptions.json") -> ImportedDescriptions:
    """Read the rows of the file called ``where``.

    Unknown fields are ignored; missing dimensions are empty. If two rows are about one step, the first counts. Neither
    counts if they differ and have no category, because they may belong to different products with the same name.
    """
    found: dict[StepKey, StepRecord] = {}
    rows: dict[StepKey, int] = {}
    doubtful: set[StepKey] = set()
    faults: list[str] = []
    for number, entry in enumerate(records, 1):
        try:
            row = _Row.model_validate(entry)
            said = {name: "" if row.description.get(name) is None else row.description[name] for name in DIMENSIONS}
            if all(isinstance(text, str) for text in said.values()) and says_nothing(said):
                faults.append(
                    f"{where}, row {number}, field 'description': empty in all dimensions {', '.join(DIMENSIONS)}; "
                    "left out"
                )
                continue
            record = StepRecord.model_validate(said)
        except ValidationError as error:
            faults.append(_fault(f"{where}, row {number}", error))
            continue
        key = (row.category, row.product, row.step_id)
        if key in found:
            same = "the same" if found[key] == record else "another text"
            unclear = not row.category and found[key] != record  # products of one name, and nothing tells them apart
            doubtful |= {key} if unclear else set()
            faults.append(
                f"{where}, row {number}: {'/'.join(filter(None, key[:2]))}, step_id {row.step_id} is described in row "
                f"{rows[key]} already ({same} there); {'both ' if unclear else ''}left out"
            )
            continue
        found[key], rows[key] = record, number
    return ImportedDescriptions({key: one for key, one in found.items() if key not in doubtful}, tuple(faults))


def _fault(where: str, error: ValidationError) -> str:
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"])
    place = f"{where}, field {field!r}" if field else where
    return f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}; left out"
