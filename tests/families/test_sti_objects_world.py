"""Questions of simulated tables: nothing of the answer shows in the options, over all tasks that a desktop has."""

from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import chisquare
from sti_leaks import right_by_options_alone, share_and_error

from chronotope.audit.attacks.option_shape import RULES
from chronotope.families import WriteContext, family
from chronotope.recording import Scene
from chronotope.world import QUALITIES, Quality
from tiers import complete_after

STI = family("sti")
TABLES = (30, 60)  # a sample, and the complete number
# Small pictures without shadows: what is asked hangs on what is seen, not on how sharp it is. As long as a demo's clip:
# in three seconds the camera hardly turns, and a task with twenty questions says nothing of its options.
SMALL = Quality("fast", 160, 120, 10, QUALITIES["fast"].seconds, 0, 0, 40)
DESKTOP_TASKS = {
    "Dimensional Measurement",
    "Spatial Relation",
    "3D Video Grounding",
    "Displacement & Path Length",
    "Speed & Acceleration",
    "Pose Estimation",
}


def without_colours():
    """Leave out what nobody looks at here, in this process: patterns on surfaces, and the clip."""
    from chronotope.world import film, model
    from chronotope.world.things import textures

    def unsmoothed(generator, shape, grain):
        return generator.normal(size=shape)  # as many numbers as ever: what is drawn after it stays the same

    def unblended(first, second, share):  # what is made of it is left out below
        return np.zeros((*share.shape, 3))

    def plain(mujoco, spec, look, looks, prefix, material=model._material):
        return material(mujoco, spec, replace(look, texture=None), looks, prefix)

    def encode(pictures, path, fps, crf):
        assert sum(1 for _ in pictures) == fps * SMALL.seconds[0]
        return SimpleNamespace(sha256="0" * 64, width=SMALL.width, height=SMALL.height)

    textures._noise, textures._blend = unsmoothed, unblended
    model._material, film.encode_clip = plain, encode


def questions_of(seed):
    from small_tables import film_table

    with TemporaryDirectory() as folder:
        recording = film_table(f"table-{seed}", np.random.default_rng([seed, 3]), SMALL, Path(folder))
    outcome = STI.build.write(Scene.of(recording), WriteContext(0, "strict", STI.build.Options()))
    return outcome.questions, outcome.refusals


def by_kind(questions):
    kinds = defaultdict(list)
    for question in questions:
        kinds[question.tags["variant"][0], len(question.options)].append(question)
    return kinds


def check_that_options_give_nothing_away(found):
    tables = len(found)
    assert SMALL.width * QUALITIES["fast"].height == SMALL.height * QUALITIES["fast"].width
    questions = [question for written, _ in found for question in written]
    assert len(questions) >= 16 * tables and {question.task for question in questions} == DESKTOP_TASKS
    hits, clusters = defaultdict(list), defaultdict(list)  # hits above chance
    for kind in by_kind(questions).values():
        right = right_by_options_alone(kind)
        for row in ("all", kind[0].task):
            hits[row] += list(right - 1 / len(kind[0].options))
            clusters[row] += [question.cluster for question in kind]
    shares = {row: (len(hits[row]), *share_and_error(hits[row], clusters[row])) for row in hits}
    print({row: (count, round(share, 3), round(error, 3)) for row, (count, share, error) in shares.items()})
    assert min(count for count, _, _ in shares.values()) >= 1.5 * tables, shares
    # All motion of a clip has its true world at the same rank: few clips say less than their questions would.
    for row, (_, share, error) in shares.items():
        assert share <= (0.03 if row == "all" else 0.05) + 2 * error, (row, shares)


def check_that_shapes_are_at_chance(found):
    questions = [question for written, _ in found for question in written]
    for name, rule in RULES.items():
        tied = [rule([option.text for option in question.options]) for question in questions]
        hits = [(q.answer[0] in best) / len(best) - 1 / len(q.options) for q, best in zip(questions, tied, strict=True)]
        share, error = share_and_error(hits, [question.cluster for question in questions])
        assert abs(share) < 3.3 * error, (name, share, error)


def check_that_every_word_is_right_equally_often(found):
    questions = [question for written, _ in found for question in written]
    kinds = by_kind(questions)
    for options, count in ((5, 6), (4, 4)):  # of six words one is left out; without "Up" and "Down" none is
        words = Counter(question.provenance["value"] for question in kinds["relation", options])
        offered = Counter(option.text for question in kinds["relation", options] for option in question.options)
        assert len(words) == len(offered) == count and chisquare(list(words.values())).pvalue > 0.001
        assert chisquare(list(offered.values())).pvalue > 0.001
    relations = kinds["relation", 5] + kinds["relation", 4]
    assert len({question.cluster for question in relations}) >= len(found) / 5


@pytest.mark.slow
@pytest.mark.parametrize("tables", complete_after(1, TABLES))
def test_options_of_simulated_tables_give_nothing_away(drawable, tables):
    """One test, because the tables are made once."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn"), initializer=without_colours) as pool:
        found = list(pool.map(questions_of, range(tables), chunksize=5))
    check_that_options_give_nothing_away(found)
    check_that_shapes_are_at_chance(found)
    check_that_every_word_is_right_equally_often(found)
