"""The folder of IKEA Manuals at Work: ``parts/CATEGORY/NAME/00.obj`` and so on, and ``data.json`` with the steps.

All parts of a product are in one frame, in which they are assembled: y points up, and lengths have no unit. Faces have
three or more corners. Most meshes are not closed.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.recording import Procedure
from chronotope.recording.procedures import ReadProcedures, read_procedures
from chronotope.world.furniture.meshes.faces import repaired
from chronotope.world.things.mesh import Mesh

FORM, FOLDER = "ikea_manuals", "parts"
MOST_BYTES = 64 << 20
FARTHEST = 1e9  # of coordinates
_UPRIGHT = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # from y up to z up


def find_products(path: Path) -> tuple[list[tuple[Procedure, Path]], tuple[tuple[str, str], ...]]:
    """Return each product that has meshes with their folder, and the products that cannot be read.

    Products are in the order of data.json. Of a product that cannot be read, the name and the reason are returned.

    Raises:
        InputError: If there is no such folder, or if it has no steps or no meshes.
    """
    root = next((each for each in (path / FOLDER, path / "data" / FOLDER) if each.is_dir()), None)
    annotations = next((each for each in (path / "data.json", path / "data" / "data.json") if each.is_file()), None)
    if root is None or annotations is None:
        lacking = "no folder parts with meshes" if root is None else "no data.json with the steps"
        raise InputError(
            f"{path}: has {lacking}: expected the folder of IKEA Manuals at Work, with data.json and "
            "parts/CATEGORY/NAME/00.obj"
        )
    facts = annotations.stat()
    read = _annotated(annotations, facts.st_mtime_ns, facts.st_size)
    found = [
        (each, root / each.category / each.product)
        for each in read.procedures
        if (root / each.category / each.product).is_dir()
    ]
    if not found and not read.failures:
        raise InputError(f"{root}: has meshes of no product in {annotations.name}: expected parts/CATEGORY/NAME/00.obj")
    return found, read.failures


@lru_cache(maxsize=1)
def _annotated(annotations: Path, modified: int, size: int) -> ReadProcedures:
    """Read data.json once for all its products, as long as the file does not change."""
    return read_procedures(annotations, form=FORM, keep_going=True)


def read_parts(folder: Path, count: int) -> list[Mesh]:
    """Read the first meshes of a product, with z up and the front along +x.

    The longest side of the product is 1.

    Raises:
        InputError: If a mesh is missing or cannot be read.
    """
    meshes = [read_mesh(folder / f"{number:02d}.obj") for number in range(count)]
    points = np.concatenate([mesh.vertices for mesh in meshes]) @ _UPRIGHT.T
    low, high = points.min(axis=0), points.max(axis=0)
    middle = np.array([*((low + high)[:2] / 2), low[2]])
    size = float((high - low).max())
    if not size > 0:
        raise InputError(f"{folder}: all corners of its meshes are at one place: expected the parts of a product")
    return [mesh._replace(vertices=(mesh.vertices @ _UPRIGHT.T - middle) / size) for mesh in meshes]


def read_mesh(path: Path) -> Mesh:
    """Read the corners and faces of a Wavefront OBJ file.

    Raises:
        InputError: If the file is missing or is not such a mesh.
    """
    if not path.is_file():
        raise InputError(f"{path}: there is no such mesh: expected one file for each part that a step names")
    if path.stat().st_size > MOST_BYTES:
        raise InputError(f"{path}: has more than {MOST_BYTES >> 20} MB: expected the mesh of one part")
    corners: list[list[float]] = []
    faces: list[list[int]] = []
    for number, line in _lines(path.read_text(encoding="utf-8-sig", errors="replace")):
        words = line.split()
        try:
            if words[:1] == ["v"]:
                corners.append([float(word) for word in words[1:4]])
                if len(corners[-1]) != 3 or not (np.abs(corners[-1]) < FARTHEST).all():
                    raise ValueError
            elif words[:1] == ["f"]:
                faces += _triangles([_corner(word, len(corners)) for word in words[1:]])
        except ValueError:
            raise InputError(
                f"{path}, line {number}: {line[:60]!r} is not a corner or a face: expected a mesh in Wavefront OBJ"
            ) from None
    if not faces:
        raise InputError(f"{path}: has no faces: expected a mesh in Wavefront OBJ")
    used, places = np.unique(np.array(faces), return_inverse=True)  # other corners say nothing about the size
    mesh = repaired(Mesh(np.array(corners)[used], places.reshape(-1, 3), np.zeros((len(used), 2))))
    if not len(mesh.faces):
        raise InputError(f"{path}: has only faces without an area: expected the mesh of one part")
    return mesh


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, from 1.

    A line that ends with a backslash continues in the next one.
    """
    begun, first = "", 1
    for number, line in enumerate(text.splitlines(), 1):
        if not begun:
            first = number
        if line.endswith("\\"):
            begun += line[:-1] + " "
            continue
        yield first, begun + line
        begun = ""
    if begun:
        yield first, begun


def _corner(word: str, count: int) -> int:
    """Return the index from 0 of a corner such as ``3//2`` or ``-1``."""
    value = int(word.partition("/")[0])
    index = value - 1 if value > 0 else count + value
    if not 0 <= index < count:
        raise ValueError
    return index


def _triangles(corners: Sequence[int]) -> list[list[int]]:
    if len(corners) < 3:
        raise ValueError
    return [[corners[0], corners[n], corners[n + 1]] for n in range(1, len(corners) - 1)]
