"""Datasets for VLMEvalKit: its own runner gives our score, and its own classes open our table."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scripted import FAMILIES, KEPT, ScriptedService, our_run, picture_of, python_with, told

import chronotope as ct
from service import Answer, Received, Service, completion

# VLMEvalKit imports torchvision, whose compiled operators need the libraries of CUDA in the builds of the public index.
# Where they do not load, the two that the import needs are declared without code; no model behind an API calls them.
START = """
import json, runpy, sys
import torch
from importlib.util import find_spec
from pathlib import Path
try:
    torch.ops.load_library(next(Path(find_spec("torchvision").submodule_search_locations[0]).glob("_C*.so")))
except OSError:
    for name in ("nms", "qnms"):
        torch.library.define(f"torchvision::{name}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
for words in json.loads(sys.argv[1]):
    sys.argv = words
    runpy.run_path(words[0], run_name="__main__")
"""


class Listener(Service):
    """A server that always answers A, and keeps what it was sent."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[dict[str, Any]] = []

    def take(self, request: Received) -> Answer:
        self.asked.append(request.json)
        return Answer(completion("A"))


@pytest.fixture(scope="module")
def asked_there(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], list[dict[str, Any]], Path]:
    """The prompts of all four datasets from one start of VLMEvalKit, the requests of two with JPEG, and the folder."""
    python, place = python_with("vlmeval"), tmp_path_factory.mktemp("vlmeval")
    for family in FAMILIES:
        ct.export(KEPT / family / "bench", place / family, to="vlmevalkit")
    # An empty reply is asked for again, after a pause, so there is one try without a pause.
    usual = ["--key", "none", "--retry", "1", "--extra-body", '{"wait": 0}', "--model"]
    with ScriptedService() as service, Listener() as listener:
        exact, plain = ["--base-url", service.url], ["--base-url", listener.url]
        starts = [[f"{name}/run.py", *exact, *usual, "scripted", "--local-media"] for name in FAMILIES]
        starts += [[f"{name}/run.py", *plain, *usual, "listener"] for name in ("vgenst", "ikea")]
        told([python, "-c", START, json.dumps(starts)], place)
    return service.prompts, listener.asked, place


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_server_gives_the_same_score(asked_there, family: str, tmp_path: Path) -> None:
    prompts, _, place = asked_there
    run, ours = our_run(KEPT / family / "bench", tmp_path / "run")
    assert set(ours) <= set(prompts)  # every word and every pixel
    made = place / "outputs" / "scripted" / f"scripted_chronotope_{family}_bench"
    found = json.loads(made.with_name(f"{made.name}_acc.json").read_text())
    scores, read = run.computed(), [one.reading.parsed for one in run.results().answered]
    assert 0 < scores.overall.value < 1
    assert found.pop("Overall") == pytest.approx(scores.overall.value, abs=1e-12)
    assert found.pop("answered") == pytest.approx(sum(read) / len(read), abs=1e-12)
    tasks = {f"task {name}": one.value for name, one in scores.tasks.items()}
    assert found == pytest.approx(tasks, abs=1e-12)
    # Its table of replies is a run, too.
    told_apart = ct.explain(run, made.with_suffix(".tsv"))
    assert [part.value for part in told_apart.parts] == [0] * len(told_apart.parts)
    assert told_apart.second == pytest.approx(scores.overall.value)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["vgenst", "ikea"])
def test_pictures_that_are_encoded_again_stand_in_our_order(asked_there, family: str, tmp_path: Path) -> None:
    _, asked, _ = asked_there
    with Listener() as ours:
        ct.run(
            KEPT / family / "bench", "endpoint/listener", base_url=ours.url, out=tmp_path, check=False, variants="base"
        )
    theirs = {_texts(body): body for body in asked}
    assert len(ours.asked) > 20
    for body in ours.asked:
        pairs = list(zip(_pictures(body), _pictures(theirs[_texts(body)]), strict=True))
        here = [_small(one) for one, _ in pairs]
        for number, (_, there) in enumerate(pairs):
            far = [float(np.abs(_small(there) - one).mean()) for one in here]
            assert far[number] == min(far) < 12  # nearest to the picture in its place


def _parts(body: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for message in body["messages"]:
        content = message["content"]
        found += [{"type": "text", "text": content}] if isinstance(content, str) else content
    return found


def _texts(body: dict[str, Any]) -> str:
    """The roles of a prompt, and its texts with a mark for each picture."""
    parts = [part["text"] if part["type"] == "text" else "<picture>" for part in _parts(body)]
    return json.dumps([[message["role"] for message in body["messages"]], parts])


def _pictures(body: dict[str, Any]) -> list[Image.Image]:
    return [picture_of(part) for part in _parts(body) if part["type"] != "text"]


def _small(picture: Image.Image) -> np.ndarray:
    return np.asarray(picture.resize((32, 32), Image.Resampling.BOX), dtype=float)


def test_the_table_has_the_columns_of_vlmevalkit(tmp_path: Path) -> None:
    made = ct.export(KEPT / "m3" / "bench", tmp_path / "task", to="vlmevalkit", limit=12)
    lines = (tmp_path / "task" / "chronotope_m3_bench.tsv").read_text().splitlines()
    head = lines[0].split("\t")
    assert head[:3] == ["index", "question", "A"] and head[-3:] == ["answer", "category", "image_path"]
    assert len(lines) == 1 + made.questions == 13
    asks = [json.loads(line) for line in (tmp_path / "task" / "asks.jsonl").read_text().splitlines()]
    for line, ask in zip(lines[1:], asks, strict=True):
        row = dict(zip(head, line.split("\t"), strict=True))
        assert (row["index"], row["answer"]) == (ask["id"], ",".join(ask["answer"]))
        assert {one["letter"]: one["text"] for one in ask["options"]} == {
            name: row[name] for name in head if len(name) == 1 and row[name]
        }
        assert row["image_path"].count("frames/") == sum(
            part["type"] == "image" for message in ask["messages"] for part in message["content"]
        )
