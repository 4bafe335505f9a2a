"""The released M3-Verse set becomes a benchmark: what is there is kept as it is, what is wrong is named."""

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.errors import InputError
from chronotope.families.m3.release import read_release
from chronotope.families.m3.release.records import KEPT, LEFT_OUT, UnusableError, read_record
from chronotope.make import Imported, import_release
from chronotope.question import open_benchmark, validate
from m3_released import (
    CATEGORIES,
    LENGTHS,
    NONE,
    UGLY,
    of_layout,
    row,
    write_pictures,
    write_release,
    write_rows,
    write_videos,
)

SCENES = ("scene_0", "scene_1", "scene_2")
PAPER = {"spatial understanding": "spatial", "temporal understanding": "temporal"}
PAPER |= {"attribute recognition": "attribute", "reasoning": "reasoning"}


def imported(folder: Path, rows: list[Any], **how: Any) -> Imported:
    return import_release("m3", write_release(folder / "release", rows, **how), folder / "bench")


def found(of: Imported) -> dict[str, list[int]]:
    """The numbers of the rows of each finding."""
    return {finding.code: [int(name.split()[1]) for name in finding.rows] for finding in of.findings}


# What is right ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    return imported(tmp_path_factory.mktemp("whole"), [row(number) for number in range(60)])


def test_a_sound_release_is_imported_whole(whole: Imported) -> None:
    bench = open_benchmark(whole.benchmark.folder)
    assert validate(bench, deep=True) == []
    assert whole.findings == () and bench.card.refusals == {}
    assert len(bench.questions) == 60 and len(bench.media) == 6
    assert Counter(q.task for q in bench.questions) == dict.fromkeys(CATEGORIES, 12)
    assert bench.card.profile == "paper" and bench.card.family == "m3"
    assert {file.frames for file in bench.media.values()} == set(LENGTHS)


def test_a_question_is_as_released(whole: Imported) -> None:
    for number, question in enumerate(open_benchmark(whole.benchmark.folder).questions):
        released = row(number)
        assert question.id == released["question_id"] and question.cluster == released["scene_id"]
        assert question.stem == released["question"] and question.task == released["category"]
        letters = "ABCDEFG"[: len(question.options)]
        shown = [f"{letter}. {one.text}" for letter, one in zip(letters, question.options, strict=True)]
        assert shown == released["options"]
        assert [letters[place] for place in question.answer] == released["answer"]
        several = released["question_type"] == "multiple_choice"
        assert question.multiple is several and several is (len(question.answer) > 1)
        assert question.tags == {
            "subtask": (released["subcategory"],),
            "state_type": (released["state_type"],),
            "capability": tuple(sorted((PAPER[one] for one in released["capabilities"]), key=_paper_order)),
            "hallucination": ("yes" if released["hallucination"] else "no",),
            "answers": ("multiple" if several else "single",),
        }
        before, after = question.media
        assert (before.role, before.label, before.kind) == ("before", "This is the first video:", "video")
        assert (after.role, after.label, after.kind) == ("after", "This is the second video:", "video")
        assert before.paths == (f"clips/{question.cluster}/state_0.mp4",)
        assert after.paths == (f"clips/{question.cluster}/state_1.mp4",)
        assert question.provenance["released"]["row"] == number + 1


def _paper_order(capability: str) -> int:
    return list(PAPER.values()).index(capability)


def test_what_was_found_is_told(whole: Imported) -> None:
    questions, videos = whole.notes
    assert questions.startswith("questions: 60 rows of ") and questions.endswith("QAs/M^3-Verse.jsonl")
    assert videos.startswith("videos: 6 states in ") and videos.endswith("<scene>/<state>/video.mp4")


def test_each_state_is_its_own_video(whole: Imported) -> None:
    """The first video has the fewer frames, wherever its name would put it."""
    bench = whole.benchmark
    for question in bench.questions:
        frames = [bench.media[item.paths[0]].frames for item in question.media]
        assert frames == list(LENGTHS)


# Forms and layouts --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["questions.jsonl", "questions.json", "data/qa.jsonl", "QA/all.json"])
def test_every_form_of_the_table_gives_the_same(tmp_path: Path, table: str) -> None:
    rows = [row(number) for number in range(8)]
    release = read_release(write_release(tmp_path, rows, table=table))
    assert release.findings == () and [q.id for q in release.questions] == [one["question_id"] for one in rows]
    assert [q.answer for q in release.questions] == [q.answer for q in _of_lines(tmp_path / "lines", rows)]


def _of_lines(folder: Path, rows: list[Any]) -> tuple[Any, ...]:
    return read_release(write_release(folder, rows)).questions


def test_an_object_may_hold_the_list(tmp_path: Path) -> None:
    rows = [row(number) for number in range(4)]
    release = write_release(tmp_path, rows)
    (release / "QAs" / "M^3-Verse.jsonl").unlink()
    (release / "qa.json").write_text(json.dumps({"version": 1, "rooms": ["a"], "questions": rows}))
    read = read_release(release)
    assert len(read.questions) == 4 and "(its list questions)" in read.notes[0]
    (release / "qa.json").write_text(json.dumps({"intra": rows, "inter": rows}))
    with pytest.raises(InputError, match=r"several lists of questions \(intra, inter\)"):
        read_release(release)


LAYOUTS = {
    "{scene}/state_{k}/video.mp4": "<scene>/<state>/video.mp4",
    "{scene}/state_{k}/video/first_person_RGB.mp4": "<scene>/<state>/video/first_person_RGB.mp4",
    "{scene}/state_{k}/walk.mp4": "<scene>/<state>/walk.mp4",
    "val/{scene}/state_{k}/video.mp4": "<scene>/<state>/video.mp4",
    "{scene}/state_{k}.mp4": "<scene>/<state>.mp4",
    "videos/{scene}/state_{k}.mkv": "<scene>/<state>.mkv",
    "{scene}_state_{k}.mp4": "<scene>_<state>.mp4",
    "videos/{scene}_state_{k}.MP4": "<scene>_<state>.MP4",
    "clips/{scene}-state{k}.mp4": "<scene>_<state>.mp4",
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_videos_are_found_in_every_layout(tmp_path: Path, layout: str) -> None:
    made = imported(tmp_path, [row(number) for number in range(6)], layout=layout)
    assert made.findings == () and len(made.benchmark.questions) == 6
    assert made.notes[1].endswith(f"by the rule {LAYOUTS[layout]}")
    for question in made.benchmark.questions:
        assert [made.benchmark.media[item.paths[0]].frames for item in question.media] == list(LENGTHS)


def test_before_and_after_may_stand_for_the_states(tmp_path: Path) -> None:
    release = write_release(tmp_path, [row(0)], scenes=())
    write_videos(release, {"scene_0": ("scene_0/before.mp4", "scene_0/after.mp4")})
    assert [path.name for path in read_release(release).files.values()] == ["before.mp4", "after.mp4"]


def test_of_several_videos_of_a_state_the_one_of_what_is_seen_is_taken(tmp_path: Path) -> None:
    release = write_release(tmp_path, [row(0)], layout="{scene}/state_{k}/RGB.mp4", scenes=("scene_0",))
    for other in ("depth.mp4", "segmentation.mp4", "top_down_RGB.mp4", "trajectory.mp4"):
        write_videos(release, {"scene_0": of_layout("{scene}/state_{k}/" + other, "scene_0")})
    assert {path.name for path in read_release(release).files.values()} == {"RGB.mp4"}
    for other in ("kitchen_rgb.mp4", "hall_rgb.mp4"):
        write_videos(release, {"scene_0": of_layout("{scene}/state_{k}/" + other, "scene_0")})
    with pytest.raises(InputError, match="no scene has both"):
        read_release(release)  # nothing tells which


def test_pictures_stand_in_for_videos_in_their_numbers_order(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", [row(0), row(1)], scenes=("scene_1",))
    write_pictures(release, "scene_0")
    made = import_release("m3", release, tmp_path / "bench")
    question = next(q for q in made.benchmark.questions if q.cluster == "scene_0")
    assert [item.kind for item in question.media] == ["frames", "frames"]
    assert [len(item.paths) for item in question.media] == list(LENGTHS)
    for state, item in enumerate(question.media):
        for number, path in enumerate(item.paths):
            released = release / "scene_0" / f"state_{state}" / "RGB" / f"frame_{number}.png"
            assert (made.benchmark.folder / path).read_bytes() == released.read_bytes()
    assert any("numbered pictures" in note and note.endswith("<scene>/<state>/RGB/frame_*.png") for note in made.notes)


def test_the_questions_may_be_named_with_their_videos_elsewhere(tmp_path: Path) -> None:
    table = write_rows(tmp_path / "somewhere" / "QAs" / "m3.jsonl", [row(0)])
    videos = write_videos(tmp_path / "films", {"scene_0": of_layout("{scene}_state_{k}.mp4", "scene_0")})
    assert len(read_release(table, videos).questions) == 1
    with pytest.raises(InputError, match=r"scene_0_state_0\.mp4 is in .*--clips"):
        read_release(table)
    write_videos(tmp_path / "somewhere", {"scene_0": of_layout("{scene}/state_{k}.mp4", "scene_0")})
    assert len(read_release(table).questions) == 1  # beside the folder of the questions


def test_scenes_whose_slugs_are_equal_stay_apart(tmp_path: Path) -> None:
    scenes = ("Scene 1", "scene-1")
    made = imported(tmp_path, [row(n, scene=scene) for n, scene in enumerate(scenes)], scenes=scenes)
    assert len(made.benchmark.media) == 4 and [q.cluster for q in made.benchmark.questions] == list(scenes)
    assert [q.id for q in made.benchmark.questions] == ["scene-1-0", "scene-1-1"]


# What is wrong ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ugly(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    folder = tmp_path_factory.mktemp("ugly")
    release = write_release(folder / "release", [one for one, _ in UGLY])
    write_videos(release, {"scene_half": ("scene_half/state_0/video.mp4", "scene_other/state_1/video.mp4")})
    return import_release("m3", release, folder / "bench")


def test_every_ugly_row_is_told_under_its_code(ugly: Imported) -> None:
    wanted = defaultdict(list)
    for number, (_, codes) in enumerate(UGLY, 1):
        for code in codes:
            wanted[code].append(number)
    assert found(ugly) == wanted
    assert set(wanted) == {*LEFT_OUT, *KEPT}  # nothing that can be told is left untried


def test_ugly_rows_are_counted_exactly(ugly: Imported) -> None:
    out = [codes for _, codes in UGLY if any(code in LEFT_OUT for code in codes)]
    assert ugly.left_out == len(out) == 22
    bench = open_benchmark(ugly.benchmark.folder)
    assert len(bench.questions) == len(UGLY) - 22
    assert validate(bench, deep=True) == []
    assert sum(sum(codes.values()) for codes in bench.card.refusals.values()) == 22
    assert sum((Counter(codes) for codes in bench.card.refusals.values()), Counter()) == Counter(
        code for codes in out for code in codes
    )
    for finding in ugly.findings:
        assert finding.left_out is (finding.code in LEFT_OUT) and finding.words


def by_row(of: Imported) -> dict[int, Any]:
    return {question.provenance["released"]["row"]: question for question in of.benchmark.questions}


def test_what_is_kept_is_mended_as_it_is_told(ugly: Imported) -> None:
    questions = by_row(ugly)

    def of(code: str) -> Any:
        return questions[next(number for number, (_, codes) in enumerate(UGLY, 1) if code in codes)]

    assert of("repeated_id").id == "scene_0-0-row24"
    assert of("no_id").id == "scene_0-row25"
    assert of("single_with_several").multiple and of("single_with_several").tags["answers"] == ("multiple",)
    assert not of("multiple_with_one").multiple and of("multiple_with_one").tags["answers"] == ("single",)
    dropped = of("dropped_option")
    assert [one.text for one in dropped.options] == ["1", "3"] and dropped.answer == (1,)
    odd = of("odd_letters")
    assert [one.text for one in odd.options] == ["1", "2", "3"] and odd.answer == (1,)
    assert of("more_than_seven_options").answer == (7,)
    assert of("unknown_category").task == "weather"
    assert of("unknown_subtask").tags["subtask"] == ("colour_of_the_cat",)
    assert of("unknown_state_type").tags["state_type"] == ("intra-state",)  # scene_info
    assert of("state_type_differs").tags["state_type"] == ("intra-state",)
    assert of("unknown_capability").tags["capability"] == ("spatial",)
    assert of("usual_capabilities").tags["capability"] == ("temporal", "reasoning")  # of total_room_visits
    assert "capability" not in of("no_capability").tags
    assert "hallucination" not in of("unknown_hallucination").tags
    assert of("hallucination_differs").tags["hallucination"] == ("no",)


def test_a_row_is_named_as_a_person_finds_it(ugly: Imported) -> None:
    named = {finding.code: finding.rows for finding in ugly.findings}
    assert named["not_json"] == ("row 3",) and named["repeated_id"] == ("row 24 (scene_0-0)",)
    assert named["no_id"] == ("row 25 (scene_0)",)


@pytest.mark.parametrize(
    ("answer", "places"),
    [
        (["B"], (1,)),
        ("B", (1,)),
        (["b"], (1,)),
        (["(B)."], (1,)),
        (["B. two"], (1,)),
        (["C", "A"], (0, 2)),
        ("A,C", (0, 2)),
        ("A and C", (0, 2)),
        (["AC"], (0, 2)),
        (["A", "A"], (0,)),
        (["B. three"], None),
        (["D"], None),
        ("two", None),
        (["1"], None),
    ],
)
def test_answers_in_every_form(answer: Any, places: tuple[int, ...] | None) -> None:
    values = row(0, options=["A. one", "B. two", "C. three"], answer=answer)
    if places is None:
        with pytest.raises(UnusableError, match="no_such_option"):
            read_record(values)
    else:
        assert read_record(values).answer == places


@pytest.mark.parametrize(
    ("options", "texts"),
    [
        (["A. one", "B. two"], ("one", "two")),
        (["A) one", "(B) two"], ("one", "two")),
        (["A.one", "B.two"], ("one", "two")),
        (["one", "two"], ("one", "two")),
        (["A. one", "two"], ("A. one", "two")),  # not every one has a letter: it belongs to the text
        (["A. one", "A. two"], ("A. one", "A. two")),
        ({"B": "two", "A": "one"}, ("one", "two")),
        ({"A": "one", "B": None, "C": "two"}, ("one", "two")),
        ([1, 2.0], ("1", "2")),
    ],
)
def test_options_in_every_form(options: Any, texts: tuple[str, ...]) -> None:
    assert read_record(row(0, options=options, answer="A")).options == texts


@pytest.mark.parametrize(
    ("capabilities", "read"),
    [
        (["spatial understanding", "temporal understanding"], ("spatial", "temporal")),
        (["Reasoning", "Attribute Recognition"], ("attribute", "reasoning")),
        ("spatial, Temporal; reasoning", ("spatial", "temporal", "reasoning")),
        (["SU", "R"], ("spatial", "reasoning")),
        (["temporal-understanding", "temporal"], ("temporal",)),
        (["attributes"], ("attribute",)),
    ],
)
def test_capabilities_in_every_spelling(capabilities: Any, read: tuple[str, ...]) -> None:
    record = read_record(row(0, capabilities=capabilities))
    assert record.tags["capability"] == read and record.flags == ()


@pytest.mark.parametrize(
    ("stored", "paper"),
    [
        ("room_movement", "objects_room_movement"),
        ("nth_mth_room_area_comparison", "nth_mth_visit_room_size"),
        ("nth_mth_room_identity_comparison", "nth_mth_visit_room_same"),
        ("position_change_detection", "position_change_detection"),
        ("Movement Distance", "movement_distance"),
    ],
)
def test_subtasks_have_the_papers_names(stored: str, paper: str) -> None:
    record = read_record(row(3, subcategory=stored))
    assert record.tags["subtask"] == (paper,) and record.flags == () and record.told["subcategory"] == stored


def test_state_types_in_every_spelling() -> None:
    for told, read in {"intra_state": "intra-state", "Inter-State": "inter-states", "intra": "intra-state"}.items():
        category = "object_info" if read == "intra-state" else "object_changes"
        assert read_record(row(0, category, state_type=told)).tags["state_type"] == (read,)


CELL = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12) | st.lists(st.text(max_size=4))
FIELDS = st.fixed_dictionaries(
    {}, optional={name: CELL | st.dictionaries(st.text(max_size=2), CELL) for name in row(0)}
)


@given(FIELDS)
def test_no_cell_brings_the_reader_down(changes: dict[str, Any]) -> None:
    try:
        read = read_record(row(4) | changes)
    except UnusableError as error:
        assert error.code in LEFT_OUT
        return
    assert read.answer and all(0 <= place < len(read.options) for place in read.answer)
    assert set(read.flags) <= set(KEPT) and all(read.options) and read.stem and read.scene and read.task


def test_what_is_no_release_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        read_release(tmp_path / "nowhere")
    with pytest.raises(InputError, match="no questions found, the folder has no table"):
        read_release(tmp_path)
    write_rows(tmp_path / "other.jsonl", [{"question": "What?", "answer": "A"}])
    with pytest.raises(InputError, match=r"other\.jsonl: has no column for scene_id, options \(found"):
        read_release(tmp_path)
    write_rows(tmp_path / "other.json", [row(0) | {"category": "weather"}])
    with pytest.raises(InputError, match=r"none of the categories in this file \(weather\)"):
        read_release(tmp_path)
    write_rows(tmp_path / "other.json", [row(0, answer=[])])
    with pytest.raises(InputError, match=r"none of the 1 rows is a question of M3-Verse \(no answer: 1 rows\)"):
        read_release(tmp_path)
    write_rows(tmp_path / "more.json", [row(0)])
    with pytest.raises(InputError, match=r"several files .*more\.json, other\.json"):
        read_release(tmp_path)
    (tmp_path / "notes.txt").write_text("none")
    with pytest.raises(InputError, match="contains no questions"):
        read_release(tmp_path / "notes.txt")


def test_a_packed_release_is_to_be_unpacked(tmp_path: Path) -> None:
    write_rows(tmp_path / "qa.jsonl", [row(0)])
    (tmp_path / "videos.zip").write_bytes(b"")
    with pytest.raises(InputError, match=r"unpack videos\.zip first"):
        read_release(tmp_path)


def test_a_video_that_cannot_be_decoded_takes_its_questions_along(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", [row(0), row(1), row(3)])
    (release / "scene_0" / "state_1" / "video.mp4").write_bytes(b"no video" * 100)
    made = import_release("m3", release, tmp_path / "bench")
    assert found(made) == {"broken_clip": [1, 3]} and len(made.benchmark.questions) == 1


def test_none_is_written_as_the_paper_has_it() -> None:
    assert NONE in row(3)["options"][-1] and read_record(row(3)).tags["hallucination"] == ("yes",)
