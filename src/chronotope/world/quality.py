"""The quality of a simulated recording: fast and lit for demos and tests, full and photo for benchmarks."""

from dataclasses import dataclass
from typing import Literal

QualityName = Literal["fast", "lit", "full", "photo"]
Fineness = Literal["fine", "coarse"]


@dataclass(frozen=True)
class Quality:
    """The size, frame rate and length (s) of a clip, and the quality of its shadows and edges.

    If ``baked`` is true, light is computed once for each state instead of for each frame; ``fineness`` says whether
    this light is fine or coarse.
    """

    name: QualityName
    width: int
    height: int
    fps: int
    seconds: tuple[float, float]
    shadow_map: int
    samples: int
    crf: int
    baked: bool = False
    fineness: Fineness = "fine"


QUALITIES: dict[QualityName, Quality] = {
    "fast": Quality("fast", 480, 360, 10, (8.0, 8.0), 1024, 2, 20),
    "full": Quality("full", 640, 480, 30, (10.0, 16.0), 2048, 8, 18),
}
