"""What the options of questions about things give away: nothing under ``strict``."""

import json
from collections import Counter

import numpy as np
import pytest
import sti_box_witness as witness
from scipy.stats import chisquare
from sti_tables import table

from chronotope.families import WriteContext, family
from chronotope.families.sti.measure.boxes import Direction, direction_of
from chronotope.families.sti.write.objects.nearest import Nearest
from chronotope.families.sti.write.objects.relation import Relation
from chronotope.question import RATIOS, Refused, exchangeable_ratios
from chronotope.recording import Scene
from chronotope.scene import Candidate, Place

STI = family("sti")
WORDS = ("Left", "Right", "Up", "Down", "Front", "Back")


def about_things(recording, per_variant=8, seed=0):
    context = WriteContext(seed, "strict", STI.build.Options(per_variant=per_variant))
    return [question for question in STI.build.write(Scene.of(recording), context).questions if question.entities()]


@pytest.fixture(scope="module")
def strict():
    recordings = [table(seed) for seed in range(20, 24)]
    return [(recording, about_things(recording)) for recording in recordings]


def nearest(points):
    points = np.array(points).reshape(5, -1)
    return (np.linalg.norm(points[:, None] - points, axis=2) + np.diag([np.inf] * 5)).min(1)


def test_neighbouring_options_have_the_spacing_of_the_tag(strict):
    checked = Counter()
    for _, questions in strict:
        for question in questions:
            texts = [option.text for option in question.options]
            if texts[0].endswith("cm"):
                values = np.sort([witness.centimetres(text) for text in texts])
                [spacing] = question.tags["spacing"]
                assert values[0] >= 0.5 and np.abs(np.diff(np.log(values)) / np.log(float(spacing)) - 1).max() < 0.15
            elif texts[0].startswith("{"):
                gaps = nearest([json.loads(text)["central_point"] for text in texts])
                assert (gaps >= 0.5 - 0.0174).all() and (gaps <= 5 + 0.0174).all(), question.id
            else:
                continue
            checked[question.provenance["formula"]] += 1
    assert len(checked) == 7


def test_every_name_in_a_stem_is_where_the_record_says(strict):
    asked = [q for _, questions in strict for q in questions if q.tags["variant"] != ("nearest",)]
    assert asked
    for question in asked:
        named = [one for one in question.mentions if one.role == "stem"]
        assert {one.entity for one in named} == set(question.entities()), question.id
        for one in named:
            assert question.stem[one.start : one.end] == one.phrase


def test_every_box_offered_could_be_the_one(strict):
    boxes = [(recording, q) for recording, questions in strict for q in questions if "box" in q.tags["variant"]]
    assert boxes
    for recording, question in boxes:
        shapes, tilts, headings, sizes = [], [], [], []
        up = np.linalg.inv(witness.camera(recording, question.provenance["at"]))[:3, :3] @ -recording.gravity
        for option in question.options:
            cells = json.loads(option.text)
            points = witness.printed_box(option.text)
            centre = recording.intrinsics @ (sum(points) / 8)
            assert centre[2] > 0
            assert 0 <= centre[0] / centre[2] <= 479 and 0 <= centre[1] / centre[2] <= 359
            assert abs(cells["orientation"]["pitch"]) <= 85
            axes = np.array([points[4] - points[0], points[2] - points[0], points[1] - points[0]])
            axes /= np.linalg.norm(axes, axis=1, keepdims=True)
            tilts.append(axes[2] @ up)
            headings.append(axes[0])
            length, width, height = cells["dimensions"]
            shapes.append((length / width, length / height))
            sizes.append(np.log(length * width * height) / 3)
        assert min(tilts) > 1 - 1e-6  # all of them rest as the thing does
        turns = np.degrees(np.arccos(np.clip(np.array(headings) @ np.array(headings).T, -1, 1))) + np.diag([360.0] * 5)
        assert np.abs(turns.min(1) - float(question.tags["spacing"][0].removesuffix("°"))).max() < 0.1
        assert np.ptp(shapes, axis=0).max() < 0.02  # one shape
        gaps = nearest(sizes)
        assert gaps.min() > 0.008 and gaps.max() < 0.052


def test_ranks_and_letters_are_uniform(strict):
    ranks, letters = Counter(), Counter()
    for _, questions in strict:
        for question in questions:
            letters[question.answer[0]] += 1
            texts = [option.text for option in question.options]
            if texts[0].endswith("cm"):
                values = [witness.centimetres(text) for text in texts]
                ranks[sorted(values).index(values[question.answer[0]])] += 1
    assert chisquare([letters[i] for i in range(5)]).pvalue > 0.001
    assert chisquare([ranks[i] for i in range(5)]).pvalue > 0.001


def test_sets_laid_among_few_values_tell_neither_rank_nor_size():
    generator = np.random.default_rng(0)
    ranks, spacings, hits, count = Counter(), Counter(), 0, 6000
    for _ in range(count):
        values = np.exp(generator.uniform(np.log(3), np.log(40), 12))
        made = exchangeable_ratios(generator, values)
        right = made.options.values[made.options.answer]
        assert right == pytest.approx(values[made.chosen])
        assert np.allclose(np.diff(np.log(made.options.values)), np.log(made.ratio))
        ranks[made.options.answer] += 1
        spacings[made.ratio] += 1
        hits += int(np.argmin(np.abs(np.log(made.options.values / 11))) == made.options.answer)  # the middle of all
    assert chisquare([ranks[i] for i in range(5)]).pvalue > 0.001
    assert abs(hits / count - 0.2) < 0.03
    # Wide spacings come first more often, as the squares of their ranks; sixteen times do not fit.
    fitting = sorted(set(RATIOS) - {2.0})
    assert sorted(spacings) == fitting
    assert chisquare([spacings[one] for one in fitting], np.array([1, 4, 9, 16]) * count / 30).pvalue > 0.001


def test_sizes_laid_within_what_a_name_allows_do_not_tell_the_common_size():
    generator = np.random.default_rng(1)
    nearest_to_mean, ranks, count = 0, Counter(), 4000
    for _ in range(count):
        # Seven things, each of a kind of its own, whose sizes vary by a factor of 2.4.
        smallest = np.exp(generator.uniform(np.log(2), np.log(20), 7))
        within = np.stack([smallest, 2.4 * smallest], axis=1)
        values = smallest * np.exp(generator.uniform(0, np.log(2.4), 7))
        made = exchangeable_ratios(generator, values, within=within)
        typical = float(np.sqrt(within[made.chosen].prod()))
        nearest_to_mean += int(np.argmin(np.abs(np.log(made.options.values / typical))) == made.options.answer)
        ranks[made.options.answer] += 1
    assert chisquare([ranks[i] for i in range(5)]).pvalue > 0.001
    assert abs(nearest_to_mean / count - 0.2) < 0.04, nearest_to_mean / count


@pytest.mark.parametrize("values", [[7.0], [7.0, 7.1, 7.2]])
def test_sets_laid_around_equal_values_have_the_smallest_ratio_and_any_rank(values):
    generator = np.random.default_rng(2)
    found = [exchangeable_ratios(generator, np.array(values)) for _ in range(1000)]
    assert {made.ratio for made in found} == {1.05}
    ranks = Counter(made.options.answer for made in found)
    assert chisquare([ranks[i] for i in range(5)]).pvalue > 0.001


@pytest.mark.parametrize("few", [2, 3, 5])
def test_the_ends_of_a_few_values_are_not_mostly_right(few):
    generator = np.random.default_rng(few)
    found = [exchangeable_ratios(generator, np.exp(generator.uniform(-1, 2, few))) for _ in range(3000)]
    ranks = Counter(made.options.answer for made in found)
    assert chisquare([ranks[i] for i in range(5)]).pvalue > 0.001
    for ratio in {made.ratio for made in found}:
        of_ratio = Counter(made.options.answer for made in found if made.ratio == ratio)
        if of_ratio.total() >= 100:
            assert chisquare([of_ratio[i] for i in range(5)]).pvalue > 0.001, ratio


class _Everywhere:
    """A scene in which every word is found, and every thing has a name."""

    @staticmethod
    def called(names):
        return [f"the {name}" for name in names]

    @staticmethod
    def states_a_moment(name):
        return False


def test_words_offered_are_balanced_and_independent_of_the_right_one():
    candidates = [Candidate(Place(0.0, 1.0, 0.5, (word, "other")), Direction(word, ())) for word in WORDS]
    table_of = np.zeros((6, 6), int)
    for seed in range(3000):
        item = Relation().item(np.random.default_rng(seed), _Everywhere(), "strict", candidates)
        right = item.options[item.answer]
        assert len(set(item.options)) == 5 and item.facts["value"] == right
        [dropped] = set(WORDS) - set(item.options)
        table_of[WORDS.index(right), WORDS.index(dropped)] += 1
    assert chisquare(table_of.sum(1)).pvalue > 0.001
    assert chisquare(table_of.sum(0)).pvalue > 0.001
    # Given the words offered, each of the five is right equally often.
    for dropped in range(6):
        assert chisquare(np.delete(table_of[:, dropped], dropped)).pvalue > 0.001


@pytest.mark.parametrize("missing", WORDS)
def test_only_words_that_have_a_pair_are_asked_for(missing):
    # Else the words that are found in every scene would be the better guess.
    places = {word: Place(0.0, 1.0, 0.5, (word, "other")) for word in WORDS if word != missing}
    candidates = [Candidate(place, Direction(word, ())) for word, place in places.items()]
    ground = ("Left", "Right", "Front", "Back")
    for seed in range(12):
        generator = np.random.default_rng(seed)
        if missing in ground:
            with pytest.raises(Refused, match="ANSWER_NOT_FOUND"):
                Relation().item(generator, _Everywhere(), "strict", candidates)
        else:  # where nothing is above another, the four words of the ground are offered
            assert sorted(Relation().item(generator, _Everywhere(), "strict", candidates).options) == sorted(ground)


def test_the_published_relation_leaves_out_the_word_that_is_nearly_true():
    candidates = [Candidate(Place(0.0, 1.0, 0.5, ("a", "b")), Direction("Left", ("Down",)))]
    for seed in range(50):
        item = Relation().item(np.random.default_rng(seed), _Everywhere(), "paper", candidates)
        assert item.options[item.answer] == "Left" and "Down" not in item.options and "Right" in item.options


@pytest.mark.parametrize("right", WORDS)
def test_the_published_relation_always_offers_the_opposite(right):
    opposite = WORDS[WORDS.index(right) ^ 1]
    candidates = [Candidate(Place(0.0, 1.0, 0.5, ("a", "b")), Direction(right, ()))]
    dropped = set()
    for seed in range(80):
        item = Relation().item(np.random.default_rng(seed), _Everywhere(), "paper", candidates)
        assert item.options[item.answer] == right and opposite in item.options and len(set(item.options)) == 5
        dropped |= set(WORDS) - set(item.options)
    assert dropped == set(WORDS) - {right, opposite}


def test_of_two_words_that_are_nearly_true_the_truer_one_is_left_out():
    found = direction_of(np.array([0.55, 0.6, 1.0]), np.zeros(3), 1.5)
    assert found == Direction("Back", ("Down", "Right"))
    candidates = [Candidate(Place(0.0, 1.0, 0.5, ("a", "b")), found)]
    for seed in range(20):
        item = Relation().item(np.random.default_rng(seed), _Everywhere(), "paper", candidates)
        assert set(item.options) == set(WORDS) - {"Down"}


def test_the_nearest_is_any_of_those_that_can_be():
    names = [f"thing-{k}" for k in range(6)]
    candidates = [
        Candidate(Place(0.0, 1.0, 0.1 * k, tuple(sorted({*names} - {names[(k + 1) % 6]}))), names[k % 6])
        for k in range(60)
    ]
    right = Counter()
    for seed in range(1200):
        item = Nearest().item(np.random.default_rng(seed), _Everywhere(), "strict", candidates)
        assert item.options[item.answer] == f"the {item.facts['value']}"
        right[item.facts["value"]] += 1
    assert chisquare([right[name] for name in names]).pvalue > 0.001
