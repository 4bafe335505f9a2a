"""The check of a model, against servers that look at the pictures: what they read is what the outcome is held to."""

import asyncio
import re
from collections.abc import Callable

import numpy as np
import pytest
import yaml
from evaluate_seeing import ALL, Seeing, check
from hypothesis import given
from hypothesis import strategies as st

from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection, Shown, make_plan, planned_shown
from chronotope.evaluate.run import check_model
from chronotope.evaluate.run.check.check_pictures import draw_pictures, read_answer, told_to_arrive
from chronotope.evaluate.score import CheckOutcome
from chronotope.families import Family
from chronotope.models import Decoding, Limits, baseline
from chronotope.question import Benchmark


@pytest.mark.parametrize(
    ("count", "size"),
    [(1, (640, 480)), (2, (64, 48)), (3, (640, 480)), (8, (640, 480)), (40, (64, 48)), (9, (48, 200))],
)
def test_a_model_that_sees_all_is_right_about_all(
    seeing: Callable[..., Seeing], count: int, size: tuple[int, int]
) -> None:
    server = seeing("--cached")
    outcome, lines = check(server.url, count, size)
    assert (outcome.pictures, outcome.width, outcome.height) == (count, *size)
    assert outcome.accepted and outcome.arrived is True
    assert outcome.right == dict.fromkeys(ALL, True)
    assert (outcome.problem, outcome.warnings, outcome.log_probabilities) == (None, (), True)
    first = server.large()[0]
    assert outcome.input_tokens == 300 * count + len(first["text"]) // 4
    assert outcome.tokens_per_picture == (None if count == 1 else 300)
    assert (outcome.reports_cached_tokens, outcome.cached_tokens) == (True, 300 * count)
    numbers = [number for number, _ in first["sent"]]
    assert outcome.replies == {
        "first": str(numbers[0]),
        "last": str(numbers[-1]),
        "count": str(count),
        "colour": outcome.replies["colour"],
    }
    assert len(set(numbers)) == count and count not in numbers
    assert {line.ask: line.extra["numbers"] for line in lines}["check-last"] == numbers
    assert [line.kind for line in lines] == ["check"] * len(lines) and len({line.key for line in lines}) == len(lines)
    assert [line.state for line in lines] == ["replied"] * len(lines)


def test_the_pictures_are_in_no_order_and_other_ones_every_time(seeing: Callable[..., Seeing]) -> None:
    server, sent, asked_about = seeing(), [], []
    for _ in range(3):
        check(server.url, 40)
        numbers = [number for number, _ in server.large()[-1]["sent"]]
        assert numbers not in (sorted(numbers), sorted(numbers, reverse=True))
        assert {colour for _, colour in server.large()[-1]["sent"]} == {"red", "blue"}
        [asked] = [request for request in server.large()[-4:] if "red or blue" in request["text"]]
        asked_about.append(numbers.index(int(re.search(r"\d+", asked["text"])[0])))
        sent.append(numbers)
    assert sent[0] != sent[1] != sent[2] and asked_about != [0, 0, 0]


def test_no_number_on_a_picture_is_that_of_the_pictures() -> None:
    many = draw_pictures(8003, (2, 2), np.random.default_rng(0), but=10_000)
    assert len({picture.number for picture in many}) == 8003 and min(picture.number for picture in many) > 10_000
    for but in (101, 106):
        drawn = draw_pictures(799, (16, 12), np.random.default_rng(but), but=but)
        numbers = {picture.number for picture in drawn}
        assert len(numbers) == 799 and but not in numbers and min(numbers) >= 100 and max(numbers) <= 999
    assert len({picture.number for picture in draw_pictures(900, (16, 12), np.random.default_rng(0), but=0)}) == 900


def test_four_hundred_pictures(seeing: Callable[..., Seeing]) -> None:
    server = seeing("--first", 399)
    outcome, _ = check(server.url, 400)
    assert outcome.arrived is False and outcome.right == {**dict.fromkeys(ALL, True), "last": False, "count": False} | {
        "colour": outcome.right["colour"]
    }
    assert "sees 399 of them" in (outcome.problem or "")
    assert all(len({number for number, _ in request["sent"]}) == 400 for request in server.large())


def test_the_pictures_stand_first_and_the_first_question_goes_alone(seeing: Callable[..., Seeing]) -> None:
    server = seeing("--latency", 0.2)
    check(server.url)
    large = server.large()
    assert "first" in large[0]["text"] and len(large) == 4
    assert max(request["at_work"] for request in large) <= 3  # the three others, never the first beside them
    assert all(request["order"] == ["image_url"] * 8 + ["text"] for request in large)
    assert all(request["sent"] == large[0]["sent"] for request in large)
    few = [request for request in server.requests() if 0 < request["pictures"] < 8]
    assert [request["pictures"] for request in few] == [1, 2]
    assert not {number for request in few for number, _ in request["sent"]} & {n for n, _ in large[0]["sent"]}


@pytest.mark.parametrize("silent", [(), ("--silent",)])
@pytest.mark.parametrize(
    ("side", "kept"), [("--first", 1), ("--first", 5), ("--first", 7), ("--last", 5), ("--last", 7)]
)
def test_pictures_that_are_dropped_stop_a_run(
    seeing: Callable[..., Seeing], side: str, kept: int, silent: tuple[str, ...]
) -> None:
    server = seeing(side, kept, *silent)
    outcome, _ = check(server.url)
    assert outcome.accepted and outcome.arrived is False
    assert f"sees {kept} of them" in outcome.problem and "--frames" in outcome.problem
    assert ("input tokens, expected about" in outcome.problem) == (kept <= 5 and not silent and kept > 1)
    assert outcome.right["count"] is False
    assert outcome.right["first" if side == "--first" else "last"] is True


def test_pictures_that_are_dropped_are_noticed_by_their_tokens_alone(seeing: Callable[..., Seeing]) -> None:
    outcome, _ = check(seeing("--first", 5, "--reply", "I cannot tell").url)
    assert outcome.arrived is False and "input tokens, expected about 2," in outcome.problem


def test_a_model_that_gets_none_counts_none(seeing: Callable[..., Seeing]) -> None:
    for options in (("--silent",), ("--tokens", 0)):
        outcome, _ = check(seeing("--first", 0, *options).url)
        assert outcome.arrived is False and "sees 0 of them" in outcome.problem
        assert outcome.tokens_per_picture is None


@pytest.mark.parametrize(("options", "arrived"), [(("--silent",), None), ((), True), (("--tokens", 0), None)])
def test_a_model_that_merely_answers_badly_is_warned_about(
    seeing: Callable[..., Seeing], options: tuple, arrived: bool | None
) -> None:
    outcome, _ = check(seeing("--reply", "I cannot tell", *options).url)
    assert (outcome.problem, outcome.arrived) == (None, arrived)
    assert outcome.right == dict.fromkeys(ALL, None) and outcome.replies == dict.fromkeys(ALL, "I cannot tell")
    [warning] = outcome.warnings
    assert warning.count("“I cannot tell” in place of ") == 4


@pytest.mark.parametrize(("options", "arrived"), [(("--silent",), None), ((), True)])
def test_a_model_that_counts_badly_is_warned_about(
    seeing: Callable[..., Seeing], options: tuple, arrived: bool | None
) -> None:
    outcome, _ = check(seeing("--reply-to-count", "12", *options).url)
    assert (outcome.problem, outcome.arrived) == (None, arrived)
    assert outcome.right == {**dict.fromkeys(ALL, True), "count": False}
    assert outcome.warnings[0].endswith("the number of pictures (“12” in place of 8)")


def test_answers_of_fewer_pictures_do_not_stand_against_the_tokens_of_all(seeing: Callable[..., Seeing]) -> None:
    """A weak model that answers as if there were only one, and a service that counts all."""
    server = seeing("--reply-to-count", "0", "--reply", "0")
    outcome, _ = check(server.url)
    assert (outcome.problem, outcome.arrived) == (None, True) and len(outcome.warnings) == 1


def test_a_service_that_shrinks_many_pictures_is_believed_if_the_model_sees_them(seeing: Callable[..., Seeing]) -> None:
    outcome, _ = check(seeing("--shrunk", 100).url)
    assert (outcome.problem, outcome.arrived) == (None, True) and "shrinks" in outcome.warnings[0]


@pytest.mark.parametrize(("count", "told"), [(30, 7), (30, 9), (30, 11), (30, 31), (8, 7)])
def test_a_model_that_counts_badly_and_shrunk_pictures_are_warned_about(
    seeing: Callable[..., Seeing], count: int, told: int
) -> None:
    """First and last are named rightly: neither the tokens nor the number tell of pictures that are lost."""
    outcome, _ = check(seeing("--shrunk", 100, "--reply-to-count", told).url, count)
    assert (outcome.problem, outcome.arrived) == (None, None)
    assert outcome.right == dict.fromkeys(ALL, True) | {"count": False}
    shrunk, badly = outcome.warnings
    assert "input tokens, expected about" in shrunk and "may shrink" in shrunk
    assert badly.endswith(f"the number of pictures (“{told}” in place of {count})")


def test_tokens_and_a_number_that_agree_on_fewer_pictures_stop_a_run(seeing: Callable[..., Seeing]) -> None:
    """As where a service leaves out those in the middle: what 30 make at a third of the tokens is what 10 make."""
    outcome, _ = check(seeing("--shrunk", 100, "--reply-to-count", 10).url, 30)
    assert outcome.arrived is False and outcome.right["first"] and outcome.right["last"]
    assert "input tokens, expected about" in outcome.problem and "sees 10 of them" in outcome.problem
    outcome, _ = check(seeing("--shrunk", 12, "--reply-to-count", 0).url)
    assert (outcome.problem, outcome.arrived) == (None, None)  # two were named: there are not none
    outcome, _ = check(seeing("--shrunk", 12, "--reply-to-count", 1).url)
    assert (outcome.problem, outcome.arrived) == (None, None)


@pytest.mark.parametrize(("wrong", "kept"), [("--first", 10), ("--last", 10)])
def test_tokens_tell_where_first_or_last_is_wrong(seeing: Callable[..., Seeing], wrong: str, kept: int) -> None:
    outcome, _ = check(seeing(wrong, kept, "--reply-to-count", 7).url, 30)
    assert outcome.arrived is False and "input tokens, expected about 9," in outcome.problem
    assert "sees" not in outcome.problem


def test_cached_tokens_left_out_of_the_input_tokens_are_not_taken_for_dropped_pictures(
    seeing: Callable[..., Seeing],
) -> None:
    outcome, _ = check(seeing("--cached", "--net", "--reply-to-count", "9").url)
    assert (outcome.problem, outcome.arrived) == (None, True)


def test_what_is_not_reported_is_said_not_to_be(seeing: Callable[..., Seeing]) -> None:
    outcome, _ = check(seeing("--silent").url)
    assert outcome.arrived is True and outcome.problem is None and outcome.warnings == ()
    assert (outcome.input_tokens, outcome.tokens_per_picture) == (None, None)
    assert (outcome.reports_cached_tokens, outcome.cached_tokens) == (False, None)
    assert {"input tokens: not reported", "cached tokens: not reported"} <= set(outcome.words())


@pytest.mark.parametrize(("most", "takes"), [(1, 1), (2, 2), (7, 2)])
def test_more_pictures_than_the_service_takes_stop_a_run(seeing: Callable[..., Seeing], most: int, takes: int) -> None:
    server = seeing("--most", most)
    outcome, lines = check(server.url)
    assert (outcome.accepted, outcome.arrived, outcome.right) == (False, None, {})
    assert f"8 pictures of 64x48 px in one request, but accepts {takes} " in outcome.problem
    assert f"At most {most} image(s) may be provided" in outcome.problem and "--frames" in outcome.problem
    assert len(server.large()) == 1 and lines[-1].ask == "check-without-pictures"
    assert check(server.url, count=most)[0].problem is None


@pytest.mark.parametrize("count", [1, 8])
@pytest.mark.parametrize("status", ["400", "404"])
def test_a_model_without_eyes_stops_a_run(seeing: Callable[..., Seeing], status: str, count: int) -> None:
    server = seeing("--blind", status)
    outcome, _ = check(server.url, count)
    assert not outcome.accepted and "refuses pictures of 64x48 px" in outcome.problem
    assert "this model takes text only" in outcome.problem and "--input blind" in outcome.problem
    assert [request["pictures"] for request in server.requests()] == [1, 0]


def test_wrong_use_of_large_requests_only_is_told_in_the_words_of_the_service(seeing: Callable[..., Seeing]) -> None:
    outcome, _ = check(seeing("--no-credit-above", 2).url)
    assert not outcome.accepted and "insufficient balance" in outcome.problem


def test_a_check_that_cannot_be_made_is_an_error(seeing: Callable[..., Seeing]) -> None:
    with pytest.raises(InputError, match=r"could not be checked \(HTTP 500: out of memory\).*--no-check"):
        check(seeing("--broken-above", 2).url)
    with pytest.raises(InputError, match="no service answers there"):
        check("http://127.0.0.1:9/v1", wait=0.2)
    server = seeing()
    with pytest.raises(InputError, match="no such model, or no service"):
        check(server.url + "/elsewhere")
    with pytest.raises(InputError, match="expected at least one picture"):
        check(server.url, count=0)


def test_a_baseline_has_nothing_to_show() -> None:
    with pytest.raises(InputError, match="baseline/random accepts no pictures"):
        asyncio.run(check_model(baseline("baseline/random"), Decoding(), Shown(8, (64, 48)), lambda line: None))


def test_thoughts_and_sentences_are_read_around(seeing: Callable[..., Seeing]) -> None:
    for options in (("--think", "block"), ("--words",), ("--think", "block", "--words")):
        outcome, _ = check(seeing(*options).url)
        assert outcome.right == dict.fromkeys(ALL, True) and outcome.warnings == ()
        assert not any("<think>" in reply for reply in outcome.replies.values())


def test_replies_cut_short_ask_for_more_room(seeing: Callable[..., Seeing]) -> None:
    server = seeing("--think", "open")
    outcome, _ = check(server.url)
    assert outcome.problem is None and outcome.right == dict.fromkeys(ALL, None)
    assert outcome.warnings[0].count("cut short before an answer") == 4
    assert "more than the 100 tokens" in outcome.warnings[1] and "--max-tokens" in outcome.warnings[1]
    assert "more than the 300 tokens" in check(server.url, decoding=Decoding(max_tokens=300))[0].warnings[1]
    extra = {"max_completion_tokens": 7, "max_tokens": 300}
    warning = check(seeing("--think", "open").url, decoding=Decoding(extra=extra))[0].warnings[1]
    assert "more than the 7 tokens" in warning and "(--set max_completion_tokens=N)" in warning


def test_replies_longer_than_the_run_allows_are_warned_about(seeing: Callable[..., Seeing]) -> None:
    server = seeing("--think", "block")
    outcome, _ = check(server.url, decoding=Decoding(max_tokens=2))
    assert outcome.right == dict.fromkeys(ALL, True) and outcome.problem is None
    [warning] = outcome.warnings
    assert "more than the 2 tokens" in warning
    assert check(server.url, decoding=Decoding(max_tokens=3))[0].warnings == ()


def test_requests_are_those_of_the_run_with_more_room(seeing: Callable[..., Seeing]) -> None:
    server = seeing()
    run = {"temperature": 0.5, "top_p": 0.9, "extra": {"seed": 5, "min_p": 0.1}}
    check(server.url, 3, decoding=Decoding(**run))
    check(server.url, 3, decoding=Decoding(max_tokens=900))
    check(server.url, 3, decoding=Decoding(extra={"max_completion_tokens": 7, "max_tokens": None}))
    fields = [request["fields"] for request in server.requests() if "logprobs" not in request["fields"]]
    assert len(fields) == 3 * 6
    common = {"model": "seeing"}
    assert all(
        one == common | {"max_tokens": 200, "temperature": 0.5, "top_p": 0.9, "seed": 5, "min_p": 0.1}
        for one in fields[:6]
    )
    assert all(one["max_tokens"] == 900 for one in fields[6:12])
    assert all(one["max_completion_tokens"] == 200 and "max_tokens" not in one for one in fields[12:])


@pytest.mark.parametrize(("kind", "found"), [("give", True), ("refuse", False), ("ignore", False)])
def test_log_probabilities_are_tried(seeing: Callable[..., Seeing], kind: str, found: bool) -> None:
    outcome, _ = check(seeing("--log-probabilities", kind).url, 2)
    assert outcome.log_probabilities is found and outcome.problem is None and outcome.warnings == ()


def test_an_outcome_is_plain_and_told_in_words(seeing: Callable[..., Seeing]) -> None:
    outcomes = [check(seeing(*options).url)[0] for options in ((), ("--first", 5), ("--most", 5), ("--words",))]
    for outcome in outcomes:
        kept = yaml.safe_load(yaml.safe_dump(outcome.model_dump(mode="json")))
        assert CheckOutcome.model_validate(kept) == outcome
        assert all("\n" not in line and line.strip() for line in outcome.words())
        assert outcome.words()[0].startswith("8 pictures of 64x48 px in one request: ")
        assert (f"problem: {outcome.problem}" in outcome.words()) == (outcome.problem is not None)
    assert [len(outcome.words()) for outcome in outcomes] == [9, 11, 2, 9]


# What replies say


@pytest.mark.parametrize(
    ("question", "reply", "says"),
    [
        ("first", "417", 417),
        ("first", "**417**.", 417),
        ("last", "Of 8 pictures, the last shows 417.", 417),
        ("count", "There are 8 pictures.", 8),
        ("count", "eight", None),
        ("count", "", None),
        ("count", None, None),
        ("first", "<think>417, or 5</think>", None),
        ("first", "<think>it is 5</think>417", 417),
        ("first", "<think>it is 5", None),
        ("first", "9" * 5000, 999999999),
        ("colour", "Red", "red"),
        ("colour", "It is BLUE.", "blue"),
        ("colour", "Its colour is a coloured one", None),
        ("colour", "red or blue", None),
        ("colour", "<think>red?</think>blue", "blue"),
    ],
)
def test_replies_are_read_strictly(question: str, reply: str | None, says: object) -> None:
    assert read_answer(question, reply) == says


@given(st.lists(st.integers(100, 999), min_size=2, max_size=30, unique=True), st.data())
def test_answers_that_agree_tell_how_many_were_seen(numbers: list[int], data: st.DataObject) -> None:
    kept = data.draw(st.integers(1, len(numbers) - 1))
    seen = data.draw(st.sampled_from([numbers[:kept], numbers[len(numbers) - kept :]]))
    answers = {"first": seen[0], "last": seen[-1], "count": kept, "colour": None}
    assert told_to_arrive(numbers, answers) == kept
    assert told_to_arrive(numbers, answers | {"count": len(numbers)}) is None
    assert told_to_arrive(numbers, answers | {"count": None}) is None
    assert told_to_arrive(numbers, answers | {"first": None, "last": None}) is None
    whole = {"first": numbers[0], "last": numbers[-1], "count": len(numbers), "colour": "red"}
    assert told_to_arrive(numbers, whole) is None


# What a run would show


def test_the_largest_ask_of_a_plan_is_what_is_checked(
    bench: Benchmark, text_bench: Benchmark, make_bench: Callable, tiny: Family
) -> None:
    def planned(benchmark: Benchmark, **settings: object) -> object:
        return planned_shown(make_plan(benchmark, tiny, tiny.RunSettings(**settings), Selection(), Limits()))

    assert planned(bench) == Shown(4, (64, 48), words=("after",))
    assert planned(bench, frames=6) == Shown(6, (64, 48), words=("after",))
    assert planned(bench, input="blind") is None
    assert planned(text_bench, input="blind") is None
    assert planned(make_bench.with_pictures()) == Shown(2, (16, 12), words=("after",))
