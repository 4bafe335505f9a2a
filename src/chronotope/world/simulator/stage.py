"""The pictures of a home from any pose; the renderer is kept while the home does not change."""

from contextlib import ExitStack
from dataclasses import replace

import numpy as np

from chronotope.errors import InputError
from chronotope.world.camera import intrinsics_of
from chronotope.world.film_set import FilmSet
from chronotope.world.kinds.house.home import Home
from chronotope.world.quality import Quality
from chronotope.world.render import Renderer, open_renderer
from chronotope.world.simulator.interface import Pictures

__all__ = ["Stage"]


class Stage:
    """Draws homes with the same shell and lights.

    ``film_set`` has the shell and the lights. ``field`` is the vertical field of view in degrees.
    """

    def __init__(self, film_set: FilmSet, quality: Quality, field: float) -> None:
        self._film_set, self._quality = film_set, quality
        self._focal = float(intrinsics_of(field, quality.width, quality.height)[1, 1])
        self._opened = ExitStack()
        self._shown: tuple[Home, Renderer] | None = None
        self._is_closed = False

    def draw(self, home: Home, camera: np.ndarray) -> Pictures:
        """Draw a home from the pose ``camera`` (4, 4), with OpenCV axes.

        Raises:
            InputError: If the stage is closed, or if this machine cannot render.
        """
        drawn = self._renderer(home).draw(camera)
        return Pictures(drawn.rgb, drawn.depth, drawn.identities.astype(np.uint16))

    def _renderer(self, home: Home) -> Renderer:
        if self._is_closed:
            raise InputError("the simulator is closed, so it draws no picture", fix="use the pictures before close()")
        if self._shown is None or self._shown[0] is not home:
            self._leave()
            film_set = replace(self._film_set, placements=home.placements())
            self._shown = home, self._opened.enter_context(open_renderer(film_set, self._quality, self._focal))
        return self._shown[1]

    def _leave(self) -> None:
        self._shown = None
        self._opened.close()

    def close(self) -> None:
        """Release the renderer."""
        self._leave()
        self._is_closed = True
