"""A baseline that answers all questions of a clip together, without pictures, by choosing consistent options."""

import hashlib
from collections.abc import Mapping, Sequence
from math import exp, log

import numpy as np

from chronotope.audit.attacks.joint.channels import Asked, Level, asked_motion, motion_channels
from chronotope.audit.attacks.joint.sampler import best_options
from chronotope.audit.attacks.stems import SIZES, Fact, facts_of, quantity_of, value_of
from chronotope.audit.attacks.studied import Found
from chronotope.models.study import Study, Unsolved

__all__ = ["joint"]

LEAST_LEARNED = 3  # minimum number of other clusters from which a usual speed is learned


def joint(study: Study) -> dict[str, Found]:
    """Choose the options that fit one smooth motion and all stated facts.

    The camera and each thing of a clip have separate motions. A question that is not about motion is answered only if a
    stem of the clip states the answer.
    """
    found: dict[str, Found] = {}
    usual = _usual_speeds(study)
    for clip, questions in _clips(study.asked).items():
        facts = list(dict.fromkeys(fact for question in questions for fact in facts_of(question.stem)))
        found |= _stated(questions, facts)
        movers: dict[str, list[Asked]] = {}
        for question in questions:
            if (asked := asked_motion(question)) is not None:
                movers.setdefault(asked.quantity.who, []).append(asked)
        for who, asked in movers.items():
            told = [fact for fact in facts if who == fact.who == "the camera" and fact.kind == "displacement"]
            found |= _fitting(f"{clip}\n{who}", asked, told, usual.get(_sort_of_mover(asked[0].question, who)))
    return found


def _clips(questions: Sequence[Unsolved]) -> dict[tuple[str, ...], list[Unsolved]]:
    """Group base questions by their media."""
    clips: dict[tuple[str, ...], list[Unsolved]] = {}
    for question in questions:
        if question.variant == "base":
            clips.setdefault(question.shown, []).append(question)
    return clips


def _fitting(name: str, asked: Sequence[Asked], facts: Sequence[Fact], usual: Level | None) -> dict[str, Found]:
    """Return the most probable options of questions about one motion."""
    channels = motion_channels(asked, facts, usual)
    if not channels:
        return {}
    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8])
    chosen = best_options(np.random.default_rng(seed), [one.sizes for one in asked], channels)
    joined = {variable for channel in channels for variable in channel.variables.tolist()}
    how = f"of {len(asked)} questions about the motion of {asked[0].quantity.who}, these options fit together best."
    return {one.question.id: Found(chosen[number], how) for number, one in enumerate(asked) if number in joined}


def _stated(questions: Sequence[Unsolved], facts: Sequence[Fact]) -> dict[str, Found]:
    """Answer questions whose answers other stems of the clip state."""
    known = {(fact.who, fact.kind): fact.value for fact in facts}
    found: dict[str, Found] = {}
    for question in questions:
        asked = quantity_of(question.stem)
        if asked is None or asked.kind not in SIZES or (asked.who, asked.kind) not in known:
            continue
        values = [value_of(text) for text in question.options]
        if any(value is None for value in values):
            continue
        off = np.abs(np.array(values, float) - known[asked.who, asked.kind])
        found[question.id] = Found(int(off.argmin()), "another question of this clip states this size.")
    return found


def _sort_of_mover(question: Unsolved, who: str) -> tuple[str, ...]:
    """Return the kind of scene, and "camera" or "thing"."""
    return (*question.tags.get("scene", ()), "camera" if who == "the camera" else "thing")


def _usual_speeds(study: Study) -> Mapping[tuple[str, ...], Level]:
    """Learn the usual speeds of cameras and things from other clusters."""
    logs: dict[tuple[str, ...], dict[str, list[float]]] = {}
    for one in study.others():
        question = one.question
        asked = quantity_of(question.stem)
        if asked is None or asked.kind not in ("path-length", "average-speed"):
            continue
        speed, window = value_of(question.options[one.answer]), question.window
        if speed is None or window is None or speed <= 0 or window[1] <= window[0]:
            continue
        speed = speed / (window[1] - window[0]) if asked.kind == "path-length" else speed
        sort = _sort_of_mover(question, asked.who)
        logs.setdefault(sort, {}).setdefault(question.cluster, []).append(log(speed))
    levels: dict[tuple[str, ...], Level] = {}
    for sort, clusters in logs.items():
        means = [float(np.mean(ones)) for ones in clusters.values()]
        if len(means) >= LEAST_LEARNED:
            levels[sort] = Level(exp(float(np.mean(means))), float(np.std(means, ddof=1)))
    return levels
