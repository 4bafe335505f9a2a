"""Clips and pictures: facts, frame plans, decoding, encoding and the frame cache.

A frame plan states which frames of a clip are shown and how these frames are encoded. ``plan_frames`` makes a plan
without opening a file. ``FrameCache`` converts plans to encoded pictures, and decodes a clip once for all requested
plans. Functions that open clips are imported on first use, so planning alone does not load PyAV.
"""

import importlib
from typing import TYPE_CHECKING, Any

from chronotope.media.cache import FrameCache, cache_folder
from chronotope.media.picture_encoding import Encoded, encode_picture, encode_still, video_of_frames
from chronotope.media.pictures import MOST_PIXELS, PICTURE_FAULTS, open_picture, picture_size, read_picture, stored_size
from chronotope.media.plan import ClipFacts, FramePlan, Sampler, plan_frames, plan_pictures

if TYPE_CHECKING:
    from chronotope.media.clip import frame_times, probe
    from chronotope.media.clip_encoding import encode_clip
    from chronotope.media.decoding import decode, decode_frames

__all__ = [
    "MOST_PIXELS",
    "PICTURE_FAULTS",
    "ClipFacts",
    "Encoded",
    "FrameCache",
    "FramePlan",
    "Sampler",
    "cache_folder",
    "decode",
    "decode_frames",
    "encode_clip",
    "encode_picture",
    "encode_still",
    "frame_times",
    "open_picture",
    "picture_size",
    "plan_frames",
    "plan_pictures",
    "probe",
    "read_picture",
    "stored_size",
    "video_of_frames",
]

_OPENING = ("clip", "decoding", "clip_encoding")  # modules that need PyAV


def __getattr__(name: str) -> Any:
    """Import a function that opens clips when it is first used."""
    if name in __all__:
        for module in _OPENING:
            found = importlib.import_module(f"{__name__}.{module}")
            if name in found.__all__:
                return globals().setdefault(name, getattr(found, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
