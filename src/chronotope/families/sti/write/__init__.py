"""The writer of STI-Bench: makes questions about the camera and the things of a recording."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from chronotope.errors import InputError
from chronotope.families import WriteContext, Written
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.scale import NEARLY_THE_SAME, SCALES
from chronotope.families.sti.tasks import PUBLISHED_RULE
from chronotope.families.sti.write.camera import camera_variants
from chronotope.families.sti.write.camera.steps import step_variants
from chronotope.families.sti.write.factors import balanced_rank
from chronotope.families.sti.write.objects import object_variants
from chronotope.families.sti.write.stated import STATED, Ruler, remark_of, rulers_of
from chronotope.families.sti.write.wide import LEAST_WIDE, half_wide
from chronotope.families.sti.write.worlds import draw_worlds
from chronotope.question import Question, item_generator
from chronotope.recording import Kind, Recording, Scene
from chronotope.scene import (
    Camera,
    Place,
    QuestionKind,
    Remark,
    SceneView,
    Told,
    WriteJob,
    camera_of,
    moves_in_steps,
    view_of,
    write_kinds,
)

__all__ = ["job_of", "kinds", "near_of", "variants_of", "write"]

SIMULATED = "world:"  # start of the source of simulated recordings
MOUNTED = "mount"  # kind about the direction of a camera on its vehicle
POSED = ("box",)  # kinds about things whose answers depend on the direction of the camera


def kinds() -> dict[str, str]:
    """Return the task of each kind of question."""
    return {variant.name: variant.task for kind in Kind for variant in (*camera_variants(kind), *object_variants(kind))}


def write(scene: Scene, context: WriteContext) -> Written:
    """Write the questions about each recording, and count refusals.

    Raises:
        InputError: If the profile is ``extended``.
    """
    if context.profile == "extended":
        raise InputError("--profile extended: family sti has only the profiles strict and paper: choose one of them")
    questions: list[Question] = []
    refusals: dict[str, Counter[str]] = {}
    subjects = [_subject(recording, context) for recording in scene.recordings]
    reserved = {ruler.entity for subject in subjects for ruler in subject.rulers}
    told: Told = set()
    for subject in subjects:
        for asked, refused in _written(subject, context, reserved, told):
            questions += asked
            for kind, counts in refused.items():
                refusals.setdefault(kind, Counter()).update(counts)
    return Written(tuple(questions), {kind: dict(counts) for kind, counts in refusals.items()})


@dataclass(frozen=True)
class _Subject:
    """The camera, the things and the rulers of a recording."""

    camera: Camera
    view: SceneView | None
    rulers: tuple[Ruler, ...]


def _subject(recording: Recording, context: WriteContext) -> _Subject:
    camera = camera_of(recording)
    view = view_of(camera) if recording.entities else None
    return _Subject(camera, view, rulers_of(view) if view is not None and states_scale(context) else ())


def _written(
    subject: _Subject, context: WriteContext, reserved: Collection[str], told: Told
) -> list[tuple[tuple[Question, ...], dict[str, dict[str, int]]]]:
    """Write the questions about the camera and the things of a recording.

    ``reserved`` are the rulers of the scene, and ``told`` is as in ``write_kinds``.
    """
    camera, view, recording = subject.camera, subject.view, subject.camera.recording
    simulated = recording.source.startswith(SIMULATED)
    about_camera, about_things = variants_of(camera, view, context, subject.rulers)
    refused: dict[str, dict[str, int]] = {}
    if context.profile != "paper" and states_scale(context) and not subject.rulers:
        refused = {name: {Code.TELLS_SCALE: 1} for name in POSED if any(name == kind.name for kind in about_things)}
        about_things = [kind for kind in about_things if kind.name not in POSED]
    if context.profile != "paper" and simulated and any(kind.name == MOUNTED for kind in about_camera):
        refused[MOUNTED] = {Code.KNOWN_MOUNT: 1}
        about_camera = [kind for kind in about_camera if kind.name != MOUNTED]
    if context.profile != "paper" and moves_in_steps(recording):
        revealing = {*(kind.name for kind in about_camera), *POSED}
        about_camera = step_variants(camera) if camera.recording.kind is Kind.INDOOR else []
        revealing -= {kind.name for kind in about_camera}
        refused |= {name: {Code.STEPWISE: 1} for name in sorted(revealing)}
        about_things = [kind for kind in about_things if kind.name not in POSED]
    job = job_of(recording, context, camera, subject.rulers)
    written = [write_kinds(about_camera, camera, job, told), ((), refused)]
    if view is not None:
        asked = replace(view, things=tuple(thing for thing in view.things if thing.entity.id not in reserved))
        questions, counts = write_kinds(about_things, asked, job, told)
        left_out: dict[str, dict[str, int]] = {}
        if context.profile != "paper" and simulated and max(context.options.spacing) >= LEAST_WIDE:
            questions, left_out = half_wide(questions, context.seed)
        written += [(questions, counts), ((), left_out)]
    return written


def variants_of(
    camera: Camera, scene: SceneView | None, context: WriteContext, rulers: Sequence[Ruler] = ()
) -> tuple[list[QuestionKind[Camera]], list[QuestionKind[SceneView]]]:
    """Return the kinds of question about the camera and about things.

    With the profile ``paper``, the options follow the published rules. With other profiles, the options are the values
    in the five worlds of the clip, or neighbouring options have a ratio from the ladder of spacings.
    """
    kind = camera.recording.kind
    if context.profile == "paper":
        return camera_variants(kind), object_variants(kind, rulers=rulers)
    ratios, name = context.options.spacing, camera.recording.id
    ranks = balanced_rank(context.seed, name, "lengths"), balanced_rank(context.seed, name, "turns")
    worlds = draw_worlds(item_generator(context.seed, "sti", name, "worlds"), camera, scene, ratios, ranks)
    return camera_variants(kind, worlds), object_variants(kind, worlds, ratios, rulers)


def states_scale(context: WriteContext) -> bool:
    """Check whether metric questions state a fact that fixes the scale."""
    stated = context.options.scale
    return context.profile != "paper" if stated is None else stated == STATED


def near_of(context: WriteContext) -> int:
    """Return the difference (ticks) below which times are the same."""
    return 0 if context.profile == "paper" else NEARLY_THE_SAME


def job_of(
    recording: Recording, context: WriteContext, camera: Camera | None = None, rulers: Sequence[Ruler] = ()
) -> WriteJob:
    """Return this family's settings for each kind of question."""
    paper = context.profile == "paper"
    # Outdoors, few things can be rulers, and they soon pass. Real recordings may have none at all.
    has_rulers = bool(rulers) or (bool(recording.entities) and recording.source.startswith(SIMULATED))
    required = not paper and states_scale(context) and has_rulers and recording.kind is not Kind.OUTDOOR

    def remark(kind: str, place: Place) -> Remark | None:
        if camera is None or (paper and not states_scale(context)):
            return None
        return remark_of(kind, place, camera, rulers, required=required)

    return WriteJob(
        family="sti",
        seed=context.seed,
        profile=context.profile,
        wanted=context.options.per_variant,
        clip=context.clips.get(recording.id),
        tags={"scene": (SCALES[recording.kind].scene,)},
        flags=(PUBLISHED_RULE,) if paper else (),
        repeats_camera=paper,
        near=near_of(context),
        remark=remark,
    )
