"""Count the calls of a function before it makes them, as ``--dry-run`` does."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, overload

from chronotope.api.campaign import foresee_campaign, run_campaign
from chronotope.api.describing import describe, foresee_describing
from chronotope.api.drafting import draft, foresee_drafting
from chronotope.api.failing import foresee_label_errors, label_errors
from chronotope.api.filtering import filter_pass, foresee_filter_pass
from chronotope.api.generating import foresee_generating, generate
from chronotope.api.running import arun, foresee_run, run
from chronotope.errors import InputError
from chronotope.io import value_words

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from chronotope.api.asking import ForeseenRun
    from chronotope.api.campaign import Campaign, PlannedRun
    from chronotope.api.filtering import Filters
    from chronotope.api.opened_run import Run
    from chronotope.families.vgenst.agents import DraftingForeseen, DraftingOutcome
    from chronotope.families.vgenst.footage import GenerationForeseen, GenerationOutcome
    from chronotope.make import DescribingForeseen, DescribingOutcome
    from chronotope.review.errors import ErrorsForeseen, ErrorsOutcome
    from chronotope.review.filters import PassForeseen

    Foreseen = (
        ForeseenRun
        | PassForeseen
        | DescribingForeseen
        | ErrorsForeseen
        | DraftingForeseen
        | GenerationForeseen
        | list[PlannedRun]
    )


Parameters = ParamSpec("Parameters")
_FORESEEN: dict[Callable[..., Any], Callable[..., Any]] = {
    run: foresee_run,
    arun: foresee_run,
    filter_pass: foresee_filter_pass,
    describe: foresee_describing,
    label_errors: foresee_label_errors,
    draft: foresee_drafting,
    generate: foresee_generating,
    run_campaign: foresee_campaign,
}


@overload
def dry_run(
    function: "Callable[Parameters, Run] | Callable[Parameters, Coroutine[Any, Any, Run]]",
    *given: Parameters.args,
    **options: Parameters.kwargs,
) -> "ForeseenRun": ...
@overload
def dry_run(
    function: "Callable[Parameters, Filters]", *given: Parameters.args, **options: Parameters.kwargs
) -> "PassForeseen": ...
@overload
def dry_run(
    function: "Callable[Parameters, DescribingOutcome]", *given: Parameters.args, **options: Parameters.kwargs
) -> "DescribingForeseen": ...
@overload
def dry_run(
    function: "Callable[Parameters, ErrorsOutcome]", *given: Parameters.args, **options: Parameters.kwargs
) -> "ErrorsForeseen": ...
@overload
def dry_run(
    function: "Callable[Parameters, DraftingOutcome]", *given: Parameters.args, **options: Parameters.kwargs
) -> "DraftingForeseen": ...
@overload
def dry_run(
    function: "Callable[Parameters, GenerationOutcome]", *given: Parameters.args, **options: Parameters.kwargs
) -> "GenerationForeseen": ...
@overload
def dry_run(
    function: "Callable[Parameters, Campaign]", *given: Parameters.args, **options: Parameters.kwargs
) -> "list[PlannedRun]": ...
def dry_run(function: Callable[Parameters, Any], *given: Parameters.args, **options: Parameters.kwargs) -> "Foreseen":
    """Count the calls that a function would make now.

    The result has their tokens and their cost, too. Nothing is sent or written. ``function`` is ``run``,
    ``filter_pass``, ``describe``, ``draft``, ``generate``, ``label_errors`` or ``run_campaign``, and all other
    parameters are its own, as in ``dry_run(ct.run, bench, "openai/NAME", price=(2.5, 10))``. No API key is needed.

    Raises:
        InputError: If the function makes no calls to a model, or in the same cases as the function.
    """
    if not callable(function) or function not in _FORESEEN:
        names = ", ".join(sorted({one.__name__ for one in _FORESEEN}))
        raise InputError(f"found {value_words(function)}", where="function", expected=f"one of {names}")
    return _FORESEEN[function](*given, **options)
