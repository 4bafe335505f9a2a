"""Clips and pictures: facts, frame plans, decoding, encoding and the frame cache.

A plan says which frames of which clip are shown and how they are encoded (`plan_frames`, which opens no file);
`FrameCache` turns plans into encoded pictures, decoding a clip once for all plans that are asked of it.
"""

from chronotope.media.cache import FrameCache, cache_folder
from chronotope.media.clip import ClipFacts, frame_times, probe
from chronotope.media.decode import decode, decode_frames
from chronotope.media.encode import Encoded, encode_clip, encode_picture, encode_still
from chronotope.media.pictures import MOST_PIXELS, open_picture, picture_size, read_picture
from chronotope.media.plan import FramePlan, Sampler, plan_frames

__all__ = [
    "MOST_PIXELS",
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
    "probe",
    "read_picture",
]
