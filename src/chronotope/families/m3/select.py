"""Rules about a whole benchmark: balanced options, the share of hallucinations, and the places of correct options."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from chronotope.families import WriteContext, Written
from chronotope.families.m3.balance import surprising_questions
from chronotope.families.m3.tasks import BALANCE, PUBLISHED_SHARE, SHARE
from chronotope.question import Question, item_generator

__all__ = ["select"]

LEAST = 10  # questions of each subtask that are kept even if usual answers are correct


def select(questions: Sequence[Question], context: WriteContext) -> Written:
    """Select questions, and balance the places of correct options.

    Except with the profile ``paper``, questions are left out until the options do not reveal the correct option.
    With ``paper``, or if a share of hallucinations is given, questions are left out until that share are
    hallucinations: hallucinations out of the subtasks with the largest share of them, other questions out of all
    subtasks in proportion.
    """
    share = context.options.hallucination
    left_out: dict[str, str] = {}
    kept = list(questions)
    if context.profile != "paper":
        kept = _even(kept, context)
        left_out = dict.fromkeys({one.id for one in questions} - {one.id for one in kept}, BALANCE)
    if context.profile == "paper" or share is not None:
        beyond = _beyond(kept, PUBLISHED_SHARE if share is None else share, context.seed)
        left_out |= dict.fromkeys(beyond, SHARE)
        kept = [one for one in kept if one.id not in beyond]
    refusals: dict[str, dict[str, int]] = {}
    for one in questions:
        if one.id in left_out:
            counts = refusals.setdefault(_subtask(one), {})
            counts[left_out[one.id]] = counts.get(left_out[one.id], 0) + 1
    return Written(_placed(kept, context.seed), refusals)


def _even(questions: Sequence[Question], context: WriteContext) -> list[Question]:
    """Leave out questions whose answers follow from other homes.

    Of each subtask, a few questions are kept in any case. Others are left out until no home, or state, has too many.
    """
    generator = item_generator(context.seed, "m3", "all", "balance")
    surprising = set(surprising_questions(questions, generator))
    groups: dict[str, list[int]] = defaultdict(list)
    for place in [int(place) for place in generator.permutation(len(questions))]:
        groups[_subtask(questions[place])].append(place)
    kept: set[int] = set()
    for members in groups.values():
        chosen = _limited([place for place in members if place in surprising], questions, context)
        rest = [place for place in members if place not in surprising]
        kept |= set(_limited([*chosen, *rest[: max(0, LEAST - len(chosen))]], questions, context))
    return [one for place, one in enumerate(questions) if place in kept]


def _limited(places: Sequence[int], questions: Sequence[Question], context: WriteContext) -> list[int]:
    """Return the first questions of each home or state."""
    counts: Counter[tuple[str, str | None]] = Counter()
    found: list[int] = []
    for place in places:
        group = questions[place].cluster, questions[place].provenance["state"]
        counts[group] += 1
        if counts[group] <= context.options.per_subtask:
            found.append(place)
    return found


def _beyond(questions: Sequence[Question], share: float, seed: int) -> set[str]:
    """Choose questions that are left out.

    A share of the others are hallucinations.
    """
    false = [one for one in questions if _says_none(one)]
    true = [one for one in questions if not _says_none(one)]
    most_false = round(share / (1 - share) * len(true)) if share < 1 else len(false)
    most_true = round((1 - share) / share * len(false)) if share > 0 else len(true)
    return _evened(questions, len(false) - most_false, seed) | _spread(
        true, len(true) - most_true if len(false) < most_false else 0, seed
    )


def _evened(questions: Sequence[Question], count: int, seed: int) -> set[str]:
    """Choose hallucinations that are left out.

    Each of the ``count`` is from the subtask that then has the largest share of them.
    """
    false: dict[str, list[str]] = defaultdict(list)
    sizes: dict[str, int] = defaultdict(int)
    for one in questions:
        sizes[_subtask(one)] += 1
        if _says_none(one):
            false[_subtask(one)].append(one.id)
    for name in sorted(false):
        order = item_generator(seed, "m3", name, "select").permutation(len(false[name]))
        false[name] = [false[name][int(place)] for place in order]
    chosen: set[str] = set()
    for _ in range(count):
        name = max(sorted(false), key=lambda each: len(false[each]) / max(1, sizes[each]))
        chosen.add(false[name].pop())
        sizes[name] -= 1
    return chosen


def _spread(questions: Sequence[Question], count: int, seed: int) -> set[str]:
    """Choose ``count`` questions, from each subtask in proportion."""
    if count <= 0:
        return set()
    groups: dict[str, list[str]] = defaultdict(list)
    for one in questions:
        groups[_subtask(one)].append(one.id)
    ranked: list[tuple[float, str]] = []
    for name in sorted(groups):
        generator = item_generator(seed, "m3", name, "select")
        order = generator.permutation(len(groups[name]))
        start = float(generator.random())
        ranked += [((rank + start) / len(order), groups[name][int(place)]) for rank, place in enumerate(order)]
    return {name for _, name in sorted(ranked)[:count]}


def _placed(questions: Sequence[Question], seed: int) -> tuple[Question, ...]:
    """Give each place to equally many correct options.

    This holds among questions of a subtask with equally many options.
    """
    groups: dict[tuple[str, int, bool], list[Question]] = defaultdict(list)
    for one in questions:
        if len(one.answer) == 1 and not one.provenance["sorted"]:
            groups[_subtask(one), len(one.options), _says_none(one)].append(one)
    placed: dict[str, Question] = {}
    for (name, count, _), members in sorted(groups.items(), key=lambda entry: entry[0]):
        generator = item_generator(seed, "m3", f"{name}/{count}", "places")
        places: list[int] = []
        while len(places) < len(members):
            places += [int(place) for place in generator.permutation(count)]
        placed |= {one.id: _moved(one, place) for one, place in zip(members, places, strict=False)}
    return tuple(placed.get(one.id, one) for one in questions)


def _moved(question: Question, place: int) -> Question:
    """Swap the correct option with the option at a place."""
    order = list(range(len(question.options)))
    own = question.answer[0]
    order[own], order[place] = order[place], order[own]
    subjects = question.provenance["option_subjects"]
    return replace(
        question,
        options=tuple(question.options[each] for each in order),
        answer=(place,),
        provenance={**question.provenance, "option_subjects": [subjects[each] for each in order]},
    )


def _says_none(question: Question) -> bool:
    return question.tags["hallucination"] == ("yes",)


def _subtask(question: Question) -> str:
    return question.tags["subtask"][0]
