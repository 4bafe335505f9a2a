"""A drive whose truth is known, written in the true bytes of both formats of the Waymo open data set.

Nothing here uses the package: projection is a loop over corners, the wire format and the check sum are written out.
"""

import io
import math
import struct
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image
from recording_truth import rotation

SEGMENT = "1234567890123456789_1000_000_1020_000"
FIRST_STAMP = 1552440195362591
ORIGIN = np.array([12000.0, -3000.0, 25.0])
TYPES = {"vehicle": 1, "pedestrian": 2, "sign": 3, "cyclist": 4}
CAMERA_NAMES = ("FRONT", "FRONT_LEFT", "FRONT_RIGHT", "SIDE_LEFT", "SIDE_RIGHT")


@dataclass
class Lens:
    """f_u f_v c_u c_v k1 k2 p1 p2 k3, camera to vehicle with FLU camera axes, size in px."""

    intrinsic: tuple[float, ...]
    extrinsic: np.ndarray
    width: int
    height: int


def placed(turn, position):
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = turn, position
    return matrix


LENSES = {
    1: Lens(
        (510.0, 512.0, 238.0, 158.0, 0.04, -0.33, 0.001, -0.0016, 0.0),
        placed(rotation((0.1, 1, 0.2), 0.01), (1.54, -0.02, 2.1)),
        480,
        320,
    ),
    4: Lens(
        (505.0, 506.0, 241.0, 60.0, 0.03, -0.30, 0.0, 0.0, 0.0),
        placed(rotation((0, 0, 1), math.pi / 2), (1.4, 0.1, 2.0)),
        480,
        222,
    ),
}


@dataclass
class Thing:
    """A box at a place of the world that moves straight on, labelled in the samples ``first`` to ``last`` - 1."""

    id: str
    type: str
    size: tuple[float, float, float]
    start: tuple[float, float, float]  # m from ORIGIN
    velocity: tuple[float, float, float]
    turn: float  # heading in the vehicle frame, rad
    points: int = 200
    first: int = 0
    last: int = 10**6


THINGS = [
    Thing("lead", "vehicle", (4.6, 1.9, 1.5), (14, 1, 0.9), (7.5, 0.6, 0.0), 0.1),
    Thing("hidden-walker", "pedestrian", (0.8, 0.7, 1.3), (21, 1.6, 0.9), (7.4, 0.55, 0.0), -1.0),
    Thing("walker", "pedestrian", (0.9, 0.8, 1.7), (12, -2.5, 0.95), (5.0, 0.3, 0.0), 2.0),
    Thing("few-points", "cyclist", (1.8, 0.7, 1.7), (15, 5, 1.0), (6.0, 0.2, 0.0), 0.4, points=4),
    Thing("far-sign", "sign", (0.1, 0.6, 0.6), (80, -6, 2.2), (0, 0, 0), 3.0),
    Thing("at-the-edge", "vehicle", (4.4, 1.8, 1.6), (13.0, 7.2, 1.0), (6.5, 0.2, 0.0), 0.0),
    Thing("left", "vehicle", (4.0, 1.7, 1.6), (2, 9, 0.9), (7.0, 0.4, 0.0), -0.2, first=3, last=9),
]


@dataclass
class Drive:
    """Samples of the vehicle: stamps (T,) us, world_T_vehicle (T, 4, 4), and the same when the pictures were taken."""

    count: int = 12
    stamps: list[int] = field(default_factory=list)
    poses: list[np.ndarray] = field(default_factory=list)
    taken: list[np.ndarray] = field(default_factory=list)

    def __post_init__(self):
        for k in range(self.count):
            self.stamps.append(FIRST_STAMP + 100_000 * k + (k % 3) * 17)
            self.poses.append(self.at(self.seconds(k)))
            self.taken.append(self.at(self.seconds(k) + 0.004))

    def seconds(self, k):
        return (self.stamps[k] - self.stamps[0]) / 1e6

    def at(self, t):
        """On a wide arc at 7 m/s, tilted a little."""
        yaw = 0.05 + 0.03 * t
        arc = 7.0 / 0.03
        gone = [arc * (math.sin(yaw) - math.sin(0.05)), arc * (math.cos(0.05) - math.cos(yaw)), 0.1 * t]
        return placed(rotation((0, 0, 1), yaw) @ rotation((0.3, 1, 0), 0.02), ORIGIN + np.array(gone))

    def where(self, thing, k):
        return ORIGIN + thing.start + self.seconds(k) * np.array(thing.velocity)

    def labels(self, k):
        """(thing, centre in the vehicle frame) of the things that are labelled in sample k."""
        for thing in THINGS:
            if thing.first <= k < thing.last:
                pose = self.poses[k]
                yield thing, pose[:3, :3].T @ (self.where(thing, k) - pose[:3, 3])

    def size(self, thing, k):
        """Annotators' sizes vary a little; those of samples with few points are far off."""
        wrong = 1.5 if k == 5 else 1.0
        return [side * wrong for side in thing.size]

    def points(self, thing, k):
        return min(thing.points, 1 if k == 5 else thing.points)

    def outline(self, thing, k, lens):
        """x0 y0 x1 y1 px about the corners, unclipped, or None where one is behind the camera."""
        cos, sin = math.cos(thing.turn), math.sin(thing.turn)
        centre = next(centre for other, centre in self.labels(k) if other is thing)
        camera_T_world = np.linalg.inv(self.taken[k] @ lens.extrinsic)
        length, width, height = self.size(thing, k)
        us, vs = [], []
        for a in (-0.5, 0.5):
            for b in (-0.5, 0.5):
                for c in (-0.5, 0.5):
                    dx, dy, dz = a * length, b * width, c * height
                    in_vehicle = centre + np.array([cos * dx - sin * dy, sin * dx + cos * dy, dz])
                    x, y, z, _ = camera_T_world @ self.poses[k] @ [*in_vehicle, 1.0]
                    if x <= 0.1:
                        return None
                    u, v = pixel(lens, -y / x, -z / x)
                    us.append(u)
                    vs.append(v)
        return min(us), min(vs), max(us), max(vs)

    def rectangle(self, thing, k, lens):
        """The outline's part in the picture, as the data set draws it, or None."""
        outline = self.outline(thing, k, lens)
        if outline is None:
            return None
        x0, y0, x1, y1 = outline
        x0, y0, x1, y1 = max(x0, 0.0), max(y0, 0.0), min(x1, lens.width), min(y1, lens.height)
        return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None


def pixel(lens, x, y):
    """The lens model that OpenCV documents."""
    f_u, f_v, c_u, c_v, k1, k2, p1, p2, k3 = lens.intrinsic
    r2 = x * x + y * y
    radial = 1 + k1 * r2 + k2 * r2**2 + k3 * r2**3
    bent_x = x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x)
    bent_y = y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
    return f_u * bent_x + c_u, f_v * bent_y + c_v


def colour(camera, k):
    """The flat colour of a picture."""
    return (40 * camera, 15 * k, 120)


@cache
def jpeg(camera, k):
    lens = LENSES[camera]
    file = io.BytesIO()
    Image.new("RGB", (lens.width, lens.height), colour(camera, k)).save(file, "JPEG", quality=95)
    return file.getvalue()


# ---------------------------------------------------------------- version 2

COMPONENTS = ("camera_calibration", "camera_image", "lidar_box", "projected_lidar_box")


def matrices(values, single=True):
    kind = pa.list_(pa.float32() if single else pa.float64(), 16)
    return pa.array([np.asarray(value).ravel().tolist() for value in values], kind)


def write_table(path, columns, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path, **options)
    return path


def write_v2(root, drive, components=COMPONENTS, row_group_size=7, segment=SEGMENT):
    """A split's folder with one segment; rows stand in no helpful order."""
    root = Path(root)
    tables = v2_tables(drive, segment)
    for name in ("vehicle_pose", *components):
        options = {"row_group_size": row_group_size} if name == "camera_image" else {}
        write_table(root / name / f"{segment}.parquet", tables[name], **options)
    return root


def v2_tables(drive, segment=SEGMENT):
    samples = list(range(drive.count))
    shuffled = [(k, camera) for camera in LENSES for k in samples[::2] + samples[1::2]]

    def keys(stamps):
        return {
            "key.segment_context_name": pa.array([segment] * len(stamps)),
            "key.frame_timestamp_micros": pa.array(stamps, pa.int64()),
        }

    pose = keys(drive.stamps[::-1])
    pose["[VehiclePoseComponent].world_from_vehicle.transform"] = matrices(drive.poses[::-1])
    lenses = list(LENSES.values())
    calibration = {
        "key.segment_context_name": pa.array([segment] * len(lenses)),
        "key.camera_name": pa.array(list(LENSES), pa.int8()),
    }
    for index, name in enumerate(("f_u", "f_v", "c_u", "c_v", "k1", "k2", "p1", "p2", "k3")):
        column = f"[CameraCalibrationComponent].intrinsic.{name}"
        calibration[column] = pa.array([lens.intrinsic[index] for lens in lenses])
    calibration["[CameraCalibrationComponent].extrinsic.transform"] = matrices(
        [lens.extrinsic for lens in lenses], single=False
    )
    calibration["[CameraCalibrationComponent].width"] = pa.array([lens.width for lens in lenses], pa.int32())
    calibration["[CameraCalibrationComponent].height"] = pa.array([lens.height for lens in lenses], pa.int32())
    image = keys([drive.stamps[k] for k, _ in shuffled])
    image["key.camera_name"] = pa.array([camera for _, camera in shuffled], pa.int8())
    image["[CameraImageComponent].image"] = pa.array([jpeg(camera, k) for k, camera in shuffled], pa.binary())
    image["[CameraImageComponent].pose.transform"] = matrices([drive.taken[k] for k, _ in shuffled], single=False)
    for axis in range(3):
        values = [7.0 + axis + k for k, _ in shuffled]
        image[f"[CameraImageComponent].velocity.linear_velocity.{'xyz'[axis]}"] = pa.array(values, pa.float32())
    return {
        "vehicle_pose": pose,
        "camera_calibration": calibration,
        "camera_image": image,
        "lidar_box": _v2_boxes(drive, keys),
        "projected_lidar_box": _v2_projected(drive, keys),
    }


def _v2_boxes(drive, keys):
    rows = [(k, thing, centre) for k in range(drive.count) for thing, centre in drive.labels(k)]
    table = keys([drive.stamps[k] for k, _, _ in rows])
    table["key.laser_object_id"] = pa.array([thing.id for _, thing, _ in rows])
    table["[LiDARBoxComponent].type"] = pa.array([TYPES[thing.type] for _, thing, _ in rows], pa.int8())
    for axis in range(3):
        name = "xyz"[axis]
        table[f"[LiDARBoxComponent].box.center.{name}"] = pa.array([centre[axis] for _, _, centre in rows])
        table[f"[LiDARBoxComponent].box.size.{name}"] = pa.array([drive.size(thing, k)[axis] for k, thing, _ in rows])
        table[f"[LiDARBoxComponent].speed.{name}"] = pa.array([thing.velocity[axis] for _, thing, _ in rows])
    table["[LiDARBoxComponent].box.heading"] = pa.array([thing.turn for _, thing, _ in rows])
    table["[LiDARBoxComponent].num_lidar_points_in_box"] = pa.array(
        [drive.points(thing, k) for k, thing, _ in rows], pa.int64()
    )
    return table


def _v2_projected(drive, keys):
    rows = []
    for k in range(drive.count):
        for thing, _ in drive.labels(k):
            for camera, lens in LENSES.items():
                if (found := drive.rectangle(thing, k, lens)) is not None:
                    rows.append((k, thing.id, camera, found))
    table = keys([drive.stamps[k] for k, *_ in rows])
    table["key.camera_name"] = pa.array([camera for _, _, camera, _ in rows], pa.int8())
    table["key.laser_object_id"] = pa.array([name for _, name, _, _ in rows])
    for axis in range(2):
        low, high = [found[axis] for *_, found in rows], [found[axis + 2] for *_, found in rows]
        centres = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
        sizes = [b - a for a, b in zip(low, high, strict=True)]
        table[f"[ProjectedLiDARBoxComponent].box.center.{'xy'[axis]}"] = pa.array(centres)
        table[f"[ProjectedLiDARBoxComponent].box.size.{'xy'[axis]}"] = pa.array(sizes)
    return table


# ---------------------------------------------------------------- version 1.4


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def whole(number, value):
    return varint(number << 3) + varint(value)


def blob(number, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(number << 3 | 2) + varint(len(data)) + data


def double(number, value):
    return varint(number << 3 | 1) + struct.pack("<d", value)


def single(number, value):
    return varint(number << 3 | 5) + struct.pack("<f", value)


def doubles(number, values, packed):
    values = [float(value) for value in values]
    if packed:
        return blob(number, struct.pack(f"<{len(values)}d", *values))
    return b"".join(double(number, value) for value in values)


def transform(number, matrix, packed):
    return blob(number, doubles(1, np.asarray(matrix).ravel(), packed))


def box_message(centre, length, width, height, heading):
    values = {1: centre[0], 2: centre[1], 3: centre[2], 4: width, 5: length, 6: height, 7: heading}
    return b"".join(double(number, value) for number, value in values.items())


def frame_message(drive, k, packed=True, segment=SEGMENT):
    """One Frame; lidar data (field 5) and camera labels (field 8) are there to be passed over."""
    context = blob(1, segment)
    for camera, lens in LENSES.items():
        calibration = whole(1, camera) + doubles(2, lens.intrinsic, packed) + transform(3, lens.extrinsic, packed)
        context += blob(2, calibration + whole(4, lens.width) + whole(5, lens.height) + whole(6, 3))
    message = blob(1, context) + whole(2, drive.stamps[k]) + transform(3, drive.poses[k], packed)
    for camera in LENSES:
        velocity = b"".join(single(axis + 1, 7.0 + axis + k) for axis in range(3)) + double(4, 0.01)
        image = whole(1, camera) + blob(2, jpeg(camera, k)) + transform(3, drive.taken[k], packed)
        message += blob(4, image + blob(4, velocity) + double(5, drive.stamps[k] / 1e6))
    message += blob(5, b"\x00" * 300)
    for thing, centre in drive.labels(k):
        length, width, height = drive.size(thing, k)
        speed = double(1, thing.velocity[0]) + double(2, thing.velocity[1]) + double(5, thing.velocity[2])
        label = blob(1, box_message(centre, length, width, height, thing.turn)) + blob(2, speed)
        message += blob(6, label + whole(3, TYPES[thing.type]) + blob(4, thing.id) + whole(7, drive.points(thing, k)))
    message += blob(8, whole(1, 1) + blob(2, blob(4, "unrelated")))
    for camera, lens in LENSES.items():
        view = whole(1, camera)
        for thing, _ in drive.labels(k):
            if (found := drive.rectangle(thing, k, lens)) is not None:
                x0, y0, x1, y1 = found
                flat = double(1, (x0 + x1) / 2) + double(2, (y0 + y1) / 2) + double(5, x1 - x0) + double(4, y1 - y0)
                view += blob(2, blob(1, flat) + blob(4, f"{thing.id}_{CAMERA_NAMES[camera - 1]}"))
        message += blob(9, view)
    return message


@cache
def _shifted(byte):
    """A byte pushed out bit by bit, as the polynomial is defined."""
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    return byte


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _shifted(crc & 0xFF ^ byte)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def record(payload):
    length = struct.pack("<Q", len(payload))
    return length + struct.pack("<I", masked(length)) + payload + struct.pack("<I", masked(payload))


def write_tfrecord(path, payloads):
    path.write_bytes(b"".join(record(payload) for payload in payloads))
    return path


def write_v14(path, drive, packed=True, order=None):
    numbers = range(drive.count) if order is None else order
    return write_tfrecord(path, [frame_message(drive, k, packed) for k in numbers])
