"""From a variant to its questions: measure candidate places once, give each question one that its options fit."""

from collections import Counter

from chronotope.families import Refused, WriteContext
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.words import PUBLISHED_RULE
from chronotope.families.sti.write.item import Candidate, Item, S, Variant
from chronotope.families.sti.write.text import Stem
from chronotope.families.sti.write.windows import Place
from chronotope.question import MediaItem, Option, Question, Window, item_generator, shuffle

__all__ = ["Told", "write_variant"]

CANDIDATES = 8  # places measured for each question wanted
ID_SEPARATOR = "--"  # never part of a recording's id, which is a slug: ids of two recordings cannot meet

Told = set[tuple[str, ...]]


def write_variant(
    variant: Variant[S], subject: S, context: WriteContext, counts: Counter[str], told: Told
) -> list[Question]:
    """The questions of one kind about one recording.

    ``counts`` gathers how many candidates each refusal removed, ``told`` what the answers of all kinds so far give
    away.
    """
    name, wanted = f"{subject.recording.id}{ID_SEPARATOR}{variant.name}", context.options.per_variant
    try:
        places = variant.places(item_generator(context.seed, "sti", name, "places"), subject, CANDIDATES * wanted)
    except Refused as refused:
        counts[refused.code.value] += 1
        return []
    candidates = _measured(variant, subject, context, counts, _untold(places, told, counts, context))
    questions: list[Question] = []
    for slot in range(wanted):
        if not candidates:
            break
        item_id = f"{name}-{slot + 1}"
        generator = item_generator(context.seed, "sti", item_id, "options")
        try:
            item = variant.item(generator, subject, context.profile, candidates)
        except Refused as refused:
            counts[refused.code.value] += 1
            continue
        told |= item.place.tells
        value = next(c.value for c in candidates if c.place == item.place)
        left = [c for c in candidates if c.place != item.place and not c.place.tells & told]
        candidates = [c for c in left if not variant.alike(subject, c.value, value)]
        if len(left) > len(candidates):
            counts[Code.ALREADY_ASKED.value] += len(left) - len(candidates)
        questions.append(_question(item_id, variant, item, subject, context))
    return questions


def _untold(places: list[Place], told: Told, counts: Counter[str], context: WriteContext) -> list[Place]:
    """The places whose answers are not told yet.

    Under ``paper`` the camera of a clip that has a single window is asked about it all the same; things are not.
    """
    untold = [place for place in places if not place.tells & told]
    if not untold and context.profile == "paper" and not any(place.entities for place in places):
        return places
    if len(untold) < len(places):
        counts[Code.ALREADY_ASKED.value] += len(places) - len(untold)
    return untold


def _measured(
    variant: Variant[S], subject: S, context: WriteContext, counts: Counter[str], places: list[Place]
) -> list[Candidate]:
    candidates: list[Candidate] = []
    for place in places:
        try:
            candidates.append(Candidate(place, variant.measure(subject, place, context.profile)))
        except Refused as refused:
            counts[refused.code.value] += 1
    return candidates


def _where_named(item: Item) -> dict[str, list[list[int | str]]]:
    """Where the stem names things: first and last character of each name, and the thing's id."""
    names = item.stem.names if isinstance(item.stem, Stem) else ()
    found: list[list[int | str]] = [[start, end, item.place.entities[which]] for start, end, which in names]
    return {"named": found} if found else {}


def _question(item_id: str, variant: Variant[S], item: Item, subject: S, context: WriteContext) -> Question:
    recording, place = subject.recording, item.place
    texts, answer = shuffle(item_generator(context.seed, "sti", item_id, "shuffle"), item.options, item.answer)
    media = () if context.clip is None else (MediaItem("video", "video", (context.clip,)),)
    provenance = {
        "recording": recording.id,
        "entities": list(place.entities),
        "phrases": {name: subject.phrase(name) for name in place.entities},
        **_where_named(item),
        "formula": variant.name,
        "window": [place.start, place.end],
        **({} if place.at is None else {"at": place.at}),
        "grid_hz": min(recording.fps or 0.0, 10.0),
        "profile": context.profile,
        "seed": context.seed,
        **item.facts,
    }
    return Question(
        id=item_id,
        family="sti",
        task=variant.task,
        cluster=recording.scene or recording.id,
        stem=str(item.stem),
        options=tuple(Option(text) for text in texts),
        answer=(answer,),
        window=Window(place.start, place.end),
        media=media,
        tags={"scene": (subject.scale.scene,), "variant": (variant.name,), "source": (recording.source,)},
        flags=(PUBLISHED_RULE,) if context.profile == "paper" else (),
        provenance=provenance,
    )
