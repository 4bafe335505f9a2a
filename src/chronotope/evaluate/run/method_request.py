"""A method as part of a run's request: its settings, and the models of its stages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from chronotope.errors import InputError
from chronotope.evaluate.plan.staged import Staged, StageModel
from chronotope.methods import Method, MethodSettings, StepKind
from chronotope.models import (
    Answer,
    Decoding,
    Model,
    ModelSpec,
    RunPrice,
    fitting,
    identity_of,
    is_service,
    refuse_secrets,
    wire_of,
)

_LENGTHS = ("max_completion_tokens", "max_tokens")


@dataclass(frozen=True, eq=False)
class MethodRequest:
    """A method with its settings.

    ``models`` has the models of stages that are not asked of the run's model. ``prices`` has the prices of the tokens
    of these models.
    """

    method: Method
    settings: MethodSettings
    models: Mapping[StepKind, str | ModelSpec | Model | Answer] = field(default_factory=dict)
    prices: Mapping[StepKind, RunPrice | None] = field(default_factory=dict)


@dataclass(frozen=True)
class OpenMethod:
    """A method with the open models of its stages."""

    staged: Staged
    models: Mapping[StepKind, Model]


def open_method(
    request: MethodRequest,
    answerer: Model,
    decoding: Decoding,
    price: RunPrice | None,
    open_model: Callable[[str | ModelSpec | Model | Answer], Model],
) -> OpenMethod:
    """Open the models of all stages.

    ``answerer`` is the run's model, with its decoding and price. Its settings are also used for the stages that it is
    asked in, except for the limit on replies. Another model has the run's temperature.

    Raises:
        InputError: If a model is given for a stage that the method does not have, or a model sees no pictures.
    """
    method, settings = request.method, request.settings
    kinds = method.kinds(settings)
    for kind in (*request.models, *request.prices):
        if kind not in kinds:
            raise InputError(
                f"--{kind}-model: --method {method.name} makes no {kind} with these settings: omit the flag"
            )
    stages: dict[StepKind, StageModel] = {}
    models: dict[StepKind, Model] = {}
    for kind in kinds:
        given = request.models.get(kind)
        if given is None and request.prices.get(kind) is not None:
            raise InputError(f"--{kind}-price: needs --{kind}-model: give a model, or omit the price")
        if given is None:
            model, extra, cost = answerer, decoding.extra, price
        else:
            model, extra, cost = open_model(given), {}, request.prices.get(kind)
        about = identity_of(model)
        if isinstance(given, ModelSpec):
            refuse_secrets(given.settings)
            if is_service(given.name):
                extra = dict(given.settings)
            else:
                about = given.local | dict(given.settings) | about
        if kind == "caption" and not model.limits.looks:
            raise InputError(
                f"{model.name} sees no pictures, so it cannot describe videos: choose another --caption-model"
            )
        extra = {name: value for name, value in extra.items() if name not in _LENGTHS or value is None}
        how = decoding.model_copy(update={"max_tokens": settings.longest(kind), "extra": extra})
        how = fitting(model.name, how)
        stages[kind] = StageModel(model.name, how, model.limits, cost, wire_of(model.name), about)
        models[kind] = model
    return OpenMethod(Staged(method, settings, stages), models)
