"""The model of a vehicle: its parts with the joints that carry them, its wheels, and the place of a driver's camera."""

from dataclasses import dataclass
from typing import NamedTuple

from chronotope.world.street.wheels import Wheel
from chronotope.world.things.mesh import Mesh
from chronotope.world.things.thing import Look

CHASSIS = "chassis"
CRANK, PEDALS = "crank", ("pedal_left", "pedal_right")
"""The names of the joints of a crank, and of its pedals, which stay level."""

Place = tuple[float, float, float]


class Cockpit(NamedTuple):
    """Where a rider touches a bicycle, in the coordinates of its model (m).

    ``crank`` is the middle of the crank, and ``pedal`` that of the left pedal at rest, whose upper side is ``tread``
    (m) higher; the right pedal is opposite. ``saddle`` is the middle of its top. ``grip`` is the middle of the left
    grip, and ``outwards`` its direction away from the bicycle. The wheels turn ``gear`` times while the crank turns
    once.
    """

    crank: Place
    pedal: Place
    saddle: Place
    grip: Place
    outwards: Place
    tread: float
    gear: float


@dataclass(frozen=True, eq=False)
class VehicleModel:
    """The shape of a vehicle in m, with z = 0 at the ground, the front at +x, and its middle near x = y = 0.

    Each part has a mesh, a look, and the name of the joint that carries it. ``eye`` (3,) is the place of a camera that
    looks ahead and sees nothing of the vehicle but perhaps its bonnet. ``cockpit`` says where a rider touches it.
    """

    parts: tuple[tuple[Mesh, Look, str], ...]
    wheels: tuple[Wheel, ...]
    eye: Place
    cockpit: Cockpit | None = None
