"""The ground truth of a clip, in one format for every source.

The package ``chronotope.recording.sources`` reads data sets. ``save_recording`` writes a recording to a folder, and
``load_recording`` reads a recording from a folder.
"""

from chronotope.recording.alterations import ALTERATIONS, Alteration, altered, sample_order, twin_name
from chronotope.recording.folder import copy_recording, load_recording, save_recording
from chronotope.recording.maps import read_depth, read_identities, write_depth, write_identities
from chronotope.recording.procedure import MISTAKES, Group, Mistake, MistakeKind, Procedure, Segment, Step, Take, group
from chronotope.recording.rooms import camera_rooms, room_at, rooms_along, stays
from chronotope.recording.scene import CHANGES, Change, Scene, read_changes, write_changes
from chronotope.recording.summary import summarise
from chronotope.recording.types import Body, Clip, Entity, Event, Kind, Recording, Room, StateChange

__all__ = [
    "ALTERATIONS",
    "CHANGES",
    "MISTAKES",
    "Alteration",
    "Body",
    "Change",
    "Clip",
    "Entity",
    "Event",
    "Group",
    "Kind",
    "Mistake",
    "MistakeKind",
    "Procedure",
    "Recording",
    "Room",
    "Scene",
    "Segment",
    "StateChange",
    "Step",
    "Take",
    "altered",
    "camera_rooms",
    "copy_recording",
    "group",
    "load_recording",
    "read_changes",
    "read_depth",
    "read_identities",
    "room_at",
    "rooms_along",
    "sample_order",
    "save_recording",
    "stays",
    "summarise",
    "twin_name",
    "write_changes",
    "write_depth",
    "write_identities",
]
