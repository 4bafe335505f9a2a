"""From a recording to STI-Bench questions: about the camera, and about the things that the recording knows."""

from collections import Counter

from chronotope.errors import InputError
from chronotope.families import WriteContext, Written
from chronotope.families.sti.write.camera import camera_of, camera_variants
from chronotope.families.sti.write.driver import Told, write_variant
from chronotope.families.sti.write.item import S, Variant
from chronotope.families.sti.write.objects import object_variants, things_of
from chronotope.question import Question
from chronotope.recording import Kind, Recording

__all__ = ["kinds", "write"]


def kinds() -> dict[str, str]:
    """The task of each kind of question."""
    return {variant.name: variant.task for kind in Kind for variant in (*camera_variants(kind), *object_variants(kind))}


def write(recording: Recording, context: WriteContext) -> Written:
    """The questions about a recording, and how many candidates each refusal removed."""
    if context.profile == "extended":
        raise InputError("--profile extended: family sti has the profiles strict and paper: choose one of them")
    camera = camera_of(recording)
    written = _write(camera_variants(recording.kind), camera, context)
    if recording.entities:
        about_things = _write(object_variants(recording.kind), things_of(camera), context)
        written = Written(written.questions + about_things.questions, written.refusals | about_things.refusals)
    return written


def _write(variants: list[Variant[S]], subject: S, context: WriteContext) -> Written:
    questions: list[Question] = []
    refusals: dict[str, dict[str, int]] = {}
    told: Told = set()
    for variant in variants:
        counts: Counter[str] = Counter()
        questions += write_variant(variant, subject, context, counts, told)
        refusals[variant.name] = dict(sorted(counts.items()))
    return Written(tuple(questions), refusals)
