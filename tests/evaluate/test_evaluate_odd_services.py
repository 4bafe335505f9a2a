"""Runs and checks behind services that answer in odd ways: what the user is told."""

from pathlib import Path
from typing import Any

import pytest
from evaluate_seeing import check

from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import run
from chronotope.evaluate.score import open_run, score_run
from chronotope.families import Family
from chronotope.models import Decoding
from chronotope.question import Benchmark
from small_servers import ChatService, completion


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
