"""Trees, hedges and bushes: wood, and crowns of many leaves about a dark inside."""

import numpy as np

from chronotope.world.things.colours import plain, shade
from chronotope.world.things.kind import Model
from chronotope.world.things.mesh import Mesh, block, curve, ellipsoid, lathe, merge, moved, slices, tube
from chronotope.world.things.thing import Look, Paint

BARK = plain((0.30, 0.23, 0.17), "wood")
_LEAF = np.array([(-1.0, 0.0, 0.0), (0.0, -0.42, 0.06), (1.0, 0.0, 0.0), (0.0, 0.42, 0.06), (0.0, 0.0, -0.06)])
_LEAF_FACES = np.array([(0, 1, 3), (1, 2, 3), (1, 0, 4), (2, 1, 4), (3, 2, 4), (0, 3, 4)])


def _greens(generator: np.random.Generator, paint: Paint) -> tuple[Look, Look, Look]:
    """Return the looks of the inside, of the shaded and of the bright leaves of one plant."""
    tint = np.array([0.17, 0.33, 0.10]) * generator.uniform(0.85, 1.25) + generator.normal(0, 0.012, 3)
    r, g, b = (float(part) for part in np.clip(tint, 0.02, 1))
    return (
        plain(shade((r, g, b), 0.45), "leaf"),
        plain(shade((r, g, b), 0.85), "leaf"),
        plain(shade((r, g, b), 1.14), "leaf"),
    )


def _leaves(generator: np.random.Generator, places: np.ndarray, outward: np.ndarray, size: float) -> tuple[Mesh, Mesh]:
    """Scatter clusters of leaves at places (N, 3) m, roughly across the directions ``outward`` (N, 3).

    Each is a thin closed body of the length 2 ``size`` (m). Returns the shaded and the bright ones.
    """
    count = len(places)
    normal = outward + generator.normal(0, 0.45, (count, 3))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    first = np.cross(normal, generator.normal(size=(count, 3)))
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    axes = np.stack([first, np.cross(normal, first), normal], axis=1)
    scale = size * generator.uniform(0.7, 1.3, (count, 1, 1))
    vertices = places[:, None] + scale * np.einsum("vk,nkj->nvj", _LEAF, axes)
    bright = generator.random(count) < np.clip(0.5 + 0.4 * normal[:, 2], 0.1, 0.9)
    return _bodies(vertices[~bright]), _bodies(vertices[bright])


def _bodies(vertices: np.ndarray) -> Mesh:
    count, corners = vertices.shape[:2]
    faces = (np.arange(count)[:, None, None] * corners + _LEAF_FACES).reshape(-1, 3)
    points = vertices.reshape(-1, 3)
    return Mesh(points, faces, np.zeros((len(points), 2)))


def _on_ellipsoid(
    generator: np.random.Generator, count: int, centre: np.ndarray, radii: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return places (N, 3) m near the surface of an ellipsoid, and the directions outwards."""
    way = generator.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1, keepdims=True)
    depth = generator.uniform(0.80, 1.04, (count, 1))
    outward = way / radii
    return centre + way * radii * depth, outward / np.linalg.norm(outward, axis=1, keepdims=True)


def broadleaf(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a tree with a round crown of several clouds of leaves on a forked trunk."""
    tall, clear = 7.0, 2.2
    trunk = [
        tube(
            curve([(0, 0, 0), (0.05, -0.03, 1.2), (0.02, 0.06, clear), (0.0, 0.0, 0.62 * tall)], 14),
            np.linspace(0.20, 0.08, 14),
            12,
        )
    ]
    trunk.append(lathe([(0, 0), (0.30, 0), (0.22, 0.12), (0.19, 0.3), (0, 0.35)], 16))
    clouds, cores = [], []
    around = generator.uniform(0, 2 * np.pi)
    for k in range(9):
        turn = around + (k // 3) * 2 * np.pi / 3 + (k % 3) * np.pi / 3  # three levels of three clouds
        level = (k % 3) / 2
        reach = (1.25, 1.2, 0.75)[k % 3] * generator.uniform(0.9, 1.1)
        centre = np.array([reach * np.cos(turn), reach * np.sin(turn), clear + 1.1 + 2.4 * level])
        radii = np.array([1.25, 1.25, 1.05]) * generator.uniform(0.85, 1.05)
        cores.append(moved(ellipsoid((0.78 * radii).tolist(), 12), by=centre))
        clouds.append(_leaves(generator, *_on_ellipsoid(generator, 190, centre, radii), 0.20))
        start = np.array([0.0, 0.0, clear + 0.5 * level])
        trunk.append(
            tube(
                curve(np.array([start, (start + centre) / 2 + [0, 0, -0.15], centre]), 8),
                np.linspace(0.07, 0.025, 8),
                8,
            )
        )
    inside, dark, bright = _greens(generator, paint)
    return Model(
        (
            (merge(*trunk), BARK),
            (merge(*cores), inside),
            (merge(*(cloud for cloud, _ in clouds)), dark),
            (merge(*(cloud for _, cloud in clouds)), bright),
        ),
        (trunk[0], *cores),
    )


def conifer(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a fir: tiers of hanging branches that grow shorter towards the top."""
    tall, low, wide = 7.0, 0.7, 1.55
    trunk = lathe([(0, 0), (0.17, 0), (0.14, 0.6), (0.03, tall - 0.3), (0, tall - 0.2)], 14)
    places, outward, cores = [], [], []
    tiers = 13
    for k in range(tiers):
        share = k / (tiers - 1)
        z, radius = low + 0.45 + share * (tall - low - 0.75), wide * (1 - share) + 0.16
        rise = 0.30 + 0.30 * (1 - share)
        cores.append(
            lathe(
                [(0, z - 0.42 * rise), (0.80 * radius, z - 0.62 * rise), (0.05, z + 1.2 * rise), (0, z + 1.2 * rise)],
                14,
            )
        )
        count = int(36 + 110 * (1 - share))
        turn = generator.uniform(0, 2 * np.pi, count)
        reach = np.sqrt(generator.uniform(0.12, 1.0, count))
        x, y = reach * np.cos(turn), reach * np.sin(turn)
        drop = z + rise * (0.9 - 1.7 * reach) + generator.normal(0, 0.03, count)
        places.append(np.column_stack([radius * x, radius * y, drop]))
        outward.append(np.column_stack([0.75 * x, 0.75 * y, np.full(count, 0.9)]))
    tip = lathe([(0, tall - 0.6), (0.10, tall - 0.55), (0.02, tall), (0, tall)], 8)
    dark, bright = _leaves(generator, np.concatenate(places), np.concatenate(outward), 0.17)
    tint = np.array([0.10, 0.24, 0.13]) * generator.uniform(0.9, 1.2)
    r, g, b = (float(part) for part in tint)
    return Model(
        (
            (trunk, BARK),
            (merge(*cores, tip), plain(shade((r, g, b), 0.6), "leaf")),
            (dark, plain((r, g, b), "leaf")),
            (bright, plain(shade((r, g, b), 1.1), "leaf")),
        ),
        (trunk, *cores),
    )


def hedge(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a clipped hedge along y."""
    size = np.array([0.62, 2.3, 1.2])
    core = moved(block((size * [0.86, 0.97, 0.95]).tolist(), 0.05), by=(0, 0, size[2] * 0.475))
    faces = [(0, 1), (0, -1), (1, 1), (1, -1), (2, 1)]
    areas = np.array([size.prod() / size[axis] for axis, _ in faces])
    places, outward = [], []
    for (axis, side), count in zip(faces, (1500 * areas / areas.sum()).astype(int), strict=True):
        points = generator.uniform(-0.5, 0.5, (count, 3))
        points[:, axis] = side * (0.5 - np.abs(generator.normal(0, 0.035, count)))
        way = np.zeros((count, 3))
        way[:, axis] = side
        places.append(points * size + [0, 0, size[2] / 2])
        outward.append(way)
    inside, dark, bright = _greens(generator, paint)
    shaded, sunny = _leaves(generator, np.concatenate(places), np.concatenate(outward), 0.062)
    return Model(((core, inside), (shaded, dark), (sunny, bright)), slices(core, (-2.0, 2.0), 1))


def bush(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a round bush."""
    cores, clouds = [], []
    for k in range(4):
        turn = k * 2.1 + generator.uniform(0, 0.6)
        reach = 0.0 if k == 0 else 0.26
        centre = np.array([reach * np.cos(turn), reach * np.sin(turn), 0.50 if k == 0 else 0.36])
        radii = np.array([0.48, 0.48, 0.48 if k == 0 else 0.36]) * generator.uniform(0.9, 1.05)
        cores.append(moved(ellipsoid((0.8 * radii).tolist(), 12), by=centre))
        clouds.append(_leaves(generator, *_on_ellipsoid(generator, 200, centre, radii), 0.075))
    inside, dark, bright = _greens(generator, paint)
    return Model(
        (
            (merge(*cores), inside),
            (merge(*(cloud for cloud, _ in clouds)), dark),
            (merge(*(cloud for _, cloud in clouds)), bright),
        ),
        tuple(cores),
    )
