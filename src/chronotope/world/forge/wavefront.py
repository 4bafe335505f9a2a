"""Meshes in OBJ form and their materials in MTL form."""

import math
import posixpath
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from itertools import pairwise

import numpy as np
from PIL import Image

from chronotope.errors import InputError
from chronotope.io import printable
from chronotope.media import PICTURE_FAULTS, open_picture
from chronotope.world.things.mesh import triangulate

_LARGEST = 256  # px, larger pictures are made smaller
PLAIN = (0.8, 0.8, 0.8)  # the colour of a surface without a material
# The most that a model may have. The largest models of Sweet Home 3D have a tenth of it.
LINES, LETTERS = 2_000_000, 2**16  # lines of a file, and letters of a line
CORNERS, TRIANGLES, MATERIALS = 1_000_000, 500_000, 200
PIXELS = 20_000_000  # of a picture
_MOST_CORNERS = 200  # of a face that may have a notch
_LEVEL = 1e-3  # of the sharpest corner of a face: corners that turn the other way by less are straight
FURTHEST = 1e9  # largest distance from the origin, in sizes of the model


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
    libraries: dict[str, None] = field(default_factory=dict)
    faces: dict[str, list[tuple[int, int, int, int, int, int]]] = field(default_factory=dict)
    triangles: int = 0
    ahead: tuple[int, int, str] = (0, 0, "")  # the largest number of a uv coordinate that stands later, and its line


@dataclass(frozen=True)
class _Files:
    """The files of a model: ``read`` returns the bytes of a file by its path, and ``has`` checks that it exists."""

    read: Callable[[str], bytes]
    has: Callable[[str], bool]
    pictures: dict[str, np.ndarray] = field(default_factory=dict)

    def picture(self, path: str) -> np.ndarray:
        """Return a picture (h, w, 4), which several materials may have."""
        if path not in self.pictures:
            self.pictures[path] = _picture(path, self.read(path))
        return self.pictures[path]


def read_model(name: str, read: Callable[[str], bytes], has: Callable[[str], bool]) -> list[Surface]:
    """Read an OBJ file with its materials and pictures.

    ``read`` returns the bytes of a file by its path, and ``has`` checks that it exists.

    Raises:
        InputError: If the file is not an OBJ file, has no triangles, or exceeds the limits of a model. The message
            names the file and the line.
    """
    reading, material = _Reading(), ""
    for number, line in _lines(name, read(name)):
        word, _, rest = line.strip().partition(" ")
        try:
            if word == "v":
                reading.vertices.append(_numbers(rest.split()[:3], 3))
            elif word == "vt":
                uv = (float(part) for part in (*rest.split(), "0")[:2])
                reading.uv.append([part if math.isfinite(part) else 0.0 for part in uv])  # some tools write nan
            elif word == "f":
                faces = _triangles(reading, rest.split())
                ahead = max(map(max, (face[3:] for face in faces)), default=-1)
                reading.ahead = max(reading.ahead, (ahead, number, line))
                reading.triangles += len(faces)
                reading.faces.setdefault(material, []).extend(faces)
            elif word == "usemtl":
                material = rest.strip()
            elif word == "mtllib":
                reading.libraries[rest.strip()] = None
        except (ValueError, IndexError) as error:
            raise InputError(f"{name}: line {number} is broken ({printable(line, 60)!r}): expected OBJ") from error
        _check_counts(name, reading)
    if reading.ahead[0] >= len(reading.uv) and reading.ahead[1]:
        _, number, line = reading.ahead
        raise InputError(f"{name}: line {number} is broken ({printable(line, 60)!r}): expected OBJ")
    if not any(reading.faces.values()):
        raise InputError(f"{name}: has no faces: expected a mesh in OBJ form")
    vertices = np.array(reading.vertices, float)
    _check_extent(name, vertices)
    return _surfaces(reading, vertices, _materials(name, reading, _Files(read, has)))


def _lines(name: str, data: bytes) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers."""
    for number, line in enumerate(BytesIO(data.replace(b"\\\r\n", b" ").replace(b"\\\n", b" ")), 1):
        if number > LINES or len(line) > LETTERS:
            raise InputError(
                f"{name}: has more than {LINES:,} lines, or a line of more than {LETTERS:,} letters: leave the "
                "model out"
            )
        yield number, line.decode("latin-1")


def _numbers(texts: Iterable[str], count: int) -> list[float]:
    numbers = [float(text) for text in texts]
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise ValueError(numbers)
    return numbers


def _check_counts(name: str, reading: _Reading) -> None:
    counts = (
        (max(len(reading.vertices), len(reading.uv)), CORNERS, "corners"),
        (reading.triangles, TRIANGLES, "triangles"),
        (max(len(reading.faces), len(reading.libraries)), MATERIALS, "materials"),
    )
    for count, most, what in counts:
        if count > most:
            raise InputError(f"{name}: has more than {most:,} {what}: make the model smaller, or leave it out")


def _check_extent(name: str, vertices: np.ndarray) -> None:
    extent = np.sort(np.ptp(vertices, axis=0))
    if extent[1] <= 0 or extent[1] < 1e-6 * extent[2] or np.abs(vertices).max() > FURTHEST * extent[1]:
        raise InputError(
            f"{name}: its corners are {vertices.min(axis=0).tolist()} to {vertices.max(axis=0).tolist()}, a point, a "
            "line, or far from the origin for their size: expected a mesh with an area"
        )


def _triangles(reading: _Reading, corners: list[str]) -> list[tuple[int, int, int, int, int, int]]:
    """Divide a face into triangles.

    Each triangle has the numbers of three vertices and of three uv coordinates; the latter are -1 if the face has no
    uv. Some tools write the faces of a part before the uv coordinates that they name, so a uv coordinate may stand
    later in the file.
    """
    found: list[tuple[int, int]] = []
    for corner in corners:
        parts = corner.split("/")
        vertex = _index(int(parts[0]), len(reading.vertices))
        found.append((vertex, _uv_index(int(parts[1]), len(reading.uv)) if len(parts) > 1 and parts[1] else -1))
    if (
        4 < len(found) <= _MOST_CORNERS
        and (parts := _parts_of_concave(reading, [vertex for vertex, _ in found])) is not None
    ):
        corners_of = ((found[a], found[b], found[c]) for a, b, c in parts)
        return [(a, b, c, ta, tb, tc) for (a, ta), (b, tb), (c, tc) in corners_of]
    (a, ta), rest = found[0], found[1:]
    return [(a, b, c, ta, tb, tc) for (b, tb), (c, tc) in pairwise(rest)]


def _parts_of_concave(reading: _Reading, corners: list[int]) -> list[tuple[int, int, int]] | None:
    """Divide a face with a notch into triangles of the numbers of its corners; other faces return None."""
    points = np.array([reading.vertices[corner] for corner in corners])
    normal = np.cross(points, np.roll(points, -1, axis=0)).sum(axis=0)
    if not np.isfinite(normal).all() or not normal.any():
        return None
    axis = int(np.abs(normal).argmax())
    flat = points[:, [(axis + 1) % 3, (axis + 2) % 3]] * [1.0, np.sign(normal[axis])]
    ahead = np.roll(flat, -1, axis=0) - flat
    turns = ahead[:, 0] * np.roll(ahead[:, 1], -1) - ahead[:, 1] * np.roll(ahead[:, 0], -1)
    if turns.min() >= -_LEVEL * np.abs(turns).max():
        return None
    return [(int(a), int(b), int(c)) for a, b, c in triangulate(flat)]


def _index(number: int, count: int) -> int:
    index = number - 1 if number > 0 else count + number
    if not 0 <= index < count:
        raise IndexError(number)
    return index


def _uv_index(number: int, count: int) -> int:
    if 0 < number <= CORNERS:
        return number - 1
    return _index(number, count)


def _surfaces(reading: _Reading, vertices: np.ndarray, materials: dict[str, Material]) -> list[Surface]:
    uv = np.array([*reading.uv, [0.0, 0.0]], float)
    surfaces: list[Surface] = []
    for name, faces in reading.faces.items():
        if faces:
            index = np.array(faces, int)
            surfaces.append(Surface(materials.get(name, Material()), vertices[index[:, :3]], uv[index[:, 3:]]))
    return surfaces


def _materials(name: str, reading: _Reading, files: _Files) -> dict[str, Material]:
    """Read the materials of the faces; other materials are skipped."""
    found: dict[str, Material] = {}
    folder = posixpath.dirname(name)
    for library in reading.libraries:
        path = posixpath.join(folder, library)
        if not files.has(path):
            continue
        material: Material | None = Material()
        for number, line in _lines(path, files.read(path)):
            word, _, rest = line.strip().partition(" ")
            if word == "newmtl":
                material = Material() if rest.strip() in reading.faces else None
                if material is not None:
                    found[rest.strip()] = material
                continue
            try:
                if material is not None:
                    _set(material, word, rest.strip(), folder, files)
            except InputError:
                raise  # of a picture
            except (ValueError, IndexError) as error:
                raise InputError(
                    f"{path}: line {number} is broken ({printable(line, 60)!r}): expected a material in MTL form"
                ) from error
    return found


def _set(material: Material, word: str, rest: str, folder: str, files: _Files) -> None:
    match word:
        case "Kd":
            material.colour = tuple(min(max(part, 0.0), 1.0) for part in _numbers((rest.split() * 3)[:3], 3))
        case "Ks":
            parts = rest.split()[:3]
            material.specular = (
                min(max(0.6 * sum(_numbers(parts, len(parts))) / len(parts), 0.0), 0.6) if parts else 0.0
            )
        case "Ns":
            material.shininess = min(max(_numbers(rest.split()[:1], 1)[0] / 128, 0.0), 1.0)
        case "d":
            material.opacity = _numbers(rest.split()[-1:], 1)[0]
        case "map_Kd":
            path = posixpath.normpath(posixpath.join(folder, rest.replace("\\", "/")))
            if not files.has(path):  # options before the name
                path = posixpath.join(folder, rest.split()[-1])
            material.picture = files.picture(path) if files.has(path) else None
        case _:
            pass


def _picture(name: str, data: bytes) -> np.ndarray:
    try:
        with open_picture(BytesIO(data)) as image:
            if image.width * image.height > PIXELS:
                raise ValueError(f"{image.width} x {image.height} px, at most {PIXELS // 10**6} million px are used")
            image = image.convert("RGBA")
            image.thumbnail((_LARGEST, _LARGEST), Image.Resampling.BOX)
            return np.asarray(image)
    except PICTURE_FAULTS as error:
        raise InputError(f"{name}: is not a picture ({str(error).partition(' <')[0]}): expected JPEG or PNG") from error
