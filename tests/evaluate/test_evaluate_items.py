"""Item response: as girth fits it, planted wrong keys among many questions, and difficulty that the scene foretells."""

from dataclasses import replace

import girth
import numpy as np
import pytest
from scipy.stats import spearmanr

from chronotope.evaluate.score.item_features import foretell, item_features
from chronotope.evaluate.score.item_response import fit_items
from chronotope.question import Mention, Option, Question, Window
from chronotope.recording import Entity, Kind, Recording


def answers(
    generator: np.random.Generator, abilities: np.ndarray, difficulties: np.ndarray, guess: float
) -> np.ndarray:
    chances = guess + (1 - guess) / (1 + np.exp(difficulties - abilities[:, None]))
    return (generator.random(chances.shape) < chances).astype(float)


def test_without_guessing_it_is_the_model_of_girth() -> None:
    generator = np.random.default_rng(1)
    right = answers(generator, generator.normal(0, 1.2, 8), generator.normal(0, 1.4, 2000), 0.0)
    other = girth.onepl_mml(right.astype(int))  # its items are our runs, because the random part is the questions here
    found = fit_items(right, np.zeros(2000))
    assert found.abilities == pytest.approx(-other["Difficulty"] * other["Discrimination"], abs=0.01)


def test_abilities_and_difficulties_are_found_again_beside_lucky_guesses() -> None:
    generator = np.random.default_rng(2)
    abilities, difficulties = np.linspace(-1, 2, 12), generator.normal(0, 1, 1500)
    found = fit_items(answers(generator, abilities, difficulties, 0.25), np.full(1500, 0.25))
    assert found.abilities == pytest.approx(abilities, abs=0.3)
    assert np.corrcoef(found.difficulties, difficulties)[0, 1] > 0.7
    inside = np.abs(found.difficulties - difficulties) < 1.96 * found.spreads
    assert 0.92 < inside.mean() < 0.98
    assert len(found.suspects) <= 2


def test_questions_with_a_wrong_key_are_suspects_and_few_others() -> None:
    generator = np.random.default_rng(3)
    abilities, difficulties = generator.normal(0.5, 1.2, 20), generator.normal(0, 1, 800)
    right = answers(generator, abilities, difficulties, 0.2)
    spoilt = np.arange(0, 800, 40)
    # The key is the tempting wrong option: who knows the answer is "wrong", and who does not takes the bait.
    knows = generator.random((20, 20)) < 1 / (1 + np.exp(-abilities[:, None]))
    right[:, spoilt] = np.where(knows, 0, generator.random((20, 20)) < 0.9)
    found = set(fit_items(right, np.full(800, 0.2)).suspects)
    assert len(found & set(spoilt.tolist())) >= 8
    assert len(found - set(spoilt.tolist())) <= 3


def test_p_values_of_sound_questions_are_those_of_chance() -> None:
    generator = np.random.default_rng(4)
    right = answers(generator, np.linspace(-1.5, 1.5, 9), generator.normal(0, 1, 3000), 0.2)
    chances = fit_items(right, np.full(3000, 0.2)).chances
    assert (chances < 0.05).mean() < 0.06 and (chances < 0.01).mean() < 0.015
    with pytest.raises(ValueError, match="at least 5 runs"):
        fit_items(right[:4], np.full(3000, 0.2))


def test_features_that_matter_are_found_and_others_not() -> None:
    generator = np.random.default_rng(5)
    clusters = [f"c{one // 10}" for one in range(600)]
    tasks = ["hard" if one % 2 else "easy" for one in range(600)]
    matters, other = generator.random(600), generator.random(600)
    matters[::7] = np.nan
    difficulties = np.where(np.isnan(matters), 0.5, matters) * 3 + np.array([one == "hard" for one in tasks]) * 4
    difficulties = difficulties + generator.normal(0, 0.5, 600)
    features = {"other": other, "matters": matters, "same": np.ones(600)}
    found = foretell(difficulties, features, tasks, clusters)
    first, second = found.effects
    assert (first.name, second.name) == ("matters", "other")
    assert first.low is not None and first.low > 0.7 and first.questions == np.isfinite(matters).sum()
    assert second.low is not None and second.high is not None and second.low < 0 < second.high
    assert found.by_task == pytest.approx(0.8, abs=0.08) and found.by_scene > found.by_task + 0.1
    alone = foretell(difficulties, features, ["one"] * 600, clusters)
    known = np.isfinite(matters)
    assert alone.effects[0].correlation == pytest.approx(spearmanr(difficulties[known], matters[known])[0], abs=1e-9)


def test_features_come_from_the_question_and_its_recording() -> None:
    times = np.linspace(0, 1, 3)
    poses = np.tile(np.eye(4), (3, 1, 1))
    seen = {"visible": np.ones(3, bool), "visible_fraction": np.array([0.2, 0.7, 0.4])}
    entities = [
        Entity("cup", "cup", "cup", (0.1, 0.1, 0.1), poses, visible_pixels=np.array([5.0, 40.0, 9.0]), **seen),
        Entity("box", "box", "box", (0.1, 0.1, 0.1), poses, visible_pixels=np.array([90.0, 80.0, 0.0]), **seen),
        Entity("hidden", "box", "box", (0.1, 0.1, 0.1), poses, visible_pixels=np.zeros(3), **seen),
    ]
    recording = Recording("r", Kind.INDOOR, "test", times, poses, np.ones(3, bool), entities=tuple(entities))
    base = Question("q", "sti", "t", "r", "how far?", (Option("1"), Option("2")), (0,))
    told = replace(
        base,
        window=Window(0.5, 2.0),
        tags={"spacing": ("1.4",)},
        mentions=(Mention("cup", "stem", "the cup"), Mention("box", "stem", "the box")),
    )
    turn = replace(base, tags={"spacing": ("20°",)})
    found = item_features([told, base, turn], lambda one: recording if one is told else None)
    assert found["spacing of the options (ratio)"].tolist()[0] == 1.4
    assert found["spacing of the options (°)"].tolist()[2] == 20
    assert found["time that is asked about (s)"].tolist()[0] == 1.5
    assert found["things in the scene"].tolist()[0] == 2
    assert found["largest picture of the smallest thing asked about (px)"].tolist()[0] == 40
    assert found["largest unhidden part of a thing asked about"].tolist()[0] == 0.7
    assert np.isnan(found["things in the scene"][1:]).all()
