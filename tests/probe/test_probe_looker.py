"""A model that really looks: trained here, and then asked, read and patched. What is found is true by construction."""

import importlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytestmark = pytest.mark.slow

from looking import Asked, accuracy, answer_in, ask_all, facts_in, letter  # noqa: E402

from chronotope.errors import InputError  # noqa: E402
from chronotope.evaluate.plan import Selection  # noqa: E402
from chronotope.families import family  # noqa: E402
from chronotope.media import decode_frames  # noqa: E402
from chronotope.models.transformers import load  # noqa: E402
from chronotope.probe import ProbeRequest, ProbeSettings, probe, read_table  # noqa: E402
from chronotope.probe.activation_patching import Patching, patch_states, token_groups  # noqa: E402
from chronotope.probe.logit_lens import letter_lens  # noqa: E402
from chronotope.probe.residual import Stream, stream_of  # noqa: E402
from chronotope.question import Benchmark  # noqa: E402

EXAMPLES = Path(__file__).parents[2] / "examples"
EXISTENCE, COLOUR, ORDER = "L1-OE", "L1-OA", "L2-TO"
PAIRS, PATCHED = 16, 3


@pytest.fixture(scope="session")
def script() -> Iterator[Any]:
    sys.path.insert(0, str(EXAMPLES))
    yield importlib.import_module("train_looker")
    sys.path.remove(str(EXAMPLES))


@pytest.fixture(scope="session")
def benchmark(script: Any, tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return script.write_benchmark(tmp_path_factory.mktemp("looker") / "bench", PAIRS, 0)


@pytest.fixture(scope="session")
def looker(script: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("looker") / "model"
    deterministic = torch.are_deterministic_algorithms_enabled()
    script.make_looker(folder)
    torch.use_deterministic_algorithms(deterministic)
    assert sum(path.stat().st_size for path in folder.iterdir()) < 4e6
    return load(str(folder))


@pytest.fixture(scope="session")
def full(looker: Any, benchmark: Benchmark) -> dict[str, Asked]:
    return ask_all(looker, benchmark)


def frames(benchmark: Benchmark, path: str) -> list[np.ndarray]:
    return [picture for _, picture in decode_frames(benchmark.folder / path, range(4))]


def test_the_truth_is_in_the_pixels_and_pairs_differ_in_one_fact(benchmark: Benchmark) -> None:
    questions = {one.id: one for one in benchmark.questions}
    for one in benchmark.questions:
        shown = frames(benchmark, one.media[0].paths[0])
        assert one.options[one.answer[0]].text == answer_in(shown, one)
        twin = questions[one.provenance["twin"]]
        assert (twin.stem, twin.options, twin.cluster) == (one.stem, one.options, one.cluster)
        (colour, lit), (other, then) = facts_in(shown), facts_in(frames(benchmark, twin.media[0].paths[0]))
        assert (colour != other, lit != then) == (one.provenance["fact"] == "colour", one.provenance["fact"] == "order")


def test_it_sees(full: dict[str, Asked]) -> None:
    assert min(accuracy(full).values()) > 0.95, accuracy(full)


def test_without_pictures_it_guesses(looker: Any, benchmark: Benchmark, full: dict[str, Asked]) -> None:
    """Both questions of a pair have one prompt then: if their answers differ, exactly one of them can be right."""
    blind = ask_all(looker, benchmark, input="blind")
    for one in blind.values():
        assert one.chosen == blind[one.question.provenance["twin"]].chosen
    found = accuracy({name: one for name, one in blind.items() if one.question.provenance["fact"] == "order"})
    assert found[ORDER] == 0.5
    assert accuracy(blind)[COLOUR] < 0.5


def test_of_shuffled_frames_it_tells_the_order_that_it_saw(
    looker: Any, benchmark: Benchmark, full: dict[str, Asked]
) -> None:
    shuffled = ask_all(looker, benchmark, input="shuffled")
    found = accuracy(shuffled)
    assert found[COLOUR] > 0.95 and found[EXISTENCE] > 0.95
    assert 0.3 < found[ORDER] < 0.7  # a random order keeps the right lamp first in half of all clips
    told = []
    for one in shuffled.values():
        every = frames(benchmark, one.question.media[0].paths[0])
        shown = [every[number] for number in one.ask.plans[0].indices]
        told.append(one.question.options[one.chosen].text == answer_in(shown, one.question))
    assert np.mean(told) > 0.95


def test_a_frozen_clip_has_a_colour_and_no_order(looker: Any, benchmark: Benchmark) -> None:
    found = accuracy(ask_all(looker, benchmark, input="frozen"))
    assert found[COLOUR] > 0.9 and found[EXISTENCE] > 0.9 and found[ORDER] < 0.85  # one lamp may be on in the frame


def test_of_swapped_clips_it_tells_what_they_show(looker: Any, benchmark: Benchmark) -> None:
    questions = {one.id: one for one in benchmark.questions}
    swapped = ask_all(looker, benchmark, input="swapped")
    assert accuracy(swapped)[COLOUR] < 0.6
    told = []
    for one in swapped.values():
        donor = questions[one.ask.worded("media_of")]
        truth = answer_in(frames(benchmark, donor.media[0].paths[0]), one.question)
        told.append(one.question.options[one.chosen].text == truth)
    assert np.mean(told) > 0.95


def pairs_of(full: dict[str, Asked], kind: str, fact: str) -> list[tuple[Asked, Asked]]:
    """Some pairs of asks of one kind whose clips differ in a fact, both answered correctly."""
    found = [
        (one, full[one.question.provenance["twin"]])
        for name, one in full.items()
        if one.kind == kind and one.question.provenance["fact"] == fact and name[3] == "a"
    ]
    return [pair for pair in found if pair[0].right and pair[1].right][:PATCHED]


def patched(looker: Any, pair: tuple[Asked, Asked]) -> Patching:
    clean, corrupted = pair
    answers = tuple((letter(looker, one.chosen),) for one in pair)
    stream, inputs = stream_of(looker, clean.encoded)
    tokens = inputs["input_ids"][0].tolist()
    vision = {tokens[place] for span in clean.encoded.spans for place in span.vision}
    return patch_states(stream, inputs, looker.inputs(corrupted.encoded), answers, token_groups(tokens, sorted(vision)))


@pytest.mark.parametrize(("kind", "fact"), [(COLOUR, "colour"), (ORDER, "order")])
def test_patching_shows_where_the_fact_enters_and_where_it_is_answered(
    looker: Any, full: dict[str, Asked], kind: str, fact: str
) -> None:
    pairs = pairs_of(full, kind, fact)
    assert len(pairs) == PATCHED
    for pair in pairs:
        found = patched(looker, pair)
        effects = dict(zip(found.groups, found.effects.T, strict=True))
        flips = dict(zip(found.groups, found.flips.T, strict=True))
        assert found.clean > 0 > found.corrupted
        # The clips differ in their pictures alone, so that these carry everything at depth 0 and nothing at the end.
        np.testing.assert_allclose(effects["pictures"][[0, -1]], [1, 0], atol=1e-3)
        np.testing.assert_allclose(effects["last"][[0, -1]], [0, 1], atol=1e-3)
        np.testing.assert_allclose(effects["before"], 0, atol=1e-3)  # the words before the pictures cannot know
        assert flips["pictures"][0] and not flips["pictures"][-1]
        assert not flips["last"][0] and flips["last"][-1]


def test_only_the_pictures_with_a_lamp_carry_the_order(
    looker: Any, full: dict[str, Asked], benchmark: Benchmark
) -> None:
    for pair in pairs_of(full, ORDER, "order"):
        found = patched(looker, pair)
        at_first = dict(zip(found.groups, found.effects[0], strict=True))
        lit = set(pair[0].question.provenance["facts"]["lit"].values())
        for number in range(4):
            effect = at_first[f"picture {number + 1}"]
            assert (abs(effect) < 0.1) or number in lit, (lit, at_first)


def test_a_fact_that_is_not_asked_about_changes_nothing(full: dict[str, Asked]) -> None:
    for one in full.values():
        if (one.kind == ORDER) == (one.question.provenance["fact"] == "colour"):
            assert one.chosen == full[one.question.provenance["twin"]].chosen or not one.right


def named(stream: Stream, inputs: Any, words: dict[str, int], depth: int) -> str:
    logits = stream.seen(stream.states(stream.prepare(inputs))[depth, -1])
    return max(words, key=lambda word: float(logits[words[word]]))


def test_the_lens_shows_words_first_and_letters_at_the_end(looker: Any, full: dict[str, Asked], script: Any) -> None:
    """Training taught the last token to name the answer before the last layer, which then only finds its letter."""
    encoded = {word: looker.tokenizer.encode(f" {word}", add_special_tokens=False) for word in script.WORDS}
    words = {word: token for word, [token] in encoded.items()}
    told, first = [], []
    for one in list(full.values())[:30]:
        stream, inputs = stream_of(looker, one.encoded)
        letters = [[letter(looker, index)] for index in range(len(one.question.options))]
        lens = letter_lens(stream, inputs, letters)
        right = one.question.answer[0]
        assert (lens.margins(right)[-1] > 0) == one.right
        first.append(lens.margins(right) > 0)
        text = one.question.options[right].text.removeprefix("The ").removesuffix(" lamp")
        told.append(named(stream, inputs, words, script.WORD_DEPTH) == text)
    assert np.mean(told) > 0.9
    of_depths = np.mean(first, axis=0)
    assert of_depths[-1] > 0.9 and max(of_depths[:3]) < 0.8, of_depths


def test_at_depth_0_the_last_token_knows_nothing_of_the_clip(looker: Any, full: dict[str, Asked]) -> None:
    [(one, twin), *_] = pairs_of(full, COLOUR, "colour")
    letters = [[letter(looker, index)] for index in range(4)]
    lenses = [letter_lens(*stream_of(looker, of.encoded), letters) for of in (one, twin)]
    np.testing.assert_array_equal(lenses[0].logits[0], lenses[1].logits[0])
    assert np.abs(lenses[0].logits[-1] - lenses[1].logits[-1]).max() > 1


def of_layer(
    looker: Any, benchmark: Benchmark, layer: str, out: Path, most: int | None = None, **settings: Any
) -> tuple[dict[str, list[dict]], list[dict]]:
    """The tables and the rows of a layer of the probe of a benchmark."""
    request = ProbeRequest(
        benchmark, family("vgenst"), f"transformers/{looker.sources.place}", layer, out, ProbeSettings(**settings),
        Selection(limit=most),
    )  # fmt: skip
    made = probe(request)
    assert made.measured > 0 and made.kept == 0 and probe(request).kept == made.measured
    tables = {name: read_table(made.folder, path) for name, path in made.entry.tables.items()}
    return tables, read_table(made.folder, f"{layer}.parquet")


def probed(looker: Any, benchmark: Benchmark, layer: str, out: Path, most: int | None = None) -> dict[str, list[dict]]:
    return of_layer(looker, benchmark, layer, out, most)[0]


def only(benchmark: Benchmark, wanted: Callable[[Any], bool]) -> Benchmark:
    return replace(benchmark, questions=tuple(one for one in benchmark.questions if wanted(one)))


def test_the_vision_encoder_tells_colours_apart_and_no_orders(looker: Any, script: Any, tmp_path: Path) -> None:
    """Clips of two orders have the same pictures, in another order.

    Between clips 6 of 16 pairs show equal lamps, and within a clip 1 of 6: the best guess from single pictures has a
    balanced accuracy of (5/6 + 6/16) / 2 = 0.604.
    """
    benchmark = script.write_benchmark(tmp_path / "bench", 40, 1)
    found: dict[str, dict[str, float]] = {}
    for fact in ("colour", "order"):
        asked = only(benchmark, lambda one, fact=fact: one.provenance["fact"] == fact)
        tables = probed(looker, asked, "representation", tmp_path / fact)
        found[fact] = {
            row["level"]: row["value"]
            for row in tables["measures"]
            if (row["task"], row["measure"]) == ("all", "probe balanced accuracy (1:1)")
        }
    assert min(found["colour"].values()) > 0.9 > 0.7 > max(found["order"].values()), found


def test_shuffling_frames_changes_the_hidden_states_only_after_the_first_layer(
    looker: Any, benchmark: Benchmark, tmp_path: Path
) -> None:
    """The mean of the pictures' embeddings has no order, and the last token has not read them yet."""
    orders = only(benchmark, lambda one: one.tags["type"] == (ORDER,))
    conditions = ["input=full", "input=shuffled"]
    _, rows = of_layer(looker, orders, "hidden", tmp_path / "probe", 12, condition=conditions)
    apart: list[float] = []
    for depth in range(5):
        influence = [
            {row["question"]: row["influence"] for row in rows
             if (row["condition"], row["depth"], row["modality"]) == (condition, depth, "video")}
            for condition in conditions
        ]  # fmt: skip
        apart.append(max(abs(value - influence[1][name]) for name, value in influence[0].items()))
    assert apart[0] < 1e-5 and min(apart[1:]) > 1e-2, apart


def test_the_last_token_attends_to_the_pictures_with_a_lamp(looker: Any, benchmark: Benchmark, tmp_path: Path) -> None:
    """An order is in these two pictures only; the other two look like a clip in which nothing happens."""
    orders = only(benchmark, lambda one: one.tags["type"] == (ORDER,))
    lit = {one.id: set(one.provenance["facts"]["lit"].values()) for one in orders.questions}
    _, rows = of_layer(looker, orders, "attention", tmp_path / "probe", at="all")
    ratios: list[float] = []
    for layer in range(4):
        shares: dict[bool, list[float]] = {True: [], False: []}
        for row in rows:
            if (row["layer"], row["kind"]) == (layer, "picture"):
                shares[int(row["name"].split()[0]) - 1 in lit[row["question"]]].append(row["share"])
        assert len(shares[True]) == len(shares[False]) == 2 * len(orders.questions)
        ratios.append(float(np.mean(shares[True]) / np.mean(shares[False])))
    assert max(ratios) > 1.5, ratios


def test_shuffling_frames_takes_the_margin_of_the_order(looker: Any, benchmark: Benchmark, tmp_path: Path) -> None:
    orders = only(benchmark, lambda one: one.tags["type"] == (ORDER,))
    tables, _ = of_layer(
        looker, orders, "lens", tmp_path / "probe", condition=["input=full", "input=shuffled", "input=swapped"]
    )
    changes = {(row["to"], row["depth"]): row for row in tables["changes"] if row["task"] == "all"}
    for shown in ("input=shuffled", "input=swapped"):
        assert changes[shown, 0]["difference"] == pytest.approx(0, abs=1e-5)
        assert changes[shown, 4]["high"] < -1, changes[shown, 4]


def test_the_layer_lens_has_the_means_by_depth(
    looker: Any, benchmark: Benchmark, full: dict[str, Asked], tmp_path: Path
) -> None:
    tables = probed(looker, benchmark, "lens", tmp_path / "probe", 12)
    margins = {row["depth"]: row for row in tables["margins"] if row["task"] == "all"}
    shares = {row["depth"]: row["mean"] for row in tables["shares"] if row["task"] == "all"}
    assert list(margins) == [0, 1, 2, 3, 4] and margins[4]["questions"] == 12
    assert margins[4]["mean"] > 2 > 0.5 > margins[0]["mean"] and shares[4] > 0.9


def test_the_layer_patch_has_the_mean_effects_of_each_fact(looker: Any, benchmark: Benchmark, tmp_path: Path) -> None:
    tables = probed(looker, benchmark, "patch", tmp_path / "probe")
    facts = {row["fact"]: row for row in tables["pairs"]}
    # Of 8 pairs each: all orders, all colours, and the yes-or-no questions about one of the two colours, in both ways.
    assert facts["order"]["pairs"] == 16 and facts["colour"]["pairs"] >= 16
    assert all(row["used"] >= 0.85 * row["pairs"] for row in facts.values())
    carriers = {(row["fact"], row["group"]): (row["from"], row["to"]) for row in tables["carriers"]}
    for fact in facts:
        assert carriers[fact, "before"] == (None, None)
        assert carriers[fact, "pictures"][0] == 0 and carriers[fact, "last"][1] == 4
    effects = {(r["fact"], r["depth"], r["group"]): r["mean"] for r in tables["effects"] if r["task"] == "all"}
    for fact in facts:
        for (depth, group), value in {(0, "pictures"): 1, (4, "pictures"): 0, (0, "last"): 0, (4, "last"): 1}.items():
            assert effects[fact, depth, group] == pytest.approx(value, abs=1e-3)


def test_patching_needs_twins(looker: Any, benchmark: Benchmark, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^patch: no two selected questions are the same question about two clips"):
        probed(looker, benchmark, "patch", tmp_path / "probe", 1)
    assert not (tmp_path / "probe").exists()


@pytest.mark.parametrize("name", ["qwen2_5_vl", "qwen3_vl", "internvl", "llava_onevision", "qwen3_5"])
def test_lens_and_patch_run_and_resume_with_real_classes(
    name: str, tiny: Callable[[str], Any], benchmark: Benchmark, tmp_path: Path
) -> None:
    """Random weights give equal answers to both clips of most pairs; these pairs are counted, and not used."""
    local, some = tiny(name), only(benchmark, lambda one: one.cluster in ("table-000", "table-001"))
    probed(local, some, "lens", tmp_path / "probe", 3)
    request = ProbeRequest(
        some, family("vgenst"), f"transformers/{local.sources.place}", "lens", tmp_path / "probe",
        selection=Selection(limit=6),
    )  # fmt: skip
    more = probe(request)
    assert (more.measured, more.kept) == (3, 3)
    masses = [row["mean"] for row in read_table(more.folder, more.entry.tables["masses"])]
    assert len(masses) == 2 * 5 and all(0 < mass < 1 for mass in masses)
    tables, rows = of_layer(local, some, "patch", tmp_path / "probe")
    [colour, order] = sorted(tables["pairs"], key=lambda row: row["fact"])
    assert (colour["fact"], order["fact"], order["pairs"]) == ("colour", "order", 2) and colour["pairs"] >= 2
    assert sum(row["used"] for row in tables["pairs"]) == len({row["question"] for row in rows if row["used"]})
    assert all((row["clean"] > 0 > row["corrupted"]) == row["used"] == (row["effect"] is not None) for row in rows)
