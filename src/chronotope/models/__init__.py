"""What answers: endpoints, in-process models, baselines."""

from chronotope.models.baselines import Baseline, baseline
from chronotope.models.endpoint import Endpoint
from chronotope.models.model import Decoding, Limits, Model, PictureBytes, RawReply, Session
from chronotope.models.names import open_model

__all__ = [
    "Baseline",
    "Decoding",
    "Endpoint",
    "Limits",
    "Model",
    "PictureBytes",
    "RawReply",
    "Session",
    "baseline",
    "open_model",
]
