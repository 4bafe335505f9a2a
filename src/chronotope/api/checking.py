"""Check that a model sees all pictures of a request in the correct order."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from chronotope.api.checked_settings import as_path, checked
from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection, Shown, make_plan, planned_shown
from chronotope.evaluate.run import check_model
from chronotope.evaluate.score import CheckOutcome
from chronotope.families import family
from chronotope.interrupts import run_async
from chronotope.io import value_words
from chronotope.models import (
    NO_FRAMES,
    WAIT,
    Answer,
    Decoding,
    Limits,
    Model,
    ModelSpec,
    Say,
    as_model,
    fitting,
    open_spec,
    refuse_frame_times,
    watched,
)
from chronotope.protocol import AskSettings, Clips, FramesAs
from chronotope.question import Benchmark, open_benchmark


class Checked(CheckOutcome):
    """The outcome of a check, and the number of pictures in one request that the service states as its limit."""

    limit_of_pictures: int | None = None


PICTURES, SIZE = 8, (640, 480)  # number and size (px) of the pictures if no benchmark is given


def check(
    model: str | ModelSpec | Model | Answer,
    bench: Benchmark | Path | str | None = None,
    *,
    base_url: str | None = None,
    pictures: int | None = None,
    size: tuple[int, int] | None = None,
    clips: Clips = "frames",
    frames_as: FramesAs | None = None,
    max_tokens: int | None = None,
    set: Mapping[str, Any] | None = None,
    wait: float = WAIT,
    say: Say | None = None,
) -> Checked:
    """Check that a model sees all pictures of a request in order.

    The check sends about 10 questions. ``pictures`` and ``size`` (width, height) are the number and the size of the
    pictures; by default, they are taken from the benchmark's questions. ``clips`` and ``frames_as`` state how the later
    run sends clips. If it sends frames with their times, the check also asks for the time of a numbered frame.
    ``max_tokens`` and ``set`` are the settings of the later run. The outcome has a problem, warnings, or neither.

    Raises:
        InputError: If ``pictures`` is below 1, the model accepts no pictures, or fewer than ``pictures``, or a call
            failed.
    """
    if pictures is not None and (not hasattr(pictures, "__index__") or pictures < 1):
        raise InputError(f"found {value_words(pictures)}", where="pictures", expected="a whole number from 1")
    if isinstance(model, str):
        model = ModelSpec(model, base_url)
    elif base_url is not None:
        raise InputError("can be used only with the name of a model", where="base_url", fix="omit it")
    opened = open_spec(model, wait=wait, fields=set) if isinstance(model, ModelSpec) else as_model(model)
    fields = dict(model.settings if isinstance(model, ModelSpec) else {}) | dict(set or {})
    return _opened_checked(
        opened, bench, pictures=pictures, size=size, clips=clips, frames_as=frames_as, max_tokens=max_tokens,
        extra=fields, say=say,
    )  # fmt: skip


def _opened_checked(
    model: Model,
    bench: Benchmark | Path | str | None,
    *,
    pictures: int | None,
    size: tuple[int, int] | None,
    clips: Clips,
    frames_as: FramesAs | None,
    max_tokens: int | None,
    extra: Mapping[str, Any],
    say: Say | None,
) -> Checked:
    """Check an opened model, and close it (see `check`)."""
    if not model.limits.looks:
        raise InputError(f"{model.name} accepts no pictures, so no check is needed: use `chronotope run`")
    plain = AskSettings.model_validate({})
    if clips == "video" and frames_as is not None:
        raise InputError("--frames-as: cannot be combined with --clips video: omit one of the two flags")
    if bench is None:
        settings, shown = plain, _any(clips, frames_as, pictures)
    else:
        settings, shown = _planned(bench, model.limits, clips, frames_as)
    if shown.frames and model.limits.refuses_video_of_frames:
        raise InputError(NO_FRAMES)
    if shown.frames:
        refuse_frame_times(extra)
    if shown.frames and (pictures is not None or size is not None):
        shown = replace(shown, frames=pictures or shown.frames, video_size=size or shown.video_size)
    elif pictures is not None or size is not None:
        chosen = size or (shown.size if shown.pictures else SIZE)
        shown = replace(shown, pictures=pictures or shown.pictures or PICTURES, size=chosen)
    if model.limits.pictures is not None and shown.pictures > model.limits.pictures:
        raise InputError(f"--pictures {shown.pictures}: {model.name} accepts at most {model.limits.pictures}")
    drawn = {"max_tokens": max_tokens or settings.max_tokens, "extra": dict(extra)}
    decoding = fitting(model.name, checked(Decoding, drawn, "decoding", "a model"))
    outcome: CheckOutcome = run_async(_closed_checked(model, decoding, shown, say))
    return Checked.model_validate(dict(outcome) | {"limit_of_pictures": model.limits.pictures})


async def _closed_checked(model: Model, decoding: Decoding, shown: Shown, say: Say | None) -> CheckOutcome:
    try:
        async with watched(model.trouble, say):
            return await check_model(model, decoding, shown, lambda line: None)  # not recorded: no run
    finally:
        await model.close()


def _any(clips: Clips, frames_as: FramesAs | None, pictures: int | None) -> Shown:
    """Return the pictures of a check without a benchmark.

    The check assumes prompts with text before and after the pictures. Numbered pictures also have text between them.
    """
    if frames_as == "video":
        return Shown(videos=1, video_size=SIZE, words=("before", "after"), frames=pictures or PICTURES)
    if frames_as == "images":
        return Shown(PICTURES, SIZE, words=("before", "between", "after"), timed=True)
    shown = Shown(PICTURES, SIZE) if clips == "frames" else Shown(videos=1, video_size=SIZE)
    return replace(shown, words=("before", "after"))


def _planned(
    bench: Benchmark | Path | str, limits: Limits, clips: Clips, frames_as: FramesAs | None
) -> tuple[AskSettings, Shown]:
    """Return the default settings of a run, and the pictures it shows."""
    benchmark = bench if isinstance(bench, Benchmark) else open_benchmark(as_path(bench, "bench"))
    chosen = family(benchmark.card.family)
    told = {"clips": clips, "frames_as": frames_as}
    settings = checked(chosen.RunSettings, told, "settings", f"family {chosen.name}")
    planned = planned_shown(make_plan(benchmark, chosen, settings, Selection(), limits))
    if planned is None:
        raise InputError(
            f"{benchmark.folder}: the questions have no pictures: omit the benchmark to check with {PICTURES} pictures"
        )
    return settings, planned
