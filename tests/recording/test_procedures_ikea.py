"""IKEA Manuals at Work: what is understood of the real files, and one sentence for all that annotations can do."""

import hashlib
import json
import os
import shutil
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from recording_truth import anywhere

from chronotope.errors import InputError
from chronotope.media import encode_clip
from chronotope.recording import Procedure, Segment, Take
from chronotope.recording.procedures import ReadProcedures, load_procedure, read_procedures, save_procedure

FPS = 10
PUBLISHED_LACKS = {
    ("Bench/tjusig", 4),
    ("Chair/ingolf", 1),
    ("Chair/stig", 0),
    ("Chair/teodores", 6),
    ("Table/vittsjo_2", 4),
}
PUBLISHED_DIFFERS = {
    *(("Desk/pahl", step) for step in range(3)),
    *(("Chair/stefan", step) for step in range(3)),
    *(("Chair/marius", step) for step in range(2)),
    ("Chair/sundvik", 3),
    ("Chair/ingolf", 0),
    ("Chair/ingolf", 2),
    ("Chair/leifarne", 0),
}
# Files whose names stand for another number than the one that is printed, as seen on the pictures.
MISNAMED = {
    "Chair/ingolf/0": ("step_1.png", 3),
    "Chair/leifarne/0": ("step-6.png", 2),
    "Chair/marius/0": ("step_1.png", 1),
    "Chair/marius/1": ("step_2.png", 2),
}


def key(procedure: Procedure) -> str:
    return f"{procedure.category}/{procedure.product}"


def diagrams(read: ReadProcedures, which: str) -> dict[tuple[str, int], Path]:
    found = ((key(p), s.number, getattr(s, which)) for p in read.procedures for s in p.steps)
    return {(product, number): path for product, number, path in found if path is not None}


# The real files


@pytest.fixture(scope="module")
def real() -> Path:
    folder = os.environ.get("CHRONOTOPE_TEST_DATA")
    if not folder:
        pytest.skip("CHRONOTOPE_TEST_DATA is not set: it names the folder of real data")
    return Path(folder) / "ikea-manuals-at-work"


@pytest.fixture(scope="module")
def union(real: Path) -> ReadProcedures:
    return read_procedures(real)


def test_both_copies_of_the_real_diagrams_are_told_apart(test_data: Path, union: ReadProcedures, real: Path) -> None:
    assert len(union.procedures) == 36 and union.failures == ()
    assert sum(len(p.steps) for p in union.procedures) == 139
    assert len({p.id for p in union.procedures}) == 36
    best, published = diagrams(union, "diagram"), diagrams(union, "published_diagram")
    assert (len(best), len(published)) == (138, 133)
    own = {place for place, path in best.items() if path.is_relative_to(real / "manual_img")}
    assert len(own) == 137 and best.keys() - own == {("Chair/teodores", 5)}
    assert best.keys() - published.keys() == PUBLISHED_LACKS and not published.keys() - best.keys()
    assert {place for place in published if published[place] != best[place]} == PUBLISHED_DIFFERS
    blank = [place for place, path in published.items() if np.asarray(Image.open(path)).min() > 250]
    assert blank == [("Desk/pahl", step) for step in range(3)]


def test_products_that_share_a_name_are_told_apart(test_data: Path, union: ReadProcedures) -> None:
    assert {p.category for p in union.procedures if p.product == "applaro"} == {"Bench", "Chair", "Table"}
    assert len({p.product for p in union.procedures}) == 32


def test_the_map_of_the_diagrams_agrees_with_the_files(test_data: Path, union: ReadProcedures, real: Path) -> None:
    """Hashes as the map says; the number that a file's name stands for as the README of the data has it."""
    known = json.loads(files("chronotope.recording.procedures").joinpath("ikea_assets.json").read_text())["diagrams"]
    for copy, folder, count in (("tool", "manual_img", 137), ("published", "manual_img_published", 13)):
        there = {
            "/".join((*path.parts[-4:-2], path.parts[-2].removeprefix("step_"))): path
            for path in (real / folder).rglob("*.png")
        }
        assert len(there) == count
        for place, path in there.items():
            entry = known[copy][place]
            assert entry["file"] == path.name
            assert entry["sha256_grey"] == hashlib.sha256(path.read_bytes()).hexdigest(), place
            if copy == "tool" and place in MISNAMED:
                assert (path.name, entry["printed"]) == MISNAMED[place]
            elif copy == "tool":
                stem = path.stem.replace("step", "")
                assert entry["printed"] == (int(stem[1:]) + 1 if stem[0] == "_" else int(stem[1:]))


def test_a_published_copy_alone_is_recognised(
    test_data: Path, union: ReadProcedures, real: Path, tmp_path: Path
) -> None:
    """All 133 files as the authors published them, in a folder of their own and with nothing beside them."""
    for (product, step), path in diagrams(union, "published_diagram").items():
        target = tmp_path / "release" / "manual_img" / product / f"step_{step}" / path.name
        target.parent.mkdir(parents=True)
        target.symlink_to(path)
    for place in (tmp_path / "release", tmp_path / "release" / "manual_img"):
        read = read_procedures(place)
        here, published = diagrams(read, "diagram"), diagrams(read, "published_diagram")
        assert here == published and here.keys() == diagrams(union, "published_diagram").keys()
        assert len(read.procedures) == 36 and not any(p.takes for p in read.procedures)
    assert {path.resolve() for path in here.values()} == set(diagrams(union, "published_diagram").values())


def test_the_tool_copy_alone_is_recognised(test_data: Path, real: Path, tmp_path: Path) -> None:
    (tmp_path / "manual_img").symlink_to(real / "manual_img")
    read = read_procedures(tmp_path)
    best, published = diagrams(read, "diagram"), diagrams(read, "published_diagram")
    assert len(best) == 137 and best.keys() - published.keys() == PUBLISHED_LACKS | PUBLISHED_DIFFERS


def test_flags_of_single_diagrams_go_with_the_product(test_data: Path, union: ReadProcedures) -> None:
    by_key = {key(p): p.provenance for p in union.procedures}
    assert by_key["Chair/sundvik"]["diagram_flags"] == {"published": {"3": ["differs", "duplicate_of:2"]}}
    assert by_key["Table/applaro"]["diagram_flags"]["tool"] == {"0": ["same_as:Chair/applaro_3/0"]}
    assert "diagram_flags" not in by_key["Chair/bekvam_3017"]


def test_a_real_record_is_read(test_data: Path, real: Path) -> None:
    read = read_procedures(real / "records" / "applaro_bench.json")
    first = read.procedures[0]
    assert (first.id, first.category, first.product) == ("bench-applaro", "Bench", "applaro")
    assert [step.parts for step in first.steps] == [
        (("0",), ("2",), ("1",)),
        tuple(tuple(sorted(p.split(","), key=int)) for p in step_parts(real)[1]),
    ]
    assert first.steps[0].connections == ((("0",), ("2",)), (("1",), ("2",)))
    assert first.takes == (Take("KPs0ik2FcsY", None, (Segment(0, 38.7, 44.6), Segment(1, 47.0, 62.1)), 30.0),)
    assert all(step.diagram and step.published_diagram for step in first.steps)
    assert any("KPs0ik2FcsY" in note for note in read.notes)
    assert any("35 products have no annotations" in note for note in read.notes)


def step_parts(real: Path) -> list[list[str]]:
    record = json.loads((real / "records" / "applaro_bench.json").read_text())[0]
    return [step["manual"]["parts"] for step in record["steps"]]


# Annotations of our own, with every quirk that the published ones have


def picture(path: Path, seed: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.random.default_rng(seed).integers(0, 2, (24, 24), dtype=np.uint8) * 255
    Image.fromarray(pixels).save(path)
    return path


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """6 s."""
    path = tmp_path_factory.mktemp("clip") / "clip.mp4"
    encode_clip([np.full((32, 32, 3), 4 * n, np.uint8) for n in range(6 * FPS)], path, FPS)
    return path


def video(name: str, start: object, end: object, **more: object) -> dict:
    return {"video_id": name, "step_start": start, "step_end": end, "fps": FPS, **more}


def step(number: int, *videos: dict, **manual: object) -> dict:
    return {"step_id": number, "manual": manual, "video": list(videos)}


def record(category: str, name: str, *steps: dict) -> dict:
    return {"category": category, "name": name, "source": None, "variants": [], "steps": list(steps)}


WATCH = "https://www.youtube.com/watch?v="


def write(folder: Path, records: object, clip: Path | None = None, *videos: str) -> Path:
    """data.json with a diagram for every step, and videos of these names."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "data.json").write_text(json.dumps(records))
    for one in records if isinstance(records, list) else ():
        for of in one.get("steps") or ():
            if isinstance(of.get("step_id"), int):
                picture(folder / "manual_img" / one["category"] / one["name"] / f"step_{of['step_id']}" / "a.png")
    for name in videos:
        (folder / "videos").mkdir(exist_ok=True)
        shutil.copyfile(clip, folder / "videos" / f"{name}.mp4")
    return folder


def test_the_quirks_of_the_source_are_understood(tmp_path: Path, clip: Path) -> None:
    sentinel = {"mask": [{}, {"error": "no"}], "intrinsics": [], "extrinsics": ["NotAbleToAnnotate"]}
    frames = [{"frame_id": 3, "frame_time": 0.3, "parts": [], **sentinel}]
    records = [
        record(
            "Bench",
            "applaro",
            step(
                1,
                video(f"{WATCH}-Ab_9&t=3s", 2.0, 4.5, frames=frames),
                parts=["10,9,2", "x"],
                connnections=[["2,10,9", "x"]],
                **sentinel,
            ),
            step(0, video(f"{WATCH}-Ab_9", 0, 2.0, substeps=[]), video("other", 0.5, 1), parts=["2"], connections=[]),
            step(3, parts=None, connnections={}),
        ),
        record("Chair", "applaro", {"step_id": 0, "manual": None, "video": None}),
        record("Table", "applaro", {"step_id": 0, "manual": [], "video": {}}, {"step_id": 1}),
        record("Table", "older", step(0, parts=["0,1", "", " "], connections=[["1,0", "2"], ["", "1"]])),
    ]
    folder = write(tmp_path / "set", records, clip, "-Ab_9")
    (folder / "manual_img" / "Table" / "applaro" / "step_1" / "a.png").unlink()
    read = read_procedures(folder)
    bench, chair, table, older = read.procedures
    assert [p.id for p in read.procedures] == ["bench-applaro", "chair-applaro", "table-applaro", "table-older"]
    assert [s.number for s in bench.steps] == [0, 1, 3]
    assert bench.steps[1].parts == (("2", "9", "10"), ("x",))
    assert bench.steps[1].connections == ((("2", "9", "10"), ("x",)),)
    assert bench.steps[2].parts == () == bench.steps[2].connections
    assert [(t.id, t.clip, t.fps) for t in bench.takes] == [
        ("-Ab_9", folder / "videos" / "-Ab_9.mp4", FPS),
        ("other", None, FPS),
    ]
    assert bench.takes[0].segments == (Segment(0, 0.0, 2.0), Segment(1, 2.0, 4.5))
    assert chair.takes == () and chair.steps[0].diagram is not None
    assert [s.diagram is None for s in table.steps] == [False, True]
    assert older.steps[0].parts == (("0", "1"),) and older.steps[0].connections == ((("0", "1"), ("2",)),)
    assert read.notes == ("Bench/applaro: 1 of 2 videos are not in videos, such as other",)


def test_each_step_keeps_the_order_of_its_own_videos(tmp_path: Path, clip: Path) -> None:
    """Step 0 is shown by b alone, so that b is the product's first take; step 1 lists a, b and a again."""
    steps = step(0, video("b", 0, 1)), step(1, video("a", 0, 1), video("b", 2, 3), video("a", 4, 5))
    folder = write(tmp_path / "set", [record("Desk", "x", *steps, step(2, video("b", 4, 5)))], clip, "a", "b")
    made = read_procedures(folder).procedures[0]
    assert [take.id for take in made.takes] == ["b", "a"]
    assert [one.takes for one in made.steps] == [(), ("a", "b", "a"), ()]
    save_procedure(made, tmp_path / "saved")
    assert load_procedure(tmp_path / "saved").steps[1].takes == ("a", "b", "a")
    (tmp_path / "saved" / "procedure.yaml").write_text(
        (tmp_path / "saved" / "procedure.yaml").read_text().replace("- a\n  - b", "- zz\n  - b")
    )
    with pytest.raises(InputError, match="step 2, field 'takes': there is no take 'zz'"):
        read_procedures(tmp_path / "saved")


@pytest.mark.parametrize("place", ["", "data", "data.json"])
def test_annotations_may_lie_in_a_folder_of_their_own(tmp_path: Path, clip: Path, place: str) -> None:
    """As people who clone the source have them."""
    inside = tmp_path / "set" / ("data" if place == "data" else "")
    write(inside, [record("Desk", "x", step(0, video("v", 0, 1)))], clip, "v")
    read = read_procedures(tmp_path / "set" / (place if place.endswith("json") else ""))
    assert read.procedures[0].steps[0].diagram and read.procedures[0].takes[0].clip


def test_of_several_pictures_the_first_is_taken_and_a_hidden_one_never(tmp_path: Path) -> None:
    folder = write(tmp_path / "set", [record("Desk", "x", step(0))])
    of_step = folder / "manual_img" / "Desk" / "x" / "step_0"
    picture(of_step / "b.png", 1)
    (of_step / "._a.png").write_bytes(b"left by a file manager")
    (of_step / "notes.txt").write_text("no picture")
    read = read_procedures(folder)
    assert read.procedures[0].steps[0].diagram == of_step / "a.png"
    assert read.notes == ("Desk/x/step_0: 2 diagrams in one folder, a.png is used",)


def test_overlapping_segments_are_noted_and_what_is_kept_of_them_is_a_source(tmp_path: Path, clip: Path) -> None:
    records = [record("Desk", "x", step(0, video("v", 0, 2)), step(1, video("v", 1.5, 3)))]
    folder = write(tmp_path / "set", records, clip, "v")
    read = read_procedures(folder)
    assert len(read.notes) == 1 and "steps 1 and 2 overlap (0 to 2 s and 1.5 to 3 s)" in read.notes[0]
    save_procedure(read.procedures[0], folder / "kept")
    assert load_procedure(folder / "kept") == read.procedures[0]
    assert read_procedures(folder / "kept").procedures == read.procedures


def test_a_stated_rate_that_is_not_the_clips_is_noted(tmp_path: Path, clip: Path) -> None:
    records = [record("Desk", "x", step(0, video("v", 0, 2, fps=25)))]
    notes = read_procedures(write(tmp_path / "set", records, clip, "v")).notes
    assert len(notes) == 1 and "25" in notes[0] and "v.mp4 has 10" in notes[0]


def test_a_segment_may_end_with_the_last_frame(tmp_path: Path, clip: Path) -> None:
    records = [record("Desk", "x", step(0, video("v", 0, 6.05)))]
    assert read_procedures(write(tmp_path / "set", records, clip, "v")).notes == ()


GOOD = record("Shelf", "good", step(0), step(1))

FAULTS = {
    "start is text": (record("Desk", "x", step(0, video("v", "soon", 1))), ["Desk/x", "steps.0.video.0.step_start"]),
    "start is missing": (record("Desk", "x", step(0, video("v", None, 1))), ["Desk/x", "steps.0.video.0.step_start"]),
    "end is no number": (
        record("Desk", "x", step(0), step(1, video("v", 0, float("nan")))),
        ["Desk/x", "steps.1.video.0.step_end"],
    ),
    "reversed": (record("Desk", "x", step(0), step(4, video("v", 3, 2))), ["Desk/x", "'v'", "step 5", "from 3 s to 2"]),
    "no length": (record("Desk", "x", step(0, video("v", 2, 2))), ["Desk/x", "step 1", "from 2 s to 2 s"]),
    "before the start": (record("Desk", "x", step(0, video("v", -1, 2))), ["Desk/x", "step 1", "from -1 s"]),
    "past the clip": (
        record("Desk", "x", step(0), step(1, video("v", 1, 6.3))),
        ["Desk/x", "step 2", "ends at 6.3 s", "v.mp4", "6.00 s"],
    ),
    "a step twice": (record("Desk", "x", step(2), step(1), step(2)), ["Desk/x", "step_id 2", "two steps"]),
    "no steps": (record("Desk", "x"), ["Desk/x", "no steps"]),
    "step below 0": (record("Desk", "x", step(-1)), ["Desk/x", "steps.0.step_id"]),
    "step is true": (record("Desk", "x", step(True)), ["Desk/x", "steps.0.step_id"]),
    "step is huge": (record("Desk", "x", {"step_id": 10**200}), ["Desk/x", "steps.0.step_id"]),
    "parts are numbers": (record("Desk", "x", step(0, parts=[{}])), ["Desk/x", "steps.0.manual.parts.0"]),
    "three in a connection": (
        record("Desk", "x", step(0, connnections=[["0", "1", "2"]])),
        ["Desk/x", "connnections"],
    ),
    "no video id": (record("Desk", "x", step(0, {"step_start": 0, "step_end": 1})), ["Desk/x", "steps.0.video.0.vi"]),
    "two videos of one name": (
        record("Desk", "x", step(0, video("a/b", 0, 1), video("a:b", 0, 1))),
        ["Desk/x", "two takes have the name 'a_b'"],
    ),
    "a video's name is endless": (record("Desk", "x", step(0, video("v" * 300, 0, 1))), ["Desk/x", "not a safe name"]),
    "steps are text": ({"category": "Desk", "name": "x", "steps": "all"}, ["Desk/x", "'steps'"]),
    "no name": ({"category": "Desk", "steps": [{"step_id": 0}]}, ["record 2", "'name'"]),
    "no record": ("Desk/x", ["record 2"]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_one_sentence_and_the_others_are_still_read(fault: str, tmp_path: Path, clip: Path) -> None:
    bad, said = FAULTS[fault]
    folder = write(tmp_path / "set", [GOOD], clip, "v")
    (folder / "data.json").write_text(json.dumps([GOOD, bad]))
    with pytest.raises(InputError) as refused:
        read_procedures(folder)
    for part in (str(folder / "data.json"), *said):
        assert part in str(refused.value)
    assert "\n" not in str(refused.value)
    read = read_procedures(folder, keep_going=True)
    assert [p.product for p in read.procedures] == ["good"]
    assert [reason for _, reason in read.failures] == [str(refused.value)]


@pytest.mark.parametrize("content", [b"", b"not a picture", b"torn"])
def test_a_diagram_that_does_not_open_is_named_with_its_product_and_step(tmp_path: Path, content: bytes) -> None:
    folder = write(tmp_path / "set", [GOOD, record("Desk", "x", step(0), step(1))])
    bad = folder / "manual_img" / "Desk" / "x" / "step_1" / "a.png"
    bad.write_bytes(bad.read_bytes()[:60] if content == b"torn" else content)
    read = read_procedures(folder, keep_going=True)
    assert [p.product for p in read.procedures] == ["good"]
    ((name, reason),) = read.failures
    assert name == "Desk/x" and "'Desk/x', step 2" in reason and str(bad) in reason


def test_a_clip_that_does_not_open_is_named_with_its_product_and_take(tmp_path: Path, clip: Path) -> None:
    folder = write(tmp_path / "set", [GOOD, record("Desk", "x", step(0, video("v", 0, 1)))], clip, "v")
    (folder / "videos" / "v.mp4").write_bytes(clip.read_bytes()[:-1000])
    ((_, reason),) = read_procedures(folder, keep_going=True).failures
    assert "'Desk/x', take 'v'" in reason and str(folder / "videos" / "v.mp4") in reason


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("[{]", "line 1, column"),
        ('{"steps": []}', "expected a list of products, found dict"),
        ("null", "expected a list of products, found NoneType"),
        ("[" * 100_000, "nested too deeply"),
        (f"[{'9' * 5000}]", "too many digits"),
        (json.dumps([GOOD, GOOD]), "the product 'Shelf/good' occurs twice"),
        ("[]", "no product"),
        ("\xff", "UTF-8"),
    ],
)
def test_annotations_that_are_none_are_one_sentence_that_names_the_file(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "data.json").write_bytes(text.encode("latin-1"))
    for keep_going in (False, True):
        with pytest.raises(InputError, match=str(tmp_path)) as refused:
            read_procedures(tmp_path, keep_going=keep_going)
        assert said in str(refused.value) and "\n" not in str(refused.value)


def test_a_source_of_no_form_or_of_two_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no manuals of a known form"):
        read_procedures(tmp_path)
    with pytest.raises(InputError, match="no such file or folder"):
        read_procedures(tmp_path / "nothing")
    with pytest.raises(InputError, match="expected one of ikea_manuals, plain"):
        read_procedures(tmp_path, form="recipes")
    write(tmp_path, [GOOD])
    (tmp_path / "procedure.yaml").write_text("product: x\nsteps: [{}]")
    with pytest.raises(InputError, match="ikea_manuals and plain: choose one with --source"):
        read_procedures(tmp_path)
    assert read_procedures(tmp_path, form="plain").procedures[0].product == "x"
    assert read_procedures(tmp_path, form="ikea_manuals").procedures[0].product == "good"


NASTY = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=6), st.sampled_from(["", [], {}, "9" * 5000])
)
VALID = [
    record("Desk", "x", step(0, video(f"{WATCH}v", 0, 2), parts=["0,1"], connnections=[["0", "1"]]), step(1)),
    GOOD,
]


@st.composite
def spoiled(draw: st.DrawFn) -> object:
    """Valid annotations with up to three values anywhere replaced."""
    document = json.loads(json.dumps(VALID))
    for _ in range(draw(st.integers(1, 3))):
        holder, last, _ = anywhere(draw, document)
        holder[last] = draw(NASTY)
    return document


@settings(max_examples=80)
@given(document=spoiled())
def test_whatever_annotations_hold_is_a_procedure_or_a_sentence(document: object, shared: Path) -> None:
    (shared / "data.json").write_text(json.dumps(document))
    read = read_procedures(shared, keep_going=True)
    assert len(read.procedures) + len(read.failures) >= 2
    for _, reason in read.failures:
        assert str(shared) in reason and "\n" not in reason
    for procedure in read.procedures:
        save_procedure(procedure, shared.parent / "kept")
        assert load_procedure(shared.parent / "kept") == procedure


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, clip: Path) -> Path:
    return write(tmp_path_factory.mktemp("shared") / "set", VALID, clip, "v")
