"""From a recording to STI-Bench questions: about the camera, and about the things that the recording knows."""

from collections import Counter

from pydantic import BaseModel, ConfigDict, Field

from chronotope.errors import InputError
from chronotope.families import WriteContext, Written
from chronotope.families.sti.write.camera import camera_of, camera_variants
from chronotope.families.sti.write.driver import Told, write_variant
from chronotope.families.sti.write.item import S, Variant
from chronotope.families.sti.write.objects import object_variants, things_of
from chronotope.question import Question
from chronotope.recording import Kind, Recording

__all__ = ["BuildOptions", "kinds", "write"]


class BuildOptions(BaseModel):
    """What a person may choose about the questions of this family."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    per_variant: int = Field(8, ge=1, le=100, description="questions of each kind to try for in each recording")


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
