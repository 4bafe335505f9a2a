"""Streets: vehicles and street furniture at real sizes, lanes and traffic, and a plain street to film them in.

``draw_vehicle`` and ``draw_fixture`` draw things that people can name immediately. ``drive`` makes the rig of a vehicle
on its way, whose wheels turn with the road.
"""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.world.street.assets import StreetAssets, open_street_assets
    from chronotope.world.street.backdrop import Street, street_backdrop, street_set
    from chronotope.world.street.driving import drive, on_road, pedalled
    from chronotope.world.street.fixtures import Fixture, draw_fixture, fixture_types
    from chronotope.world.street.lanes import Lane, curved_lane, lane_beside, lane_of, straight_lane
    from chronotope.world.street.road_set import road_pieces
    from chronotope.world.street.roads import (
        Junction,
        Road,
        bend_of,
        crossing_road,
        curved_road,
        cycle_route,
        route_over,
        straight_road,
    )
    from chronotope.world.street.street_types import STREET_KINDS, StreetKind
    from chronotope.world.street.traffic import Traffic, Zone, draw_traffic, follow
    from chronotope.world.street.vehicles import Vehicle, draw_vehicle, library_vehicle, vehicle_types

__all__ = [
    "STREET_KINDS",
    "Fixture",
    "Junction",
    "Lane",
    "Road",
    "Street",
    "StreetAssets",
    "StreetKind",
    "Traffic",
    "Vehicle",
    "Zone",
    "bend_of",
    "crossing_road",
    "curved_lane",
    "curved_road",
    "cycle_route",
    "draw_fixture",
    "draw_traffic",
    "draw_vehicle",
    "drive",
    "fixture_types",
    "follow",
    "lane_beside",
    "lane_of",
    "library_vehicle",
    "on_road",
    "open_street_assets",
    "pedalled",
    "road_pieces",
    "route_over",
    "straight_lane",
    "straight_road",
    "street_backdrop",
    "street_set",
    "vehicle_types",
]

__getattr__, __dir__ = public_names(
    __name__,
    {
        ".assets": ("StreetAssets", "open_street_assets"),
        ".backdrop": ("Street", "street_backdrop", "street_set"),
        ".driving": ("drive", "on_road", "pedalled"),
        ".fixtures": ("Fixture", "draw_fixture", "fixture_types"),
        ".lanes": ("Lane", "curved_lane", "lane_beside", "lane_of", "straight_lane"),
        ".road_set": ("road_pieces",),
        ".roads": (
            "Junction",
            "Road",
            "bend_of",
            "crossing_road",
            "curved_road",
            "cycle_route",
            "route_over",
            "straight_road",
        ),
        ".street_types": ("STREET_KINDS", "StreetKind"),
        ".traffic": ("Traffic", "Zone", "draw_traffic", "follow"),
        ".vehicles": ("Vehicle", "draw_vehicle", "library_vehicle", "vehicle_types"),
    },
)
