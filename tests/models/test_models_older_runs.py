"""Runs that began when all services were asked in one form continue in it; new runs use the services' own forms."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from models_chat_server import Answer, ChatServer, Received, completion
from models_hosted import KEY, at_home
from typer.testing import CliRunner

from chronotope.cli.app import app
from chronotope.models import opening
from chronotope.models.services.wires.chat import CHAT, ChatForm
from chronotope.question import Option, Question
from drawn_benchmarks import write_benchmark

MODELS = {"anthropic": "anthropic/claude-sonnet-4-6", "google": "google/gemini-2.5-flash"}
OWN_PATHS = {"anthropic": "/own/messages", "google": "/own/models/gemini-2.5-flash:generateContent"}
USED = {"input_tokens": 10, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 1000, "output_tokens": 5}


def answers(request: Received) -> Answer:
    """An answer in the form of the question."""
    if request.path.partition("?")[0].endswith("/chat/completions"):
        return Answer(completion("A", usage={"prompt_tokens": 10, "completion_tokens": 1}))
    if request.path.endswith("/messages"):
        body: dict[str, Any] = {"content": [{"type": "text", "text": "A"}], "stop_reason": "end_turn", "usage": USED}
    else:
        body = {"candidates": [{"content": {"parts": [{"text": "A"}]}, "finishReason": "STOP"}]}
    return Answer(json.dumps(body).encode())


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("older") / "bench"
    options = tuple(Option(f"{value}m") for value in (1.5, 2.5, 3.5, 4.5))
    questions = [
        Question(f"q-{n}", "sti", "Displacement & Path Length", f"clip-{n}", f"How far is it in {n}?", options, (n,))
        for n in range(4)
    ]
    return write_benchmark(folder, questions, "Older").folder


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.chdir(tmp_path)
    with ChatServer(answers) as server:
        yield server


def run(bench: Path, *words: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["run", str(bench), "--input", "blind", *words])
    assert result.exit_code == code, result.output
    return " ".join(result.output.split())


def card(folder: Path) -> dict[str, Any]:
    return yaml.safe_load((folder / "run.yaml").read_text())


def begun_long_ago(bench: Path, patch: pytest.MonkeyPatch, provider: str) -> Path:
    """A run of two questions, as a version made it that knew one form of requests."""
    ours = opening.HOSTED[provider]
    with patch.context() as then:
        then.setitem(opening.HOSTED, provider, replace(ours, base_url=str(ours.chat_url), wire=CHAT))
        run(bench, "--model", MODELS[provider], "--limit", "2")
    (folder,) = Path("runs").iterdir()
    written = card(folder)
    assert written.pop("wire") == "chat"
    (folder / "run.yaml").write_text(yaml.safe_dump(written))
    return folder


@pytest.mark.parametrize("provider", MODELS)
def test_an_older_run_continues_in_the_form_in_which_it_began(
    bench: Path, service: ChatServer, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    at_home(monkeypatch, service, provider)
    folder = begun_long_ago(bench, monkeypatch, provider)
    before = card(folder)
    assert len(service.received) == 2
    # The same command finds it without --out, says what is left, and asks the other two questions where it began.
    planned = json.loads(run(bench, "--model", MODELS[provider], "--dry-run", "--json"))
    assert (planned[0]["calls"], planned[0]["already"]) == (2, 2)
    run(bench, "--model", MODELS[provider])
    assert list(Path("runs").iterdir()) == [folder]
    assert [request.path for request in service.received] == ["/chat-form/chat/completions"] * 4
    assert {request.header("authorization") for request in service.received} == {f"Bearer {KEY}"}
    after = card(folder)
    assert after.get("wire", "chat") == "chat"
    assert before.items() <= (after | {"versions": before["versions"]}).items()
    run(bench, "--model", MODELS[provider], "--out", str(folder))
    assert len(service.received) == 4


@pytest.mark.parametrize("provider", MODELS)
def test_a_new_run_uses_the_service_s_own_form_and_says_so(
    bench: Path, service: ChatServer, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    at_home(monkeypatch, service, provider)
    run(bench, "--model", MODELS[provider])
    assert [request.path for request in service.received] == [OWN_PATHS[provider]] * 4
    (folder,) = Path("runs").iterdir()
    assert card(folder)["wire"] == {"anthropic": "messages", "google": "generate"}[provider]
    run(bench, "--model", MODELS[provider])
    assert len(service.received) == 4
    # Another run of the same name in the other form is another run.
    ours = opening.HOSTED[provider]
    monkeypatch.setitem(opening.HOSTED, provider, replace(ours, base_url=str(ours.chat_url), wire=CHAT))
    told = run(bench, "--model", MODELS[provider], "--out", str(folder), code=2)
    assert 'wire is "' in told and "not set here" in told


def test_what_goes_into_a_cache_costs_a_quarter_more(
    bench: Path, service: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_home(monkeypatch, service, "anthropic")
    run(bench, "--model", MODELS["anthropic"], "--price", "100,1000", "--limit", "1", "--out", "a-run")
    (line,) = [json.loads(line) for line in Path("a-run/ledger.jsonl").read_text().splitlines()[1:]]
    assert (line["input_tokens"], line["cached_tokens"], line["stored_tokens"]) == (1110, 1000, 100)
    assert line["money"] == pytest.approx((1110 + 25) * 100e-6 + 5 * 1000e-6)


def test_azure_gets_its_key_in_its_own_header_and_the_version_of_the_api(
    bench: Path, service: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    monkeypatch.setenv("CHRONOTOPE_API_KEY", "sk-of-another-service-0123")
    url = service.url.replace("/v1", "/openai/deployments/gpt-4o?api-version=2024-10-21")
    run(bench, "--model", "azure/gpt-4o", "--base-url", url, "--out", "a-run")
    assert {request.path for request in service.received} == {
        "/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21"
    }
    for request in service.received:
        assert (request.header("api-key"), request.header("authorization")) == (KEY, None)
        assert request.json["max_completion_tokens"] == 100 and "max_tokens" not in request.json
    assert KEY.encode() not in b"".join(path.read_bytes() for path in Path("a-run").iterdir())
    told = run(bench, "--model", "azure/gpt-4o", code=2)
    assert "azure/gpt-4o needs --base-url" in told and "api-version=2024-10-21" in told
    monkeypatch.delenv("AZURE_OPENAI_API_KEY")
    told = run(bench, "--model", "azure/gpt-4o", "--base-url", url, code=2)
    assert "set the environment variable AZURE_OPENAI_API_KEY" in told


def test_a_key_may_stand_in_any_header() -> None:
    assert ChatForm().headers("k") == {"Authorization": "Bearer k"}
    assert ChatForm(key_header="api-key").headers("k") == {"api-key": "k"}
    assert ChatForm(key_header="api-key").headers("") == {}
