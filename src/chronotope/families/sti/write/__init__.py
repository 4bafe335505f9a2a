"""From a recording to STI-Bench questions: the camera's tasks."""

from collections import Counter

from pydantic import BaseModel, ConfigDict, Field

from chronotope.errors import InputError
from chronotope.families import WriteContext, Written
from chronotope.families.sti.write.item import PUBLISHED_RULE, Candidate, Item, Variant
from chronotope.families.sti.write.pose import PoseVariant
from chronotope.families.sti.write.refusal import Code, Refused
from chronotope.families.sti.write.scalar import SCALARS
from chronotope.families.sti.write.track import CameraTrack, camera_track
from chronotope.families.sti.write.turn import OrientationVariant
from chronotope.families.sti.write.windows import Place
from chronotope.question import MediaItem, Option, Question, Window, item_generator, shuffle
from chronotope.recording import Kind, Recording

__all__ = ["BuildOptions", "write"]

CANDIDATES = 8  # places measured for each question wanted
ID_SEPARATOR = "--"  # never part of a recording's id, which is a slug: ids of two recordings cannot meet


class BuildOptions(BaseModel):
    """What a person may choose about the questions of this family."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    per_variant: int = Field(8, ge=1, le=100, description="questions of each kind to try for in each recording")


def _variants(kind: Kind) -> list[Variant]:
    """The kinds of question asked of a kind of scene: the paper asks no turns of a desktop, e4 outdoors only."""
    variants: list[Variant] = [v for v in SCALARS if v.name != "acceleration" or kind is Kind.OUTDOOR]
    return variants + ([] if kind is Kind.DESKTOP else [OrientationVariant()]) + [PoseVariant()]


def write(recording: Recording, context: WriteContext) -> Written:
    """The questions about a recording's camera, and how many candidates each refusal removed."""
    if context.profile == "extended":
        raise InputError("--profile extended: family sti has the profiles strict and paper: choose one of them")
    track = camera_track(recording)
    questions: list[Question] = []
    refusals: dict[str, dict[str, int]] = {}
    asked: set[Place] = set()  # windows: a length and a speed over one window would tell each other
    for variant in _variants(recording.kind):
        counts: Counter[str] = Counter()
        questions += _write_variant(variant, track, context, counts, asked)
        refusals[variant.name] = dict(sorted(counts.items()))
    return Written(tuple(questions), refusals)


def _write_variant(
    variant: Variant, track: CameraTrack, context: WriteContext, counts: Counter[str], asked: set[Place]
) -> list[Question]:
    """Measure candidate places once, then give each question the first of them that its options fit."""
    seed, name, wanted = context.seed, f"{track.recording.id}{ID_SEPARATOR}{variant.name}", context.options.per_variant
    candidates: list[Candidate] = []
    try:
        places = variant.places(item_generator(seed, "sti", name, "places"), track, CANDIDATES * wanted)
    except Refused as refused:
        counts[refused.code.value] += 1
        return []
    for place in [place for place in places if place not in asked] or places:
        try:
            candidates.append(Candidate(place, variant.measure(track, place, context.profile)))
        except Refused as refused:
            counts[refused.code.value] += 1
    questions: list[Question] = []
    for slot in range(wanted):
        if not candidates:
            break
        item_id = f"{name}-{slot + 1}"
        try:
            item = variant.item(item_generator(seed, "sti", item_id, "options"), track, context.profile, candidates)
        except Refused as refused:
            counts[refused.code.value] += 1
            continue
        asked |= {item.place} if item.place.at is None else set()
        value = next(c.value for c in candidates if c.place == item.place)
        left = [c for c in candidates if c.place != item.place]
        candidates = [c for c in left if not variant.alike(track, c.value, value)]
        if len(left) > len(candidates):
            counts[Code.ALREADY_ASKED.value] += len(left) - len(candidates)
        questions.append(_question(item_id, variant, item, track, context))
    return questions


def _question(item_id: str, variant: Variant, item: Item, track: CameraTrack, context: WriteContext) -> Question:
    recording, place = track.recording, item.place
    texts, answer = shuffle(item_generator(context.seed, "sti", item_id, "shuffle"), item.options, item.answer)
    media = () if context.clip is None else (MediaItem("video", "video", (context.clip,)),)
    provenance = {
        "recording": recording.id,
        "entities": [],
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
        stem=item.stem,
        options=tuple(Option(text) for text in texts),
        answer=(answer,),
        window=Window(place.start, place.end),
        media=media,
        tags={"scene": (track.scale.scene,), "variant": (variant.name,), "source": (recording.source,)},
        flags=(PUBLISHED_RULE,) if context.profile == "paper" else (),
        provenance=provenance,
    )
