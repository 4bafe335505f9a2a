"""procedure.yaml: what people may write, one sentence for every slip, and what is kept is what was read."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from recording_truth import anywhere

from chronotope.errors import InputError
from chronotope.media import encode_clip
from chronotope.recording import Procedure, Segment, Step, Take, group
from chronotope.recording.procedures import load_procedure, read_procedures, save_procedure

FPS = 10


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pictures and two clips of 7 s, and a place for procedure.yaml among them."""
    folder = tmp_path_factory.mktemp("manual") / "stool"
    (folder / "pictures").mkdir(parents=True)
    for n in range(3):
        pixels = np.random.default_rng(n).integers(0, 2, (24, 24), dtype=np.uint8) * 255
        Image.fromarray(pixels).save(folder / "pictures" / f"{n}.png")
    for name in ("a", "b"):
        encode_clip([np.full((32, 32, 3), 3 * n, np.uint8) for n in range(7 * FPS)], folder / f"{name}.mp4", FPS)
    return folder


def written(folder: Path, text: str) -> Path:
    (folder / "procedure.yaml").write_text(text, encoding="utf-8")
    return folder


def read(folder: Path, text: str) -> Procedure:
    return read_procedures(written(folder, text)).procedures[0]


def refused(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as raised:
        read_procedures(written(folder, text))
    assert str(folder / "procedure.yaml") in str(raised.value) and "\n" not in str(raised.value)
    return str(raised.value)


# What is understood


def test_a_document_with_everything_is_understood(folder: Path) -> None:
    text = """
product: Stool
category: Seats
licence: CC-BY-4.0
attribution: me
steps:
  - diagram: pictures/0.png
    parts: ["0,1", seat]
    connections: [["1,0", [seat]]]
    description: {action: Press the seat down.}
  - number: 4
    diagram: pictures/1.png
    published_diagram: pictures/2.png
    parts: [[10, 9, cushion]]
  - diagram: pictures/2.png
    published_diagram: false
  - number: 7
takes:
  - id: front
    clip: a.mp4
    fps: 10
    segments:
      - {step: 1, start: 0, end: 1.5}
      - {step: 4, start: "0:01.5", end: 0:05.25}
      - {step: 5, start: "00:00:05.25", end: 00:07}
  - {id: lost}
"""
    pictures = [folder / "pictures" / f"{n}.png" for n in range(3)]
    result = read_procedures(written(folder, text))
    assert result.procedures == (
        Procedure(
            id="seats-stool",
            product="Stool",
            category="Seats",
            source="plain",
            licence="CC-BY-4.0",
            attribution="me",
            steps=(
                Step(
                    0,
                    pictures[0],
                    pictures[0],
                    (("0", "1"), ("seat",)),
                    ((("0", "1"), ("seat",)),),
                    {"action": "Press the seat down."},
                ),
                Step(3, pictures[1], pictures[2], (("9", "10", "cushion"),)),
                Step(4, pictures[2], None),
                Step(6),
            ),
            takes=(
                Take(
                    "front",
                    folder / "a.mp4",
                    (Segment(0, 0.0, 1.5), Segment(3, 1.5, 5.25), Segment(4, 5.25, 7.0)),
                    10.0,
                ),
                Take("lost", None, ()),
            ),
        ),
    )
    assert len(result.notes) == 1 and "'lost'" in result.notes[0]


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("5", 5),
        ("5.5", 5.5),
        ("0:05", 5),
        ("'0:05'", 5),
        ("0:05.5", 5.5),
        ("1:02.5", 62.5),
        ("'1:02.5'", 62.5),
        ("01:02", 62),
        ("100:00", 6000),
        ("'1:00:03'", 3603),
        ("1:00:03.25", 3603.25),
        ("' 0:07 '", 7),
    ],
)
def test_times_are_seconds_or_a_clocks_quoted_or_not(folder: Path, said: str, seconds: float) -> None:
    text = f"product: x\nsteps: [{{}}]\ntakes:\n- id: a\n  segments:\n  - step: 1\n    start: 0\n    end: {said}\n"
    (take,) = read(folder, text).takes
    assert take.segments[0].end == seconds


def test_a_folder_of_folders_is_read_by_name_and_one_fault_leaves_the_others(folder: Path, tmp_path: Path) -> None:
    for name in ("b", "c", "a"):
        save_procedure(Procedure(name, name, "", "plain", (Step(0, folder / "pictures" / "0.png"),)), tmp_path / name)
    (tmp_path / "empty").mkdir()
    assert [p.id for p in read_procedures(tmp_path).procedures] == ["a", "b", "c"]
    (tmp_path / "b" / "procedure.yaml").write_text("product: b")
    result = read_procedures(tmp_path, keep_going=True)
    assert [p.id for p in result.procedures] == ["a", "c"]
    ((name, reason),) = result.failures
    assert name == "b" and "field 'steps'" in reason and str(tmp_path / "b" / "procedure.yaml") in reason


def test_a_name_in_another_script_gets_an_id(folder: Path) -> None:
    one, other = (read(folder, f"product: {name}\nsteps: [{{}}]") for name in ("椅子", "机"))
    assert one.id and other.id and one.id != other.id


# What is refused

ONE = "product: x\nsteps:\n- diagram: pictures/0.png\n- diagram: pictures/1.png\n"
SEGMENTS = ONE + "takes:\n- id: a\n  clip: a.mp4\n  segments: "
FAULTS = {
    "nothing": ("", ["field 'product'", "required"]),
    "a list": ("- product: x", ["expected 'name: value' lines"]),
    "not YAML": ("product: [x", ["not YAML"]),
    "no such date": ("product: 2020-99-99", ["cannot be read"]),
    "a number that is no number": (f"product: {'9' * 5000}", ["cannot be read"]),
    "too deep": (f"product: {'[' * 300}{']' * 300}", ["line 1 is nested more than 100 levels deep"]),
    "no steps": ("product: x\nsteps: []", ["field 'steps'"]),
    "empty product": ("product: ''\nsteps: [{}]", ["field 'product'"]),
    "a slip in a name": (ONE + "licens: CC0\n", ["field 'licens'"]),
    "a slip in a step": ("product: x\nsteps: [{diagramm: a.png}]", ["field 'steps.0.diagramm'"]),
    "a step that is text": ("product: x\nsteps: [a.png]", ["field 'steps.0'", "'name: value'", "'a.png'"]),
    "step 0": ("product: x\nsteps: [{number: 0}]", ["field 'steps.0.number'", "found '0'"]),
    "step true": ("product: x\nsteps: [{number: yes}]", ["field 'steps.0.number'"]),
    "step endless": (f"product: x\nsteps: [{{number: 1{'0' * 300}}}]", ["field 'steps.0.number'"]),
    "steps out of order": ("product: x\nsteps: [{number: 3}, {number: 2}]", ["'x': step 2", "out of order"]),
    "a step twice": ("product: x\nsteps: [{}, {number: 1}]", ["'x': step 1", "repeated"]),
    "no diagram there": ("product: x\nsteps: [{}, {diagram: 9.png}]", ["'x', step 2", "'9.png'"]),
    "a folder as diagram": ("product: x\nsteps: [{diagram: .}]", ["'x', step 1", "'.'"]),
    "an endless name": (f"product: x\nsteps: [{{diagram: {'a' * 5000}}}]", ["'x', step 1", "'aaa"]),
    "no text in a name": ('product: x\nsteps: [{diagram: "a\\0"}]', ["'x', step 1"]),
    "an incomplete character": ('product: "\\ud800"\nsteps: [{}]', ["not YAML", "column 13"]),
    "a clip as diagram": ("product: x\nsteps: [{}, {diagram: a.mp4}]", ["'x', step 2", "a.mp4", "picture"]),
    "a part without a name": ("product: x\nsteps: [{parts: ['0,,1']}]", ["field 'steps.0.parts.0.1'"]),
    "a part that is true": ("product: x\nsteps: [{parts: [yes]}]", ["field 'steps.0.parts.0.0'"]),
    "a part that is a mapping": ("product: x\nsteps: [{parts: [[{a: 1}]]}]", ["field 'steps.0.parts.0.0'"]),
    "parts as text": ("product: x\nsteps: [{parts: '0,1'}]", ["field 'steps.0.parts'", "list"]),
    "an endless part": (f"product: x\nsteps: [{{parts: ['{'9' * 5000}']}}]", ["field 'steps.0.parts.0.0'"]),
    "one end of a connection": ("product: x\nsteps: [{connections: [['0']]}]", ["field 'steps.0.connections.0"]),
    "unsafe id": ("product: x\nid: ../x\nsteps: [{}]", ["field 'id'", "'../x'"]),
    "an endless id": (f"product: {'x' * 500}\nsteps: [{{}}]", ["field 'id'"]),
    "unsafe take": (ONE + "takes: [{id: a/b}]", ["field 'takes.id'", "'a/b'"]),
    "two takes of one name": (ONE + "takes: [{id: a}, {id: a}]", ["field 'takes'", "'a'"]),
    "two takes of one clip": (ONE + "takes: [{id: a, clip: a.mp4}, {id: b, clip: ./a.mp4}]", ["two takes", "a.mp4"]),
    "no clip there": (ONE + "takes: [{id: a, clip: c.mp4}]", ["'x', take 'a'", "'c.mp4'"]),
    "a picture as clip": (ONE + "takes: [{id: a, clip: procedure.yaml}]", ["'x', take 'a'", "procedure.yaml"]),
    "rate 0": (ONE + "takes: [{id: a, fps: 0}]", ["field 'takes.0.fps'"]),
    "no such step": (SEGMENTS + "[{step: 3, start: 0, end: 1}]", ["'x', take 'a', step 3", "no such step"]),
    "reversed": (SEGMENTS + "[{step: 2, start: 2, end: 1}]", ["'x', take 'a', step 2", "from 2 s to 1 s"]),
    "no length": (SEGMENTS + "[{step: 2, start: 1, end: 1}]", ["'x', take 'a', step 2", "from 1 s to 1 s"]),
    "before the start": (SEGMENTS + "[{step: 2, start: -1, end: 1}]", ["field 'takes.0.segments.0.start'"]),
    "past the clip": (SEGMENTS + "[{step: 2, start: 1, end: 7.2}]", ["'x', take 'a', step 2", "a.mp4", "7.00 s"]),
    "never": (SEGMENTS + "[{step: 2, start: 1, end: .inf}]", ["field 'takes.0.segments.0.end'"]),
    "no time": (SEGMENTS + "[{step: 2, start: soon, end: 1}]", ["field 'takes.0.segments.0.start'", "'soon'"]),
    "a slip in a clock": (SEGMENTS + "[{step: 2, start: 0, end: '0:75'}]", ["field 'takes.0.segments.0.end'", "0:75"]),
    "a slip in an hour": (SEGMENTS + "[{step: 2, start: 0, end: '0:75:00'}]", ["field 'takes.0.segments.0.end'"]),
    "true as time": (SEGMENTS + "[{step: 2, start: no, end: yes}]", ["field 'takes.0.segments.0.start'"]),
    "overlap": (
        SEGMENTS + "[{step: 2, start: 1, end: 3}, {step: 1, start: 0, end: 1.1}]",
        ["'x', take 'a': steps 1 and 2 overlap (0 to 1.1 s and 1 to 3 s)"],
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_one_sentence_with_file_and_place(folder: Path, fault: str) -> None:
    text, said = FAULTS[fault]
    told = refused(folder, text)
    assert len(told) < 700
    for part in said:
        assert part in told


def test_a_clip_whose_rate_varies_is_refused_with_what_to_do(folder: Path, tmp_path: Path) -> None:
    """Frames at 0, 0.1, 0.5 and 0.6 s."""
    import av

    with av.open(str(tmp_path / "v.mkv"), "w") as container:
        stream = container.add_stream("libx264", rate=FPS)
        stream.width = stream.height = 32
        stream.pix_fmt = "yuv420p"
        for stamp in (0, 1, 5, 6):
            frame = av.VideoFrame.from_ndarray(np.full((32, 32, 3), 20 * stamp, np.uint8), "rgb24")
            frame.pts = stamp
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    text = "product: x\nsteps: [{}]\ntakes: [{id: a, clip: v.mkv, segments: [{step: 1, start: 0, end: 0.5}]}]"
    assert "ffmpeg" in refused(tmp_path, text)


# Whatever it holds

VALID = yaml.safe_load(
    SEGMENTS
    + "[{step: 1, start: 0, end: '0:01'}, {step: 2, start: 1, end: 2}]\n- {id: b, clip: b.mp4, fps: 10}\nid: x\n"
    "licence: a\nattribution: b\nprovenance: {a: [1]}\ncategory: c\nsource: plain\n"
)
VALID["steps"][1] |= {"number": 2, "published_diagram": False, "parts": ["0,1"], "connections": [["0", "1"]]}
VALID["steps"][0] |= {"description": {"action": "Turn it."}}
NASTY = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=6),
    st.dates(),
    st.binary(max_size=3),
    st.sampled_from(["", [], {}, "9" * 5000, 10**5000, "1:02:03:04", "a.mp4", "\ud800", {1: 2}, [[]]]),
)


@st.composite
def spoiled(draw: st.DrawFn) -> object:
    """The valid document with up to three values anywhere replaced, doubled, or put under another name."""
    document = json.loads(json.dumps(VALID))
    for _ in range(draw(st.integers(1, 3))):
        holder, last, place = anywhere(draw, document)
        action = draw(st.sampled_from(["replace", "replace", "drop", "double"]))
        if action == "replace":
            holder[last] = draw(NASTY)
        elif action == "drop":
            del holder[last]
        else:
            holder.update({f"{last}_": place}) if isinstance(holder, dict) else holder.append(place)
    return document


@settings(max_examples=250)
@given(document=spoiled())
def test_whatever_a_document_holds_is_a_procedure_or_a_sentence(folder: Path, document: object) -> None:
    try:
        text = yaml.safe_dump(document)
    except ValueError:  # 5000 digits, which Python does not print
        return
    try:
        (procedure,) = read_procedures(written(folder, text)).procedures
    except InputError as error:
        assert str(folder / "procedure.yaml") in str(error) and "\n" not in str(error)
        return
    save_procedure(procedure, folder / "kept")
    assert load_procedure(folder / "kept") == procedure


@settings(max_examples=100)
@given(data=st.data())
def test_torn_and_mangled_text_is_a_procedure_or_a_sentence(folder: Path, data: st.DataObject) -> None:
    text = yaml.safe_dump(VALID, sort_keys=False)
    at = data.draw(st.integers(0, len(text)))
    text = text[:at] + data.draw(st.text(max_size=4)) + text[at + data.draw(st.integers(0, 40)) :]
    (folder / "procedure.yaml").write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        read_procedures(folder)
    except InputError as error:
        assert str(folder) in str(error)


# Kept and read again

# Without characters that YAML takes for the end of a line, or for none of its own.
names = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=8)
safe = names.filter(lambda name: name.isprintable() and not set(name) & set("/\\") and name[0] != ".")
part = names.map(str.strip).filter(bool)
groups = st.lists(part, min_size=1, max_size=3).map(group)
seconds = st.floats(0, 1e6)
PLAIN_VALUES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | names


@st.composite
def procedures(draw: st.DrawFn) -> Procedure:
    """Procedures of up to three steps and takes, whose files are ``pictures/N.png`` and ``a.mp4`` of no folder yet."""
    picture = st.none() | st.sampled_from([Path("pictures/0.png"), Path("pictures/1.png")])
    numbers = sorted(draw(st.sets(st.integers(0, 9998), min_size=1, max_size=3)))
    steps = [
        Step(
            number,
            draw(picture),
            draw(picture),
            tuple(draw(st.lists(groups, max_size=2))),
            tuple(draw(st.lists(st.tuples(groups, groups), max_size=2))),
            draw(
                st.dictionaries(
                    names, st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=5), max_size=2
                )
            ),
        )
        for number in numbers
    ]
    takes = [
        Take(
            name,
            draw(st.none() | st.just(Path("a.mp4"))),
            tuple(
                Segment(draw(st.sampled_from(numbers)), draw(seconds), draw(seconds))
                for _ in range(draw(st.integers(0, 2)))
            ),
            draw(st.none() | st.floats(0.001, 1000)),
        )
        for name in draw(st.lists(safe, max_size=2, unique=True))
    ]
    return Procedure(
        draw(safe),
        draw(names),
        draw(st.just("") | names),
        draw(st.just("plain") | names),
        tuple(steps),
        tuple(takes),
        draw(st.none() | names),
        draw(st.none() | names),
        draw(st.dictionaries(names, PLAIN_VALUES | st.lists(PLAIN_VALUES, max_size=2), max_size=2)),
    )


def placed(procedure: Procedure, folder: Path) -> Procedure:
    """The procedure with its files in a folder."""

    def at(path: Path | None) -> Path | None:
        return None if path is None else folder / path

    steps = [
        Step(s.number, at(s.diagram), at(s.published_diagram), s.parts, s.connections, s.description)
        for s in procedure.steps
    ]
    takes = [Take(t.id, at(t.clip), t.segments, t.fps) for t in procedure.takes]
    return Procedure(
        **{**vars(procedure), "steps": tuple(steps), "takes": tuple(takes)},
    )


@settings(max_examples=150)
@given(procedure=procedures(), inside=st.sampled_from(["", "kept", "../beside it/ü"]))
def test_what_is_kept_is_read_as_it_was(folder: Path, procedure: Procedure, inside: str) -> None:
    """Beside its files, below them, and elsewhere."""
    original = placed(procedure, folder)
    place = (folder / inside).resolve()
    save_procedure(original, place)
    assert load_procedure(place) == original
    text = (place / "procedure.yaml").read_text(encoding="utf-8")
    assert str(folder) not in text  # a benchmark can be moved
    for step, said in zip(original.steps, yaml.safe_load(text)["steps"], strict=True):
        assert said["number"] == step.number + 1


def test_times_are_kept_to_the_last_bit(folder: Path, tmp_path: Path) -> None:
    times = (math.nextafter(0.1, 1), 1e-7, 1 / 3, 1e16, 5e-324)
    takes = (Take("a", None, tuple(Segment(0, time, time * 2) for time in times)),)
    save_procedure(Procedure("x", "x", "", "plain", (Step(0),), takes), tmp_path)
    assert load_procedure(tmp_path).takes == takes


def test_the_document_on_the_manuals_page_is_right(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "procedures.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    for n in (1, 2, 4):
        Image.fromarray(np.full((8, 8), 40 * n, np.uint8)).save(tmp_path / f"step-{n}.png")
    encode_clip((np.full((16, 16, 3), n, np.uint8) for n in range(63)), tmp_path / "garage.mp4", 1)
    result = read_procedures(written(tmp_path, text))
    (procedure,) = result.procedures
    assert result.notes == () and [step.number for step in procedure.steps] == [0, 1, 3]
    assert procedure.steps[0].connections == ((("seat",), ("0", "1")),)
    assert procedure.steps[1].parts == (("0", "1", "seat"), ("leg",))
    assert procedure.takes[0].segments == (Segment(0, 3.2, 12), Segment(1, 15, 41.5), Segment(3, 50, 62.5))
