"""Repair a benchmark: shuffle positions, and leave out as few questions as possible."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from chronotope.audit.auditing import Tried, tried
from chronotope.audit.findings import Audit, Repair
from chronotope.audit.wording import CHECKS
from chronotope.errors import InputError
from chronotope.question import Benchmark, Question, item_generator, write_changed

_SLACK = 1.0  # standard deviations that a repaired guess may differ from chance
_ROUNDS = 4  # a classifier can find something else in the rest
_MOVED_BY_POSITION = ("letter", "order")


def repair(benchmark: Benchmark, audit: Audit, out: Path, seed: int = 0) -> Repair:
    """Write a version of a benchmark without the defects of its audit; the original folder is not changed.

    Raises:
        InputError: If ``out`` exists, or no question would be left.
    """
    if out.exists():
        raise InputError(f"{out}: exists already: choose another folder, or delete it")
    questions, shuffled = list(benchmark.questions), 0
    if any(one.verdict in ("slight", "defect") for one in audit.findings if one.check in _MOVED_BY_POSITION):
        questions, shuffled = _shuffled(questions, seed)
    left_out: dict[str, tuple[str, ...]] = {}
    twice = next((one.items for one in audit.findings if one.check == "duplicates"), ())
    left_out |= dict.fromkeys(twice, ("duplicates",))
    for _ in range(_ROUNDS):
        rest = _without(questions, left_out)
        if not any(one.variant == "base" and one.options for one in rest):
            break
        dropped = _fewest(tried(replace(benchmark, questions=tuple(rest)), seed))
        if not dropped:
            break
        left_out |= dropped
    rest = _without(questions, left_out)
    if not rest:
        raise InputError(f"{benchmark.folder}: no question would be left: change how its options are drawn")
    command = f"{benchmark.card.command} && chronotope audit {benchmark.folder.resolve().name} --fix {out.name}"
    card = write_changed(benchmark, rest, out, command)
    before, after = (Counter(one.task for one in each) for each in (benchmark.questions, rest))
    tasks = {task: (count, after[task]) for task, count in sorted(before.items())}
    said = _said(len(benchmark.questions), len(rest), shuffled, left_out, tasks)
    counts = len(benchmark.questions), len(rest)
    return Repair(str(out), card.content_hash, *counts, shuffled, left_out, tasks, said)


def _without(questions: Sequence[Question], left_out: dict[str, tuple[str, ...]]) -> list[Question]:
    return [one for one in questions if one.id not in left_out and one.base not in left_out]


def _shuffled(questions: Sequence[Question], seed: int) -> tuple[list[Question], int]:
    """Shuffle the options of base questions with one answer, so that each position is equally often correct.

    Variants keep their options, because "None of these" has a fixed position in them.
    """
    groups: dict[tuple[str, int], list[int]] = {}
    for place, one in enumerate(questions):
        if one.variant == "base" and len(one.options) > 1 and one.answer:
            groups.setdefault((one.task, len(one.options)), []).append(place)
    moved = list(questions)
    for (task, size), places in groups.items():
        generator = item_generator(seed, "audit", task, str(size))
        wanted = generator.permutation(np.arange(len(places)) % size)
        for place, target in zip(places, wanted, strict=True):
            one = questions[place]
            order = generator.permutation(size).tolist()
            if len(one.answer) == 1:
                at = order.index(one.answer[0])
                order[at], order[target] = order[target], order[at]
            answer = tuple(sorted(order.index(index) for index in one.answer))
            moved[place] = replace(one, options=tuple(one.options[index] for index in order), answer=answer)
    return moved, sum(len(places) for places in groups.values())


def _fewest(made: Tried) -> dict[str, tuple[str, ...]]:
    """Choose the fewest questions without which no significant guess differs from chance.

    One question after another is left out: always the one that reduces the sum of squared differences most, over all
    significant guesses together. A question that makes two guesses right counts for both, so it is left out first.
    """
    asked = made.asked
    sums: list[np.ndarray] = []
    spreads: list[float] = []
    names: list[str] = []
    for check, rules in made.tests.items():
        for rule, scopes in rules.items():
            guess = made.guesses[check][rule]
            for scope in (one for one in scopes if one.significant):
                chosen = guess.told
                if scope.name != "all":
                    chosen = chosen & (asked.task == asked.tasks.index(scope.name))
                off = np.where(chosen, guess.hit - guess.chance, 0.0)
                sums.append(off)
                spreads.append(float(np.sqrt(guess.variance[chosen].sum())))
                names.append(check)
    if not sums:
        return {}
    off, spread = np.stack(sums, axis=1), np.array(spreads)
    total, kept = off.sum(axis=0), np.ones(len(asked.questions), bool)
    dropped: dict[str, tuple[str, ...]] = {}
    while (excess := np.maximum(np.abs(total) / spread - _SLACK, 0)).any():
        after = np.maximum(np.abs(total - off) / spread - _SLACK, 0)
        gain = np.where(kept, (excess**2).sum() - (after**2).sum(axis=1), -np.inf)
        best = int(gain.argmax())
        if gain[best] <= 1e-12:
            break
        kept[best] = False
        by = tuple(
            dict.fromkeys(name for name, value, sum_ in zip(names, off[best], total, strict=True) if value * sum_ > 0)
        )
        dropped[asked.questions[best].id] = by
        total = total - off[best]
    return dropped


def _said(
    before: int, after: int, shuffled: int, left_out: dict[str, tuple[str, ...]], tasks: dict[str, tuple[int, int]]
) -> tuple[str, ...]:
    said = [f"{after:,} of {before:,} questions are left."]
    if shuffled:
        said.append(f"The options of {shuffled:,} questions were shuffled.")
    reasons = Counter(check for checks in left_out.values() for check in checks)
    if reasons:
        said.append(
            "Left out because of: "
            + ", ".join(f"{CHECKS[name].name} ({count:,})" for name, count in reasons.most_common())
            + "."
        )
    gone = [f"{task} ({was:,} to {now:,})" for task, (was, now) in tasks.items() if now < was]
    if gone:
        said.append("Tasks with fewer questions: " + ", ".join(gone) + ".")
    if after < 0.7 * before:
        said.append("So many questions are left out that it is better to draw their options anew.")
    return tuple(said)
