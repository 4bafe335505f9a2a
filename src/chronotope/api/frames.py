"""Tables as results: a pandas DataFrame if pandas is installed, else an Arrow table."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from chronotope.view.tables import arrow_table

__all__ = ["table"]


def table(fields: Sequence[tuple[str, pa.DataType]], rows: Sequence[Mapping[str, Any]]) -> Any:
    """Make a DataFrame, or an Arrow table if pandas is missing."""
    made = arrow_table(pa.schema(fields), rows)
    return made if find_spec("pandas") is None else made.to_pandas()
