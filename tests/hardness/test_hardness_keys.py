"""The key of a service is in its own header and nowhere else, whatever the service does with it."""

import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hardness_tools import (
    IMPATIENT,
    Service,
    Told,
    asked,
    chronotope,
    questions_about,
    right_texts,
    run_words,
    sentence,
    write_bench,
)

from chronotope.evaluate.score import open_run
from chronotope.question import Question

CANARY = "sk-canary-0123456789abcdefCANARY"
ECHOES = (
    "echo 400",
    "echo 500",
    "echo page",
    "echo page 200",
    "echo plain",
    "echo under 200",
    "echo reply",
    "echo reasoning",
    "echo finish",
)
PATIENCE = (*IMPATIENT, 10.0, 1, 0.01)


@pytest.fixture(scope="module")
def echoing(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Question]]:
    questions = questions_about(2, 9)
    return write_bench(tmp_path_factory.mktemp("echoing") / "bench", questions), questions


def assert_absent(told: Told, *folders: Path) -> None:
    """No trace of the key in what was said, nor in any file."""
    traces = (CANARY.encode(), base64.b64encode(CANARY.encode()).rstrip(b"=")[:-2], b"CANARY")
    assert "canary" not in (told.out + told.err).lower(), "the key was said"
    found = [
        str(path)
        for folder in folders
        for path in [folder, *folder.rglob("*")]
        if any(trace in str(path).encode() for trace in traces)
        or (path.is_file() and any(trace in path.read_bytes() for trace in traces))
    ]
    assert found == [], "the key was written down"


def assert_in_its_header_only(service: Service) -> None:
    heads = [json.loads(line) for line in (service.folder / "heads.jsonl").read_text().splitlines()]
    assert heads
    for request, *headers in heads:
        assert "canary" not in request.lower()
        assert [name.lower() for name, value in headers if "canary" in value.lower()] == ["authorization"]
        assert [value for name, value in headers if name.lower() == "authorization"] == [f"Bearer {CANARY}"]
    for body in (service.folder / "bodies").iterdir():
        assert b"canary" not in body.read_bytes().lower()


def test_a_service_that_repeats_the_key(
    echoing: tuple[Path, list[Question]], serve: Callable[..., Service], tmp_path: Path
) -> None:
    bench, questions = echoing
    service = serve(right_texts(questions), "--echo")
    run, cache, report = tmp_path / "run", tmp_path / "cache", tmp_path / "report"
    keys = {"CHRONOTOPE_API_KEY": CANARY, "CHRONOTOPE_CACHE": str(cache)}
    words = run_words(bench, service.url, "--concurrency", 1, out=run)
    # After a first answer, so that what is refused is not taken for wrong use of the service.
    asked(chronotope(*words, "--limit", 2, by=PATIENCE, **keys))
    done = {one.question.id for one in open_run(run).answered}
    left = [question for question in questions if question.id not in done]
    service.write("faults.json", {q.stem: [name, -1] for q, name in zip(left, ECHOES, strict=False)})
    told = chronotope(*words, by=PATIENCE, **keys)
    assert told.code == 1, told.err
    states = told.run["states"]
    assert states == {"replied": 2 + len(left) - 7, "failed": 5, "refused": 2}
    assert_absent(told, run, cache)
    made = chronotope("report", run, "--out", report, "--frames", "all", **keys)
    assert made.code == 1 and "Traceback" not in made.err, made.err
    assert_absent(made, run, cache, report)
    shown = chronotope("show", bench, **keys)
    assert shown.code == 0, shown.err
    assert_absent(shown, bench)
    assert_in_its_header_only(service)


@pytest.mark.parametrize("name", ["echo 401", "echo 400", "redirect"])
def test_a_service_that_does_not_want_us(
    echoing: tuple[Path, list[Question]], serve: Callable[..., Service], tmp_path: Path, name: str
) -> None:
    bench, questions = echoing
    service, elsewhere = serve(right_texts(questions), "--echo"), serve({})
    (service.folder / "elsewhere").write_text(f"{elsewhere.url}/chat/completions")
    service.write("faults.json", {question.stem: [name, -1] for question in questions})
    words = run_words(bench, service.url, out=tmp_path / "run")
    told = chronotope(*words, CHRONOTOPE_API_KEY=CANARY, CHRONOTOPE_CACHE=str(tmp_path / "cache"))
    sentence(told)
    assert_absent(told, tmp_path / "run", tmp_path / "cache")
    assert_in_its_header_only(service)
    assert elsewhere.requests() == [], "the key is not carried to where a redirect points"


@pytest.mark.parametrize(
    "form",
    [
        "http://127.0.0.1:{port}/v1?key={key}",
        "{key}",
        pytest.param("http://{key}@127.0.0.1:{port}/v1", marks=pytest.mark.slow),
        pytest.param("127.0.0.1:{port}/v1?key={key}", marks=pytest.mark.slow),
        pytest.param("http://127.0.0.1:{port}{key}/v1", marks=pytest.mark.slow),
    ],
)
def test_a_key_in_the_base_url_is_refused_and_not_shown(
    echoing: tuple[Path, list[Question]], serve: Callable[..., Service], tmp_path: Path, form: str
) -> None:
    service = serve({})
    url = form.format(port=service.port, key=CANARY)
    run, cache = tmp_path / "run", tmp_path / "cache"
    told = chronotope(*run_words(echoing[0], url, out=run), CHRONOTOPE_CACHE=str(cache))
    assert "base URL" in sentence(told)
    assert_absent(told)
    assert service.requests() == [] and not run.exists() and not cache.exists()


def test_a_key_that_no_header_can_hold_is_not_shown(
    echoing: tuple[Path, list[Question]], serve: Callable[..., Service], tmp_path: Path
) -> None:
    service = serve({})
    key = f"{CANARY}\nX: {CANARY}"
    told = chronotope(*run_words(echoing[0], service.url, out=tmp_path / "run"), CHRONOTOPE_API_KEY=key)
    assert "key" in sentence(told)
    assert_absent(told)
    assert service.requests() == [] and not (tmp_path / "run").exists()


@pytest.mark.parametrize("command", ["run", "dry-run", "check"])
@pytest.mark.parametrize(
    "pair", [f"api_key={CANARY}", f"user={CANARY}", f"extra_headers={{Authorization: {CANARY}}}", CANARY]
)
def test_no_command_prints_or_keeps_a_key(bench: Path, tmp_path: Path, command: str, pair: str) -> None:
    words: list[object] = ["check"] if command == "check" else ["run", bench, "--out", str(tmp_path / "run")]
    words += ["--dry-run"] if command == "dry-run" else []
    words += ["--model", "endpoint/x", "--base-url", "http://127.0.0.1:9/v1", "--set", pair]
    told = chronotope(*words)
    assert_absent(told)
    assert told.code == 2 and "CHRONOTOPE_API_KEY" in told.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "url",
    [
        f"http://user:{CANARY}@127.0.0.1:9/v1",
        f"http://127.0.0.1:9/v1?api_key={CANARY}",
        f"http://127.0.0.1:9/v1?key={CANARY}",
        f"http://127.0.0.1:9/v1?api-version={CANARY}",
        f"http://127.0.0.1:9/v1?user={CANARY}",
        f"http://127.0.0.1:9/{CANARY}/v1",
    ],
)
def test_no_command_prints_or_keeps_a_key_of_a_url(bench: Path, tmp_path: Path, url: str) -> None:
    runs: list[list[object]] = [
        ["run", bench, "--model", "endpoint/x", "--base-url", url, "--out", str(tmp_path / "run")],
        ["run", bench, "--model", "endpoint/x", "--base-url", url, "--dry-run"],
        ["check", "--model", "endpoint/x", "--base-url", url],
    ]
    for words in runs:
        told = chronotope(*words)
        assert_absent(told)
        assert told.code == 2 and told.err.startswith("error: the ") and "base URL" in told.err
    assert list(tmp_path.iterdir()) == []
