"""Write STI-Bench questions about the camera and the things of a recording."""

from collections import Counter

from chronotope.errors import InputError
from chronotope.families import WriteContext, Written
from chronotope.families.sti.scale import SCALES
from chronotope.families.sti.tasks import PUBLISHED_RULE
from chronotope.families.sti.write.camera import camera_variants
from chronotope.families.sti.write.objects import object_variants
from chronotope.question import Question
from chronotope.recording import Kind, Recording, Scene
from chronotope.scene import WriteJob, camera_of, view_of, write_kinds

__all__ = ["job_of", "kinds", "write"]


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
    for recording in scene.recordings:
        camera, job = camera_of(recording), job_of(recording, context)
        written = [write_kinds(camera_variants(recording.kind), camera, job)]
        if recording.entities:
            written.append(write_kinds(object_variants(recording.kind), view_of(camera), job))
        for asked, refused in written:
            questions += asked
            for kind, counts in refused.items():
                refusals.setdefault(kind, Counter()).update(counts)
    return Written(tuple(questions), {kind: dict(counts) for kind, counts in refusals.items()})


def job_of(recording: Recording, context: WriteContext) -> WriteJob:
    """Return this family's settings for each kind of question."""
    paper = context.profile == "paper"
    return WriteJob(
        family="sti",
        seed=context.seed,
        profile=context.profile,
        wanted=context.options.per_variant,
        clip=context.clips.get(recording.id),
        tags={"scene": (SCALES[recording.kind].scene,)},
        flags=(PUBLISHED_RULE,) if paper else (),
        repeats_camera=paper,
    )
