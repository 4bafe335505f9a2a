"""An audit names what the published designs of VGenST-Bench, IKEA-Bench and M3-Verse give away; ours give nothing."""

from dataclasses import replace
from pathlib import Path

import pytest
from m3_homes import laid_home

import chronotope as ct
from chronotope.audit.auditing import audit
from chronotope.families import WriteContext
from chronotope.families.m3 import FAMILY
from chronotope.question import objects_that_stay
from commands import command
from fair_sets import fair_questions, written
from ikea_annotations import build, plain

pytestmark = pytest.mark.slow
STEPS, TAKES = 9, 60
HOMES, ROOMS = 4, 3


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


def test_the_usual_answers_of_m3_are_found_and_ours_are_not(tmp_path: Path) -> None:
    """By the published rule, things are asked about wherever they are, so they are usually where such things are."""
    bench, found = written(tmp_path / "homes", fair_questions(1)), {}
    homes = [laid_home(7000 + number, ROOMS) for number in range(HOMES)]
    for profile in ("paper", "strict"):
        context = WriteContext(7, profile, FAMILY.build.Options())
        with objects_that_stay():
            made = [one for home in homes for one in FAMILY.build.write(home, context).questions]
            questions = FAMILY.build.select(made, context).questions
        found[profile] = audit(replace(bench, questions=tuple(questions)), clips=False)
    assert {"template", "classifier"} <= set(defects(found["paper"]))
    assert not found["strict"].defects
