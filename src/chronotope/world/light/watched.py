"""The pieces of a set that cameras see; on all other pieces, light is computed only because they reflect it."""

from collections.abc import Sequence

import numpy as np

from chronotope.world.light.tracer import Tracer

PICTURES = 64  # pictures of a film that are examined
RAYS = (48, 36)  # across and down a picture

View = tuple[np.ndarray, np.ndarray]  # poses (T, 4, 4) of a camera, OpenCV axes, and its intrinsics (3, 3) px


def watched(views: Sequence[View], tracer: Tracer, piece: np.ndarray, count: int) -> np.ndarray:
    """Find the pieces (count,) that are seen in some pictures.

    ``piece`` (F,) is the piece of each triangle.
    """
    found = np.zeros(count, bool)
    for poses, intrinsics in views:
        middle = intrinsics[:2, 2]
        x, y = ((np.arange(rays) + 0.5) / rays * 2 * half for rays, half in zip(RAYS, middle, strict=True))
        pixels = np.stack([*np.meshgrid(x, y), np.ones((len(y), len(x)))], axis=-1).reshape(-1, 3)
        ways = pixels @ np.linalg.inv(intrinsics).T
        ways /= np.linalg.norm(ways, axis=1)[:, None]
        for number in np.unique(np.linspace(0, len(poses) - 1, PICTURES).astype(int)):
            pose = poses[number]
            hits = tracer.meet(np.repeat(pose[None, :3, 3], len(ways), axis=0), ways @ pose[:3, :3].T)
            found[piece[hits.triangle[hits.triangle >= 0]]] = True
    return found
