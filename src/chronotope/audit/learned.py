"""Guesses that are learned from other questions: usual answers of a template, and a classifier of texts."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from chronotope.audit.cues import Chosen
from chronotope.audit.trials import Asked, Guess, guessed, mean_guess
from chronotope.question import Question, likeliest_options, mentions_of

DIVISIONS = 3  # random divisions into folds, over which a classifier is averaged
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def template_of(question: Question) -> str:
    """Return the stem without names of things and numbers."""
    stem = question.stem
    phrases = sorted({one.phrase for one in mentions_of(question) if one.phrase}, key=len, reverse=True)
    for phrase in phrases:
        stem = stem.replace(phrase, "…")
    return _NUMBER.sub("#", stem)


def templates_of(asked: Asked) -> list[str]:
    """Return the template of each question; its task if most questions have a template of their own."""
    found = [template_of(one) for one in asked.questions]
    if 2 * len(set(found)) > len(found):
        return [one.task for one in asked.questions]
    return [f"{one.task}\n{template}" for one, template in zip(asked.questions, found, strict=True)]


def usual(asked: Asked, templates: Sequence[str]) -> Chosen:
    """Choose the option that is most often correct in other clusters, where the template offers it."""
    offered: Counter[tuple[str, str]] = Counter()
    right: Counter[tuple[str, str]] = Counter()
    here: dict[str, Counter[tuple[str, str, bool]]] = defaultdict(Counter)
    for one, template in zip(asked.questions, templates, strict=True):
        for place, option in enumerate(one.options):
            key = template, option.text or ""
            offered[key] += 1
            here[one.cluster][*key, False] += 1
            if place in one.answer:
                right[key] += 1
                here[one.cluster][*key, True] += 1
    chosen: Chosen = []
    for one, template in zip(asked.questions, templates, strict=True):
        share = len(one.answer) / len(one.options)
        own = here[one.cluster]
        scores = []
        for option in one.options:
            key = template, option.text or ""
            seen, hits = offered[key] - own[*key, False], right[key] - own[*key, True]
            scores.append((hits + 2 * share) / (seen + 2))
        chosen.append([place for place, score in enumerate(scores) if score >= max(scores) - 1e-12])
    return chosen


def classified(asked: Asked, groups: Sequence[str], seed: int, *, stems: bool) -> Guess | None:
    """Guess with a classifier of options, and of stems if ``stems`` is true.

    The classifier learns from the questions of other ``groups``, and is averaged over divisions into folds. Returns
    None if there is only one group, or if the options are not texts.
    """
    texts = all(option.text for one in asked.questions for option in one.options)
    if not texts or len(set(groups)) < 2:
        return None
    questions = asked.questions if stems else [replace(one, stem="") for one in asked.questions]
    guesses: list[Guess] = []
    for number in range(DIVISIONS):
        chosen = likeliest_options(questions, groups, np.random.default_rng([seed, number]), lambda one: "")
        if chosen is not None:
            guesses.append(guessed(asked, chosen))
    return mean_guess(guesses)
