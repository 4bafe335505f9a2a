"""A build of M3-Verse from the saved recordings of both states of a home."""

import json
from dataclasses import asdict

import pytest
from m3_homes import laid_home
from typer.testing import CliRunner

from chronotope.cli.app import app
from chronotope.errors import InputError
from chronotope.families import WriteContext
from chronotope.families.m3 import FAMILY, BuildOptions
from chronotope.make import build
from chronotope.make.jobs.request import BuildRequest
from chronotope.question import open_benchmark
from chronotope.recording import CHANGES, save_recording, write_changes

HOME = 11, 3


@pytest.fixture
def saved(tmp_path):
    scene = laid_home(*HOME)
    for recording in scene.recordings:
        save_recording(recording, tmp_path / "home" / "recordings" / recording.id)
    write_changes(tmp_path / "home", scene.changes)
    return tmp_path / "home"


def test_both_states_are_one_scene_with_its_changes(saved, tmp_path) -> None:
    request = BuildRequest(family="m3", source=saved / "recordings", out=tmp_path / "bench", seed=5)
    built = build(request, workers=1)
    questions = open_benchmark(tmp_path / "bench").questions
    assert built.benchmark.questions == questions
    context = WriteContext(5, "strict", BuildOptions())
    expected = FAMILY.build.select(FAMILY.build.write(laid_home(*HOME), context).questions, context).questions
    assert [(one.id, one.stem, one.answer, one.options) for one in questions] == [
        (one.id, one.stem, one.answer, one.options) for one in expected
    ]
    lines = (tmp_path / "bench" / CHANGES).read_text().splitlines()
    assert [json.loads(line) for line in lines] == [
        json.loads(json.dumps(asdict(each))) for each in laid_home(*HOME).changes
    ]


def test_one_state_alone_is_refused(saved, tmp_path) -> None:
    one = next((saved / "recordings").iterdir())
    request = BuildRequest(family="m3", source=one, out=tmp_path / "bench", seed=5)
    with pytest.raises(InputError, match="expected one recording for each of two states"):
        build(request, workers=1)


def test_a_line_that_is_no_change_is_named(saved, tmp_path) -> None:
    (saved / CHANGES).write_text('{"scene": "a", "colour": 3}\n')
    request = BuildRequest(family="m3", source=saved / "recordings", out=tmp_path / "bench", seed=5)
    with pytest.raises(InputError, match="line 1: expected a change"):
        build(request, workers=1)


def test_the_command_ends_with_the_shares_beside_the_papers(saved, tmp_path) -> None:
    out = tmp_path / "bench"
    told = CliRunner().invoke(app, ["build", "m3", str(saved / "recordings"), "--out", str(out), "--profile", "paper"])
    assert told.exit_code == 0, told.output
    state, false = told.output.splitlines()[-3:-1]
    assert state.startswith("state: intra-state 4") and "inter-states 5" in state and "(paper: 51.55 %)" in state
    assert false.startswith("hallucination: yes 2") and "(paper: 23.2 %)" in false
