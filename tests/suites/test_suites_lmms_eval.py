"""Tasks for lmms-eval: its own runner gives our score."""

import json
from pathlib import Path

import pytest
from scripted import FAMILIES, KEPT, ScriptedService, our_run, python_with, told

import chronotope as ct


@pytest.fixture(scope="module")
def asked_there(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, dict], list[str]]:
    """The results of all four tasks, made by one start of lmms-eval, and the prompts that the server got."""
    python, place = python_with("lmms_eval"), tmp_path_factory.mktemp("lmms")
    for family in FAMILIES:
        ct.export(KEPT / family / "bench", place / "tasks" / family, to="lmms-eval")
    tasks = ",".join(f"chronotope_{family}_bench" for family in FAMILIES)
    with ScriptedService() as service:
        model = f"model_version=scripted,base_url={service.url},api_key=none"
        words = [python, "-m", "lmms_eval", "--include_path", "tasks", "--tasks", tasks, "--model", "openai"]
        words += ["--model_args", model, "--output_path", "out", "--log_samples"]
        told(words, place, HF_HOME=str(place / "hub"), HF_HUB_OFFLINE="1")
    [file] = (place / "out").rglob("*results.json")
    results = json.loads(file.read_text())["results"]
    return {family: results[f"chronotope_{family}_bench"] for family in FAMILIES}, service.prompts


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_server_gives_the_same_score(asked_there, family: str, tmp_path: Path) -> None:
    results, prompts = asked_there
    run, ours = our_run(KEPT / family / "bench", tmp_path / "run")
    assert set(ours) <= set(prompts)  # every word and every pixel
    scores, read = run.computed(), [one.reading.parsed for one in run.results().answered]
    assert results[family]["credit,none"] == pytest.approx(scores.overall.value, abs=1e-12)
    assert results[family]["answered,none"] == pytest.approx(sum(read) / len(read), abs=1e-12)
    assert 0 < scores.overall.value < 1
