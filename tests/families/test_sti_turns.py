"""Lengths of straight pieces before, between and after turns, on drives of known straight lengths, or a refusal."""

import itertools

import numpy as np
import pytest
from sti_streets import poses_of

from chronotope.families.sti.measure import course
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.scale import SCALES
from chronotope.question import Refused
from chronotope.recording import Kind
from chronotope.scene import track_of

FINE = 0.001  # s
TURNS = ((90, 4), (90, 2.5), (-45, 3), (30, 5))  # degrees, s
NEAREST = SCALES[Kind.OUTDOOR].nearest[0]


def drive(speed, *legs, eased=False, jitter=0.0):
    """A track at 10 Hz, and its seconds, of what goes straight for metres and turns by (degrees, seconds)."""
    yaw = [np.zeros(1)]
    for leg in legs:
        angle, seconds = leg if isinstance(leg, tuple) else (0.0, leg / speed)
        share = np.arange(1, round(seconds / FINE) + 1) * FINE / seconds
        yaw.append(yaw[-1][-1] + np.radians(angle) * (share**2 * (3 - 2 * share) if eased else share))
    yaw = np.concatenate(yaw)
    steps = np.stack([np.cos(yaw), np.sin(yaw)], 1)[:-1] * speed * FINE
    at = np.arange(0, len(yaw), 100)
    where = np.concatenate([[[0.0, 0.0]], np.cumsum(steps, axis=0)])[at]
    shaken = yaw[at] + np.radians(jitter) * np.random.default_rng(0).normal(size=len(at))
    t = at * FINE
    return track_of(t, poses_of(*where.T, 0.8, shaken), np.ones(len(t), bool), 10, Kind.OUTDOOR, 0.5), t[-1]


def told(*legs, **how):
    """(kind, amount) of each leg, or the code of the refusal."""
    track, end = drive(*legs, **how)
    try:
        found = course(track, np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0]), 0.0, end)
    except Refused as refused:
        return refused.code
    return [(leg.kind, np.degrees(leg.amount) if leg.kind == "turn" else leg.amount) for leg in found]


def faint(angle, seconds):
    """How long (s) an eased turn turns by less than a degree a second."""
    x = np.linspace(0, 0.5, 50001)
    return float(x[np.argmax(abs(angle) / seconds * 6 * x * (1 - x) >= 1)]) * seconds


@pytest.mark.parametrize(("eased", "jitter", "least"), [(False, 0.0, 36), (True, 0.0, 36), (True, 0.05, 36)])
def test_a_straight_piece_is_as_long_as_it_was_driven_or_refused(eased, jitter, least):
    asked = 0
    for speed, turn, length in itertools.product((3, 6, 8, 12), TURNS, (23.3, 40.37, 71.1)):
        legs = told(speed, length, turn, length, eased=eased, jitter=jitter)
        if isinstance(legs, Code):
            assert legs is Code.UNCLEAR_TURNS
            continue
        assert [kind for kind, _ in legs] == ["forward", "turn", "forward"], (speed, turn, length, legs)
        first = length + (speed * faint(*turn) if eased else 0.0)
        seconds = 2 * length / speed + turn[1]
        last = first - speed * (seconds % 0.1)  # the last sample comes before the end
        for (_, metres), true in ((legs[0], first), (legs[2], last)):
            assert abs(metres - true) <= max(NEAREST, 0.02 * true), (speed, turn, length, legs)
        assert legs[1][1] == pytest.approx(turn[0], abs=1.0)
        asked += 1
    assert asked >= least, asked


def test_a_window_widens_no_turn():
    (_, first), (_, turn), (_, last) = told(8, 40, (90, 4), 40)  # the smoothed rate alone has 36.80 m, twice
    assert (first, last) == pytest.approx((40, 40), abs=0.1) and turn == pytest.approx(90, abs=0.5)


@pytest.mark.parametrize(
    ("speed", "legs"),
    [
        (1, (6, (90, 2), 0.75, (90, 2), 6)),  # two turns, not one of 181°
        (2, (6, (90, 2), 1.3, (-90, 2), 3)),
        (2, (12, (90, 3), 1.3, (-90, 3), 8)),
        (4, (20, (60, 3), 2.5, (60, 3), 20)),
        (8, (20, (60, 3), 4.0, (-60, 3), 20)),
        (8, (0.9, (90, 4), 30)),  # too near to the first sample to tell
        (12, (30, (-60, 4), 1.3)),  # too near to the last
    ],
)
def test_a_piece_too_short_to_tell_is_refused_and_counts_with_no_other(speed, legs):
    assert told(speed, *legs) is Code.UNCLEAR_TURNS


def test_a_turn_to_one_side_may_pass_into_a_turn_to_the_other():
    legs = told(4, 30, (60, 4), (-60, 4), 30)
    assert [kind for kind, _ in legs] == ["forward", "turn", "turn", "forward"]
    assert (legs[0][1], legs[3][1]) == pytest.approx((30, 30), abs=NEAREST)
