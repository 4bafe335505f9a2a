"""Drafts, generated clips and benchmarks of VGenST-Bench from the command line, with services on real sockets."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from vgenst_writer_service import Author

import chronotope as ct
from chronotope.errors import InputError
from chronotope.families.vgenst.agents import Item, benchmark_items, read_drafts
from chronotope.families.vgenst.guard import guard
from chronotope.families.vgenst.protocol import RunSettings
from chronotope.media import decode_frames, read_picture
from chronotope.models import structured
from chronotope.models.media import read_jobs
from chronotope.question import Question
from commands import command, refused
from generation_client import KEY, described, kill_when, lines
from generation_server import GenerationService
from service import ChatService, completion, read_parts
from small_sources import COMMAND

TASKS = ("CM", "HO")
ONE = ("--workers", 1)  # a second one would only import everything again
ITEMS = benchmark_items(TASKS, 2)


class Media(GenerationService):
    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        super().__init__(folder)
        self.description = described(folder, self.port)

    def bill(self) -> list[dict]:
        return lines(self.folder / "bill.jsonl")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structured, "BACKOFF", 0.001)
    monkeypatch.setenv(KEY, "secret-of-tests")


@pytest.fixture
def media(tmp_path: Path) -> Iterator[Media]:
    with Media(tmp_path / "server") as running:
        yield running


@pytest.fixture(scope="module")
def drafts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scenes that code drafted."""
    folder = tmp_path_factory.mktemp("drafted") / "drafts"
    words = [word for task in TASKS for word in ("--task", task)]
    told = command("draft", "vgenst", "--per-task", 2, *words, "--out", folder, "--json", code=0).json
    assert told["scenes"] == 4 and told["unvalidated"] == [] and told["asked"] == 0
    return folder


def written(folder: Path, service: Author, *words: object, items: list[Item] = ITEMS) -> list[object]:
    tasks = [word for task in dict.fromkeys(item.task for item in items) for word in ("--task", task)]
    count = len(items) // len(dict.fromkeys(item.task for item in items))
    models = ["--writer", "endpoint/claude-x", "--judge", "endpoint/gpt-x"]
    urls = ["--base-url", service.url, "--judge-base-url", service.url]
    return ["draft", "vgenst", "--per-task", count, *tasks, *models, *urls, "--out", folder, *words]


def test_a_writer_and_a_judge_draft_and_the_table_says_what_was_accepted(tmp_path: Path) -> None:
    out = tmp_path / "drafts"
    with Author(ITEMS, {"judge graph": ["reject", "right"]}) as service:
        foreseen = command(*written(out, service, "--dry-run", "--json"), code=0).json
        assert not service.bodies and not out.exists()
        told = command(*written(out, service, "--json", "--price", "1000,1000"), code=0).json
        asked = len(service.bodies)
        assert foreseen["fewest"] <= asked == told["asked"] <= foreseen["calls"] and foreseen["calls"] == 4 * 18
        again = command(*written(out, service, "--price", "1000,1000"), code=0)
        assert len(service.bodies) == asked
    assert told["first_passes"]["graph"] == [0, 4] and told["first_passes"]["scenario"] == [4, 4]
    assert told["violations"] == {"ambiguity_check": 4} and told["scene_cost"] == pytest.approx(told["money"] / 4)
    assert "0 of 4" in again.out and "ambiguity_check" in again.out and "a scene" in again.out
    bench = tmp_path / "bench"
    command("build", "vgenst", *ONE, out, "--no-render", "--out", bench, code=0)
    questions = ct.open(bench).questions
    reason = guard("anthropic/claude-y", None, RunSettings(), questions)
    assert reason is not None and "endpoint/claude-x, which wrote the scenes of these questions" in reason
    assert "judged" in (guard("openai/gpt-y", None, RunSettings(), questions) or "")
    assert guard("google/gemini-y", None, RunSettings(), questions) is None
    scenario = json.loads(next((bench / "recordings").glob("*/scenario.json")).read_text())
    assert scenario in [draft.value for draft in read_drafts(out, "scenario")]


def test_questions_of_a_writer_follow_those_of_the_cells(tmp_path: Path) -> None:
    out, items = tmp_path / "drafts", benchmark_items(["HO"], 1)
    with Author(items, {"judge question": ["right", "reject", "reject", "reject"]}) as service:
        stages = ("--stages", "graph,scenario,questions", "--types", "L1-OE,L2-TO", "--concurrency", 1)
        assert command(*written(out, service, *stages, items=items)).code == 1
    for keep, flagged in (("", 0), ("--keep-unvalidated", 1)):
        bench = tmp_path / f"bench-{flagged}"
        command("build", "vgenst", *ONE, out, "--no-render", *filter(None, [keep]), "--out", bench, code=0)
        works = {work.part: work for work in read_drafts(out, "questions", unvalidated=bool(keep))}
        questions = ct.open(bench).questions
        by_model = {question.id: question for question in questions if "model_written" in question.flags}
        assert len(by_model) == len(works) == 1 + flagged
        assert sum("unvalidated" in question.flags for question in questions) == flagged
        for question in by_model.values():
            asked = works[question.tags["type"][0]].value["questions"][0]
            assert (question.stem, question.options[question.answer[0]].text) == (asked["question"], asked["answer"])
            assert question.provenance["written_by"] == "endpoint/claude-x"
        assert len({question.id for question in questions}) == len(questions) == 7 + len(by_model)


def test_unvalidated_drafts_are_taken_only_on_demand_and_marked(tmp_path: Path) -> None:
    items = benchmark_items(["HO"], 2)
    with Author(items, {"judge graph": ["reject"]}) as service:
        told = command(*written(tmp_path / "drafts", service, items=items))
    assert told.code == 1 and told.err.count("is not validated;") == 2 and "held back" in told.err
    sentence = refused("build", "vgenst", *ONE, tmp_path / "drafts", "--no-render", "--out", tmp_path / "bench")
    assert "no validated graph" in sentence and "--keep-unvalidated" in sentence
    words = [
        "build",
        "vgenst",
        *ONE,
        tmp_path / "drafts",
        "--no-render",
        "--keep-unvalidated",
        "--out",
        tmp_path / "bench",
    ]
    command(*words, code=0)
    assert all("unvalidated" in question.flags for question in ct.open(tmp_path / "bench").questions)


@pytest.mark.slow
def test_a_killed_draft_goes_on_and_no_call_is_paid_twice(tmp_path: Path) -> None:
    out = tmp_path / "drafts"
    with Author(ITEMS) as service:
        service.pause = 0.02
        words = [*written(out, service), "--stages", "graph,scenario", "--concurrency", 1]
        assert _killed(words, service) == -signal.SIGKILL
        before = len(service.bodies)
        told = command(*words, "--json", code=0).json
        assert told["asked"] + before <= 4 * 4 + 1 and told["stages"]["scenario"]["validated"] == 4


def _killed(words: list[object], service: Author) -> int:
    """Run a command as a process of its own, and kill it at its fifth call."""
    process = subprocess.Popen([str(COMMAND), *map(str, words)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    service.end_at(process.pid, 5, before_reply=True)
    return process.wait(60)


def test_what_cannot_be_drafted_is_told_in_a_sentence(tmp_path: Path) -> None:
    out = ("--out", tmp_path / "drafts")
    assert "expected one of vgenst" in refused("draft", "sti", *out)
    assert "--writer" in refused("draft", "vgenst", "--theme", "attic of joy", *out)
    assert "--max-cost: is a setting of a writer" in refused("draft", "vgenst", "--max-cost", 3, *out)
    assert "add --judge" in refused("draft", "vgenst", "--judge-price", "1,2", *out)
    assert "no task 'XX'" in refused("draft", "vgenst", "--task", "XX", *out)
    assert "no stage 'clips'" in refused("draft", "vgenst", "--stages", "clips", *out)
    with pytest.raises(InputError, match="validator"):
        ct.draft("vgenst", tmp_path / "drafts", per_task=1, judge="endpoint/x")
    assert not (tmp_path / "drafts").exists()


def test_a_folder_of_scene_graphs_is_a_source_and_a_broken_graph_is_named(tmp_path: Path, drafts: Path) -> None:
    (tmp_path / "graphs").mkdir()
    for draft in read_drafts(drafts, "graph"):
        (tmp_path / "graphs" / f"{draft.item}.json").write_text(json.dumps(draft.value))
    words = ["build", "vgenst", *ONE, tmp_path / "graphs", "--no-render", "--profile", "paper"]
    command(*words, "--out", tmp_path / "bench", code=0)
    of_drafts = ["build", "vgenst", *ONE, drafts, "--no-render", "--profile", "paper", "--out", tmp_path / "other"]
    command(*of_drafts, code=0)
    found, other = ({q.id: (q.stem, q.options, q.answer) for q in ct.open(tmp_path / name).questions}
                    for name in ("bench", "other"))  # fmt: skip
    assert found == other and len(found) == 2 * 8 + 2 * 7
    first = sorted((tmp_path / "graphs").iterdir())[0]
    graph = json.loads(first.read_text())
    graph["objects"][-1]["label"] = graph["objects"][0]["label"]
    first.write_text(json.dumps(graph))
    assert f"{first.name}: the scene graph has " in refused(*words, "--out", tmp_path / "again")
    kept = command(*words, "--out", tmp_path / "again", "--keep-going")
    assert kept.code == 1 and first.name in kept.err


def clips(drafts: Path, media: Media, out: Path, *words: object) -> list[object]:
    return ["generate", drafts, "--service", f"{media.description}:square", "--image-service",
            f"{media.description}:painter", "--candidates", 2, "--out", out, *words]  # fmt: skip


def test_clips_are_ordered_checked_picked_and_asked_about(tmp_path: Path, drafts: Path, media: Media) -> None:
    out = tmp_path / "clips"
    foreseen = command(*clips(drafts, media, out, "--dry-run", "--json"), code=0).json
    assert (foreseen["pictures"], foreseen["clips"]) == (4, 8) and foreseen["money"] == pytest.approx(4 * 0.05 + 8)
    assert not out.exists() and not media.bill()
    told = command(*clips(drafts, media, out, "--json"), code=0).json
    assert len(media.bill()) == 12 and told["spent"] == pytest.approx(12 * 0.25)
    by_name = {one["name"]: one for one in told["candidates"]}
    assert {check["name"] for check in by_name["CM--cm--night-shift-control-desk--0"]["checks"]} == {
        "length", "cuts", "frozen", "black", "anchor", "camera",
    }  # fmt: skip
    command(*clips(drafts, media, out), code=0)
    assert len(media.bill()) == 12, "nothing is ordered twice"
    page = (out / "index.html").read_text()
    assert page.count("<img") == 8 == len(list((out / "sheets").glob("*.jpg"))) and "picked.yaml" in page
    assert "no clip is picked" in refused(
        "build", "vgenst", *ONE, out, "--profile", "paper", "--out", tmp_path / "bench"
    )
    scene, other, *rest = sorted({one["scene"] for one in told["candidates"]})
    (out / "picked.yaml").write_text(yaml.safe_dump({scene: f"{scene}--1", other: False, rest[0]: 7}))
    assert f"{rest[0]} has no clip 7" in refused("build", "vgenst", *ONE, out, "--out", tmp_path / "bench")
    (out / "picked.yaml").write_text(yaml.safe_dump({scene: f"{scene}--1", other: False}))
    bench, proposed = tmp_path / "bench", tmp_path / "proposed"
    command("build", "vgenst", *ONE, out, "--profile", "paper", "--out", bench, code=0)
    command("build", "vgenst", *ONE, out, "--profile", "paper", "--proposed", "--out", proposed, code=0)
    assert _clips_of(bench) == {(out / "clips" / f"{scene}--1.mp4").read_bytes()}
    questions = ct.open(bench).questions
    assert all("generated" in question.flags and "unpicked" not in question.flags for question in questions)
    assert guard("tests/square", None, RunSettings(), questions) is None
    assert {q.cluster for q in ct.open(proposed).questions if "unpicked" in q.flags} == {
        f"{one.lower().replace('--', '-')}-0" for one in rest
    }


class Counter(ChatService):
    """Counts one of each thing that it is asked about, and sees captions in the clips of a theme's things."""

    def __init__(self, captioned: str) -> None:
        super().__init__()
        self.captioned = captioned

    def answer(self, body: dict) -> tuple[int, dict]:
        text, pictures = read_parts(body)
        names = text.rpartition("Names: ")[2].split("; ")
        assert len(pictures) == 8 and all(picture.startswith(b"\xff\xd8") for picture in pictures)
        counts = [{"name": name, "count": 1} for name in names]
        return 200, completion(
            json.dumps({"counts": counts, "is_one_shot": True, "has_captions": self.captioned in names})
        )


@pytest.mark.slow
def test_a_judge_counts_what_clips_show_and_its_doubts_are_told(tmp_path: Path, drafts: Path, media: Media) -> None:
    graphs = {work.item: work.value for work in read_drafts(drafts, "graph") if work.task == "HO"}
    first = min(graphs)
    others = {thing["label"] for item in graphs if item != first for thing in graphs[item]["objects"]}
    captioned = next(thing["label"] for thing in graphs[first]["objects"] if thing["label"] not in others)
    out = tmp_path / "clips"
    with Counter(captioned) as judge:
        words = clips(drafts, media, out, "--task", "HO", "--judge", "endpoint/counter", "--judge-base-url", judge.url)
        told = command(*words, "--json", code=0).json
        asked = len(judge.bodies)
        passed = [one for one in told["candidates"] if all(check["passed"] for check in one["checks"])]
        shown = {(one["scene"], one["sha256"]) for one in passed}
        assert asked == len(shown) == 2, "equal clips are judged once, and those that fail another check never"
        command(*words, code=0)
        assert len(judge.bodies) == asked, "no clip is paid for twice"
    for candidate in passed:
        doubted = candidate["scene"] == first
        assert candidate["faults"] == (["words or captions"] if doubted else []), candidate
    assert {one["scene"] for one in passed} == set(graphs) and first not in told["proposed"]


def _clips_of(bench: Path) -> set[bytes]:
    return {path.read_bytes() for path in (bench / "clips").iterdir()}


def test_a_limit_stops_orders_and_a_larger_one_goes_on(tmp_path: Path, drafts: Path, media: Media) -> None:
    out = tmp_path / "clips"
    stopped = command(*clips(drafts, media, out, "--task", "CM", "--max-cost", 1.6, "--concurrency", 1))
    assert stopped.code == 1 and "--max-cost 1.6" in stopped.err
    ordered = len(media.bill())
    assert 2 < ordered < 6
    command(*clips(drafts, media, out, "--task", "CM", "--max-cost", 30), code=0)
    assert len(media.bill()) == 6
    words = ["generate", drafts, "--service", f"{media.description}:square", "--task", "CM", "--out", out]
    assert "clips of a job with another images" in refused(*words)


@pytest.mark.slow
@pytest.mark.parametrize("at", ["received", "accepted", "fetch"])
def test_a_killed_order_goes_on_and_the_bill_is_the_book(tmp_path: Path, drafts: Path, media: Media, at: str) -> None:
    out = tmp_path / "clips"
    words = [str(word) for word in clips(drafts, media, out, "--task", "CM", "--concurrency", 1)]
    process = subprocess.Popen([str(COMMAND), *words], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               env=os.environ | {KEY: "secret-of-tests"})  # fmt: skip
    kill_when(media.folder, {"pid": process.pid, "at": at, "after": 3})
    assert process.wait(60) == -signal.SIGKILL
    told = command(*words)
    unclear = [job for job in read_jobs(out / "clips") if job.state == "ambiguous"]
    assert told.code == (1 if unclear else 0) and len(unclear) == (at != "fetch")
    if unclear:
        assert f"--resubmit {unclear[0].token}" in told.err
        known = [line["id"] for line in media.bill() if line["token"] == unclear[0].token]
        choice = ["--adopt", f"{unclear[0].token}={known[0]}"] if known else ["--resubmit", unclear[0].token]
        command(*words, *choice, code=0)
    assert len(media.bill()) == 6 and len(list((out / "clips").glob("*.mp4"))) == 4


def test_services_and_controls_that_do_not_fit_are_told(tmp_path: Path, drafts: Path, media: Media) -> None:
    words = ["generate", drafts, "--out", tmp_path / "clips", "--dry-run"]
    assert "needs a first frame" in refused(
        *words, "--service", "atlascloud/bytedance/seedance-2.0-fast/image-to-video"
    )
    assert "has several models" in refused(*words, "--service", media.description)
    assert "needs drawn clips" in refused(*words, "--service", f"{media.description}:square", "--control", "depth")
    assert "no generation service" in refused(*words, "--service", "nobody/nothing")
    assert "no such file" in refused("generate", tmp_path / "nowhere", *words[2:], "--service", "google/veo")


@pytest.mark.slow
def test_a_restyled_clip_keeps_all_truth_or_is_marked(tmp_path: Path, media: Media) -> None:
    drawn, shown = tmp_path / "drawn", tmp_path / "shown"
    command("build", "vgenst", *ONE, "world:stage:1", "--task", "HO", "--quality", "fast", "--out", drawn, code=0)
    service = media.description
    command("generate", drawn, "--service", f"{service}:echo", "--control", "clip", "--candidates", 1, "--out", shown,
            code=0)  # fmt: skip
    command("build", "vgenst", *ONE, shown, "--proposed", "--out", tmp_path / "restyled", code=0)
    first, second = ct.open(drawn).questions, ct.open(tmp_path / "restyled").questions
    assert [_asked(q) for q in first] == [_asked(q) for q in second] and all("restyled" in q.flags for q in second)
    assert _clips_of(drawn) == _clips_of(tmp_path / "restyled")
    led = tmp_path / "led"
    words = ["generate", drawn, "--service", f"{service}:square", "--control", "first-frame", "--candidates", 1]
    command(*words, "--out", led, code=0)
    [anchor] = (led / "control").glob("*.png")
    [clip] = (drawn / "clips").iterdir()
    seen, drawn_first = read_picture(anchor), next(picture for _, picture in decode_frames(clip, [0]))
    assert seen.shape == drawn_first.shape and abs(seen.astype(int) - drawn_first.astype(int)).mean() < 6
    assert media.bill()[-1]["fields"]["image"].startswith("data:image/png;base64")
    lost = tmp_path / "lost"
    words = ["generate", drawn, "--service", f"{service}:square", "--control", "edges", "--candidates", 1]
    told = command(*words, "--out", lost, "--json", code=0).json
    [candidate] = told["candidates"]
    assert not told["proposed"] and candidate["faults"][0].startswith("truth: restyled, truth not kept")
    (lost / "picked.yaml").write_text(yaml.safe_dump({candidate["scene"]: 0}))
    command("build", "vgenst", *ONE, lost, "--out", tmp_path / "marked", code=0)
    assert all("truth_not_kept" in question.flags for question in ct.open(tmp_path / "marked").questions)


def _asked(question: Question) -> tuple[object, ...]:
    return question.stem, question.options, question.answer
