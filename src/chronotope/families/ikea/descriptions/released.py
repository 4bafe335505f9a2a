"""Reader of the authors' descriptions of diagrams, ``step_descriptions.json`` in their released data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from chronotope.families.ikea.descriptions.record import StepRecord, says_nothing
from chronotope.families.ikea.tasks import DIMENSIONS

StepKey = tuple[str, str, int]
"""Category, product, and number of the step. The category is needed because three names belong to several products.

If the file does not contain the category, the category is empty here. The authors' own code does not require the
category.
"""


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore")

    category: str = ""
    product: str
    step_id: int
    description: dict[str, Any]


@dataclass(frozen=True)
class ImportedDescriptions:
    """The descriptions of all readable rows, and a sentence about each row that cannot be used."""

    records: dict[StepKey, StepRecord]
    faults: tuple[str, ...] = ()


def import_descriptions(records: Sequence[Any], where: str = "step_descriptions.json") -> ImportedDescriptions:
    """Read the rows of a file of descriptions.

    ``where`` is the name of the file for messages. Unknown fields are ignored, and missing dimensions are empty. If two
    rows describe the same step, the first row is used. If two rows about the same step differ and have no category,
    neither row is used, because the rows may belong to different products with the same name.
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
            same = "the same text" if found[key] == record else "another text"
            unclear = not row.category and found[key] != record  # perhaps two products with one name
            doubtful |= {key} if unclear else set()
            faults.append(
                f"{where}, row {number}: {'/'.join(filter(None, key[:2]))}, step_id {row.step_id} is already described "
                f"in row {rows[key]} (with {same}); {'both rows are ' if unclear else ''}left out"
            )
            continue
        found[key], rows[key] = record, number
    return ImportedDescriptions({key: one for key, one in found.items() if key not in doubtful}, tuple(faults))


def _fault(where: str, error: ValidationError) -> str:
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"])
    place = f"{where}, field {field!r}" if field else where
    return f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}; left out"
