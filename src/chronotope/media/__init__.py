"""Clips and pictures: facts, frame plans, decoding, encoding and the frame cache.

A frame plan states which frames of a clip are shown and how these frames are encoded. ``plan_frames`` makes a plan
without opening a file. ``FrameCache`` converts plans to encoded pictures, and decodes a clip once for all requested
plans. Functions that open clips are imported on first use, so planning alone does not load PyAV.
"""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names
from chronotope.media.cache import FrameCache, cache_folder
from chronotope.media.picture_encoding import Encoded, encode_picture, encode_still, video_of_frames
from chronotope.media.pictures import MOST_PIXELS, PICTURE_FAULTS, open_picture, picture_size, read_picture, stored_size
from chronotope.media.plan import SAMPLER_WORDS, ClipFacts, FramePlan, Sampler, plan_frames, plan_pictures

if TYPE_CHECKING:
    from chronotope.media.clip import frame_times, probe
    from chronotope.media.clip_encoding import encode_clip
    from chronotope.media.decoding import decode, decode_frames

__all__ = [
    "MOST_PIXELS",
    "PICTURE_FAULTS",
    "SAMPLER_WORDS",
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

__getattr__, __dir__ = public_names(
    __name__,
    {
        ".clip": ("frame_times", "probe"),
        ".clip_encoding": ("encode_clip",),
        ".decoding": ("decode", "decode_frames"),
    },
)
