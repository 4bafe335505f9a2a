"""Tasks for lmms-eval: its own runner gives our score."""

import json
from pathlib import Path

import pytest
from scripted import FAMILIES, KEPT, ScriptedService, our_run, python_with, told

import chronotope as ct


@pytest.fixture(scope="module")
def asked_there(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, dict], list[str], Path]:
    """The results of all four tasks from one start of lmms-eval, the prompts that the server got, and the folder."""
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
    return {family: results[f"chronotope_{family}_bench"] for family in FAMILIES}, service.prompts, place


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_server_gives_the_same_score(asked_there, family: str, tmp_path: Path) -> None:
    results, prompts, place = asked_there
    run, ours = our_run(KEPT / family / "bench", tmp_path / "run")
    assert set(ours) <= set(prompts)  # every word and every pixel
    scores, read = run.computed(), [one.reading.parsed for one in run.results().answered]
    assert results[family]["credit,none"] == pytest.approx(scores.overall.value, abs=1e-12)
    assert results[family]["answered,none"] == pytest.approx(sum(read) / len(read), abs=1e-12)
    assert 0 < scores.overall.value < 1
    # The samples that lmms-eval logs are a run, too: without its own removal of thoughts, nothing would differ.
    [file] = place.rglob(f"*_samples_chronotope_{family}_bench.jsonl")
    found = ct.explain(run, file)
    assert found.parts[0].name == "another reader" and found.parts[0].value == 0
    assert (found.first, found.second) == (scores.overall.value, pytest.approx(scores.overall.value))
    assert found.common == scores.overall.items and found.whole.value == pytest.approx(0, abs=1e-12)
