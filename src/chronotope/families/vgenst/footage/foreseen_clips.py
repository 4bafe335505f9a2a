"""The pictures and clips that a generation job would order now, and their maximum cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chronotope.families.vgenst.footage.candidate_clips import (
    GenerationRequest,
    generation_settings,
    picture_orders,
    video_orders,
    wanted_scenes,
)
from chronotope.families.vgenst.footage.shelf import CLIPS, PICTURES, Shelf
from chronotope.models.media import MediaService, Order, read_jobs
from chronotope.models.media.job_book import NAME


@dataclass(frozen=True)
class GenerationForeseen:
    """The jobs that a request would submit now, if none fails.

    ``money`` is their maximum cost, or None if a price is unknown. ``spent`` is the cost of all jobs so far.
    """

    scenes: int
    pictures: int
    clips: int
    money: float | None
    spent: float
    left_out: Sequence[str] = ()


def foresee_generation(request: GenerationRequest) -> GenerationForeseen:
    """Count the jobs that `generate` would submit; nothing is sent or written.

    Raises:
        InputError: In the same cases as `generate`, before its first job.
    """
    wanted, left_out = wanted_scenes(request)
    Shelf(request.out, generation_settings(request), to_write=False)
    pictures, spent_before = _missing(request.out / PICTURES, picture_orders(request, wanted))
    videos = [order for one in wanted for order in video_orders(request, one, None)]
    clips, spent = _missing(request.out / CLIPS, videos)
    costs = [_cost(request.images, pictures), _cost(request.service, clips)]
    known = [cost for cost in costs if cost is not None]
    money = sum(known) if len(known) == len(costs) else None
    return GenerationForeseen(len(wanted), len(pictures), len(clips), money, spent + spent_before, left_out)


def _missing(folder: Path, orders: Sequence[Order]) -> tuple[list[Order], float]:
    """Return the orders without a job, and the cost of all jobs of a folder."""
    jobs = read_jobs(folder) if (folder / NAME).exists() else []
    there = {job.last.name for job in jobs if job.state not in ("unsent", "released")}
    return [order for order in orders if order.name not in there], sum(job.cost for job in jobs)


def _cost(service: MediaService | None, orders: Sequence[Order]) -> float | None:
    prices = [None if service is None else service.price(order.request) for order in orders]
    known = [price for price in prices if price is not None]
    return sum(known) if len(known) == len(prices) else None
