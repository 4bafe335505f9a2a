"""What every writer of questions needs of a recording, whatever the family.

- ``camera_of(recording)`` prepares the camera, ``view_of(camera)`` the things that it sees: what each is called, when
  it is seen, where it is.
- ``sight_of`` says when a thing is clearly, possibly or never seen; ``refer`` what it is called, so that it is told
  apart.
- ``camera_track`` and ``thing_track`` follow a camera and a thing without gaps.
- ``draw_windows``, ``draw_moments`` and ``draw_instants`` draw what is asked about, on the grid of printed times.
- ``corner_pixels`` and ``rectangle`` say where a thing is in the pixels of frame k.
- ``write_kinds`` drives kinds of questions (``QuestionKind``): candidates, refusals, options, ids.
- ``phrase_fault`` and ``with_phrases`` take names in other words into questions.

All of it is functions of recordings. It opens no file, and knows no family and no simulated world.
"""

from chronotope.scene.camera import Camera, camera_of
from chronotope.scene.item import Candidate, Item, QuestionKind, Subject
from chronotope.scene.moment_names import view_of
from chronotope.scene.moments import (
    Place,
    draw_instants,
    draw_moments,
    draw_pose_moments,
    draw_windows,
    pairs_of,
    shuffled,
    stretches,
)
from chronotope.scene.names import Name, is_furniture, noun_of, refer
from chronotope.scene.printed import TICK, Stem, named_stem, number, seconds
from chronotope.scene.projection import Rectangle, corner_pixels, picture_size, rectangle
from chronotope.scene.renaming import drop_shared, phrase_fault, states_a_number, with_phrases
from chronotope.scene.sight import Sight, longest_run, require_clear, shown_of, sight_of
from chronotope.scene.things import SceneView, Thing, moved
from chronotope.scene.tracks import MOTION_LIMITS, MotionLimits, Piece, Track, camera_track, thing_track, track_of
from chronotope.scene.writing import Told, WriteJob, write_kind, write_kinds

__all__ = [
    "MOTION_LIMITS",
    "TICK",
    "Camera",
    "Candidate",
    "Item",
    "MotionLimits",
    "Name",
    "Piece",
    "Place",
    "QuestionKind",
    "Rectangle",
    "SceneView",
    "Sight",
    "Stem",
    "Subject",
    "Thing",
    "Told",
    "Track",
    "WriteJob",
    "camera_of",
    "camera_track",
    "corner_pixels",
    "draw_instants",
    "draw_moments",
    "draw_pose_moments",
    "draw_windows",
    "drop_shared",
    "is_furniture",
    "longest_run",
    "moved",
    "named_stem",
    "noun_of",
    "number",
    "pairs_of",
    "phrase_fault",
    "picture_size",
    "rectangle",
    "refer",
    "require_clear",
    "seconds",
    "shown_of",
    "shuffled",
    "sight_of",
    "states_a_number",
    "stretches",
    "thing_track",
    "track_of",
    "view_of",
    "with_phrases",
    "write_kind",
    "write_kinds",
]
