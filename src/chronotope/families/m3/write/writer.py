"""The writer of M3-Verse: runs every subtask over a home, and makes questions of the drafts."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from chronotope.errors import InputError
from chronotope.families import WriteContext, Written
from chronotope.families.m3.subtasks import SUBTASKS, Subtask
from chronotope.families.m3.tasks import LABELS, ROLES, STATES
from chronotope.families.m3.write import agent_explore, multi_states, object_changes, object_info, scene_info
from chronotope.families.m3.write.drafting import VIDEOS, Draft, Homes, Pen
from chronotope.question import MediaItem, Mention, Option, Question, item_generator
from chronotope.recording import Recording, Scene

CANDIDATES = 6  # questions from which the selection chooses one, except with the profile ``paper``
WRITERS: dict[str, Callable[[Pen], Iterator[Draft | None]]] = {
    **scene_info.WRITERS,
    **object_info.WRITERS,
    **agent_explore.WRITERS,
    **object_changes.WRITERS,
    **multi_states.WRITERS,
}


def write(scene: Scene, context: WriteContext) -> Written:
    """Write the questions about a home in two states, and count refusals.

    Raises:
        InputError: If the profile is ``extended``, or if the scene is not a home in two states.
    """
    if context.profile == "extended":
        raise InputError("--profile extended: family m3 has only the profiles strict and paper: choose one of them")
    if len(scene.recordings) != len(VIDEOS):
        raise InputError(
            f"{scene.id}: {len(scene.recordings)} recording(s); expected one recording for each of two states"
        )
    for recording in scene.recordings:
        if not recording.rooms or not any(entity.visible_pixels is not None for entity in recording.entities):
            raise InputError(f"{recording.id}: expected rooms, and objects with the numbers of their visible pixels")
    # The questions are about the things of a home; people are not mentioned, and never an answer.
    scene = replace(scene, recordings=tuple(map(_without_people, scene.recordings)))
    homes = Homes.of(scene, paper=context.profile == "paper")
    questions: list[Question] = []
    refusals: dict[str, dict[str, int]] = {}
    for row in (row for row in SUBTASKS.values() if row.template):
        for state in range(len(VIDEOS)) if row.per_state else (0,):
            drafts, refused = _drafts(homes, row, state, context)
            questions += [_question(homes, draft, number, context) for number, draft in enumerate(drafts)]
            for code, count in refused.items():
                counts = refusals.setdefault(row.name, {})
                counts[code] = counts.get(code, 0) + count
    return Written(tuple(questions), refusals)


def _without_people(recording: Recording) -> Recording:
    return replace(recording, entities=tuple(entity for entity in recording.entities if not entity.is_person))


def _drafts(homes: Homes, row: Subtask, state: int, context: WriteContext) -> tuple[list[Draft], dict[str, int]]:
    stage = f"{row.name}/{state}"
    generator = item_generator(context.seed, "m3", homes.scene.id, stage)
    pen = Pen(homes, row, state, generator, context.profile == "paper")
    made = (draft for draft in WRITERS[row.name](pen) if draft is not None)
    most = context.options.per_subtask * (1 if pen.paper else CANDIDATES)
    return list(islice(made, most)), {str(code): n for code, n in pen.refusals.items()}


def _question(homes: Homes, draft: Draft, number: int, context: WriteContext) -> Question:
    """Make a question of a draft."""
    scene, row, listed = homes.scene, draft.row, draft.listed
    place = "" if draft.state is None else f"-{ROLES[draft.state]}"
    multiple = len(listed.answer) > 1
    tags = {
        "subtask": row.name,
        "state_type": STATES[row.category],
        "hallucination": "yes" if listed.hallucination else "no",
        "answers": "multiple" if multiple else "single",
    }
    return Question(
        id=f"{scene.id}-{row.name}{place}-{number}",
        family="m3",
        task=row.category,
        cluster=scene.id,
        stem=draft.stem,
        options=tuple(Option(option.text) for option in listed.options),
        answer=listed.answer,
        multiple=multiple,
        media=_media(scene, context),
        tags={**{key: (value,) for key, value in tags.items()}, "capability": row.capabilities},
        recordings=tuple(recording.id for recording in scene.recordings),
        mentions=_mentions(draft),
        provenance=_provenance(homes, draft, context.seed),
    )


def _media(scene: Scene, context: WriteContext) -> tuple[MediaItem, ...]:
    return tuple(
        MediaItem(role, "video", (context.clips[recording.id],), LABELS[role])
        for role, recording in zip(ROLES, scene.recordings, strict=True)
        if recording.id in context.clips
    )


def _mentions(draft: Draft) -> tuple[Mention, ...]:
    asked = [Mention(name, "asked") for name in draft.about]
    told = [
        Mention(option.about[0], "option", option.text) for option in draft.listed.options if len(option.about) == 1
    ]
    return (*asked, *told)


def _provenance(homes: Homes, draft: Draft, seed: int) -> dict[str, Any]:
    return {
        "state": None if draft.state is None else f"state_{draft.state}",
        "subjects": list(draft.about),
        "option_subjects": [list(option.about) for option in draft.listed.options],
        "truth_values": draft.facts,
        "evidence": _evidence(homes, draft),
        "sorted": draft.listed.is_sorted,
        "seed": seed,
    }


def _evidence(homes: Homes, draft: Draft) -> dict[str, dict[str, list[int]]]:
    """Return when each object of the question is seen.

    The result has the first and the last frame of each object in each state.
    """
    about = dict.fromkeys([*draft.about, *(name for option in draft.listed.options for name in option.about)])
    found: dict[str, dict[str, list[int]]] = {}
    for number, state in enumerate(homes.states):
        if draft.state in (None, number):
            seen = [state.things[name] for name in about if name in state.things]
            found[f"state_{number}"] = {thing.id: [thing.firsts[0], thing.lasts[0]] for thing in seen}
    return found
