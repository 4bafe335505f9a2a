"""What a drawn clip gives to services that take a control: its first frame, and a clip of its depth or its edges."""

from pathlib import Path
from typing import Literal

import numpy as np

from chronotope.errors import InputError
from chronotope.io import write_atomically
from chronotope.media import decode_frames, encode_clip, probe
from chronotope.recording import Recording, read_depth, read_identities

ControlKind = Literal["depth", "edges"]
NEAR = 2.0  # percentile of the depths that becomes white; that of the farthest becomes black
STEP = 0.04  # relative difference of depth that is an edge


def save_first_frame(recording: Recording, path: Path) -> Path:
    """Write the first frame of a recording's clip as a PNG picture.

    Raises:
        InputError: If the recording has no clip.
    """
    from PIL import Image

    if recording.clip is None:
        raise InputError(f"{recording.id}: has no clip, so it has no first frame")
    [(_, picture)] = decode_frames(recording.clip.path, [0])
    with write_atomically(path) as temporary:
        Image.fromarray(picture).save(temporary, "PNG")
    return path


def save_control(recording: Recording, folder: Path, path: Path, kind: ControlKind) -> Path:
    """Write a clip of the depth, or of the edges, of a recording.

    ``folder`` is the folder of the recording, with its maps. Depth is inverse depth, white when near, with one scale
    for the whole clip. Edges are where the entity changes, or where the depth jumps.

    Raises:
        InputError: If the recording has no clip or no maps, or a frame has none.
    """
    maps = recording.depth
    scale = recording.depth_scale
    if recording.clip is None or maps is None or recording.identities is None or scale is None:
        raise InputError(f"{recording.id}: has no clip with depth and identity maps, so it gives no control")
    names = list(zip(maps, recording.identities, strict=True))
    if missing := [frame for frame, pair in enumerate(names) if None in pair]:
        raise InputError(f"{recording.id}: frame {missing[0]} has no maps, so a control clip would have gaps")
    depths = np.stack([read_depth(folder / str(depth), scale) for depth, _ in names])
    if kind == "depth":
        pictures = _inverse(depths)
    else:
        pictures = np.stack(
            [
                _edges(depth, read_identities(folder / str(identities)))
                for depth, (_, identities) in zip(depths, names, strict=True)
            ]
        )
    fps = recording.clip.fps or probe(recording.clip.path).fps
    if fps is None:
        raise InputError(f"{recording.clip.path}: has no constant frame rate, so a control clip cannot be made")
    encode_clip([np.repeat(picture[..., None], 3, axis=2) for picture in pictures], path, fps, crf=12)
    return path


def _inverse(depths: np.ndarray) -> np.ndarray:
    """Return inverse depth as grey values (T, H, W); where no surface is known, it is black."""
    inverse = np.where(np.isfinite(depths), 1.0 / np.maximum(depths, 1e-3), 0.0)
    known = inverse[inverse > 0]
    low, high = np.percentile(known, [NEAR, 100 - NEAR]) if known.size else (0.0, 1.0)
    grey = np.clip((inverse - low) / max(float(high - low), 1e-9), 0, 1) * 255
    return grey.round().astype(np.uint8)


def _edges(depth: np.ndarray, identities: np.ndarray) -> np.ndarray:
    """Return white lines on black."""
    edges = np.zeros(depth.shape, bool)
    far = np.where(np.isfinite(depth), depth, 1e4)
    rows = (np.arange(depth.shape[0]) * identities.shape[0]) // depth.shape[0]
    columns = (np.arange(depth.shape[1]) * identities.shape[1]) // depth.shape[1]
    numbers = identities[rows][:, columns].astype(int)
    for axis in (0, 1):
        jump = np.abs(np.diff(far, axis=axis)) > STEP * np.minimum(*_pairs(far, axis))
        change = np.diff(numbers, axis=axis) != 0
        inside = (slice(None, -1), slice(None)) if axis == 0 else (slice(None), slice(None, -1))
        edges[inside] |= jump | change
    return np.where(edges, 255, 0).astype(np.uint8)


def _pairs(values: np.ndarray, axis: int) -> tuple[np.ndarray, np.ndarray]:
    return (values[:-1], values[1:]) if axis == 0 else (values[:, :-1], values[:, 1:])
