"""An audit names what the published designs of VGenST-Bench and IKEA-Bench give away, and what ours do not."""

from dataclasses import replace
from pathlib import Path

import pytest

import chronotope as ct
from chronotope.audit.auditing import audit
from commands import command
from fair_sets import fair_questions, written
from ikea_annotations import build, plain

pytestmark = pytest.mark.slow
STEPS, TAKES = 9, 60


def defects(found) -> dict[str, str]:
    return {one.check: one.said for one in found.defects}


def test_constant_cells_of_vgenst_are_found_and_ours_are_not(tmp_path: Path) -> None:
    found = {}
    for profile in ("paper", "strict"):
        place = tmp_path / profile
        command("build", "vgenst", "--no-render", "--per-task", 16, "--profile", profile, "--seed", 1, "--out", place)
        found[profile] = defects(ct.audit(place, clips=False))
    assert {"template", "classifier"} <= set(found["paper"])
    assert not {"template", "classifier", "rank", "round", "length", "shared", "stem", "letter"} & set(found["strict"])


@pytest.mark.parametrize("task", ["T1", "T3"])
def test_the_nearest_steps_of_ikea_are_found_and_ours_are_not(task: str, tmp_path: Path) -> None:
    """By the published rule, the two nearest steps are options, so the correct step is usually in the middle."""
    made = plain(tmp_path / "stool", STEPS, TAKES)
    found = {}
    for profile in ("paper", "strict"):
        questions = list(build([made], profile, tasks=task, allow_short_options=True)[0].questions)
        bench = replace(written(tmp_path / profile, fair_questions(1)), questions=tuple(questions))
        found[profile] = audit(bench, clips=False)
    check = "picture" if task == "T1" else "rank"
    scopes = next(one.scopes for one in found["paper"].defects if one.check == check)
    assert any(one.name.startswith(f"{check}:middle") and one.significant and one.excess > 0.05 for one in scopes)
    assert check not in defects(found["strict"])
