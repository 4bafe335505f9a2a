"""Asking a benchmark of the tiny family, and what a run writes down."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import Outcome, run
from chronotope.families import Family
from chronotope.models import Decoding, FunctionModel
from chronotope.question import Benchmark


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
