"""A method in a package of its own: installed, `run` takes it by name, with its settings as flags."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chronotope.ledger import read_ledger
from chronotope.media import encode_clip
from chronotope.question import CardDraft, MediaItem, Option, Question, measure_media, write_benchmark_tables
from packages import install_project
from service import ChatService, completion
from small_sources import chronotope

PACKAGE = Path(__file__).parent / "glance"


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_project(PACKAGE, tmp_path_factory.mktemp("packages"))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bench") / "bench"
    (folder / "clips").mkdir(parents=True)
    encode_clip([np.full((48, 64, 3), 20 * number, np.uint8) for number in range(9)], folder / "clips/0.mp4", 3)
    questions = [
        Question(
            id=f"q{number}",
            family="m3",
            task="object_info",
            cluster="home",
            stem=f"What about thing {number}?",
            options=(Option("this"), Option("that")),
            answer=(0,),
            media=(MediaItem("before", "video", ("clips/0.mp4",)),),
        )
        for number in range(3)
    ]
    draft = CardDraft(name="Home", family="m3", profile="strict", licence="CC0-1.0")
    write_benchmark_tables(folder, draft, questions, measure_media(folder, ["clips/0.mp4"]))
    return folder


def test_it_is_asked_by_name_with_its_settings_as_flags(packages: Path, bench: Path, tmp_path: Path) -> None:
    class Told(ChatService):
        def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
            return 200, completion("A" if isinstance(body["messages"][-1]["content"], str) else "a grey wall")

    help_text = chronotope("run", "--help", packages=packages).stdout
    assert "--glance-words" in help_text and "Method glance" in help_text and "Method hctr" in help_text
    with Told() as service:
        words = (
            "run",
            bench,
            "--model",
            "endpoint/x",
            "--base-url",
            service.url,
            "--out",
            "run",
            "--no-check",
            "--json",
        )
        more = ("--method", "glance", "--glance-words", "Which colour?", "--no-check")
        done = chronotope(*words, *more, cwd=tmp_path, packages=packages)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)[0]["stages"] == {"caption": 1}
        refused = chronotope(*words, "--method", "glance", "--clip-length", "5", cwd=tmp_path, packages=packages)
        assert refused.returncode == 2 and "--clip-length: method glance does not have this setting" in refused.stderr
    kinds = [line.kind for line in read_ledger(tmp_path / "run" / "ledger.jsonl")]
    assert kinds == ["caption", "answer", "answer", "answer"]
    assert "Which colour?" in json.dumps(service.bodies[0]) and "a grey wall" in json.dumps(service.bodies[1])


def test_without_the_package_it_is_unknown(bench: Path, tmp_path: Path) -> None:
    done = chronotope("run", bench, "--model", "endpoint/x", "--method", "glance", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("error: --method: there is no method 'glance': expected one of hctr")
