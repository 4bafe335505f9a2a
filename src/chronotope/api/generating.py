"""Let services for pictures and clips make the clips of drafted scenes."""

from __future__ import annotations  # `help` shows short names of types

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronotope.api.checked_settings import as_path, checked
from chronotope.api.options import spec_of
from chronotope.api.telling import Advance, advance_of, warner
from chronotope.errors import InputError
from chronotope.models import JobCalls, ModelSpec, RunPrice, Say

if TYPE_CHECKING:
    from chronotope.families.vgenst.footage import GenerationForeseen, GenerationOutcome, GenerationRequest
    from chronotope.models.media import MediaService


def generate(
    source: Path | str,
    out: Path | str,
    service: str | MediaService,
    *,
    image_service: str | MediaService | None = None,
    tasks: Sequence[str] = (),
    judge: str | ModelSpec | None = None,
    judge_price: RunPrice | Sequence[float] | str | None = None,
    key_variable: str | None = None,
    image_key_variable: str | None = None,
    resubmit: Sequence[str] = (),
    adopt: Mapping[str, str] | None = None,
    progress: Advance | bool = False,
    say: Say | None = None,
    **settings: Any,
) -> GenerationOutcome:
    """Order clips of scenes from a generation service: several candidates for each scene, each checked.

    ``source`` is a folder of `draft`, or a benchmark of drawn stages, whose clips can control the service. ``service``
    is ``service/model`` or ``FILE.yaml:MODEL``, a description of your own. ``image_service`` makes the first frames.
    ``judge`` is a model that counts what clips show. ``resubmit`` and ``adopt`` are decisions about jobs whose fate is
    unclear: tokens to send again, and tokens with the id of the job at the service. The further settings are
    ``candidates``, ``control``, ``seed``, ``price``, ``image_price``, ``max_cost`` and ``concurrency``, as for
    ``chronotope generate``. The same call continues; nothing is ordered twice. The result has the ``candidates``, and
    the ``page`` that shows them. `build` takes the clips that ``picked.yaml`` names.

    Raises:
        InputError: If a setting or a service cannot be used, or ``out`` has clips of another job.
    """
    from chronotope.families.vgenst.footage import generate as make

    about = {"service": service, "images": image_service, "judge": judge, "judge_price": judge_price,
             "key": key_variable, "image_key": image_key_variable}  # fmt: skip
    request = _generating(source, out, about, tasks, settings)
    decided = replace(request, resubmit=tuple(resubmit), adopt=dict(adopt or {}))
    return make(replace(decided, progress=advance_of(progress, "generating"), say=say or warner()))


def foresee_generating(
    source: Path | str, out: Path | str, service: str | MediaService, *,
    image_service: str | MediaService | None = None, tasks: Sequence[str] = (), judge: str | ModelSpec | None = None,
    judge_price: RunPrice | Sequence[float] | str | None = None, key_variable: str | None = None,
    image_key_variable: str | None = None, resubmit: Sequence[str] = (), adopt: Mapping[str, str] | None = None,
    progress: Advance | bool = False, say: Say | None = None, **settings: Any,
) -> GenerationForeseen:  # fmt: skip
    """Count the jobs of `generate`; nothing is sent or written, and no key is needed."""
    from chronotope.families.vgenst.footage import foresee_generation

    about = {"service": service, "images": image_service, "judge": judge, "judge_price": judge_price,
             "key": key_variable, "image_key": image_key_variable}  # fmt: skip
    return foresee_generation(_generating(source, out, about, tasks, settings, to_ask=False))


def _generating(
    source: Path | str, out: Path | str, about: Mapping[str, Any], tasks: Sequence[str], settings: Mapping[str, Any],
    *, to_ask: bool = True,
) -> GenerationRequest:  # fmt: skip
    from chronotope.families.vgenst.footage import GenerationRequest, GenerationSettings

    how: GenerationSettings = checked(GenerationSettings, settings, "", "generate")
    place = as_path(source, "source")
    if not place.exists():
        raise InputError(f"{place}: no such file or folder")
    images = about["images"]
    judge = None if about["judge"] is None else spec_of(about["judge"])
    if judge is None and about["judge_price"] is not None:
        raise InputError("is a setting of a judge", where="judge_price", fix="add judge, or omit it")
    calls: JobCalls = checked(JobCalls, {"price": about["judge_price"]}, "", "generate")
    return GenerationRequest(
        place, as_path(out, "out"), _opened(about["service"], about["key"], how.price, to_ask=to_ask),
        None if images is None else _opened(images, about["image_key"], how.image_price, to_ask=to_ask),
        how, tuple(tasks), judge, calls,
    )  # fmt: skip


def _opened(service: str | MediaService, key: str | None, price: float | None, *, to_ask: bool) -> MediaService:
    from chronotope.models.media import named_service, open_media_service

    if not isinstance(service, str):
        return service
    name, description = named_service(service)
    return open_media_service(name, description, key_variable=key, price=price, to_ask=to_ask)
