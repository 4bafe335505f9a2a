"""Count the calls of a function before it makes them, as ``--dry-run`` does."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec

from chronotope.api.campaign import foresee_campaign, run_campaign
from chronotope.api.describing import describe, foresee_describing
from chronotope.api.filtering import filter_pass, foresee_filter_pass
from chronotope.api.running import arun, foresee_run, run
from chronotope.errors import InputError
from chronotope.io import value_words

if TYPE_CHECKING:
    from chronotope.api.asking import ForeseenRun
    from chronotope.api.campaign import PlannedRun
    from chronotope.make import DescribingForeseen
    from chronotope.review.filters import PassForeseen

Parameters = ParamSpec("Parameters")
_FORESEEN: dict[Callable[..., Any], Callable[..., Any]] = {
    run: foresee_run,
    arun: foresee_run,
    filter_pass: foresee_filter_pass,
    describe: foresee_describing,
    run_campaign: foresee_campaign,
}


def dry_run(
    function: Callable[Parameters, Any], *given: Parameters.args, **options: Parameters.kwargs
) -> "ForeseenRun | PassForeseen | DescribingForeseen | list[PlannedRun]":
    """Count the calls that a function would make now.

    The result has their tokens and their cost, too. Nothing is sent or written. ``function`` is ``run``,
    ``filter_pass``, ``describe`` or ``run_campaign``, and all other parameters are its own, as in ``dry_run(ct.run,
    bench, "openai/NAME", price=(2.5, 10))``. No API key is needed.

    Raises:
        InputError: If the function makes no calls to a model, or in the same cases as the function.
    """
    if not callable(function) or function not in _FORESEEN:
        names = ", ".join(sorted({one.__name__ for one in _FORESEEN}))
        raise InputError(f"found {value_words(function)}", where="function", expected=f"one of {names}")
    return _FORESEEN[function](*given, **options)
