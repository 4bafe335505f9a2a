"""Benchmarks of manuals, built from the products of ``examples/manuals.py``: six tasks, exact frames, no numbers."""

import importlib.util
import io
import shutil
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import yaml
from PIL import Image

from chronotope.errors import InputError
from chronotope.families.ikea.protocol import plan_segment
from chronotope.make import BuildRequest, Built, build
from chronotope.media import FrameCache, encode_clip, probe
from chronotope.question import Question, open_benchmark, validate
from chronotope.recording import Procedure, Segment, Step, Take
from chronotope.recording.procedures import read_procedures, save_procedure
from small_sources import canonical_rows, chronotope

SCRIPT = Path(__file__).parents[2] / "examples" / "manuals.py"
SHELF, TABLE = "shelf-tall-shelf", "table-desk-with-drawer"
FOLDERS = {SHELF: "tall-shelf", TABLE: "desk-with-drawer"}
STEPS = 7


@pytest.fixture(scope="module")
def manuals(drawn_manuals: Path) -> Path:
    """What the script writes."""
    return drawn_manuals


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """The script itself, which can draw again what it filmed."""
    spec = importlib.util.spec_from_file_location("examples_manuals", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def built(manuals: Path, tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(BuildRequest("ikea", manuals, tmp_path_factory.mktemp("built") / "furniture"), workers=1)


@pytest.fixture(scope="module")
def questions(built: Built) -> list[Question]:
    return list(open_benchmark(built.folder).questions)


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def copied(manuals: Path, folder: Path) -> Path:
    shutil.copytree(manuals, folder)
    return folder


# What is there


def test_the_six_tasks_are_there_and_the_folder_is_whole(built: Built, questions: list[Question]) -> None:
    assert validate(built.folder, deep=True) == []
    assert {question.task for question in questions} == {"T1", "T2", "T3", "T4", "D1", "D2"}
    assert {question.cluster for question in questions} == {"Shelf/tall-shelf", "Table/desk-with-drawer"}
    assert built.failures == () and not any(built.notes.values())
    assert built.card.counts.clips == 4
    assert not list(built.folder.parent.glob(".furniture*"))
    polarities = Counter((q.task, q.tags["polarity"][0]) for q in questions if q.task in ("T2", "D1"))
    assert polarities["T2", "positive"] == polarities["T2", "negative"] > 0
    assert polarities["D1", "positive"] == polarities["D1", "negative"] > 0


def test_every_file_that_a_question_names_is_there_and_of_its_product(built: Built, questions: list[Question]) -> None:
    for question in questions:
        name = question.provenance["procedure"]
        named = [path for item in question.media for path in item.paths]
        named += [option.image for option in question.options if option.image]
        assert named
        for path in named:
            assert path.split("/")[:2] in (["images", name], ["clips", name]) and (built.folder / path).is_file()


def test_segments_are_those_that_the_manual_states(manuals: Path, built: Built, questions: list[Question]) -> None:
    stated: dict[tuple[str, str, int], tuple[float, float]] = {}
    for name, folder in FOLDERS.items():
        for take in yaml.safe_load((manuals / folder / "procedure.yaml").read_text())["takes"]:
            for one in take["segments"]:
                stated[name, take["id"], one["step"] - 1] = (one["start"], one["end"])
    seen = 0
    for question in questions:
        videos = [item for item in question.media if item.kind == "video"]
        for item, take, step in zip(
            videos, question.provenance.get("takes", ()), question.provenance["steps"], strict=False
        ):
            name = question.provenance["procedure"]
            assert item.paths == (f"clips/{name}/{take}.mp4",)
            assert (item.start, item.end) == stated[name, take, step]
            seen += 1
    assert seen > 50
    for name, folder in FOLDERS.items():
        for take in ("workshop", "kitchen"):
            clip = built.folder / "clips" / name / f"{take}.mp4"
            assert clip.read_bytes() == (manuals / folder / f"{take}.mp4").read_bytes()


@pytest.mark.parametrize("task", ["T1", "T4", "D1"])
def test_the_frames_of_a_question_show_its_step(
    script: ModuleType, built: Built, questions: list[Question], task: str
) -> None:
    """Each frame shown, against what the script drew at floor(t fps), and against every other step of the same take."""
    of_task = [question for question in questions if question.task == task]
    for question in (of_task[0], of_task[len(of_task) // 2], of_task[-1]):
        product = script.PRODUCTS[(SHELF, TABLE).index(question.provenance["procedure"])]
        videos = [item for item in question.media if item.kind == "video"]
        for item, name, step in zip(videos, question.provenance["takes"], question.provenance["steps"], strict=False):
            take = ("workshop", "kitchen").index(name)
            clip = built.folder / item.paths[0]
            plan = plan_segment(item, probe(clip))
            (encoded,) = FrameCache().frames(clip, [plan])
            assert len(encoded) == 4
            length = item.end - item.start
            times = [item.start + length * (0.1 + 0.8 * n / 3) for n in range(4)]
            for picture, time in zip(encoded, times, strict=True):
                shown = np.asarray(Image.open(io.BytesIO(picture.data)).convert("RGB"), float)
                number = int(np.floor(time * script.FPS + 1e-6)) - round(item.start * script.FPS)
                way = number / (round(script.STEP_S * script.FPS) - 1)
                drawn = [
                    script.frame(product, other, way, take, np.zeros((1, 1, 1), np.int16)).astype(float)
                    for other in range(STEPS)
                ]
                off = [np.abs(shown - one).mean() for one in drawn]
                assert int(np.argmin(off)) == step and off[step] < 4


# The pictures that are shown


@pytest.mark.parametrize("name", FOLDERS)
def test_printed_numbers_are_gone_and_nothing_else(manuals: Path, built: Built, name: str) -> None:
    """The script prints them in the upper left corner."""
    for step in range(STEPS):
        original = (manuals / FOLDERS[name] / f"step-{step + 1}.png").read_bytes()
        assert (built.folder / "procedures" / name / "diagrams" / f"step_{step}.png").read_bytes() == original
        before = np.asarray(Image.open(io.BytesIO(original)).convert("L"))
        after = np.asarray(Image.open(built.folder / "images" / name / f"step_{step}.png").convert("L"))
        assert (before[20:90, 20:100] < 100).sum() > 100
        assert (after[20:90, 20:100] > 250).all()
        changed = before != after
        changed[20:90, 20:100] = False
        assert not changed.any()


def test_numbers_stay_where_that_is_asked_for(manuals: Path, tmp_path: Path) -> None:
    options = {"clean": False}
    build(BuildRequest("ikea", manuals, tmp_path / "furniture", options=options), workers=1)
    for name, folder in FOLDERS.items():
        for step in range(STEPS):
            original = manuals / folder / f"step-{step + 1}.png"
            assert (tmp_path / "furniture" / "images" / name / f"step_{step}.png").read_bytes() == original.read_bytes()


# The same again


@pytest.mark.slow
def test_workers_and_the_order_of_a_folder_change_nothing(
    manuals: Path, built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two workers, in a copy whose folders are listed the other way round."""
    copy = copied(manuals, tmp_path / "manuals")
    straight = Path.iterdir
    monkeypatch.setattr(Path, "iterdir", lambda path: iter(sorted(straight(path), reverse=True)))
    again = build(BuildRequest("ikea", copy, tmp_path / "furniture"), workers=2)
    for table in ("questions.parquet", "media.parquet", "descriptions.parquet"):
        assert canonical_rows(again.folder / table) == canonical_rows(built.folder / table)
    assert again.card == built.card
    for folder in ("images", "procedures"):
        assert tree(again.folder / folder) == tree(built.folder / folder)


def test_another_seed_asks_otherwise(manuals: Path, questions: list[Question], tmp_path: Path) -> None:
    other = build(BuildRequest("ikea", manuals / "tall-shelf", tmp_path / "furniture", seed=1), workers=1)
    before = {question.id: question for question in questions}
    shared = [one for one in open_benchmark(other.folder).questions if one.id in before]
    assert len(shared) > 10 and any(one.options != before[one.id].options for one in shared)


def test_the_same_command_again_is_done_and_after_a_change_refused(manuals: Path, tmp_path: Path) -> None:
    copy = copied(manuals, tmp_path / "manuals")
    request = BuildRequest("ikea", copy / "tall-shelf", tmp_path / "furniture")
    build(request, workers=1)
    assert build(request, workers=1).already_there
    document = copy / "tall-shelf" / "procedure.yaml"
    document.write_text(document.read_text().replace("start: 0.0", "start: 0.5"))
    with pytest.raises(InputError, match=r"the files or the code of .* have changed since"):
        build(request, workers=1)


def test_what_a_benchmark_keeps_is_a_source(manuals: Path, built: Built, tmp_path: Path) -> None:
    """Its procedures tell what the manuals told, and the same is built from them."""
    originals, kept = read_procedures(manuals), read_procedures(built.folder / "procedures")
    assert kept.notes == kept.failures == ()
    by_id = {procedure.id: procedure for procedure in originals.procedures}
    assert [p.id for p in kept.procedures] == [SHELF, TABLE]
    for procedure in kept.procedures:
        original = by_id[procedure.id]
        assert [(s.number, s.parts, s.connections, s.description) for s in procedure.steps] == [
            (s.number, s.parts, s.connections, s.description) for s in original.steps
        ]
        assert [(t.id, t.segments) for t in procedure.takes] == [(t.id, t.segments) for t in original.takes]
        assert procedure.licence == original.licence == "CC0-1.0"
        files = [s.diagram for s in procedure.steps] + [t.clip for t in procedure.takes]
        assert all(file.is_relative_to(built.folder) for file in files)
    again = build(BuildRequest("ikea", built.folder / "procedures", tmp_path / "again"), workers=1)
    assert canonical_rows(again.folder / "questions.parquet") == canonical_rows(built.folder / "questions.parquet")


def test_profile_paper_is_built(manuals: Path, tmp_path: Path) -> None:
    made = build(BuildRequest("ikea", manuals, tmp_path / "furniture", profile="paper"), workers=1)
    assert validate(made.folder, deep=True) == []
    questions = open_benchmark(made.folder).questions
    assert {question.task for question in questions} == {"T1", "T2", "T3", "T4", "D1", "D2"}
    assert {question.cluster for question in questions} == {"tall-shelf", "desk-with-drawer"}
    # Published rule: one D2 for each window of three steps.
    assert Counter(q.cluster for q in questions if q.task == "D2") == dict.fromkeys(FOLDERS.values(), STEPS - 2)


# What cannot be used


@pytest.mark.parametrize(
    ("missing", "said"),
    [("kitchen.mp4", "take 'kitchen': the clip 'kitchen.mp4'"), ("step-3.png", "step 3: the diagram 'step-3.png'")],
)
def test_a_missing_file_is_a_sentence_and_the_other_product_is_built(
    manuals: Path, tmp_path: Path, missing: str, said: str
) -> None:
    copy = copied(manuals, tmp_path / "manuals")
    (copy / "tall-shelf" / missing).unlink()
    words = ("build", "ikea", "manuals", "--out", "furniture")
    told = chronotope(*words, cwd=tmp_path)
    sentence = " ".join((told.stdout + told.stderr).split())
    assert told.returncode == 2 and "Traceback" not in sentence
    assert f"product 'tall-shelf', {said}" in sentence and "tall-shelf/procedure.yaml" in sentence
    assert not (tmp_path / "furniture").exists() and not list(tmp_path.glob(".furniture*"))
    made = build(BuildRequest("ikea", copy, tmp_path / "furniture"), workers=1, keep_going=True)
    assert {q.cluster for q in open_benchmark(made.folder).questions} == {"Table/desk-with-drawer"}
    (failure,) = made.failures
    assert failure.source == "tall-shelf" and said in failure.reason
    assert not (made.folder / "procedures" / SHELF).exists()


def test_a_diagram_that_disappears_meanwhile_is_told_and_the_other_product_is_built(
    manuals: Path, tmp_path: Path
) -> None:
    copy = copied(manuals, tmp_path / "copy")
    diagrams = sorted(copy.rglob("*.png"))
    made = build(
        BuildRequest("ikea", copy, tmp_path / "furniture"),
        workers=1,
        keep_going=True,
        progress=lambda *_: diagrams[-1].unlink(missing_ok=True),
    )
    [failure] = made.failures
    assert str(diagrams[-1]) in failure.reason
    assert {question.cluster for question in made.benchmark.questions} == {"Table/desk-with-drawer"}


def test_a_source_in_which_nothing_can_be_used_is_refused(manuals: Path, tmp_path: Path) -> None:
    copy = copied(manuals / "tall-shelf", tmp_path / "tall-shelf")
    (copy / "workshop.mp4").write_bytes(b"")
    with pytest.raises(InputError, match=r"'tall-shelf', take 'workshop'.*workshop\.mp4"):
        build(BuildRequest("ikea", copy, tmp_path / "furniture"), workers=1, keep_going=True)
    assert [path.name for path in tmp_path.iterdir()] == ["tall-shelf"]


def test_two_manuals_of_one_name_are_refused(manuals: Path, tmp_path: Path) -> None:
    for name in ("a", "b"):
        copied(manuals / "tall-shelf", tmp_path / "manuals" / name)
    with pytest.raises(InputError, match="two procedures have the name 'shelf-tall-shelf'"):
        build(BuildRequest("ikea", tmp_path / "manuals", tmp_path / "furniture"), workers=1)


def test_clips_whose_names_could_be_confused_keep_apart_and_originals_stay(tmp_path: Path) -> None:
    """Manual "a" with take "b-c" and manual "a-b" with take "c"; a benchmark's clips are links to the originals."""
    clips: dict[str, bytes] = {}
    for seed, (name, take) in enumerate((("a", "b-c"), ("a-b", "c"))):
        folder = tmp_path / "manuals" / name
        folder.mkdir(parents=True)
        random = np.random.default_rng(seed)
        for step in range(4):
            pixels = np.full((120, 120), 255, np.uint8)
            for x, y in random.integers(30, 100, (6, 2)):
                pixels[y : y + 14, x : x + 3] = 0
            Image.fromarray(pixels).save(folder / f"{step}.png")
        clip = folder / "clip.mp4"
        encode_clip([np.full((32, 32, 3), 100 * seed + 2 * n, np.uint8) for n in range(40)], clip, 10)
        clips[f"{name}/{take}"] = clip.read_bytes()
        steps = tuple(Step(n, folder / f"{n}.png", folder / f"{n}.png") for n in range(4))
        segments = tuple(Segment(n, float(n), n + 1.0) for n in range(4))
        save_procedure(Procedure(name, name, "", "plain", steps, (Take(take, clip, segments),)), folder)
    made = build(BuildRequest("ikea", tmp_path / "manuals", tmp_path / "furniture"), workers=1)
    assert len(set(clips.values())) == 2
    for place, content in clips.items():
        assert (made.folder / "clips" / f"{place}.mp4").read_bytes() == content
        assert (tmp_path / "manuals" / place.split("/")[0] / "clip.mp4").read_bytes() == content
    assert validate(made.folder, deep=True) == []


# What is said of the diagrams, and steps that are missing


def with_document(manuals: Path, folder: Path, change) -> Path:
    """The shelf alone, its procedure.yaml changed."""
    shutil.copytree(manuals / "tall-shelf", folder)
    document = yaml.safe_load((folder / "procedure.yaml").read_text())
    change(document)
    (folder / "procedure.yaml").write_text(yaml.safe_dump(document))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("suffix", [".jfif", ".ppm"])
def test_diagrams_may_be_pictures_of_rarer_suffixes(manuals: Path, tmp_path: Path, suffix: str) -> None:
    shelf = with_document(
        manuals,
        tmp_path / "shelf",
        lambda document: [step.update(diagram=f"step-{n}{suffix}") for n, step in enumerate(document["steps"], 1)],
    )
    for path in shelf.glob("step-*.png"):
        with Image.open(path) as picture:
            picture.convert("RGB").save(path.with_suffix(suffix), "PPM" if suffix == ".ppm" else "JPEG")
        path.unlink()
    assert validate(build(BuildRequest("ikea", shelf, tmp_path / "bench"), workers=1).folder, deep=True) == []


def test_texts_that_tell_the_order_are_rewritten(manuals: Path, tmp_path: Path) -> None:
    def change(document) -> None:
        document["steps"][3]["description"] = {"action": "A rail as in step 3.", "result": "The shelf stands."}

    made = build(
        BuildRequest("ikea", with_document(manuals, tmp_path / "shelf", change), tmp_path / "bench"), workers=1
    )
    said = {one.dimension: one for one in open_benchmark(made.folder).descriptions if "step_3" in one.image}
    assert said["action"].original == "A rail as in step 3." and "3" not in said["action"].text
    assert said["result"].original is None
    assert any("rewritten" in note for notes in made.notes.values() for note in notes)


def test_a_dimension_that_there_is_not_is_told(manuals: Path, tmp_path: Path) -> None:
    def change(document) -> None:
        document["steps"][0]["description"] = {"acton": "A rail."}

    source = with_document(manuals, tmp_path / "shelf", change)
    with pytest.raises(
        InputError, match=r"'tall-shelf', step 1: the description has the unknown field 'acton': expected only parts"
    ):
        build(BuildRequest("ikea", source, tmp_path / "bench"), workers=1)


def test_no_step_is_asked_for_that_follows_a_gap(manuals: Path, tmp_path: Path) -> None:
    """Without its step 5, the manual does not tell what comes after step 4; ``paper`` asks all the same."""

    def change(document) -> None:
        for number, step in enumerate(document["steps"], 1):
            step["number"] = number
        del document["steps"][4]
        for take in document["takes"]:
            take["segments"] = [one for one in take["segments"] if one["step"] != 5]

    source = with_document(manuals, tmp_path / "shelf", change)
    asked = {}
    for profile in ("strict", "paper"):
        options = {"allow_short_options": True}
        made = build(BuildRequest("ikea", source, tmp_path / profile, profile=profile, options=options), workers=1)
        questions = open_benchmark(made.folder).questions
        asked[profile] = {q.provenance["steps"][0] for q in questions if q.task == "T4"}
    assert 3 in asked["paper"] and asked["strict"] and 3 not in asked["strict"]


def test_show_writes_the_segment_and_the_options(built: Built, questions: list[Question], tmp_path: Path) -> None:
    question = next(one for one in questions if one.task == "T1" and one.media[0].start > 5)
    chronotope("show", built.folder, "--question", question.id, "--out", tmp_path, "--json")
    names = sorted(path.name for path in tmp_path.iterdir())
    times = [float(name.rpartition("-")[2].removesuffix("s.jpg")) for name in names if not name.startswith("option")]
    assert [name for name in names if name.startswith("option")] == [f"option-{letter}.jpg" for letter in "ABCD"]
    assert len(times) == 8
    assert min(times) >= question.media[0].start - 0.11 and max(times) <= question.media[0].end + 0.11
