"""Runs from Python: what a function gets, what a run returns, and what is left of one that ends early."""

import asyncio
import inspect
import json
import os
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import yaml
from typer.testing import CliRunner

import chronotope as ct
from chronotope.api.html import facts, picture
from chronotope.api.judging import judge_credentials
from chronotope.cli.app import app
from chronotope.cli.run import run_command
from chronotope.ledger import Ledger
from chronotope.models import FunctionModel, RawReply
from chronotope.models.providers import providers
from packages import install
from service import ChatService, completion

BLIND = {"input": "blind"}
NOBODY = "http://127.0.0.1:9/v1"
ORDERS, WRITTEN_OUT = "\x1b\x07\u202e", r"\x1b\x07\u202e"  # what a terminal obeys, and how it is shown


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a run without problems warns of nothing
        yield tmp_path


def odd(ask: ct.Asked) -> str:
    """Right for the first question of each clip, wrong for the second."""
    return "C" if ", 0?" in ask.text else "B"


def assert_free(run: Path) -> None:
    """Nobody holds the lock of the ledger."""
    with Ledger.open(run / "ledger.jsonl"):
        pass


def test_a_function_gets_question_options_and_frames(folder: Path) -> None:
    asked: list[ct.Asked] = []

    def look(ask: ct.Asked) -> str:
        asked.append(ask)
        return "C"

    run = ct.run(folder, look, limit=2, frames=4)
    assert [frame.shape for frame in asked[0].frames()] == [(48, 64, 3)] * 4
    assert [option.letter for option in asked[0].options] == ["A", "B", "C", "D"]
    assert "How far is it in clip" in asked[0].text
    assert yaml.safe_load((run.folder / "run.yaml").read_text())["about_model"].keys() == {"code"}


def test_scores_are_those_of_the_command_line(folder: Path) -> None:
    run = ct.run(folder, odd, **BLIND)
    told = CliRunner().invoke(app, ["report", str(run.folder), "--json", "--frames", "none"])
    [shown] = json.loads(told.stdout)["benchmarks"][0]["runs"]
    table = run.scores().set_index(["group", "name"])
    for group, of in (("task", "tasks"), ("variant", "variants"), ("strategy", "strategies")):
        assert set(table.loc[group].index) == set(shown[of])
        for name, one in shown[of].items():
            row = table.loc[group, name]
            for column in ("value", "low", "high", "items", "clusters", "chance"):
                assert row[column] == pytest.approx(one[column]), (group, name, column)
    assert table.loc["overall", "accuracy"]["value"] == 0.5
    assert set(table.loc["tag scene"].index) == {"Indoor", "Outdoor"}


def test_answers_have_a_row_for_each_ask(folder: Path) -> None:
    run = ct.run(folder, odd, **BLIND)
    table = run.answers()
    assert len(table) == 12 and set(table["state"]) == {"right", "wrong"}
    wrong = table[table["state"] == "wrong"]
    first = table.iloc[0]
    assert first["stem"].startswith("How far") and list(first["options"])[ord(first["right"]) - ord("A")] is not None
    assert first["attempts"] == 1 and first["finish"] == "stop" and first["log_probabilities"] is None
    assert set(wrong["task"]) == {"Speed & Acceleration"} and set(wrong["chosen"]) == {"B"}
    assert repr(run).startswith(f"<Run {run.folder}: model function/odd; benchmark Drawn; accuracy 50.0 % of 12")


def test_a_run_shows_frames_prompt_reply_and_truth(folder: Path) -> None:
    run = ct.run(folder, lambda ask: "B\n<script>", limit=2, frames=3)
    name = run.answers()["question"][0]
    shown = run.show(name)
    assert "→ B\n<script>" in repr(shown) and "state wrong; chosen B; right C" in repr(shown)
    html = shown._repr_html_()
    assert html.count("data:image/jpeg;base64,") == 3 and "&lt;script&gt;" in html and "<script>" not in html
    assert "differ from those" not in html
    assert "accuracy" in run._repr_html_() and "task " in run._repr_html_()
    with pytest.raises(ct.InputError, match="no question or ask 'x': expected one of"):
        run.show("x")


def test_two_runs_are_compared_by_task_and_tag(folder: Path) -> None:
    first, second = ct.run(folder, odd, **BLIND), ct.run(folder, lambda ask: "B", **BLIND)
    table = ct.compare(first, str(second.folder)).set_index(["group", "name"])
    assert table.loc["overall", "accuracy"]["difference"] == 0.5
    assert table.loc["task", "Displacement & Path Length"][["first", "second"]].tolist() == [1, 0]
    assert table.loc["task", "Speed & Acceleration"]["difference"] == 0
    assert table.index.get_level_values("group").unique().tolist() == ["overall", "task", "tag scene"]
    assert ct.report([first, second], "report", frames="none").is_file()


def test_replies_of_another_tool_are_scored(folder: Path) -> None:
    bench = ct.open(folder)
    run = ct.score(bench, {question.id: "C" for question in bench}, name="mine")
    assert run.scores()["value"][0] == 1.0
    said: list[str] = []
    one = ct.score(bench, {"clip-0-0": "C"}, name="one", say=said.append)
    assert one.problems == tuple(said) and "11 of 12" in said[0]
    assert (one.outcome.replied, one.outcome.missing, one.judged) == (1, 11, None)
    with pytest.warns(UserWarning, match="11 of 12"):
        ct.score(bench, {"clip-0-0": "C"}, name="one")
    with pytest.raises(ct.InputError, match=r"^replies: "):
        ct.score(bench, {"zzz": "C"})
    with pytest.raises(ct.InputError, match=r"^replies\['clip-0-0'\]: found \{1\}: expected a text"):
        ct.score(bench, {"clip-0-0": {1}})
    with pytest.raises(ct.InputError, match="nofolder: is not a run"):
        ct.Run("nofolder")


def test_parameters_are_real_and_the_same_in_both_functions() -> None:
    known = inspect.signature(ct.run).parameters
    flags = set(inspect.signature(run_command).parameters) | {"judge_price"}
    renamed = {"task": "tasks", "variant": "variants", "question": "questions", "out_folder": "out", "set_field": "set"}
    ours = {renamed.get(flag, flag) for flag in flags} & known.keys()
    assert {"set", "clips", "frames", "questions", "tasks", "out", "max_cost", "temperature", "judge"} <= ours
    assert inspect.signature(ct.arun) == inspect.signature(ct.run)
    words = ct.run.__doc__ or ""
    missing = [name for name in known if f"``{name}``" not in words and name not in ("bench", "summary_price")]
    assert missing == ["judge_price", "caption_price"]  # said of all prices at once


def test_a_run_asks_chosen_questions_and_parts_of_a_benchmark(folder: Path) -> None:
    bench = ct.open(folder)
    two = ct.run(bench, odd, questions=["clip-1-0", "clip-0-1"], **BLIND)
    assert sorted(two.answers()["question"]) == ["clip-0-1", "clip-1-0"]
    told = CliRunner().invoke(
        app, ["run", str(folder), "--model", "baseline/random", "--question", "clip-1-0", "--json"]
    )
    assert [one["asks"] for one in json.loads(told.stdout)] == [1]
    part = bench.filter(lambda question: question.id.endswith("-0"), tasks="Displacement & Path Length")
    run = ct.run(part, odd, out="part", **BLIND)
    assert sorted(run.answers()["question"]) == sorted(one.id for one in part)
    more = ct.run(bench, odd, out="part", **BLIND)  # a part of a benchmark has the benchmark's identity
    assert len(more.answers()) == 12 and more.scores()["value"][0] == 0.5
    with pytest.raises(ct.InputError, match="no question 'clip-0-1'"):
        ct.run(part, odd, questions="clip-0-1", **BLIND)
    scored = ct.score(bench, {"clip-0-0": "C"}, name="one", questions="clip-0-0")  # no warning of missing replies
    subset = ct.score(bench, {"clip-0-0": "C"}, name="one", only=True, out="subset")
    assert len(subset.answers()) == 1 and subset.scores()["items"][0] == 1
    assert scored.scores()["items"][0] == 1
    with pytest.raises(ct.InputError, match=r"^framez: family sti does not have this setting"):
        ct.score(bench, {"clip-0-0": "C"}, framez=3)


def test_no_questions_are_never_all_questions(folder: Path, tmp_path: Path) -> None:
    bench, asked = ct.open(folder), []

    def mine(ask: ct.Asked) -> str:
        asked.append(ask.ask)
        return "A"

    for part, chosen, words in ((bench[:0], {}, "no questions"), (bench, {"questions": []}, "at least one question")):
        with pytest.raises(ct.InputError, match=words):
            ct.run(part, mine, out=tmp_path / "none", **chosen)
        with pytest.raises(ct.InputError, match=words):
            ct.score(part, {bench[0].id: "A"}, out=tmp_path / "none", **chosen)
    assert asked == [] and not (tmp_path / "none").exists()


def test_runs_of_a_folder_are_a_table_and_a_plot(folder: Path, tmp_path: Path) -> None:
    first, second = ct.run(folder, odd, out="all/odd", **BLIND), ct.run(folder, lambda ask: "B", out="all/b", **BLIND)
    every = ct.runs("all")
    assert [run.folder.name for run in every] == ["b", "odd"] and repr(every).count("<Run") == 2
    table = every.table().set_index("model")
    assert table.loc["function/odd", "value"] == 0.5 and table.loc["function/odd", "replied"] == 12
    drawn = first.plot(beside=second)
    assert {"function/odd", "function/lambda"} <= {line.get_label() for line in drawn.figure.axes[0].lines}
    [at] = [line for line in drawn.figure.axes[0].lines if line.get_label() == "function/odd"]
    tasks = [label.get_text() for label in drawn.figure.axes[0].get_yticklabels()]
    assert dict(zip(tasks, at.get_xdata(), strict=True)) == {
        "Displacement & Path Length": 100, "Speed & Acceleration": 0,
    }  # fmt: skip
    assert "<svg" in drawn._repr_svg_() and drawn.save(tmp_path / "plot.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(ct.InputError, match=r"path: found 'plot.doc': expected a name that ends in .svg, .pdf, .png"):
        drawn.save("plot.doc")
    with pytest.raises(ct.InputError, match="group: no scores by 'tasks': expected one of overall, task"):
        first.plot("tasks")
    with pytest.raises(ct.InputError, match="no such folder"):
        ct.runs("nothing")


def test_calls_of_filters_are_no_runs(folder: Path) -> None:
    run = ct.run(folder, odd, out="run", **BLIND)
    ct.filter_pass(folder, "too-easy", "baseline/random", record="record")
    assert [one.folder.resolve() for one in ct.runs(".")] == [run.folder.resolve()]
    assert len(ct.runs(".").table()) == 1


def test_a_plot_has_each_run_once_and_none_without_replies(folder: Path, tmp_path: Path) -> None:
    def silent(ask: ct.Asked) -> str:
        raise ValueError("no reply")

    one, other = (ct.run(folder, "baseline/random", out=f"{place}/run", limit=4, **BLIND) for place in "ab")
    _, named = one.plot(beside=[other, one]).figure.axes[0].get_legend_handles_labels()
    assert named == ["baseline/random (a/run)", "baseline/random (b/run)"]
    with pytest.warns(UserWarning, match="no reply"):
        failed = ct.run(folder, silent, out="failed", limit=4, **BLIND)
    with pytest.raises(ct.InputError, match="no scores by 'task': expected a run with at least one reply"):
        failed.plot()
    with pytest.raises(ct.InputError, match=r"none.plot\.png: cannot be written \(No such file"):
        one.plot().save(tmp_path / "none" / "plot.png")


def test_options_are_checked_by_name(folder: Path, tmp_path: Path) -> None:
    for option, value, words in (
        ("layout", "shard", "layout: Input should be 'published' or 'shared', found 'shard'"),
        ("lead", "nope", "lead: Input should be 'auto' or 'off', found 'nope'"),
        ("timeout", "x", "timeout: expected a number, found 'x'"),
        ("limit", 2.5, "limit: expected a whole number, found 2.5"),
        ("limit", True, "limit: expected a whole number, found True"),
        ("concurrency", "8", "concurrency: expected a whole number, found '8'"),
        ("tasks", 3, "tasks: expected a text, or a list of texts, found 3"),
        ("tasks", "Pose Estimation", "no question of task 'Pose Estimation'"),
        ("price", 2, "price: expected the prices of a million input and output tokens"),
        ("at_once", 0, "at_once: Input should be greater than or equal to 1, found 0"),
        ("check", "no", "check: Input should be a valid boolean, found 'no'"),
        ("set", 3, "set: expected a mapping of names to values, found 3"),
        ("set", {"stop": object()}, "set: stop cannot be written as JSON (Object of type object is not"),
        ("set", {"bias": {"A": float("nan")}}, "set: bias cannot be written as JSON (Out of range float values"),
        ("out", 3, "out: expected a path, found 3"),
        ("out", "a\0b", "out: a path has no NUL character, found 'a\\x00b'"),
        ("out", "x" * 300, "File name too long"),
        ("questions", ["q" * 9999, 3], f"found ['{'q' * 198}…"),
        ("reuse", [3], "reuse: found 3: expected runs, or paths of run folders"),
        ("progress", 3, "progress: found 3: expected True, False or a function"),
        ("questions", "zzz", "no question 'zzz': expected one of clip-0-0, clip-0-1"),
        ("frame", 8, "frame: there is no such option; did you mean 'frames'?"),
        ("clip_length", 8, "clip_length: belongs to method hctr: add method='hctr', or omit it"),
        ("method", 3, "method: found 3: expected the name of a method"),
    ):
        with pytest.raises(ct.InputError, match=re.escape(words)):
            ct.run(folder, "baseline/random", **({"out": tmp_path / "run"} | {option: value}))
    run = ct.run(
        folder,
        "baseline/random",
        tasks="Speed & Acceleration",
        variants="base",
        limit=np.int64(3),
        timeout=np.float32(9),
    )
    assert len(run.results().answered) == 3


def test_warnings_name_the_line_of_the_user(folder: Path) -> None:
    def fails(asked: ct.Asked) -> str:
        raise LookupError

    with pytest.warns(UserWarning, match="failed|LookupError") as told:
        ct.run(folder, fails, limit=1, **BLIND)
    assert {Path(one.filename) for one in told} == {Path(__file__)}


@pytest.mark.parametrize("way", ["run", "run in a loop", "a task"])
def test_a_warning_during_a_run_names_the_line_of_the_user(
    folder: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The warning comes from a task of the event loop, whose frames do not lead to the user."""
    monkeypatch.setattr("chronotope.models.services.availability.LOOK", 0.02)

    async def cell() -> None:
        if way == "a task":
            await asyncio.create_task(ct.arun(folder, "endpoint/x", base_url=NOBODY, wait=0.3))
        else:
            ct.run(folder, "endpoint/x", base_url=NOBODY, wait=0.3)

    with pytest.warns(UserWarning, match="no service answers|trying for") as told, pytest.raises(ct.InputError):
        if way == "run":
            ct.run(folder, "endpoint/x", base_url=NOBODY, wait=0.3)
        else:
            asyncio.run(cell())
    assert {Path(one.filename) for one in told} == {Path(__file__)}


def test_nothing_that_a_terminal_obeys_is_shown(folder: Path) -> None:
    def fails(asked: ct.Asked) -> str:
        raise LookupError(ORDERS)

    with pytest.warns(UserWarning, match="LookupError") as told:
        ct.run(folder, fails, limit=1, **BLIND)
    assert WRITTEN_OUT in "".join(str(one.message) for one in told)
    run = ct.run(folder, FunctionModel(lambda asked: f"C {ORDERS}", f"function/{ORDERS}"), limit=1, out="run", **BLIND)
    asks = run.show(run.answers()["question"][0])
    texts = [str(asks), repr(asks[0]), repr(run), asks._repr_html_(), run._repr_html_(), repr(ct.runs("run"))]
    texts += [picture(np.zeros((4, 4, 3), np.uint8), ORDERS), facts({ORDERS: ORDERS})]
    for text in texts:
        assert WRITTEN_OUT in text and not set(ORDERS) & set(text), text


def test_an_error_quotes_nothing_that_a_terminal_obeys(folder: Path) -> None:
    with pytest.raises(ct.InputError) as told:
        ct.open(f"nothing{ORDERS}")
    for error in (told.value, ct.InputError(ORDERS, where=ORDERS, expected=ORDERS, fix=ORDERS)):
        assert WRITTEN_OUT in str(error) and not set(ORDERS) & set(str(error)), error


def test_what_is_no_path_is_one_sentence(folder: Path) -> None:
    for call in (
        ct.open, ct.Run, ct.runs, ct.load_recording, lambda wrong: ct.run(wrong, odd),
        lambda wrong: ct.score(folder, wrong), lambda wrong: ct.build("sti", folder, wrong),
        lambda wrong: ct.report([], wrong), lambda wrong: ct.write_filtered(folder, wrong, record=wrong),
        lambda wrong: ct.compare(wrong, wrong), lambda wrong: ct.check(odd, wrong),
    ):  # fmt: skip
        with pytest.raises(ct.InputError, match=r"^\w+: found 5: expected .*path"):
            call(5)
    run = ct.run(folder, odd, limit=1)
    with pytest.raises(ct.InputError, match="name: found 0: expected the id of a question or an ask"):
        run.show(0)  # pyright: ignore[reportArgumentType]


def test_a_model_is_a_name_a_description_an_object_or_a_function(folder: Path) -> None:
    for model in ("baseline/constant-C", ct.ModelSpec("baseline/constant-C")):
        assert ct.run(folder, model).scores()["value"][0] == 1.0
    assert ct.run(folder, FunctionModel(odd, "function/other"), **BLIND).scores()["value"][0] == 0.5
    for model, options, words in (
        (3, {}, "model: found 3: expected the name of a model"),
        ("baseline/random", {"name": "x"}, "name: cannot be used with this kind of model: omit it"),
        (odd, {"base_url": "http://x/v1"}, "base_url: can be used only with a model behind a service"),
        (ct.ModelSpec("baseline/random", device="cpu"), {}, "baseline/random: takes no device"),
    ):
        with pytest.raises(ct.InputError, match=words):
            ct.run(folder, model, **options)
    with pytest.raises(ct.InputError, match=r"^limt: there is no such option; did you mean 'limit'"):
        ct.run(folder, odd, limt=3)


PROVIDER = """
from chronotope.models import FunctionModel, ModelProvider

opened = []

def answer(ask):
    return "C"

def open_spec(spec):
    opened.append((spec.name, spec.device))
    return FunctionModel(answer, at_once=2)

PROVIDER = ModelProvider("mine", lambda name: FunctionModel(answer), open_spec)
"""


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[str, str]]]:
    """An installed package with a provider; the list of the models that it has opened."""
    points = {"chronotope.models": {"mine": "mine_models:PROVIDER"}}
    monkeypatch.syspath_prepend(str(install(PROVIDER, "mine_models", points, tmp_path / "packages")))
    providers.cache_clear()
    monkeypatch.delitem(sys.modules, "mine_models", raising=False)
    yield import_module("mine_models").opened
    providers.cache_clear()


def test_a_description_reaches_the_provider_and_is_the_identity(folder: Path, mine: list[tuple[str, str]]) -> None:
    spec = ct.ModelSpec("mine/big", device="cuda:0", dtype="bfloat16", settings={"pixels": 3})
    run = ct.run(folder, spec, out="run", **BLIND)
    assert mine == [("big", "cuda:0")]  # once
    about = yaml.safe_load((run.folder / "run.yaml").read_text())["about_model"]
    assert about.pop("code") and about == {"device": "cuda:0", "dtype": "bfloat16", "pixels": 3}
    with pytest.raises(ct.InputError, match=r'about_model.device is "cuda:0" there and "cpu" here'):
        ct.run(folder, replace(spec, device="cpu"), out="run", **BLIND)
    for settings in ({"api_key": "abc"}, {"pixels": object()}):
        with pytest.raises(ct.InputError):  # they would be in run.yaml
            ct.run(folder, replace(spec, settings=settings), out="other", **BLIND)
    assert not Path("other").exists()


def test_the_command_line_opens_such_a_model_once(folder: Path, mine: list[tuple[str, str]]) -> None:
    done = CliRunner().invoke(app, ["run", str(folder), "--model", "mine/big", "--input", "blind", "--json"])
    assert done.exit_code == 0 and mine == [("big", None)]
    assert json.loads(done.stdout)[0]["model"] == "mine/big"


def test_a_judge_is_checked_before_anything_is_asked_and_gets_no_key_of_another_service(folder: Path) -> None:
    with pytest.raises(ct.InputError, match="baseline/random only chooses options"):
        ct.run(folder, odd, judge="baseline/random", **BLIND)
    assert not Path("runs").exists()
    asked = ct.ModelSpec("endpoint/a", "http://here/v1")
    judge = ct.ModelSpec("endpoint/b", "http://there/v1")
    assert not judge_credentials(judge, [asked], "credentials").own
    assert judge_credentials(replace(judge, base_url="http://here/v1"), [asked], "credentials").own


def test_another_function_of_the_same_name_cannot_continue_a_run(folder: Path) -> None:
    ct.run(folder, lambda ask: "A", out="run", limit=4, **BLIND)
    with pytest.raises(ct.InputError, match="function/lambda has changed since the run began: ") as told:
        ct.run(folder, lambda ask: "B", out="run", limit=8, **BLIND)
    assert told.value.where == "run"
    assert len(ct.Run("run").answers()) == 4
    ct.run(folder, lambda ask: "A", out="run", limit=8, **BLIND)
    assert len(ct.Run("run").answers()) == 8


def test_an_async_function_is_called_in_the_loop_of_the_caller(folder: Path) -> None:
    loops: set[object] = set()

    async def answer(ask: ct.Asked) -> str:
        loops.add(asyncio.get_running_loop())
        return "C"

    async def main() -> ct.Run:
        run = await ct.arun(folder, answer, at_once=4, **BLIND)
        assert loops == {asyncio.get_running_loop()}
        return run

    assert asyncio.run(main()).scores()["value"][0] == 1.0


def test_run_works_inside_a_running_loop(folder: Path) -> None:
    """As in a notebook, whose cells run in a loop."""

    async def cell() -> ct.Run:
        return ct.run(folder, odd, **BLIND)

    assert asyncio.run(cell()).scores()["value"][0] == 0.5


def test_a_function_that_raises_is_told_and_asked_again(folder: Path) -> None:
    broken = True

    def answer(ask: ct.Asked) -> str:
        if broken and "clip 2" in ask.text:
            raise ZeroDivisionError("no weights")
        return "C"

    with pytest.warns(UserWarning, match=r"failed: .* raised ZeroDivisionError: no weights \(2 calls\)"):
        run = ct.run(folder, answer, out="run", version="1", **BLIND)
    assert (run.answers()["state"] == "failed").sum() == 2
    broken = False
    assert (ct.run(folder, answer, out="run", version="1", **BLIND).answers()["state"] == "right").all()


def test_problems_go_to_the_given_function(folder: Path) -> None:
    told: list[str] = []

    def broken(ask: ct.Asked) -> str:
        raise ZeroDivisionError

    ct.run(folder, broken, out="run", say=told.append, **BLIND)
    asyncio.run(ct.arun(folder, broken, out="other", say=told.append, **BLIND))
    assert sum("raised ZeroDivisionError" in one for one in told) == 2, "and no warning"


def test_the_progress_of_the_judge_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ct.vary(folder, "open", variants="open")
    verdict = completion(json.dumps({"reason": "as expected", "correct": True}))
    with ChatService() as service:
        service.answer = lambda body: (200, verdict)
        judge = ct.ModelSpec("endpoint/judge", service.url)
        options = {"variants": "open", "judge": judge, "limit": 2, **BLIND}
        ct.run("open", lambda ask: f"Hard to say: {ask.text}", progress=True, **options)
        seen: list[tuple[int, int]] = []
        asyncio.run(
            ct.arun("open", lambda ask: f"Well: {ask.text}", progress=lambda *of: seen.append(of[:2]), **options)
        )
    assert "judging by endpoint/judge: 2 of 2" in capsys.readouterr().err
    assert seen[-3:] == [(0, 2), (1, 2), (2, 2)]


class Stops:
    """Raises after some answers; a further call of the run answers all."""

    def __init__(self, after: int, error: type[BaseException]) -> None:
        self.left, self.error = after, error

    def __call__(self, ask: ct.Asked) -> RawReply | str:
        self.left -= 1
        if self.left < 0:
            raise self.error
        return "C"


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("after", [0, 3])
def test_an_exception_leaves_a_run_that_continues_or_nothing(folder: Path, after: int, inside: bool) -> None:
    """KeyboardInterrupt, as Python raises it in the middle of any code."""
    model = FunctionModel(Stops(after, KeyboardInterrupt), "function/stops")

    async def cell() -> None:
        ct.run(folder, model, out="run", **BLIND)

    with pytest.raises(KeyboardInterrupt), pytest.warns(UserWarning, match="interrupted with"):
        asyncio.run(cell()) if inside else ct.run(folder, model, out="run", **BLIND)
    assert_free(Path("run"))
    kept = ct.Run("run").answers()
    assert (kept["state"] == "right").sum() == after
    run = ct.run(folder, FunctionModel(Stops(12, KeyboardInterrupt), "function/stops"), out="run", **BLIND)
    assert (run.answers()["state"] == "right").all()


@pytest.mark.parametrize("after", [0, 3])
def test_a_cancelled_task_leaves_a_run_that_continues_or_nothing(folder: Path, after: int) -> None:
    async def main() -> None:
        reached, calls = asyncio.Event(), 0

        async def answer(ask: ct.Asked) -> str:
            nonlocal calls
            calls += 1
            if calls > after:
                reached.set()
                await asyncio.sleep(600)
            return "C"

        task = asyncio.create_task(ct.arun(folder, answer, out="run", version="1", **BLIND))
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    if after == 0:
        assert not Path("run").exists()
        return
    assert_free(Path("run"))
    assert (ct.Run("run").answers()["state"] == "right").sum() == after


def test_ctrl_c_in_a_notebook_cancels_the_calls(folder: Path) -> None:
    """The signal reaches the waiting thread, and the calls are made in another one."""
    reached = threading.Event()

    async def answer(ask: ct.Asked) -> str:
        reached.set()
        await asyncio.sleep(600)
        return "C"

    def press() -> None:
        reached.wait()
        time.sleep(0.05)  # until the other thread waits; a press before that has the same result
        os.kill(os.getpid(), signal.SIGINT)

    async def cell() -> None:
        ct.run(folder, answer, out="run", version="1", **BLIND)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    presser = threading.Thread(target=press)
    presser.start()
    loop = asyncio.new_event_loop()  # `asyncio.run` would take the signal for itself, as no notebook does
    try:
        with pytest.raises(KeyboardInterrupt), pytest.warns(UserWarning, match="interrupted with"):
            loop.run_until_complete(cell())
    finally:
        presser.join()
        signal.signal(signal.SIGINT, before)
        loop.close()
    assert_free(Path("run"))


def test_any_other_exception_frees_the_folder(folder: Path) -> None:
    class Broken(FunctionModel):
        def trouble(self) -> None:
            raise LookupError("broken")

    with pytest.raises((LookupError, ExceptionGroup)):
        ct.run(folder, Broken(odd), out="run", progress=lambda *_: None, **BLIND)
    assert not Path("run").exists()


def test_progress_is_told_in_lines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ct.run(folder, odd, progress=True, **BLIND)
    assert capsys.readouterr().err.splitlines()[-1].startswith("asking: 12 of 12")


def test_a_check_asks_a_function(folder: Path) -> None:
    outcome = ct.check(lambda ask: "7", folder, pictures=2)
    assert outcome.pictures == 2 and outcome.accepted and outcome.warnings and outcome.limit_of_pictures is None
    with pytest.raises(ct.InputError, match="accepts no pictures"):
        ct.check("baseline/random")
