"""How finely light is computed and painted: fine for benchmarks, coarse for a quick look."""

from dataclasses import dataclass, replace

from chronotope.world.quality import Fineness


@dataclass(frozen=True)
class Detail:
    """The distances between the points at which light is computed, and the numbers of rays.

    ``shell`` is the distance (m) between the points of walls, floors and ceilings. On things, the distance is chosen so
    that a piece has ``per_thing`` points along its longest side, but between the smallest and the largest distance in
    ``thing`` (m). On pieces that no camera sees, points are ``unseen`` times as far apart. Vertices of the smallest
    cells share a point if they are less than ``shared`` (m) apart, and if their normals, multiplied by ``turns``, round
    to the same whole numbers. The first number of ``shared`` and of ``turns`` is for pieces that a camera sees, and the
    second is for all other pieces.

    ``rays`` is the number of directions from each point. ``lights`` and ``patch_lights`` are the numbers of places on
    an emitter and on a patch in the sun. ``bounces`` is the number of reflections. Cells smaller than ``plain`` (m)
    have the colours of their picture only at their corners. ``pixels`` (m) are the distances between the pixels of
    small and of large cells. ``beam`` (m) is the distance between places from which rays to the sun are cast. Things
    that are smaller than ``aside`` (m) and that no camera sees are left out when light is computed.
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


def outdoors(detail: Detail) -> Detail:
    """Return the detail for streets and squares, whose surfaces are larger and farther away."""
    return replace(
        detail,
        shell=4 * detail.shell,
        thing=(2 * detail.thing[0], 4 * detail.thing[1]),
        beam=4 * detail.beam,
        pixels=(3 * detail.pixels[0], 4 * detail.pixels[1]),
    )
