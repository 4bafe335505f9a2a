"""A table with things on it, filmed by a camera that moves around it."""

from typing import TYPE_CHECKING

from chronotope.world.kinds import WorldKind

if TYPE_CHECKING:
    import numpy as np

    from chronotope.world.quality import Quality
    from chronotope.world.shot import Shots

__all__ = ["KIND"]

FIELD_OF_VIEW = (44.0, 52.0)  # degrees, vertical


def _lay(generator: "np.random.Generator", quality: "Quality") -> "Shots":
    import numpy as np

    from chronotope.recording import Kind
    from chronotope.world.camera import intrinsics_of
    from chronotope.world.kinds.table.paths import draw_path
    from chronotope.world.kinds.table.table import lay_table
    from chronotope.world.shot import Shot, Shots

    table = lay_table(generator)
    times = np.arange(round(generator.uniform(*quality.seconds) * quality.fps)) / quality.fps
    path = draw_path(generator, times, table.target, table.azimuth)
    shot = Shot(
        film_set=table.film_set,
        times=times,
        camera=path.poses,
        intrinsics=intrinsics_of(generator.uniform(*FIELD_OF_VIEW), quality.width, quality.height),
        kind=Kind.DESKTOP,
        provenance={"path": path.name},
    )
    return Shots((shot,))


KIND = WorldKind("table", "tables", _lay)
