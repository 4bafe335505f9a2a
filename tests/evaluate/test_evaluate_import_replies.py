import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sti_released
import vgenst_released
from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection, read_manifest
from chronotope.evaluate.run import run
from chronotope.evaluate.run.import_replies import ImportedReplies, import_replies
from chronotope.evaluate.score import open_run, score_run
from chronotope.evaluate.score.predictions import read_predictions
from chronotope.evaluate.score.usage import usage_of
from chronotope.families import Family, family
from chronotope.ledger import line
from chronotope.make import import_release
from chronotope.models import Decoding
from chronotope.question import Benchmark, Question


@pytest.fixture
def ask(tiny: Family, tmp_path: Path) -> Callable[..., ImportedReplies]:
    """Score a file of lines (or of some text) as replies made elsewhere."""

    def score(
        bench: Benchmark, content: list[dict] | str | bytes, out: str | None = "run", **changed
    ) -> ImportedReplies:
        path = tmp_path / changed.get("file", "My Model.jsonl")
        if isinstance(content, list):
            content = "".join(json.dumps(line) + "\n" for line in content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        settings = tiny.RunSettings(placement=changed.get("placement", "published"))
        selection = changed.get("selection", Selection())
        folder = None if out is None else tmp_path / out
        return import_replies(bench, tiny, path, folder, settings, changed.get("name"), selection)

    return score


def rights(bench: Benchmark) -> list[dict]:
    return [{"id": question.id, "reply": "ABCD"[question.answer[0]]} for question in bench.questions]


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_replies_become_a_run_like_any_other(bench: Benchmark, tiny: Family, ask: Callable, tmp_path: Path) -> None:
    run(bench, tiny, "baseline/random", Decoding(), tiny.RunSettings(), Selection(), tmp_path / "own", check=False)
    own = open_run(tmp_path / "own")
    lines = [{"id": line.ask, "reply": line.reply, "note": [1]} for line in reversed(own.lines)]
    made = ask(bench, lines)
    assert made == ImportedReplies(
        tmp_path / "run", replied=24, missing=0, unknown=0, repeated=0, differing=0, remarks=()
    )
    found = open_run(tmp_path / "run")
    assert score_run(found) == score_run(own)
    assert [one.ask for one in found.answered] == [one.ask for one in own.answered]
    assert {line.ask: line.reply for line in found.lines} == {line.ask: line.reply for line in own.lines}
    assert {line.extra["asked"] for line in found.lines} == {"elsewhere"}
    assert usage_of(found.lines).calls == 0
    card = read_manifest(tmp_path / "run")
    assert (card.model, card.decoding, card.frames) == ("elsewhere/my-model", Decoding(), [])
    assert card.elsewhere is not None
    assert (card.elsewhere.file, len(card.elsewhere.sha256)) == ("My Model.jsonl", 64)
    assert set(files(tmp_path / "run")) == set(files(tmp_path / "own"))


def test_names_and_folders(bench: Benchmark, ask: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = ask(bench, rights(bench), None, name="Qwen 3")
    assert made.folder.parent == Path("runs") and made.folder.name.startswith("tiny-bench-elsewhere-qwen-3-")
    assert read_manifest(made.folder).model == "elsewhere/Qwen 3"
    other = ask(bench, rights(bench), None)
    assert other.folder != made.folder and read_manifest(other.folder).model == "elsewhere/my-model"


def test_who_must_not_be_asked_is_not_scored(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    def guard(model: str, judge: str | None, settings: object, questions: object) -> str | None:
        return f"{model} or {judge} wrote them" if "writer" in f"{model} {judge}" else None

    replies, out, settings = tmp_path / "writer.jsonl", tmp_path / "run", tiny.RunSettings()
    replies.write_text(json.dumps(rights(bench)))
    guarded = replace(tiny, guard=guard)
    with pytest.raises(InputError, match=r"elsewhere/the writer or None wrote them$"):
        import_replies(bench, guarded, replies, out, settings, "the writer")
    with pytest.raises(InputError, match=r"elsewhere/another or endpoint/writer wrote them$"):
        import_replies(bench, guarded, replies, out, settings, "another", judge="endpoint/writer")
    with pytest.raises(InputError, match="comes from the file name: set the model's name with --name"):
        import_replies(bench, guarded, replies, out, settings, None)
    assert not out.exists()
    import_replies(bench, guarded, replies, out, settings, "another")


def test_a_reply_that_is_too_large_counts_as_missing(
    bench: Benchmark, ask: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line, "MOST_REPLY", 2000)
    lines = rights(bench)
    lines[2]["reply"] = 2001 * "A"
    made = ask(bench, lines)
    assert (made.replied, made.missing) == (23, 1)
    assert "My Model.jsonl: the reply has 0.0 MB, expected at most" in made.remarks[0]
    assert f"({lines[2]['id']})" in made.remarks[0]
    assert score_run(open_run(tmp_path / "run")).overall.items == 24 and ask(bench, lines).replied == 23


def test_what_is_unknown_missing_and_repeated_is_counted_and_named(bench: Benchmark, ask: Callable) -> None:
    lines = rights(bench)
    left = [line for line in lines if line["id"] not in ("clip-2-tuesday", "clip-4-friday")]
    left[0]["reply"] = None
    extra = [
        {"id": "clip-9-monday", "reply": "A"},
        {"id": "clip-9-tuesday", "reply": "A"},
        {"id": "clip-9-monday", "reply": "B"},
        left[3],
        {"id": left[5]["id"], "reply": "none of them"},
        {"id": left[5]["id"], "reply": left[5]["reply"]},
    ]
    made = ask(bench, [*left, *extra])
    assert (made.replied, made.missing, made.unknown, made.repeated, made.differing) == (21, 3, 2, 2, 1)
    assert made.remarks == (
        "My Model.jsonl: 2 unknown ids left out; the first is 'clip-9-monday' (line 23)",
        "My Model.jsonl: 1 repeated id with different replies, of which the first counts; the first is "
        "'clip-1-tuesday' (line 6 and line 27)",
        "My Model.jsonl: 1 repeated id in agreement; the first is 'clip-0-saturday' (line 4 and line 26)",
        "My Model.jsonl: no reply for 3 of 24 asks, counted as wrong; the first is 'clip-0-monday'",
    )
    scores = score_run(open_run(made.folder))
    assert scores.overall.value == pytest.approx(21 / 24) and scores.covered is not None and scores.covered.value == 1
    assert scores.states == {"replied": 21, "failed": 1, "not_asked": 2}
    assert scores.notes == (made.remarks[3],)


def test_a_null_gives_way_to_a_reply(bench: Benchmark, ask: Callable) -> None:
    lines = rights(bench)
    nothing = [{"id": line["id"], "reply": None} for line in lines]
    made = ask(bench, [*nothing, *lines, *nothing])
    assert (made.replied, made.repeated, made.differing) == (24, 24, 0)
    assert score_run(open_run(made.folder)).overall.value == 1


def test_a_reply_is_kept_to_the_letter(bench: Benchmark, ask: Callable) -> None:
    odd = ["A\n\u2028because\r\n", "half a pair \ud83d", "", "  B", "\x00", "𝛼"]
    lines = [{"id": q.id, "reply": reply} for q, reply in zip(bench.questions, odd, strict=False)]
    found = open_run(ask(bench, lines).folder)
    assert [line.reply for line in found.lines] == odd
    assert score_run(found).states == {"replied": 6, "not_asked": 18}


def test_other_placements_go_by_the_id_of_the_ask(bench: Benchmark, ask: Callable) -> None:
    # A rotation by one shows the second option first: the right letter is the one before.
    turned = [
        {"id": f"{q.id}#rotate-{turn}", "reply": "ABCD"[(q.answer[0] - turn) % 4]}
        for q in bench.questions
        for turn in (1, 2, 3)
    ]
    made = ask(bench, [*rights(bench), *turned], placement="rotate")
    scores = score_run(open_run(made.folder))
    assert (made.missing, made.unknown) == (0, 0)
    assert scores.circular is not None and scores.circular.value == 1
    plain = ask(bench, [*rights(bench), *turned], "plain")
    assert (plain.replied, plain.unknown) == (24, 72)
    assert "ids of other placements need --placement" in plain.remarks[0]


def results(bench: Benchmark, **changed) -> list[dict]:
    """A result file as IKEA-Bench's authors write it: every reply names the right letter, with a reason."""
    return [
        {
            "id": question.provenance.get("released", {}).get("id", question.id),
            "type": "1a",
            "product": "x",
            "answer_gt": "ABCD"[question.answer[0]],
            "answer_pred": "D",  # what they read is not believed
            "correct": False,
            "raw_response": f"Answer: {'ABCD'[question.answer[0]]}. Reason: x",
        }
        | changed
        for question in bench.questions
    ]


def test_the_authors_result_files(bench: Benchmark, ask: Callable) -> None:
    rows = results(bench)
    rows[3]["raw_response"] = None
    made = ask(bench, json.dumps(rows), file="My Model.json")
    assert (made.replied, made.missing, made.unknown) == (23, 1, 0)
    assert score_run(open_run(made.folder)).overall.value == pytest.approx(23 / 24)
    del rows[5]["raw_response"]
    with pytest.raises(InputError, match='entry 6 has no "reply"'):
        ask(bench, json.dumps(rows), "other", file="My Model.json")


def scripted(bench: Benchmark) -> list[dict]:
    """A result file as the scripts of STI-Bench's authors write it; the number tells questions of a clip apart."""
    return [
        {
            "id": question.provenance["released"]["video"],
            "id_file": int(question.provenance["released"]["id"]),
            "time_s": question.window.start,
            "time_e": question.window.end,
            "model_out": f"({'ABCDE'[question.answer[0]]})",
            "ans": "ABCDE"[question.answer[0]],
            "Task": question.task,
            "que": "From 0 seconds to 1 seconds. What is it?\nA one\nB two",
            "Source": question.tags["source"][0],
        }
        for question in bench.questions
    ]


def test_the_result_files_of_sti_benchs_scripts(tmp_path: Path) -> None:
    release = sti_released.write_release(tmp_path / "release", [sti_released.row(number) for number in range(12)])
    bench = import_release("sti", release, tmp_path / "bench").benchmark
    rows = scripted(bench)
    rows[2]["model_out"] = "ERROR_CALL_API"
    rows[5]["model_out"] = "(E)" if rows[5]["ans"] != "E" else "(A)"
    file = tmp_path / "gpt-4o.json"
    file.write_text(json.dumps(rows[::-1]))
    sti = family("sti")
    made = import_replies(bench, sti, file, tmp_path / "run", sti.RunSettings(), None)
    assert (made.replied, made.missing, made.unknown, made.repeated) == (11, 1, 0, 0)
    assert score_run(open_run(made.folder)).overall.value == pytest.approx(10 / 12)
    rows[7]["ans"] = "ABCDE"["ABCDE".index(rows[7]["ans"]) - 1]
    file.write_text(json.dumps(rows))
    with pytest.raises(InputError, match=r"is the correct answer of .*the replies belong to another benchmark"):
        import_replies(bench, sti, file, tmp_path / "other", sti.RunSettings(), None)
    del rows[3]["time_e"]
    file.write_text(json.dumps(rows))
    with pytest.raises(InputError, match="entry 4 is not a result of STI-Bench: expected"):
        import_replies(bench, sti, file, tmp_path / "other", sti.RunSettings(), None)


SCRIPTED = {"base": "base", "v1": "variant_NoT_distractor", "v2": "variant_NoT_answer", "v3": "variant_open_ended"}


def per_question(rows: list[dict], task: str) -> Iterator[dict]:
    """What the script of VGenST-Bench's authors writes of released rows, all modes at once, every reply right."""
    for released in rows:
        named = {"task": task, "qa_type": released["qa_type"], "theme": released["theme"].replace("_", " ")}
        named["idx"] = released["idx"]
        for variant, column in SCRIPTED.items():
            if (form := released[column]) is not None:
                right = form["expected_answer" if variant == "v3" else "answer"]
                kind = {"kind": "oe" if variant == "v3" else "mcq", "question": form["question"]}
                told = {"ground_truth": right, "response_raw": right, "response_parsed": "A", "correct": False}
                yield {"eval_mode": variant, **named, "variant": variant, **kind, **told, "judge_reason": None}
        letters = [letter for letter, text in released["base"]["options"].items() if text is not None]
        yield {
            "eval_mode": "circular_base",
            **named,
            "variant": "base_circular",
            "original_answer": released["base"]["answer"],
            "per_position": [{"position": letter, "response_raw": letter, "correct": False} for letter in letters],
            "all_correct": False,
            "correct": False,
        }


def test_the_result_files_of_vgenst_benchs_script(tmp_path: Path) -> None:
    task = vgenst_released.MC
    rows = [vgenst_released.row(idx=idx, kind=kind) for idx in range(3) for kind in ("L1-OE", "L2-SL")]
    release = vgenst_released.write_release(tmp_path / "release", rows)
    bench = import_release("vgenst", release, tmp_path / "bench").benchmark
    vgenst = family("vgenst")
    file = tmp_path / "per_question.jsonl"
    lines = list(per_question(rows, task))

    def score(out: str, placement: str) -> ImportedReplies:
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        settings = vgenst.RunSettings.model_validate({"placement": placement})
        return import_replies(bench, vgenst, file, tmp_path / out, settings, "my model")

    made = score("run", "published")
    assert (made.replied, made.missing) == (24, 0)  # 6 rows in 4 forms
    assert made.unknown == 6 * 3  # the other orders of the base questions
    assert "need --placement" in made.remarks[0]
    assert {line.reply for line in open_run(made.folder).lines} > {"A", "B", "C"}
    assert score_run(open_run(made.folder)).overall.value == 1
    # Each reply stands at the order that it was given to: an order that is answered wrongly is found again.
    wrong = lines[4]["per_position"][2]
    wrong["response_raw"] = "A"
    lines[5]["response_raw"] = None
    made = score("swapped", "swap")
    asked = [one for one in open_run(made.folder).answered if one.ask.question == bench.questions[0].id]
    assert {"ABCD"[one.ask.placement.index(bench.questions[0].answer[0])] for one in asked} == set("ABCD")
    replies = {"ABCD"[one.ask.placement.index(bench.questions[0].answer[0])]: one.line.reply for one in asked}
    assert replies == {"A": "A", "B": "B", "C": "A", "D": "D"}
    lines[0]["ground_truth"], lines[4]["per_position"][0]["position"] = f"({lines[0]['ground_truth'].lower()})", "a"
    assert score("otherwise", "swap").unknown == 0
    for name, spoilt, said in (
        ("variant", ["v1"], "line 1 is not a result of VGenST-Bench: expected"),
        ("idx", "one", "line 1: \"idx\" is 'one'; expected the number of a clip"),
        ("idx", 10**12, 'line 1: "idx" is'),
        ("per_position", [], 'line 1: "per_position" is an array; expected an array with an object for each order'),
        ("per_position", [{"response_raw": "A"}], 'line 1: "per_position" contains .* expected "position"'),
        ("per_position", [{"position": "A"}], 'line 1: "per_position" contains .* expected "position"'),
        ("response_raw", 3.5, None),  # a number is a text, too
    ):
        whole = dict(lines[0])
        lines[0][name] = spoilt
        if said is None:
            score("numbered", "swap")
        else:
            with pytest.raises(InputError, match=said):
                score("other", "swap")
        lines[0] = whole


def test_replies_to_another_build_are_refused(bench: Benchmark, ask: Callable, tmp_path: Path) -> None:
    rows = results(bench)
    first = bench.questions[7].answer[0]
    rows[7]["answer_gt"] = other = "ABCD"[first - 1]
    said = (
        f"'{other}' is the correct answer of '{rows[7]['id']}' .entry 8., but in this benchmark it is '{'ABCD'[first]}'"
    )
    with pytest.raises(InputError, match=f"{said}; 1 of 24 questions differ"):
        ask(bench, json.dumps(rows), file="My Model.json")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("turned", [False, True])
def test_questions_that_were_released_under_one_id(make_bench: Callable, ask: Callable, turned: bool) -> None:
    questions: list[Question] = make_bench.questions()
    released = {"released": {"id": questions[0].id}}
    questions[:2] = [replace(one, provenance=released) for one in questions[:2]]
    questions[1] = replace(questions[1], answer=((questions[0].answer[0] + 1) % 4,))
    bench = make_bench(questions)
    rows = results(bench)
    assert rows[0]["id"] == rows[1]["id"] != questions[1].id
    if turned:  # the right letter tells them apart
        rows[:2] = rows[1::-1]
    made = ask(bench, json.dumps(rows), file="My Model.json")
    assert (made.replied, made.missing, made.unknown, made.repeated) == (24, 0, 0, 0)
    assert score_run(open_run(made.folder)).overall.value == 1


def test_equal_prompts_keep_their_own_replies(make_bench: Callable, ask: Callable) -> None:
    questions: list[Question] = make_bench.questions()
    twins = [*questions, *(replace(question, id=f"{question.id}-twin") for question in questions)]
    bench = make_bench(twins)
    lines = [{"id": q.id, "reply": "no idea" if q.id.endswith("twin") else "ABCD"[q.answer[0]]} for q in twins]
    scores = score_run(open_run(ask(bench, lines).folder))
    assert scores.overall.value == 0.5 and scores.covered is not None and scores.covered.items == 24


def test_the_same_file_again_changes_nothing_and_another_is_refused(
    bench: Benchmark, ask: Callable, tmp_path: Path
) -> None:
    lines = [*rights(bench)[:20], {"id": bench.questions[20].id, "reply": None}]
    first = ask(bench, lines)
    before = files(tmp_path / "run")
    assert ask(bench, lines) == first
    assert files(tmp_path / "run") == before
    with pytest.raises(InputError, match=r"contains replies from another file My Model\.jsonl: name a new folder"):
        ask(bench, rights(bench))
    with pytest.raises(InputError, match="contains another run"):
        ask(bench, lines, name="other")
    assert files(tmp_path / "run") == before


def test_more_of_the_same_file_extends(varied: Benchmark, ask: Callable, tmp_path: Path) -> None:
    lines = [{"id": question.id, "reply": "D"} for question in varied.questions]
    some = ask(varied, lines, selection=Selection(tasks=("where",), variants=("base",)))
    assert (some.replied, some.unknown) == (12, 36)
    ask(varied, lines)
    scores = score_run(open_run(tmp_path / "run"))
    assert scores.states == {"replied": 48}
    assert {name: one.value for name, one in scores.variants.items()} == {"base": 0.25, "none_answer": 1.0}


def test_a_folder_of_something_else_is_left_alone(
    bench: Benchmark, tiny: Family, ask: Callable, tmp_path: Path
) -> None:
    settings = tiny.RunSettings()
    run(bench, tiny, "baseline/random", Decoding(), settings, Selection(), tmp_path / "own", check=False)
    for place, words in (("own", "contains another run"), ("bench", "contains files that do not belong to a run")):
        before = [path.read_bytes() for path in sorted((tmp_path / place).glob("*.*"))]
        with pytest.raises(InputError, match=words):
            ask(bench, rights(bench), place)
        assert [path.read_bytes() for path in sorted((tmp_path / place).glob("*.*"))] == before
    (tmp_path / "empty").mkdir()
    assert ask(bench, rights(bench), "empty").replied == 24


TWO = '{"id": "clip-0-monday", "reply": "A"}\n{"id": "clip-0-tuesday", "reply": "B"}\n'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "contains no replies"),
        ("\n \n", "contains no replies"),
        ("[]", "contains no replies"),
        (TWO + "clip-0-friday: A\n", "line 3 is not JSON"),
        (TWO + '{"id": "clip-0-friday", "rep', "line 3 is not JSON"),
        ("\n" + TWO + '["clip-0-friday", "A"]', "line 4 is an array; expected an object"),
        (TWO + '"A"', "line 3 is text or a number; expected an object"),
        (TWO + '{"reply": "A"}', 'line 3 has no "id"'),
        ('{"id": "clip-0-friday", "answer": "A"}', 'line 1 has no "reply"'),
        (TWO + '{"id": null, "reply": "A"}', 'line 3: "id" is null; expected the id of a question'),
        ('{"id": "clip-0-friday", "reply": {"text": "A"}}', 'line 1: "reply" is an object; expected text, a number'),
        ('{"id": "clip-0-friday", "reply": true}', 'line 1: "reply" is true or false'),
        ('{"id": "clip-0-friday", "reply": NaN}', 'line 1: "reply" is no number'),
        ("[" * 100_000, "nested too deeply"),
        ('[{"id": "clip-0-friday", "reply": "A"}, 7]', "entry 2 is text or a number"),
        ('[{"id": "clip-0-friday",\n "reply": "A"}\n', "is not JSON .*line 3 column 1"),
        (TWO.encode() + b'{"id": "clip-0-friday", "reply": "\xff"}', "line 3 is not UTF-8"),
        ('{"id": "a", "reply": "A"}', r"no id in the file belongs to a question of .* \(the first id is 'a'\)"),
    ],
)
def test_a_bad_file_is_one_sentence_and_leaves_nothing(
    bench: Benchmark, ask: Callable, tmp_path: Path, content: str | bytes, words: str
) -> None:
    with pytest.raises(InputError, match=words) as raised:
        ask(bench, content)
    assert "\n" not in str(raised.value) and "My Model.jsonl" in str(raised.value)
    assert {path.name for path in tmp_path.iterdir()} == {"bench", "My Model.jsonl"}


def test_a_file_that_is_not_there(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    for name, words in (("nowhere.jsonl", "cannot be read"), ("bench", "is a folder, expected a file")):
        with pytest.raises(InputError, match=words):
            import_replies(bench, tiny, tmp_path / name, tmp_path / "run", tiny.RunSettings(), None)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "form", ["\ufeff{lines}", "\n\n{lines}\n\n", "{windows}", " \ufeff[{array}]", "[\n{array}\n]\n"]
)
def test_forms_that_files_come_in(bench: Benchmark, ask: Callable, form: str) -> None:
    lines = [json.dumps(line) for line in rights(bench)]
    if form.startswith(" "):
        form = form[1:]
    content = form.format(lines="\n".join(lines), windows="\r\n".join(lines), array=",\n".join(lines))
    assert score_run(open_run(ask(bench, content).folder)).overall.value == 1


REPLIES = st.one_of(st.none(), st.text(), st.integers(), st.floats(allow_nan=False, allow_infinity=False))


@given(st.lists(st.tuples(st.text(), REPLIES), min_size=1, max_size=8), st.booleans(), st.booleans())
def test_what_is_written_is_read(
    tmp_path_factory: pytest.TempPathFactory, items: list[tuple], array: bool, escaped: bool
) -> None:
    path = tmp_path_factory.mktemp("predictions") / "replies.jsonl"
    values = [{"id": name, "reply": reply, "more": {"id": 1}} for name, reply in items]
    lines = [json.dumps(value, ensure_ascii=escaped) for value in values]
    path.write_text(f"[{','.join(lines)}]" if array else "\n".join(lines), encoding="utf-8", newline="")
    entries = read_predictions(path).entries
    assert [entry.id for entry in entries] == [name for name, _ in items]
    for entry, (_, reply) in zip(entries, items, strict=True):
        assert entry.reply == (reply if reply is None or isinstance(reply, str) else json.dumps(reply))
    shutil.rmtree(path.parent)


def test_placements_that_nobody_replied_to_are_refused(bench: Benchmark, ask: Callable) -> None:
    with pytest.raises(
        InputError, match=r"only for the published placement \(no id such as 'clip-0-monday#rotate-1'\)"
    ):
        ask(bench, rights(bench), placement="rotate")
