"""How finely light is computed and painted: fine for benchmarks, coarse for a quick look."""

from dataclasses import dataclass

from chronotope.world.quality import Fineness


@dataclass(frozen=True)
class Detail:
    """The distances between points of light, and the numbers of rays.

    ``shell`` is the distance (m) between the points of walls, floors and ceilings. ``thing`` (m) is that of things,
    from the smallest to the largest, with ``per_thing`` points along a thing. On pieces that no camera sees, points are
    ``unseen`` times as far apart. Vertices of the smallest cells share a point if they are less than ``shared`` (m)
    apart and face about the same way, in as many ways as ``turns`` tells; the first number is for pieces that a camera
    sees, and the second for the others.

    Cells smaller than ``plain`` (m) have the colours of their picture only at their corners. ``rays`` are the
    directions from each point, ``lights`` and ``patch_lights`` the places on an emitter and on a patch in the sun, and
    ``bounces`` the reflections. ``pixels`` (m) are the distances between pixels of small and of large cells, and
    ``beam`` (m) that between rays to the sun. Things smaller than ``aside`` (m) that no camera sees take no part in
    light.
    """

    shell: float
    thing: tuple[float, float]
    per_thing: int
    unseen: float
    shared: tuple[float, float]
    turns: tuple[float, float]
    rays: int
    lights: int
    patch_lights: int
    bounces: int
    pixels: tuple[float, float]
    beam: float
    plain: float
    aside: float


FINE = Detail(
    shell=0.06,
    thing=(0.015, 0.05),
    per_thing=14,
    unseen=2.5,
    shared=(0.0005, 0.0005),
    turns=(8.0, 8.0),
    rays=96,
    lights=40,
    patch_lights=15,
    bounces=5,
    pixels=(0.002, 0.006),
    beam=0.01,
    plain=0.0,
    aside=0.0,
)
COARSE = Detail(
    shell=0.15,
    thing=(0.06, 0.2),
    per_thing=5,
    unseen=4.0,
    shared=(0.012, 0.3),
    turns=(5.0, 1.4),
    rays=32,
    lights=12,
    patch_lights=6,
    bounces=3,
    pixels=(0.004, 0.012),
    beam=0.03,
    plain=0.02,
    aside=0.8,
)
DETAILS: dict[Fineness, Detail] = {"fine": FINE, "coarse": COARSE}
