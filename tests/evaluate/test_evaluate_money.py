"""Money: what a run may cost, what it cost, and answers that cost nothing because another run has them."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import evaluate_asking
import pytest
from evaluate_asking import lines

from chronotope.errors import InputError
from chronotope.evaluate.plan import RunPrice, Selection, make_plan
from chronotope.evaluate.run import Outcome, dry_run, run
from chronotope.evaluate.score import open_run, score_run, usage_of
from chronotope.families import Family
from chronotope.models import Decoding, Limits, RawReply, ledger_line
from chronotope.models.model import Lost
from chronotope.models.money import Budget
from chronotope.question import Benchmark
from service import ChatService, completion

PRICE = RunPrice(input=1000.0, output=5000.0)  # the server counts a quarter of the prompt's letters, and one token


ask = partial(evaluate_asking.ask, max_tokens=2)


def test_every_answer_has_its_price(bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path) -> None:
    server = serve()
    outcome = ask(bench, tiny, server.url, tmp_path / "run", price=PRICE)
    tokens = [len(request["text"]) // 4 for request in server.requests()]
    assert outcome.money == pytest.approx((sum(tokens) * 1000 + 24 * 5000) / 1e6)
    assert sum(line["money"] for line in lines(tmp_path / "run")) == pytest.approx(outcome.money)
    again = ask(bench, tiny, server.url, tmp_path / "run", price=PRICE)
    assert (again.asked, again.money) == (0, pytest.approx(outcome.money))


def test_a_run_stops_before_it_costs_more_and_goes_on_with_more(
    text_bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    server, out, how = serve(0.01), tmp_path / "run", {"price": PRICE, "settings": {"input": "blind"}}

    def bounded(out: Path, **more) -> Outcome:
        return ask(text_bench, tiny, server.url, out, **{**how, "settings": dict(how["settings"])}, **more)

    whole = bounded(tmp_path / "whole")
    most = whole.money / 3
    first = bounded(out, max_cost=most)
    assert 0.8 * most < first.money <= most
    assert not first.interrupted and 100 < first.asked < 140
    assert "--max-cost" in first.problems[0] and first.states["not_asked"] == 400 - first.asked
    assert len(lines(out)) == first.asked
    stopped = bounded(out, max_cost=most)
    assert stopped.asked <= 1 and stopped.money <= most
    last = bounded(out, max_cost=2 * whole.money)
    assert last.states == {"replied": 400}
    assert len(lines(out)) == 400
    assert last.money == pytest.approx(whole.money)


def test_money_that_the_service_tells_needs_no_price(
    bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    server, out, seen = serve(0.02, cost=0.25), tmp_path / "run", []
    first = ask(bench, tiny, server.url, out, max_cost=2.6, progress=lambda done, total, note: seen.append(note))
    assert (first.asked, first.money) == (10, 2.5) and "--max-cost 2.6" in first.problems[0]
    assert [line["money"] for line in lines(out)] == [0.25] * 10
    assert "a second" in seen[-1] and seen[-1].endswith(", money 2.50")
    again = ask(bench, tiny, server.url, out, max_cost=100)
    assert (again.asked, again.money) == (14, 6.0)
    # What it tells counts, whatever the price says, and without a bound it is kept all the same.
    told = ask(bench, tiny, server.url, tmp_path / "priced", price=PRICE)
    plain = ask(bench, tiny, server.url, tmp_path / "plain")
    assert told.money == plain.money == 6.0


def test_a_service_that_tells_no_money_needs_a_price(
    bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    server, out = serve(), tmp_path / "run"
    outcome = ask(bench, tiny, server.url, out, max_cost=1.0)
    assert outcome.asked == len(server.requests()) == 1, "the first call goes alone"
    assert "does not report costs" in outcome.problems[0] and "add --price IN,OUT" in outcome.problems[0]
    assert ask(bench, tiny, server.url, out, price=PRICE, max_cost=1.0).asked == 23
    for most, price in ((0.0, PRICE), (-1.0, None)):
        with pytest.raises(InputError, match=r"--max-cost: .* greater than 0"):
            ask(bench, tiny, server.url, tmp_path / "none", max_cost=most, price=price)
    assert not (tmp_path / "none").exists()


def test_answers_of_other_runs_are_taken_over(bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path) -> None:
    server = serve()
    some = tmp_path / "some"
    ask(bench, tiny, server.url, some, price=PRICE, selection=Selection(limit=9))
    sent = len(server.requests())
    outcome = ask(bench, tiny, server.url, tmp_path / "run", price=PRICE, reuse=[some])
    assert (outcome.reused, outcome.already, outcome.asked) == (9, 9, 15)
    assert len(server.requests()) - sent == 15
    taken = [line for line in lines(tmp_path / "run") if line.get("extra")]
    assert {line["extra"]["reused"] for line in taken} == {str(some)}
    mine = sum(line["money"] for line in lines(tmp_path / "run") if not line.get("extra"))
    assert outcome.money == pytest.approx(mine), "what another run paid for costs nothing here"
    assert score_run(open_run(tmp_path / "run")).overall.items == 24


def test_reuse_names_runs(bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path) -> None:
    server, out = serve(), tmp_path / "run"
    with pytest.raises(InputError, match="is not a run"):
        ask(bench, tiny, server.url, out, reuse=[tmp_path / "nothing"])
    assert server.requests() == []
    ask(bench, tiny, server.url, out)
    with pytest.raises(InputError, match="is the folder of this run"):
        ask(bench, tiny, server.url, out, reuse=[out])
    with pytest.raises(InputError, match=r"no answer to any of the 24 calls \(decoding.max_tokens is 2 there and 5"):
        ask(bench, tiny, server.url, tmp_path / "other", max_tokens=5, reuse=[out])
    assert not (tmp_path / "other").exists()
    assert len(server.requests()) == 24


def test_estimates_that_are_far_off_are_found_out_by_the_first_call(
    bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    """The plan counts 12 tokens for four pictures of 64x48; this service counts 250 for each."""
    server = serve(0.1, tokens=250)
    price = RunPrice(input=1000.0, output=0.0)  # a call costs 1 and a bit
    outcome = ask(bench, tiny, server.url, tmp_path / "run", price=price, max_cost=10.0)
    assert 8 <= outcome.asked <= 9 and outcome.money <= 10.0
    again = ask(bench, tiny, server.url, tmp_path / "run", price=price, max_cost=15.5)
    assert outcome.asked + again.asked == 15 and again.money <= 15.5


def test_a_service_that_counts_no_tokens_is_paid_as_foreseen(
    bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    server = serve(0.0, tokens=-1)
    price = RunPrice(input=0.0, output=1_000_000.0)  # two tokens at most: 2 a call
    first = ask(bench, tiny, server.url, tmp_path / "run", price=price, max_cost=10.0)
    assert (first.asked, first.money) == (5, 10.0)
    again = ask(bench, tiny, server.url, tmp_path / "run", price=price, max_cost=10.0)
    assert (again.asked, again.money, len(server.requests())) == (0, 10.0, 5)


def test_earlier_calls_without_a_price_count_by_their_tokens(
    bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    server, price = serve(0.0, tokens=250), RunPrice(input=1000.0, output=0.0)
    ask(bench, tiny, server.url, tmp_path / "run", selection=Selection(limit=6))
    outcome = ask(bench, tiny, server.url, tmp_path / "run", price=price, max_cost=9.9)
    assert outcome.asked == 3 and 9 <= outcome.money <= 9.9
    foreseen = dry_run(
        make_plan(bench, tiny, tiny.RunSettings(), Selection(), Limits()),
        "endpoint/x",
        Decoding(max_tokens=2),
        tmp_path / "run",
        price,
    )
    assert (foreseen.calls, foreseen.already, foreseen.pictures) == (15, 9, 60)


def test_wrong_use_ends_a_run_whose_calls_wait_for_money(
    bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    server = serve(0.3, tokens=250)
    (server.folder / "unpaid").touch()
    price = RunPrice(input=1000.0, output=0.0)
    how = {"price": price, "max_cost": 2.5, "lead": "off"}
    # One clip, its refused question first: the others wait for what that one costs.
    with pytest.raises(InputError, match="no credit left"):
        run(
            replace(bench, questions=tuple(reversed(bench.questions[-4:]))), tiny, "endpoint/x", Decoding(max_tokens=2),
            tiny.RunSettings(), Selection(), tmp_path / "run", base_url=server.url, check=False, **how,
        )  # fmt: skip
    assert len(server.requests()) <= 2


EMPTY = {"choices": [], "usage": {"prompt_tokens": 4241, "completion_tokens": 0, "total_tokens": 4241}}


class Billing(ChatService):
    """Bills every request; of the answers, all or every other one cannot be read."""

    def __init__(self, readable: bool) -> None:
        super().__init__()
        self.readable = readable

    def answer(self, body: dict) -> tuple[int, dict]:
        readable = self.readable and len(self.bodies) % 2 == 0
        return 200, completion("A", (1000, 5)) if readable else EMPTY


@pytest.mark.parametrize("readable", [False, True])
def test_attempts_without_a_readable_reply_count_towards_the_limit(
    text_bench: Benchmark, tiny: Family, tmp_path: Path, readable: bool
) -> None:
    price, out = RunPrice(input=100.0, output=100.0), tmp_path / "run"
    with Billing(readable) as service:
        outcome = ask(text_bench, tiny, service.url, out, price=price, max_cost=2.0, settings={"input": "blind"})
        sent = len(service.bodies)
    lost = [number % 2 == 1 or not readable for number in range(1, sent + 1)]
    spent = sum(0.4241 if one else 0.1005 for one in lost)
    assert outcome.money == pytest.approx(spent) and spent < 2.0 + 2 * 0.4241
    assert any("--max-cost" in problem for problem in outcome.problems)
    kept = lines(out)
    assert sum(line["money"] for line in kept) == pytest.approx(spent)
    assert sum(line["extra"].get("lost", {}).get("input_tokens", 0) for line in kept) == 4241 * sum(lost)
    assert usage_of(open_run(out).lines).input_tokens == sum(4241 if one else 1000 for one in lost)
    with Billing(readable) as service:  # what was spent still counts
        again = ask(text_bench, tiny, service.url, out, price=price, max_cost=2.0, settings={"input": "blind"})
    assert again.money <= spent + 2 * 0.4241


def test_the_cost_of_lost_attempts_counts_beside_the_stated_cost() -> None:
    """The check of the pictures counts whole lines; the service states costs, so there is no price."""
    budget, lost = Budget(None, 10.0, 100), Lost(money=0.5)
    for reply, cost in (
        (RawReply("replied", text="A", money=0.25, lost=lost), 0.75),
        (RawReply("failed", lost=lost), 0.5),
    ):
        line = ledger_line(reply, key="k", ask="check", kind="check", money=reply.money)
        assert budget.add(line) == cost
    assert budget.spent == 1.25
    again = Budget(None, 10.0, 100).count_earlier([line.model_copy(update={"money": 0.75})])
    assert again.spent == 0.75  # a line in the ledger states the whole cost
    budget.settle(budget.hold(100), 100, RawReply("replied", text="A", money=0.25))
    assert budget.settle(budget.hold(100), 100, RawReply("failed", lost=Lost(untold=2))) == 0.5
