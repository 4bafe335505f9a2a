"""The question type of all families, benchmark folders, and exchangeable options.

The code that reads and writes tables is imported on first use, so that making prompts does not load Arrow.
"""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names
from chronotope.question.balance import limit_balanced
from chronotope.question.exchangeable import (
    ANGLES,
    RATIOS,
    RatioSet,
    angle_text,
    exchangeable_ratios,
    ratio_text,
    rungs_by_chance,
)
from chronotope.question.finding import find_question, find_questions, one_of
from chronotope.question.options import (
    OptionSet,
    draw_angle_offsets,
    draw_scalar_offsets,
    draw_vector_offsets,
    item_generator,
    lay,
    shuffle,
)
from chronotope.question.question import (
    MediaItem,
    MediaKind,
    Mention,
    Option,
    Question,
    Variant,
    Window,
    mentions_of,
    recordings_of,
)
from chronotope.question.refusal import Reason, RefusalCode, Refused
from chronotope.question.variants import (
    NEEDS_OPTIONS,
    NONE_OF_THESE,
    VariantRule,
    make_variants,
    none_answer,
    none_distractor,
    open_ended,
    why_not,
)

if TYPE_CHECKING:
    from chronotope.question.benchmark import (
        LICENCE_NOT_STATED,
        Benchmark,
        Card,
        CardDraft,
        Counts,
        Profile,
        read_card,
    )
    from chronotope.question.copying import write_changed
    from chronotope.question.descriptions import Description, by_image, read_descriptions, write_descriptions
    from chronotope.question.folder import measure_media, open_benchmark, write_benchmark_tables
    from chronotope.question.rows import (
        MediaFile,
        content_hash,
        read_media,
        read_questions,
        write_questions,
    )
    from chronotope.question.schema import MEDIA_SCHEMA, QUESTIONS_SCHEMA, SCHEMA_VERSION
    from chronotope.question.usual_answers import how_usual, likeliest_options
    from chronotope.question.validation import objects_that_stay, validate

__all__ = [
    "ANGLES",
    "LICENCE_NOT_STATED",
    "MEDIA_SCHEMA",
    "NEEDS_OPTIONS",
    "NONE_OF_THESE",
    "QUESTIONS_SCHEMA",
    "RATIOS",
    "SCHEMA_VERSION",
    "Benchmark",
    "Card",
    "CardDraft",
    "Counts",
    "Description",
    "MediaFile",
    "MediaItem",
    "MediaKind",
    "Mention",
    "Option",
    "OptionSet",
    "Profile",
    "Question",
    "RatioSet",
    "Reason",
    "RefusalCode",
    "Refused",
    "Variant",
    "VariantRule",
    "Window",
    "angle_text",
    "by_image",
    "content_hash",
    "draw_angle_offsets",
    "draw_scalar_offsets",
    "draw_vector_offsets",
    "exchangeable_ratios",
    "find_question",
    "find_questions",
    "how_usual",
    "item_generator",
    "lay",
    "likeliest_options",
    "limit_balanced",
    "make_variants",
    "measure_media",
    "mentions_of",
    "none_answer",
    "none_distractor",
    "objects_that_stay",
    "one_of",
    "open_benchmark",
    "open_ended",
    "ratio_text",
    "read_card",
    "read_descriptions",
    "read_media",
    "read_questions",
    "recordings_of",
    "rungs_by_chance",
    "shuffle",
    "validate",
    "why_not",
    "write_benchmark_tables",
    "write_changed",
    "write_descriptions",
    "write_questions",
]

__getattr__, __dir__ = public_names(
    __name__,
    {
        ".benchmark": ("LICENCE_NOT_STATED", "Benchmark", "Card", "CardDraft", "Counts", "Profile", "read_card"),
        ".copying": ("write_changed",),
        ".descriptions": ("Description", "by_image", "read_descriptions", "write_descriptions"),
        ".folder": ("measure_media", "open_benchmark", "write_benchmark_tables"),
        ".rows": ("MediaFile", "content_hash", "read_media", "read_questions", "write_questions"),
        ".schema": ("MEDIA_SCHEMA", "QUESTIONS_SCHEMA", "SCHEMA_VERSION"),
        ".usual_answers": ("how_usual", "likeliest_options"),
        ".validation": ("objects_that_stay", "validate"),
    },
)
