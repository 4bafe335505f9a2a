"""Meshes in OBJ form and their materials in MTL form."""

import posixpath
from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO
from itertools import pairwise

import numpy as np
from PIL import Image

from chronotope.errors import InputError
from chronotope.media import PICTURE_FAULTS, open_picture

__all__ = ["Material", "Surface", "read_model"]

_LARGEST = 256  # px, larger pictures are made smaller
PLAIN = (0.8, 0.8, 0.8)  # the colour of a surface without a material


@dataclass(eq=False)
class Material:
    """A material: its colour (sRGB, 0 to 1), its gloss, its opacity, and its picture (h, w, 4) or None."""

    colour: tuple[float, ...] = PLAIN
    specular: float = 0.0
    shininess: float = 0.0
    opacity: float = 1.0
    picture: np.ndarray | None = None


@dataclass(eq=False)
class Surface:
    """Triangles of one material: corners (F, 3, 3), in the axes and units of the file, and uv (F, 3, 2)."""

    material: Material
    corners: np.ndarray
    uv: np.ndarray


@dataclass
class _Reading:
    """The lists of an OBJ file while it is read."""

    vertices: list[list[float]] = field(default_factory=list[list[float]])
    uv: list[list[float]] = field(default_factory=list[list[float]])
    libraries: list[str] = field(default_factory=list[str])
    faces: dict[str, list[tuple[int, int, int, int, int, int]]] = field(default_factory=dict)


def read_model(name: str, read: Callable[[str], bytes], has: Callable[[str], bool]) -> list[Surface]:
    """Read an OBJ file with its materials and pictures.

    ``read`` returns the bytes of a file by its path, and ``has`` checks that it exists.

    Raises:
        InputError: If the file is no OBJ file or has no triangles. The message names the file and the line.
    """
    reading, material = _Reading(), ""
    for number, line in enumerate(read(name).decode("latin-1").replace("\\\n", " ").splitlines(), 1):
        word, _, rest = line.strip().partition(" ")
        try:
            if word == "v":
                reading.vertices.append([float(part) for part in rest.split()[:3]])
            elif word == "vt":
                reading.uv.append([float(part) for part in (*rest.split(), "0")[:2]])
            elif word == "f":
                reading.faces.setdefault(material, []).extend(_triangles(reading, rest.split()))
            elif word == "usemtl":
                material = rest.strip()
            elif word == "mtllib":
                reading.libraries.append(rest.strip())
        except (ValueError, IndexError) as error:
            raise InputError(f"{name}: line {number} is broken ({line.strip()[:60]!r}): expected OBJ") from error
    if not any(reading.faces.values()):
        raise InputError(f"{name}: has no faces: expected a mesh in OBJ form")
    if any(len(vertex) != 3 for vertex in reading.vertices):
        raise InputError(f"{name}: a vertex has fewer than three numbers: expected OBJ")
    return _surfaces(reading, _materials(name, reading.libraries, read, has))


def _triangles(reading: _Reading, corners: list[str]) -> list[tuple[int, int, int, int, int, int]]:
    """Divide a face into triangles.

    Each has three numbers of vertices and three of uv; the number of uv is -1 if there is none.
    """
    found: list[tuple[int, int]] = []
    for corner in corners:
        parts = corner.split("/")
        vertex = _index(int(parts[0]), len(reading.vertices))
        found.append((vertex, _index(int(parts[1]), len(reading.uv)) if len(parts) > 1 and parts[1] else -1))
    (a, ta), rest = found[0], found[1:]
    return [(a, b, c, ta, tb, tc) for (b, tb), (c, tc) in pairwise(rest)]


def _index(number: int, count: int) -> int:
    index = number - 1 if number > 0 else count + number
    if not 0 <= index < count:
        raise IndexError(number)
    return index


def _surfaces(reading: _Reading, materials: dict[str, Material]) -> list[Surface]:
    vertices = np.array(reading.vertices, float)
    uv = np.array([*reading.uv, [0.0, 0.0]], float)
    surfaces: list[Surface] = []
    for name, faces in reading.faces.items():
        if faces:
            index = np.array(faces, int)
            surfaces.append(Surface(materials.get(name, Material()), vertices[index[:, :3]], uv[index[:, 3:]]))
    return surfaces


def _materials(
    name: str, libraries: list[str], read: Callable[[str], bytes], has: Callable[[str], bool]
) -> dict[str, Material]:
    found: dict[str, Material] = {}
    folder = posixpath.dirname(name)
    for library in libraries:
        path = posixpath.join(folder, library)
        if not has(path):
            continue
        material = Material()
        for line in read(path).decode("latin-1").splitlines():
            word, _, rest = line.strip().partition(" ")
            if word == "newmtl":
                material = found[rest.strip()] = Material()
                continue
            try:
                _set(material, word, rest.strip(), folder, read, has)
            except InputError:
                raise  # of the picture
            except (ValueError, IndexError) as error:
                raise InputError(f"{path}: {line.strip()[:60]!r} is broken: expected a material in MTL form") from error
    return found


def _set(
    material: Material,
    word: str,
    rest: str,
    folder: str,
    read: Callable[[str], bytes],
    has: Callable[[str], bool],
) -> None:
    match word:
        case "Kd":
            material.colour = tuple(min(max(float(part), 0.0), 1.0) for part in (rest.split() * 3)[:3])
        case "Ks":
            parts = [float(part) for part in rest.split()[:3]]
            material.specular = min(max(0.6 * sum(parts) / len(parts), 0.0), 0.6) if parts else 0.0
        case "Ns":
            material.shininess = min(max(float(rest.split()[0]) / 128, 0.0), 1.0)
        case "d":
            material.opacity = float(rest.split()[-1])
        case "map_Kd":
            path = posixpath.normpath(posixpath.join(folder, rest.replace("\\", "/")))
            if not has(path):  # options before the name
                path = posixpath.join(folder, rest.split()[-1])
            material.picture = _picture(path, read(path)) if has(path) else None
        case _:
            pass


def _picture(name: str, data: bytes) -> np.ndarray:
    try:
        with open_picture(BytesIO(data)) as image:
            image = image.convert("RGBA")
            image.thumbnail((_LARGEST, _LARGEST), Image.Resampling.BOX)
            return np.asarray(image)
    except PICTURE_FAULTS as error:
        raise InputError(f"{name}: is no picture ({str(error).partition(' <')[0]}): expected JPEG or PNG") from error
