"""The walk of a camera through a home, on a grid of reachable points."""

from chronotope.world.explore.explore import EYE, Route, camera_poses, explore, rooms_of
from chronotope.world.explore.grid import Grid, reachable_grid

__all__ = ["EYE", "Grid", "Route", "camera_poses", "explore", "reachable_grid", "rooms_of"]
