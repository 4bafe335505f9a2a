"""The protocol buffers of Waymo's version 1.4, with the fields that are read.

Names and numbers are those of Waymo's ``dataset.proto`` and ``label.proto``. All other fields, such as the lidar data,
are skipped. Enumerations are read as whole numbers, so that an error can name a number that has no name.
"""

from functools import cache
from typing import Any

_PACKAGE = "waymo.open_dataset"
# Each field has a number and a type. A type with a star is repeated.
_MESSAGES = {
    "Frame": {
        "context": (1, "Context"),
        "timestamp_micros": (2, "int64"),
        "pose": (3, "Transform"),
        "images": (4, "CameraImage*"),
        "laser_labels": (6, "Label*"),
        "projected_lidar_labels": (9, "CameraLabels*"),
    },
    "Context": {"name": (1, "bytes"), "camera_calibrations": (2, "CameraCalibration*")},
    "CameraCalibration": {
        "name": (1, "int64"),
        "intrinsic": (2, "double*"),
        "extrinsic": (3, "Transform"),
        "width": (4, "int64"),
        "height": (5, "int64"),
    },
    "CameraImage": {"name": (1, "int64"), "image": (2, "bytes"), "pose": (3, "Transform"), "velocity": (4, "Velocity")},
    "Velocity": {"v_x": (1, "float"), "v_y": (2, "float"), "v_z": (3, "float")},
    "CameraLabels": {"name": (1, "int64"), "labels": (2, "Label*")},
    "Label": {
        "box": (1, "Box"),
        "metadata": (2, "Metadata"),
        "type": (3, "int64"),
        "id": (4, "bytes"),
        "num_lidar_points_in_box": (7, "int64"),
    },
    "Box": {
        "center_x": (1, "double"),
        "center_y": (2, "double"),
        "center_z": (3, "double"),
        "width": (4, "double"),
        "length": (5, "double"),
        "height": (6, "double"),
        "heading": (7, "double"),
    },
    "Metadata": {"speed_x": (1, "double"), "speed_y": (2, "double"), "speed_z": (5, "double")},
    "Transform": {"transform": (1, "double*")},
}


class NotAMessageError(ValueError):
    """An error for bytes that are not a message, or a message without a required field.

    The error does not name the file; the caller adds the name.
    """


def parse_frame(data: bytes) -> Any:
    """Return the message ``Frame`` in some bytes.

    Raises:
        NotAMessageError: If the bytes are not a message.
    """
    from google.protobuf import message  # the extra waymo; a source is listed without it

    try:
        return _frame_class().FromString(data)
    except message.DecodeError as error:
        raise NotAMessageError("the frame is incomplete or not a message") from error


def require(found: Any, *names: str) -> None:
    """Check that a message has fields with these names.

    Raises:
        NotAMessageError: If a field is missing, or has another form than the field of this number.
    """
    for name in names:
        if not found.HasField(name):
            number = _MESSAGES[found.DESCRIPTOR.name][name][0]
            raise NotAMessageError(f"the message {found.DESCRIPTOR.name} has no field {name!r} (number {number})")


@cache
def _frame_class() -> Any:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    described = descriptor_pb2.FileDescriptorProto(name="waymo.proto", package=_PACKAGE, syntax="proto2")
    for message_name, fields in _MESSAGES.items():
        described_message = described.message_type.add(name=message_name)
        for name, (number, kind) in fields.items():
            field = described_message.field.add(name=name, number=number)
            field.label = field.LABEL_REPEATED if kind.endswith("*") else field.LABEL_OPTIONAL
            if (single := kind.rstrip("*")) in _MESSAGES:
                field.type, field.type_name = field.TYPE_MESSAGE, f".{_PACKAGE}.{single}"
            else:
                field.type = getattr(field, f"TYPE_{single.upper()}")
    pool = descriptor_pool.DescriptorPool()  # of its own, because Waymo's package adds messages of the same names
    pool.Add(described)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.Frame"))
