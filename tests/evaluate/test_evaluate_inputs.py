"""What ``--input`` shows: the frame plans of every ablation, media of other scenes, and what is refused."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.evaluate.plan import Plan, Selection, make_plan
from chronotope.evaluate.plan.inputs import Donors, make_asks
from chronotope.evaluate.run import run
from chronotope.evaluate.score import open_run
from chronotope.families import Family, family
from chronotope.media import ClipFacts
from chronotope.models import Asked, Decoding, FunctionModel, Limits
from chronotope.protocol import FrameOf, Image, MediaFacts, PictureFacts, PictureFile, describe
from chronotope.question import Benchmark, MediaItem, Option, Question

EYES = Limits()
FRAMES = {0.0: (1, 3, 6, 8), 1.0: (11, 13, 16, 18)}  # midpoints of four parts, by the start of the window


def planned(bench: Benchmark, tiny: Family, name: str, **settings: object) -> Plan:
    return make_plan(bench, tiny, tiny.RunSettings(input=name, **settings), Selection(), EYES)


def shown(plan: Plan, ask: str) -> list[tuple[str, int]]:
    pictures = [part.picture for part in plan.prompts[ask].parts if isinstance(part, Image)]
    assert all(isinstance(picture, FrameOf) for picture in pictures)
    return [(picture.path, picture.plan.indices[picture.position]) for picture in pictures]


@pytest.mark.parametrize(
    ("name", "places"), [("first", (0,)), ("middle", (1,)), ("last", (3,)), ("frozen", (1, 1, 1, 1))]
)
def test_frames_are_left_out_or_frozen(bench: Benchmark, tiny: Family, name: str, places: tuple[int, ...]) -> None:
    plan = planned(bench, tiny, name)
    for ask in plan.asks:
        question = plan.questions[ask.question]
        indices = FRAMES[question.window.start]
        assert ask.id == f"{question.id}#{name}" and ask.input == name
        assert shown(plan, ask.id) == [(question.media[0].paths[0], indices[place]) for place in places]
        assert ask.plans[0].times == tuple(index / 10 for _, index in shown(plan, ask.id))


def test_frames_are_shuffled_once_for_all_questions_about_a_clip(bench: Benchmark, tiny: Family) -> None:
    plan, again = planned(bench, tiny, "shuffled", frames=6), planned(bench, tiny, "shuffled", frames=6)
    full = planned(bench, tiny, "full", frames=6)
    orders = {}
    for ask in plan.asks:
        place = (plan.questions[ask.question].media, plan.questions[ask.question].window)
        frames, before = shown(plan, ask.id), shown(full, ask.question)
        assert sorted(frames) == before and frames == shown(again, ask.id)
        assert orders.setdefault(place, frames) == frames
    assert len(orders) == 12
    assert len({tuple(number % 10 for _, number in order) for order in orders.values()}) > 8  # each clip has its own


def test_all_orders_of_frames_are_equally_likely() -> None:
    sti, counts, options = family("sti"), Counter(), (Option("1 m"), Option("2 m"))
    for number in range(1800):
        facts = MediaFacts({"a.mp4": ClipFacts(f"{number:064x}", 64, 48, 9, 10.0, 0.9)})
        media = (MediaItem("video", "video", ("a.mp4",)),)
        question = Question("q", "sti", "Speed & Acceleration", "clip", "How fast?", options, (0,), media=media)
        [(ask, _)] = make_asks(sti, question, sti.RunSettings(input="shuffled", frames=3), facts, Donors([]))
        counts[ask.plans[0].indices] += 1
    assert len(counts) == 6 and max(abs(count - 300) for count in counts.values()) < 75  # 4.5 standard deviations


def test_media_of_another_scene_are_shown(bench: Benchmark, tiny: Family) -> None:
    plan = planned(bench, tiny, "swapped")
    used = Counter()
    for ask in plan.asks:
        question = plan.questions[ask.question]
        donor = next(one for one in bench.questions if one.id == ask.worded("media_of"))
        assert donor.cluster != question.cluster and donor.task == question.task
        frames = shown(plan, ask.id)
        assert {path for path, _ in frames} == set(donor.media[0].paths)
        assert tuple(number for _, number in frames) == FRAMES[question.window.start]
        assert plan.prompts[ask.id].media == donor.media
        assert question.stem in plan.prompts[ask.id].parts[-6].text
        used[question.media[0].paths[0], donor.media[0].paths[0]] += 1
    assert len(used) == 6 and set(used.values()) == {4}  # all questions about a clip show one other clip
    assert len({there for _, there in used}) == 6  # and no clip is shown more often than others
    few = make_plan(bench, tiny, tiny.RunSettings(input="swapped"), Selection(limit=3), EYES)
    assert all(
        few.prompts[ask.id].media == plan.prompts[ask.id].media for ask in few.asks
    )  # a selection changes no ask


def test_prompts_differ_from_full_prompts_only_in_their_pictures(bench: Benchmark, tiny: Family) -> None:
    full = planned(bench, tiny, "full")
    for name in ("first", "shuffled", "frozen", "swapped"):
        plan = planned(bench, tiny, name)
        for ask in plan.asks:
            parts, before = plan.parts(ask), full.prompts[ask.question].parts
            assert [p for p in parts if not isinstance(p, Image)] == [p for p in before if not isinstance(p, Image)]
        assert sum(plan.prompts[ask.id].sha256 != full.prompts[ask.question].sha256 for ask in plan.asks) > 20


def test_each_input_is_a_run_of_its_own_that_can_be_read_again(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    """The model reads the clip and the frame from the grey of the pictures that it got."""
    seen: dict[str, list[tuple[int, int]]] = {}

    def look(asked: Asked) -> str:
        grey = [np.median(frame.reshape(48, 64, -1), axis=(0, 2)) for frame in asked.frames()]
        seen[asked.ask] = [(round((row[48] - 20) / 35), round((row[16] - 20) / 10)) for row in grey]
        return "A"

    model = FunctionModel(look, "function/look")
    identities = set()
    for name in ("full", "middle", "shuffled", "frozen", "swapped"):
        settings = tiny.RunSettings(input=name)
        folder = run(bench, tiny, model, Decoding(), settings, Selection(), tmp_path / name).folder
        results = open_run(folder)
        identities.add(results.card.identity)
        plan = planned(bench, tiny, name)
        for one in results.answered:
            assert one.line is not None and one.line.state == "replied"
            assert describe(results.parts(one.ask)) == describe(plan.parts(one.ask))  # as the report shows it
            frames = [(int(Path(path).stem), number) for path, number in shown(plan, one.ask.id)]
            assert seen[one.ask.id] == frames
    assert len(identities) == 5


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"input": "first", "clips": "video"}, "--input first: cannot be combined with --clips video"),
        ({"input": "shuffled", "frames_as": "images"}, "--input shuffled: cannot be combined with --frames-as"),
        ({"input": "frozen", "frames_as": "video"}, "--input frozen: cannot be combined with --frames-as"),
        ({"input": "shuffled", "frames": 1}, "shows no clip with several frames, so nothing would change"),
    ],
)
def test_meaningless_combinations_are_refused(
    bench: Benchmark, tiny: Family, settings: dict[str, object], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        make_plan(bench, tiny, tiny.RunSettings(**settings), Selection(), EYES)


def test_single_pictures_have_no_order_and_one_scene_no_other(
    make_bench: object, tiny: Family, bench: Benchmark
) -> None:
    pictures = make_bench.with_pictures()
    for name in ("first", "shuffled", "frozen"):
        with pytest.raises(InputError, match=r"question 'two' shows no clip with several frames"):
            make_plan(pictures, tiny, tiny.RunSettings(input=name), Selection(), EYES)
    with pytest.raises(InputError, match=r"no other scene has a question of task 'count' .* question 'two'"):
        make_plan(pictures, tiny, tiny.RunSettings(input="swapped"), Selection(), EYES)
    alone = [replace(question, cluster="one house") for question in bench.questions]
    with pytest.raises(InputError, match=r"^--input swapped: no other scene"):
        make_plan(replace(bench, questions=alone), tiny, tiny.RunSettings(input="swapped"), Selection(), EYES)


def test_a_question_without_media_cannot_be_ablated(text_bench: Benchmark, tiny: Family) -> None:
    for name in ("first", "swapped"):
        with pytest.raises(InputError, match="have no media"):
            make_plan(text_bench, tiny, tiny.RunSettings(input=name), Selection(), EYES)
        with pytest.raises(InputError, match=rf"^--input {name}: "):  # a baseline does not look, but would be marked so
            make_plan(text_bench, tiny, tiny.RunSettings(input=name), Selection(), Limits(looks=False))


def test_pictures_that_replace_a_clip_are_shuffled_too(tmp_path: Path, tiny: Family) -> None:
    """Released pictures stand in M3's plans without times; the protocol of M3 is used as it is."""
    m3 = family("m3")
    paths = tuple(f"images/{number}.png" for number in range(5))
    facts = MediaFacts({path: PictureFacts(f"{number:064x}") for number, path in enumerate(paths)})
    options = (Option("yes"), Option("no"))
    media = (MediaItem("before", "frames", paths),)
    question = Question("q", "m3", "Existence", "home", "Is it there?", options, (0,), media=media)
    [(ask, of)] = make_asks(m3, question, m3.RunSettings(input="last"), facts, Donors([question]))
    pictures = [p.picture for p in m3.protocol.parts(replace(ask, input="full"), of, facts) if isinstance(p, Image)]
    assert [p.path for p in pictures if isinstance(p, PictureFile)] == ["images/4.png"]
    assert json.dumps(ask.plans[0].to_dict())  # stored with the run


@pytest.mark.parametrize("name", ["full", "first", "shuffled", "swapped"])
def test_prompts_of_a_large_plan_are_made_again_when_they_are_sent(
    bench: Benchmark, tiny: Family, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = planned(bench, tiny, name, placement="rotate")
    monkeypatch.setattr("chronotope.evaluate.plan.plan.KEPT", 23)  # one question less than there are
    large = planned(bench, tiny, name, placement="rotate")
    assert large.asks == kept.asks and {prompt.parts for prompt in large.prompts.values()} == {None}
    for ask in large.asks:
        assert large.parts(ask) == kept.parts(ask) == kept.prompts[ask.id].parts
        assert replace(kept.prompts[ask.id], parts=None) == large.prompts[ask.id]
