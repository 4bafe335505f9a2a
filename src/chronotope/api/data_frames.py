"""Tables as results: a pandas DataFrame if pandas is installed, else an Arrow table."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import pyarrow as pa

from chronotope.view.score_rows import arrow_table


def table(fields: Sequence[tuple[str, pa.DataType]], rows: Sequence[Mapping[str, Any]]) -> Any:
    """Make a DataFrame, or an Arrow table if pandas is missing."""
    return as_frame(arrow_table(pa.schema(fields), rows))


def as_frame(made: pa.Table) -> Any:
    """Return a table as a DataFrame if pandas is installed."""
    return made if find_spec("pandas") is None else made.to_pandas()
