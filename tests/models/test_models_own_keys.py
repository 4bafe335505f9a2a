"""Several services at once, each with its own key: no request to one ever carries another's."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from models_chat_server import Answer, ChatServer, Received, completion, error

from chronotope.models import opening
from chronotope.question import Option, Question, make_variants, open_benchmark
from commands import command
from drawn_benchmarks import write_benchmark

SECRETS = {
    "CHRONOTOPE_API_KEY": "sk-of-endpoint-0123456789",
    "OPENAI_API_KEY": "sk-of-openai-0123456789",
    "ANTHROPIC_API_KEY": "sk-of-anthropic-0123456789",
    "MODEL_KEY": "sk-of-model-0123456789",
    "JUDGE_KEY": "sk-of-judge-0123456789",
}
MODEL_HEADER, JUDGE_HEADER = "header-of-model-0123456789", "header-of-judge-0123456789"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Open questions, asked blind, that are left to a judge where the reply is vague."""
    folder = tmp_path_factory.mktemp("keys") / "open"
    options = tuple(Option(f"{value}m") for value in (1.5, 2.5, 3.5, 4.5))
    base = [
        Question(f"q-{n}", "sti", "Displacement & Path Length", f"clip-{n}", f"How far is it in {n}?", options, (n,))
        for n in range(3)
    ]
    questions = [*base, *make_variants(base, ["open"], 0)]
    return write_benchmark(folder, questions, "Keys").folder


def answers(request: Received) -> Answer:
    """A vague reply to a question, a verdict to a judge's call."""
    messages = request.json["messages"]
    is_case = messages[0]["role"] == "system"
    return Answer(completion(json.dumps({"reason": "so", "correct": True}) if is_case else "Hard to say."))


class Place:
    """Three services, one that others redirect to, and what was said."""

    def __init__(self, servers: list[ChatServer], folder: Path) -> None:
        self.model, self.judge, self.openai, self.elsewhere = servers
        self.folder, self.said = folder, ""

    def told(self, *words: object, code: int = 0) -> str:
        told = command(*words, code=code)
        self.said += told.said
        return " ".join(told.said.split())

    def seen(self, server: ChatServer) -> set[str]:
        """The secrets that a service was shown, in whatever place."""
        all_of_them = [*SECRETS.values(), MODEL_HEADER, JUDGE_HEADER]
        texts = [f"{request.path} {request.headers} {request.raw!r}" for request in server.received]
        return {secret for secret in all_of_them if any(secret in text for text in texts)}

    def nothing_is_written(self) -> bool:
        """No secret was said, nor is one in any file."""
        written = b"".join(file.read_bytes() for file in self.folder.rglob("*") if file.is_file())
        return not any(
            secret.encode() in written + self.said.encode()
            for secret in [*SECRETS.values(), MODEL_HEADER, JUDGE_HEADER]
        )


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    for name, secret in SECRETS.items():
        monkeypatch.setenv(name, secret)
    servers = [ChatServer(answers) for _ in range(4)]
    for server in servers:
        server.__enter__()
    openai = replace(opening.HOSTED["openai"], base_url=servers[2].url)
    monkeypatch.setitem(opening.HOSTED, "openai", openai)
    (tmp_path / "files").mkdir()
    monkeypatch.chdir(tmp_path / "files")
    found = Place(servers, tmp_path / "files")
    yield found
    for server in servers:
        server.__exit__()
    assert found.nothing_is_written()


def asked(bench: Path, *words: object) -> tuple[object, ...]:
    return ("run", bench, "--input", "blind", "--variant", "open", "--out", "run", *words)


def test_the_key_of_endpoints_goes_to_no_other_place(place: Place, bench: Path) -> None:
    model = ("--model", "endpoint/m", "--base-url", place.model.url)
    place.told(*asked(bench, *model, "--judge", "endpoint/j", "--judge-base-url", place.judge.url))
    assert place.judge.received and place.seen(place.model) == {SECRETS["CHRONOTOPE_API_KEY"]}
    assert place.seen(place.judge) == set()
    place.told(*asked(bench, *model, "--judge", "openai/gpt-4o"))
    assert place.seen(place.openai) == {SECRETS["OPENAI_API_KEY"]}
    # At the same place it is the same key.
    before = len(place.model.received)
    place.told(*asked(bench, *model, "--judge", "endpoint/k", "--judge-base-url", place.model.url + "/"))
    assert len(place.model.received) > before and place.seen(place.model) == {SECRETS["CHRONOTOPE_API_KEY"]}
    authorized = {request.header("authorization") for request in place.model.received}
    assert authorized == {f"Bearer {SECRETS['CHRONOTOPE_API_KEY']}"}


def test_a_score_asks_its_judge_alone_which_help_says(place: Place, bench: Path) -> None:
    replies = place.folder / "replies.jsonl"
    lines = [{"id": one.id, "reply": "Hard to say."} for one in open_benchmark(bench).questions if not one.answer]
    replies.write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = ("score", bench, replies, "--variant", "open", "--out", "run")
    place.told(*words, "--judge", "endpoint/j", "--judge-base-url", place.judge.url)
    assert place.judge.received and place.seen(place.judge) == {SECRETS["CHRONOTOPE_API_KEY"]}
    place.judge.received.clear()
    judge = ("--judge", "endpoint/k", "--judge-base-url", place.judge.url, "--judge-key-variable", "JUDGE_KEY")
    place.told(*words, *judge)
    assert place.judge.received and place.seen(place.judge) == {SECRETS["JUDGE_KEY"]}
    told = re.sub(r"[\s│]+", " ", place.told("score", "--help"))
    assert "CHRONOTOPE_API_KEY for endpoint/, unless the evaluated model at another URL uses this variable" in told


def test_each_of_two_endpoints_has_its_key_and_its_headers(place: Place, bench: Path) -> None:
    url = f"{place.model.url}?api-version=2024-10-21&region=eu"
    model = ("--model", "endpoint/m", "--base-url", url, "--key-variable", "MODEL_KEY")
    model = (*model, "--header", f"api-key: {MODEL_HEADER}", "--header", "X-Team: blue")
    judge = ("--judge", "endpoint/j", "--judge-base-url", place.judge.url, "--judge-key-variable", "JUDGE_KEY")
    place.told(*asked(bench, *model, *judge, "--judge-header", f"api-key: {JUDGE_HEADER}"))
    assert place.seen(place.model) == {SECRETS["MODEL_KEY"], MODEL_HEADER}
    assert place.seen(place.judge) == {SECRETS["JUDGE_KEY"], JUDGE_HEADER}
    for request in place.model.received:
        assert request.path == "/v1/chat/completions?api-version=2024-10-21&region=eu"
        assert (request.header("api-key"), request.header("x-team")) == (MODEL_HEADER, "blue")
    assert {request.path for request in place.judge.received} == {"/v1/chat/completions"}


def test_a_check_has_the_key_that_it_is_told(place: Place) -> None:
    words = ("check", "--model", "endpoint/m", "--base-url", f"{place.model.url}?api-version=1", "--pictures", 1)
    place.told(*words, "--size", "32x32", "--key-variable", "MODEL_KEY", "--header", f"api-key: {MODEL_HEADER}", code=1)
    assert place.seen(place.model) == {SECRETS["MODEL_KEY"], MODEL_HEADER} and len(place.model.received) > 2
    assert all(request.path.endswith("?api-version=1") for request in place.model.received)


def test_a_preset_never_gets_the_key_of_endpoints(place: Place, bench: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place.told(*asked(bench, "--model", "openai/gpt-4o"))
    assert place.seen(place.openai) == {SECRETS["OPENAI_API_KEY"]}
    monkeypatch.delenv("OPENAI_API_KEY")
    place.openai.received.clear()
    told = place.told(*asked(bench, "--model", "openai/gpt-4o-mini"), code=2)
    assert "needs an API key: set the environment variable OPENAI_API_KEY" in told and not place.openai.received
    place.told("run", bench, "--input", "blind", "--model", "openai/o1", "--key-variable", "MODEL_KEY", "--limit", 1)
    assert place.seen(place.openai) == {SECRETS["MODEL_KEY"]}


def test_a_redirect_carries_nothing_to_another_host(place: Place, bench: Path) -> None:
    away = error(307, headers={"Location": f"{place.elsewhere.url}/chat/completions"})
    place.model.restart([away])
    model = ("--model", "endpoint/m", "--base-url", place.model.url, "--header", f"api-key: {MODEL_HEADER}")
    place.told(*asked(bench, *model), code=2)
    place.told("check", *model, "--pictures", 1, code=2)
    place.model.script = answers
    judge = ("--judge", "endpoint/j", "--judge-base-url", place.judge.url, "--judge-key-variable", "JUDGE_KEY")
    place.judge.restart([away])
    assert "HTTP 307" in place.told(*asked(bench, *model, *judge), code=2)
    assert place.judge.received and place.elsewhere.received == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--key-variable", "sk-canary-0123"), "expected the name of an environment variable"),
        (("--key-variable", "CANARY_KEY"), "CANARY_KEY: that environment variable is not set"),
        (("--header", "canary"), "expected 'Name: value'"),
        (("--header", "api-key:"), "expected 'Name: value'"),
        (("--header", "api-key: canäry"), "its value contains an invalid character"),
        (("--header", "Host: canary"), "--header Host: this header is set by the HTTP library"),
        (("--judge-key-variable", "MODEL_KEY"), "--judge-key-variable: is a setting of a judge"),
        (("--judge", "openai/m", "--judge-key-variable", "CANARY_KEY"), "--judge-key-variable CANARY_KEY: that"),
        (("--judge-set", "temperature=null"), "--judge-set: is a setting of a judge"),
        (("--judge", "endpoint/j", "--judge-base-url", "http://h/v1", "--judge-set", "n=3"), "the field 'n' "),
        (("--model", "openai/m", "--model", "anthropic/m", "--key-variable", "MODEL_KEY"), "different services"),
    ],
)
def test_what_cannot_be_meant_is_a_sentence(place: Place, bench: Path, words: tuple[str, ...], told: str) -> None:
    model = () if "--model" in words else ("--model", "endpoint/m", "--base-url", place.model.url)
    said = place.told("run", bench, "--input", "blind", *model, *words, code=2)
    assert told in said and "canary-" not in said and "canäry" not in said
    assert not place.model.received and not any(place.folder.iterdir())
