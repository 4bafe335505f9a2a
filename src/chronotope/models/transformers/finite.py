"""The check that a model computes numbers: in 16 bits, large values become NaN, which no later step would notice."""

from typing import Any

from chronotope.errors import InputError


def refuse_nan(values: Any, what: str) -> None:
    """Refuse a tensor that contains NaN.

    ``what`` names the values, in the plural.

    Raises:
        InputError: If a value is NaN.
    """
    if bool(values.isnan().any()):
        raise InputError(
            f"{what} of the model are not numbers (NaN)",
            fix="use --set dtype=bfloat16 or --set dtype=float32; if this does not help, the weights are damaged",
        )
