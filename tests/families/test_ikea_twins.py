"""Twins of IKEA-Bench's questions: the order of diagrams backwards, and the reasons for all others."""

import re
from pathlib import Path

import pytest

from chronotope.families.ikea.twins import STEM, twin
from chronotope.families.twinning import NoTwin, TwinContext
from chronotope.make import vary
from chronotope.question import Question, open_benchmark, validate
from chronotope.recording import ALTERATIONS, Alteration
from commands import command
from ikea_annotations import build, published_shape


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> list[Question]:
    procedures = published_shape(tmp_path_factory.mktemp("ikea"))
    return [question for seed in range(6) for question in build(procedures, "paper", seed)[0].questions]


def undone(question: Question) -> list[int]:
    """Return the places of the shown diagrams, the last step first, by the names of their files."""
    numbers = [int(re.findall(r"step_(\d+)\.", item.paths[0])[0]) for item in question.media]
    return sorted(range(3), key=lambda place: -numbers[place])


def test_orders_are_those_of_taking_apart(asked: list[Question]) -> None:
    orders = [question for question in asked if question.task == "D2"]
    moved = 0
    for question in orders:
        new = twin(question, TwinContext("reversed", {}))
        said = [int(place) - 1 for place in re.findall(r"Image (\d)", new.options[new.answer[0]].text or "")]
        assert said == undone(question) and new.stem == STEM
        texts = [option.text for option in new.options]
        assert len(set(texts)) == len(texts)
        moved += new.options == question.options
    # The opposite order is one of three wrong options among five, so it is offered in three fifths of the questions.
    assert len(orders) >= 200 and 0.5 < moved / len(orders) < 0.7


@pytest.mark.parametrize("alteration", ALTERATIONS)
def test_all_others_are_refused_with_a_reason(asked: list[Question], alteration: Alteration) -> None:
    for question in asked:
        if alteration != "reversed" or question.task != "D2":
            with pytest.raises(NoTwin):
                twin(question, TwinContext(alteration, {}))


def test_a_folder_gets_its_twins(tmp_path: Path) -> None:
    command("build", "ikea", "world:furniture:2", "--out", tmp_path / "bench", "--seed", "3", code=0)
    done = vary(tmp_path / "bench", ["mirrored", "reversed"], tmp_path / "twins")
    benchmark = open_benchmark(tmp_path / "twins")
    assert validate(benchmark, deep=True) == []
    bases = [one for one in benchmark.questions if one.variant == "base"]
    assert [one.base for one in benchmark.questions if one.variant == "reversed"] == [one.id for one in bases]
    assert {(one.variant, one.reason) for one in done.without} == {
        ("mirrored", "shows diagrams with printed counts, which would be mirrored")
    }
