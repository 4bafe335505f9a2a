"""The page of a benchmark on a hub (``README.md``), and its tasks for leaderboards (``eval.yaml``)."""

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
import yaml

from chronotope.families import family
from chronotope.question import LICENCE_NOT_STATED, Benchmark

QUESTIONS = "questions"
ALL = "all"  # the task of eval.yaml that covers every question
# Licences that a hub knows, by their names in lower case; other licences are stated as "other".
_LICENCES = {
    name: name
    for name in (
        "cc0-1.0",
        "cc-by-4.0",
        "cc-by-sa-4.0",
        "cc-by-nc-4.0",
        "cc-by-nc-sa-4.0",
        "apache-2.0",
        "mit",
        "gpl-3.0",
    )
}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def tables_of(folder: Path) -> dict[str, str]:
    """Return the tables of a benchmark folder: each table's name, and its file."""
    return {file.stem: file.name for file in sorted(folder.glob("*.parquet"), key=lambda file: file.stem != QUESTIONS)}


def dataset_page(bench: Benchmark, address: str) -> str:
    """Return the page: facts for the hub in YAML, and a description with licences and authors."""
    template = files("chronotope.make.publication").joinpath("README.md.j2").read_text(encoding="utf-8")
    return jinja2.Template(template, undefined=jinja2.StrictUndefined, keep_trailing_newline=True).render(
        card=bench.card,
        title=family(bench.card.family).title,
        facts=yaml.safe_dump(_facts(bench), sort_keys=False, allow_unicode=True),
        address=address,
        questions=QUESTIONS,
        unknown=LICENCE_NOT_STATED,
        about=_about(bench),
        cell=_cell,
        slug=_slug,
    )


def _facts(bench: Benchmark) -> dict[str, Any]:
    """Return the facts for the hub."""
    card = bench.card
    known = _LICENCES.get(card.licence.lower())
    size = next((name for most, name in _SIZES if card.counts.questions < most), "n>1M")
    facts: dict[str, Any] = {"pretty_name": card.name, "license": known or "other"}
    if known is None:
        facts["license_name"] = _slug(card.licence)[:80]
    has_clips = card.counts.clips > 0
    return facts | {
        "language": ["en"],
        "task_categories": ["video-text-to-text" if has_clips else "visual-question-answering"],
        "tags": ["chronotope", card.family, "benchmark"],
        "size_categories": [size],
        "configs": [
            {
                "config_name": name,
                "data_files": [{"split": "test", "path": file}],
                **({"default": True} if name == QUESTIONS else {}),
            }
            for name, file in tables_of(bench.folder).items()
        ],
    }


def evaluation_file(bench: Benchmark) -> str:
    """Return ``eval.yaml``, which makes a data set a benchmark on the hub.

    There is one task for all questions, and one for each task of the family.
    """
    card = bench.card
    facts = {
        "name": card.name,
        "description": f"{card.counts.questions:,} questions of {family(card.family).title}",
        "evaluation_framework": "chronotope",
        "tasks": [{"id": name, "config": QUESTIONS, "split": "test"} for name in task_ids(card.counts.tasks).values()],
    }
    return yaml.safe_dump(facts, sort_keys=False, allow_unicode=True)


def task_ids(tasks: Mapping[str, int] | Sequence[str]) -> dict[str, str]:
    """Return the id of each task in ``eval.yaml``; the id of all questions is the first."""
    return {ALL: ALL} | {name: _slug(name) for name in tasks}


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "data"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


def _about(bench: Benchmark) -> str:
    """Count what the questions are about."""
    counts = bench.card.counts
    of = (("question", counts.questions), ("clip", counts.clips), ("picture", counts.pictures))
    questions, *media = [f"{count:,} {noun}{'' if count == 1 else 's'}" for noun, count in of if count]
    return f"{questions} about {' and '.join(media)}" if media else questions
