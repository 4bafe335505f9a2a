"""Services that make pictures and clips: what they can do and cost, jobs, and results on the disk.

`Generating` fills orders through a `MediaService`, and keeps the book of all jobs, so that no result is lost or ordered
twice.
"""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.models.media.description import HttpDescription, known_descriptions, read_description
    from chronotope.models.media.generating import Generated, Generating, Made, Order
    from chronotope.models.media.job_book import Job, JobBook, JobEvent, read_jobs
    from chronotope.models.media.opening_services import named_service, open_media_service
    from chronotope.models.media.request import (
        AmbiguousError,
        Asset,
        Done,
        ExpiredError,
        Failed,
        MediaLimits,
        MediaRequest,
        MediaService,
        PollError,
        RefusedError,
        UnsentError,
        Waiting,
    )

__all__ = [
    "AmbiguousError",
    "Asset",
    "Done",
    "ExpiredError",
    "Failed",
    "Generated",
    "Generating",
    "HttpDescription",
    "Job",
    "JobBook",
    "JobEvent",
    "Made",
    "MediaLimits",
    "MediaRequest",
    "MediaService",
    "Order",
    "PollError",
    "RefusedError",
    "UnsentError",
    "Waiting",
    "known_descriptions",
    "named_service",
    "open_media_service",
    "read_description",
    "read_jobs",
]

__getattr__, __dir__ = public_names(
    __name__,
    {
        ".description": ("HttpDescription", "known_descriptions", "read_description"),
        ".generating": ("Generated", "Generating", "Made", "Order"),
        ".job_book": ("Job", "JobBook", "JobEvent", "read_jobs"),
        ".opening_services": ("named_service", "open_media_service"),
        ".request": (
            "AmbiguousError", "Asset", "Done", "ExpiredError", "Failed", "MediaLimits", "MediaRequest", "MediaService",
            "PollError", "RefusedError", "UnsentError", "Waiting",
        ),
    },
)  # fmt: skip
