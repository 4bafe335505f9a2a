"""Frames sent as one video with their times, or as numbered pictures with their times between them."""

import base64
import hashlib
import io
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from evaluate_asking import ask
from evaluate_seeing import Seeing, check
from PIL import Image

from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection, Shown, make_plan, planned_shown
from chronotope.evaluate.run import run
from chronotope.evaluate.score import open_run
from chronotope.families import Family
from chronotope.models import Asked, Decoding, FunctionModel, Limits, open_model
from chronotope.question import Benchmark, MediaItem
from service import ChatService

FPS, FRAMES = 10, 20  # of the clips; the left half of frame k is 20 + 10 k bright


@pytest.fixture
def listener() -> Iterator[ChatService]:
    with ChatService() as listener:
        yield listener


VIDEO = {"frames_as": "video"}


def number_of(jpeg: bytes) -> int:
    """The number of the frame that a picture shows."""
    assert jpeg.startswith(b"\xff\xd8\xff")
    grey = np.asarray(Image.open(io.BytesIO(jpeg)).convert("L"))[10:38, 8:24].mean()
    return round((grey - 20) / 10)


def test_the_frames_of_a_clip_are_one_video_with_rate_and_numbers(
    bench: Benchmark, tiny: Family, listener: ChatService, tmp_path: Path
) -> None:
    for extra in ({"media_io_kwargs": None}, {"media_io_kwargs": {"video": {"fps": 1}}}):
        with pytest.raises(InputError, match="--set media_io_kwargs: cannot be combined with --frames-as video"):
            ask(bench, tiny, listener.url, tmp_path / "video", extra=extra, settings=VIDEO)
    assert not (tmp_path / "video").exists()
    assert ask(bench, tiny, listener.url, tmp_path / "video", settings=VIDEO).states == {"replied": 24}
    ask(bench, tiny, listener.url, tmp_path / "pictures")
    videos, pictures = listener.bodies[:24], listener.bodies[24:]
    assert all("media_io_kwargs" not in body for body in pictures)
    seen = set()
    for body in videos:
        [video, *texts] = body["messages"][0]["content"]
        assert video["type"] == "video_url" and [part["type"] for part in texts] == ["text"]
        head, _, frames = video["video_url"]["url"].partition(",")
        assert head == "data:video/jpeg;base64"
        jpegs = [base64.b64decode(one, validate=True) for one in frames.split(",")]
        told = body["media_io_kwargs"]
        indices = told["video"].pop("frames_indices")
        assert [number_of(jpeg) for jpeg in jpegs] == indices and len(indices) == 4
        assert told["video"] == {
            "fps": FPS, "total_num_frames": FRAMES, "duration": 2.0, "num_frames": 4, "do_sample_frames": False,
        }  # fmt: skip
        seen.add((tuple(hashlib.sha256(jpeg).hexdigest() for jpeg in jpegs), tuple(indices)))
    results, plain = open_run(tmp_path / "video"), open_run(tmp_path / "pictures")
    sent = {(tuple(one.line.pictures), one.ask.plans[0].indices) for one in results.answered}
    assert sent == seen == {(tuple(one.line.pictures), one.ask.plans[0].indices) for one in plain.answered}
    assert results.card.frames == ["4 frames, midpoints, as one video"]
    assert results.card.protocol.settings["frames_as"] == "video" and "frames_as" not in plain.card.protocol.settings
    assert {one.line.key for one in results.answered}.isdisjoint(one.line.key for one in plain.answered)
    with pytest.raises(InputError, match=r"contains another run .*frames_as"):
        ask(bench, tiny, listener.url, tmp_path / "video")


def test_pictures_are_numbered_with_their_times_between_them(
    bench: Benchmark, tiny: Family, listener: ChatService, tmp_path: Path
) -> None:
    ask(bench, tiny, listener.url, tmp_path / "run", settings={"frames_as": "images"})
    for body in listener.bodies:
        content = body["messages"][0]["content"]
        assert [part["type"] for part in content] == [*["text", "image_url"] * 4, "text"]
        for number, (text, picture) in enumerate(zip(content[:8:2], content[1:8:2], strict=True), 1):
            shown = number_of(base64.b64decode(picture["image_url"]["url"].partition(",")[2]))
            assert text["text"] == f"Picture {number} ({shown / FPS:.2f} s):\n"


def test_a_function_gets_frames_and_their_times(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    asked: list[Asked] = []
    model = FunctionModel(lambda one: asked.append(one) or "A", "function/looks")
    run(bench, tiny, model, Decoding(), tiny.RunSettings(frames_as="video"), Selection(limit=6), tmp_path / "run")
    for one in asked:
        assert [number_of(file.data) / FPS for file in one.files] == list(one.times)
        assert len(one.frames()) == 4


def test_what_has_no_times_or_no_service_is_refused_in_a_sentence(bench: Benchmark, tiny: Family) -> None:
    def plan(limits: Limits = Limits(), of: Benchmark = bench, **settings: object) -> None:  # noqa: B008
        make_plan(of, tiny, tiny.RunSettings(**settings), Selection(), limits)

    for name in ("openai/x", "google/x", "anthropic/x"):
        limits = open_model(name, to_ask=False).limits
        with pytest.raises(InputError, match="the service of this model accepts no video of JPEG frames"):
            plan(limits, frames_as="video")
        plan(limits, frames_as="images")
    for other in ({"input": "blind"}, {"clips": "video"}):
        with pytest.raises(InputError, match="--frames-as: cannot be combined with --"):
            plan(frames_as="video", **other)
    first, second = bench.questions[0], bench.questions[-1]
    both = replace(first, media=(*first.media, MediaItem("other", "video", second.media[0].paths)), window=None)
    longer = replace(bench.media[second.media[0].paths[0]], frames=30, duration_s=3.0)
    two = replace(bench, questions=(both,), media=bench.media | {longer.path: longer})
    with pytest.raises(InputError, match="shows 2 clips, but a request can state the times of one video only"):
        plan(of=two, frames_as="video")
    plan(of=two, frames_as="images")


def test_questions_without_frames_are_refused(make_bench, tiny: Family) -> None:
    with pytest.raises(InputError, match="no question shows frames of a clip: omit the flag"):
        make_plan(make_bench.with_pictures(), tiny, tiny.RunSettings(frames_as="video"), Selection(), Limits())


def test_the_check_shows_as_many_frames(bench: Benchmark, tiny: Family) -> None:
    for frames_as, shown in (
        ("video", Shown(0, (0, 0), 1, (64, 48), ("after",), frames=6)),
        ("images", Shown(6, (64, 48), words=("after", "before", "between"), timed=True)),
    ):
        plan = make_plan(bench, tiny, tiny.RunSettings(frames=6, frames_as=frames_as), Selection(), Limits())
        assert planned_shown(plan) == shown


@pytest.mark.parametrize("frames", [3, 8, 40])
def test_a_model_that_gets_the_times_of_a_video_is_right(seeing: Callable[..., Seeing], frames: int) -> None:
    service = seeing()
    outcome, _ = check(service.url, 0, (0, 0), videos=1, video_size=(160, 120), frames=frames)
    assert outcome.problem is None and outcome.warnings == () and outcome.video_arrived
    assert outcome.right["video-when"] and outcome.right["video-time"]
    assert outcome.covers(Shown(videos=1, video_size=(160, 120), frames=frames))
    assert not outcome.covers(Shown(videos=1, frames=frames + 1))
    sent = next(request for request in service.requests() if request["videos"])
    assert len(sent["videos"][0]) >= max(8, frames)


def test_a_model_that_gets_no_times_is_warned_about(
    seeing: Callable[..., Seeing], monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = np.random.default_rng(3)  # with some clips, such a model is right by chance
    monkeypatch.setattr(np.random, "default_rng", lambda: drawn)
    outcome, _ = check(seeing("--video", "untimed").url, 0, (0, 0), videos=1, video_size=(160, 120), frames=8)
    assert outcome.problem is None and outcome.video_arrived and outcome.right["video-when"] is False
    assert "so it may not know the times of the frames" in outcome.warnings[0]


def test_a_service_that_drops_or_refuses_the_video_stops_a_run(seeing: Callable[..., Seeing]) -> None:
    outcome, _ = check(seeing("--video", "drop").url, 0, (0, 0), videos=1, video_size=(160, 120), frames=8)
    assert "does not reach endpoint/seeing" in outcome.problem and "omit --frames-as" in outcome.problem
    for kind, words in (("refuse", "video_url is not supported"), ("field", "unknown field: media_io_kwargs")):
        outcome, _ = check(seeing("--video", kind).url, 0, (0, 0), videos=1, video_size=(160, 120), frames=8)
        assert outcome.problem == (
            "endpoint/seeing accepts no video of frames with times (vLLM since 2026-04 does, if it is started with "
            f"--trust-request-mm-kwargs): use --frames-as images (HTTP 400: {words})"
        )
    outcome, _ = check(seeing("--video", "trust").url, 0, (0, 0), videos=1, video_size=(160, 120), frames=8)
    assert str(outcome.problem).startswith(
        "endpoint/seeing refuses the times of frames by default: start vLLM with --trust-request-mm-kwargs, or use "
        "--frames-as images (HTTP 400: Per-request media_io_kwargs are disabled"
    )


def test_a_run_without_check_names_the_remedy_too(
    bench: Benchmark, tiny: Family, seeing: Callable[..., Seeing], tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=r"accepts no video of frames .* use --frames-as images \(HTTP 400"):
        ask(bench, tiny, seeing("--video", "field").url, tmp_path / "run", settings=VIDEO)
    assert not (tmp_path / "run").exists()


def test_times_between_pictures_are_asked_for(seeing: Callable[..., Seeing]) -> None:
    words = ("before", "between", "after")
    outcome, _ = check(seeing().url, 8, words=words, timed=True)
    assert outcome.right["time"] and outcome.order_kept and outcome.warnings == () and outcome.problem is None
    outcome, _ = check(seeing("--reply", "77 s").url, 8, words=words, timed=True)
    assert any("may not connect pictures with the times" in warning for warning in outcome.warnings)
