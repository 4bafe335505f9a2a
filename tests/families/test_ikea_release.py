"""The released IKEA-Bench set becomes a benchmark: what is there is kept as it is, what is wrong is named."""

import json
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection, make_plan
from chronotope.families import UnusableError, family, read_reference
from chronotope.families.ikea.release import read_release
from chronotope.families.ikea.release.files import benchmark_paths
from chronotope.families.ikea.release.records import read_record
from chronotope.make import Imported, import_release
from chronotope.models import Limits
from chronotope.protocol import MediaFacts, PictureFacts
from chronotope.question import Benchmark, Question, by_image, open_benchmark, validate
from commands import command
from ikea_released import (
    COUNTS,
    INVENTORY,
    TASKS,
    UNSEEN,
    descriptions,
    diagram,
    published_rows,
    row,
    write_release,
)

ONE_OF_EACH = [row(task, "Chair", "bekvam_3017", n) for n, task in enumerate(TASKS)]
TOTALS = dict(zip(TASKS, (320, 350, 334, 204, 350, 65), strict=True))


def imported(tmp_path: Path, rows: list[Any], **how: Any) -> Imported:
    return import_release("ikea", write_release(tmp_path / "release", rows, **how), tmp_path / "bench")


def found(of: Imported) -> dict[str, list[int]]:
    """The numbers of the rows of each finding."""
    return {finding.code: [int(name.split()[1]) for name in finding.rows] for finding in of.findings}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    return imported(tmp_path_factory.mktemp("whole"), published_rows())


def test_the_published_set_comes_back(whole: Imported) -> None:
    bench = open_benchmark(whole.benchmark.folder)
    assert validate(bench, deep=True) == []
    counted = {
        name: tuple(sum(q.task == task and q.cluster == name for q in bench.questions) for task in TASKS)
        for name in COUNTS
    }
    assert counted == COUNTS and len(bench.questions) == 1623 == len({q.id for q in bench.questions})
    reference = family("ikea").paper.reference()
    assert reference.released.count(bench.questions) == reference.released.questions
    assert reference.released.total == 1623
    assert bench.card.profile == "paper" and bench.card.refusals == {} and whole.left_out == 0
    assert "IKEA Manuals at Work" in bench.card.licence and len(bench.card.attributions) == 2
    assert bench.card.counts.clips == 0 and bench.card.counts.clusters == 29


def test_published_defects_are_flagged(whole: Imported) -> None:
    rows = published_rows()
    of_task = {task: [n for n, one in enumerate(rows, 1) if one["task"] == name] for task, name in TASK_NAMES.items()}
    names = [one["product"] for one in rows]
    flags = found(whole)
    assert Counter(names[n - 1] for n in flags["right_diagram_missing"]) == {
        name: COUNTS[name][2] - COUNTS[name][0] for name in UNSEEN
    }
    assert set(flags["right_diagram_missing"]) <= set(of_task["T3"]) and len(flags["right_diagram_missing"]) == 14
    assert [names[n - 1] for n in flags["repeated_id"]] == ["vittsjo_2"]  # Misc and Table begin a sequence with step 0
    assert [names[n - 1] for n in flags["gap_in_sequence"]] == ["tjusig"]  # steps 2, 3 and 5
    assert {names[n - 1] for n in flags["blank_diagram"]} == {"pahl"}
    assert {names[n - 1] for n in flags["duplicate_diagram"]} == {"sundvik"}
    assert {names[n - 1] for n in flags["name_collision"]} == {"applaro", "applaro_3", "vittsjo_2"}
    videos = [(one["metadata"].get("video_a"), one["metadata"].get("video_b")) for one in rows]
    assert flags["same_recording"] == [n for n in of_task["D1"] if videos[n - 1][0] == videos[n - 1][1]]
    # Of the four-way tasks, those about products with too few diagrams.
    few = [n for task in ("T1", "T3", "T4") for n in of_task[task] if len(rows[n - 1]["options"]) == 3]
    assert flags["three_options"] == sorted(few)
    questions = open_benchmark(whole.benchmark.folder).questions
    for code, numbers in flags.items():
        assert [n for n, question in enumerate(questions, 1) if code in question.flags] == numbers


TASK_NAMES = dict(
    zip(
        TASKS,
        (
            *("step_recognition", "action_verification", "progress_tracking"),
            *("next_step_prediction", "cross_view_matching", "sequence_ordering"),
        ),
        strict=True,
    )
)


@pytest.fixture(scope="module")
def each(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[dict[str, Any], Question, Benchmark]]:
    """A question of each task with its record and its benchmark."""
    bench = imported(tmp_path_factory.mktemp("each"), ONE_OF_EACH).benchmark
    return {q.task: (source, q, bench) for source, q in zip(ONE_OF_EACH, bench.questions, strict=True)}


@pytest.mark.parametrize("task", TASKS)
def test_a_question_is_as_released(each: dict[str, Any], task: str) -> None:
    source, question, bench = each[task]
    release = bench.folder.parent / "release"
    assert (question.id, question.stem, question.cluster) == (source["id"], source["question"], source["product"])
    assert question.options[question.answer[0]] == question.options["ABCD".index(source["answer"])]
    assert question.tags["product"] == ("bekvam_3017",) and question.tags["category"] == ("Chair",)
    # Pictures are told apart by their bytes: what is shown is what the record names, in its order.
    shown = [[(bench.folder / path).read_bytes() for path in item.paths] for item in question.media]
    steps = [item.label for item in question.media if item.role == "diagram"]
    names: dict[str, list[list[str]]] = {
        "T1": [source.get("video_frames", [])],
        "T2": [source.get("video_frames", []), [source.get("manual_step_image")]],
        "T3": [source.get("video_frames", []), *([path] for path in source.get("manual_images", {}).values())],
        "T4": [source.get("video_frames", [])],
        "D1": [source.get("video_frames_a", []), source.get("video_frames_b", [])],
        "D2": [[one["image"]] for one in source.get("step_images", [])],
    }
    assert shown == [[(release / path).read_bytes() for path in paths] for paths in names[task]]
    labels = {"T2": [None], "T3": [f"Step {n}" for n in range(1, 6)], "D2": [f"Image {n}" for n in (1, 2, 3)]}
    assert steps == labels.get(task, [])
    if task in ("T1", "T4"):
        pictures = [(bench.folder / one.image).read_bytes() for one in question.options]
        assert pictures == [(release / one["image"]).read_bytes() for one in source["options"]]
    elif task == "D1":
        assert {one.text for one in question.options} == {"Same", "Different"}
        right = "Same" if source["metadata"]["is_positive"] else "Different"
        assert question.options[question.answer[0]].text == right
        assert question.provenance["released"]["options"] == [one["text"] for one in source["options"]]
    else:
        assert [one.text for one in question.options] == [one["text"] for one in source["options"]]
    step = {"T1": "answer_step_id", "T2": "actual_step", "T3": "answer_step_id", "T4": "current_step"}.get(task)
    assert question.tags.get("step") == (step and (str((source | source["metadata"])[step]),))
    positive = source["metadata"].get("is_positive")
    assert question.tags.get("polarity") == (None if positive is None else ("positive" if positive else "negative",))


@pytest.mark.parametrize("task", TASKS)
def test_every_strategy_can_be_asked(each: dict[str, Any], task: str) -> None:
    _, question, bench = each[task]
    ikea, described = family("ikea"), by_image(bench.descriptions)
    facts = MediaFacts({path: PictureFacts(file.sha256, described.get(path, {})) for path, file in bench.media.items()})
    settings = ikea.RunSettings(strategy="all")
    asks = ikea.protocol.asks(question, settings, facts)
    assert [ask.strategy for ask in asks] == ["visual", "visual_text", "text_only"]
    texts = [str(ikea.protocol.parts(ask, question, facts)) for ask in asks]
    assert ["Chair bekvam_3017, drawing" in text for text in texts] == [False, task != "D1", task != "D1"]


def test_other_forms_of_the_folder_say_the_same(tmp_path: Path) -> None:
    plain = imported(tmp_path / "a", ONE_OF_EACH).benchmark
    older = imported(tmp_path / "b", ONE_OF_EACH, older=True, name="step_descriptions_all.json").benchmark
    assert older.questions == plain.questions and older.descriptions == plain.descriptions and older.descriptions
    release = tmp_path / "c" / "release"
    shutil.copytree(tmp_path / "a" / "release", release)
    file = import_release("ikea", release / "qa_benchmark.json", tmp_path / "c" / "bench").benchmark
    assert file.questions == plain.questions
    for number, frames in enumerate(("apart", "apart/qa_frames")):
        (tmp_path / frames).parent.mkdir(exist_ok=True)
        shutil.move(release / "qa_frames", tmp_path / frames)
        apart = import_release("ikea", release, tmp_path / f"bench{number}", tmp_path / "apart").benchmark
        assert [q.media for q in apart.questions] == [q.media for q in plain.questions]
        shutil.move(tmp_path / frames, release / "qa_frames")
        shutil.rmtree(tmp_path / "apart", ignore_errors=True)


def test_what_cannot_be_asked_is_left_out_and_named(tmp_path: Path) -> None:
    def chair(task: str, number: int, **changes: Any) -> dict[str, Any]:
        return row(task, "Chair", "bekvam_3017", number, **changes)

    rows: list[Any] = [
        chair("T1", 0),
        chair("T1", 1, answer="E"),
        chair("T1", 2, answer=None),
        chair("T1", 3, type="3a"),
        {name: value for name, value in chair("T2", 0).items() if name != "type"},
        chair("T2", 1, question="  "),
        chair("T3", 0, video_frames=[]),
        chair("T3", 1, manual_images={"one": diagram("Chair", "bekvam_3017", 1)}),
        chair("T4", 0, metadata={"video_id": "v"}),
        chair("D1", 0, options=[{"label": "A", "text": "Yes"}, {"label": "C", "text": "No"}]),
        chair("D2", 0, step_images="none"),
        "no record",
        chair("T2", 2, video_frames=["qa_frames/Chair/nowhere.jpg"]),
        chair("T2", 3, video_frames=["../release/qa_benchmark.json"]),
        chair("T2", 4, manual_step_image="manual_img/Chair/bekvam_3017/step_9/step_9.png"),
    ]
    release = write_release(tmp_path / "release", rows)
    for gone in (release / "qa_frames/Chair/nowhere.jpg", release / "manual_img/Chair/bekvam_3017/step_9/step_9.png"):
        gone.unlink()
    made = import_release("ikea", release, tmp_path / "bench")
    assert found(made) == {
        "unknown_type": [4, 5, 12],
        "unreadable": [6, 7, 8, 9, 10, 11],
        "no_such_option": [2, 3],
        "missing_picture": [13, 14, 15],
    }
    assert made.left_out == 14 and [q.provenance["released"]["row"] for q in made.benchmark.questions] == [1]
    refused = open_benchmark(made.benchmark.folder).card.refusals
    assert sum(sum(codes.values()) for codes in refused.values()) == 14 and refused["unknown"] == {"unknown_type": 3}
    assert {name for finding in made.findings for name in finding.rows} >= {"row 12"}


def test_a_damaged_picture_is_found(tmp_path: Path) -> None:
    rows = [row("T1", "Chair", "bekvam_3017", n) for n in range(3)]
    rows += [row("T1", "Chair", "stig", n) for n in range(3)]
    release = write_release(tmp_path / "release", rows)
    frame, option = release / rows[1]["video_frames"][3], release / rows[4]["options"][0]["image"]
    for file in (frame, option):
        file.write_bytes(file.read_bytes()[:-20])
    made = import_release("ikea", release, tmp_path / "bench")
    assert set(found(made)["broken_clip"]) >= {2, 5} and made.left_out == len(found(made)["broken_clip"])
    kept = {q.provenance["released"]["row"] for q in made.benchmark.questions}
    assert kept and kept.isdisjoint(found(made)["broken_clip"])
    assert any(str(frame) in one.words or str(option) in one.words for one in made.findings)
    assert validate(made.benchmark.folder, deep=True) == []


def test_descriptions_are_of_the_right_product(tmp_path: Path) -> None:
    rows = [row("T2", "Bench", "applaro", 0), row("T2", "Chair", "applaro", 2), row("T2", "Chair", "applaro", 4)]
    described = [one for one in descriptions() if one["product"] != "applaro" or one["step_id"] != 2]
    described += [described[0], {"product": "applaro"}]
    release = write_release(tmp_path / "release", rows, described=described)
    made = import_release("ikea", release, tmp_path / "bench")
    texts = by_image(made.benchmark.descriptions)
    shown = [question.media[1].paths[0] for question in made.benchmark.questions]
    assert [texts.get(path, {}).get("action") for path in shown] == [
        "The action of Bench applaro, drawing 0.",
        None,
        "The action of Chair applaro, drawing 1.",
    ]
    assert found(made)["no_description"] == [2] and found(made)["name_collision"] == [1, 2, 3]
    assert any("row 133" in note for note in made.notes) and any("row 134" in note for note in made.notes)
    (release / "step_descriptions.json").unlink()
    without = read_release(release)
    assert without.descriptions == () and any("no step_descriptions.json" in note for note in without.notes)
    assert {one.code: len(one.rows) for one in without.findings}["no_description"] == 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "not JSON at line 1"),
        (b"[]", "expected a JSON list of questions"),
        (b'{"a": 1}', "expected a JSON list of questions"),
        (b"\xff\xfe", "UTF-8"),
        (b"[" * 100_000, "nested too deeply|not JSON"),
        (b'[{"Question": "x"}, 3]', "none of the 2 rows is a question of IKEA-Bench .*a type other than"),
    ],
)
def test_foreign_files_are_one_sentence(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "qa_benchmark.json").write_bytes(content)
    with pytest.raises(InputError, match=words) as told:
        read_release(tmp_path)
    assert "qa_benchmark.json" in str(told.value) and "\n" not in str(told.value)


def test_no_release_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or folder"):
        read_release(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"contains no qa_benchmark\.json"):
        read_release(tmp_path)
    (tmp_path / "qa_benchmark.json").write_text(json.dumps(ONE_OF_EACH))
    with pytest.raises(InputError, match="no picture of the release, such as qa_frames/"):
        read_release(tmp_path)
    release = write_release(tmp_path / "release", ONE_OF_EACH)
    (release / "step_descriptions.json").write_text("{}")
    with pytest.raises(InputError, match=r"step_descriptions\.json: expected a JSON list of descriptions"):
        read_release(release)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=6,
)
PLACES = [(n, key) for n, one in enumerate(ONE_OF_EACH) for key in one]


@given(st.sampled_from(PLACES), JSON)
def test_no_field_brings_the_reader_down(place: tuple[int, str], value: Any) -> None:
    number, key = place
    try:
        read = read_record(ONE_OF_EACH[number] | {key: value})
    except UnusableError:
        return
    assert 0 <= read.answer < len(read.options) >= 2 and all(read.paths) and read.media and read.id and read.stem


def test_paths_that_would_clash_stay_apart() -> None:
    released = [
        "manual_img/Chair/a/1.PNG",
        "manual_img/chair/a/1.png",
        "qa_frames/x y.jpg",
        "qa_frames/x-y.jpg",
        "z.jpg",
    ]
    inside = benchmark_paths(released)
    assert len(set(inside.values())) == 5 and inside["z.jpg"] == "frames/z.jpg"
    assert all(path.startswith(("images/chair/a/1-", "frames/")) for path in inside.values())


# Published results ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tables() -> list[Any]:
    return list(read_reference("chronotope.families.ikea").tables)


def test_every_published_accuracy_is_a_share_of_the_questions(tables: list[Any]) -> None:
    cells = [
        (of.values[place], TOTALS[column.name])
        for table in tables
        if table.own is not None
        for of in table.rows
        for place, column in enumerate(table.columns)
        if column.name in TOTALS and of.model != "Random"
    ]
    assert len(cells) == 318
    assert all(abs(100 * round(percent * n / 100) / n - percent) <= 0.05 + 1e-9 for percent, n in cells)


def test_table_5_follows_from_the_numbers_of_right_answers(tables: list[Any]) -> None:
    right = {
        table.strategy: {
            of.model: [round(v * n / 100) for v, n in zip(of.values[:6], TOTALS.values(), strict=True)]
            for of in table.rows
            if of.model != "Random"
        }
        for table in tables
        if table.own is not None
    }
    assert {name: len(of) for name, of in right.items()} == {"visual": 19, "visual_text": 17, "text_only": 17}
    [printed] = [table for table in tables if table.source == "Table 5"]
    for strategy, of in zip(("visual_text", "text_only"), printed.rows, strict=True):
        for place, (task, n) in enumerate(TOTALS.items()):
            apart = [100 * (k[place] - right["visual"][model][place]) / n for model, k in right[strategy].items()]
            assert round(sum(apart) / 17, 1) == of.values[place], (strategy, task)


def test_averages_are_over_the_six_tasks(tables: list[Any]) -> None:
    for table in tables:
        if table.own is not None:
            for of in table.rows:
                shares = [100 * round(v * n / 100) / n for v, n in zip(of.values[:6], TOTALS.values(), strict=True)]
                assert of.values[6] == pytest.approx(sum(shares) / 6, abs=0.05 + 1e-9)


def test_the_columns_are_those_of_the_protocol(tables: list[Any], whole: Imported) -> None:
    ikea = family("ikea")
    question = next(q for q in whole.benchmark.questions if q.task == "D1")
    facts = MediaFacts({path: PictureFacts("0" * 64) for path in whole.benchmark.media})
    scored = [
        ikea.protocol.score(question, [(ask, None)])
        for ask in ikea.protocol.asks(question, ikea.RunSettings(strategy="all"), facts)
    ]
    own = {table.key: table.columns for table in ikea.protocol.tables(scored)}
    for table in tables:
        assert all(len(of.values) == len(table.columns) for of in table.rows)
        if table.own is not None:
            assert {column.name for column in table.columns} <= set(own[table.own]) and table.overall in own[table.own]
            assert {column.name: column.questions for column in table.columns} == TOTALS | {"Avg": None}


def test_table_8_is_complete() -> None:
    released = read_reference("chronotope.families.ikea").released
    assert {name: tuple(released.questions[task][name] for task in TASKS) for name in COUNTS} == COUNTS
    assert {task: sum(of.values()) for task, of in released.questions.items()} == TOTALS
    # What follows from the inventory alone: a sequence for each window of three diagrams.
    windows = Counter[str]()
    for products in INVENTORY.values():
        windows.update({name: max(0, len(steps) - 2) for name, steps in products.items()})
    assert {name: windows[name] for name in COUNTS} == released.questions["D2"] and windows.total() == 65


def test_an_answer_that_the_record_contradicts_is_named(tmp_path: Path) -> None:
    """The first six rows are spoilt in one place each."""
    rows = [row(task, "Chair", "stig", number) for number, task in enumerate(("T2", "T2", "D1", "D2", "T3", "T4"), 1)]
    sound = [row(task, "Chair", "stig", 40 + number) for number, task in enumerate(("T2", "D1", "D2", "T3", "T4"))]
    rows[0]["metadata"]["is_positive"] = not rows[0]["metadata"]["is_positive"]
    rows[1]["answer"] = "B" if rows[1]["answer"] == "A" else "A"
    rows[2]["metadata"]["step_b"] = rows[2]["metadata"]["step_a"] + int(rows[2]["metadata"]["is_positive"])
    rows[3]["answer"] = next(letter for letter in "ABCD" if letter != rows[3]["answer"])
    right = next(one for one in rows[4]["options"] if one["label"] == rows[4]["answer"])
    right["text"] = "Step 99"
    rows[5]["metadata"]["current_step"] = rows[5]["answer_step_id"]
    folder = write_release(tmp_path / "release", [*rows, *sound])
    made = import_release("ikea", folder, tmp_path / "bench")
    assert found(made)["answer_contradicted"] == [1, 2, 3, 4, 5, 6]
    flagged = [question for question in made.benchmark.questions if "answer_contradicted" in question.flags]
    assert len(flagged) == 6


def test_what_nobody_described_is_asked_with_pictures_alone(tmp_path: Path) -> None:
    rows = [row(task, "Chair", "stig", number) for number, task in enumerate(("T1", "D1", "D2"))]
    every = descriptions()
    folder = write_release(tmp_path / "release", rows, described=[one for one in every if one["product"] != "stig"])
    made = import_release("ikea", folder, tmp_path / "bench")
    chosen = family("ikea")
    plan = make_plan(made.benchmark, chosen, chosen.RunSettings(strategy="all"), Selection(), Limits())
    asked = {(plan.questions[ask.question].task, ask.strategy) for ask in plan.asks}
    assert asked == {
        ("T1", "visual"),
        ("D2", "visual"),
        *(("D1", one) for one in ("visual", "visual_text", "text_only")),
    }


def test_descriptions_without_a_category_belong_to_the_product_of_that_name(tmp_path: Path) -> None:
    """As the authors' loader reads them: by product and number of the step."""
    without = [{name: value for name, value in one.items() if name != "category"} for one in descriptions()]
    rows = [row("T1", "Chair", "stig"), row("T1", "Table", "applaro")]
    wanted = import_release("ikea", write_release(tmp_path / "with", rows, described=descriptions()), tmp_path / "a")
    release = write_release(tmp_path / "without", rows, described=without)
    imported = import_release("ikea", release, tmp_path / "b")
    assert not any("category" in note for note in imported.notes)
    described = {one.image: one for one in imported.benchmark.descriptions}
    every = {one.image: one for one in wanted.benchmark.descriptions}
    assert described and set(described) == {image for image in every if "stig" in image}
    assert set(imported.benchmark.descriptions) == {one for one in wanted.benchmark.descriptions if "stig" in one.image}
    [open_chair] = [question for question in imported.benchmark.questions if question.tags["product"] == ("stig",)]
    assert "no_description" not in open_chair.flags


def test_a_copy_of_the_descriptions_is_not_told_twice(tmp_path: Path) -> None:
    folder = write_release(tmp_path / "release", [row("T1", "Chair", "stig")], described=descriptions())
    os.link(folder / "step_descriptions.json", folder / "step_descriptions_all.json")
    notes = import_release("ikea", folder, tmp_path / "bench").notes
    assert len([note for note in notes if "descriptions of diagrams" in note]) == 1


def test_both_files_of_descriptions_are_read(tmp_path: Path) -> None:
    every = descriptions()
    folder = write_release(tmp_path / "release", [row("T1", "Chair", "stig")], described=every[:3])
    (folder / "step_descriptions_all.json").write_text(json.dumps(every))
    notes = import_release("ikea", folder, tmp_path / "bench").notes
    assert any("3 descriptions of diagrams, from step_descriptions.json" in note for note in notes)
    assert any(f"{len(every) - 3} descriptions of diagrams, from step_descriptions_all.json" in note for note in notes)


def test_furniture_of_one_name_is_different_things(whole: Imported) -> None:
    """Probes compare what these pictures depict; applaro is a bench, a chair and a table."""
    found: dict[tuple[str, str], set[str]] = {}
    for question in whole.benchmark.questions:
        for shown in family("ikea").depicts(question):
            found.setdefault((question.cluster, shown.thing), set()).update(question.tags["category"])
    assert {len(categories) for categories in found.values()} == {1}
    [bench, chair] = sorted({thing for cluster, thing in found if cluster == "applaro" and thing.startswith("step 0")})
    assert (bench, chair) == ("step 0 of the bench", "step 0 of the chair")


def test_a_set_of_pictures_is_shown_without_empty_tables(whole: Imported) -> None:
    told = command("show", whole.benchmark.folder, code=0, COLUMNS="200")
    assert "1623 questions" in told.said
    assert "Lengths of clips" not in told.said and "–" not in told.said
