"""A controller of AI2-THOR that needs no Unity: it acts in one of our own homes, and answers in AI2-THOR's form.

Keys, axes, units, colours and pictures of its events are those of ``thor_events.json``; things look as our renderer
draws them. It takes the house file that a ``Controller`` of ai2thor takes.
"""

from dataclasses import replace
from functools import cached_property
from types import SimpleNamespace

import numpy as np
from thor_replay import FAR, RECORDED, decoded

from chronotope.world import world_kinds
from chronotope.world.camera import intrinsics_of
from chronotope.world.homes.document import HouseDocument, home_of
from chronotope.world.homes.explore import cameras_at, component_of, from_left_handed, largest_component
from chronotope.world.homes.home import HomeObject
from chronotope.world.homes.operations import ImpossibleError, abilities, change_state, remove
from chronotope.world.homes.scenery import film_set_of, free_floor
from chronotope.world.homes.small_things import ground_of, settled
from chronotope.world.left_handed import from_vector, swapped, to_left_handed, to_vector
from chronotope.world.render import open_renderer

FLAGS = (
    "pickupable", "moveable", "openable", "sliceable", "breakable", "toggleable", "dirtyable", "cookable",
    "canFillWithLiquid", "canBeUsedUp",
)  # fmt: skip
AGENT, EYE = 0.901, 1.576  # m, of the agent's position and of its camera above the floor
ABOVE, BELOW, SPACING = 0.05, 1e-4, 0.05  # m: points above a shelf
AHEAD = {0: (0, 1), 90: (1, 0), 180: (0, -1), 270: (-1, 0)}  # cells along x and z, by the yaw in degrees
ALIGNED = np.array([[x, y, z] for x in (1, -1) for y in (1, -1) for z in (1, -1)]) / 2
ORIENTED = np.array([[x, y, z] for y in (-1, 1) for x, z in ((-1, -1), (1, -1), (1, 1), (-1, 1))]) / 2


class House:
    """A controller in a house file; ``slips`` are the numbers of steps ahead that come out 5 cm too short."""

    slips = frozenset()

    def __init__(self, scene, width, height, fieldOfView, **settings):
        document = HouseDocument.model_validate(scene)
        self.home, left_out = home_of(document, "house")
        assert not left_out
        fast = world_kinds()["house"].qualities["fast"]
        self.quality = replace(fast, width=width, height=height)
        self.focal = float(intrinsics_of(fieldOfView, width, height)[1, 1])
        self.film_set = film_set_of(np.random.default_rng(0), self.home)
        self.server = SimpleNamespace(camera_far_plane=FAR)
        self.floor = largest_component(free_floor(self.home))
        self.cell, self.yaw, self.slipped, self.steps = tuple(self.floor.cells[0].tolist()), 0.0, 0.0, 0
        self.waiting, self.drawing, self.sent = {}, None, []
        self._now(self.home)
        self._tell("CreateHouse")

    def step(self, action, **parameters):
        parameters.pop("forceAction", None)
        self.sent.append(action)
        returned, error = None, ""
        act = getattr(self, f"_{action}", None)
        try:
            returned = act(**parameters) if act else self._change(action, **parameters)
        except ImpossibleError as problem:
            error = str(problem)
        except KeyError as problem:
            error = f"No object with ID {problem}"
        self._tell(action, error, returned)
        return self.last_event

    def stop(self):
        self._leave()

    def _GetReachablePositions(self):  # noqa: N802
        connected = component_of(self.floor, self.cell)
        return [to_vector([*point, AGENT]) for point in connected.points(connected.cells)]

    def _Teleport(self, position, rotation, horizon, standing):  # noqa: N802
        x, y = np.rint((from_vector(position)[:2] - self.floor.origin) / self.floor.step).astype(int).tolist()
        self._stand((x, y))
        self.yaw, self.slipped = float(rotation["y"]) % 360, 0.0

    def _MoveAhead(self, moveMagnitude):  # noqa: N802
        right, ahead = AHEAD[round(self.yaw)]
        for _ in range(round(moveMagnitude / self.floor.step)):
            self._stand((self.cell[0] + right, self.cell[1] + ahead))
            self.steps += 1
            self.slipped += 0.05 if self.steps in self.slips else 0.0

    def _stand(self, cell):
        shape = self.floor.reachable.shape
        if not all(0 <= at < most for at, most in zip(cell, shape, strict=True)) or not self.floor.reachable[cell]:
            raise ImpossibleError("wall|2 is blocking Agent 0 from moving")
        self.cell = cell

    def _RotateLeft(self, degrees):  # noqa: N802
        self.yaw = (self.yaw - degrees) % 360

    def _RotateRight(self, degrees):  # noqa: N802
        self.yaw = (self.yaw + degrees) % 360

    def _GetSpawnCoordinatesAboveReceptacle(self, objectId, anywhere):  # noqa: N802
        return [to_vector(point) for point in spawn_points(self.home.objects[objectId])]

    def _PlaceObjectAtPoint(self, objectId, position):  # noqa: N802
        new = self.waiting.get(objectId)
        thing = new or self.home.objects[objectId]
        self._now(put(self.home, thing, from_vector(position), thing.yaw if new is None else None))
        self.waiting.pop(objectId, None)

    def _SpawnAsset(self, assetId, generatedId, position, rotation):  # noqa: N802
        kind, _, seed = assetId.rpartition("_")
        self.waiting[generatedId] = HomeObject(generatedId, kind, int(seed), "", np.eye(4))

    def _RemoveFromScene(self, objectId):  # noqa: N802
        if self.waiting.pop(objectId, None) is None:
            self._now(remove(self.home, self.home.objects[objectId]))

    def _change(self, action, objectId, openness=None, fillLiquid=None):
        self._now(change_state(self.home, self.home.objects[objectId], action, openness or fillLiquid))

    def _now(self, home):
        self.home, self.floor = home, free_floor(home)
        rooms = [room.id for room in home.plan.rooms]
        self.objects = [*map(_floor, rooms), *(_record(home, each) for each in home)]
        self.colors = [{"name": each["objectId"], "color": _colour(at)} for at, each in enumerate(self.objects)]

    def _tell(self, action, error="", returned=None):
        place = self.floor.points(np.array(self.cell)) - self.slipped * np.array(AHEAD.get(round(self.yaw), (0, 0)))
        agent = {
            **RECORDED["scene"]["agent"],
            "position": to_vector([*place, AGENT]),
            "rotation": {"x": -0.0, "y": float(np.float32(self.yaw)), "z": 0.0},
        }
        self.last_event = Told(self, {
            **RECORDED["scene"],
            "agent": agent,
            "objects": self.objects,
            "colors": self.colors,
            "lastAction": action,
            "lastActionSuccess": not error,
            "errorMessage": error,
            "actionReturn": returned,
            "screenWidth": self.quality.width,
            "screenHeight": self.quality.height,
        })  # fmt: skip

    def draw(self, home, camera):
        """The colours, depth and identities of a home, as our renderer draws them."""
        if self.drawing is None or self.drawing[0] is not home:
            self._leave()
            opened = open_renderer(replace(self.film_set, placements=home.placements()), self.quality, self.focal)
            self.drawing = home, opened, opened.__enter__()
        return self.drawing[2].draw(camera)

    def _leave(self):
        if self.drawing is not None:
            self.drawing[1].__exit__(None, None, None)
            self.drawing = None


class Told:
    """An event; its pictures are drawn when they are looked at."""

    def __init__(self, house, metadata):
        self.metadata, self._house, self._home = metadata, house, house.home
        self.color_to_object_id = {tuple(each["color"]): each["name"] for each in metadata["colors"]}

    @cached_property
    def _pictures(self):
        agent = self.metadata["agent"]
        x, z, yaw = agent["position"]["x"], agent["position"]["z"], agent["rotation"]["y"]
        camera = cameras_at(from_left_handed(np.array([[x, z, yaw, 0.0]])), EYE)[0]
        drawn = self._house.draw(self._home, camera)
        depth = np.where(drawn.depth < FAR, drawn.depth, FAR).astype(np.float32)
        rooms, things = len(self._home.plan.rooms), len(self._home.objects)
        palette = np.array([_colour(rooms + things), *(_colour(rooms + number) for number in range(things))], np.uint8)
        ids = palette[np.where(depth < FAR, drawn.identities, 0)]
        solid = np.full((*depth.shape, 1), 255, np.uint8)
        sent = [np.concatenate([each, solid], axis=2)[::-1].tobytes() for each in (drawn.rgb, ids)]
        return decoded(self.metadata, sent[0], depth[::-1].tobytes(), sent[1])

    frame = property(lambda self: self._pictures.frame)
    depth_frame = property(lambda self: self._pictures.depth_frame)
    instance_segmentation_frame = property(lambda self: self._pictures.instance_segmentation_frame)


def _colour(number):
    """One of 16 million colours; neighbouring numbers have distant ones."""
    code = (number + 1) * 10368889 % (1 << 24)
    return [code >> shift & 255 for shift in (16, 8, 0)]


def _floor(name):
    return {**RECORDED["objects"][0], "objectId": name, "name": name, "receptacleObjectIds": []}


def _record(home, thing):
    """The record of a thing in AI2-THOR's form, with numbers as Unity's float32."""
    state, able, chain, parent = thing.state, abilities(thing), [], thing.parent
    while parent is not None:
        chain.append(parent)
        parent = home.objects[parent].parent
    held = [each.id for each in home if home.carries(thing.id, each)]
    pose, size = thing.thing_pose, np.array(thing.made.thing.size)
    extent = np.abs(pose[:3, :3]) @ size
    aligned = swapped(pose[:3, 3]) + ALIGNED * swapped(extent)
    turned = swapped(swapped(ORIENTED) * size @ pose[:3, :3].T + pose[:3, 3])
    yaw = float(to_left_handed(np.array([[0.0, 0.0, thing.yaw, 0.0]]))[0, 2])
    return {
        **RECORDED["objects"][0],
        **{flag: flag in able for flag in FLAGS},
        "name": thing.id, "objectId": thing.id, "objectType": thing.name, "assetId": thing.asset_id,
        "position": _single(pose[:3, 3]), "rotation": {"x": 0.0, "y": yaw, "z": 0.0},
        "receptacle": bool(thing.shelves), "receptacleObjectIds": held if thing.shelves else None,
        "parentReceptacles": [*chain, thing.room],
        "axisAlignedBoundingBox": {
            "cornerPoints": aligned.astype(np.float32).tolist(), "center": _single(pose[:3, 3]), "size": _single(extent)
        },
        "objectOrientedBoundingBox": {"cornerPoints": turned.astype(np.float32).tolist()},
        "openness": float(state.openness), "isOpen": state.openness > 0, "isSliced": state.sliced,
        "isBroken": state.broken, "isToggled": state.on, "isDirty": state.dirty, "isCooked": state.cooked,
        "isFilledWithLiquid": state.liquid is not None, "fillLiquid": state.liquid, "isUsedUp": state.used_up,
    }  # fmt: skip


def _single(point):
    return to_vector(np.asarray(point, np.float32).astype(float))


def put(home, thing, point, yaw=None):
    """Put an object on the shelf under a point.

    The object may be new. The middle of its bottom comes to ``point`` (3,) m, but exactly on the shelf. ``yaw`` (rad)
    is its direction; without it, the object looks the same way as the receptacle.

    Raises:
        ImpossibleError: If the object cannot be moved or holds another one, if no open shelf is under the point, or if
            the object would not lie on the shelf or would touch something.
    """
    if not (thing.can("pickupable") or thing.can("moveable")):
        raise ImpossibleError(f"{thing.id} is neither pickupable nor moveable")
    if home.children(thing.id):
        raise ImpossibleError(f"{thing.id} holds {home.children(thing.id)[0].id}")
    rest = home.without(thing.id)
    parent, number = _shelf_under(rest, point)
    if parent.shelves[number].closed:
        raise ImpossibleError(f"{parent.id} is closed")
    placed = settled(thing, parent, number, np.asarray(point)[:2], parent.yaw if yaw is None else yaw)
    ground, size = ground_of(rest, parent, number), placed.made.thing.size
    if size[2] > ground.ceiling or not ground.holds(placed.footprint()):
        raise ImpossibleError(f"{thing.id} would not lie on {parent.id} at this point")
    if not rest.has_room_for(placed):
        raise ImpossibleError(f"{thing.id} would touch something at this point")
    return rest.with_object(placed)


def _shelf_under(home, point):
    # The highest shelf under a point, not farther below it than ABOVE.
    found = []
    for each in home:
        local = (np.asarray(point) - each.pose[:3, 3]) @ each.pose[:3, :3]
        for number, shelf in enumerate(each.shelves):
            x, y, height = local - shelf.centre
            if abs(x) <= shelf.length / 2 and abs(y) <= shelf.width / 2 and -BELOW <= height <= ABOVE:
                found.append((float(height), each, number))
    if not found:
        raise ImpossibleError("no shelf or surface is under this point")
    _, parent, number = min(found, key=lambda each: each[0])
    return parent, number


def spawn_points(receptacle):
    """Return points (N, 3) m on the shelves of a receptacle.

    The points are a grid on every shelf that can be reached. Whether an object has room there is not considered.

    Raises:
        ImpossibleError: If the object has no shelf, or if all shelves are closed.
    """
    if not receptacle.shelves:
        raise ImpossibleError(f"{receptacle.id} is not a receptacle")
    reached = [shelf for shelf in receptacle.shelves if not shelf.closed]
    if not reached:
        raise ImpossibleError(f"{receptacle.id} is closed")
    points = []
    for shelf in reached:
        x, y = (_spread(side) for side in (shelf.length, shelf.width))
        level = np.stack(np.meshgrid(x, y, [0.0], indexing="ij"), axis=-1).reshape(-1, 3)
        points.append(level + shelf.centre)
    return np.round(np.concatenate(points) @ receptacle.pose[:3, :3].T + receptacle.pose[:3, 3], 6)


def _spread(side):
    # Evenly spaced coordinates along a side (m), symmetric about its middle.
    half = int(side / 2 / SPACING)
    return SPACING * np.arange(-half, half + 1)
