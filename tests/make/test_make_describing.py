"""Things described by a service over HTTP: of a release in the authors' form, killed and rerun, and of a built home."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from describing_service import Painter, made_foreign, stage_of
from typer.testing import CliRunner

import m3_truth_files
from chronotope.cli.app import app
from chronotope.io import sha256_file
from chronotope.ledger import read_ledger
from chronotope.make import import_release
from chronotope.media import encode_clip
from chronotope.models import structured
from chronotope.recording import Recording, load_recording, read_identities, save_recording
from chronotope.world import world_kinds
from chronotope.world.film import film
from chronotope.world.kinds.house.house import lay_house
from chronotope.world.things.colours import COLOURS
from m3_released import row, write_rows
from m3_truth_files import FRIDGE, LAMP, MUG, TABLE

PALETTE = {"red": MUG.colour, "brown": TABLE.colour, "grey": FRIDGE.colour, "yellow": LAMP.colour}
PALETTE |= {"green": (40, 150, 60), "blue": (50, 70, 210), "white": (250, 250, 250)}
TRUTH = {MUG.id: "red", TABLE.id: "brown", FRIDGE.id: "grey", LAMP.id: "yellow"}
ELSEWHERE = {MUG.id: "red", TABLE.id: "green", FRIDGE.id: "blue", LAMP.id: "white"}  # the mug is the same asset
LARGER = 3
LARGE = 0.001  # of a frame; the colour of smaller things is blurred by the video
ALL_CALLS = 35 + 7 + 4 + 4  # views, looks, comparisons, functions of types
ALL = [TRUTH, TRUTH, ELSEWHERE, ELSEWHERE]
NAMES = [f"scene_{scene}-state_{state}" for scene in range(2) for state in range(2)]


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of two scenes in the authors' form, imported with its ground truth."""
    folder = tmp_path_factory.mktemp("foreign")
    with pytest.MonkeyPatch.context() as patch:  # as large as a thing must be for its colour to outlast the video
        for name in ("WIDTH", "HEIGHT", "FOCAL"):
            patch.setattr(m3_truth_files, name, LARGER * getattr(m3_truth_files, name))
        for scene, names in enumerate((TRUTH, ELSEWHERE)):
            for things in ("THINGS", "MOVED"):
                own = getattr(m3_truth_files, things)
                patch.setattr(m3_truth_files, things, tuple(replace(one, colour=PALETTE[names[one.id]]) for one in own))
            m3_truth_files.write_scene(folder / "release" / f"scene_{scene}")
    write_rows(folder / "release" / "QAs" / "M^3-Verse.jsonl", [row(k, scene=f"scene_{k}") for k in range(2)])
    import_release("m3", folder / "release", folder / "bench")
    return folder / "bench"


@pytest.fixture
def service() -> Iterator[Painter]:
    with Painter(PALETTE) as started:
        yield started


class Told:
    """What came of the command: exit code, standard output, standard error."""

    def __init__(self, *words: object) -> None:
        result = CliRunner().invoke(app, ["describe", *map(str, words)])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        self.code, self.out, self.err = result.exit_code, result.stdout, " ".join(result.stderr.split())


def at(service: Painter) -> list[str]:
    return ["--model", "endpoint/seer", "--base-url", service.url]


def recordings(folder: Path, names: list[str] = NAMES) -> list[Recording]:
    return [load_recording(folder / "recordings" / name) for name in names]


def colours(folder: Path) -> list[dict[str, str | None]]:
    return [{one.id: one.attributes.get("colour") for one in made.entities} for made in recordings(folder)]


def test_things_of_a_release_get_the_colours_that_their_pictures_show(
    foreign: Path, service: Painter, tmp_path: Path
) -> None:
    before = {path: sha256_file(path) for path in foreign.rglob("*") if path.is_file()}
    out = tmp_path / "out"
    dry = Told(foreign, *at(service), "--out", out, "--price", "1,2", "--dry-run", "--json")
    assert dry.code == 0 and not out.exists() and not service.bodies
    told = Told(foreign, *at(service), "--out", out, "--price", "1,2", "--json")
    assert told.code == 0, told.err
    foreseen, result = json.loads(dry.out), json.loads(told.out)
    # The mugs of both scenes are one asset; two texts of one view are equal here, so that nothing is joined.
    assert foreseen["subjects"] == result["subjects"] == 7 and foreseen["views"] == 35
    assert service.stages == {"describe": 35, "look": 7, "compare": 4, "function": 4}
    assert foreseen["calls"] == 35 + 7 + 7 + 4 + 4
    assert result["asked"] == ALL_CALLS and result["money"] == pytest.approx(ALL_CALLS * (200 * 1 + 20 * 2) / 1e6)
    assert foreseen["money"] > result["money"] and result["known"] == {"colour": 7, "shape": 7}
    assert colours(out) == ALL
    assert {path: sha256_file(path) for path in foreign.rglob("*") if path.is_file()} == before
    for old, new in zip(recordings(foreign), recordings(out), strict=True):
        things = new.provenance["described"]["things"]
        for one, other in zip(old.entities, new.entities, strict=True):
            added = {"colour": ALL[NAMES.index(new.id)][one.id], "shape": "rectangular", "function": "used at home"}
            added["described"] = "colour, function, shape"
            assert other.attributes == one.attributes | added and other.changes == one.changes
            assert things[one.id]["attributes"] == ["colour", "function", "shape"] and len(things[one.id]["views"]) == 5
        assert new.provenance["described"]["model"] == "endpoint/seer"
        assert new.clip is not None and sha256_file(new.clip.path) == new.clip.sha256
        assert [
            read_identities(out / "recordings" / new.id / name).shape for name in filter(None, new.identities or ())
        ]
    record = json.loads((out / "object_attributes.json").read_text())
    assert record["Mug_3"]["color"] == record["Mug_3"]["second_look"]["colour"] == "red"
    assert set(json.loads((out / "object_descriptions.json").read_text())) == set(record)
    assert (out / "changes.jsonl").read_bytes() == (foreign / "changes.jsonl").read_bytes()
    again = Told(foreign, *at(service), "--out", out, "--json")
    assert again.code == 0 and json.loads(again.out)["asked"] == 0 and len(service.bodies) == ALL_CALLS
    built = CliRunner().invoke(app, ["build", "m3", str(out / "recordings"), "--out", str(tmp_path / "bench")])
    assert built.exit_code == 0, built.output


def test_each_type_gets_its_function_and_folders_of_earlier_versions_are_read_on(
    foreign: Path, service: Painter, tmp_path: Path
) -> None:
    service.functions = {"a mug": "Used to drink from.", "a fridge": "used to keep all the food cold"}
    out = tmp_path / "out"
    words = [foreign, *at(service), "--out", out]
    told = Told(*words)
    # The words about the fridge are too long, so they are asked for three times.
    assert told.code == 1 and service.stages["function"] == 3 + 3 and "3 types have a function" in told.out
    record = json.loads((out / "object_attributes.json").read_text())
    assert record["Mug_3"]["function"] == "used to drink from"
    expected = {MUG.id: "used to drink from", FRIDGE.id: None, TABLE.id: "used at home", LAMP.id: "used at home"}
    for made in recordings(out):
        assert {one.id: one.attributes.get("function") for one in made.entities} == expected
    # A folder as an earlier version left it: no calls about functions, and none in the record.
    lines = (out / "ledger.jsonl").read_text().splitlines(keepends=True)
    (out / "ledger.jsonl").write_text("".join(line for line in lines if "--function" not in line))
    for one in record.values():
        del one["function"]
    (out / "object_attributes.json").write_text(json.dumps(record))
    service.functions["a fridge"] = "used to keep food cold"
    service.bodies.clear()
    assert Told(*words).code == 0 and service.stages == {"function": 4}
    again = json.loads((out / "object_attributes.json").read_text())
    assert {one["object_category"]: one["function"] for one in again.values()}["fridge"] == "used to keep food cold"
    assert again["Mug_3"] == record["Mug_3"] | {"function": "used to drink from"}


def test_sent_fields_are_those_of_the_authors_and_can_be_replaced(
    foreign: Path, service: Painter, tmp_path: Path
) -> None:
    assert Told(foreign / "recordings" / NAMES[0], *at(service), "--out", tmp_path / "a").code == 0
    sent = {(stage_of(one), one["temperature"], one["top_p"], one["max_tokens"]) for one in service.bodies}
    limits = {"describe": 512, "look": 512, "compare": 2048, "join": 1024, "function": 50}
    assert sent == {(stage, 0.1, 0.3, limits[stage]) for stage in service.stages}
    service.bodies.clear()
    words = ["--set", "temperature=null", "--set", "max_completion_tokens=900"]
    assert Told(foreign / "recordings" / NAMES[0], *at(service), *words, "--out", tmp_path / "b").code == 0
    assert all("temperature" not in one and "max_tokens" not in one for one in service.bodies)
    assert {one["max_completion_tokens"] for one in service.bodies} == {900}


def test_known_attributes_stay_and_passes_that_disagree_leave_attributes_unknown(
    foreign: Path, service: Painter, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(foreign, copy)
    shutil.copyfile(copy / "changes.jsonl", copy / "recordings" / "changes.jsonl")  # the same changes are listed twice
    for name, made in zip(NAMES, recordings(copy), strict=True):
        entities = tuple(
            replace(one, attributes=one.attributes | {"colour": "purple"}) if one.id == FRIDGE.id else one
            for one in made.entities
        )
        simulated = {"provenance": {"world": "house"}} if name == NAMES[3] else {}
        save_recording(replace(made, entities=entities, **simulated), copy / "recordings" / name)
    service.lies["look"] = "red"
    told = Told(copy, *at(service), "--out", tmp_path / "out")
    assert told.code == 0 and f"{NAMES[3]}: is simulated" in told.err
    expected = {MUG.id: "red", FRIDGE.id: "purple", TABLE.id: None, LAMP.id: None}
    assert colours(tmp_path / "out") == [expected] * 3 + [dict.fromkeys(TRUTH) | {FRIDGE.id: "purple"}]
    for made in recordings(tmp_path / "out")[:3]:
        marks = {one.id: one.attributes["described"] for one in made.entities}
        assert marks == dict.fromkeys(TRUTH, "function, shape") | {MUG.id: "colour, function, shape"}
    assert (tmp_path / "out" / "changes.jsonl").read_bytes() == (copy / "changes.jsonl").read_bytes()
    old, new = load_recording(copy / "recordings" / NAMES[3]), recordings(tmp_path / "out")[3]
    assert [one.attributes for one in old.entities] == [one.attributes for one in new.entities]


@pytest.mark.parametrize("stage", ["describe", "look", "compare"])
def test_a_reply_that_cannot_be_read_is_asked_for_three_times_and_leaves_the_attributes_unknown(
    foreign: Path, service: Painter, tmp_path: Path, stage: str
) -> None:
    words = [foreign / "recordings" / NAMES[0], *at(service), "--out", tmp_path / "out"]
    service.unread = {stage}
    told = Told(*words)
    calls = {"describe": 4 * 5, "look": 4, "compare": 4}[stage]
    assert told.code == 1 and f"{calls} calls got no readable reply" in told.err
    assert service.stages[stage] == 3 * calls
    made = recordings(tmp_path / "out", NAMES[:1])[0]
    assert all(not {"colour", "shape"} & one.attributes.keys() for one in made.entities)
    assert {one.attributes["described"] for one in made.entities} == {"function"}
    others = len(service.bodies) - 3 * calls
    service.unread = set()
    service.bodies.clear()
    assert Told(*words).code == 0
    assert service.stages[stage] == calls and sum(service.stages.values()) <= calls + 4 and others > 0
    [made] = recordings(tmp_path / "out", NAMES[:1])
    assert {one.id: one.attributes["colour"] for one in made.entities} == TRUTH


def test_replies_are_kept_if_none_can_be_read(foreign: Path, service: Painter, tmp_path: Path) -> None:
    service.unread = {"describe", "look", "compare", "function"}
    told = Told(foreign / "recordings" / NAMES[0], *at(service), "--out", tmp_path / "out")
    assert told.code == 1 and len(read_ledger(tmp_path / "out" / "ledger.jsonl")) == len(service.bodies) > 0


def test_equal_calls_at_the_same_time_are_made_once(foreign: Path, service: Painter, tmp_path: Path) -> None:
    """Two scenes with equal pictures, whose things belong to no common asset."""
    for scene in "ab":
        folder = tmp_path / "twins" / scene
        shutil.copytree(foreign / "recordings" / NAMES[0], folder)
        made = load_recording(foreign / "recordings" / NAMES[0])
        entities = tuple(
            replace(one, attributes={key: value for key, value in one.attributes.items() if key != "assetId"})
            for one in made.entities
        )
        save_recording(replace(made, id=scene, scene=scene, entities=entities), folder)
    service.pause = 0.05
    words = [tmp_path / "twins", *at(service), "--out", tmp_path / "out"]
    foreseen = json.loads(Told(*words, "--dry-run", "--json").out)
    assert Told(*words).code == 0
    assert max(service.prompts.values()) == 1
    # Two equal things are compared, which dry runs cannot know to be one call with longer texts.
    assert service.stages["describe"] == 20 and service.stages["look"] == 4
    assert foreseen["subjects"] == 8 and foreseen["calls"] >= len(service.bodies)


@pytest.mark.parametrize(("status", "answered"), [(503, 0), (503, 9), (401, 0), (401, 9)])
def test_a_service_that_fails_stops_the_work_and_the_same_command_continues(
    foreign: Path, service: Painter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, answered: int
) -> None:
    monkeypatch.setattr(structured, "BACKOFF", 0.001)
    out = tmp_path / "out"
    words = [foreign, *at(service), "--out", out, "--concurrency", "2", "--timeout", "2", "--wait", "0"]
    service.failing = (answered, status)
    told = Told(*words)
    assert told.code == (1 if status == 503 else 2), told.err
    assert ("the same command continues" in told.err) == (status == 503) and str(status) in told.err
    assert service.stages["compare"] == 0, "comparisons need all texts"
    assert out.exists() == bool(answered) and not (out / "recordings").exists()
    service.failing = None
    sent = len(service.bodies)
    assert Told(*words).code == 0
    assert 0 <= len(service.bodies) - sent - (ALL_CALLS - answered) <= 1, "at most the other call in flight is repeated"
    assert colours(out) == ALL


def test_a_budget_stops_the_calls_and_a_larger_one_continues_them(
    foreign: Path, service: Painter, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    words = [foreign, *at(service), "--out", out, "--price", "10,10", "--concurrency", "2", "--json"]
    short = Told(*words, "--max-cost", "0.05")
    assert short.code == 1 and "--max-cost 0.05" in short.err and "continues" in short.err
    made, result = len(service.bodies), json.loads(short.out)
    assert 0 < made < ALL_CALLS and result["money"] <= 0.05 and result["stopped"]
    assert not (out / "recordings").exists() and not (out / "object_attributes.json").exists()
    assert Told(*words, "--max-cost", "5").code == 0
    assert len(service.bodies) == ALL_CALLS and max(service.prompts.values()) == 1


def test_wrong_use_is_one_sentence(foreign: Path, service: Painter, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    (tmp_path / "empty").mkdir()
    one = foreign / "recordings" / NAMES[0]
    bare = tmp_path / "bare"
    save_recording(replace(load_recording(one), identities=None), bare)
    simulated = tmp_path / "simulated"
    save_recording(replace(load_recording(one), provenance={"world": "house"}), simulated)
    cases: list[tuple[Any, list[str], str]] = [
        (foreign, ["--out", str(other)], "exists already and is not a folder of descriptions: choose another --out"),
        (foreign, ["--out", str(foreign)], "exists already and is not a folder of descriptions: choose another --out"),
        (tmp_path / "none", ["--out", str(tmp_path / "x")], "no such file or folder"),
        (tmp_path / "empty", ["--out", str(tmp_path / "x")], "no source of a known format"),
        (bare, ["--out", str(tmp_path / "x")], "no recording has a clip and identity maps"),
        (simulated, ["--out", str(tmp_path / "x")], "all recordings are simulated"),
        (foreign, ["--out", str(tmp_path / "x"), "--price", "2"], "--price: expected IN,OUT"),
        (foreign, ["--out", str(tmp_path / "x"), "--max-cost", "0"], "--max-cost"),
    ]
    for source, words, sentence in cases:
        told = Told(source, *at(service), *words)
        assert told.code == 2 and told.out == "" and sentence in told.err, (sentence, told.err)
    told = Told(foreign, "--model", "baseline/random", "--out", tmp_path / "x")
    assert told.code == 2 and "baseline/random only chooses options: choose a model that writes text" in told.err
    assert not service.bodies and not (tmp_path / "x").exists()
    assert Told(one, *at(service), "--out", tmp_path / "out").code == 0
    told = Told(one, "--model", "endpoint/other", "--base-url", service.url, "--out", tmp_path / "out")
    assert told.code == 2 and "has descriptions by endpoint/seer: choose another --out" in told.err
    told = Told(foreign / "recordings" / NAMES[1], *at(service), "--out", tmp_path / "out")
    assert told.code == 2 and f"has descriptions of {NAMES[0]}: choose another --out" in told.err


def test_a_command_that_is_killed_again_and_again_pays_nothing_twice(
    foreign: Path, service: Painter, tmp_path: Path
) -> None:
    """SIGKILL after every few answers: only the call in flight can be made again."""
    service.pause, out = 0.02, tmp_path / "out"
    command = [sys.executable, "-m", "chronotope.cli", "describe", str(foreign), "--out", str(out)]
    command += [*at(service), "--concurrency", "1"]
    kills = 0
    while True:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if kills < 4:
            service.end_at(process.pid, 8)
        _, said = process.communicate(timeout=120)
        if process.returncode != -signal.SIGKILL:
            break
        kills += 1
        assert not (out / "object_attributes.json").exists()
    assert process.returncode == 0, said
    lines = [line for line in read_ledger(out / "ledger.jsonl") if line.state == "replied"]
    assert len(lines) == len({line.key for line in lines}) == ALL_CALLS and {line.kind for line in lines} >= {
        "describe"
    }
    assert kills >= 2 and len(service.bodies) <= ALL_CALLS + kills and colours(out) == ALL
    with Painter(PALETTE) as calm:
        assert Told(foreign, *at(calm), "--out", tmp_path / "calm").code == 0
    for name in ("object_attributes.json", "object_descriptions.json"):
        assert (out / name).read_bytes() == (tmp_path / "calm" / name).read_bytes()


@pytest.mark.slow
def test_a_command_that_is_killed_at_any_time_pays_nothing_twice(
    foreign: Path, service: Painter, tmp_path: Path
) -> None:
    """While it starts, while several calls are in flight, and while it writes."""
    service.pause, out, random = 0.1, tmp_path / "out", Random(2)
    command = [sys.executable, "-m", "chronotope.cli", "describe", str(foreign), "--out", str(out)]
    command += [*at(service), "--concurrency", "4"]
    ledger, kept, kills = out / "ledger.jsonl", set[str](), 0
    while kills < 5:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        began = len(service.bodies)
        while process.poll() is None and len(service.bodies) == began and kills > 1:
            time.sleep(0.005)  # two kills come before the first call
        time.sleep(random.uniform(0, 0.6))
        process.kill()
        process.communicate()
        kills += 1
        now = {line.key for line in read_ledger(ledger) if line.state == "replied"} if ledger.exists() else set()
        assert now >= kept, "what was recorded stays"
        kept = now
        if len(kept) == ALL_CALLS:
            break
    told = Told(foreign, *at(service), "--out", out)
    assert told.code == 0, told.err
    lines = [line for line in read_ledger(ledger) if line.state == "replied"]
    assert len(lines) == len({line.key for line in lines}) == ALL_CALLS and colours(out) == ALL
    assert len(service.bodies) <= ALL_CALLS + 4 * kills and max(service.prompts.values()) <= 1 + kills
    assert not [path for path in out.rglob(".*") if path.name != ".lock"]


def painted(recording: Recording, folder: Path, palette: dict[str, tuple[int, ...]]) -> Recording:
    """The recording with a clip in which every thing has its plain colour, or violet grey if it has none."""
    plain = [palette.get(one.attributes.get("colour", ""), (150, 140, 170)) for one in recording.entities]
    paint = np.array([(90, 100, 90), *plain], np.uint8)
    maps = [read_identities(folder / name) for name in recording.identities or () if name is not None]
    clip = recording.clip
    assert clip is not None
    target = folder / "painted.mp4"
    facts = encode_clip((paint[one] for one in maps), target, clip.fps)
    return replace(recording, clip=replace(clip, path=target, sha256=facts.sha256))


@pytest.mark.usefixtures("drawable")
def test_described_colours_of_a_built_home_are_those_by_construction(tmp_path: Path) -> None:
    """Where the pixels of a thing have the colour that it was built with, and the service names what it sees."""
    quality = replace(world_kinds()["house"].qualities["fast"], width=256, height=256)
    # Without grey: what has no colour is painted in a violet grey, which no other word is near to.
    palette = {name: tuple(round(255 * part) for part in of) for name, of in COLOURS.items() if name != "grey"}
    generator = np.random.default_rng(8)
    truth: dict[str, dict[str, str]] = {}
    for shot in lay_house(generator, quality, 1).states:
        name = f"home-{shot.state}"
        folder = tmp_path / "home" / name
        made = film(shot, "home", "house", generator, quality, tmp_path / "film")
        shutil.copytree(tmp_path / "film" / "recordings" / name, folder)
        stripped, truth[name] = made_foreign(painted(made, folder, palette))
        save_recording(replace(stripped, scene="home", state=shot.state), folder)
    with Painter(palette) as service:
        told = Told(tmp_path / "home", *at(service), "--out", tmp_path / "out")
    assert told.code == 0, told.err
    record = json.loads((tmp_path / "out" / "object_attributes.json").read_text())
    right = large = 0
    for made in recordings(tmp_path / "out", list(truth)):
        for one in made.entities:
            said, true = one.attributes.get("colour"), truth[made.id].get(one.id)
            assert said in (None, true), "nothing gets another colour"
            views = record.get(f"home/{one.id}", {"views": []})["views"]
            if views and min(view["share"] for view in views) > LARGE:
                assert said == true, one.id
                right, large = right + (true is not None), large + 1
    assert right >= 14 and large > right, (right, large)
