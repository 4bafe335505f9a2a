"""Guesses that are learned from other questions: usual answers of a template, and a classifier of texts."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from chronotope.audit.cues import Chosen
from chronotope.audit.trials import Asked, Guess, guessed, mean_guess
from chronotope.question import Question, likeliest_options, mentions_of

ORDERS = 8  # random orders of clusters, over which usual answers are averaged
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


def usual(asked: Asked, templates: Sequence[str], seed: int) -> Guess:
    """Guess the option that is most often correct in other clusters, where the template offers it.

    The luck of this guess is not known: two clusters with equal answers guess each other, and both are right. So it is
    tested in another form: clusters come in a random order, and each learns only from those before it. In a clean
    benchmark, none of these guesses says anything about the luck of another. The form is averaged over `ORDERS` orders.
    """
    members: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(asked.questions):
        members[one.cluster].append(place)
    known = _Known(asked, templates)
    for places in members.values():
        known.add(places, 1)
    everything: Chosen = [None] * len(asked.questions)
    for places in members.values():
        known.add(places, -1)
        for place in places:
            everything[place] = known.best(place)
        known.add(places, 1)
    generator, names, earlier = np.random.default_rng([seed, ORDERS]), list(members), list[Guess]()
    for _ in range(ORDERS):
        known, chosen = _Known(asked, templates), list[Sequence[int] | None]([None] * len(asked.questions))
        for number in generator.permutation(len(names)).tolist():
            for place in members[names[number]]:
                chosen[place] = known.best(place)
            known.add(members[names[number]], 1)
        earlier.append(guessed(asked, chosen))
    return replace(guessed(asked, everything), luck=mean_guess(earlier), learned=True)


class _Known:
    """The answers of some clusters: how often a template offered each option, and how often it was correct."""

    def __init__(self, asked: Asked, templates: Sequence[str]) -> None:
        self._asked, self._templates = asked, templates
        self._offered: Counter[tuple[str, str]] = Counter()
        self._right: Counter[tuple[str, str]] = Counter()

    def add(self, places: Sequence[int], times: int) -> None:
        """Count the answers of the questions at ``places``; with -1 for ``times``, count them no more."""
        for place in places:
            one = self._asked.questions[place]
            for number, option in enumerate(one.options):
                key = self._templates[place], option.text or ""
                self._offered[key] += times
                self._right[key] += times * (number in one.answer)

    def best(self, place: int) -> list[int]:
        """Return the options of a question that were correct most often."""
        one = self._asked.questions[place]
        share = len(one.answer) / len(one.options)
        keys = [(self._templates[place], option.text or "") for option in one.options]
        scores = [(self._right[key] + 2 * share) / (self._offered[key] + 2) for key in keys]
        return [number for number, score in enumerate(scores) if score >= max(scores) - 1e-12]


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
    return replace(mean_guess(guesses), learned=True)
