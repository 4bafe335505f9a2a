"""HCTR with functions as models: clips, prompts, the order of the stages, and what is asked only once."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from methods_homes import Crew, home_questions, read_frame

import chronotope
from chronotope.errors import InputError
from chronotope.evaluate.plan import read_asks, read_manifest
from chronotope.evaluate.plan.plan import media_facts
from chronotope.evaluate.score import open_run, score_run, usage_of
from chronotope.ledger import read_ledger
from chronotope.media import plan_frames
from chronotope.methods import MethodAsk, find_method, methods
from chronotope.methods.hctr import HCTRSettings
from chronotope.methods.hctr.clips import clips_of, shots_of
from chronotope.models import Asked, FunctionModel, Limits, RawReply
from chronotope.protocol import Ask, Image, Option, Part, PictureFile, Text, frames_of
from chronotope.question import Benchmark

PUBLISHED = Path(chronotope.__file__).parent / "methods" / "hctr" / "prompts.json"
CLIPS = {"clip_length": 8, "clip_frames": 3}  # of 20 frames: 0 to 7, 8 to 15, 16 to 19
# floor((2 i + 1) N / 6) behind the first frame of each clip
MIDDLES = [[1, 4, 6], [9, 12, 14], [16, 18, 19]]


def ask(bench: Benchmark, crew: Crew, out: Path, **options: Any) -> Any:
    given: dict[str, Any] = {
        "out": out, "method": "hctr", **(CLIPS if options.get("method", "hctr") else {}),
        "caption_model": FunctionModel(crew.caption, "function/caption", version="1"),
        "summary_model": FunctionModel(crew.summarize, "function/summary", version="1"),
    }  # fmt: skip
    return chronotope.run(bench, FunctionModel(crew.answer, "function/answer", version="1"), **(given | options))


def states(run: Any) -> dict[str, int]:
    return score_run(open_run(run.folder)).states


def test_every_clip_is_described_once_from_the_frames_at_the_middles_of_its_parts(
    homes: Benchmark, crew: Crew, tmp_path: Path
) -> None:
    ask(homes, crew, tmp_path / "run")
    assert crew.calls == {"caption": 12, "summary": 4, "answer": 6}
    seen = sorted([read_frame(picture) for picture in asked.frames()] for asked in crew.seen)
    assert seen == [[(clip, number) for number in numbers] for clip in range(4) for numbers in MIDDLES]
    sizes = {picture.shape for asked in crew.seen for picture in asked.frames()}
    assert sizes == {(448, 448, 3)}  # of the family's protocol


def test_the_prompts_are_the_published_ones(homes: Benchmark, crew: Crew, tmp_path: Path) -> None:
    ask(homes, crew, tmp_path / "run", limit=1)
    assert sorted(one.text for one in crew.seen) == [
        "This is a video clip segment from a video. Total video duration: 2.00 s\n"
        f"This video clip segment duration time: {times}\n"
        "Please describe the video content in detail. Focus on the environment spatial layout, objects, including "
        "their spatial layout, detailed information, and the flow of the video. Please describe in clear and concise "
        "language."
        for times in ("0.00 s to 0.80 s", "0.80 s to 1.60 s", "1.60 s to 2.00 s")
        for _ in ("before", "after")
    ]
    captions = [
        f"{times}:\nclip 0 frames {numbers}"
        for times, numbers in zip(("0.00 s to 0.80 s", "0.80 s to 1.60 s", "1.60 s to 2.00 s"), MIDDLES, strict=True)
    ]
    [first, second] = [one.text for one in crew.merged]
    assert first == (
        "Please synthesize the following descriptions of different segments of a video into a single, coherent, and "
        "detailed overall caption for the entire video.\nSegment Descriptions:\n" + "\n\n".join(captions) + "\n"
        "Focus on the environment spatial layout, objects, including their spatial layout, detailed information, and "
        "the flow of the video. Please describe in clear and concise language."
    )
    assert second == first.replace("clip 0", "clip 1")  # thinking is left out
    [asked] = crew.answered
    assert not asked.files and "clip 1 frames [16, 18, 19]" in asked.text
    before, _, after = asked.text.partition("This is the second video:\nmerged ")
    assert before.startswith(
        "Based on the following context information, answer the question:\nContext: \nThis is the first video:\nmerged "
    )
    assert after.endswith(
        "\nQuestion: What happened to thing 2 of home 0?\nOptions:\nA. It moved {far}\nB. It opened\n"
        "C. No correct option is listed.\n"
        'Return ONLY the option letter(s) (e.g., "A", "B", "C"). For multiple correct options, concatenate the letters '
        '(e.g., "ABC"). AVOID ANY OTHER OUTPUT CONTENT.'
    )
    assert json.loads(PUBLISHED.read_text())["source"].startswith("M3-Verse")


def test_a_second_command_and_further_questions_repeat_nothing(homes: Benchmark, crew: Crew, tmp_path: Path) -> None:
    ask(homes, crew, tmp_path / "run", limit=2)
    assert crew.calls == {"caption": 12, "summary": 4, "answer": 2}
    again = Crew()
    ask(homes, again, tmp_path / "run")
    assert again.calls == {"answer": 4}
    last = Crew()
    run = ask(homes, last, tmp_path / "run")
    assert not last.calls.total() and states(run) == {"replied": 6}
    kinds = [line.kind for line in read_ledger(tmp_path / "run" / "ledger.jsonl")]
    assert {kind: kinds.count(kind) for kind in kinds} == {"caption": 12, "summary": 4, "answer": 6}


def test_the_report_and_the_run_show_the_prompt_as_it_was_sent(homes: Benchmark, crew: Crew, tmp_path: Path) -> None:
    ask(homes, crew, tmp_path / "run", limit=2)
    results = open_run(tmp_path / "run")
    for one, asked in zip(results.answered, sorted(crew.answered, key=lambda asked: asked.ask), strict=True):
        parts = results.parts(one.ask)
        assert "".join(part.text if isinstance(part, Text) else part.shown for part in parts) == asked.text
        assert one.line is not None and one.line.extra["prompt"] and not one.line.pictures
    usage = usage_of(results.lines)
    assert {kind: of.calls for kind, of in usage.stages.items()} == {"caption": 12, "summary": 4, "answer": 2}
    assert usage.calls == 18


def test_without_summary_the_captions_are_the_context(homes: Benchmark, crew: Crew, tmp_path: Path) -> None:
    ask(homes, crew, tmp_path / "run", summary=False, summary_model=None, limit=1)
    assert crew.calls == {"caption": 6, "answer": 1}
    assert "This is the first video:\n0.00 s to 0.80 s:\nclip 0 frames [1, 4, 6]\n\n0.80 s" in crew.answered[0].text


def test_one_model_can_make_all_calls_and_the_number_of_answers_is_stated_if_wanted(
    homes: Benchmark, tmp_path: Path
) -> None:
    texts: list[str] = []

    def everything(asked: Asked) -> str:
        texts.append(asked.text)
        return f"B {len(texts)}"

    chronotope.run(homes, everything, out=tmp_path / "run", method="hctr", **CLIPS, state_count=True)
    ends = [text.splitlines()[-1] for text in texts if text.startswith("Based on")]
    assert len(texts) == 22 and sorted(set(ends)) == [
        "There are more than one correct option for this question.",
        "There is only one correct option for this question.",
    ]


def test_other_families_too_with_the_window_in_words(drive: Benchmark, crew: Crew, tmp_path: Path) -> None:
    ask(drive, crew, tmp_path / "run")
    assert crew.calls == {"caption": 3, "summary": 1, "answer": 2}  # one video for both questions
    first, second = sorted(one.text for one in crew.answered)
    assert "Context: merged" in first and "\nQuestion: From 0.0 seconds to 0.9 seconds. How far" in first
    assert "\nQuestion: From 0.5 seconds to 1.4 seconds. How far" in second


def test_a_caption_that_failed_is_repeated_by_the_next_command(homes: Benchmark, crew: Crew, tmp_path: Path) -> None:
    def failing(asked: Asked) -> str | RawReply:
        if "0.80 s to 1.60 s" in asked.text and read_frame(asked.frames()[0])[0] == 3:
            return RawReply("failed", error="overloaded")
        return crew.caption(asked)

    def captioner(function: Any) -> FunctionModel:
        return FunctionModel(function, "function/caption", version="1")

    run = ask(homes, crew, tmp_path / "run", caption_model=captioner(failing))
    assert states(run) == {"replied": 3, "failed": 3}  # the questions about the other home have answers
    failed = [line for line in read_ledger(tmp_path / "run" / "ledger.jsonl") if line.state == "failed"]
    assert {line.error for line in failed if line.kind == "answer"} == {"no caption of clips/3.mp4, 0.80 s to 1.60 s"}
    again = Crew()
    run = ask(homes, again, tmp_path / "run")
    assert again.calls == {"caption": 1, "summary": 2, "answer": 3} and states(run) == {"replied": 6}


def test_replies_that_are_cut_short_or_empty_are_told(homes: Benchmark, crew: Crew, tmp_path: Path) -> None:
    def thinking(asked: Asked) -> RawReply:
        return RawReply("replied", "<think>so many things", finish="length")

    with pytest.warns(UserWarning, match="of 12 caption calls, 12 reached the limit on tokens and 12 have no words"):
        ask(homes, crew, tmp_path / "run", caption_model=FunctionModel(thinking, "function/thinking", version="1"))
    assert all("0.00 s to 0.80 s:\n(no description)\n" in asked.text for asked in crew.merged)


def test_captions_of_another_run_are_reused_for_another_answerer(homes: Benchmark, crew: Crew, tmp_path: Path) -> None:
    ask(homes, crew, tmp_path / "first")
    other = Crew()
    model = FunctionModel(other.answer, "function/other", version="1")
    options: dict[str, Any] = {"method": "hctr", **CLIPS, "reuse": [tmp_path / "first"]}
    chronotope.run(
        homes, model, out=tmp_path / "second", **options,
        caption_model=FunctionModel(other.caption, "function/caption", version="1"),
        summary_model=FunctionModel(other.summarize, "function/summary", version="1"),
    )  # fmt: skip
    assert other.calls == {"answer": 6}
    usage = usage_of(open_run(tmp_path / "second").lines)
    assert usage.calls == 6  # what was copied was paid for elsewhere


def test_the_method_and_its_models_are_part_of_the_identity(homes: Benchmark, crew: Crew, tmp_path: Path) -> None:
    ask(homes, crew, tmp_path / "run", limit=1)
    card = read_manifest(tmp_path / "run")
    assert card.method is not None and card.frames == ["clips of 8 frames, at most 3 frames of each shown"]
    told = card.identified()
    assert told["method.models.caption.model"] == "function/caption" and told["method.settings.clip_length"] == 8
    assert card.model_copy(update={"method": None}).identity != card.identity
    for other in (
        {"clip_frames": 4},
        {"summary_model": FunctionModel(crew.summarize, "function/elsewhere", version="1")},
        {"method": None, "caption_model": None, "summary_model": None},
    ):
        with pytest.raises(InputError, match=r"contains another run .*method"):
            ask(homes, crew, tmp_path / "run", **other)
    [planned] = read_asks(tmp_path / "run")
    assert planned.pictures == 0 and planned.ask.plans[0] is not None
    assert planned.ask.plans[0].indices == tuple(number for numbers in MIDDLES for number in numbers)


def test_the_limit_on_the_cost_counts_all_stages(homes: Benchmark, crew: Crew, tmp_path: Path) -> None:
    def priced(function: Any, name: str, money: float) -> FunctionModel:
        return FunctionModel(lambda asked: RawReply("replied", function(asked), money=money), name, version="1")

    def run_within(limit: float) -> tuple[Any, float]:
        answerer = priced(crew.answer, "function/answer", 0.25)
        run = chronotope.run(homes, answerer, out=tmp_path / "run", method="hctr", **CLIPS, max_cost=limit, **models)
        return run, sum(line.money or 0 for line in read_ledger(tmp_path / "run" / "ledger.jsonl"))

    models: dict[str, Any] = {
        "caption_model": priced(crew.caption, "function/caption", 1.0),
        "summary_model": priced(crew.summarize, "function/summary", 0.5),
    }
    run, spent = run_within(7.2)
    assert 5 < spent <= 7.2 and crew.calls["caption"] < 12
    assert any("--max-cost" in problem for problem in run.problems)
    run, spent = run_within(100)
    assert spent == pytest.approx(12 * 1.0 + 4 * 0.5 + 6 * 0.25) and not run.problems
    assert crew.calls == {"caption": 12, "summary": 4, "answer": 6}


def test_wrong_use_is_a_sentence(homes: Benchmark, drive: Benchmark, crew: Crew, tmp_path: Path) -> None:
    blind = FunctionModel(crew.caption, "function/blind", limits=Limits(looks=False), version="1")
    few = FunctionModel(crew.caption, "function/few", limits=Limits(pictures=2), version="1")
    for options, words in (
        ({"method": "htcr"}, "there is no method 'htcr': expected one of hctr"),
        ({"method": None, "clip_length": 8}, "clip_length: belongs to method hctr: add method='hctr', or omit it"),
        ({"clip_length": 0}, "clip_length"),
        ({"length": 5}, "length: there is no such option"),
        ({"input": "blind"}, "--input blind: cannot be combined with --method hctr"),
        ({"rate": 2}, "--rate: --method hctr chooses the frames"),
        ({"layout": "shared"}, "--layout shared: cannot be combined"),
        ({"batch": True}, "--batch: cannot be combined with --method"),
        ({"caption_model": blind}, "function/blind sees no pictures"),
        ({"caption_model": few}, "shows 3 pictures, but the model accepts at most 2: use a smaller --clip-frames"),
        ({"summary": False}, "--summary-model: --method hctr makes no summary"),
    ):
        with pytest.raises(InputError) as error:
            ask(homes, crew, tmp_path / "run", **options)
        assert words in str(error.value)
        assert not (tmp_path / "run").exists()


def test_pictures_besides_videos_are_refused(homes: Benchmark) -> None:
    question = home_questions(1, 1)[0]
    facts = media_facts(homes)
    plans = tuple(plan_frames(facts.clip(item.paths[0]), "midpoints", count=2) for item in question.media)
    given = MethodAsk(Ask("one", question.id, (0, 1, 2), plans), question, (), facts)
    diagram = PictureFile("images/step.png", "0" * 64)
    for part in (Image(diagram), Option("A", "A.", image=diagram)):
        with pytest.raises(InputError, match="has pictures besides its videos, and HCTR answers from text"):
            shots_of(replace(given, parts=(part,)))
    with pytest.raises(InputError, match="shows no video"):
        shots_of(replace(given, question=replace(question, media=())))
    assert [shot.path for shot in shots_of(given)] == ["clips/0.mp4", "clips/1.mp4"]


def test_open_questions_keep_the_words_of_their_own_prompt(homes: Benchmark) -> None:
    question = replace(home_questions(1, 1)[0], options=(), answer=(), expected="moved")
    facts = media_facts(homes)
    plans = tuple(plan_frames(facts.clip(item.paths[0]), "midpoints", count=2) for item in question.media)
    parts: list[Part] = [Text("Look closely.")]
    for number, (item, plan) in enumerate(zip(question.media, plans, strict=True)):
        parts += [Text(f"\nVideo {number}:", label=True), *frames_of(item.paths[0], plan)]
    parts.append(Text("What moved? In one word."))
    walk = find_method("hctr").stages(
        MethodAsk(Ask("one", question.id, (), plans), question, tuple(parts), facts), HCTRSettings(summary=False)
    )
    captions = next(walk)
    assert [step.kind for step in captions] == ["caption", "caption"]
    with pytest.raises(StopIteration) as end:
        walk.send(["a cup", "no cup"])
    assert "".join(part.text for part in end.value.value) == (
        "Based on the following context information, answer the question:\nContext: \nVideo 0:\n0.00 s to 2.00 s:\n"
        "a cup\n\nVideo 1:\n0.00 s to 2.00 s:\nno cup\nLook closely.\nWhat moved? In one word."
    )


def test_clips_stay_inside_the_window_that_the_protocol_shows(homes: Benchmark) -> None:
    facts = media_facts(homes).clip("clips/0.mp4")
    plan = plan_frames(facts, "endpoints", count=2, window=(0.45, 1.21), size=(32, 24))
    clips = clips_of(facts, plan, 5, 9)
    assert [clip.plan.indices for clip in clips] == [(4, 5, 6, 7, 8), (9, 10, 11, 12)]
    assert [(round(clip.start, 2), round(clip.end, 2)) for clip in clips] == [(0.4, 0.9), (0.9, 1.3)]
    assert {clip.plan.size for clip in clips} == {(32, 24)}


def test_ours_is_found_by_name() -> None:
    assert list(methods()) == ["hctr"] and find_method("hctr").title
