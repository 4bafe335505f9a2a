"""Choose the method of a run, with its settings and the models of its stages."""

from collections.abc import Mapping
from typing import Any

from chronotope.api.checked_settings import checked
from chronotope.errors import InputError
from chronotope.evaluate.plan import RunPrice
from chronotope.evaluate.run import MethodRequest
from chronotope.methods import StepKind, find_method
from chronotope.models import Answer, Model, ModelSpec


def take_method(
    name: str | None,
    settings: Mapping[str, Any] | None,
    models: Mapping[StepKind, str | ModelSpec | Model | Answer | None],
    prices: Mapping[StepKind, RunPrice | None],
) -> MethodRequest | None:
    """Return the method with this name, or None if there is none.

    Raises:
        InputError: If there is no method with this name, a setting is wrong, or a setting or model of a method is given
            without a method.
    """
    given: dict[StepKind, str | ModelSpec | Model | Answer] = {
        kind: model for kind, model in models.items() if model is not None
    }
    priced: dict[StepKind, RunPrice | None] = {kind: price for kind, price in prices.items() if price is not None}
    if name is None:
        for option in (*(f"{kind}_model" for kind in given), *(f"{kind}_price" for kind in priced)):
            raise InputError("belongs to a method", where=option, fix="add method='hctr', or omit it")
        return None
    chosen = find_method(name)
    taken = checked(chosen.Settings, settings, "", f"method {name}")
    return MethodRequest(chosen, taken, given, priced)
