"""The benchmark folder: loss-free tables, readable elsewhere, and one sentence for each thing that can be wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from question_examples import DRAFT, PICTURED, question

from chronotope.errors import InputError
from chronotope.question import (
    SCHEMA_VERSION,
    Benchmark,
    measure_media,
    open_benchmark,
    read_questions,
    validate,
    write_benchmark_tables,
)


def test_a_folder_opens_as_it_was_written(whole: Path) -> None:
    benchmark = open_benchmark(whole)
    assert validate(whole, deep=True) == [] and validate(benchmark, deep=True) == []
    assert [made.id for made in benchmark.questions] == [
        *("q0", "q1", "q3", "q4"),
        *("q0-none-distractor", "q0-none-answer", "q0-open"),
    ]
    assert benchmark.questions[2] == PICTURED
    clip = benchmark.media["clips/one.mp4"]
    assert (clip.kind, clip.width, clip.height, clip.frames, clip.fps) == ("video", 64, 36, 12, 10.0)
    assert clip.duration_s == pytest.approx(1.2)
    picture = benchmark.media["images/b.jpg"]
    assert (picture.kind, picture.width, picture.height, picture.frames, picture.fps) == ("image", 64, 36, None, None)
    counts = benchmark.card.counts
    assert (counts.questions, counts.clusters, counts.clips, counts.pictures) == (7, 1, 1, 2)
    assert counts.variants == {"base": 4, "none_answer": 1, "none_distractor": 1, "open": 1}
    assert benchmark.card.refusals == DRAFT.refusals and benchmark.card.content_hash
    assert sorted(path.name for path in whole.iterdir()) == [
        *("card.yaml", "clips", "images", "media.parquet", "questions.parquet"),
    ]


def test_the_same_questions_make_the_same_bytes(folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    benchmark = open_benchmark(folder)
    backwards = dict(reversed(benchmark.media.items()))
    card = write_benchmark_tables(folder, benchmark.card, benchmark.questions, backwards)
    assert card == benchmark.card
    assert before == {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_folder_that_would_be_invalid_is_not_written(folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    benchmark = open_benchmark(folder)
    with pytest.raises(InputError, match=r"row 2 \(id 'q0'\), column 'id'.*\(and 1 other fault\)"):
        wrong = [question(0), question(0, answer=(9,))]
        write_benchmark_tables(folder, DRAFT, wrong, benchmark.media)
    with pytest.raises(InputError, match=r"'q0'.*provenance"):
        write_benchmark_tables(folder, DRAFT, [question(0, provenance={"a": float("nan")})], benchmark.media)
    with pytest.raises(InputError, match=r"'q0'.*UTF-8"):
        write_benchmark_tables(folder, DRAFT, [question(0, stem="half \ud800")], benchmark.media)
    with pytest.raises(InputError, match=r"has the key 'clips/two\.mp4'"):
        write_benchmark_tables(folder, DRAFT, [], {"clips/two.mp4": benchmark.media["clips/one.mp4"]})
    assert before == {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# Versions -------------------------------------------------------------------------------------------------------------


def test_the_version_is_in_the_tables_and_a_newer_one_is_refused(folder: Path) -> None:
    for name in ("questions.parquet", "media.parquet"):
        table = pq.read_table(folder / name)
        assert table.schema.metadata[b"chronotope.schema_version"] == str(SCHEMA_VERSION).encode()
        pq.write_table(table.replace_schema_metadata({"chronotope.schema_version": "99"}), folder / name)
        sentence = f"{folder / name}: schema version 99, but this version reads up to {SCHEMA_VERSION}"
        assert any(fault.startswith(sentence) for fault in validate(folder))
    with pytest.raises(InputError, match="version 99"):
        read_questions(folder / "questions.parquet")


def test_a_newer_card_is_refused(folder: Path) -> None:
    edit_card(folder, schema_version=99, novelty=1)
    assert any("card.yaml: schema version 99" in fault for fault in validate(folder))


# Faults ---------------------------------------------------------------------------------------------------------------


def edit_card(folder: Path, **changes: Any) -> None:
    card = yaml.safe_load((folder / "card.yaml").read_text())
    (folder / "card.yaml").write_text(yaml.safe_dump(card | changes))


def edit_row(folder: Path, table: str, number: int, edit: Callable[[dict[str, Any]], None]) -> None:
    """Change one row (from 1) of a table as a foreign tool would, past our writer."""
    found = pq.read_table(folder / table)
    rows = found.to_pylist()
    edit(rows[number - 1])
    schema = pa.schema([(field.name, lax(field.type)) for field in found.schema], metadata=found.schema.metadata)
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), folder / table)


def lax(kind: pa.DataType) -> pa.DataType:
    """The same type with nulls allowed everywhere."""
    if pa.types.is_list(kind):
        return pa.list_(lax(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([(field.name, lax(field.type)) for field in kind.fields])
    return kind


def put(column: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda row: row.__setitem__(column, value)


def put_in(column: str, place: int, key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda row: row[column][place].__setitem__(key, value)


QUESTION_FAULTS: dict[str, tuple[int, Callable[[dict[str, Any]], None], str, str]] = {
    "repeated id": (2, put("id", "q0"), "id", "row 1 has the same id"),
    "empty id": (2, put("id", ""), "id", "empty"),
    "null stem": (2, put("stem", None), "stem", "stem is null"),
    "family": (1, put("family", "ikea"), "family", "unknown family 'ikea'; expected the card's, 'sti'"),
    "variant": (1, put("variant", "twisted"), "variant", "unknown variant 'twisted'"),
    "answer outside": (1, put("answer", [5]), "answer", "index 5 is outside the 5 options; expected 0 to 4"),
    "negative answer": (1, put("answer", [-1]), "answer", "index -1 is outside"),
    "answer twice": (1, lambda row: row.update(answer=[1, 1], multiple=True), "answer", "an index occurs twice"),
    "no answer": (1, put("answer", []), "answer", "'answer' and 'expected' are both empty"),
    "several answers": (1, put("answer", [0, 1]), "answer", "2 correct options, but 'multiple' is false"),
    "one option": (
        1,
        lambda row: row["options"].__delitem__(slice(1, None)),
        "options",
        "1 options; expected at least 2",
    ),
    "equal options": (1, put_in("options", 3, "text", "0.10m/s"), "options", "options 0 and 3 are equal ('0.10m/s')"),
    "empty option": (1, put_in("options", 3, "text", None), "options", "option 3 has neither text nor picture"),
    "unknown picture": (
        3,
        put_in("options", 0, "image", "images/z.png"),
        "options",
        "'images/z.png' is not in media.parquet",
    ),
    "clip as option": (3, put_in("options", 0, "image", "clips/one.mp4"), "options", "expected a picture"),
    "unknown clip": (1, put_in("media", 0, "paths", ["clips/z.mp4"]), "media", "'clips/z.mp4' is not in media.parquet"),
    "no path": (1, put_in("media", 0, "paths", []), "media", "0 paths for the video 'video'; expected exactly one"),
    "kind": (1, put_in("media", 0, "kind", "film"), "media", "unknown kind 'film'"),
    "picture as video": (3, put_in("media", 0, "kind", "video"), "media", "expected 'video'"),
    "null path": (3, put_in("media", 1, "paths", ["images/a.png", None]), "media", "media[1].paths[1] is null"),
    "null option": (1, put("options", [{"text": "a", "image": None}, None]), "options", "options[1] is null"),
    "null in the window": (1, put("window", {"start": None, "end": 1.0}), "window", "window.start is null"),
    "window backwards": (1, put("window", {"start": 0.9, "end": 0.2}), "window", "0.9 s to 0.2 s; expected 0 <= start"),
    "window not a number": (1, put("window", {"start": float("nan"), "end": 1.0}), "window", "expected 0 <= start"),
    "window too long": (
        1,
        put("window", {"start": 0.0, "end": 1.31}),
        "window",
        "ends at 1.31 s, after the end of the clip",
    ),
    "item too long": (1, put_in("media", 0, "end", 1.31), "media", "ends at 1.31 s, after the end of the clip"),
    "no base": (5, put("base", None), "base", "null for a question of variant 'none_distractor'"),
    "foreign base": (5, put("base", "q99"), "base", "'q99' is not a base question in this table"),
    "variant as base": (5, put("base", "q0-open"), "base", "'q0-open' is not a base question in this table"),
    "base of a base": (2, put("base", "q0"), "base", "a base question has the base 'q0'"),
    "open with answer": (7, put("answer", [0]), "answer", "an open question has indices"),
    "provenance": (1, put("provenance", "{seed: 3}"), "provenance", "not JSON"),
    "provenance NaN": (1, put("provenance", '{"a": NaN}'), "provenance", "NaN is not a JSON number"),
    "provenance list": (1, put("provenance", "[1]"), "provenance", "JSON of type list; expected a JSON object"),
    "tag twice": (
        1,
        lambda row: row["tags"].append({"key": "scene", "values": []}),
        "tags",
        "a key occurs twice",
    ),
}


@pytest.mark.parametrize("name", QUESTION_FAULTS)
def test_each_fault_of_a_question_is_told_where_it_is(folder: Path, name: str) -> None:
    number, edit, column, words = QUESTION_FAULTS[name]
    edit_row(folder, "questions.parquet", number, edit)
    row = pq.read_table(folder / "questions.parquet").to_pylist()[number - 1]
    start = f"{folder / 'questions.parquet'}, row {number} (id {row['id']!r}), column {column!r}: "
    faults = validate(folder)
    assert any(fault.startswith(start) and words in fault[len(start) :] for fault in faults), faults
    with pytest.raises(InputError, match=r"questions.parquet, row"):
        open_benchmark(folder)


MEDIA_FAULTS: dict[str, tuple[Callable[[dict[str, Any]], None], str, str]] = {
    "missing": (put("path", "clips/gone.mp4"), "path", "'clips/gone.mp4' is not in"),
    "absolute": (put("path", "/etc/hostname"), "path", "not safe"),
    "parent": (put("path", "clips/../../secret.mp4"), "path", "not safe"),
    "backslash": (put("path", "clips\\one.mp4"), "path", "not safe"),
    "drive": (put("path", "C:/one.mp4"), "path", "not safe"),
    "twice": (put("path", "images/a.png"), "path", "occurs twice"),
    "kind": (put("kind", "frames"), "kind", "unknown kind 'frames'"),
    "hash": (put("sha256", "abc"), "sha256", "not a SHA-256"),
    "size": (put("width", 0), "width", "expected at least 1 x 1"),
    "rate": (put("fps", float("nan")), "fps", "expected a positive number"),
    "null": (put("height", None), "height", "null; expected a value"),
}


@pytest.mark.parametrize("name", MEDIA_FAULTS)
def test_each_fault_of_a_media_file_is_told_where_it_is(folder: Path, name: str) -> None:
    edit, column, words = MEDIA_FAULTS[name]
    edit_row(folder, "media.parquet", 1, edit)  # clips/one.mp4
    start = f"{folder / 'media.parquet'}, row "
    place = f", column {column!r}: "
    faults = validate(folder)
    assert any(fault.startswith(start) and place in fault and words in fault for fault in faults), faults


def test_declared_defects_of_released_sets_are_no_fault(folder: Path) -> None:
    def spoil(row: dict[str, Any]) -> None:
        row["options"][3]["text"] = "0.10m/s"
        row["window"]["end"] = 9.0

    edit_row(folder, "questions.parquet", 1, spoil)
    assert len([fault for fault in validate(folder) if "row 1 " in fault]) == 2
    edit_row(folder, "questions.parquet", 1, put("flags", ["equal_options", "window_past_clip"]))
    assert not [fault for fault in validate(folder) if "row 1 " in fault]


def test_a_file_that_is_gone_or_changed_is_told(folder: Path) -> None:
    benchmark = open_benchmark(folder)
    (folder / "images/a.png").write_bytes((folder / "images/b.jpg").read_bytes())
    assert validate(folder) == []
    assert any("column 'sha256': 'images/a.png' has changed" in fault for fault in validate(folder, deep=True))
    (folder / "images/a.png").unlink()
    for faults in (validate(folder), validate(benchmark)):
        assert any("column 'path': 'images/a.png' is not in" in fault for fault in faults)


def test_a_benchmark_of_no_question_is_one(tmp_path: Path) -> None:
    write_benchmark_tables(tmp_path, DRAFT, [], {})
    assert open_benchmark(tmp_path).questions == () and read_questions(tmp_path / "questions.parquet") == ()


def test_reading_questions_names_the_row(folder: Path) -> None:
    edit_row(folder, "questions.parquet", 2, put("stem", None))
    with pytest.raises(InputError, match=r"questions\.parquet, row 2 \(id 'q1'\), column 'stem': stem is null"):
        read_questions(folder / "questions.parquet")
    edit_row(folder, "questions.parquet", 1, put("provenance", "{"))
    edit_row(folder, "questions.parquet", 2, put("stem", "back"))
    with pytest.raises(InputError, match=r"row 1 \(id 'q0'\), column 'provenance': not JSON"):
        read_questions(folder / "questions.parquet")


def test_bytes_that_were_hit_get_a_sentence_at_most(folder: Path) -> None:
    rng = np.random.default_rng(0)
    for name in ("questions.parquet", "media.parquet", "card.yaml"):
        whole = (folder / name).read_bytes()
        told = 0
        for cut in range(25):
            torn = bytearray(whole)
            for place in rng.integers(len(torn), size=3):
                torn[place] = rng.integers(256)
            (folder / name).write_bytes(torn[: rng.integers(len(torn))] if cut % 5 == 0 else torn)
            told += bool(validate(folder))
        assert told >= 15
        (folder / name).write_bytes(whole)
    assert validate(folder) == []


def test_a_card_that_does_not_belong_to_the_tables_is_told(folder: Path) -> None:
    edit_row(folder, "questions.parquet", 1, put("stem", "Another?"))
    assert any("field 'content_hash': the tables have changed" in fault for fault in validate(folder))
    edit_row(folder, "questions.parquet", 1, put("task", "Another"))
    assert any("field 'counts': tasks differ" in fault for fault in validate(folder))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"profile": "loose"}, "field 'profile'"),
        ({"novelty": 1}, "field 'novelty': Extra inputs are not permitted, found 1"),
        ({"version": 1.0}, "field 'version': Input should be a valid string, found 1.0"),
        ({"counts": {"questions": "many"}}, "field 'counts.questions'"),
    ],
)
def test_a_wrong_card_is_told_with_its_field(folder: Path, changes: dict[str, Any], words: str) -> None:
    edit_card(folder, **changes)
    with pytest.raises(InputError, match=r"card\.yaml, field") as caught:
        open_benchmark(folder)
    assert words in str(caught.value)


def test_missing_and_broken_files_are_told(folder: Path) -> None:
    (folder / "card.yaml").unlink()
    (folder / "media.parquet").unlink()
    (folder / "questions.parquet").write_bytes(b"PAR1 not really")
    faults = validate(folder)
    assert [fault.split(":")[0] for fault in faults] == [
        str(folder / name) for name in ("card.yaml", "questions.parquet", "media.parquet")
    ]
    with pytest.raises(InputError, match=r"card\.yaml: missing.*\(and 2 other faults\)"):
        open_benchmark(folder)
    assert len(validate(folder / "nowhere")) == 3


def test_foreign_columns_are_told(folder: Path) -> None:
    table = pq.read_table(folder / "questions.parquet")
    answers = pa.array([str(answer) for answer in table["answer"].to_pylist()])
    options = pa.array([[option["text"] for option in row] for row in table["options"].to_pylist()])
    table = table.set_column(table.schema.get_field_index("answer"), "answer", answers)
    table = table.set_column(table.schema.get_field_index("options"), "options", options).drop_columns(["stem"])
    pq.write_table(table, folder / "questions.parquet")
    faults = validate(folder)
    path = folder / "questions.parquet"
    assert f"{path}, column 'stem': missing; expected one column of type string" in faults
    assert any(fault.startswith(f"{path}, column 'answer': expected type list<element: int32") for fault in faults)
    assert any(fault.startswith(f"{path}, column 'options': expected type list<element: struct") for fault in faults)


def test_all_faults_are_told_at_once(folder: Path) -> None:
    edit_row(folder, "questions.parquet", 1, put("answer", [7]))
    edit_row(folder, "questions.parquet", 2, put("answer", [8]))
    with pytest.raises(InputError, match=r"row 1 .*index 7 .*\(and 1 other fault\)"):
        open_benchmark(folder)


def test_measuring_names_what_does_not_open(folder: Path) -> None:
    (folder / "images/torn.png").write_bytes((folder / "images/a.png").read_bytes()[:200])
    with pytest.raises(InputError, match=r"torn\.png"):
        measure_media(folder, ["images/torn.png"])
    with pytest.raises(InputError, match=r"none\.mp4"):
        measure_media(folder, ["clips/none.mp4"])
    with pytest.raises(InputError, match="not safe"):
        measure_media(folder, ["../outside.png"])
    assert list(measure_media(folder, ["images/b.jpg", "images/a.png", "images/b.jpg"])) == [
        "images/b.jpg",
        "images/a.png",
    ]


def test_a_benchmark_in_memory_is_judged_alike(whole: Path) -> None:
    benchmark = open_benchmark(whole)
    spoilt = Benchmark(whole, benchmark.card, (question(0, answer=(6,)), *benchmark.questions[1:]), benchmark.media)
    assert [fault.split(", ", 1)[1] for fault in validate(spoilt)] == [
        "row 1 (id 'q0'), column 'answer': index 6 is outside the 5 options; expected 0 to 4"
    ]
