"""Words between pictures, and videos: whether they reach a model as they are sent, and what becomes of a run if not."""

import itertools
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from evaluate_seeing import ALL, Seeing, check
from PIL import Image as Picture

import ikea_released
import m3_released
import sti_released
import vgenst_released
from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection, Shown, make_plan, planned_shown
from chronotope.evaluate.plan.shown import words_beside
from chronotope.evaluate.run import Outcome, run
from chronotope.evaluate.score import CheckOutcome, open_run
from chronotope.families import Family, family
from chronotope.ledger import LedgerLine, read_ledger
from chronotope.models import Decoding, Limits
from chronotope.protocol import Image, Option, Part, PictureFile, Text, Video
from chronotope.question import Benchmark, MediaItem, Question, open_benchmark
from chronotope.question import Option as Offered
from chronotope.report.compared_runs.run_marks import marks
from chronotope.report.compared_runs.run_notes import check_words
from commands import command

PICTURE = PictureFile("a.png", "0" * 64)
IMAGE, VIDEO = Image(PICTURE), Video("a.mp4", "1" * 64)

# Words between pictures

LABELLED = ("after", "before", "between")


def twins(server: Seeing) -> list[dict]:
    return [request for request in server.requests() if "after the words" in request["text"]]


@pytest.mark.parametrize(("count", "words"), [(2, LABELLED), (3, ("before",)), (8, LABELLED), (8, ("after", "before"))])
def test_words_that_stay_between_pictures_are_found_to(
    seeing: Callable[..., Seeing], count: int, words: tuple[str, ...]
) -> None:
    server = seeing()
    outcome, lines = check(server.url, count, words=words)
    assert (outcome.order_kept, outcome.problem, outcome.warnings) == (True, None, ())
    assert outcome.right == dict.fromkeys((*ALL, "set-one", "set-two"), True)
    one, other = twins(server)
    assert one["sent"] == other["sent"] and one["text"] == other["text"]  # one prompt, once the order is lost
    assert one["stands"] != other["stands"] and one["reply"] != other["reply"]
    assert one["pictures"] == min(count, 6)
    starts, ends = one["order"][0] == "text", one["order"][-1] == "text"
    assert ends == ("after" in words) and (starts or "before" not in words)
    assert {line.ask for line in lines if line.kind == "check"} >= {"check-set-one", "check-set-two"}


@pytest.mark.parametrize(("count", "model"), [(2, "guess"), (3, "say"), (8, "guess"), (8, "say")])
def test_pictures_that_are_put_before_all_words_stop_a_run(
    seeing: Callable[..., Seeing], count: int, model: str
) -> None:
    server = seeing("--flat", model)
    outcome, _ = check(server.url, count, words=LABELLED)
    assert outcome.accepted and outcome.arrived and outcome.order_kept is False
    assert "text does not stay between the pictures" in outcome.problem
    assert "vLLM: --interleave-mm-strings" in outcome.problem and "--allow-lost-order" in outcome.problem
    assert "\n" not in outcome.problem and outcome.problem in outcome.words()[-1]
    allowed, _ = check(server.url, count, words=LABELLED, allowed=True)
    assert (allowed.problem, allowed.order_kept) == (None, False)
    assert "the run continues because of --allow-lost-order" in allowed.warnings[0]


@pytest.mark.parametrize(("words", "calls"), [(("before",), 2), (("after", "before"), 2), (("after",), 0), ((), 0)])
def test_lost_order_is_a_note_where_no_words_name_pictures(
    seeing: Callable[..., Seeing], words: tuple[str, ...], calls: int
) -> None:
    server = seeing("--flat", "guess")
    outcome, _ = check(server.url, words=words)
    assert outcome.problem is None and len(twins(server)) == calls
    assert outcome.order_kept is (False if calls else None)
    assert len(outcome.warnings) == calls // 2
    assert all("move behind them" in warning for warning in outcome.warnings)


def test_a_weak_model_is_not_taken_for_a_service_that_loses_the_order(seeing: Callable[..., Seeing]) -> None:
    """One that reads badly, or replies with nothing: only a model that sees the pictures can tell."""
    outcome, _ = check(seeing("--reply", "417").url, words=LABELLED)
    assert outcome.problem is None and outcome.order_kept is None
    assert "the check could not decide whether text stays" in outcome.warnings[-1]
    outcome, _ = check(seeing("--reply-to-count", "9", "--flat", "guess").url, words=LABELLED)
    assert outcome.order_kept is False  # counting badly is no excuse
    outcome, _ = check(seeing("--no-order").url, words=LABELLED)
    assert outcome.order_kept is False  # it says the same to both, and sees all else
    outcome, _ = check(seeing("--think", "open").url, words=LABELLED)
    assert outcome.order_kept is None and outcome.problem is None  # cut short, it says nothing


def test_a_check_covers_no_run_whose_labels_it_did_not_ask_about(seeing: Callable[..., Seeing]) -> None:
    small, labelled = Shown(8, (64, 48), words=("after",)), Shown(8, (64, 48), words=LABELLED)
    outcome, _ = check(seeing().url, words=small.words)
    assert outcome.covers(small) and not outcome.covers(labelled) and not outcome.covers(replace(small, videos=1))
    assert check(seeing().url, words=LABELLED)[0].covers(labelled)
    before = check(seeing().url, words=("after", "before"))[0]
    assert before.covers(labelled)  # it was found to be kept
    assert not check(seeing("--flat", "guess").url, words=("after", "before"))[0].covers(labelled)


@pytest.mark.parametrize(
    ("parts", "places"),
    [
        ([Text("Which?")], ()),
        ([IMAGE, IMAGE, Text("Which?")], ("after",)),
        ([Text("Which?"), IMAGE, IMAGE], ("before",)),
        ([Text("You see.", "system"), IMAGE, Text(" \n"), IMAGE, Text("Which?")], ("after",)),
        ([IMAGE, Text("Step 2:", label=True), IMAGE, Text("Which?")], ("after", "between")),
        ([Text("Watch."), VIDEO, Text("the second:"), VIDEO], ("before", "between")),
        ([Text("Which?"), Option("A", "A. ", None, PICTURE), Option("B", "B. ", None, PICTURE)], ("before", "between")),
        ([Text("Which?"), IMAGE, Option("A", "A. red", "red")], ("after", "before")),
    ],
)
def test_where_words_stand(parts: list[Part], places: tuple[str, ...]) -> None:
    assert tuple(sorted(words_beside(parts))) == places


RELEASED = {
    "sti": (sti_released.row(0),),
    "ikea": tuple(ikea_released.row(task, "Chair", "bekvam_3017", n) for n, task in enumerate(ikea_released.TASKS)),
    "m3": tuple(m3_released.row(number) for number in range(2)),
    "vgenst": (vgenst_released.row(),),
}
WRITERS = {"sti": sti_released, "ikea": ikea_released, "m3": m3_released, "vgenst": vgenst_released}


@pytest.mark.parametrize(
    ("name", "published", "shared"),
    [
        ("sti", ("before",), ("after",)),
        ("ikea", LABELLED, ("after", "before", "between")),
        ("m3", LABELLED, ("after", "before", "between")),
        ("vgenst", ("after",), ("after",)),
    ],
)
def test_in_which_benchmarks_words_name_pictures(
    name: str, published: tuple[str, ...], shared: tuple[str, ...], tmp_path: Path
) -> None:
    WRITERS[name].write_release(tmp_path / "released", list(RELEASED[name]))
    command("import", name, tmp_path / "released", "--out", tmp_path / "bench", code=0)
    bench, chosen = open_benchmark(tmp_path / "bench"), family(name)
    for layout, words in (("published", published), ("shared", shared)):
        plan = make_plan(bench, chosen, chosen.RunSettings(), Selection(), Limits(), layout)
        assert planned_shown(plan).words == words


# Videos

VIDEOS = ("video-first", "video-last", "video-count", "video-time")


def watch(server: Seeing, **shown: object) -> tuple[CheckOutcome, list[LedgerLine]]:
    return check(server.url, 0, (0, 0), **({"videos": 1, "video_size": (192, 144)} | shown))


@pytest.mark.parametrize(("size", "silent"), [((192, 144), ("--silent",)), ((641, 1281), ())])
def test_a_model_that_watches_is_right_about_all(
    seeing: Callable[..., Seeing], size: tuple[int, int], silent: tuple[str, ...]
) -> None:
    server = seeing(*silent)
    outcome, lines = watch(server, video_size=size)
    assert (outcome.problem, outcome.warnings, outcome.video_arrived) == (None, (), True)
    assert outcome.right == dict.fromkeys(VIDEOS, True) and outcome.accepted
    assert outcome.video_tokens == (None if silent else 16 * 300)
    first = server.requests()[0]
    [video] = first["videos"]
    assert first["order"] == ["video_url", "text"] and [time for time, _ in video] == [0.5 * i for i in range(16)]
    numbers = [number for number, _ in itertools.groupby(number for _, number in video)]
    assert len(set(numbers)) == 4 and outcome.replies["video-last"] == str(numbers[-1])
    assert {line.ask: line.extra["numbers"] for line in lines}["check-video-last"] == numbers
    assert [line.kind for line in lines] == ["check"] * len(lines)
    assert "a video arrives whole and in order: yes" in outcome.words()
    assert CheckOutcome.model_validate(yaml.safe_load(yaml.safe_dump(outcome.model_dump(mode="json")))) == outcome


@pytest.mark.parametrize(
    ("kind", "silent", "why"),
    [
        ("drop", (), "the service counts 0 input tokens for it"),
        ("drop", ("--silent",), "the service counts no tokens"),
        ("first", (), "sees only one picture of it"),
        ("first", ("--silent",), "sees only one picture of it"),
        ("half", (), "sees only a part"),
        ("reverse", (), "sees it in reverse"),
    ],
)
def test_a_video_that_does_not_arrive_whole_stops_a_run(
    seeing: Callable[..., Seeing], kind: str, silent: tuple[str, ...], why: str
) -> None:
    outcome, _ = watch(seeing("--video", kind, *silent))
    assert outcome.video_arrived is False and re.search(why, outcome.problem)
    assert "--clips frames" in outcome.problem and "a video arrives whole and in order: no" in outcome.words()


def test_a_service_that_makes_up_a_video_stops_a_run_where_nothing_is_counted(seeing: Callable[..., Seeing]) -> None:
    assert watch(seeing("--video", "invent", "--silent"))[0].video_arrived is False
    weak, _ = watch(seeing("--video", "invent"))  # its tokens are those of a video: a model that reads badly
    assert (weak.video_arrived, weak.problem) == (None, None) and "answers badly about a video" in weak.warnings[0]


def test_a_video_of_which_few_pictures_are_seen_is_warned_about(seeing: Callable[..., Seeing]) -> None:
    outcome, _ = watch(seeing("--video", "ends"))
    assert outcome.video_arrived is True and outcome.problem is None
    assert "the count of numbers in a video (“2” in place of 4)" in outcome.warnings[0]


def test_a_service_that_takes_no_video_stops_a_run(seeing: Callable[..., Seeing]) -> None:
    outcome, _ = watch(seeing("--video", "refuse"))
    assert not outcome.accepted and "refuses video" in outcome.problem and "video_url is not sup" in outcome.problem
    assert "--clips frames" in outcome.problem
    with pytest.raises(InputError, match=r"could not be checked \(HTTP 500: list index.*--clips frames"):
        watch(seeing("--video", "break"))


def test_labels_between_videos_are_checked_with_videos(seeing: Callable[..., Seeing]) -> None:
    server = seeing()
    outcome, _ = watch(server, videos=2, words=LABELLED)
    assert outcome.order_kept is True and outcome.problem is None and len(outcome.right) == 6
    assert all(request["order"].count("video_url") == 2 for request in twins(server))
    assert watch(seeing("--flat", "guess"), videos=2, words=LABELLED)[0].order_kept is False
    refused, _ = watch(seeing("--video", "one"), videos=2, words=LABELLED)
    assert not refused.accepted and "refuses 2 pictures or videos" in refused.problem and "At most 1" in refused.problem
    assert watch(seeing("--video", "one"), words=("before",))[0].problem is None
    both = seeing()
    mixed, _ = check(both.url, 1, videos=1, video_size=(192, 144), words=LABELLED)
    assert mixed.order_kept is True and mixed.video_arrived and mixed.arrived
    assert {"image_url", "video_url"} <= set(twins(both)[0]["order"])


# Runs


@pytest.fixture
def pictured(make_bench: Callable[..., Benchmark]) -> Benchmark:
    """A question whose options are pictures, each named by the letter before it."""
    images = make_bench.folder / "images"
    images.mkdir(parents=True)
    for number, name in enumerate(("whole", "part", "other")):
        Picture.fromarray(np.full((48, 64, 3), 80 * number, np.uint8)).save(images / f"{name}.png")
    options = tuple(Offered(image=f"images/{name}.png") for name in ("part", "other"))
    shown = (MediaItem("diagram", "image", ("images/whole.png",)),)
    return make_bench([Question("one", "tiny", "count", "chair", "Which is part of it?", options, (0,), media=shown)])


def ledger(folder: Path) -> list[LedgerLine]:
    return list(read_ledger(folder / "ledger.jsonl"))


def ask(bench: Benchmark, tiny: Family, server: Seeing, out: Path, *, allow: bool = False, **settings) -> Outcome:
    chosen, of = tiny.RunSettings(**settings), ("endpoint/seeing", Decoding())
    return run(bench, tiny, *of, chosen, Selection(), out, base_url=server.url, allow_lost_order=allow)


def test_a_run_whose_pictures_are_named_by_words_stops_where_the_order_is_lost(
    pictured: Benchmark, tiny: Family, seeing: Callable[..., Seeing], tmp_path: Path
) -> None:
    plan = make_plan(pictured, tiny, tiny.RunSettings(), Selection(), Limits())
    assert planned_shown(plan) == Shown(3, (64, 48), words=("after", "between"))
    with pytest.raises(InputError, match=r"--interleave-mm-strings.*--allow-lost-order"):
        ask(pictured, tiny, seeing("--flat", "guess"), tmp_path / "run")
    assert {line.kind for line in ledger(tmp_path / "run")} == {"check"}
    good = ask(pictured, tiny, seeing(), tmp_path / "run")
    assert (good.states, good.problems) == ({"replied": 1}, ())
    assert open_run(tmp_path / "run").card.check["order_kept"] is True and not marks(open_run(tmp_path / "run"))


def test_a_run_goes_on_with_lost_order_where_that_is_allowed_and_is_marked(
    pictured: Benchmark, tiny: Family, seeing: Callable[..., Seeing], tmp_path: Path
) -> None:
    server = seeing("--flat", "guess")
    outcome = ask(pictured, tiny, server, tmp_path / "run", allow=True)
    assert outcome.states == {"replied": 1} and "--allow-lost-order" in outcome.problems[0]
    kept = yaml.safe_load((tmp_path / "run" / "run.yaml").read_text())["check"]
    assert kept["order_kept"] is False and kept["right"]["first"] is True
    [mark] = marks(open_run(tmp_path / "run"))
    assert "text does not stay between the pictures" in check_words(open_run(tmp_path / "run"))
    assert mark.words == "order of text lost" and "not the prompts of the authors" in mark.why
    asks = [line.ask for line in ledger(tmp_path / "run") if line.kind == "check"]
    assert {"check-set-one", "check-set-two"} <= set(asks)
    before = len(server.requests())
    assert ask(pictured, tiny, server, tmp_path / "run").already == 1 and len(server.requests()) == before


def test_a_run_with_videos_stops_where_they_do_not_arrive(
    tiny: Family, make_bench: Callable[..., Benchmark], seeing: Callable[..., Seeing], tmp_path: Path
) -> None:
    bench = make_bench([replace(question, window=None) for question in make_bench.questions()[:4]])
    with pytest.raises(InputError, match=r"a video does not reach endpoint/seeing whole.*sees only one picture"):
        ask(bench, tiny, seeing("--video", "first"), tmp_path / "run", clips="video")
    with pytest.raises(InputError, match="counts 0 input tokens for it"):
        ask(bench, tiny, seeing("--video", "drop"), tmp_path / "run", clips="video")
    assert {line.kind for line in ledger(tmp_path / "run")} == {"check"}
    outcome = ask(bench, tiny, seeing(), tmp_path / "run", clips="video")
    assert outcome.states == {"replied": 4}
    found = open_run(tmp_path / "run").card.check
    assert (found["videos"], found["video_arrived"], found["problem"]) == (1, True, None)
    told = check_words(open_run(tmp_path / "run"))
    assert told[:2] == ["a video", "the video arrived whole"] and "the last number in a video: right" in told
    lines = [line for line in ledger(tmp_path / "run") if line.kind == "check"]
    asked = {line.ask for line in lines}
    assert asked == {f"check-{name}" for name in VIDEOS} | {"check-without-video"}
    assert all(line.pictures for line in lines if line.ask != "check-without-video")
