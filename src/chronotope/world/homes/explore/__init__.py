"""Plan the walk of a camera through a home.

``free_points`` and ``largest_component`` find the floor where the camera can go. ``explore`` plans the walk.
``camera_poses`` gives the cameras, and ``rooms_entered`` the rooms.
"""

from chronotope.world.homes.explore.actions import Action
from chronotope.world.homes.explore.explore import EYE_HEIGHT, Route, camera_poses, cameras_at, explore
from chronotope.world.homes.explore.grid import Grid, component_of, free_points, largest_component
from chronotope.world.homes.explore.rooms import Visit, room_of_frames, rooms_entered, visits
from chronotope.world.left_handed import from_left_handed, to_left_handed

__all__ = [
    "EYE_HEIGHT",
    "Action",
    "Grid",
    "Route",
    "Visit",
    "camera_poses",
    "cameras_at",
    "component_of",
    "explore",
    "free_points",
    "from_left_handed",
    "largest_component",
    "room_of_frames",
    "rooms_entered",
    "to_left_handed",
    "visits",
]
