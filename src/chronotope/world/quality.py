"""The quality of a simulated recording: fast for demos and tests, full for benchmarks."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["QUALITIES", "Quality", "QualityName"]

QualityName = Literal["fast", "full"]


@dataclass(frozen=True)
class Quality:
    """A clip's size, rate and length (s), and the quality of shadows (map, px) and edges."""

    name: QualityName
    width: int
    height: int
    fps: int
    seconds: tuple[float, float]
    shadow_map: int
    samples: int
    crf: int


QUALITIES: dict[QualityName, Quality] = {
    "fast": Quality("fast", 480, 360, 10, (8.0, 8.0), 1024, 2, 20),
    "full": Quality("full", 640, 480, 30, (10.0, 16.0), 2048, 8, 18),
}
