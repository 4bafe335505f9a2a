"""Clips that are sent whole, as video files."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from evaluate_asking import ask

from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection, make_plan
from chronotope.evaluate.plan.plan import media_facts
from chronotope.evaluate.score import open_run
from chronotope.families import Family, family
from chronotope.models import Limits
from chronotope.question import Benchmark

FILES = {"clips": "video"}


def test_the_file_itself_arrives(tiny: Family, make_bench, serve: Callable, tmp_path: Path) -> None:
    bench = make_bench([replace(question, window=None) for question in make_bench.questions()])
    server = serve()
    outcome = ask(bench, tiny, server.url, tmp_path / "run", settings=FILES)
    assert outcome.states == {"replied": 24} and outcome.problems == ()
    sent = {request["text"].partition("\n")[0]: request["pictures"] for request in server.requests()}
    results = open_run(tmp_path / "run")
    assert results.card.frames == ["whole clips as video files"]
    for answered in results.answered:
        path = answered.question.media[0].paths[0]
        assert sent[answered.question.stem] == answered.line.pictures == [bench.media[path].sha256]
        [arrived] = sent[answered.question.stem]
        assert (server.folder / arrived).read_bytes() == (bench.folder / path).read_bytes()


def test_what_cannot_be_a_video_is_refused(bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path) -> None:
    server = serve()
    with pytest.raises(InputError, match=r"the question is only about 0 to 0\.9 s"):
        ask(bench, tiny, server.url, tmp_path / "run", settings=FILES)
    with pytest.raises(InputError, match="--frames: cannot be combined with --clips video"):
        ask(bench, tiny, server.url, tmp_path / "run", settings=FILES | {"frames": 3})
    whole = [replace(question, window=None) for question in bench.questions]
    settings = tiny.RunSettings(clips="video")
    with pytest.raises(InputError, match="the model accepts only pictures: use --clips frames"):
        make_plan(replace(bench, questions=tuple(whole)), tiny, settings, Selection(), Limits(takes_video=False))
    assert server.requests() == [] and not (tmp_path / "run").exists()


def test_the_published_words_state_the_rate_of_the_clip(bench: Benchmark) -> None:
    sti = family("sti")
    question = replace(bench.questions[0], family="sti", window=None)
    facts = media_facts(bench)
    for clips, rate in (("frames", "2.00"), ("video", "10.00")):
        settings = sti.RunSettings(clips=clips, **({"frames": 4} if clips == "frames" else {}))
        [one] = sti.protocol.asks(question, settings, facts)
        assert f"sampled at about {rate} FPS" in sti.protocol.parts(one, question, facts)[0].text
