"""The released VGenST-Bench set becomes a benchmark: what is there is kept as it is, what is wrong is named."""

import hashlib
import json
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.cli.beside_paper import tell_counts
from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection, make_plan
from chronotope.evaluate.plan.plan import pictures_of
from chronotope.families import UnusableError, family
from chronotope.families.vgenst.release import read_release
from chronotope.families.vgenst.release.text import split_text
from chronotope.families.vgenst.tasks import ACTIVE, CONSTANT, LEVELS, ROLE_CONSTANT, TASKS, axes_of, is_informative
from chronotope.families.vgenst.tasks import TYPES as OUR_TYPES
from chronotope.make import Imported, import_release
from chronotope.models import Limits
from chronotope.protocol import PictureFile
from chronotope.question import Question, open_benchmark, validate
from commands import command
from vgenst_released import (
    MC,
    REJECTED,
    TYPES,
    changed,
    form,
    forms,
    matrix,
    row,
    theme,
    ugly,
    write_clips,
    write_metadata,
    write_release,
    write_table,
    write_whole,
)

QC = "QC_F_EGO_DYN"
VARIANTS = ("base", "none_distractor", "none_answer", "open")


def imported(tmp_path: Path, rows: list[dict[str, Any]], **how: Any) -> Imported:
    return import_release("vgenst", write_release(tmp_path / "release", rows, **how), tmp_path / "bench")


def counted(of: Imported) -> dict[str, int]:
    return {finding.code: len(finding.rows) for finding in of.findings}


def some_rows() -> list[dict[str, Any]]:
    """All eight types of MC for four clips; every other question has an open form."""
    return [row(MC, idx, kind, opened=idx % 2 == 0) for kind in matrix()[MC][0] for idx in range(4)]


def of_variant(of: Imported, variant: str) -> list[Question]:
    return [question for question in of.benchmark.questions if question.variant == variant]


def test_the_matrix_is_the_published_one() -> None:
    assert tuple(matrix()) == TASKS and OUR_TYPES == TYPES
    assert {task: kinds for task, (kinds, *_) in matrix().items()} == dict(ACTIVE)
    assert [len(ACTIVE[task]) for task in TASKS] == [8, 9, 8, 8, 7, 8, 7, 7, 8, 12, 8, 8]
    assert [sum(kind.startswith(level) for of in ACTIVE.values() for kind in of) for level in LEVELS] == [32, 45, 21]


def test_the_reference_is_the_matrix_less_what_was_rejected() -> None:
    reference = family("vgenst").paper.reference()
    assert sum(REJECTED.values()) == 93 and reference.released.total == 9707 and reference.released.clips == 1200
    for task, (kinds, base, *_) in matrix().items():
        short = task.partition("_")[0]
        of = {
            level: sum(100 - REJECTED.get(f"{short}-{kind[3:]}", 0) for kind in kinds if kind.startswith(level))
            for level in LEVELS
        }
        assert reference.released.questions[task] == of and sum(of.values()) == base
    levels = [sum(of[level] for of in reference.released.questions.values()) for level in LEVELS]
    assert levels == [3130, 4492, 2085]
    by_task = next(table for table in reference.tables if table.title == "Questions by task")
    for line in by_task.rows[:-1]:
        kinds, base, opened, total = matrix()[line.model]
        assert line.values == (len(kinds), 100, base, 2 * base + opened, total)
    assert by_task.rows[-1].values == (98, 1200, 9707, 23679, 33386)
    assert all(table.own is None for table in reference.tables)


def test_the_cells_that_tell_nothing() -> None:
    assert len(CONSTANT) == 15 and len(ROLE_CONSTANT) == 10 and not CONSTANT & ROLE_CONSTANT
    cells = {(task, kind) for task, of in ACTIVE.items() for kind in of}
    assert cells >= CONSTANT | ROLE_CONSTANT
    assert sum(is_informative(*cell) for cell in cells) == 98 - 25


def test_the_axes_of_a_task() -> None:
    assert axes_of(MC) == {"scale": "figural", "perspective": "egocentric", "dynamics": "static"}
    assert Counter(axes_of(task)["scale"] for task in TASKS) == {"figural": 4, "vista": 4, "environmental": 4}


def test_a_release_comes_back_as_it_is(tmp_path: Path) -> None:
    rows = some_rows()
    whole = imported(tmp_path, rows)
    bench = open_benchmark(whole.benchmark.folder)
    assert validate(bench, deep=True) == [] and whole.findings == () and whole.left_out == 0
    assert Counter(question.variant for question in bench.questions) == dict(
        zip(VARIANTS, (32, 32, 32, 16), strict=True)
    )
    assert len({question.id for question in bench.questions}) == 112
    bases = [question for question in bench.questions if question.variant == "base"]
    for released, question in zip(rows, bases, strict=True):
        told = {letter: text for letter, text in released["base"]["options"].items() if text is not None}
        assert [option.text for option in question.options] == list(told.values())
        assert released["base"]["answer"] == "ABCDEF"[question.answer[0]]
        assert released["base"]["question"].startswith(question.stem + " A. ")
        assert question.id == f"mc_f_ego_sta-{released['idx']:03d}-{released['qa_type'].lower()}"
        assert question.cluster == f"mc_f_ego_sta-{released['idx']:03d}"
        assert question.tags == {
            "type": (released["qa_type"],),
            "level": (released["qa_type"][:2],),
            "scale": ("figural",),
            "perspective": ("egocentric",),
            "dynamics": ("static",),
            "theme": (released["theme"].replace("_", " "),),
        }
        assert question.provenance["released"]["sample_id"] == released["sample_id"]
        assert [item.kind for item in question.media] == ["video"] and question.media[0].role == "video"
    assert len(whole.benchmark.media) == 4
    assert "4 as videos" in " ".join(whole.notes) and "16 questions have an open variant; for 16" in " ".join(
        whole.notes
    )
    assert bench.card.profile == "paper" and "NC" in bench.card.licence


def test_the_forms_of_a_question_keep_what_they_promise(tmp_path: Path) -> None:
    whole = imported(tmp_path, some_rows())
    bases = {question.id: question for question in of_variant(whole, "base")}
    for question in of_variant(whole, "none_distractor"):
        base = bases[question.base or ""]
        assert question.options[:-1] == base.options and question.options[-1].text == "None of these"
        assert question.answer == base.answer and question.stem == base.stem
    for question in of_variant(whole, "none_answer"):
        base = bases[question.base or ""]
        assert question.answer == base.answer and len(question.options) == len(base.options)
        texts = [option.text for option in question.options]
        assert texts.count("None of these") == 1 and texts[question.answer[0]] == "None of these"
        texts[question.answer[0]] = base.options[base.answer[0]].text
        assert texts == [option.text for option in base.options]
    for question in of_variant(whole, "open"):
        base = bases[question.base or ""]
        assert question.answer == () and question.options == base.options
        assert question.expected == base.options[base.answer[0]].text
        assert question.stem == f"{base.stem} Answer concisely without explanation."  # as it was released


def test_vary_makes_the_released_variants_by_the_papers_rule(tmp_path: Path) -> None:
    """Of the base questions alone, on the command line: what comes out is what was released as V1 and V2."""
    released = imported(tmp_path / "whole", some_rows())
    without = {"variant_NoT_distractor": None, "variant_NoT_answer": None, "variant_open_ended": None}
    bare = imported(tmp_path / "bare", [one | without for one in some_rows()])
    out = tmp_path / "varied"
    flags = ["--variant", "none_distractor,none_answer", "--rule", "paper", "--out", str(out)]
    command("vary", bare.benchmark.folder, *flags, code=0)
    made = open_benchmark(out)
    assert validate(made, deep=True) == [] and made.card.command.endswith("--rule paper")
    by_id = {question.id: question for question in made.questions}
    for variant in ("none_distractor", "none_answer"):
        of = of_variant(released, variant)
        assert len(of) == 32
        for question in of:
            ours = by_id[question.id]
            assert (ours.stem, ours.options, ours.answer) == (question.stem, question.options, question.answer)


def test_both_spellings_say_the_same(tmp_path: Path) -> None:
    one = imported(tmp_path / "a", some_rows()).benchmark.questions
    other = imported(tmp_path / "b", some_rows(), spelling=1).benchmark.questions
    assert one == other


def test_every_way_of_naming_the_release(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", some_rows())
    whole = read_release(release)
    assert read_release(release / "qa").questions == whole.questions
    table = release / "qa" / f"{MC}.parquet"
    assert read_release(table).questions == whole.questions
    moved = table.rename(tmp_path / table.name)
    with pytest.raises(InputError, match=r"no clip of the release.*--clips"):
        read_release(moved)
    for clips in (release, release / "videos", release / "videos" / MC):
        assert read_release(moved, clips).questions == whole.questions


def test_frames_stand_in_for_a_video(tmp_path: Path) -> None:
    whole = imported(tmp_path, some_rows(), show="frames")
    question = whole.benchmark.questions[0]
    assert question.media[0].kind == "frames" and len(question.media[0].paths) == 8
    assert list(question.media[0].paths) == sorted(question.media[0].paths)
    assert len(whole.benchmark.media) == 32 and "4 as extracted frames" in " ".join(whole.notes)
    assert validate(open_benchmark(whole.benchmark.folder), deep=True) == []


def test_a_set_without_one_other_form_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The published numbers of every form are the same set; without the open form of one question they are not."""
    made = imported(tmp_path, [row()])
    by_variant = {question.variant: question for question in made.benchmark.questions}
    questions: list[Question] = []
    for task, (kinds, base, opened, every) in matrix().items():
        rejected = {kind: REJECTED.get(f"{task.partition('_')[0]}-{kind[3:]}", 0) for kind in kinds}
        levels = [kind[:2] for kind in kinds for _ in range(100 - rejected[kind])]
        assert len(levels) == base and every == 3 * base + opened
        for variant, count in (("base", base), ("none_distractor", base), ("none_answer", base), ("open", opened)):
            of = by_variant[variant]
            questions += [
                replace(of, id=f"{task}-{variant}-{n}", task=task, tags={"level": (levels[n],)}) for n in range(count)
            ]
    assert len(questions) == 33386
    reference = family("vgenst").paper.reference
    assert reference is not None
    released = reference().released
    assert tell_counts(replace(made.benchmark, questions=tuple(questions)), released)
    assert not tell_counts(replace(made.benchmark, questions=tuple(questions[:-1])), released)
    assert "181 / 182" in capsys.readouterr().out
    bases = tuple(question for question in questions if question.variant == "base")
    assert not tell_counts(replace(made.benchmark, questions=bases), released)


def test_released_frames_are_kept_beside_their_video_and_shown(tmp_path: Path) -> None:
    """Two clips with both, two with frames alone: what is shown is what the authors' code reads, in any case."""
    release = write_release(tmp_path / "release", some_rows(), show="frames")
    write_clips(release / "videos", MC, range(2))
    whole = import_release("vgenst", release, tmp_path / "bench")
    bench = open_benchmark(whole.benchmark.folder)
    assert validate(bench, deep=True) == []
    bases = [question for question in bench.questions if question.variant == "base"]
    kinds = Counter(tuple(item.kind for item in question.media) for question in bases)
    assert kinds == {("video", "frames"): 16, ("frames",): 16}
    assert (
        "Clips: 2 as videos, 2 of them with extracted frames (these are shown) and 2 as extracted frames" in whole.notes
    )
    folder = release / "videos" / MC / "processed_frames"
    released = {hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.rglob("frame_*")}
    for settings in ({}, {"frames": "released"}):
        of = family("vgenst").RunSettings.model_validate(settings)
        plan = make_plan(bench, family("vgenst"), of, Selection(variants=("base",)), Limits())
        for ask in plan.asks:
            shown = [one for one in pictures_of(plan.parts(ask)) if isinstance(one, PictureFile)]
            assert len(shown) == 8 and {one.sha256 for one in shown} <= released
            numbers = [int(Path(one.path).stem.removeprefix("frame_")) for one in shown]
            assert numbers == sorted(numbers)
    of = family("vgenst").RunSettings(frames=3)
    [ask, *_] = make_plan(bench, family("vgenst"), of, Selection(), Limits()).asks
    assert [plan and len(plan.indices) for plan in ask.plans] == [3, None]  # of the video, as asked for


def test_frames_stand_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", [row()], show="frames")
    folder = release / "videos" / MC / "processed_frames" / f"0_{theme(MC, 0)}"
    (folder / "frame_02.jpg").rename(folder / "frame_10.jpg")
    names = [Path(path).stem for path in read_release(release).questions[0].media[0].paths]
    assert names == [f"frame_{n:02d}" for n in (0, 1, 3, 4, 5, 6, 7, 10)]


def test_a_first_frame_is_no_clip(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", [row()], show="first_frame")
    with pytest.raises(InputError, match="no clip of the release is in"):
        read_release(release)
    write_clips(release / "videos", QC)
    write_table(release / "qa" / f"{QC}.parquet", [row(QC)])
    read = read_release(release)
    [missing] = read.findings
    assert missing.code == "missing_clip" and len(missing.rows) == 4 and len(read.questions) == 4
    assert "1 clips have only their first frame, which does not show the events of the clip" in read.notes


def test_packed_clips_are_named(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", [row()], show="first_frame")
    for task in (MC, QC):
        (release / "videos" / task).mkdir(exist_ok=True)
        with zipfile.ZipFile(release / "videos" / task / f"{task}.zip", "w") as archive:
            archive.writestr("videos/0.mp4", b"")
    with pytest.raises(InputError, match=rf"unzip {MC}/{MC}.zip first, each in its own folder"):
        read_release(release)
    write_table(release / "qa" / f"{QC}.parquet", [row(QC)])
    write_clips(release / "videos", MC)
    assert f"Clips in archives are missing: unzip {QC}/{QC}.zip, each in its own folder, and import again" in (
        read_release(release).notes
    )


@pytest.mark.parametrize("place", [".", f"{MC}/videos"])  # straight in the task's folder; unzipped into one of its own
def test_videos_may_lie_elsewhere_in_the_folder_of_their_task(tmp_path: Path, place: str) -> None:
    release = write_release(tmp_path / "release", [row()])
    folder = release / "videos" / MC
    moved = (folder / "videos").rename(tmp_path / "moved")
    (folder / place).mkdir(parents=True, exist_ok=True)
    for file in moved.iterdir():
        file.rename(folder / place / file.name)
    assert len(read_release(release).questions) == 4


@pytest.mark.parametrize("name", ["0_mc_place_0", "000_mc_place_0", "0_MC place 0", "0_mc-place-0"])
def test_a_clip_is_found_by_number_and_theme(tmp_path: Path, name: str) -> None:
    release = write_release(tmp_path / "release", [row()])
    videos = release / "videos" / MC / "videos"
    (videos / f"0_{theme(MC, 0)}.mp4").rename(videos / f"{name}.mp4")
    assert len(read_release(release).questions) == 4


@pytest.mark.parametrize("name", ["4_mc_place_0", "0_another_place", "mc_place_0"])
def test_another_clip_is_not_taken_for_it(tmp_path: Path, name: str) -> None:
    release = write_release(tmp_path / "release", [row(idx=0), row(idx=1)])
    videos = release / "videos" / MC / "videos"
    (videos / f"0_{theme(MC, 0)}.mp4").rename(videos / f"{name}.mp4")
    read = read_release(release)
    assert {question.cluster for question in read.questions} == {"mc_f_ego_sta-001"}


def test_who_wrote_the_questions_is_kept(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", some_rows())
    write_metadata(
        release / "metadata" / f"{MC}.parquet", some_rows(), models='{"qa_generator": "x/writer-1"}', video_model="v-2"
    )
    read = read_release(release)
    assert all(
        question.provenance["models"] == {"qa_generator": "x/writer-1", "video_model": "v-2"}
        for question in read.questions
    )
    assert "from the metadata" in read.notes[-1]
    plain = read_release(write_release(tmp_path / "plain", some_rows()))
    assert "models" not in plain.questions[0].provenance and "from the paper (Claude)" in plain.notes[-1]


@pytest.mark.parametrize("name", ugly())
def test_one_thing_wrong(tmp_path: Path, name: str) -> None:
    bad, expected = ugly()[name]
    good = [row(MC, 2), row(MC, 3, opened=False)]
    whole = imported(tmp_path, [good[0], bad, good[1]])
    assert counted(whole) == {code: number for code, number in expected.items() if number}
    left_out = sum(len(finding.rows) for finding in whole.findings if finding.left_out)
    assert whole.left_out == left_out
    assert validate(open_benchmark(whole.benchmark.folder)) == []
    for finding in whole.findings:
        assert finding.words and all(f"{MC}.parquet row 2" in line for line in finding.rows)
        if not finding.left_out:
            flagged = [question for question in whole.benchmark.questions if finding.code in question.flags]
            assert len(flagged) == len(finding.rows)
    assert len(whole.benchmark.questions) == 4 + 3 + forms(bad) - (left_out - expected.get("empty_variant", 0))


def test_a_gap_moves_the_letters_and_keeps_the_answer(tmp_path: Path) -> None:
    whole = imported(tmp_path, [row(MC, 1), ugly()["a gap"][0]])
    question = next(question for question in whole.benchmark.questions if "gap_in_options" in question.flags)
    assert [option.text for option in question.options] == ["red", "green", "blue"] and question.answer == (2,)
    assert question.stem == "What colour?"


def test_all_at_once_are_counted_one_by_one(tmp_path: Path) -> None:
    cases = list(ugly().values())
    rows = [one | {"sample_id": f"s{number}"} for number, (one, _) in enumerate(cases)]
    whole = imported(tmp_path, rows)
    expected: Counter[str] = Counter()
    for _, codes in cases:
        expected.update(codes)
    found = counted(whole)
    repeated = found.pop("repeated_id")
    assert found == {code: number for code, number in expected.items() if number}
    assert repeated == sum("repeated_id" in question.flags for question in whole.benchmark.questions)
    assert len({question.id for question in whole.benchmark.questions}) == len(whole.benchmark.questions)
    assert validate(open_benchmark(whole.benchmark.folder)) == []


def test_a_repeated_id_keeps_both(tmp_path: Path) -> None:
    whole = imported(tmp_path, [row(), row(), row(kind="L1-OA") | {"sample_id": row()["sample_id"]}])
    assert counted(whole) == {"repeated_id": 4}
    names = [question.id for question in of_variant(whole, "base")]
    assert names == ["mc_f_ego_sta-000-l1-oe", "mc_f_ego_sta-000-l1-oe-row2", "mc_f_ego_sta-000-l1-oa"]
    assert all(question.base in names for question in whole.benchmark.questions if question.base is not None)


@pytest.mark.parametrize("said", ["B", "b", " B. ", "(B)", "B: green", "B) green", "green"])
def test_the_ways_in_which_an_answer_is_said(tmp_path: Path, said: str) -> None:
    base = form("What colour?", ["red", "green", "blue"], 0) | {"answer": said}
    assert imported(tmp_path, [row() | {"base": base}]).benchmark.questions[0].answer == (1,)


@pytest.mark.parametrize("said", ["B. red", "yellow", "C. blue, red", "7", "AB", "None of these"])
def test_an_answer_that_is_none_of_the_options(tmp_path: Path, said: str) -> None:
    base = form("What colour?", ["red", "green", "blue"], 0) | {"answer": said}
    assert counted(imported(tmp_path, [row(idx=1), row() | {"base": base}])) == {"no_such_option": 1, "no_base": 3}


def test_a_letter_goes_before_a_text(tmp_path: Path) -> None:
    base = form("Which container?", ["C", "A", "B"], 0) | {"answer": "B"}
    assert imported(tmp_path, [row() | {"base": base}]).benchmark.questions[0].answer == (1,)


def test_a_task_may_have_several_tables(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", [row()])
    (release / "qa" / f"{MC}.parquet").rename(release / "qa" / f"{MC}-00000-of-00002.parquet")
    write_table(release / "qa" / f"{MC}-00001-of-00002.parquet", [row(), row(idx=1)])
    read = read_release(release)
    assert len(read.questions) == 12 == len({question.id for question in read.questions})
    [finding] = read.findings
    assert finding.code == "repeated_id" and len(finding.rows) == 4
    assert all(line.startswith(f"{MC}-00001-of-00002.parquet row 1") for line in finding.rows)


def test_a_table_of_another_name_is_left_out(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", [row()])
    write_table(release / "qa" / "ZZ_F_EGO_STA.parquet", [row(), row(idx=1)])
    read = read_release(release)
    [finding] = read.findings
    assert finding.code == "unknown_task" and finding.left_out
    assert finding.rows == ("ZZ_F_EGO_STA.parquet row 1", "ZZ_F_EGO_STA.parquet row 2")
    assert read.refusals == {"ZZ_F_EGO_STA": {"unknown_task": 2}} and len(read.questions) == 4


def test_what_is_no_release_gets_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        read_release(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"no table of VGenST-Bench \(found none\)"):
        read_release(tmp_path / "empty")
    other = tmp_path / f"{MC}.parquet"
    pq.write_table(pa.table({"question": ["What?"]}), other)
    with pytest.raises(InputError, match="no column for idx, theme, qa_type, base"):
        read_release(other)
    other.write_bytes(b"PAR1 not")
    with pytest.raises(InputError, match="not a Parquet file"):
        read_release(other)
    bad = write_release(tmp_path / "bad", [changed(0, "base", answer="Z")])
    with pytest.raises(InputError, match="none of the 1 rows is a question"):
        read_release(bad)


def test_structs_may_be_json(tmp_path: Path) -> None:
    plain = write_release(tmp_path / "plain", some_rows())
    table = pq.read_table(plain / "qa" / f"{MC}.parquet")
    columns = {
        name: [json.dumps(value) if isinstance(value, dict) else value for value in table[name].to_pylist()]
        for name in table.column_names
    }
    expected = read_release(plain).questions
    pq.write_table(pa.table(columns), plain / "qa" / f"{MC}.parquet")
    assert read_release(plain).questions == expected


def test_structs_that_are_broken_json(tmp_path: Path) -> None:
    plain = write_release(tmp_path / "plain", [row(MC, n, "L1-OA") for n in range(4)])
    table = pq.read_table(plain / "qa" / f"{MC}.parquet")
    columns: dict[str, list[Any]] = {name: table[name].to_pylist() for name in table.column_names}
    for name in ("base", "variant_NoT_answer", "variant_open_ended"):
        columns[name] = [json.dumps(value) for value in columns[name]]
    columns["base"][0] = "{"
    columns["variant_NoT_answer"][1] = "{]"
    columns["variant_open_ended"][2] = "{"
    pq.write_table(pa.table(columns), plain / "qa" / f"{MC}.parquet")
    read = read_release(plain)
    assert {finding.code: len(finding.rows) for finding in read.findings} == {"unreadable": 3, "no_base": 3}
    assert len(read.questions) == 16 - 6


def test_a_question_may_begin_with_a_brace(tmp_path: Path) -> None:
    base = form("{cup, bowl}: which?", ["red", "green", "blue"], 0)
    rest = {"variant_NoT_distractor": form("{cup, bowl}: which?", ["red", "green", "blue", "None of these"], 0)}
    whole = imported(tmp_path, [row() | {"base": base} | rest])
    assert [question.stem for question in whole.benchmark.questions[:2]] == ["{cup, bowl}: which?"] * 2


WORD = st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Z")), min_size=1, max_size=12)
TEXTS = st.lists(WORD, min_size=1, max_size=4).map(" ".join)


@given(stem=TEXTS, texts=st.lists(TEXTS, min_size=2, max_size=6))
def test_a_stem_comes_back_from_its_text(stem: str, texts: list[str]) -> None:
    if not stem.strip(" :"):
        return
    options = dict(zip("ABCDEF", texts, strict=False))
    told = form(stem, texts, 0)["question"]
    assert split_text(told, options) == (stem, True)


@given(
    texts=st.lists(st.text(alphabet="abcdefgh 0123456789", min_size=1, max_size=12), min_size=2, max_size=6),
    between=st.sampled_from([", ", "\n", "; ", " ", ",  "]),
    mark=st.sampled_from(["{}. ", "{}) ", "({}) ", "{}: "]),
    end=st.sampled_from(["", ".", "\n"]),
)
def test_usual_other_forms_come_back_too(texts: list[str], between: str, mark: str, end: str) -> None:
    texts = [f"x{text.strip()}" for text in texts]
    options = dict(zip("ABCDEF", texts, strict=False))
    listed = between.join(mark.format(letter) + text for letter, text in options.items())
    assert split_text(f"What is A. there? {listed}{end}", options) == ("What is A. there?", True)


@pytest.mark.parametrize(
    ("text", "stem"),
    [
        ("What? A. one, B. other", "What?"),
        ("Plan A. is good: which? A. one, B. other, C. third", "Plan A. is good: which?"),
        ("What is it?", "What is it?"),
        ("Which: (A) one (B) other", "Which:"),
    ],
)
def test_the_stem_of_a_text_that_differs(text: str, stem: str) -> None:
    assert split_text(text, {"A": "red", "B": "green"}) == (stem, False)


@pytest.mark.parametrize("text", ["A. one, B. other", "What? B. other", ": A. red, B. green", "What? B. x A. y"])
def test_a_text_without_a_stem(text: str) -> None:
    with pytest.raises(UnusableError):
        split_text(text, {"A": "red", "B": "green"})


@pytest.mark.slow
@pytest.mark.parametrize("show", ["video", "frames"])
def test_the_whole_set_in_its_size(tmp_path: Path, show: str) -> None:
    whole = import_release("vgenst", write_whole(tmp_path / "release", show=show), tmp_path / "bench")
    questions = whole.benchmark.questions
    assert whole.findings == () and len(questions) == 33386
    assert Counter(question.variant for question in questions) == dict(
        zip(VARIANTS, (9707, 9707, 9707, 4265), strict=True)
    )
    for task, (_, base, opened, total) in matrix().items():
        of = Counter(question.variant for question in questions if question.task == task)
        assert (of["base"], of["open"], sum(of.values())) == (base, opened, total)
    reference = family("vgenst").paper.reference()
    assert reference.released.count(questions) == reference.released.questions
    assert len({question.cluster for question in questions}) == 1200
    assert len(whole.benchmark.media) == (1200 if show == "video" else 9600)
