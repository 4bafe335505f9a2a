"""The twins of M3-Verse's questions: how the words, options and answer of each subtask change with the videos.

A reversed home runs backwards as a whole: the second video, reversed, becomes the first, so each change is undone.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from typing import Any, Literal

from chronotope.families import NoTwin, TwinContext, require_possible
from chronotope.families.m3.layout import Layout
from chronotope.families.m3.margins import TOLD_BY_EYE
from chronotope.families.m3.observed import Observed
from chronotope.families.m3.subtasks import SUBTASKS
from chronotope.families.m3.tasks import AFTER, BEFORE, LABELS, NONE
from chronotope.question import Question
from chronotope.recording import Recording, sample_order

# The power of a length that a subtask asks for; all others ask for none.
POWERS: Mapping[str, int] = {
    "scene_area": 2,
    "room_area": 2,
    "nth_visit_room_area": 2,
    "object_distance_estimation": 1,
    "object_height": 1,
    "object_length": 1,
    "movement_distance": 1,
}
SCALE = "Everything in this home is twice as large as usual."
# Subtasks that become each other if the videos run backwards.
PARTNERS: Mapping[str, str] = {
    **{one: other for pair in (
        ("old_receptacle", "new_receptacle"),
        ("new_visible_objects", "lost_visible_objects"),
        ("rooms_visited_only_state1", "rooms_visited_only_state2"),
    ) for one, other in (pair, pair[::-1])},
}  # fmt: skip
Moment = Literal["first", "last"]

_BOTH = (
    "between the first video and the second video",
    "in the first video and in the second video",
    "in the first video and the second video",
    "across the first video and the second video",
    "Among the first video and the second video",
)
_TWO = re.compile(r"(?P<head>No, )?(?P<one>.+) in the first video and (?P<other>.+) in the second video")
_ORDER = re.compile(r"(?<=that was visited )(\d+)(?:st|nd|rd|th)( in the (?:first|second) video)")
_RANGE = re.compile(r"([\d.]+) (.+) - ([\d.]+) \2")
_CENT = Decimal("0.01")
# Changes that no one can undo. Released data has the same names after "is".
_FINAL = ("sliced", "broken", "cooked", "usedup")


def twin(question: Question, context: TwinContext) -> Question:
    """Return the question about the altered videos.

    The id and the recordings are still those of the original; the recordings of reversed videos are in the new order.

    Raises:
        NoTwin: If the altered videos would be physically odd, or if the twin could not be told from the original.
    """
    require_possible(context)
    [subtask] = question.tags["subtask"]
    if subtask not in SUBTASKS:
        raise NoTwin(f"is of the subtask {subtask!r}, for which no alteration is declared")
    match context.alteration:
        case "mirrored" | "half_speed":  # no question names a side or a time, and sums and orders of times stay
            return _marked(question, context)
        case "double_size":
            return _enlarged(question, context, subtask)
        case "reversed":
            return _reversed(question, context, subtask)


def _marked(question: Question, context: TwinContext, **changed: Any) -> Question:
    told = question.provenance | changed | {"alteration": context.alteration}
    return replace(question, provenance=told)


# Double size


def _enlarged(question: Question, context: TwinContext, subtask: str) -> Question:
    power = POWERS.get(subtask)
    if power is None:
        raise NoTwin("asks for no length, so its twin is the same question about the same pictures")
    factor = Decimal(2) ** power
    options = tuple(replace(one, text=_scaled(one.text or "", factor)) for one in question.options)
    facts = {key: _product(value, factor) for key, value in question.provenance.get("truth_values", {}).items()}
    new = replace(question, stem=f"{SCALE} {question.stem}", options=options)
    return _marked(new, context, truth_values=facts)


def _product(value: Any, factor: Decimal) -> Any:
    return value * float(factor) if isinstance(value, float) else value


def _scaled(text: str, factor: Decimal) -> str:
    """Multiply a range; its end is a hundredth below the next range."""
    if text == NONE:
        return text
    found = _RANGE.fullmatch(text)
    if found is None:
        raise NoTwin(f"has the option {text!r}, which is not a range")
    low, high = Decimal(found[1]) * factor, (Decimal(found[3]) + _CENT) * factor - _CENT
    return f"{low:.2f} {found[2]} - {high:.2f} {found[2]}"


# Reversed


def _reversed(question: Question, context: TwinContext, subtask: str) -> Question:
    _require_undoable(tuple(context.recordings.values()))
    if len(context.recordings) != 2:
        raise NoTwin("names other recordings than those of two videos")
    if question.stem != (template := SUBTASKS[subtask].template) and not re.fullmatch(
        _pattern(template), question.stem
    ):
        raise NoTwin("has published words, which do not say in which video a thing has its name")
    stem = _stem(question.stem, subtask)
    if subtask.startswith("cross_state") and len(question.answer) > 1:
        raise NoTwin("has two equal answers, and the reversed video may end a frame earlier")
    if subtask.startswith(("nth_visit", "nth_mth_visit")):
        stem = _other_visits(stem, context, exactly=subtask == "nth_visit_room_objects")
    options = tuple(replace(one, text=_option(one.text or "", subtask)) for one in question.options)
    new = replace(question, stem=stem, options=options)
    rule = _ANSWERS.get(subtask)
    if rule is not None:
        new = _with_answer(new, rule(question, context))
    name = PARTNERS.get(subtask, subtask)
    mentions = tuple(
        replace(one, phrase=None if one.phrase is None else _option(one.phrase, subtask)) for one in question.mentions
    )
    state = {"state_0": "state_1", "state_1": "state_0"}.get(str(question.provenance.get("state")))
    new = replace(
        new,
        mentions=mentions,
        tags={**new.tags, "subtask": (name,)},
        media=_exchanged(new),
        recordings=tuple(reversed(new.recordings)),
    )
    return _marked(new, context, state=state, evidence=_evidence(question, context), truth_values={})


def _pattern(template: str) -> str:
    """Return a template as a pattern, with any words for the names in it."""
    return re.sub(r"\\\{\w+\\\}", ".+", re.escape(template))


def _require_undoable(recordings: Sequence[Recording]) -> None:
    """Check that no thing of a home changes for good.

    Raises:
        NoTwin: If a thing is sliced, broken, cooked or used up between the videos.
    """
    first, last = ({one.id: one.attributes for one in recording.entities} for recording in recordings)
    for name in first.keys() & last.keys():
        before, after = ({_bare(key): value for key, value in of.items()} for of in (first[name], last[name]))
        if any(before.get(key) != after.get(key) for key in _FINAL):
            raise NoTwin("shows a home in which something is sliced, broken, cooked or used up, which cannot be undone")


def _bare(key: str) -> str:
    return key.lower().removeprefix("is").replace("_", "")


def _stem(stem: str, subtask: str) -> str:
    """Exchange the words for the two videos, except where the stem names both without an order."""
    if subtask in ("new_visible_objects", "lost_visible_objects"):
        return SUBTASKS[PARTNERS[subtask]].template
    kept = dict(enumerate(_BOTH))
    for number, words in kept.items():
        stem = stem.replace(words, f"\0{number}\0")
    if subtask.startswith("nth_mth"):  # each of the two visits is told with its video: they change places
        head, visits, tail = _split_visits(stem)
        stem = head + visits[1] + tail[0] + visits[0] + tail[1]
    stem = _other_video(stem)
    if subtask == "old_receptacle":
        stem = stem.replace("was it in", "is it in")
    elif subtask == "new_receptacle":
        stem = stem.replace("is it in", "was it in")
    for number, words in kept.items():
        stem = stem.replace(f"\0{number}\0", words)
    return stem


def _split_visits(stem: str) -> tuple[str, tuple[str, str], tuple[str, str]]:
    one, other = list(re.finditer(r"that was visited \d+(?:st|nd|rd|th) in the (?:first|second) video", stem))
    pieces = stem[: one.start()], stem[one.end() : other.start()], stem[other.end() :]
    return pieces[0], (one[0], other[0]), (pieces[1], pieces[2])


def _other_video(text: str) -> str:
    swap = {"first": "second", "second": "first"}
    return re.sub(r"\b(first|second)(?= video\b)", lambda found: swap[found[0]], text)


def _option(text: str, subtask: str) -> str:
    """Return the words of an option after the videos have changed places."""
    if (found := _TWO.fullmatch(text)) is not None:
        return f"{found['head'] or ''}{found['other']} in the first video and {found['one']} in the second video"
    if subtask == "movement_between_receptacles" and text != NONE:
        ends = list(re.finditer(r" to (?=the )", text))
        if len(ends) != 1:
            raise NoTwin("has an option whose two places cannot be told apart by its words")
        return f"From {text[ends[0].end() :]} to {text[5 : ends[0].start()]}"
    return _other_video(text)


def _other_visits(stem: str, context: TwinContext, *, exactly: bool) -> str:
    """Count the visits from the end; ``stem`` has the words for the new videos."""
    from chronotope.families.m3.write.agent_explore import ordinal

    counts = [len(one) for one in reversed(_visits(context, exactly=exactly))]

    def counted(found: re.Match[str]) -> str:
        video = 0 if "first" in found[2] else 1
        return ordinal(counts[video] - int(found[1])) + found[2]

    return _ORDER.sub(counted, stem)


def _visits(context: TwinContext, *, exactly: bool = False) -> list[list[str | None]]:
    """Return the rooms of the visits of each original video.

    With ``exactly``, each visit must have the same frames in the reversed video.

    Raises:
        NoTwin: If a very short visit would belong to another visit in the reversed video.
    """
    found: list[list[str | None]] = []
    for recording in context.recordings.values():
        visits = _observed(recording).visits
        order = list(sample_order(recording, "reversed"))
        back = replace(recording, world_T_camera=recording.world_T_camera[order], times=recording.times[: len(order)])
        again = _observed(back).visits[::-1]
        rooms = [visit.room for visit in visits]
        frames = [(visit.first, min(visit.last, order[0])) for visit in visits]
        frames_again = [(order[visit.last], order[visit.first]) for visit in again]
        if rooms != [visit.room for visit in again] or (exactly and frames != frames_again):
            raise NoTwin("has a very short visit, which the reversed video counts otherwise")
        found.append(rooms)
    return found


def _observed(recording: Recording) -> Observed:
    return Observed(recording, Layout(recording.rooms), TOLD_BY_EYE)


def _state(question: Question) -> int:
    return int(str(question.provenance["state"]).removeprefix("state_"))


def _about(question: Question) -> list[str | None]:
    """Return the id of the object or room that each option names."""
    told: Sequence[Sequence[str]] = question.provenance["option_subjects"]
    return [of[0] if len(of) == 1 else None for of in told]


def _rooms_before(question: Question, context: TwinContext) -> set[int]:
    """Return the options that name rooms visited directly before the room of the stem."""
    visits = _visits(context)[_state(question)]
    [room] = question.provenance["subjects"]
    before = {one for one, follower in pairwise(visits) if follower == room}
    return {place for place, name in enumerate(_about(question)) if name is not None and name in before}


def _appearing(moment: Moment, sign: int) -> Callable[[Question, TwinContext], set[int]]:
    """Return the rule of a question about first or last appearances in the reversed video."""

    def rule(question: Question, context: TwinContext) -> set[int]:
        recording = list(context.recordings.values())[_state(question)]
        things = _observed(recording).things
        names = _about(question)
        if any(name not in things for name in names):
            raise NoTwin("names a thing that is hardly seen")
        # The first view of the reversed video is the last of the original, counted from its end.
        read = [(things[name or ""].lasts if moment == "first" else things[name or ""].firsts) for name in names]
        values = [tuple(-sign * value for value in of) for of in read]
        best = max(values)
        right = {place for place, of in enumerate(values) if of == best}
        rivals = [value for place, of in enumerate(values) if place not in right for value in of]
        clear = TOLD_BY_EYE.are_clear_moments
        if not rivals or not all(own > other and clear(own, other) for own in best for other in rivals):
            raise NoTwin("asks which thing is seen first or last, and no option is clearly ahead in the reversed video")
        return right

    return rule


_ANSWERS: Mapping[str, Callable[[Question, TwinContext], set[int]]] = {
    "room_visit_order": _rooms_before,
    "object_first_appearance_earliest": _appearing("first", -1),
    "object_first_appearance_latest": _appearing("first", 1),
    "object_last_appearance_earliest": _appearing("last", -1),
    "object_last_appearance_latest": _appearing("last", 1),
}
"""Subtasks whose words stay and whose answer is another option; for all others, the answer changes with its words."""


def _with_answer(question: Question, right: set[int]) -> Question:
    none = [place for place, option in enumerate(question.options) if option.text == NONE]
    answer = sorted(right) or none
    if not answer:
        raise NoTwin("has no correct option in the reversed video")
    multiple = len(answer) > 1
    tags = {
        **question.tags,
        "hallucination": ("no" if right else "yes",),
        "answers": ("multiple" if multiple else "single",),
    }
    return replace(question, answer=tuple(answer), multiple=multiple, tags=tags)


def _exchanged(question: Question) -> tuple[Any, ...]:
    """Return the media with the videos in the new order.

    The words before each video are those of its new place.
    """
    if len(question.media) < 2:
        return question.media
    return tuple(
        replace(item, role=role, label=LABELS[role])
        for role, item in zip((BEFORE, AFTER), reversed(question.media), strict=True)
    )


def _evidence(question: Question, context: TwinContext) -> dict[str, dict[str, list[int]]]:
    """Return when each thing is seen first and last, as frames of the reversed videos."""
    found: dict[str, dict[str, list[int]]] = {}
    evidence: Mapping[str, Mapping[str, Sequence[int]]] = question.provenance.get("evidence", {})
    for number, recording in enumerate(reversed(list(context.recordings.values()))):
        start = sample_order(recording, "reversed")[0]
        of = evidence.get(f"state_{len(context.recordings) - 1 - number}", {})
        if of:
            found[f"state_{number}"] = {
                name: [max(0, start - last), max(0, start - first)] for name, (first, last) in of.items()
            }
    return found
