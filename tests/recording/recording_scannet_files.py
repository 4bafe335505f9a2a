"""A small room in the file formats of ScanNet, written byte by byte from known numbers, without the package.

Everything is known in the aligned world: a camera on a circle looks inwards at upright boxes on a floor. The files hold
the raw world, which the axis alignment turns into the aligned one. Depth is found by meeting every pixel's ray with the
boxes and the floor; what hides a vertex by meeting the line to it with the boxes.
"""

import io
import json
import math
import struct
import zipfile
import zlib
from dataclasses import dataclass

import numpy as np
from PIL import Image
from recording_truth import looking, rays_of

COLOUR, DEPTH = (162, 122), (80, 60)
K_COLOUR = np.array([[146.0, 0, 81.2], [0, 146.5, 60.4], [0, 0, 1]])
K_DEPTH = np.array([[72.0, 0, 39.6], [0, 72.3, 29.8], [0, 0, 1]])
ALIGN = np.array(
    [
        [math.cos(0.7), -math.sin(0.7), 0, 1.5],
        [math.sin(0.7), math.cos(0.7), 0, -2.25],
        [0, 0, 1, 0.125],
        [0, 0, 0, 1],
    ]
)


@dataclass(frozen=True)
class Block:
    """An upright box: its objectId, label, centre, sides, yaw (rad), and points along an edge of its mesh."""

    number: int
    label: str
    centre: tuple
    size: tuple
    yaw: float
    fine: int = 14


BLOCKS = (
    Block(4, "Office_chair ", (0.9, 0.1, 0.45), (0.55, 0.4, 0.9), math.radians(35)),
    Block(7, "table", (-0.5, 0.3, 0.35), (1.2, 0.7, 0.7), math.radians(-20)),
    Block(9, "trash can", (-0.3, -1.0, 0.2), (0.35, 0.25, 0.4), math.radians(80)),
    Block(12, "mug", (-0.5, 0.3, 0.75), (0.12, 0.09, 0.1), 0.0, fine=6),  # too few vertices
)


def turn_z(angle):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])


def circle(count, radius=2.6, height=1.5, sweep=2 * math.pi):
    """World_T_camera (N, 4, 4) in the aligned world: x right, y down, z to a point above the middle of the floor."""
    poses = np.zeros((count, 4, 4))
    for k in range(count):
        angle = sweep * k / count
        place = np.array([radius * math.cos(angle), radius * math.sin(angle), height])
        poses[k] = looking(place, (0.0, 0.0, 0.5))
    return poses


def to_raw(poses, align=ALIGN):
    return np.linalg.solve(align, poses)


def surface(block):
    """Vertices (N, 3) in the aligned world on a grid of each face."""
    steps = np.linspace(-0.5, 0.5, block.fine)
    points = {
        (float(x), float(y), float(z)) for x in steps for y in steps for z in steps if 0.5 in (abs(x), abs(y), abs(z))
    }
    local = np.array(sorted(points)) * block.size
    return local @ turn_z(block.yaw).T + block.centre


def first_hit(origin, rays, blocks):
    """Share of each ray (N, 3) after which it enters a block, (blocks, N); infinite where it does not."""
    hits = np.full((len(blocks), len(rays)), np.inf)
    for index, block in enumerate(blocks):
        turn = turn_z(block.yaw)
        start, along = (origin - np.array(block.centre)) @ turn, rays @ turn
        with np.errstate(divide="ignore", invalid="ignore"):
            a, b = (-np.array(block.size) / 2 - start) / along, (np.array(block.size) / 2 - start) / along
        enter, leave = np.minimum(a, b).max(axis=1), np.maximum(a, b).min(axis=1)
        met = (enter <= leave) & (enter > 0)
        hits[index, met] = enter[met]
    return hits


def draw(pose, K, size, blocks=BLOCKS):
    """Depth (H, W) m along the optical axis, and the objectId + 1 of what each pixel shows, 0 for the floor."""
    width, height = size
    rays = rays_of(pose, K, size)
    with np.errstate(divide="ignore"):
        floor = -pose[2, 3] / rays[:, 2]
    floor[floor <= 0] = np.inf
    hits = np.concatenate([floor[None], first_hit(pose[:3, 3], rays, blocks)])
    nearest = hits.argmin(axis=0)
    values = np.array([0, *(block.number + 1 for block in blocks)])
    return hits.min(axis=0).reshape(height, width), values[nearest].reshape(height, width)


def share_seen(pose, block, blocks=BLOCKS):
    """Share of a block's vertices in the colour picture with nothing before them."""
    points = surface(block)
    rays = points - pose[:3, 3]
    local = rays @ pose[:3, :3]
    pixels = (local @ K_COLOUR.T)[:, :2] / local[:, 2:]
    inside = (local[:, 2] > 0) & (pixels >= 0).all(axis=1) & (pixels <= np.array(COLOUR) - 1).all(axis=1)
    distance = np.sqrt((rays**2).sum(axis=1))
    free = first_hit(pose[:3, 3], rays, blocks).min(axis=0) * distance >= distance - 0.02
    return float((inside & free).mean())


def jpeg(k, size=COLOUR):
    """A plain picture whose red tells its number."""
    file = io.BytesIO()
    Image.new("RGB", size, (10 + 5 * (k % 40), 90, 200)).save(file, "JPEG", quality=95)
    return file.getvalue()


def depth_bytes(metres, shift=1000.0):
    values = np.where(np.isfinite(metres), np.rint(metres * shift), 0)
    return zlib.compress(np.where(values < 65536, values, 0).astype("<u2").tobytes())


def write_sens(path, poses, *, stamps=None, colours=None, depths=None, shift=1000.0, **head):
    """``poses`` (N, 4, 4) are raw; ``head`` replaces fields of it: version, codecs, sizes, count, tail."""
    count = len(poses)
    name = b"StructureSensor"
    data = [struct.pack("<I", head.get("version", 4)), struct.pack("<Q", len(name)), name]
    for K in (K_COLOUR, np.eye(3), K_DEPTH, np.eye(3)):
        full = np.eye(4)
        full[:3, :3] = K
        data.append(struct.pack("<16f", *full.ravel()))
    data.append(struct.pack("<2i", *head.get("codecs", (2, 1))))
    data.append(struct.pack("<4I", *head.get("sizes", (*COLOUR, *DEPTH))))
    data.append(struct.pack("<f", shift))
    data.append(struct.pack("<Q", head.get("count", count)))
    for k, pose in enumerate(poses):
        stamp = 0 if stamps is None else stamps[k]
        colour = jpeg(k) if colours is None else colours[k]
        depth = b"" if depths is None else depths[k]
        data.append(struct.pack("<16f", *np.asarray(pose, float).ravel()))
        data.append(struct.pack("<4Q", stamp, stamp, len(colour), len(depth)))
        data += [colour, depth]
    data.append(head.get("tail", b""))
    path.write_bytes(b"".join(data))
    return path


def write_ply(path, vertices, order="<"):
    """Vertices with a colour, as ScanNet's meshes have, and two faces."""
    name = {"<": "binary_little_endian", ">": "binary_big_endian"}[order]
    lines = [
        *("ply", f"format {name} 1.0", "comment MLIB generated", f"element vertex {len(vertices)}"),
        *("property float x", "property float y", "property float z"),
        *("property uchar red", "property uchar green", "property uchar blue", "property uchar alpha"),
        *("element face 2", "property list uchar int vertex_indices", "end_header"),
    ]
    data = [("\n".join(lines) + "\n").encode()]
    data += [struct.pack(order + "3f4B", *vertex, 200, 100, 50, 255) for vertex in vertices]
    data += [struct.pack(order + "B3i", 3, 0, 1, 2)] * 2
    path.write_bytes(b"".join(data))
    return path


def write_objects(folder, scan, blocks=BLOCKS, align=ALIGN, order="<"):
    """Mesh, segments (three to a block, numbers far apart) and aggregation; a floor and a nameless thing besides."""
    floor = np.array([[x, y, 0.0] for x in np.linspace(-3, 3, 25) for y in np.linspace(-3, 3, 25)])
    clouds = [floor, *(surface(block) for block in blocks)]
    owners = [10 * index + np.arange(len(cloud)) % 3 for index, cloud in enumerate(clouds)]
    points = np.concatenate(clouds)
    raw = (np.concatenate([points, np.ones((len(points), 1))], axis=1) @ np.linalg.inv(align).T)[:, :3]
    write_ply(folder / f"{scan}_vh_clean_2.ply", raw, order)
    segments = {"params": {"kThresh": "0.0001"}, "sceneId": scan, "segIndices": np.concatenate(owners).tolist()}
    (folder / f"{scan}_vh_clean_2.0.010000.segs.json").write_text(json.dumps(segments))
    groups = [{"id": 0, "objectId": 0, "segments": [0, 1, 2], "label": "floor"}]
    for index, block in enumerate(blocks, 1):
        groups.append(
            {
                **{"id": index, "objectId": block.number, "segments": [10 * index, 10 * index + 1, 10 * index + 2]},
                "label": block.label,
            }
        )
    groups.append({"id": 99, "objectId": 99, "segments": [0, 1], "label": "object"})
    document = {"sceneId": f"scannet.{scan}", "appId": "Aggregator.v2", "segGroups": groups, "segmentsFile": "x"}
    (folder / f"{scan}.aggregation.json").write_text(json.dumps(document))


def write_facts(folder, scan, count, align=ALIGN):
    """<scan>.txt, its numbers printed with six digits as ScanNet's are; ``align`` None leaves the alignment out."""
    lines = [
        f"colorHeight = {COLOUR[1]}",
        f"colorWidth = {COLOUR[0]}",
        f"numColorFrames = {count}",
        "sceneType = Office",
    ]
    if align is not None:
        lines.insert(0, "axisAlignment = " + " ".join(f"{number:.6f}" for number in align.ravel()) + " ")
    (folder / f"{scan}.txt").write_text("\n".join(lines) + "\n")


def write_masks(path, poses, size=COLOUR, left_out=()):
    with zipfile.ZipFile(path, "w") as archive:
        for k, pose in enumerate(poses):
            if k in left_out:
                continue
            file = io.BytesIO()
            Image.fromarray(draw(pose, K_COLOUR, size)[1].astype(np.uint8)).save(file, "PNG")
            archive.writestr(f"instance-filt/{k}.png", file.getvalue())


def write_scan(folder, poses, **options):
    """A whole scan with .sens, facts and objects; ``poses`` are aligned."""
    folder.mkdir(parents=True)
    depths = options.pop("depths", [depth_bytes(draw(pose, K_DEPTH, DEPTH)[0]) for pose in poses])
    write_sens(folder / f"{folder.name}.sens", to_raw(poses), depths=depths, **options)
    write_facts(folder, folder.name, len(poses) + 1)
    write_objects(folder, folder.name)
    return folder


def write_exported(folder, poses, numbers=None, size=COLOUR):
    """The folders that ScanNet's own tool writes; ``poses`` are aligned, depth is in mm."""
    for name in ("color", "depth", "pose", "intrinsic"):
        (folder / name).mkdir(parents=True)
    for k, (number, pose) in enumerate(zip(numbers or range(len(poses)), poses, strict=True)):
        (folder / "color" / f"{number}.jpg").write_bytes(jpeg(k, size))
        metres = draw(pose, K_DEPTH, DEPTH)[0]
        values = np.where(np.isfinite(metres) & (metres < 65), np.rint(metres * 1000), 0).astype(np.uint16)
        Image.fromarray(values).save(folder / "depth" / f"{number}.png")
        raw = to_raw(pose)
        (folder / "pose" / f"{number}.txt").write_text(
            "\n".join(" ".join(f"{x:.6f}" for x in row) for row in raw) + "\n"
        )
    for name, K in (("color", K_COLOUR), ("depth", K_DEPTH)):
        full = np.eye(4)
        full[:3, :3] = K
        text = "\n".join(" ".join(f"{x:.6f}" for x in row) for row in full) + "\n"
        (folder / "intrinsic" / f"intrinsic_{name}.txt").write_text(text)
    write_facts(folder, folder.name, len(poses))
    write_objects(folder, folder.name)
    return folder
