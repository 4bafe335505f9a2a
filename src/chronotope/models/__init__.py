"""What answers: endpoints, in-process models, baselines."""

from chronotope.models.baselines import Baseline, baseline
from chronotope.models.body import request_fields
from chronotope.models.endpoint import Endpoint
from chronotope.models.lines import ledger_line
from chronotope.models.model import Decoding, Limits, Model, PictureBytes, RawReply, Session, StoppedError
from chronotope.models.names import open_model
from chronotope.models.structured import (
    Structured,
    open_structured,
    read_structured,
    require_structured,
    structured_key,
)

__all__ = [
    "Baseline",
    "Decoding",
    "Endpoint",
    "Limits",
    "Model",
    "PictureBytes",
    "RawReply",
    "Session",
    "StoppedError",
    "Structured",
    "baseline",
    "ledger_line",
    "open_model",
    "open_structured",
    "read_structured",
    "request_fields",
    "require_structured",
    "structured_key",
]
