"""The least differences and views at which something is asked about.

The profile ``paper`` has the margins of the specification. People who answered 40 questions from the frames erred by 10
to 30 % in measures, confused things of nearly one size, and overlooked things of a few pixels. So ``strict`` has wider
margins.
"""

from dataclasses import dataclass

LEAST_PIXELS = 40 / (1024 * 768)  # share of the picture that a seen object covers at least


@dataclass(frozen=True)
class Margins:
    """The least differences and views at which something is asked about.

    ``view`` is the share of the picture that a clearly seen object covers. ``volume``, ``area``, ``distance`` and
    ``stay`` are gaps of two values, as shares of the larger one. ``gap_metres`` and ``gap_frames`` are gaps that two
    distances and two times have in addition. ``ratios`` are the possible ratios of the bounds of a range. ``within`` is
    the smallest distance of the value from the bounds of its range, as a share of the range. A ratio r of two areas is
    printed as the range from r / ``spread`` to r * ``spread``. Published ranges do not use ``ratios``, ``within`` and
    ``spread``.
    """

    view: float
    volume: float
    area: float
    distance: float
    gap_metres: float
    stay: float
    gap_frames: int
    ratios: tuple[float, ...] = ()
    within: float = 0.0
    spread: float = 1.0

    def are_clear_distances(self, one: float, other: float) -> bool:
        """Check that two distances (m) clearly differ."""
        return _differ(one, other, self.gap_metres, self.distance)

    def are_clear_stays(self, one: float, other: float) -> bool:
        """Check that two numbers of frames clearly differ."""
        return _differ(one, other, self.gap_frames, self.stay)

    def are_clear_moments(self, one: float, other: float) -> bool:
        """Check that two moments, as numbers of frames, clearly differ."""
        return _differ(one, other, self.gap_frames)


def _differ(one: float, other: float, gap: float, share: float = 0.0) -> bool:
    return abs(one - other) >= max(gap, share * max(one, other))


SPECIFIED = Margins(
    view=LEAST_PIXELS,
    volume=0.1,
    area=0.1,
    distance=0.15,
    gap_metres=0.3,
    stay=0.1,
    gap_frames=5,
)
TOLD_BY_EYE = Margins(
    view=6e-4,  # 120 of the pixels of a picture of 448 x 448
    volume=0.4,
    area=0.25,
    distance=0.25,
    gap_metres=0.5,
    stay=0.25,
    gap_frames=10,
    ratios=(1.5, 1.65, 1.8),
    within=0.3,
    spread=1.12,
)
