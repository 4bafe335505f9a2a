"""What the help shows, and what a wrong name is answered with."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ikea_released
import vgenst_released
from chronotope.cli.app import app
from chronotope.families import families
from chronotope.make import import_release
from commands import command
from sti_released import row, write_release


def told(*words: object) -> str:
    return command(*words, code=0, COLUMNS="160").out


def test_import_lists_the_families(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    shown = " ".join(told("import", "--help").replace("│", " ").split())
    assert "ikea (IKEA-Bench), m3 (M3-Verse), sti (STI-Bench), vgenst (VGenST-Bench)" in shown


@pytest.mark.parametrize("command", ["run", "score", "build", "build sti", "check", "demo", "import", "report", "vary"])
def test_no_flag_is_cut_in_80_columns(monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "80"})
    assert result.exit_code == 0, result.stderr
    assert "…" not in result.stdout.replace("runs/…", "")


def flags(shown: str) -> set[str]:
    return set(re.findall(r"--([a-z][a-z-]+)", shown)) - {"help"}


def own_flags(name: str) -> set[str]:
    fields = set(families()[name].RunSettings.model_fields)
    return {field.replace("_", "-") for field in fields} - {"placement", "input", "clips", "frames", "frames-as"}


@pytest.mark.parametrize("command", ["run", "score"])
def test_help_shows_the_flags_of_the_benchmarks_family(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    import_release("sti", write_release(tmp_path / "a", [row(0)]), tmp_path / "sti")
    rows = [ikea_released.row("T1", "Chair", "stig")]
    import_release("ikea", ikea_released.write_release(tmp_path / "b", rows), tmp_path / "ikea")
    import_release(
        "vgenst", vgenst_released.write_release(tmp_path / "c", [vgenst_released.row()]), tmp_path / "vgenst"
    )
    plain = told(command, "--help")
    every = set().union(*(own_flags(name) for name in families()))
    assert not flags(plain) & every and "Protocol of" not in plain
    assert f"chronotope {command} BENCHMARK --help" in " ".join(plain.split())
    for name in ("sti", "ikea", "vgenst"):
        shown = told(command, tmp_path / name, "--help")
        assert flags(shown) & every == own_flags(name) and {"placement", "frames"} <= flags(shown)
        assert re.findall(r"Protocol of (\w+)", shown) == [name] and "BENCHMARK --help" not in shown
    assert told(command, "--help", tmp_path / "sti") == told(command, tmp_path / "sti", "--help")
    assert told(command, "--help") == plain  # the help of one benchmark leaves nothing behind


def test_a_flag_that_is_not_shown_is_still_taken(tmp_path: Path) -> None:
    import_release("sti", write_release(tmp_path / "a", [row(n) for n in range(3)]), tmp_path / "sti")
    words = ["run", tmp_path / "sti", "--model", "baseline/random", "--prompt", "local", "--out", tmp_path / "run"]
    assert "│ baseline/random │" in told(*words)
    refused = CliRunner().invoke(app, [str(word) for word in (*words[:4], "--size", "native")])
    assert refused.exit_code == 2 and "--size: family sti does not have this setting" in refused.stderr


def test_build_says_nothing_of_completions() -> None:
    for words in (("build", "--help"), ("build", "sti", "--help"), ("--help",)):
        assert not {"install-completion", "show-completion"} & flags(told(*words))


AZURE = "https://NAME.openai.azure.com/openai/deployments/gpt-4o?api-version=2024-10-21"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("gpt-4o", "openai/gpt-4o"),
        ("gpt4o", "openai/gpt-4o"),
        ("Azure/gpt-4o", f'azure/gpt-4o with --base-url "{AZURE}"'),
        ("o3-mini", "openai/o3-mini"),
        ("gemini-2.5-pro", "google/gemini-2.5-pro"),
        ("models/gemini-2.5-pro", "google/gemini-2.5-pro"),
        ("claude-sonnet-4-5", "anthropic/claude-sonnet-4-5"),
        ("random", "baseline/random"),
        ("constant-B", "baseline/constant-B"),
        ("vllm/Qwen/Qwen3-VL-8B", "endpoint/Qwen/Qwen3-VL-8B with --base-url URL"),
        ("ollama/gemma3", "endpoint/gemma3 with --base-url URL"),
        ("Qwen/Qwen3-VL-8B", "endpoint/Qwen/Qwen3-VL-8B with --base-url URL"),
        ("qwen", "endpoint/qwen with --base-url URL"),
    ],
)
def test_a_name_alone_suggests_what_was_meant(tmp_path: Path, name: str, meant: str) -> None:
    import_release("sti", write_release(tmp_path / "a", [row(0)]), tmp_path / "sti")
    refused = CliRunner().invoke(app, ["run", str(tmp_path / "sti"), "--model", name])
    assert refused.exit_code == 2 and refused.stderr.count("\n") == 1
    assert f"there is no model {name!r}: did you mean {meant}? expected one of endpoint/NAME" in refused.stderr


def test_nothing_is_suggested_for_nothing(tmp_path: Path) -> None:
    import_release("sti", write_release(tmp_path / "a", [row(0)]), tmp_path / "sti")
    for name in ("", "/", "vllm/"):
        refused = CliRunner().invoke(app, ["run", str(tmp_path / "sti"), "--model", name])
        assert refused.exit_code == 2 and "did you mean" not in refused.stderr


def test_what_is_missing_is_shown_by_an_example() -> None:
    for words, example in (
        (("report",), "Example: chronotope report runs"),
        (("vary", "bench"), "Example: chronotope vary "),
        (("build", "sti", "walks"), "Example: chronotope build sti "),
    ):
        refused = CliRunner().invoke(app, list(words))
        assert refused.exit_code == 2 and "Missing " in refused.stderr and example in refused.stderr, refused.stderr
