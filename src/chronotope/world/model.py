"""The conversion of a set to a MuJoCo model, with one geom or skin for each visible piece."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from chronotope.io import sha256_bytes
from chronotope.world.engine import require_mujoco
from chronotope.world.film_set import Daylight, FilmSet, Placement
from chronotope.world.light.paint import Baked
from chronotope.world.quality import Quality
from chronotope.world.rig import Joined, Rig, Weights
from chronotope.world.shadow_caster import caster_of
from chronotope.world.things import Look, Piece

BLACKEST = 0.13  # brightest channel (sRGB) of the darkest things in homes under lamps
CUTOFF = 80  # degrees, half the angle of a lamp's cone
LEAST_VERTICES = 4  # of a mesh, for the engine
SUNSHINE = (0.62, 0.58, 0.50)
SUN_AWAY = 60.0  # m from the middle of its shadows to the engine's sun
UNSEEN = Look((0.5, 0.5, 0.5), 0.0, 0.0)  # what only casts a shadow has no look
ZENITH, HORIZON = (0.38, 0.58, 0.86), (0.86, 0.91, 0.96)  # the sky


@dataclass(frozen=True)
class Switch:
    """A geom or skin (``of`` is "geom" or "skin") whose material changes.

    From frame ``frames[i]`` on, the material has the number ``materials[i]``. The first frame is 0.
    """

    of: str
    index: int
    frames: tuple[int, ...]
    materials: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Compiled:
    """A model, and what the renderer must know about it.

    ``geoms`` (G,) and ``skins`` (S,) contain the identity of each geom and of each skin. The identity of a placement is
    1 + its index, and the identity of the backdrop is 0. Identities are uint8, or uint16 if there are more than 255
    placements. ``paths`` contains the poses (T, 4, 4) of each moving body: ``mocap_pos[i]`` and ``mocap_quat[i]`` move
    the i-th of them. ``switches`` are the materials that change. The first ``still`` geoms do not move.
    Of the skins, only the ``casters`` cast shadows.
    """

    model: Any
    geoms: np.ndarray
    skins: np.ndarray
    paths: tuple[np.ndarray, ...]
    switches: tuple[Switch, ...]
    still: int
    casters: frozenset[int]


def build_model(film_set: FilmSet, quality: Quality) -> Compiled:
    """Compile the model of a set.

    Things that do not move are in world coordinates. Each moving thing is a separate body, and so is each joint of an
    articulated thing. The rigid pieces of an articulated thing are geoms of the bodies of their joints. Its soft pieces
    are skins.
    """
    mujoco = require_mujoco()
    spec = _empty_model(mujoco, film_set, quality)
    spec.visual.map.shadowscale = film_set.shadowed
    spec.visual.headlight.active = 1
    spec.visual.headlight.ambient = film_set.ambient
    spec.visual.headlight.diffuse = [0.1, 0.1, 0.1]
    spec.visual.headlight.specular = [0.0, 0.0, 0.0]
    _add_lights(mujoco, spec, film_set)
    if film_set.daylight is not None:
        _add_daylight(mujoco, spec, film_set.daylight)
    builder = _Builder(mujoco, spec, is_lifted=bool(film_set.lamps))
    placements = list(enumerate(film_set.placements, 1))
    for value, placement in placements:
        if not placement.moves:
            builder.add_pieces(spec.worldbody, placement, placement.pose, value)
    for piece in film_set.backdrop:
        # The room receives shadows but casts none: in slanted light a coarse shadow map would speckle a wall with its
        # own shadow. Older versions of MuJoCo do not have this attribute.
        geom = builder.add_piece(spec.worldbody, piece, piece.vertices, 0)
        if hasattr(geom, "castshadow"):
            geom.castshadow = False
            if film_set.daylight is not None and piece.caster is not None:  # houses along a street shade it
                builder.add_piece(spec.worldbody, piece, piece.caster, 0)
    still = len(builder.geoms)
    # Moving bodies are compiled after all fixed geoms.
    for value, placement in placements:
        if placement.rig is None and placement.path is not None:
            builder.paths.append(placement.path)
            builder.add_pieces(spec.worldbody.add_body(mocap=True), placement, np.eye(4), value)
    for value, placement in placements:
        if placement.rig is not None:
            builder.add_rig(placement, placement.rig, value)
    return builder.compiled(len(film_set.placements), still)


@dataclass
class _Builder:
    """Adds pieces to the specification of a model, and notes what they are."""

    mujoco: Any
    spec: Any
    is_lifted: bool
    geoms: list[int] = field(default_factory=list[int])
    skins: list[int] = field(default_factory=list[int])
    paths: list[np.ndarray] = field(default_factory=list[np.ndarray])
    looks: dict[str, str] = field(default_factory=dict[str, str])
    casters: list[int] = field(default_factory=list[int])
    switches: list[tuple[str, int, list[tuple[int, str]]]] = field(default_factory=list)

    def add_pieces(self, body: Any, placement: Placement, pose: np.ndarray, value: int) -> None:
        """Add all pieces of a thing to a body, at a pose in the frame of the body."""
        for number, piece in enumerate(placement.thing.pieces):
            self._add_of(body, placement, number, piece, pose, value)

    def _add_of(self, body: Any, placement: Placement, number: int, piece: Piece, pose: np.ndarray, value: int) -> None:
        shown = self._shown(piece)
        index = len(self.geoms)
        geom = self.add_piece(body, shown, _at(pose, shown.vertices), value)
        self._note_changes("geom", index, geom, placement, number, shown.look)
        if shown.caster is not None and hasattr(geom, "castshadow"):
            geom.castshadow = False
            self.add_piece(body, shown, _at(pose, shown.caster), value)

    def add_piece(self, body: Any, piece: Piece, vertices: np.ndarray, value: int) -> Any:
        """Add a piece to a body and return its geom."""
        geom = _add_piece(self.mujoco, self.spec, body, piece, vertices, f"g{len(self.geoms)}", self.looks)
        self.geoms.append(value)
        return geom

    def add_rig(self, placement: Placement, rig: Rig, value: int) -> None:
        """Add the joints of an articulated thing and the pieces that they move."""
        pieces = list(enumerate(placement.thing.pieces))
        for joint in range(len(rig.joints)):
            body = self.spec.worldbody.add_body(name=f"j{value}-{joint}", mocap=True)
            pose = rig.rest[joint]
            body.pos, body.quat = pose[:3, 3], _quaternion(pose)
            inverse = np.linalg.inv(pose)
            for number, piece in pieces:
                binding = rig.bindings[number]
                if not isinstance(binding, Weights) and binding == joint:
                    self._add_of(body, placement, number, piece, inverse, value)
            self.paths.append(rig.path[:, joint])
        soft = [(number, each) for number, each in enumerate(rig.bindings) if isinstance(each, Weights)]
        for number, weights in soft:
            piece, index = self._shown(placement.thing.pieces[number]), len(self.skins)
            skin = self._add_skin(rig, Joined(piece.vertices, piece.faces, weights), piece.look, value)
            if piece.uv is not None:
                skin.texcoord = _flat(piece.uv)
            self._note_changes("skin", index, skin, placement, number, piece.look)
        if soft:
            self._add_caster(rig, [placement.thing.pieces[number] for number, _ in soft], value)

    def _add_caster(self, rig: Rig, pieces: Sequence[Piece], value: int) -> None:
        """Add the body that casts the shadow of all soft pieces of a thing."""
        bindings = tuple(each for each in rig.bindings if isinstance(each, Weights))
        caster = caster_of(replace(rig, bindings=bindings).joined(pieces), rig.rest[:, :3, 3])
        if len(caster.faces):
            self.casters.append(len(self.skins))
            self._add_skin(rig, caster, UNSEEN, value)

    def _add_skin(self, rig: Rig, surface: Joined, look: Look, value: int) -> Any:
        skin = self.spec.add_skin(
            name=f"s{len(self.skins)}", material=_material(self.mujoco, self.spec, look, self.looks)
        )
        skin.vert = _flat(surface.vertices)
        skin.face = np.ascontiguousarray(surface.faces, np.int32).ravel()
        vertex, place = np.nonzero(surface.weights.shares > 0)
        moved_by, shares = surface.weights.bones[vertex, place], surface.weights.shares[vertex, place]
        joints = np.unique(moved_by)
        skin.bodyname = [f"j{value}-{joint}" for joint in joints]
        skin.bindpos = _flat(rig.rest[joints, :3, 3])
        skin.bindquat = _flat(np.array([_quaternion(rig.rest[joint]) for joint in joints]))
        skin.vertid = [vertex[moved_by == joint].tolist() for joint in joints]
        skin.vertweight = [shares[moved_by == joint].tolist() for joint in joints]
        self.skins.append(value)
        return skin

    def _shown(self, piece: Piece) -> Piece:
        return _lifted(piece) if self.is_lifted else piece

    def _note_changes(self, of: str, index: int, part: Any, placement: Placement, number: int, first: Look) -> None:
        """Note the looks that a piece gets during the clip; a look that changes shows its glow."""
        later = [(change.frame, change.looks[number]) for change in placement.changes if number in change.looks]
        if not later:
            return
        named = [
            (frame, _material(self.mujoco, self.spec, look, self.looks, is_lit=True))
            for frame, look in [(0, first), *later]
        ]
        part.material = named[0][1]
        self.switches.append((of, index, named))

    def compiled(self, placements: int, still: int) -> Compiled:
        """Compile the model of a set with ``placements`` placements, whose first ``still`` geoms are still."""
        model = self.spec.compile()
        assert model.ngeom == len(self.geoms), "geoms are compiled in the order in which they were added"
        assert model.nskin == len(self.skins), "skins are compiled in the order in which they were added"
        kind = np.min_scalar_type(max(1, placements))
        switches = tuple(
            Switch(of, index, tuple(frame for frame, _ in named), tuple(model.material(name).id for _, name in named))
            for of, index, named in self.switches
        )
        return Compiled(
            model,
            np.array(self.geoms, kind),
            np.array(self.skins, kind),
            tuple(self.paths),
            switches,
            still,
            frozenset(self.casters),
        )


def build_baked_model(film_set: FilmSet, quality: Quality, baked: Baked) -> Any:
    """Compile a model whose colours are the pictures of baked light."""
    mujoco = require_mujoco()
    spec = _empty_model(mujoco, film_set, quality)
    spec.visual.headlight.active = 0
    if film_set.daylight is not None:
        _add_sky(mujoco, spec)
    for number, sheet in enumerate(baked.sheets):
        look = Look((1.0, 1.0, 1.0), 0.0, 0.0, sheet.picture)
        piece = Piece(sheet.vertices, sheet.faces, sheet.uv, look)
        looks: dict[str, str] = {}
        geom = _add_piece(mujoco, spec, spec.worldbody, piece, sheet.vertices, f"g{number}", looks, f"b{number}")
        spec.material(geom.material).emission = 1.0
    return spec.compile()


def _empty_model(mujoco: Any, film_set: FilmSet, quality: Quality) -> Any:
    spec = mujoco.MjSpec()
    spec.visual.global_.offwidth, spec.visual.global_.offheight = quality.width, quality.height
    spec.visual.quality.shadowsize = quality.shadow_map
    spec.visual.map.znear, spec.visual.map.zfar = film_set.near, film_set.far
    spec.stat.extent = 1.0
    return spec


def _lifted(piece: Piece) -> Piece:
    """Make black a little lighter.

    The lamps of homes would show no edges on it.
    """
    lack = BLACKEST - max(piece.look.colour)
    if lack <= 0:
        return piece
    red, green, blue = (part + lack for part in piece.look.colour)
    return replace(piece, look=replace(piece.look, colour=(red, green, blue)))


def _at(pose: np.ndarray, vertices: np.ndarray) -> np.ndarray:
    return vertices @ pose[:3, :3].T + pose[:3, 3]


def _add_lights(mujoco: Any, spec: Any, film_set: FilmSet) -> None:
    for light in film_set.lights:
        spec.worldbody.add_light(
            pos=light.position,
            dir=light.direction,
            diffuse=light.diffuse,
            ambient=[0.0, 0.0, 0.0],
            specular=[0.3 * part for part in light.diffuse],
            castshadow=light.shadows,
            type=mujoco.mjtLightType.mjLIGHT_SPOT,
            cutoff=CUTOFF,
            exponent=0.5,
        )


def _add_daylight(mujoco: Any, spec: Any, daylight: Daylight) -> None:
    """Add the sun and the sky; the renderer moves the sun's shadows along with the camera."""
    _add_sky(mujoco, spec)
    spec.visual.map.shadowclip = daylight.window
    spec.worldbody.add_light(
        pos=SUN_AWAY * np.array(daylight.towards),
        dir=-np.array(daylight.towards),
        diffuse=SUNSHINE,
        ambient=[0.0, 0.0, 0.0],
        specular=[0.2, 0.2, 0.2],
        castshadow=True,
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL,
    )


def _add_sky(mujoco: Any, spec: Any) -> None:
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=ZENITH,
        rgb2=HORIZON,
        width=256,
        height=1536,
    )


def _add_piece(
    mujoco: Any,
    spec: Any,
    body: Any,
    piece: Piece,
    vertices: np.ndarray,
    name: str,
    looks: dict[str, str],
    prefix: str = "m",
) -> Any:
    """Add a piece to a body and return its geom."""
    # A textured mesh needs uv coordinates for every corner; MuJoCo counts v downwards.
    uv = piece.uv
    if len(vertices) < LEAST_VERTICES:  # a page of baked light can have a single triangle
        vertices = np.concatenate([vertices, vertices[-1:]])
        uv = None if uv is None else np.concatenate([uv, uv[-1:]])
    coordinates = {} if uv is None else {"usertexcoord": _flat(uv)}
    spec.add_mesh(
        name=name,
        uservert=_flat(vertices),
        userface=np.ascontiguousarray(piece.faces, np.int32).ravel(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        maxhullvert=16,
        **coordinates,
    )
    return body.add_geom(
        type=mujoco.mjtGeom.mjGEOM_MESH,
        meshname=name,
        material=_material(mujoco, spec, piece.look, looks, prefix),
        contype=0,
        conaffinity=0,
    )


def _flat(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array, np.float32).ravel()


def _quaternion(pose: np.ndarray) -> np.ndarray:
    """Return the rotation of a pose (4, 4) as w, x, y, z."""
    return Rotation.from_matrix(pose[:3, :3]).as_quat()[[3, 0, 1, 2]]


def _material(
    mujoco: Any, spec: Any, look: Look, looks: dict[str, str], prefix: str = "m", is_lit: bool = False
) -> str:
    """Return the name of a look's material; make the material only once.

    ``is_lit`` says that the glow of the look is shown.
    """
    texture = "" if look.texture is None else sha256_bytes(look.texture.tobytes())
    key = f"{look.colour} {look.specular} {look.shininess} {texture} {look.glow if is_lit else ''}"
    if key in looks:
        return looks[key]
    name = looks[key] = f"{prefix}{len(looks)}"
    material = spec.add_material(
        name=name, rgba=[*look.colour, 1.0], specular=look.specular, shininess=look.shininess, reflectance=0.0
    )
    if is_lit:
        material.emission = min(look.glow, 1.0)
    if look.texture is not None:
        height, width, _ = look.texture.shape
        texture = spec.add_texture(
            name=f"t{name}", type=mujoco.mjtTexture.mjTEXTURE_2D, width=width, height=height, nchannel=3
        )
        texture.data = np.ascontiguousarray(look.texture, np.uint8).tobytes()
        textures = list(material.textures)
        textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = f"t{name}"
        material.textures = textures
    return name
