"""Calls for objects: the schema in each service's form, repairs, and every attempt with its money in the ledger."""

import asyncio
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from anthropic import types as claude
from google.genai import types as gemini
from models_chat_server import Answer, ChatServer, Received, completion, error
from models_hosted import at_home
from pydantic import BaseModel, Field, TypeAdapter

from chronotope.errors import InputError
from chronotope.ledger import Ledger, LedgerLine, read_ledger
from chronotope.models import (
    Budget,
    JobCalls,
    ModelSpec,
    OverBudgetError,
    RunPrice,
    Stage,
    StructuredJob,
    do_all,
    longest_object,
    open_structured,
    structured,
)
from chronotope.models.services.wire import closed_schema


class Inner(BaseModel):
    name: str = "none"


class Verdict(BaseModel):
    """A verdict."""

    correct: bool = Field(description="whether it is right")
    size: int = Field(0, ge=0, le=9)
    parts: list[Inner] = Field(default_factory=list)


RIGHT = '{"correct": true, "size": 3, "parts": []}'
USAGE = {"prompt_tokens": 100, "completion_tokens": 20}
PRICE = RunPrice(input=1000.0, output=10_000.0)  # 0.1 for the input of a reply and 0.2 for its words
SCHEMA = closed_schema(Verdict.model_json_schema())


def said(text: str, **usage: Any) -> Answer:
    return Answer(completion(text, usage=USAGE | usage))


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structured, "BACKOFF", 0.001)


def asked(
    folder: Path,
    name: str,
    url: str | None,
    count: int = 1,
    *,
    price: RunPrice | None = PRICE,
    max_cost: float | None = None,
    fields: dict[str, Any] | None = None,
) -> tuple[list[Verdict | BaseException | None], list[LedgerLine], Budget]:
    """What came of some calls at once, the ledger's lines, and the budget."""
    path = folder / "ledger.jsonl"
    earlier = read_ledger(path) if path.exists() else []
    budget = Budget(price, max_cost, longest_object(fields or {})).count_earlier(earlier)

    async def go() -> list[Verdict | BaseException | None]:
        with Ledger.open(path) as ledger:
            model = open_structured(name, url, ledger, budget=budget, fields=fields, wait=1)
            async with model.connected():
                calls = (model.ask("judge", f"case-{n}", "Judge.", [f"Case {n}"], Verdict) for n in range(count))
                return await asyncio.gather(*calls, return_exceptions=True)

    return asyncio.run(go()), read_ledger(path), budget


def test_a_closed_schema_demands_everything_and_nothing_else() -> None:
    assert set(SCHEMA["properties"]) == set(SCHEMA["required"]) == {"correct", "size", "parts"}
    assert SCHEMA["additionalProperties"] is SCHEMA["$defs"]["Inner"]["additionalProperties"] is False
    assert "default" not in json.dumps(SCHEMA) and "maximum" not in json.dumps(SCHEMA)
    assert SCHEMA["properties"]["correct"] == {"description": "whether it is right", "type": "boolean"}


def test_chat_completions_get_the_schema(server: ChatServer, tmp_path: Path) -> None:
    server.restart([said(RIGHT)])
    found, lines, _ = asked(tmp_path, "endpoint/m", server.url)
    assert found == [Verdict(correct=True, size=3)]
    form = server.received[0].json["response_format"]
    assert form == {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}
    assert "max_tokens" not in server.received[0].json, "nothing bounds the cost"
    assert [(line.state, line.extra, line.attempts) for line in lines] == [("replied", {"attempt": 1}, 1)]


def test_anthropic_gets_the_schema(server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_home(monkeypatch, server, "anthropic")
    told = {"content": [{"type": "text", "text": RIGHT}], "stop_reason": "end_turn", "usage": {"output_tokens": 5}}
    server.restart([Answer(json.dumps(told).encode())])
    found, _, _ = asked(tmp_path, "anthropic/claude-sonnet-5", None, fields={"thinking": "low"})
    assert found == [Verdict(correct=True, size=3)]
    body = server.received[0].json
    assert body["output_config"] == {"effort": "low", "format": {"type": "json_schema", "schema": SCHEMA}}
    assert body["max_tokens"] == 4000 and body["system"].startswith("Judge.")
    adapter = TypeAdapter(claude.MessageCreateParams)
    assert adapter.dump_python(adapter.validate_python(body), mode="json") == body


def test_google_gets_the_schema(server: ChatServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_home(monkeypatch, server, "google")
    told = {"candidates": [{"content": {"parts": [{"text": RIGHT}]}, "finishReason": "STOP"}]}
    server.restart([Answer(json.dumps(told).encode())])
    found, _, _ = asked(tmp_path, "google/gemini-2.5-flash", None)
    assert found == [Verdict(correct=True, size=3)]
    config = server.received[0].json["generationConfig"]
    assert (config["responseMimeType"], config["responseJsonSchema"]) == ("application/json", SCHEMA)
    gemini.GenerationConfig.model_validate(config)


NO_SCHEMA = {
    "field": error(400, "Unrecognized request argument supplied: response_format"),
    "value": error(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported", param="text"),
    "status": error(422, "json_schema is not supported by this model"),
}


@pytest.mark.parametrize("name", NO_SCHEMA)
def test_a_service_without_schemas_is_asked_without(server: ChatServer, tmp_path: Path, name: str) -> None:
    def rule(request: Received) -> Answer:
        return NO_SCHEMA[name] if "response_format" in request.json else said(RIGHT)

    server.script, server.received = rule, []
    found, lines, budget = asked(tmp_path, "endpoint/m", server.url, count=6)
    assert found == [Verdict(correct=True, size=3)] * 6
    assert len(lines) == 6 and budget.spent == pytest.approx(6 * 0.3)
    # What it refuses for another reason it is not asked in another form.
    server.restart([error(401, "no")])
    (problem,), _, _ = asked(tmp_path / "other", "endpoint/m", server.url)
    assert isinstance(problem, InputError) and len(server.received) == 1


def test_a_person_s_own_form_takes_precedence(server: ChatServer, tmp_path: Path) -> None:
    server.restart([said(RIGHT)])
    asked(tmp_path, "endpoint/m", server.url, fields={"response_format": None})
    assert "response_format" not in server.received[0].json
    asked(tmp_path, "endpoint/m", server.url, fields={"response_format": {"type": "json_object"}})
    assert server.received[1].json["response_format"]["type"] == "json_object"


def test_a_repair_tells_the_fault_and_every_attempt_is_a_line(server: ChatServer, tmp_path: Path) -> None:
    server.restart([said("It is right."), said('{"correct": "perhaps"}'), said(f"```json\n{RIGHT}\n```")])
    found, lines, budget = asked(tmp_path, "endpoint/m", server.url)
    assert found == [Verdict(correct=True, size=3)]
    systems = [request.json["messages"][0]["content"] for request in server.received]
    assert "earlier reply" not in systems[0]
    assert "An earlier reply was “It is right.”" in systems[1]
    assert "correct: Input should be a valid boolean" in systems[2]
    assert [(line.state, line.extra["attempt"]) for line in lines] == [("failed", 1), ("failed", 2), ("replied", 3)]
    assert len({line.key for line in lines}) == 1
    assert [line.money for line in lines] == [pytest.approx(0.3)] * 3 and budget.spent == pytest.approx(0.9)
    before = len(server.received)
    assert asked(tmp_path, "endpoint/m", server.url)[0] == found and len(server.received) == before


def test_overload_costs_nothing_and_is_counted(server: ChatServer, tmp_path: Path) -> None:
    """Each case is refused twice before it is answered; half of the first answers have no form."""
    nth: dict[str, int] = {}

    def rule(request: Received) -> Answer:
        case = request.json["messages"][1]["content"]
        nth[case] = nth.get(case, 0) + 1
        if nth[case] <= 2:
            return error(429, "slow down", headers={"Retry-After": "0"})
        return said("no") if nth[case] == 3 and int(case.split()[1]) % 2 else said(RIGHT)

    server.script, server.received = rule, []
    found, lines, budget = asked(tmp_path, "endpoint/m", server.url, count=8)
    assert found == [Verdict(correct=True, size=3)] * 8
    assert sum(line.attempts for line in lines) == len(server.received) == 8 * 3 + 4
    assert len(lines) == 12
    assert budget.spent == pytest.approx(sum(line.money or 0 for line in lines)) == pytest.approx(12 * 0.3)


def test_calls_stop_before_they_could_pass_the_limit_and_go_on(server: ChatServer, tmp_path: Path) -> None:
    server.restart([said("no"), said(RIGHT)])
    fields = {"max_tokens": 20}
    found, lines, budget = asked(tmp_path, "endpoint/m", server.url, 10, max_cost=2.0, fields=fields)
    refused = [one for one in found if isinstance(one, OverBudgetError)]
    assert refused and "could exceed --max-cost 2" in str(refused[0])
    assert len(lines) == len(server.received) < 10 and budget.spent <= 2.0 < budget.spent + 0.31
    assert budget.spent == pytest.approx(sum(line.money or 0 for line in lines))
    found, lines, budget = asked(tmp_path, "endpoint/m", server.url, 10, max_cost=4.0, fields=fields)
    assert found == [Verdict(correct=True, size=3)] * 10
    assert budget.spent == pytest.approx(11 * 0.3), "ten verdicts, and one reply without the form"
    assert len(server.received) == len(lines) == 11


def test_equal_calls_without_a_readable_reply_are_made_once(server: ChatServer, tmp_path: Path) -> None:
    server.restart([said("no")] * 9)
    stage = Stage("judge", "Judge.")
    with Ledger.open(tmp_path / "ledger.jsonl") as ledger:
        job = StructuredJob(ModelSpec("endpoint/m", server.url), [stage], ledger, JobCalls())
        asks = [lambda: job.ask(stage, "case", ["Case"], Verdict)] * 3
        assert job.run(lambda: do_all(asks, 3), 0) == [None, None, None]
    assert (len(server.received), job.asked, len(job.unread)) == (structured.ATTEMPTS, 1, 1)


@pytest.mark.parametrize("place", ["work", "progress"])
def test_any_error_leaves_the_calls_in_flight_their_replies(server: ChatServer, tmp_path: Path, place: str) -> None:
    server.restart([said(RIGHT)] * 9)
    stage = Stage("judge", "Judge.")

    async def broken() -> None:
        if place == "work":
            raise OSError("the disk has gone")

    def advance(_finished: int, _place: int) -> None:
        raise OSError("the disk has gone")

    with Ledger.open(tmp_path / "ledger.jsonl") as ledger:
        job = StructuredJob(ModelSpec("endpoint/m", server.url), [stage], ledger, JobCalls())
        asks = [partial(job.ask, stage, f"case-{n}", [f"Case {n}"], Verdict) for n in range(9)]
        with pytest.raises(OSError, match="the disk has gone"):
            job.run(lambda: do_all([*asks[:2], broken, *asks[2:]], 3, advance if place == "progress" else None), 0)
    assert len(server.received) == len(ledger.replied) == 2, "the paid replies are kept, and no further call is made"


def test_a_limit_on_the_cost_limits_each_reply(server: ChatServer, tmp_path: Path) -> None:
    server.restart([said(RIGHT)])
    asked(tmp_path, "endpoint/m", server.url, max_cost=1000.0)
    assert server.received[0].json["max_tokens"] == 4000


def test_a_service_that_tells_no_cost_is_asked_once(server: ChatServer, tmp_path: Path) -> None:
    server.restart([said(RIGHT)])
    found, _, _ = asked(tmp_path, "endpoint/m", server.url, 4, price=None, max_cost=10.0)
    told = [str(one) for one in found if isinstance(one, OverBudgetError)]
    assert len(server.received) == 1 and len(told) == 3 and "add --price IN,OUT" in told[0]


def test_money_that_the_service_tells_takes_precedence(server: ChatServer, tmp_path: Path) -> None:
    make: Callable[[str], Answer] = lambda text: said(text, cost=0.05)  # noqa: E731
    server.restart([make("no"), make(RIGHT)])
    _, lines, budget = asked(tmp_path, "endpoint/m", server.url, max_cost=1000.0)
    assert [line.money for line in lines] == [0.05, 0.05] and budget.spent == pytest.approx(0.1)
