"""Tasks and logs for Inspect: its own runner gives our score, and its own reader opens our logs."""

import json
from pathlib import Path

import pytest
from scripted import FAMILIES, KEPT, ScriptedService, our_run, python_with, told

import chronotope as ct

READ = """
import json, sys
from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries
log = read_eval_log(sys.argv[1], resolve_attachments=True)
[score] = log.results.scores
first = log.samples[0]
print(json.dumps({
    "status": log.status, "version": log.version, "task": log.eval.task, "model": log.eval.model,
    "metrics": {name: one.value for name, one in score.metrics.items()},
    "values": {one.id: one.scores["chronotope"].value for one in log.samples},
    "replies": {one.id: one.output.completion for one in log.samples},
    "pictures": {
        one.id: sum(part.type == "image" for m in one.input if not isinstance(m.content, str) for part in m.content)
        for one in log.samples
    },
    "summaries": len(read_eval_log_sample_summaries(sys.argv[1])),
}))
"""


@pytest.fixture(scope="module")
def asked_there(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, dict], list[str], dict[str, Path]]:
    """The logs of all four tasks, made by one start of Inspect, the prompts that the server got, and the files."""
    python, place = python_with("inspect_ai"), tmp_path_factory.mktemp("inspect")
    for family in FAMILIES:
        ct.export(KEPT / family / "bench", place / family, to="inspect")
    code = "from inspect_ai import eval; import sys; eval(sys.argv[3:], model='openai-api/local/scripted', "
    code += "model_base_url=sys.argv[1], log_dir=sys.argv[2], display='none', log_format='json')"
    with ScriptedService(cuts=True) as service:
        tasks = [f"{family}/task.py" for family in FAMILIES]
        told([python, "-c", code, service.url, str(place / "logs"), *tasks], place, LOCAL_API_KEY="none")
    headers, files = {}, {}
    for file in (place / "logs").glob("*.json"):
        header = json.loads(file.read_text())
        headers[header["eval"]["metadata"]["family"]] = header
        files[header["eval"]["metadata"]["family"]] = file
    return headers, service.prompts, files


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_server_gives_the_same_score(asked_there, family: str, tmp_path: Path) -> None:
    headers, prompts, files = asked_there
    run, ours = our_run(KEPT / family / "bench", tmp_path / "run", cuts=True)
    assert set(ours) <= set(prompts)  # every word and every pixel
    header = headers[family]
    assert header["status"] == "success"
    credit, answered = header["results"]["scores"]
    scores = run.computed()
    assert credit["metrics"]["mean"]["value"] == pytest.approx(scores.overall.value, abs=1e-12)
    assert 0 < scores.overall.value < 1
    parsed = sum(one.reading.parsed for one in run.results().answered) / scores.overall.items
    assert answered["metrics"]["mean"]["value"] == pytest.approx(parsed, abs=1e-12)
    assert header["eval"]["model_generate_config"] | header["plan"]["config"] == {
        "max_tokens": run.results().card.decoding.max_tokens,
        "temperature": 0.0,
    }
    by_task = {name: one["value"] for name, one in credit["metrics"].items() if name not in ("mean", "stderr")}
    found = ct.explain(run, files[family])
    assert [part.value for part in found.parts] == [0, 0, 0, 0] and found.second == pytest.approx(found.first)
    code = "from inspect_ai.log import read_eval_log, write_eval_log; import sys; "
    code += "write_eval_log(read_eval_log(sys.argv[1]), sys.argv[2], format='eval')"
    told([python_with("inspect_ai"), "-c", code, str(files[family]), str(tmp_path / "packed.eval")], tmp_path)
    assert ct.score(KEPT / family / "bench", tmp_path / "packed.eval", out=tmp_path / "packed").computed().overall == (
        scores.overall
    )
    assert by_task == pytest.approx({name: one.value for name, one in scores.tasks.items()}, abs=1e-12)


@pytest.mark.slow
def test_a_run_becomes_a_log_that_inspect_reads(tmp_path: Path) -> None:
    python = python_with("inspect_ai")
    run, _ = our_run(KEPT / "m3" / "bench", tmp_path / "run", cuts=True)
    ct.report(run, tmp_path / "report", frames="sample:2", formats="inspect")
    [file] = (tmp_path / "report" / "tables").glob("*.eval")
    read = json.loads(told([python, "-c", READ, str(file)], tmp_path))
    answered = run.results().answered
    assert (read["status"], read["version"], read["model"]) == ("success", 2, "endpoint/scripted")
    assert read["metrics"]["accuracy"] == run.computed().overall.value
    assert read["replies"] == {one.ask.id: one.line.reply for one in answered}
    assert read["summaries"] == len(answered)
    assert sum(read["values"].values()) / len(answered) == pytest.approx(run.computed().overall.value, abs=1e-12)
    shown = {name: count for name, count in read["pictures"].items() if count}
    assert len(shown) == 2 and all(count == len(answered[0].line.pictures) for count in shown.values())
