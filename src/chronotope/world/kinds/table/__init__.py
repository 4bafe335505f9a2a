"""A table with things on it, filmed by a camera that moves around it."""

from typing import TYPE_CHECKING

from chronotope.world.kinds import WorldKind

if TYPE_CHECKING:
    import numpy as np

    from chronotope.world.quality import Quality
    from chronotope.world.shot import Shots

__all__ = ["KIND"]

ATTEMPTS = 20  # at most this number of tables is generated to find one with a good view


def _lay(generator: "np.random.Generator", quality: "Quality") -> "Shots":
    import numpy as np

    from chronotope.errors import InputError
    from chronotope.recording import Kind
    from chronotope.world.kinds.table.table import lay_table
    from chronotope.world.kinds.table.view import draw_view_of
    from chronotope.world.shot import Shot, Shots

    times = np.arange(round(generator.uniform(*quality.seconds) * quality.fps)) / quality.fps
    for _ in range(ATTEMPTS):
        table = lay_table(generator, times)
        view = draw_view_of(generator, table, times, quality)
        if view is not None:
            break
    else:
        raise InputError(
            f"no camera path shows enough of the table in {ATTEMPTS} attempts: leave the table out with --keep-going"
        )
    shot = Shot(
        film_set=table.film_set,
        times=times,
        camera=view.path.poses,
        intrinsics=view.intrinsics,
        kind=Kind.DESKTOP,
        provenance={"path": view.path.name},
    )
    return Shots((shot,))


KIND = WorldKind("table", "tables", _lay)
