"""Runs and checks behind services that answer in odd ways: what the user is told."""

import json
from pathlib import Path
from typing import Any, get_type_hints

import pytest
import yaml
from anthropic.types.message_create_params import MessageCreateParamsNonStreaming
from evaluate_seeing import check
from google.genai import types

from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import run
from chronotope.evaluate.score import CheckOutcome, open_run, score_run
from chronotope.families import Family
from chronotope.models import Credentials, Decoding
from chronotope.question import Benchmark
from service import ChatService, completion


class Odd(ChatService):
    """Answers requests with pictures, or all requests, as told."""

    def __init__(self, told: Any, status: int = 200, always: bool = True) -> None:
        super().__init__()
        self.told, self.status, self.always = told, status, always

    def answer(self, body: dict[str, Any]) -> tuple[int, Any]:
        shows = any(isinstance(message["content"], list) for message in body["messages"])
        return (self.status, self.told) if shows or self.always else (200, completion("A"))


def thinking(words: str) -> dict[str, Any]:
    told = completion(None)
    told["choices"][0]["message"]["reasoning_content"] = words
    return told


def test_replies_with_all_their_text_in_the_reasoning_are_told(
    text_bench: Benchmark, tiny: Family, tmp_path: Path
) -> None:
    with Odd(thinking("It moves. The answer is B.")) as service:
        settings, url = tiny.RunSettings(input="blind"), service.url
        run(text_bench, tiny, "endpoint/x", Decoding(), settings, Selection(limit=4), tmp_path / "run", base_url=url)
        outcome, _ = check(service.url)
    (note,) = [one for one in score_run(open_run(tmp_path / "run")).notes if one.startswith("empty replies: 4 of 4")]
    assert "--reasoning-parser" in note
    assert any("replies are empty" in one and "--reasoning-parser" in one for one in outcome.warnings)


@pytest.mark.parametrize(("first", "told"), [("The", True), ("B", False)])
def test_log_probabilities_that_cannot_be_stored_are_told(
    text_bench: Benchmark, tiny: Family, tmp_path: Path, first: str, told: bool
) -> None:
    answer = completion(f"{first} box")
    top = [{"token": "B", "logprob": -1.0}, {"token": first, "logprob": -0.5}]
    answer["choices"][0]["logprobs"] = {"content": [{"token": first, "logprob": -0.5, "top_logprobs": top}]}
    with Odd(answer) as service:
        decoding, settings = Decoding(extra={"logprobs": True, "top_logprobs": 5}), tiny.RunSettings(input="blind")
        url, chosen = service.url, Selection(limit=4)
        run(text_bench, tiny, "endpoint/x", decoding, settings, chosen, tmp_path / "run", base_url=url)
    notes = [one for one in score_run(open_run(tmp_path / "run")).notes if one.startswith("log-probabilities")]
    assert bool(notes) is told and all("none for 4 of 4 replies" in note for note in notes)


def test_a_server_without_vision_is_told_by_one_request(bench: Benchmark) -> None:
    words = "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"
    with Odd({"error": {"code": 500, "message": words, "type": "server_error"}}, 500, always=False) as service:
        outcome, _ = check(service.url)
        assert len(service.bodies) == 2  # with a picture, and without one
    assert outcome.problem == (
        "endpoint/seeing refuses pictures of 64x48 px, but answers requests without pictures "
        f"(HTTP 500: {words}): choose a vision model, or use --input blind"
    )


@pytest.mark.parametrize("tokens", [None, 500])
def test_garbage_is_quoted_briefly_and_pictures_that_arrive_are_not_doubted(tokens: int | None) -> None:
    class Garbage(Odd):
        def answer(self, body: dict[str, Any]) -> tuple[int, Any]:
            shown = sum(
                part["type"] == "image_url" for part in body["messages"][0]["content"] if isinstance(part, dict)
            )
            told = completion("qz " * 60, (20 + (tokens or 0) * shown, 60))
            return 200, told if tokens else {**told, "usage": None}

    with Garbage(None) as service:
        outcome, _ = check(service.url)
    words = "\n".join(outcome.words())
    assert ("all pictures arrive: yes" in words) == (tokens is not None)
    assert ("may not see them" in words) == (tokens is None)
    assert max(len(told) for told in outcome.replies.values()) <= 40


def test_the_tokens_of_a_video_are_shown_without_pictures() -> None:
    outcome = CheckOutcome(pictures=0, width=0, height=0, accepted=True, videos=1, video_tokens=1200, at="2026-11-28")
    assert "input tokens: 1,200 for the video" in outcome.words()


# The native forms behind a gateway of a company, in the types of the services' own clients.


class Gemini(ChatService):
    """Answers A in the form of the Gemini API; its bodies are validated by the client's types, which forbid others."""

    def answer(self, body: dict[str, Any]) -> tuple[int, Any]:
        chosen = {"token": "A", "tokenId": 1, "logProbability": -0.1}
        given = body["generationConfig"].get("responseLogprobs")
        result = {"chosenCandidates": [chosen], "topCandidates": [{"candidates": [chosen]}]} if given else None
        candidate = {"content": {"role": "model", "parts": [{"text": "A"}]}, "finishReason": "STOP"}
        return 200, {"candidates": [candidate | ({"logprobsResult": result} if result else {})]}


class Messages(ChatService):
    """Answers A in the form of the Messages API."""

    def answer(self, body: dict[str, Any]) -> tuple[int, Any]:
        usage = {"input_tokens": 9, "output_tokens": 1}
        return 200, {
            "type": "message",
            "content": [{"type": "text", "text": "A"}],
            "stop_reason": "end_turn",
            "usage": usage,
        }


def asked_natively(
    service: ChatService, name: str, bench: Benchmark, tiny: Family, out: Path, patch: pytest.MonkeyPatch
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Check a model and run some questions; return all bodies, and what the check found."""
    patch.setenv("GATEWAY_KEY", "sk-of-the-gateway-0123456789")
    decoding = Decoding(extra={"logprobs": True, "top_logprobs": 5} if name.startswith("google/") else {})
    how: dict[str, Any] = {"credentials": Credentials("GATEWAY_KEY")}
    run(bench, tiny, name, decoding, tiny.RunSettings(), Selection(limit=4), out, base_url=service.url, **how)
    assert {head["Host"] for head in service.heads} == {service.url.split("/")[2]}
    return service.bodies, yaml.safe_load((out / "run.yaml").read_text())["check"]


def test_every_request_of_a_check_and_a_run_has_a_form_of_gemini(
    bench: Benchmark, tiny: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Gemini() as service:
        bodies, found = asked_natively(service, "google/gemini-x", bench, tiny, tmp_path / "run", monkeypatch)
        assert all(head["x-goog-api-key"] == "sk-of-the-gateway-0123456789" for head in service.heads)
    for body in bodies:
        for content in [*body["contents"], *([body["systemInstruction"]] if "systemInstruction" in body else [])]:
            types.Content.model_validate_json(json.dumps(content))
        types.GenerationConfig.model_validate(body["generationConfig"])
        assert set(body) <= {"contents", "systemInstruction", "generationConfig"}
    asked = [body["generationConfig"] for body in bodies if "responseLogprobs" in body["generationConfig"]]
    assert len(asked) >= 5 and all(one["logprobs"] == 5 for one in asked) and found["log_probabilities"] is True
    lines = [json.loads(line) for line in (tmp_path / "run" / "ledger.jsonl").read_text().splitlines()[1:]]
    assert all(line["letter_log_probabilities"] for line in lines if line["kind"] == "answer")


def test_every_request_of_a_check_and_a_run_has_fields_of_the_messages_api(
    bench: Benchmark, tiny: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Messages() as service:
        bodies, found = asked_natively(service, "anthropic/claude-x", bench, tiny, tmp_path / "run", monkeypatch)
        assert all(head["x-api-key"] == "sk-of-the-gateway-0123456789" for head in service.heads)
    # The types of the client are those of the newer version of the service, which has no temperature.
    known = set(get_type_hints(MessageCreateParamsNonStreaming)) | {"temperature"}
    assert all(set(body) <= known for body in bodies) and len(bodies) >= 8
    assert found["log_probabilities"] is False
