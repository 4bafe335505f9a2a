"""Clips of VGenST-Bench from generation services: orders, candidates with their checks, and what a person picks."""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.families.vgenst.footage.candidate_clips import GenerationOutcome, GenerationRequest, generate
    from chronotope.families.vgenst.footage.foreseen_clips import GenerationForeseen, foresee_generation
    from chronotope.families.vgenst.footage.generation_settings import CONTROLS, GenerationSettings

__all__ = [
    "CONTROLS",
    "GenerationForeseen",
    "GenerationOutcome",
    "GenerationRequest",
    "GenerationSettings",
    "foresee_generation",
    "generate",
]

__getattr__, __dir__ = public_names(
    __name__,
    {
        ".candidate_clips": ("GenerationOutcome", "GenerationRequest", "generate"),
        ".foreseen_clips": ("GenerationForeseen", "foresee_generation"),
        ".generation_settings": ("CONTROLS", "GenerationSettings"),
    },
)
