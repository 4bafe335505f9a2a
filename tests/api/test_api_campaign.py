"""A campaign: one file, one dry run, one budget, one report, and one sentence for each fault of the file."""

import json
import re
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from chronotope.api.campaign import CampaignRun, ask_campaign, plan_campaign
from chronotope.api.campaign_file import in_keys, read_campaign
from chronotope.cli.app import app
from chronotope.errors import InputError
from chronotope.ledger import read_ledger
from service import ChatService, completion

TOKENS = 1000  # of input and of output, in each answer of the service


class Counting(ChatService):
    """A service that answers C to everything."""

    def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        return 200, completion("C", (TOKENS, TOKENS))


@pytest.fixture
def service() -> Iterator[Counting]:
    with Counting() as service:
        yield service


def run(file: Path, *words: str, code: int = 0) -> Any:
    told = CliRunner().invoke(app, ["run", "--file", str(file), "--json", *words])
    assert told.exit_code == code, told.stderr
    return json.loads(told.stdout)


def asked(file: Path) -> list[CampaignRun]:
    """What becomes of the runs, without the report."""
    read = read_campaign(file)
    return list(ask_campaign(plan_campaign(read), read.max_cost, lambda name: nullcontext(lambda *told: None)))


def refusal(place: Path, folder: Path, **content: Any) -> str:
    file = write(place, folder, **content)
    with pytest.raises(InputError) as told:
        plan_campaign(read_campaign(file), to_ask=False)
    assert str(file) in str(told.value) and "\n" not in str(told.value) and not (place / "runs").exists()
    return str(told.value).replace(str(place), "PLACE")


def write(place: Path, folder: Path, **content: Any) -> Path:
    file = place / "campaign.yaml"
    whole = {"benchmarks": [str(folder)], "models": ["baseline/random"]} | content
    file.write_text(yaml.safe_dump({name: value for name, value in whole.items() if value is not None}))
    return file


def test_benchmarks_models_and_settings_make_runs_and_one_report(tmp_path: Path, folder: Path) -> None:
    file = write(tmp_path, folder, models=["baseline/random", "baseline/constant-C"], settings=[{}, {"input": "blind"}])
    foreseen = run(file, "--dry-run")
    assert [one["calls"] for one in foreseen["runs"]] == [12] * 4 and foreseen["sum"]["calls"] == 48
    assert foreseen["sum"]["money"] == 0 and not (tmp_path / "runs").exists()
    first = run(file)
    assert [one["asked"] for one in first["runs"]] == [12] * 4 and all(one["complete"] for one in first["runs"])
    assert [one["folder"] for one in first["runs"]] == [one["folder"] for one in foreseen["runs"]]
    assert {Path(one["folder"]).parent for one in first["runs"]} == {tmp_path / "runs"}
    assert Path(first["report"]) == tmp_path / "report" / "index.html" and Path(first["report"]).is_file()
    assert run(file, "--dry-run")["sum"]["calls"] == 0 and [one.outcome.asked for one in asked(file)] == [0] * 4
    told = CliRunner().invoke(app, ["run", "--file", str(file), "--dry-run"], env={"COLUMNS": "200"})
    assert "all runs" in told.stdout and "Drawn · baseline/constant-C · input blind" in told.stdout


def test_one_budget_covers_all_runs_and_a_larger_one_continues(tmp_path: Path, folder: Path, service: Counting) -> None:
    def content(max_cost: float) -> dict[str, Any]:
        models = [
            {"name": f"endpoint/{name}", "base_url": service.url, "price": [1.0, 1.0], "max_tokens": TOKENS}
            for name in ("one", "two")
        ]
        return {
            "models": [*models, "baseline/random"],
            "settings": [{"input": "blind", "set": {"seed": 7}}],
            "max_cost": max_cost,
        }

    each = 2 * TOKENS / 1e6
    whole = 24 * each
    file = write(tmp_path, folder, **content(18.5 * each))
    foreseen = run(file, "--dry-run")
    assert foreseen["sum"]["calls"] == 36 and foreseen["max_cost"] == 18.5 * each
    told = asked(file)
    assert len(service.bodies) == 18 and told[-1].spent == pytest.approx(18 * each)
    assert [one.complete for one in told] == [True, False, True]
    assert "could exceed" in told[1].problems[0]
    assert {body["seed"] for body in service.bodies} == {7}
    lines = [line for one in told for line in read_ledger(one.planned.folder / "ledger.jsonl")]
    assert sum(line.money or 0 for line in lines) == pytest.approx(18 * each)
    told = asked(write(tmp_path, folder, **content(12 * each)))  # less than what is spent
    assert len(service.bodies) == 18 and "it is used up" in told[1].problems[0]
    told = asked(write(tmp_path, folder, **content(2 * whole)))
    assert len(service.bodies) == 24 and told[-1].spent == pytest.approx(whole)


def test_a_dry_run_counts_the_cost_of_the_checks(tmp_path: Path, folder: Path) -> None:
    model = {"name": "endpoint/x", "base_url": "http://127.0.0.1:9/v1", "price": [1, 1], "max_tokens": 10, "limit": 1}

    def foreseen(max_cost: float, **options: Any) -> tuple[dict[str, Any], str]:
        file = write(tmp_path, folder, models=[model | options], max_cost=max_cost)
        told = CliRunner().invoke(app, ["run", "--file", str(file), "--dry-run"], env={"COLUMNS": "200"})
        return run(file, "--dry-run")["sum"], " ".join(told.stderr.split())

    summed, told = foreseen(1.0)
    assert summed["check_money"] > summed["check_tokens"] / 1e6 > 0 and "they fit" in told
    between = summed["money"] + summed["check_money"] / 2
    assert "they may not fit" in foreseen(between)[1]
    summed, told = foreseen(between, check=False)
    assert summed["check_money"] == 0 and "they fit" in told


def test_a_model_that_cannot_be_asked_does_not_stop_the_others(tmp_path: Path, folder: Path, service: Counting) -> None:
    nobody = {"name": "endpoint/x", "base_url": "http://127.0.0.1:9/v1", "wait": 0}
    file = write(tmp_path, folder, models=[nobody, "baseline/random"], settings=[{"input": "blind", "limit": 2}])
    told = asked(file)
    assert [one.complete for one in told] == [False, True]
    assert "no service answers there" in told[0].problems[0]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"model": ["x"]}, "there is no key 'model'; did you mean 'models'? expected one of benchmarks, models,"),
        ({"models": None}, "the key 'models' is missing"),
        ({"benchmarks": ["nowhere"]}, "entry 1 of benchmarks: path: there is no folder PLACE/nowhere"),
        ({"models": [{"base_url": "http://x"}]}, "entry 1 of models: has no name"),
        (
            {"settings": [{"inputs": "blind"}]},
            "entry 1 of settings, family sti: there is no key 'inputs'; did you mean",
        ),
        ({"settings": [{"input": "sound"}]}, "entry 1 of settings: input: "),
        ({"settings": [{"limit": 0}]}, "entry 1 of settings: limit: Input should be greater than or equal to 1"),
        ({"settings": [{"limit": True}]}, "entry 1 of settings: limit: expected a whole number, found True"),
        ({"settings": ["limit"]}, "settings: expected a list of mappings, such as limit: 10, found ['limit']"),
        ({"benchmarks": "x"}, "benchmarks: expected a list of paths, or of mappings with the key path, found 'x'"),
        ({"models": []}, "models: expected a list of names, or of mappings with the key name, found []"),
        (
            {"models": [{"name": "endpoint/x", "base_url": 5}]},
            "entry 1 of models: base_url: expected a text, or a list of texts, found 5",
        ),
        (
            {"models": [{"name": "openai/x", "price": [1]}]},
            "entry 1 of models: price: expected the prices of a million input and output tokens, as [2.5, 10]",
        ),
        (
            {"settings": [{"task": [1]}]},
            "entry 1 of settings: task: expected a list of texts, found [1]",
        ),
        ({"settings": [{"task": "nope"}]}, "entry 1 of benchmarks, entry 1 of models, entry 1 of settings: "),
        ({"models": ["openai/x"], "settings": [{"clips": "video", "frames_as": "video"}]}, ": frames_as: cannot be"),
        ({"max_cost": -1}, "max_cost: Input should be greater than 0"),
        (
            {"models": [{"name": "baseline/random", "limit": 2}], "settings": [{"limit": 3}]},
            "entry 1 of settings: the key 'limit' is also in entry 1 of models",
        ),
        (
            {"settings": [{"limit": 2}, {"limit": 3}]},
            "entry 2 of settings: gives the same run of baseline/random as entry 1 of settings",
        ),
        ({"models": ["gpt-4o"]}, "campaign.yaml: entry 1 of benchmarks, entry 1 of models: there is no model 'gpt-4o'"),
        ({"judge": {"name": "openai/x", "prize": 1}}, "judge: there is no key 'prize'; did you mean 'price'?"),
    ],
)
def test_a_fault_of_the_file_is_one_sentence(
    tmp_path: Path, folder: Path, content: dict[str, Any], sentence: str
) -> None:
    told = refusal(tmp_path, folder, **content)
    assert sentence in told, told


def test_a_bare_off_and_empty_settings_are_understood(tmp_path: Path, folder: Path) -> None:
    file = write(tmp_path, folder, settings=[])
    [one] = read_campaign(file).cells
    assert one.place == ("entry 1 of benchmarks", "entry 1 of models", "") and one.options.lead == "auto"
    file.write_text(file.read_text().replace("settings: []", "settings: [{lead: off, limit: 2, variant: base}]"))
    [one] = plan_campaign(read_campaign(file))
    assert one.request.lead == "off" and one.request.selection.variants == ("base",) and one.foreseen.calls == 2
    told = in_keys("--max-cost 1: raise it, or add --no-check, --price or --frames-as images; --out", ["frames_as"])
    assert told == "max_cost 1: raise it, or add check: false, price or frames_as images; --out"


def test_folders_are_checked_before_the_runs(tmp_path: Path, folder: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").touch()
    for key in ("report", "runs"):
        for place in (folder, folder / "new"):
            told = refusal(tmp_path, folder, **{key: str(place)})
            assert f"campaign.yaml: {key}: {place} is in the folder of a benchmark" in told and "--out" not in told
        told = refusal(tmp_path, folder, **{key: "mine/notes.txt"})
        assert f"campaign.yaml: {key}: PLACE/mine/notes.txt is a file" in told
    told = refusal(tmp_path, folder, report="mine")
    assert (
        "campaign.yaml: report: PLACE/mine: contains notes.txt, which is not part of a report: choose another" in told
    )
    assert "would contain the runs" in refusal(tmp_path, folder, report="all", runs="all/runs")


def test_other_flags_belong_into_the_file(tmp_path: Path, folder: Path) -> None:
    file = write(tmp_path, folder)
    for words in (
        ["--limit", "3"],
        ["--no-check"],
        ["--model", "baseline/random"],
        ["--variant", "open"],
        [str(folder)],
    ):
        told = CliRunner().invoke(app, ["run", "--file", str(file), *words])
        assert told.exit_code == 2 and re.search(r"(--\w+|BENCHMARK).*: cannot be combined with --file", told.stderr)
    told = CliRunner().invoke(app, ["run", "--file", str(write(tmp_path, folder, max_cost=-1)), "--dry-run"])
    assert told.exit_code == 2 and f"{file}: max_cost: Input" in " ".join(told.stderr.split())
    for words, missing in ((["--dry-run"], "BENCHMARK"), ([str(folder)], "--model")):
        told = CliRunner().invoke(app, ["run", *words])
        assert told.exit_code == 2 and f"{missing}: is missing: expected a benchmark folder" in told.stderr
