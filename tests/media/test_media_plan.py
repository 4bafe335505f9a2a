"""Samplers against their definitions, worked out here by exact fractions and by search."""

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chronotope.errors import InputError
from chronotope.media import ClipFacts, FramePlan, plan_frames, plan_pictures

SHA = "ab" * 32
frame_counts = st.integers(1, 2000)
rates = st.sampled_from([1.0, 5.0, 10.0, 23.976, 25.0, 29.97, 30000 / 1001, 30.0, 60.0])


def facts(frames: int, fps: float | None = 30.0) -> ClipFacts:
    return ClipFacts(SHA, 640, 480, frames, fps, frames / (fps or 30.0))


def half_even(value: Fraction) -> int:
    below = floor(value)
    rest = value - below
    if rest == Fraction(1, 2):
        return below + below % 2
    return below + (rest > Fraction(1, 2))


@given(frame_counts, st.integers(1, 300))
def test_endpoints(total: int, count: int) -> None:
    indices = plan_frames(facts(total), "endpoints", count=count).indices
    if total <= count:
        assert indices == tuple(range(total))
    elif count == 1:
        assert indices == (0,)
    else:
        assert indices == tuple(half_even(Fraction(i * (total - 1), count - 1)) for i in range(count))
        assert indices[0] == 0
        assert indices[-1] == total - 1
        assert len(set(indices)) == count


@given(frame_counts, st.integers(1, 300))
def test_midpoints(total: int, count: int) -> None:
    indices = plan_frames(facts(total), "midpoints", count=count).indices
    wanted = [floor((Fraction(i) + Fraction(1, 2)) * total / count) for i in range(count)]
    assert indices == tuple(wanted if count < total else range(total))


@given(frame_counts, st.integers(1, 300), st.one_of(st.none(), st.integers(1, 50)))
def test_stride(total: int, count: int, step: int | None) -> None:
    indices = plan_frames(facts(total), "stride", count=count, step=step).indices
    k = step or max(1, floor(Fraction(total, count)))
    expected = []
    for index in range(total):
        if index % k == 0 and len(expected) < count:
            expected.append(index)
    assert indices == tuple(expected)


def test_stride_by_step_alone_runs_to_the_end() -> None:
    assert plan_frames(facts(10), "stride", step=4).indices == (0, 4, 8)


def test_published_frame_sets() -> None:
    """30 frames of the 199-frame street clip, both ways of STI-Bench: stride drops the tail."""
    uniform = plan_frames(facts(199, 10.0), "endpoints", count=30).indices
    assert uniform[:5] == (0, 7, 14, 20, 27)
    assert uniform[-2:] == (191, 198)
    assert plan_frames(facts(199, 10.0), "stride", count=30).indices == tuple(range(0, 180, 6))
    assert plan_frames(facts(100), "midpoints", count=4).indices == (12, 37, 62, 87)


def nearest(stamps: list[int], target: int) -> int:
    """The first of the nearest stamps, all in whole ticks."""
    return min(range(len(stamps)), key=lambda i: (abs(stamps[i] - target), i))


@given(st.integers(1, 150), st.sampled_from([1, 5, 10, 25, 30, 60]), st.sampled_from([1, 2, 3, 4, 8, 15, 50]))
def test_rate(total: int, fps: int, rate: int) -> None:
    indices = plan_frames(facts(total, float(fps)), "rate", rate=float(rate)).indices
    # In ticks of 1 / (fps rate) s.
    stamps = [i * rate for i in range(total)]
    targets = [target for target in range(0, total * rate, fps) if target <= stamps[-1]]
    assert indices == tuple(sorted({nearest(stamps, target) for target in targets}))


@given(st.integers(2, 200), st.sampled_from([5, 10, 30]), st.data())
def test_times_takes_the_nearest_frame_in_the_order_given(total: int, fps: int, data: st.DataObject) -> None:
    thousandths = data.draw(st.lists(st.integers(0, 1000 * (total - 1) // fps), min_size=1, max_size=20))
    plan = plan_frames(facts(total, float(fps)), "times", at=[t / 1000 for t in thousandths])
    # In ticks of 1 / (1000 fps) s.
    stamps = [i * 1000 for i in range(total)]
    assert plan.indices == tuple(nearest(stamps, t * fps) for t in thousandths)
    assert plan.times == tuple(index / fps for index in plan.indices)


def test_times_just_past_the_last_frame_are_the_last_frame_and_far_ones_are_refused() -> None:
    assert plan_frames(facts(30), "times", at=[1.0]).indices == (29,)
    with pytest.raises(InputError, match=r"1\.2 s is outside clip"):
        plan_frames(facts(30), "times", at=[1.2])
    with pytest.raises(InputError, match=r"-0\.5 s is outside"):
        plan_frames(facts(30), "times", at=[-0.5])


@given(st.integers(1, 400), rates, st.data(), st.sampled_from(["endpoints", "midpoints", "stride"]), st.integers(1, 40))
def test_a_window_is_sampled_as_a_clip_of_its_frames(total, fps, data, sampler, count) -> None:
    thousandths = st.integers(0, int(1000 * (total - 1) / fps))
    start, end = sorted((data.draw(thousandths) / 1000, data.draw(thousandths) / 1000))
    inside = [i for i in range(total) if start - 0.5 / fps - 1e-6 <= i / fps <= end + 0.5 / fps + 1e-6]
    assert inside, "a window inside the clip is never empty"
    # Frames within a microsecond of the bound may fall either way.
    assume(all(abs(i / fps - bound) > 2e-6 for i in range(total) for bound in (start - 0.5 / fps, end + 0.5 / fps)))
    plan = plan_frames(facts(total, fps), sampler, count=count, window=(start, end))
    whole = plan_frames(facts(len(inside), fps), sampler, count=count)
    assert plan.indices == tuple(inside[i] for i in whole.indices)
    assert plan.window == (start, end)


@pytest.mark.parametrize("window", [(5.0, 6.0), (0.6, 0.2), (float("nan"), 1.0)])
def test_a_window_without_frames_is_a_sentence(window: tuple[float, float]) -> None:
    with pytest.raises(InputError, match=r"contains no frame of clip abababababab.*correct the window"):
        plan_frames(facts(30), "endpoints", count=3, window=window)


def test_half_a_frame_of_tolerance() -> None:
    """Printed times are rounded: 0.33 s means the frame at 0.3333 s too, and the middle between frames means both."""
    assert plan_frames(facts(30), "stride", step=1, window=(0.34, 0.43)).indices == (10, 11, 12, 13)
    assert plan_frames(facts(30, 10.0), "stride", step=1, window=(0.35, 0.35)).indices == (3, 4)
    assert plan_frames(facts(30, 10.0), "stride", step=1, window=(0.36, 0.44)).indices == (4,)


@given(st.lists(st.integers(1, 500), min_size=1, max_size=60), st.data())
def test_varying_rate_uses_the_given_stamps(periods: list[int], data: st.DataObject) -> None:
    ticks = np.cumsum([0, *periods]).tolist()
    at = data.draw(st.lists(st.integers(0, ticks[-1]), min_size=1, max_size=10))
    clip, stamps = facts(len(ticks), None), np.array(ticks) / 1000
    plan = plan_frames(clip, "times", at=[t / 1000 for t in at], times=stamps)
    assert plan.indices == tuple(nearest(ticks, t) for t in at)
    assert plan.times == tuple(stamps[list(plan.indices)].tolist())
    with pytest.raises(InputError, match=r"variable frame rate.*frame_times"):
        plan_frames(clip, "times", at=[0.0])
    with pytest.raises(InputError, match="time stamps, but the clip has"):
        plan_frames(clip, "endpoints", count=2, times=stamps[:-1])


@pytest.mark.parametrize(
    ("sampler", "arguments", "message"),
    [
        ("endpoints", {}, "needs the argument count, but the call has no arguments"),
        ("endpoints", {"count": 0}, "count of sampler 'endpoints' is 0"),
        ("midpoints", {"count": 3, "rate": 2.0}, "needs the argument count, but the call has count, rate"),
        ("rate", {"count": 3}, "needs the argument rate"),
        ("rate", {"rate": float("inf")}, "must be above 0"),
        ("times", {"at": []}, "at least one"),
        ("times", {"at": [float("nan")]}, "all times must be finite"),
        ("uniform", {"count": 3}, "choose one of endpoints, midpoints, stride, rate, times"),
        ("endpoints", {"count": 3, "quality": 0}, "outside 1 to 100"),
        ("endpoints", {"count": 3, "codec": "webp"}, "choose jpeg or png"),
        ("endpoints", {"count": 3, "size": (0, 5)}, "not positive"),
        ("endpoints", {"count": 3, "size": (8, 8), "max_side": 8}, "use only size or only max_side"),
        ("endpoints", {"count": 3, "max_side": 0}, "must be above 0"),
    ],
)
def test_wrong_use_is_a_sentence(sampler, arguments, message) -> None:
    with pytest.raises(InputError, match=message):
        plan_frames(facts(30), sampler, **arguments)


def test_size() -> None:
    assert plan_frames(facts(9), "endpoints", count=2).size is None
    assert plan_frames(facts(9), "endpoints", count=2, size=(640, 480)).size is None
    assert plan_frames(facts(9), "endpoints", count=2, size=(48, 64)).size == (48, 64)
    assert plan_frames(facts(9), "endpoints", count=2, max_side=448).size == (448, 336)
    assert plan_frames(facts(9), "endpoints", count=2, max_side=1000).size is None
    tall = replace(facts(9), width=1, height=1000)
    assert plan_frames(tall, "endpoints", count=2, max_side=10).size == (1, 10)


def test_the_key_is_what_determines_the_bytes() -> None:
    plan = plan_frames(facts(199, 10.0), "endpoints", count=4, window=(0.0, 50.0))
    same = FramePlan(SHA, "times", None, plan.indices, plan.times, None)
    assert plan.key == same.key
    assert len(plan.key) == 64
    others = [
        replace(plan, clip="cd" * 32),
        replace(plan, indices=plan.indices[::-1]),
        replace(plan, size=(64, 48)),
        replace(plan, size=(48, 64)),
        replace(plan, codec="png"),
        replace(plan, quality=86),
    ]
    assert len({plan.key} | {other.key for other in others}) == 1 + len(others)
    assert replace(plan, codec="png", quality=3).key == replace(plan, codec="png").key


def test_a_plan_survives_json() -> None:
    plan = plan_frames(facts(199, 29.97), "midpoints", count=7, window=(0.5, 3.0), size=(64, 48), codec="png")
    assert FramePlan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
    assert FramePlan.from_dict(json.loads(json.dumps(plan.to_dict()))).key == plan.key
    with pytest.raises(InputError, match="not a frame plan"):
        FramePlan.from_dict({"clip": SHA})


def test_planning_needs_no_more_than_facts() -> None:
    """Anything with the facts will do, such as a row of media.parquet."""

    @dataclass(frozen=True)
    class Row:
        sha256: str = SHA
        width: int = 64
        height: int = 48
        frames: int = 5
        fps: float | None = 5.0

    assert plan_frames(Row(), "endpoints", count=2).indices == (0, 4)


def test_numbered_pictures_are_planned_like_frames() -> None:
    pictures = [f"{n:064x}" for n in range(9)]
    whole = plan_pictures(pictures, "endpoints")
    assert whole.indices == tuple(range(9)) and whole.of_files and whole.times == ()
    assert plan_pictures(pictures, "endpoints", count=3).indices == (0, 4, 8)
    assert plan_pictures(pictures, "midpoints", count=3).indices == (1, 4, 7)
    assert plan_pictures(pictures[::-1], "endpoints").clip != whole.clip
    assert FramePlan.from_dict(json.loads(json.dumps(whole.to_dict()))) == whole
    with pytest.raises(InputError, match="a frame plan needs at least one picture"):
        plan_pictures([], "endpoints")
    with pytest.raises(InputError, match="it must be above 0"):
        plan_pictures(pictures, "endpoints", count=0)
    with pytest.raises(InputError, match="has no times"):
        replace(whole, times=(0.0,) * 9)
