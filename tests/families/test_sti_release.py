"""The released STI-Bench set becomes a benchmark: what is there is kept as it is, what is wrong is named."""

import json
import os
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.errors import InputError
from chronotope.families import UnusableError, family, read_reference
from chronotope.families.sti.release import read_release
from chronotope.families.sti.release.rows import read_row, scene_of
from chronotope.io import sha256_file
from chronotope.make import Imported, import_release
from chronotope.media import probe
from chronotope.protocol import MediaFacts
from chronotope.question import Option, Window, open_benchmark, validate
from sti_released import CLIPS, COUNTS, as_mirror, published_rows, row, write_clips, write_release, write_table

SCENES = ("Outdoor", "Indoor", "Desktop")


def imported(tmp_path: Path, rows: list[dict[str, Any]], **how: str) -> Imported:
    return import_release("sti", write_release(tmp_path / "release", rows, **how), tmp_path / "bench")


def found(of: Imported) -> dict[str, tuple[str, ...]]:
    return {finding.code: finding.rows for finding in of.findings}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    return imported(tmp_path_factory.mktemp("whole"), published_rows())


def test_the_published_table_comes_back(whole: Imported) -> None:
    bench = open_benchmark(whole.benchmark.folder)
    assert validate(bench, deep=True) == []
    counted = {
        task: tuple(sum(q.task == task and q.tags["scene"] == (s,) for q in bench.questions) for s in SCENES)
        for task in COUNTS
    }
    assert counted == COUNTS
    assert len(bench.questions) == 2064 == len({question.id for question in bench.questions})
    reference = family("sti").paper.reference()
    assert reference.released.count(bench.questions) == reference.released.questions
    assert bench.card.profile == "paper" and bench.card.refusals == {}
    assert "MIT" in bench.card.licence and "Waymo" in bench.card.attributions[1]
    assert whole.left_out == 0
    assert set(found(whole)) <= {"repeated_id"}  # the IDs of the set made here start anew with each video


def test_an_item_is_as_released(whole: Imported) -> None:
    released = published_rows()
    for number, question in enumerate(open_benchmark(whole.benchmark.folder).questions):
        source = released[number]
        assert question.stem == source["Question"] and question.task == source["Task"]
        assert question.options == tuple(map(Option, source["Candidates"].values()))
        assert question.options[question.answer[0]].text == source["Answer Detail"]
        assert question.window == Window(source["time_start"], source["time_end"])
        assert question.cluster == Path(source["Video"]).stem
        assert question.tags["source"] == (source["Source"],) and question.tags["qtype"] == ("camera",)
        assert question.provenance["released"]["row"] == number + 1


def test_clips_take_no_room_and_are_unharmed(whole: Imported) -> None:
    first = sorted((whole.benchmark.folder / "clips").iterdir())[0]
    assert first.stat().st_nlink == 2
    assert len(whole.benchmark.media) == len({name for row in published_rows() for name in [row["Video"]]})
    assert sha256_file(first) == whole.benchmark.media[f"clips/{first.name}"].sha256


@pytest.mark.parametrize("form", ["qa.parquet", "qa.jsonl", "qa.json", "data/test-00000-of-00001.parquet"])
@pytest.mark.parametrize("clips", ["", "videos", "clips"])
def test_every_form_gives_the_same(tmp_path: Path, form: str, clips: str) -> None:
    rows = [row(number) for number in range(9)]
    authors = imported(tmp_path / "a", rows)
    other = imported(tmp_path / "b", rows, form=form, clips=clips)
    one, two = (open_benchmark(of.benchmark.folder).questions for of in (authors, other))
    for here, there in zip(one, two, strict=True):
        assert (here.id, here.stem, here.options, here.answer, here.window, here.tags) == (
            (there.id, there.stem, there.options, there.answer, there.window, there.tags)
        )


@pytest.mark.parametrize("form", ["qa.parquet", "qa.jsonl", "STIBench.tsv"])
def test_the_mirror_says_the_same(tmp_path: Path, form: str) -> None:
    rows = [row(number, scene=number % 3) for number in range(12)]
    authors = open_benchmark(imported(tmp_path / "a", rows).benchmark.folder).questions
    mirror = imported(tmp_path / "b", [as_mirror(one) for one in rows], form=form)
    assert mirror.findings == () and "mirror" in mirror.notes[0]
    for here, there in zip(authors, open_benchmark(mirror.benchmark.folder).questions, strict=True):
        assert (here.stem, here.options, here.answer, here.window) == (
            (there.stem, there.options, there.answer, there.window)
        )
        assert here.tags["scene"] == there.tags["scene"]  # from the name of the clip alone


def test_a_broken_tab_separated_table_is_told(tmp_path: Path) -> None:
    file = write_table(tmp_path / "STIBench.tsv", [as_mirror(row(number)) for number in range(3)])
    file.write_text(file.read_text() + "4\tonly two cells\n")
    with pytest.raises(InputError, match=r"STIBench.tsv, row 4: the number of cells differs from the first line"):
        import_release("sti", file, tmp_path / "bench", write_clips(tmp_path / "clips"))
    file.write_bytes(b"video\tquestion\n\xff\t1\n")
    with pytest.raises(InputError, match=r"STIBench.tsv: cannot be read .*expected text in UTF-8"):
        import_release("sti", file, tmp_path / "bench", tmp_path / "clips")


def test_candidates_may_be_a_json_string(tmp_path: Path) -> None:
    rows = [row(n) for n in range(6)]
    strings = [one | {"Candidates": json.dumps(one["Candidates"])} for one in rows]
    assert [q.options for q in imported(tmp_path / "a", rows).benchmark.questions] == [
        q.options for q in imported(tmp_path / "b", strings).benchmark.questions
    ]


def test_candidates_may_be_a_map_column(tmp_path: Path) -> None:
    rows = [row(n) for n in range(6)]
    release = write_release(tmp_path / "map", rows)
    plain = pq.read_table(release / "qa.parquet")
    pairs = pa.array([list(one["Candidates"].items()) for one in rows], pa.map_(pa.string(), pa.string()))
    pq.write_table(
        plain.set_column(plain.column_names.index("Candidates"), "Candidates", pairs), release / "qa.parquet"
    )
    made = import_release("sti", release, tmp_path / "bench")
    assert [q.options for q in made.benchmark.questions] == [
        q.options for q in imported(tmp_path / "plain", rows).benchmark.questions
    ]


ODD_CELLS = [
    {"Candidates": "{['a']: 'x'}"},
    {"Candidates": "[{'a': b'x'}, '2', '3', '4', '5']"},
    {"Candidates": "[{'a': {1, 2}}, '2', '3', '4', '5']"},
    {"Candidates": "[('A', '1m'), ('A', '2m'), ('C', '3m')]"},  # one letter twice
    {"Candidates": "[{1, 2}, (1, 2), '3', '4', '5']"},
    {"Candidates": "[..., '2', '3', '4', '5']"},
    {"time_start": 10**400},
    {"time_end": 10**4200},
]


@pytest.mark.parametrize("form", ["qa.jsonl", "qa.json"])
def test_odd_cells_are_unreadable_rows(tmp_path: Path, form: str) -> None:
    rows = [row(0), *(row(n + 1) | cells for n, cells in enumerate(ODD_CELLS)), row(20, ID="long"), row(21)]
    release = write_release(tmp_path / "release", rows, form)
    table = release / form
    table.write_text(table.read_text().replace('"long"', "-" + "9" * 5000))  # more digits than Python reads
    made = import_release("sti", release, tmp_path / "bench")
    [(code, names)] = found(made).items()
    assert code == "unreadable" and [int(name.split()[1]) for name in names] == list(range(2, len(rows)))
    assert len(made.benchmark.questions) == 2


def test_of_several_broken_clips_the_reason_told_is_called_the_firsts(tmp_path: Path) -> None:
    rows = [row(n, scene=1) for n in range(3)]
    release = write_release(tmp_path / "release", rows)
    whole = (release / "video" / rows[1]["Video"]).read_bytes()
    (release / "video" / rows[1]["Video"]).write_bytes(whole[: len(whole) // 2])
    (release / "video" / rows[2]["Video"]).write_bytes(b"")
    [broken] = import_release("sti", release, tmp_path / "bench").findings
    assert rows[1]["Video"] in broken.words and "the first of 2 files" in broken.words


def test_defects_are_kept_and_flagged(tmp_path: Path) -> None:
    texts = dict(zip("ABCDE", ["1m", "2m", "2m", "4m", "5m"], strict=True))
    rows = [
        row(0),
        row(1) | {"ID": 0, "Video": row(0)["Video"]},
        row(2) | {"Answer Detail": "another"},
        row(3) | {"Candidates": texts, "Answer Detail": "4m"},
        row(4) | {"Candidates": {"A": "1m", "B": "2m", "C": "3m", "D": None, "E": None}, "Answer": "C"},
        row(5) | {"time_end": 2.1},  # the last moment: the clip's end and one frame
        row(6) | {"time_end": 2.2},
        row(7) | {"Task": "Counting"},
        row(8) | {"Video": "house.mp4", "Source": "Somewhere"},
    ]
    release = write_release(tmp_path / "release", rows)
    shutil.copy(release / "video" / CLIPS[0], release / "video" / "house.mp4")
    made = import_release("sti", release, tmp_path / "bench")
    assert {code: [name.split()[1] for name in names] for code, names in found(made).items()} == {
        "repeated_id": ["2"],
        "answer_detail_differs": ["3", "5"],
        "equal_options": ["4"],
        "not_five_options": ["5"],
        "window_past_clip": ["7"],
        "unknown_task": ["8"],
        "unknown_scene": ["9"],
    }
    assert made.left_out == 0 and all(not finding.left_out for finding in made.findings)
    questions = open_benchmark(made.benchmark.folder).questions
    assert len(questions) == len(rows)
    assert questions[1].id == questions[0].id + "-row2"
    assert [len(q.options) for q in questions][4] == 3 and questions[4].answer == (2,)
    assert "scene" not in questions[8].tags
    assert {flag for q in questions for flag in q.flags} == set(found(made))


def test_what_cannot_be_asked_is_left_out_and_named(tmp_path: Path) -> None:
    rows = [
        row(0),
        row(1) | {"Answer": "F"},
        row(2) | {"Answer": "AB"},
        row(3) | {"Answer": None},
        row(4) | {"Video": "scene0099_00.mp4"},
        row(5) | {"Question": "  "},
        row(6) | {"time_start": 1.0, "time_end": 0.5},
        row(7) | {"time_start": -0.1},
        row(8) | {"time_end": float("nan")},
        row(9) | {"Video": "scene0003_00.mp4"},
        row(10) | {"Candidates": {"A": "1m", "B": None, "C": "3m", "D": "4m", "E": "5m"}},
        row(11) | {"Video": "../video/scene0000_00.mp4"},
        row(12) | {"Answer": "E", "Candidates": {"A": "1m", "B": "2m", "C": "3m", "D": "4m", "E": None}},
    ]
    release = write_release(tmp_path / "release", rows)
    (release / "video" / "scene0003_00.mp4").write_bytes(b"no clip at all" * 100)
    made = import_release("sti", release, tmp_path / "bench")
    numbers = {code: [int(name.split()[1]) for name in names] for code, names in found(made).items()}
    assert numbers == {
        "unreadable": [6, 9, 11],
        "no_such_option": [2, 3, 4, 13],
        "reversed_window": [7, 8],
        "missing_clip": [5],
        "broken_clip": [10],
    }
    assert made.left_out == 11
    bench = open_benchmark(made.benchmark.folder)
    assert [q.provenance["released"]["row"] for q in bench.questions] == [1, 12]  # found by name, not by the path
    assert sum(sum(codes.values()) for codes in bench.card.refusals.values()) == 11
    assert not (made.benchmark.folder / "clips" / "scene0003_00.mp4").exists()
    [broken] = [finding for finding in made.findings if finding.code == "broken_clip"]
    assert str(release / "video" / "scene0003_00.mp4") in broken.words  # where the person has it


def test_names_that_would_clash_stay_apart(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", [row(0)])
    for name in ("Scene0001_00.mp4", "scene0001_00.mp4"):
        shutil.copy(release / "video" / CLIPS[0], release / "video" / name)
    rows = [row(0) | {"Video": name, "ID": 1} for name in ("Scene0001_00.mp4", "scene0001_00.mp4")]
    write_table(release / "qa.parquet", rows)
    questions = import_release("sti", release, tmp_path / "bench").benchmark.questions
    assert len({q.id for q in questions}) == len({q.cluster for q in questions}) == len(questions) == 2


def test_links_of_a_hub_are_followed(tmp_path: Path) -> None:
    blobs = write_clips(tmp_path / "blobs", CLIPS[4:7])
    (tmp_path / "release" / "video").mkdir(parents=True)
    for name in CLIPS[4:7]:
        (tmp_path / "release" / "video" / name).symlink_to(os.path.relpath(blobs / name, tmp_path / "release/video"))
    write_table(tmp_path / "release" / "qa.parquet", [row(n) for n in range(3)])
    made = import_release("sti", tmp_path / "release", tmp_path / "bench")
    shutil.rmtree(tmp_path / "release")
    assert validate(made.benchmark.folder, deep=True) == []


def test_clips_elsewhere(tmp_path: Path) -> None:
    clips = write_clips(tmp_path / "elsewhere")
    file = write_table(tmp_path / "qa.parquet", [row(0)])
    with pytest.raises(InputError, match=r"no clip of the release, such as .* --clips"):
        import_release("sti", file, tmp_path / "bench")
    assert not (tmp_path / "bench").exists()
    assert len(import_release("sti", file, tmp_path / "bench", clips).benchmark.questions) == 1
    (tmp_path / "video.zip").write_bytes(b"")
    with pytest.raises(InputError, match=r"unpack video\.zip first"):
        import_release("sti", file, tmp_path / "other")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("qa.parquet", b"PAR1 no", "not a Parquet file"),
        ("qa.parquet", b"", "not a Parquet file"),
        ("qa.json", b"{", "not JSON at line 1"),
        ("qa.json", b"[1, 2]", "expected a JSON list of questions"),
        ("qa.json", b"[]", "no column for"),
        ("qa.json", b"[" * 100_000, "nested too deeply|not JSON"),
        ("qa.jsonl", b'{"Video": 1}\nno\n', "line 2: is not JSON"),
        ("qa.jsonl", b"[1]\n", "line 1: expected a JSON object"),
        ("qa.jsonl", b"\xff\xfe\n", "UTF-8"),
        (
            "qa.jsonl",
            b'{"question": "x", "answer": "A", "image": "y"}\n',
            r"no column for video, task, .*found question",
        ),
        ("qa.csv", b"a,b\n", "contains no questions"),
    ],
)
def test_foreign_files_are_one_sentence(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=words) as told:
        read_release(tmp_path / name)
    assert name in str(told.value) and "\n" not in str(told.value)


def test_other_benchmarks_and_folders_are_refused(tmp_path: Path) -> None:
    write_clips(tmp_path)
    other = write_table(tmp_path / "qa.jsonl", [as_mirror(row(n) | {"Task": "object_counting"}) for n in range(3)])
    with pytest.raises(InputError, match="none of the tasks in this file"):
        read_release(other)
    write_table(tmp_path / "qa.jsonl", [row(n) | {"Answer": "Z"} for n in range(3)])
    with pytest.raises(InputError, match=r"none of the 3 rows is a question .*an answer that is not"):
        read_release(tmp_path)
    write_table(tmp_path / "more.json", [row(0)])
    with pytest.raises(InputError, match=r"several files .*more\.json, qa\.jsonl"):
        read_release(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="the folder has no table"):
        read_release(tmp_path / "empty")
    with pytest.raises(InputError, match="no such file"):
        read_release(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("source", "video", "scene"),
    [
        ("Waymo", "anything.mp4", "Outdoor"),
        ("ScanNet", "00010.mp4", "Indoor"),
        ("Omni6DPose", "x", "Desktop"),
        ("", "123_45_000_65_000_camera_5.mp4", "Outdoor"),
        ("", "123_camera_6.mp4", None),
        ("", "scene0001_00.mp4", "Indoor"),
        ("", "scene001_00.mp4", None),
        ("", "00010.mp4", "Desktop"),
        ("", "000010.mp4", "Desktop"),
        ("", "٣.mp4", None),
        ("", "kitchen.mp4", None),
    ],
)
def test_scene_by_source_then_by_name(source: str, video: str, scene: str | None) -> None:
    assert scene_of(source, video) == scene


CELL = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.lists(st.text(max_size=3))
OF_LETTERS = st.dictionaries(st.sampled_from("ABCDEFae1 "), CELL, max_size=6)


NEEDED = ("video", "question", "task", "candidates", "answer", "time_start", "time_end")


@given(st.fixed_dictionaries(dict.fromkeys([*NEEDED, "id", "source", "answer_detail"], CELL | OF_LETTERS)))
def test_no_cell_brings_the_reader_down(values: dict[str, Any]) -> None:
    try:
        read = read_row(values)
    except UnusableError:
        return
    assert 0 <= read.answer < len(read.options) and 0 <= read.window.start <= read.window.end


# The clips' facts, by another tool: frames and frames per second.
REAL = {"00010": (906, 30), "1024360143612057520_3580_000_3600_000_camera_1": (199, 10), "scene0001_00": (1544, 30)}


@pytest.mark.parametrize("sampling", ["uniform", "stride"])
def test_real_clips_give_the_published_frames(test_data: Path, tmp_path: Path, sampling: str) -> None:
    clips = test_data / "sti" / "clips"
    rows = [row(n) | {"Video": f"{stem}.mp4", "Source": ""} for n, stem in enumerate(REAL)]
    file = write_table(tmp_path / "qa.parquet", rows)
    made = import_release("sti", file, tmp_path / "bench", clips)
    bench = open_benchmark(made.benchmark.folder)
    sti = family("sti")
    settings, facts = (
        sti.RunSettings(sampling=sampling),
        MediaFacts({path: probe(bench.folder / path) for path in bench.media}),
    )
    for question, (stem, (frames, fps)) in zip(bench.questions, REAL.items(), strict=True):
        assert bench.media[f"clips/{stem}.mp4"].frames == frames
        [ask] = sti.protocol.asks(question, settings, facts)
        step = max(1, frames // 30)
        # Python rounds halves of a fraction to the even neighbour.
        wanted = [round(Fraction(i * (frames - 1), 29)) if sampling == "uniform" else i * step for i in range(30)]
        assert ask.plans[0] is not None and list(ask.plans[0].indices) == wanted
        rate = Fraction(30 * fps, frames) if sampling == "uniform" else Fraction(fps, step)
        text = sti.protocol.parts(ask, question, facts)[0].text
        assert f"about {float(rate):.2f} FPS" in text and "Question: From 0.1 seconds to" in text


# Published results ---------------------------------------------------------------------------------------------------


def published() -> dict[str, Any]:
    return {table.source: table for table in read_reference("chronotope.families.sti").tables}


def by_model(source: str) -> dict[str, dict[str, Any]]:
    table = published()[source]
    names = [column.name for column in table.columns]
    return {of.model: dict(zip(names, of.values, strict=True)) for of in table.rows}


def test_averages_of_table_2_are_over_questions_but_for_the_two_misprints() -> None:
    off = {}
    for model, cells in by_model("Table 2").items():
        micro = sum(cells[task] * sum(of) for task, of in COUNTS.items()) / 2064
        if abs(micro - cells["Overall"]) > 0.1:
            off[model] = micro
    marked = {m.model: m.right for m in published()["Table 2"].misprints if m.column == "Overall"}
    assert set(off) == set(marked) == {"GPT-4o", "Gemini-2.0-Flash"}
    for model, right in marked.items():
        assert abs(off[model] - right) < 0.1 and by_model("Table 3")[model]["Overall"] == right


def test_every_overall_of_table_3_is_over_questions() -> None:
    weights = [sum(of[scene] for of in COUNTS.values()) for scene in range(3)]
    assert weights == [793, 865, 406] and not published()["Table 3"].misprints
    for cells in by_model("Table 3").values():
        micro = sum(cells[scene] * weight for scene, weight in zip(SCENES, weights, strict=True)) / 2064
        assert micro == pytest.approx(cells["Overall"], abs=0.1)


def test_cells_that_are_no_share_of_the_released_questions() -> None:
    def is_share(percent: float, of: int) -> bool:
        return any(abs(100 * k / of - percent) <= 0.05 + 1e-9 for k in range(of + 1))

    wrong = [
        (model, task, cells[task], sum(of))
        for model, cells in by_model("Table 2").items()
        for task, of in COUNTS.items()
        if not is_share(cells[task], sum(of))
    ]
    assert len(wrong) == 31
    hopeless = [(m, t) for m, t, value, n in wrong if not any(is_share(value, fewer) for fewer in range(1, n))]
    assert hopeless == [("VideoLLaMA3-7B", "Trajectory Description")]
    assert [(m.model, m.column) for m in published()["Table 2"].misprints if m.right is None] == hopeless


def test_table_1_is_as_printed_with_its_slip_marked() -> None:
    table = by_model("Table 1")
    assert len(table) == 10 and table["STI-Bench"]["QA pairs"] == "2,064"
    assert table["VSI-Bench"]["scene: desktop"] is True and table["VSI-Bench"]["scene: indoor"] is False
    rights = {m.column: m.right for m in published()["Table 1"].misprints}
    assert rights == {"scene: desktop": False, "scene: indoor": True}


def test_the_columns_are_those_of_the_protocol() -> None:
    tables = {table.key: table.columns for table in family("sti").protocol.tables([])}
    for table in published().values():
        if table.own is not None:
            assert {column.name for column in table.columns} <= set(tables[table.own])
            assert table.overall in tables[table.own]
            for misprint in table.misprints:
                assert misprint.model in {of.model for of in table.rows}
                assert misprint.column in {column.name for column in table.columns}
        assert all(len(of.values) == len(table.columns) for of in table.rows)
    questions = {column.name: column.questions for column in published()["Table 2"].columns}
    assert questions == {task: sum(of) for task, of in COUNTS.items()} | {"Overall": 2064}
