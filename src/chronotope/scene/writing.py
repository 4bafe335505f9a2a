"""The driver of question writers.

The driver measures the candidate places of each kind once, and chooses for each question a place that fits the options.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from chronotope.question import (
    MediaItem,
    Mention,
    Option,
    Profile,
    Question,
    Reason,
    Refused,
    Window,
    item_generator,
    shuffle,
)
from chronotope.scene.item import Candidate, Item, QuestionKind, Remark, S, Subject
from chronotope.scene.lasting import TELLS, scene_facts
from chronotope.scene.moments import Place, reveals
from chronotope.scene.printed import Stem
from chronotope.scene.tracks import GRID_RATE

CANDIDATES = 8  # number of places that are measured per wanted question
ID_SEPARATOR = "--"  # the id of a recording (a slug) never contains this text, so question ids are unique

Told = set[tuple[str, ...]]  # the facts that earlier answers reveal, as in ``Place.tells``


@dataclass(frozen=True)
class WriteJob:
    """A family's settings for all kinds of questions and subjects.

    - ``wanted``: the largest number of questions of each kind.
    - ``clip``: the path of the recording's clip inside the benchmark, or None if there are no pictures.
    - ``tags``, ``flags``: the tags and flags of every question; the tags ``variant`` and ``source`` are added.
    - ``repeats_camera``: if True, a clip with only one window gets several questions about its camera, although their
      answers reveal each other. STI-Bench's published rules do this.
    - ``near``: two windows count as the same window if their starts and ends differ by at most this number of ticks.
    - ``remark``: returns the sentence that the family adds to the stem of a question of one kind and place. It raises
      Refused if the question needs a sentence, but no such sentence is true.
    """

    family: str
    seed: int
    profile: Profile
    wanted: int
    clip: str | None = None
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    flags: tuple[str, ...] = ()
    repeats_camera: bool = False
    near: int = 0
    remark: Callable[[str, Place], Remark | None] = lambda kind, place: None


def write_kinds(
    kinds: Sequence[QuestionKind[S]], subject: S, job: WriteJob, told: Told | None = None
) -> tuple[tuple[Question, ...], dict[str, dict[str, int]]]:
    """Write the questions of several kinds about one subject.

    Returns the questions, and the refusals as {kind: {code: count}}. No question reveals the answer of a later
    question. ``told`` are the facts that other recordings of the scene reveal already. The function adds to ``told``
    the facts of this subject that hold for the whole scene.
    """
    questions: list[Question] = []
    refusals: dict[str, dict[str, int]] = {}
    elsewhere: Told = set() if told is None else told
    told = set(elsewhere)
    for kind in kinds:
        counts: Counter[str] = Counter()
        questions += write_kind(kind, subject, job, counts, told)
        refusals[kind.name] = dict(sorted(counts.items()))
    elsewhere |= scene_facts(subject.recording, told)
    return tuple(questions), refusals


def write_kind(kind: QuestionKind[S], subject: S, job: WriteJob, counts: Counter[str], told: Told) -> list[Question]:
    """Write the questions of one kind about one subject.

    The function adds to two arguments: to ``counts`` the number of candidates that each refusal removed, and to
    ``told`` the facts that the answers reveal.
    """
    name, wanted = f"{subject.recording.id}{ID_SEPARATOR}{kind.name}", job.wanted
    try:
        places = kind.places(item_generator(job.seed, job.family, name, "places"), subject, CANDIDATES * wanted)
    except Refused as refused:
        counts[refused.code.value] += 1
        return []
    candidates = _measured(kind, subject, job, counts, _untold(places, told, counts, job))
    questions: list[Question] = []
    for slot in range(wanted):
        if not candidates:
            break
        item_id = f"{name}-{slot + 1}"
        generator = item_generator(job.seed, job.family, item_id, "options")
        try:
            item = kind.item(generator, subject, job.profile, candidates)
        except Refused as refused:
            counts[refused.code.value] += 1
            continue
        told |= item.place.tells
        value = next(c.value for c in candidates if c.place == item.place)
        left = [c for c in candidates if c.place != item.place and not reveals(c.place.tells, told, job.near)]
        candidates = [c for c in left if not kind.alike(subject, c.value, value)]
        if len(left) > len(candidates):
            counts[Reason.ALREADY_ASKED.value] += len(left) - len(candidates)
        questions.append(_question(item_id, kind, item, subject, job))
    return questions


def _untold(places: list[Place], told: Told, counts: Counter[str], job: WriteJob) -> list[Place]:
    """Return the places whose answers are not yet revealed.

    ``WriteJob.repeats_camera`` makes an exception.
    """
    untold = [place for place in places if not reveals(place.tells, told, job.near)]
    if not untold and job.repeats_camera and not any(place.entities for place in places):
        return places
    if len(untold) < len(places):
        counts[Reason.ALREADY_ASKED.value] += len(places) - len(untold)
    return untold


def _measured(
    kind: QuestionKind[S], subject: S, job: WriteJob, counts: Counter[str], places: list[Place]
) -> list[Candidate]:
    candidates: list[Candidate] = []
    for place in places:
        try:
            job.remark(kind.name, place)
            candidates.append(Candidate(place, kind.measure(subject, place, job.profile)))
        except Refused as refused:
            counts[refused.code.value] += 1
    return candidates


def _mentions(item: Item, options: Sequence[str], subject: Subject, remark: Remark | None) -> tuple[Mention, ...]:
    """Return the entities of the question.

    An entity is named by the stem, by an option, or not at all. The thing that ``remark`` names comes last.
    """
    named = item.stem.names if isinstance(item.stem, Stem) else ()
    found: list[Mention] = []
    for which, entity in enumerate(item.place.entities):
        phrase = subject.phrase(entity)
        places = [Mention(entity, "stem", phrase, start, end) for start, end, of in named if of == which]
        found += places or [Mention(entity, "option" if phrase in options else "asked", phrase)]
    if remark is not None and remark.entity is not None:
        before = len(item.stem) + 1
        found.append(Mention(remark.entity, "scale", remark.phrase, before + remark.start, before + remark.end))
    return tuple(found)


def _question(item_id: str, kind: QuestionKind[S], item: Item, subject: S, job: WriteJob) -> Question:
    recording, place = subject.recording, item.place
    texts, answer = shuffle(item_generator(job.seed, job.family, item_id, "shuffle"), item.options, item.answer)
    media = () if job.clip is None else (MediaItem("video", "video", (job.clip,)),)
    remark = job.remark(kind.name, place)
    tags = {**job.tags, "variant": (kind.name,), "source": (recording.source,), **item.tags}
    repeats = job.repeats_camera and not place.entities
    lasting = [] if repeats or recording.scene is None else sorted(scene_facts(recording, place.tells))
    provenance = {
        "formula": kind.name,
        "window": [place.start, place.end],
        **({} if place.at is None else {"at": place.at}),
        "grid_hz": min(recording.fps or 0.0, GRID_RATE),
        "profile": job.profile,
        "seed": job.seed,
        **item.facts,
        **({} if remark is None else remark.facts),
        **({TELLS: [list(fact) for fact in lasting]} if lasting else {}),
    }
    return Question(
        id=item_id,
        family=job.family,
        task=kind.task,
        cluster=recording.scene or recording.id,
        stem=f"{item.stem} {remark.text}" if remark is not None and remark.text else str(item.stem),
        options=tuple(Option(text) for text in texts),
        answer=(answer,),
        window=Window(place.start, place.end),
        media=media,
        tags=tags if remark is None else {**tags, **remark.tags},
        flags=job.flags,
        recordings=(recording.id,),
        mentions=_mentions(item, texts, subject, remark),
        provenance=provenance,
    )
