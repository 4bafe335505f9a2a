"""The facts about a recording that all writers of questions use.

- ``camera_of(recording)`` prepares the camera. ``view_of(camera)`` prepares the things that questions can ask
  about: their names, visibility and positions.
- ``sight_of`` decides when a thing is clearly visible, possibly visible, or not visible. ``refer`` gives each thing
  a unique name.
- ``camera_track`` and ``thing_track`` return the track of a camera or a thing, split at gaps.
- ``draw_windows``, ``draw_moments`` and ``draw_instants`` choose the times of questions at random. All these times have
  at most one decimal.
- ``corner_pixels`` and ``rectangle`` locate a thing in the pixels of frame k.
- ``write_kinds`` writes questions of all kinds (``QuestionKind``), with candidates, refusals, options and ids.
- ``revealed_elsewhere`` finds questions whose answers other recordings of the scene reveal.
- ``phrase_fault`` and ``with_phrases`` replace the names of things in questions.

All functions here work on recordings. The functions open no files, and depend on no family and no simulated world.
"""

from chronotope.scene.camera import Camera, camera_of
from chronotope.scene.item import Candidate, Item, QuestionKind, Remark, Subject
from chronotope.scene.lasting import revealed_elsewhere
from chronotope.scene.moment_names import view_of
from chronotope.scene.moments import (
    Place,
    draw_instants,
    draw_moments,
    draw_pose_moments,
    draw_windows,
    pairs_of,
    reveals,
    shuffled,
    stretches,
)
from chronotope.scene.names import Name, is_furniture, noun_of, plural, refer
from chronotope.scene.printed import TICK, Stem, named_stem, number, seconds
from chronotope.scene.projection import Rectangle, corner_pixels, field_of_view, picture_size, rectangle
from chronotope.scene.renaming import drop_shared, phrase_fault, states_a_number, with_phrases
from chronotope.scene.sight import Sight, longest_run, require_clear, shown_of, sight_of, wholly_within
from chronotope.scene.things import SceneView, Thing, moved
from chronotope.scene.tracks import (
    MOTION_LIMITS,
    MotionLimits,
    Piece,
    Steps,
    Track,
    camera_track,
    moves_in_steps,
    steps_of,
    thing_track,
    track_of,
)
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
    "Remark",
    "SceneView",
    "Sight",
    "Stem",
    "Steps",
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
    "field_of_view",
    "is_furniture",
    "longest_run",
    "moved",
    "moves_in_steps",
    "named_stem",
    "noun_of",
    "number",
    "pairs_of",
    "phrase_fault",
    "picture_size",
    "plural",
    "rectangle",
    "refer",
    "require_clear",
    "revealed_elsewhere",
    "reveals",
    "seconds",
    "shown_of",
    "shuffled",
    "sight_of",
    "states_a_number",
    "steps_of",
    "stretches",
    "thing_track",
    "track_of",
    "view_of",
    "wholly_within",
    "with_phrases",
    "write_kind",
    "write_kinds",
]
