"""The agents of VGenST-Bench: their prompts and examples, and what comes of models that behave, or do not."""

import json
import multiprocessing
import random
import re
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest
from vgenst_writer_service import Author

from chronotope.errors import InputError
from chronotope.families.vgenst.agents import (
    DraftingOutcome,
    DraftingRequest,
    Item,
    benchmark_items,
    custom_item,
    draft,
    examples,
    prompts,
    read_drafts,
    scene_graphs,
    storylines,
    translators,
)
from chronotope.families.vgenst.agents.first_frame import hidden_words, seen_first, seen_later
from chronotope.families.vgenst.agents.questions import Asked, Written, placed, question_faults
from chronotope.families.vgenst.guard import guard
from chronotope.families.vgenst.protocol import RunSettings
from chronotope.families.vgenst.tasks import TYPES
from chronotope.ledger import read_ledger
from chronotope.models import JobCalls, ModelSpec, structured
from chronotope.question import Option, Question
from chronotope.world.kinds.stage.graph import POOLS, TASKS, published, validate

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["chronotope.families.vgenst.agents.drafting", "chronotope.models.services.endpoint"])
ITEMS = [item for task in TASKS for item in benchmark_items([task], 2)]
LEFT = re.compile(r"\$(?!defs|ref)\{?[a-z_]+\}?|<<\w+>>")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(structured, "BACKOFF", 0.001)


def all_prompts(item: Item) -> dict[str, str]:
    """Every prompt of every agent about an item, as it is sent."""
    graph = scene_graphs.drawn_graph(item, "paper", 1)
    scenario = storylines.drawn_scenario(graph)
    made = {
        "write_graph": scene_graphs._request(item, "paper", False),
        "write_graph drawn": scene_graphs._request(item, "extended", True),
        "validate_graph": scene_graphs._question(graph, item),
        "write_scenario": storylines._request(item, graph),
        "validate_scenario": storylines._question(scenario, graph, item),
    }
    return {name: "\n".join(parts) for name, parts in made.items()}


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.id)
def test_no_placeholder_is_left_in_any_prompt(item: Item) -> None:
    for name, text in all_prompts(item).items():
        assert not LEFT.search(text), (name, LEFT.search(text))
        assert TASKS[item.task].name in text
        for rule in TASKS[item.task].rules.rules:
            assert ("scenario" in name) or rule.expected in text


def test_each_prompt_is_used_and_a_wrong_value_is_an_error() -> None:
    assert set(prompts.NAMES) == {
        "select_task", "write_graph", "validate_graph", "write_scenario", "validate_scenario", "image_prompt",
        "video_prompt", "write_question", "validate_question",
    }  # fmt: skip
    with pytest.raises(KeyError, match="no placeholders"):
        prompts.filled("select_task", catalogue="x", other="y")
    with pytest.raises(KeyError):
        prompts.filled("select_task")


def test_the_parameters_of_the_cycle_are_told_and_differ_along_the_cycle() -> None:
    for task, of in TASKS.items():
        items = benchmark_items([task], 12)
        entries = {json.dumps(of.cycles["paper"].at(item.index)) for item in items}
        heads = [scene_graphs._request(item, "paper", False)[0].partition("\nHow to design it")[0] for item in items]
        assert len(set(heads)) == len(entries) >= 2, task


@pytest.mark.parametrize("task", list(TASKS))
def test_examples_are_right_and_never_of_the_same_theme(task: str) -> None:
    found = examples.all_examples(task)
    assert len(found) == 3 and len({one.theme for one in found}) == 3
    for one in found:
        assert one.graph.task == task and one.graph.scene_meta.theme == one.theme
        assert validate(one.graph, True) == []
        assert not storylines.scenario_faults(one.graph, one.scenario)
        assert not translators.prompt_faults(translators.IMAGES, one.graph, one.image_prompt)
        assert not translators.prompt_faults(translators.VIDEOS, one.graph, one.video_prompt)
        # Whatever agent asks about this theme, the example is not shown; two others are.
        shown = [
            examples.graph_examples(task, one.theme),
            examples.scenario_examples(task, one.theme),
            examples.prompt_examples(task, one.theme, "image_prompt"),
            examples.prompt_examples(task, one.theme, "video_prompt"),
            examples.graph_verdict_examples(task, one.theme),
            examples.scenario_verdict_examples(task, one.theme),
        ]
        assert not any(one.theme in text for text in shown)
        assert len(examples.examples_for(task, one.theme.upper())) == 2
    for kind in TYPES:
        assert examples.question_examples(kind, task, "no theme") != examples.NONE
        for line in examples.question_examples(kind, task, "no theme").split("\n\n"):
            told = json.loads(line)
            asked = Asked(question=told["question"], options=told["options"], answer=told["answer"])
            assert not question_faults(Written(qa_type=kind, task=task, questions=[asked]), [], 1)


def test_the_schema_of_a_graph_asks_only_for_what_a_model_writes() -> None:
    for task in TASKS:
        for is_drawn in (False, True):
            schema = scene_graphs.graph_form(task, is_drawn).model_json_schema()
            assert not set(examples.FIXED) & set(schema["properties"])
            assert {"objects", "camera_movement", "ground_truth"} <= set(schema["properties"])
            text = json.dumps(schema)
            for name in re.findall(r'"#/\$defs/(\w+)"', text):
                assert name in schema["$defs"]


def test_the_first_frame_is_told_from_what_comes_later() -> None:
    items = [item for task in TASKS for item in benchmark_items([task], 12)]
    for item in items:
        graph = scene_graphs.drawn_graph(item, "paper", 2)
        first, later = seen_first(graph), seen_later(graph)
        assert first and not {entity.id for entity in first} & {entity.id for entity in later}
        prompt = translators.drawn_image_prompt(graph)
        assert not translators.prompt_faults(translators.IMAGES, graph, prompt)
        for word in hidden_words(graph):
            broken = translators.prompt_faults(translators.IMAGES, graph, f"{prompt} Also {word}.")
            assert {fault.rule for fault in broken} == {"IMAGE.I2"}  # one label may be a part of another
    shown = {item.task: seen_first(scene_graphs.drawn_graph(item, "paper", 2)) for item in items}
    assert [entity.role for entity in shown["DE"]] == ["landmark_1"] and "agent" not in {e.role for e in shown["IO"]}
    assert "trigger" not in {entity.role for entity in shown["BT"]} and len(shown["RV"]) == 1


def drafted(
    folder: Path, service: Author, items: Sequence[Item], stages: Sequence[str] = ("graph",), **more: object
) -> DraftingOutcome:
    model = ModelSpec("endpoint/author", service.url)
    calls = JobCalls(wait=0.5, timeout=5)
    return draft(DraftingRequest(folder, items, stages, 5, writer=model, calls=calls, **more))  # type: ignore[arg-type]


def test_models_that_behave_fill_all_stages_and_a_repeated_command_asks_nothing(tmp_path: Path) -> None:
    stages = ("graph", "scenario", "prompts", "questions")
    items = ITEMS[::3]
    with Author(items) as service:
        first = drafted(tmp_path / "out", service, items, stages, kinds=["L1-OE", "L2-SL"])
        asked = len(service.bodies)
        again = drafted(tmp_path / "out", service, items, stages, kinds=["L1-OE", "L2-SL"])
        assert len(service.bodies) == asked == first.asked and again.asked == 0
        for _, text in service.texts:
            assert not LEFT.search(text), LEFT.search(text)
    assert first.stopped is None and first.unvalidated == () and not first.held_back and not first.violations()
    assert [work.model_dump() for work in again.works] == [work.model_dump() for work in first.works]
    assert set(first.first_passes()) == set(stages)
    assert all(passed == count for passed, count in first.first_passes().values())
    for work in read_drafts(tmp_path / "out", "graph"):
        assert work.models == {"scene_graph_generator": "endpoint/author"}
        assert work.judges == {"scene_graph_validator": "endpoint/author"}
    # Without a model, code fills the same stages with the same structure.
    plain = draft(DraftingRequest(tmp_path / "plain", items, seed=5))
    by_code = {(work.stage, work.item, work.part): work for work in plain.works}
    for work in first.works:
        if work.stage != "questions":
            other = by_code[work.stage, work.item, work.part]
            assert other.validated and not other.is_model_written and other.models == {}
            if work.stage == "graph":
                keys = set(published(TASKS[work.task].graph.model_validate(work.value)))
                assert keys == set(published(TASKS[work.task].graph.model_validate(other.value)))


@pytest.mark.parametrize(
    ("script", "validated", "attempts", "rules"),
    [
        ({"graph": ["garbage", "right"]}, True, 1, set()),  # a repair within one attempt
        ({"graph": ["cut", "right"]}, True, 1, set()),
        ({"graph": ["garbage"]}, False, 3, {"FORM"}),
        ({"graph": ["refused"]}, False, 3, {"FORM"}),
        ({"graph": ["refused", "right"]}, True, 2, {"FORM"}),
        ({"graph": ["formless", "right"]}, True, 2, {"SCHEMA"}),
        ({"graph": ["wrong", "wrong", "right"]}, True, 3, {"ALL.R4"}),
        ({"graph": ["wrong"]}, False, 3, {"ALL.R4"}),
        ({"judge graph": ["reject", "reject", "right"]}, True, 3, {"ambiguity_check"}),
        ({"judge graph": ["reject"]}, False, 3, {"ambiguity_check"}),
        ({"judge graph": ["garbage"]}, False, 3, {"UNJUDGED"}),
        ({"graph": ["wrong", "right"], "judge graph": ["reject", "right"]}, True, 3, {"ALL.R4", "ambiguity_check"}),
    ],
)
def test_a_model_that_misbehaves_ends_in_a_repair_or_a_marked_work(
    tmp_path: Path, script: dict[str, list[str]], validated: bool, attempts: int, rules: set[str]
) -> None:
    item = benchmark_items(["DE"], 1)
    with Author(item, script) as service:
        outcome = drafted(tmp_path, service, item, ("graph", "scenario"))
        calls = len(service.bodies)
        again = drafted(tmp_path, service, item, ("graph", "scenario"))
        assert len(service.bodies) == calls and again.works == outcome.works, "a finished item is not done again"
    [graph, *later] = outcome.works
    broken = {rule for tried in graph.tried for rule in tried}
    assert graph.validated is validated and len(graph.tried) == attempts
    assert rules <= broken and (rules or not broken)
    # A work that is not validated is never passed on silently.
    assert bool(later) is validated
    assert outcome.held_back == ({} if validated else {"scenario": (item[0].id,)})
    assert (f"graph of {item[0].id}" in outcome.unvalidated) is not validated
    assert len(list(read_drafts(tmp_path, "graph"))) == validated
    is_there = graph.value is not None
    assert len(list(read_drafts(tmp_path, "graph", unvalidated=True))) == is_there
    if not validated and is_there:
        assert graph.objections
        if "UNJUDGED" not in broken and "ALL.R4" not in rules:
            assert validate(TASKS["DE"].graph.model_validate(graph.value)) == [], (
                "the best candidate satisfies all rules"
            )


def test_objections_go_back_as_json_and_each_attempt_is_in_the_ledger(tmp_path: Path) -> None:
    item = benchmark_items(["HO"], 1)
    with Author(item, {"graph": ["wrong", "right"], "judge graph": ["reject", "right"]}) as service:
        outcome = drafted(tmp_path, service, item)
        told = [text for stage, text in service.texts if stage == "graph"]
    assert "was rejected" not in told[0]
    for number, rule in ((1, "ALL.R4"), (2, "ambiguity_check")):
        listed = json.loads(told[number].partition("else that is right:\n")[2])
        assert rule in {fault["rule_id"] for fault in listed}
        assert all(set(fault) == {"rule_id", "path", "found", "expected", "hint"} for fault in listed)
    lines = read_ledger(tmp_path / "ledger.jsonl")
    assert [line.kind for line in lines] == ["write", "write", "validate", "write", "validate"]
    assert outcome.works[0].validated and len(outcome.works[0].tried) == 3


def test_a_service_that_fails_stops_the_job_and_the_same_command_continues(tmp_path: Path) -> None:
    items = benchmark_items(["CI"], 4)
    with Author(items, {"judge graph": ["down"]}) as service:
        service.keeps = False
        stopped = drafted(tmp_path, service, items)
        assert stopped.stopped is not None and not stopped.works
        before = sum(count for (stage, _), count in service.calls.items() if stage == "graph")
        service.script = {}
        outcome = drafted(tmp_path, service, items)
        after = sum(count for (stage, _), count in service.calls.items() if stage == "graph")
    assert outcome.stopped is None and all(work.validated for work in outcome.works) and len(outcome.works) == 4
    assert after <= before + 4 and max(service.calls[stage, item.id] for item in items for stage in ["graph"]) == 1


def client(folder: Path, url: str, items: list[Item]) -> None:
    """What a process does until it is killed."""
    structured.BACKOFF = 0.001
    model = ModelSpec("endpoint/author", url)
    draft(DraftingRequest(folder, items, ("graph", "scenario"), 5, writer=model, calls=JobCalls(concurrency=4)))


@pytest.mark.parametrize(
    "kills",
    [pytest.param(4, marks=pytest.mark.slow), pytest.param(20, marks=[pytest.mark.slow, pytest.mark.complete])],
)
def test_killed_between_request_and_reply_no_finished_item_is_redone_or_lost(tmp_path: Path, kills: int) -> None:
    """Every second kill comes when the service has a request and has not answered it."""
    items = [item for task in TASKS for item in benchmark_items([task], 2)]
    generator, out = random.Random(kills), tmp_path / "out"
    finished: dict[Path, bytes] = {}
    with Author(items) as service:
        for number in range(kills):
            service.pause = 0.02
            process = FORKS.Process(target=client, args=(out, service.url, items))
            process.start()
            service.end_at(process.pid, generator.randint(2, 5), before_reply=number % 2 == 0)
            process.join(60)
            assert process.exitcode == -signal.SIGKILL, "it ended before it could be killed"
            there = {path.relative_to(out): path.read_bytes() for path in out.glob("*s/*.json")}
            assert finished.items() <= there.items(), "finished items stay as they are"
            finished = there
        service.pause, before = 0.0, len(service.bodies)
        outcome = drafted(out, service, items, ("graph", "scenario"))
        assert outcome.stopped is None and not outcome.unvalidated and len(outcome.works) == 2 * len(items)
        # An undisturbed job makes four calls for an item; a kill costs the calls in flight, and nothing else.
        replied = [line.key for line in read_ledger(out / "ledger.jsonl") if line.state == "replied"]
        assert len(replied) == len(set(replied)) == 4 * len(items)
        assert 4 * len(items) <= len(service.bodies) <= 4 * len(items) + 4 * kills
        assert len(service.bodies) > before
        assert finished.items() <= {path.relative_to(out): path.read_bytes() for path in out.glob("*s/*.json")}.items()


def test_the_limit_on_the_cost_is_for_both_models_together(tmp_path: Path) -> None:
    items = benchmark_items(["LS"], 20)
    with Author(items) as service:
        model = ModelSpec("endpoint/author", service.url, settings={"max_tokens": 100})
        other = ModelSpec("endpoint/judge", service.url, settings={"max_tokens": 100})
        calls = JobCalls.of(price="1000,10000", max_cost=9, concurrency=1)
        request = DraftingRequest(tmp_path, items, ("graph",), writer=model, validator=other, calls=calls)
        stopped = draft(request)
        spent = sum(line.money or 0.0 for line in read_ledger(tmp_path / "ledger.jsonl"))
    assert stopped.stopped is not None and "--max-cost" in stopped.stopped
    assert stopped.money == pytest.approx(spent) and 7 < spent <= 9


def test_items_are_known_by_task_and_theme_and_settings_do_not_mix(tmp_path: Path) -> None:
    few, more = benchmark_items(["MC"], 2), benchmark_items(["MC"], 4)
    first = draft(DraftingRequest(tmp_path, few, ("graph",)))
    second = draft(DraftingRequest(tmp_path, [more[3], more[1]], ("graph",)))
    assert {work.item: work.value for work in second.works}[few[1].id] == first.works[1].value
    assert first.works[0].theme_id == POOLS["MC"].themes[0].id
    with pytest.raises(InputError, match="seed 0 instead of 3"):
        draft(DraftingRequest(tmp_path, few, ("graph",), seed=3))
    own = custom_item("Grandma's attic", "HO", 2)
    assert own.id == "HO--custom--grandma-s-attic" and custom_item(POOLS["HO"].themes[4].name, "HO").index == 4
    with pytest.raises(InputError, match="no set"):
        draft(DraftingRequest(tmp_path / "drawn", [own], is_drawn=True))
    with pytest.raises(InputError, match="need a model that writes"):
        draft(DraftingRequest(tmp_path / "asked", few, ("graph", "questions")))
    with pytest.raises(InputError, match="same task and theme"):
        draft(DraftingRequest(tmp_path / "twice", [*few, few[0]]))


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"options": ["red", "blue"]}, "Q1"), ({"options": ["red", "Red.", "blue"]}, "Q2"), ({"answer": "green"}, "Q3"),
        ({"options": ["red", "", "blue"]}, "Q4"), ({"options": ["A. red", "B. blue", "grey"], "answer": "grey"}, "Q5"),
        ({"options": ["red", "a very long option that nobody would ever choose", "blue"]}, "Q6"),
        ({"question": "Is it 3 m away?"}, "Q7"), ({"question": "Which? A. red B. blue"}, "Q8"),
        ({"question": "Is it light red?", "options": ["light red", "blue", "grey"], "answer": "light red"}, "Q9"),
    ],
)  # fmt: skip
def test_each_rule_of_questions_finds_its_fault(change: dict[str, object], rule: str) -> None:
    right = {"question": "What colour is the mug?", "options": ["red", "blue", "grey"], "answer": "red"}
    assert not question_faults(Written(qa_type="L1-OA", task="HO", questions=[Asked(**right)]), [], 1)  # type: ignore[arg-type]
    wrong = Written(qa_type="L1-OA", task="HO", questions=[Asked(**(right | change))])  # type: ignore[arg-type]
    assert f"QUESTION.{rule}" in {fault.rule for fault in question_faults(wrong, [], 1)}
    assert "QUESTION.Q0" in {fault.rule for fault in question_faults(wrong, [], 2)}


def test_letters_of_answers_are_drawn_by_code() -> None:
    asked = Asked(question="What?", options=["red", "blue", "grey", "pink"], answer="Grey")
    drawn = [placed(asked, 1, f"q{number}") for number in range(400)]
    assert all(options[answer] == "grey" and sorted(options) == sorted(asked.options) for options, answer in drawn)
    counts = [sum(answer == place for _, answer in drawn) for place in range(4)]
    assert min(counts) > 70
    assert placed(asked, 1, "q7") == drawn[7]


def test_families_that_wrote_or_judged_are_not_evaluated() -> None:
    made = {"models": {"qa_generator": "openai/gpt-5"}, "judges": {"qa_validator": "google/gemini-3"}}
    question = Question("q", "vgenst", "MC", "c", "What?", (Option("a"), Option("b")), (0,), provenance=made)
    settings = RunSettings()
    for model in ("openai/gpt-6", "google/gemma-4"):
        assert "family" in (guard(model, None, settings, [question]) or "")
        assert guard(model, None, RunSettings(allow_self_eval=True), [question]) is None
    assert guard("anthropic/claude-opus-5", None, settings, [question]) is None
