"""The conversion of a set to a MuJoCo model, with one geom for each visible piece."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from chronotope.io import sha256_bytes
from chronotope.world.engine import require_mujoco
from chronotope.world.film_set import FilmSet
from chronotope.world.light.paint import Baked
from chronotope.world.quality import Quality
from chronotope.world.things import Look, Piece

BLACKEST = 0.13  # brightest channel (sRGB) of the darkest things in homes under lamps
CUTOFF = 80  # degrees, half the angle of a lamp's cone


def build_model(film_set: FilmSet, quality: Quality) -> tuple[Any, np.ndarray]:
    """Compile the model, and list the identity (G,) of each geom.

    The identity of a placement is 1 + its index, and the identity of the backdrop is 0. Things that do not move are in
    world coordinates. Each moving thing is a separate body: ``mocap_pos[i]`` and ``mocap_quat[i]`` move the i-th moving
    thing. Identities are uint8, or uint16 if there are more than 255 placements.
    """
    mujoco = require_mujoco()
    spec = _empty_model(mujoco, film_set, quality)
    spec.visual.map.shadowscale = film_set.shadowed
    spec.visual.headlight.active = 1
    spec.visual.headlight.ambient = film_set.ambient
    spec.visual.headlight.diffuse = [0.1, 0.1, 0.1]
    spec.visual.headlight.specular = [0.0, 0.0, 0.0]
    _add_lights(mujoco, spec, film_set)
    identities: list[int] = []
    looks: dict[str, str] = {}
    moving: list[int] = []

    def add(body: Any, pieces: Iterable[Piece], pose: np.ndarray, value: int) -> None:
        for piece in map(_lifted, pieces) if film_set.lamps else pieces:
            geom = _add_piece(mujoco, spec, body, piece, _at(pose, piece.vertices), f"g{len(identities)}", looks)
            identities.append(value)
            if piece.caster is not None and hasattr(geom, "castshadow"):
                geom.castshadow = False
                _add_piece(mujoco, spec, body, piece, _at(pose, piece.caster), f"g{len(identities)}", looks)
                identities.append(value)

    for value, placement in enumerate(film_set.placements, 1):
        if placement.path is not None:  # moving bodies are compiled after all fixed geoms
            moving.append(value)
        else:
            add(spec.worldbody, placement.thing.pieces, placement.pose, value)
    for piece in film_set.backdrop:
        geom = _add_piece(mujoco, spec, spec.worldbody, piece, piece.vertices, f"g{len(identities)}", looks)
        # The room receives shadows but casts none: in slanted light a coarse shadow map would speckle a wall with its
        # own shadow. Older versions of MuJoCo do not have this attribute.
        if hasattr(geom, "castshadow"):
            geom.castshadow = False
        identities.append(0)
    for value in moving:
        add(spec.worldbody.add_body(mocap=True), film_set.placements[value - 1].thing.pieces, np.eye(4), value)
    model = spec.compile()
    assert model.ngeom == len(identities), "geoms are compiled in the order in which they were added"
    return model, np.array(identities, np.min_scalar_type(max(1, len(film_set.placements))))


def build_baked_model(film_set: FilmSet, quality: Quality, baked: Baked) -> Any:
    """Compile a model whose colours are the pictures of baked light."""
    mujoco = require_mujoco()
    spec = _empty_model(mujoco, film_set, quality)
    spec.visual.headlight.active = 0
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
    coordinates = {} if piece.uv is None else {"usertexcoord": _flat(piece.uv)}
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


def _material(mujoco: Any, spec: Any, look: Look, looks: dict[str, str], prefix: str) -> str:
    """Return the name of a look's material; make the material only once."""
    texture = "" if look.texture is None else sha256_bytes(look.texture.tobytes())
    key = f"{look.colour} {look.specular} {look.shininess} {texture}"
    if key in looks:
        return looks[key]
    name = looks[key] = f"{prefix}{len(looks)}"
    material = spec.add_material(
        name=name, rgba=[*look.colour, 1.0], specular=look.specular, shininess=look.shininess, reflectance=0.0
    )
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
