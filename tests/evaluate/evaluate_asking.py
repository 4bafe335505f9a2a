"""Asking a benchmark of the tiny family, and what a run writes down."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import Outcome, run
from chronotope.families import Family
from chronotope.models import Decoding, FunctionModel
from chronotope.question import Benchmark, MediaItem, Option, Question


def ask(
    bench: Benchmark,
    family: Family,
    asked: str | FunctionModel,
    out: Path,
    *,
    settings: Mapping[str, Any] | None = None,
    max_tokens: int | None = None,
    extra: Mapping[str, Any] | None = None,
    selection: Selection | None = None,
    **how: Any,
) -> Outcome:
    """Ask a model, or the service at a URL; there is no check unless ``how`` says so."""
    model, url = ("endpoint/x", asked) if isinstance(asked, str) and "://" in asked else (asked, None)
    chosen = family.RunSettings(**(settings or {}))
    decoding = Decoding(**({} if max_tokens is None else {"max_tokens": max_tokens}), extra=dict(extra or {}))
    how = {"base_url": url, "check": False} | how
    return run(bench, family, model, decoding, chosen, selection or Selection(), out, **how)


def lines(folder: Path) -> list[dict[str, Any]]:
    """Those of the ledger of a run, without its head."""
    return [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()[1:]]


def questions_by_day(clips: int, days: int) -> list[Question]:
    """A question about each clip on each day, with four lengths as options."""
    return [
        Question(
            id=f"q-{clip:02}-{day}", family="sti", task="Displacement & Path Length", cluster=f"clip-{clip}",
            stem=f"How far is it in clip {clip} on day {day}?",
            options=tuple(Option(f"{clip + step}.5 m") for step in range(4)), answer=((clip + day) % 4,),
            media=(MediaItem("video", "video", (f"clips/{clip}.mp4",)),),
        )
        for clip in range(clips)
        for day in range(days)
    ]  # fmt: skip
