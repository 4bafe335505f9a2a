"""Vehicles: things on wheels, drawn at random from built-in shapes or from a folder of assets."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from chronotope.errors import InputError
from chronotope.io import printable
from chronotope.world.asset_folder import AGAIN
from chronotope.world.street.assets import StreetAsset, StreetAssets
from chronotope.world.street.street_types import STREET_KINDS, StreetKind
from chronotope.world.street.vehicle_model import CHASSIS, CRANK, PEDALS, Cockpit, Place, VehicleModel
from chronotope.world.things.colours import paint
from chronotope.world.things.mesh import Mesh, merge, slices, support_points
from chronotope.world.things.thing import Paint, Thing, finished, size_of

CARTS = tuple(name for name, row in STREET_KINDS.items() if row.use == "cart")
_ATTEMPTS = 2  # times that a vehicle is sketched anew
_SOLIDS, _SNUG = 6, 0.02  # slices along x whose hulls are the shape in collisions, and their allowed distance (m)
# The axes of a camera (right, down, forward) in those of a vehicle (forward, left, up).
_AHEAD = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])


@dataclass(frozen=True, eq=False)
class Vehicle:
    """A vehicle: its thing, whose frame has its origin in the middle of its box and its front at +x, and its joints.

    The first of the ``joints`` is "chassis", and the next ones are its wheels, such as "wheel_front_left", or
    "wheel_front" of a bicycle. ``rest`` (J, 4, 4) contains thing_T_joint, with the axle of a wheel along y.
    ``bindings`` has the index of the joint of each piece. ``radii`` (J,) m are the radii of the wheels, and 0 for the
    chassis. ``axles`` (m) are the places of the front and of the rear axle along x. ``mount`` (4, 4) is thing_T_camera
    of a camera that looks ahead from the driver's place, with OpenCV axes. ``source`` has the id, the licence and the
    attribution of the asset, if it is one. A bicycle that can be ridden has a ``cockpit``, in the frame of its thing,
    and further joints for its crank and its pedals.
    """

    type: str
    thing: Thing
    joints: tuple[str, ...]
    rest: np.ndarray
    bindings: tuple[int, ...]
    radii: np.ndarray
    axles: tuple[float, float]
    mount: np.ndarray
    source: dict[str, str] = field(default_factory=dict[str, str])
    cockpit: Cockpit | None = None

    @property
    def wheelbase(self) -> float:
        """Return the distance (m) of the first and the last axle."""
        return round(self.axles[0] - self.axles[1], 6)


def vehicle_types(assets: StreetAssets | None = None) -> tuple[str, ...]:
    """List the types of vehicles that can be drawn."""
    there = set() if assets is None else assets.types
    return tuple(name for name, row in STREET_KINDS.items() if row.use == "vehicle" and (row.built_in or name in there))


def draw_vehicle(
    generator: np.random.Generator,
    kind: str | None = None,
    colour: str | None = None,
    assets: StreetAssets | None = None,
) -> Vehicle:
    """Draw a vehicle.

    ``kind`` is an object type of vehicles, such as "Car", or of carts, and ``colour`` one of its colours. With
    ``assets``, some vehicles have shapes from a library; those have their own colours. The same state of the generator
    gives the same arrays.

    Raises:
        InputError: If there is no such type, or if it has no such colour.
    """
    offered = vehicle_types(assets)
    if kind is not None and kind not in (*offered, *CARTS):
        raise InputError(f"world: no vehicle {kind!r}: choose one of {', '.join(offered)}")
    name = kind or str(generator.choice(offered))
    row = STREET_KINDS[name]
    if colour is not None and colour not in row.kind.colours:
        raise InputError(
            f"world: no {colour} {row.kind.noun}: its colours are {', '.join(dict.fromkeys(row.kind.colours))}"
        )
    asset = None if assets is None else assets.choose(generator, name, row.built_in, colour)
    if asset is not None:
        return library_vehicle(asset)
    painted = paint(
        generator, colour or str(generator.choice(row.kind.colours)), str(generator.choice(row.kind.materials))
    )
    return vehicle_of(row, _sketched(generator, row, painted), painted.colour, painted.material)


def library_vehicle(asset: StreetAsset) -> Vehicle:
    """Return the vehicle of an asset.

    Raises:
        InputError: If the file of the asset is missing or damaged.
    """
    row, entry, model = STREET_KINDS[asset.entry.type], asset.entry, asset.model
    try:
        return vehicle_of(row, model, entry.colour, "", entry.rights)
    except (ValueError, ArithmeticError, RuntimeError) as error:  # QhullError of a mesh without a volume
        raise InputError(
            f"{asset.folder / entry.file}: cannot be made into a thing ({printable(str(error))}): {AGAIN}"
        ) from error


def _sketched(generator: np.random.Generator, row: StreetKind, painted: Paint) -> VehicleModel:
    """Sketch a vehicle of a size that is drawn at random, evenly in its logarithm."""
    size = np.exp([generator.uniform(*np.log(bounds)) for bounds in row.kind.sizes.bounds.T])
    child = int(generator.integers(2**31))
    # Lamps and bumpers stand out of a body by some millimetres. Scaling would make wheels oval, so the body is sketched
    # anew until the whole has the size.
    sketch = cast("Callable[..., VehicleModel]", row.kind.sketch)
    body, model = size, sketch(np.random.default_rng(child), painted, size)
    for _ in range(_ATTEMPTS):
        everything = np.concatenate([mesh.vertices for mesh, _, _ in model.parts])
        body = body + size - np.ptp(everything, axis=0)
        model = sketch(np.random.default_rng(child), painted, body)
    return model


def vehicle_of(
    row: StreetKind, model: VehicleModel, colour: str | None, material: str, source: dict[str, str] | None = None
) -> Vehicle:
    """Turn the model of a vehicle into a vehicle."""
    everything = np.concatenate([mesh.vertices for mesh, _, _ in model.parts])
    middle = np.round((everything.min(axis=0) + everything.max(axis=0)) / 2, 6)
    cockpit = None if model.cockpit is None else _centred(model.cockpit, middle)
    joints = (CHASSIS, *(wheel.joint for wheel in model.wheels), *(() if cockpit is None else (CRANK, *PEDALS)))
    turning = len(model.wheels) + 1
    parts = [(mesh._replace(vertices=mesh.vertices - middle), look, joint) for mesh, look, joint in model.parts]
    pieces = tuple(finished(mesh, look) for mesh, look, _ in parts)
    rest = np.tile(np.eye(4), (len(joints), 1, 1))
    rest[1:turning, :3, 3] = np.array([wheel.centre for wheel in model.wheels]).reshape(-1, 3) - middle
    if cockpit is not None:
        rest[turning:, :3, 3] = cockpit.crank, cockpit.pedal, _opposite(cockpit)
    places = np.round([wheel.centre[0] - middle[0] for wheel in model.wheels], 6).tolist()
    mount = np.eye(4)
    mount[:3, :3], mount[:3, 3] = _AHEAD, np.round(model.eye - middle, 6)
    kind, size = row.kind, size_of(pieces)
    thing = Thing(
        category=kind.noun,
        colour=colour,
        material=material,
        pieces=pieces,
        size=size,
        symmetry=kind.symmetry,
        front=kind.front,
        mass=float(kind.density * np.prod(size)),
        solids=_solids(merge(*(mesh for mesh, _, _ in parts))),
        support=None,
        along=kind.along,
        sizes=kind.sizes if np.array(size) in kind.sizes else None,
    )
    return Vehicle(
        type=kind.type,
        thing=thing,
        joints=joints,
        rest=np.round(rest, 6),
        bindings=tuple(joints.index(joint) for _, _, joint in parts),
        radii=np.round([0.0, *(wheel.radius for wheel in model.wheels), *([0.0] * (len(joints) - turning))], 6),
        axles=(max(places), min(places)),
        mount=mount,
        source=source or {},
        cockpit=cockpit,
    )


def _centred(cockpit: Cockpit, middle: np.ndarray) -> Cockpit:
    """Move a cockpit into the frame of the thing, whose origin is at ``middle`` (3,) m."""
    crank, pedal, saddle, grip = (_place(np.array(place) - middle) for place in cockpit[:4])
    return cockpit._replace(crank=crank, pedal=pedal, saddle=saddle, grip=grip)


def _opposite(cockpit: Cockpit) -> Place:
    """Return the middle of the right pedal at rest."""
    (x, y, z), (along, aside, up) = cockpit.crank, cockpit.pedal
    return _place(np.array([2 * x - along, 2 * y - aside, 2 * z - up]))


def _place(point: np.ndarray) -> Place:
    x, y, z = np.round(point, 6).tolist()
    return x, y, z


def _solids(whole: Mesh) -> tuple[np.ndarray, ...]:
    low, high = whole.vertices[:, 0].min(), whole.vertices[:, 0].max()
    cut = slices(whole, np.linspace(low, high + 1e-9, _SOLIDS + 1).tolist(), 0)
    return tuple(support_points(points, _SNUG) for points in cut if len(points) > 4)
