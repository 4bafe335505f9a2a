"""Let a model describe things of recordings that come without colours and shapes."""

from __future__ import annotations  # `help` shows short names of types

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronotope.api.checked_settings import as_path, checked
from chronotope.api.options import check_names, spec_of, with_calls
from chronotope.api.telling import Advance, advance_of, warner
from chronotope.models import JobCalls, ModelSpec, Say

if TYPE_CHECKING:
    from chronotope.make import DescribingForeseen, DescribingOutcome, DescribingRequest


@with_calls(JobCalls)
def describe(
    source: Path | str,
    model: str | ModelSpec,
    out: Path | str,
    *,
    base_url: str | None = None,
    set: Mapping[str, Any] | None = None,
    progress: Advance | bool = False,
    say: Say | None = None,
    **calls: Any,
) -> DescribingOutcome:
    """Let a model describe things that come without colours and shapes.

    ``source`` is a folder of saved recordings, or a benchmark with recordings; it is not changed. The described
    recordings and all replies are written into ``out``. The same call continues; answered calls are never repeated.
    ``set`` has further fields of the request body. ``say`` is called with each remark; without ``say``, remarks are
    warnings. The settings of the calls have the names of the flags of ``chronotope describe``. If the outcome has a
    text in ``stopped``, nothing is written but the replies.

    Raises:
        InputError: If the source, the model or a setting cannot be used, or the service rejects every request.
    """
    from chronotope.make import describe_recordings

    about = {"base_url": base_url, "set": set}
    request = _describing(source, model, out, about, calls)
    return describe_recordings(replace(request, progress=advance_of(progress, "describing"), say=say or warner()))


def foresee_describing(
    source: Path | str, model: str | ModelSpec, out: Path | str, *, base_url: str | None = None,
    set: Mapping[str, Any] | None = None, progress: Advance | bool = False, say: Say | None = None, **calls: Any,
) -> DescribingForeseen:  # fmt: skip
    """Count the calls of `describe`; nothing is sent or written."""
    from chronotope.make import foresee_describing as foresee

    return foresee(_describing(source, model, out, {"base_url": base_url, "set": set}, calls))


def _describing(
    source: Path | str, model: str | ModelSpec, out: Path | str, about: Mapping[str, Any], calls: Mapping[str, Any]
) -> DescribingRequest:
    from chronotope.make import DescribingRequest

    check_names(describe, calls)
    given = checked(JobCalls, calls, "", "describe")
    spec = spec_of(model, about["base_url"], about["set"])
    return DescribingRequest(as_path(source, "source"), as_path(out, "out"), spec, given)
