"""Which tests are quick and which slow, and how many seconds the tests of each room may take."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parent
GUIDE = TESTS.parent / "CONTRIBUTING.md"

QUICK_EXAMPLES = 20  # of a property, at most, when the quick tier runs

# The pure rooms: folders, or files where the rest of a folder starts processes, decodes clips or draws.
QUICK = (
    "geometry",
    "protocol",
    "question/test_question_options.py",
    "question/test_question_tables.py",
    "question/test_question_variants.py",
    "ledger/test_ledger_key.py",
    "ledger/test_ledger_file.py",
    "recording/test_recording_summary.py",
    "recording/test_recording_repairs.py",
    "evaluate/test_evaluate_psychometric.py",
    "evaluate/test_evaluate_statistics.py",
    "media/test_media_plan.py",
    "models/test_models_baselines.py",
    "models/test_models_function.py",
    "families/test_ikea_protocol.py",
    "families/test_m3_protocol.py",
    "families/test_sti_protocol.py",
    "families/test_vgenst_protocol.py",
    "probe/test_probe_answered.py",
    "probe/test_probe_influence.py",
    "probe/test_probe_retrieval.py",
    "probe/test_probe_separation.py",
    "probe/test_probe_similarity.py",
    "test_architecture.py",
)

# Rooms and files that are slow as a whole: hostile input, services that die, disks that fill up, examples, the site,
# many seeds, real streets and diagrams, and whole packages that are installed beside this one.
SLOW = (
    "audit",
    "cli/test_cli_tables.py",
    "docs/test_docs_site.py",
    "evaluate/test_evaluate_judge.py",
    "evaluate/test_evaluate_order.py",
    "evaluate/test_evaluate_planted.py",
    "examples/test_examples_posed_folders.py",
    "families/test_ikea_cleaning.py",
    "families/test_ikea_counts.py",
    "families/test_ikea_release.py",
    "families/test_ikea_twins.py",
    "families/test_m3_twins.py",
    "families/test_sti_courses.py",
    "families/test_sti_objects_options.py",
    "families/test_sti_options.py",
    "families/test_sti_streets.py",
    "families/test_sti_turns.py",
    "families/test_vgenst_twins.py",
    "faults",
    "hardness",
    "make/test_make_describing.py",
    "make/test_make_hub.py",
    "make/test_make_published_shape.py",
    "make/test_make_wording.py",
    "make/test_make_worlds.py",
    "outside",
    "recording/test_procedures_ikea.py",
    "recording/test_procedures_plain.py",
    "report/test_report_against.py",
    "report/test_report_altered_pairs.py",
    "report/test_report_browser.py",
    "report/test_report_strategies.py",
    "review/test_review_app.py",
    "review/test_review_browser.py",
    "review/test_review_errors.py",
    "review/test_review_kill.py",
    "review/test_review_play_browser.py",
    "review/test_review_published_ranking.py",
    "review/test_review_store.py",
    "review/test_review_study_browser.py",
    "review/test_review_study_kinds.py",
    "world/test_world_catalogue.py",
    "world/test_world_homes.py",
    "world/test_world_tables.py",
    "world/test_world_verify_tables.py",
)

# Slow files whose tests share little, or mostly wait: they are spread over the workers. The tests of other files stay
# on one worker.
SPREAD = (
    "cli/test_cli_docs.py",
    "families/test_ikea_guesser.py",
    "faults/test_faults_signals.py",
    "guard",
    "hardness/test_hardness_kill.py",
    "make/test_make_worlds.py",
)


def _is_among(path: Path, places: Sequence[str]) -> bool:
    if not path.is_relative_to(TESTS):
        return False
    inside = path.relative_to(TESTS).as_posix()
    return any(inside == one or inside.startswith(f"{one}/") for one in places)


def is_quick(path: Path) -> bool:
    """Say whether a file of tests belongs to the quick tier."""
    return _is_among(path, QUICK)


def is_slow(path: Path) -> bool:
    """Say whether all tests of a file are slow."""
    return _is_among(path, SLOW)


def is_spread(path: Path) -> bool:
    """Say whether the slow tests of a file may run on several workers."""
    return _is_among(path, SPREAD)


def may_hold_quick(folder: Path) -> bool:
    """Say whether a folder can hold files of the quick tier."""
    if not folder.is_relative_to(TESTS):
        return True
    inside = folder.relative_to(TESTS).as_posix()
    return inside == "." or any(f"{one}/".startswith(f"{inside}/") or inside.startswith(f"{one}/") for one in QUICK)


def asks_for_quick(expression: str) -> bool:
    """Say whether a mark expression (``-m``) selects quick tests only."""
    return re.fullmatch(r"quick( and .*)?", expression.strip()) is not None


def room_of(node: str) -> str:
    """Name the room of a test: its folder under ``tests``, or its file if it lies in none."""
    return node.partition("::")[0].removeprefix("tests/").partition("/")[0]


def budgets(guide: Path = GUIDE) -> dict[str, float]:
    """Read the seconds of each room from the table in CONTRIBUTING.md."""
    return {
        room: float(seconds) for room, seconds in re.findall(r"^\| `([\w.]+)` \| (\d+) \|$", guide.read_text(), re.M)
    }


def over_budget(seconds: Mapping[str, float], allowed: Mapping[str, float]) -> list[str]:
    """Tell, in a sentence each, which rooms took longer than they may, the worst first."""
    over = {room: took for room, took in seconds.items() if took > allowed.get(room, 0.0)}
    worst = sorted(over, key=lambda room: allowed.get(room, 0.0) - over[room])
    return [
        f"tests/{room}: {over[room]:.1f} s, its budget is {allowed[room]:g} s"
        if room in allowed
        else f"tests/{room}: {over[room]:.1f} s, and CONTRIBUTING.md gives it no budget"
        for room in worst
    ]


def complete_after(sampled: int, cases: Sequence[Any]) -> list[Any]:
    """Return the cases of a slow test; those after the first ``sampled`` have the marker ``complete``.

    A case with several values is a tuple.
    """
    rows = [case if isinstance(case, tuple) else (case,) for case in cases[sampled:]]
    return [*cases[:sampled], *(pytest.param(*row, marks=pytest.mark.complete) for row in rows)]
