"""Answers about drives, worked out again by the witness: numbers, words, boxes, and courses that are told anew."""

import itertools
import re

import numpy as np
import sti_motion_witness as witness
from sti_box_witness import entity_of
from sti_witness import facts_of, half_step, numbers

COURSES = ("trajectory", "thing-trajectory")
UNITS = {"m/s²": r"-?\d+\.\d{2,4}m/s²", "m/s": r"\d+\.\d{2,4}m/s", "m": r"\d+\.\d{2,4}m"}


def stationary_zero(recording, facts, things):
    start, end = facts["window"]
    at = facts.get("at")
    if at is not None:
        half = witness.WINDOW[recording.kind.value] / 2
        start, end = at - half, at + half
    way = witness.way_of(recording, things[0] if things else None, start, end)
    return witness.rests(recording, things[0], start, end) if things else way.rests(start, end)


def check(recording, question):
    facts, right = facts_of(question), question.options[question.answer[0]].text
    formula, truth = facts["formula"], facts["value"]
    things = [entity_of(recording, name) for name in facts["entities"]]
    texts = {option.text for option in question.options}
    ground = formula == "relation" and texts == {"Left", "Right", "Front", "Back"}  # nothing is above another
    assert len(texts) == len(question.options) and (ground or len(texts) == 5), question.id
    if formula in COURSES:  # see test_sti_courses.py
        return
    if formula.endswith("speed") and truth == 0:
        assert right == "0.00m/s" and stationary_zero(recording, facts, things)
        return
    again = witness.value(recording, facts)
    if formula == "box":
        check_box(recording, question, again, right)
    elif isinstance(truth, str):
        assert again == truth and (formula == "nearest" or right == truth), question.id
    elif formula == "pose":
        assert np.allclose(np.array(truth)[:3], again[:3], rtol=1e-6, atol=1e-6), question.id
        assert np.abs(numbers(right) - again[:3]).max() <= half_step(right) + 1e-6
    else:
        assert abs(truth - again) <= 1e-6 * max(1.0, abs(again)), (question.id, truth, again)
        error = abs(numbers(right) - again)
        error = abs((error + 180) % 360 - 180) if formula == "orientation-change" else error
        assert error <= half_step(right) + 1e-6, question.id
        form = r"-?\d+(\.\d\d)?°" if formula == "orientation-change" else UNITS[facts["unit"]]
        assert all(re.fullmatch(form, option.text) for option in question.options), question.id


def check_box(recording, question, again, right):
    size, centre, turned = witness.printed(right)
    outdoors = recording.kind.value == "outdoor"
    round_trip, step = (2 * np.pi, 0.005) if outdoors else (180.0, 0.005)
    assert np.abs(size - again[0]).max() <= 0.005 + 1e-6, question.id
    assert np.abs(centre - again[1]).max() <= 0.005 + 1e-6, question.id
    off = (turned - again[2] + round_trip / 2) % round_trip - round_trip / 2
    assert abs(off) <= step + 1e-6, (question.id, turned, again[2])
    value = question.provenance["value"]
    in_opencv = np.array(value["centre"])
    shown = np.array([in_opencv[2], -in_opencv[0], -in_opencv[1]]) if outdoors else in_opencv
    assert np.allclose(shown, again[1], atol=1e-6)
    for option in question.options:
        lwh, _, heading = witness.printed(option.text)
        assert (lwh > 0).all()
        assert -3.15 <= heading <= 3.15 if outdoors else (0 <= heading < 180 and lwh[0] >= lwh[1])
    words = ("x forward, y left, z up", "radians") if outdoors else ("x right, y down, z forward", "degrees")
    assert all(one in question.stem for one in words)


def readings(found):
    """What may be told where the way comes near a threshold: samples are 0.1 s apart, so that no border is sharper."""
    for turning, least, stop, pause, short in itertools.product(
        (0.9, 1.0, 1.1), (14.5, 15.5), (1.95, 2.15), (0.85, 1.0, 1.15), (0.6, 1.0, 1.6)
    ):
        yield witness.legs(found, turning=turning, least_turn=least, least_stop=stop, pause=pause, short=short)


def agrees(told, again, slack_m):
    """The same kinds in the same order, turns to the same sides, and amounts as near as samples 0.1 s apart allow."""
    slack = {"forward": slack_m, "backward": slack_m, "turn": 1.5, "stop": 0.21}
    return witness.shape_of(told) == witness.shape_of(again) and all(
        abs(a[1] - b[1]) <= slack[a[0]] for a, b in zip(told, again, strict=True)
    )


def retold(recording, question):
    """Whether a course is told again by a dense reading of the way, and whether the plain reading already does so."""
    facts = facts_of(question)
    entity = entity_of(recording, facts["entities"][0]) if facts["entities"] else None
    told = [[kind, np.degrees(x) if kind == "turn" else x] for kind, x in facts["value"]]
    found = witness.dense(recording, entity, *facts["window"])
    # Each of a piece's two ends may lie a sample earlier or later, at the speed of the fastest moment.
    slack = 0.02 + 2 * 0.1 * np.abs(found[1]).max()
    again = witness.legs(found)
    plain = agrees(told, again, slack)
    assert plain or any(agrees(told, one, slack) for one in readings(found)), (question.id, told, again)
    check_lengths(told, found)
    check_turns(told, witness.raw_heading_change(recording, entity, *facts["window"]))
    check_text(question, told)
    return told, plain


def check_lengths(told, found):
    """What is driven while it does not turn is told, but for creeping while it stands and one piece of half a metre."""
    _, _, _, rate, driven, _ = found
    stood = sum(amount for kind, amount in told if kind == "stop")
    lengths = sum(amount for kind, amount in told if kind in ("forward", "backward"))
    assert lengths <= driven[-1] + 0.02, (told, driven[-1])
    if not any(kind == "turn" for kind, _ in told):
        assert driven[-1] - lengths <= 0.2 * stood + 0.5 + 0.02 + 1e-6, (told, driven[-1])
    # Not driven straight is what is driven while it turns; a metre may be too short to tell at either end.
    straight = np.diff(driven)[np.abs(np.degrees(rate[1:])) < 0.9].sum()
    assert straight - 0.2 * stood - 2.02 <= lengths or len(told) == 1, (told, straight)


def check_turns(told, change):
    """All of the heading change is told, but for less than half of the least gap between options; the poses jitter."""
    turns = sum(amount for kind, amount in told if kind == "turn")
    assert abs(turns - change) <= 2.5 + 1.5, (told, change)


def check_text(question, told):
    right = witness.parsed_course(question.options[question.answer[0]].text)
    assert [kind for kind, _ in right] == [kind for kind, _ in told]
    for (kind, shown), (_, true) in zip(right, told, strict=True):
        assert abs(shown - true) <= (0.005 if kind in ("forward", "backward") else 0.5) + 1e-9, question.id
    texts = [option.text for option in question.options]
    assert len(set(texts)) == 5 and all(1 <= len(witness.parsed_course(text)) <= 5 for text in texts)
