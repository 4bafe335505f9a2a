"""Rules about a whole benchmark: balanced options, shares of questions, and the places of correct options."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from chronotope.families import WriteContext, Written
from chronotope.families.m3.shares import left_out, mostly_empty, says_none, subtask_of
from chronotope.families.m3.tasks import BALANCE, NONE, PUBLISHED_INTER, PUBLISHED_SHARE, SHARE
from chronotope.question import Question, how_usual, item_generator

# Questions of each subtask that are kept even if usual answers are correct. More would reveal answers in small builds.
LEAST = 3


def select(questions: Sequence[Question], context: WriteContext) -> Written:
    """Select questions, and balance the places of correct options.

    Except with the profile ``paper``, questions are left out until the options do not reveal the correct option. With
    ``paper``, the set has the published shares of hallucinations and of questions about both states. If a share is
    given, it applies with every profile.
    """
    options, is_paper = context.options, context.profile == "paper"
    refused = dict.fromkeys(mostly_empty(questions, context.seed), SHARE)
    some = kept = [question for question in questions if question.id not in refused]
    if not is_paper:
        kept = _even(some, context)
        refused |= dict.fromkeys({one.id for one in some} - {one.id for one in kept}, BALANCE)
    hallucination = PUBLISHED_SHARE if is_paper and options.hallucination is None else options.hallucination
    inter = PUBLISHED_INTER if is_paper and options.inter_state is None else options.inter_state
    refused |= left_out(kept, hallucination, inter, context.seed)
    kept = [one for one in kept if one.id not in refused]
    refusals: dict[str, dict[str, int]] = {}
    for one in questions:
        if one.id in refused:
            counts = refusals.setdefault(subtask_of(one), {})
            counts[refused[one.id]] = counts.get(refused[one.id], 0) + 1
    return Written(_placed(kept, context.seed), refusals)


def _even(questions: Sequence[Question], context: WriteContext) -> list[Question]:
    """Leave out questions whose answers can be guessed from other homes.

    In each subtask, the few questions with the least usual answers are kept in any case. Other questions are left out
    until no home, and no state of a home, has too many of them.
    """
    generator = item_generator(context.seed, "m3", "all", "balance")
    usual = how_usual(questions, generator, subtask_of, NONE)
    groups: dict[str, list[int]] = defaultdict(list)
    for place in [int(place) for place in generator.permutation(len(questions))]:
        groups[subtask_of(questions[place])].append(place)
    kept: set[int] = set()
    for members in groups.values():
        chosen = _limited([place for place in members if usual[place] < 1], questions, context)
        rest = sorted((place for place in members if usual[place] >= 1), key=lambda place: usual[place])
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


def _placed(questions: Sequence[Question], seed: int) -> tuple[Question, ...]:
    """Give each place to equally many correct options.

    The places are equal within each subtask, among its questions with equally many options.
    """
    groups: dict[tuple[str, int, bool], list[Question]] = defaultdict(list)
    for one in questions:
        if len(one.answer) == 1 and not one.provenance["sorted"]:
            groups[subtask_of(one), len(one.options), says_none(one)].append(one)
    placed: dict[str, Question] = {}
    for (name, count, _), members in sorted(groups.items(), key=lambda entry: entry[0]):
        generator = item_generator(seed, "m3", f"{name}/{count}", "places")
        places: list[int] = []
        while len(places) < len(members):
            places += [int(place) for place in generator.permutation(count)]
        placed |= {one.id: _moved(one, place) for one, place in zip(members, places, strict=False)}
    return tuple(placed.get(question.id, question) for question in questions)


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
