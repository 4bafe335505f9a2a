"""The models that can be asked: endpoints, models in this process, functions, and baselines."""

from chronotope.models.baselines import Baseline, baseline
from chronotope.models.batch import batch_form
from chronotope.models.calls import Calls, Number, Price, Whole, price_of
from chronotope.models.chat import request_fields
from chronotope.models.checked import ask_checked, error_words
from chronotope.models.faults import own_words
from chronotope.models.function import Answer, Asked, BatchAnswer, FunctionModel, as_model
from chronotope.models.hearing import Say, Trouble, watched
from chronotope.models.in_flight import WAIT
from chronotope.models.lines import ledger_line, lost_of
from chronotope.models.model import (
    FRAME_TIMES,
    NO_FRAMES,
    Decoding,
    Limits,
    Lost,
    Model,
    PictureBytes,
    RawReply,
    Remarking,
    Session,
    StoppedError,
    no_times,
    refuse_frame_times,
)
from chronotope.models.money import (
    BATCH,
    SHARE,
    Budget,
    OverBudgetError,
    RunPrice,
    foreseen_money,
    money,
    tokens_of_size,
    tokens_of_text,
)
from chronotope.models.names import (
    NO_INFLUENCE,
    fitting,
    is_local,
    is_service,
    open_model,
    open_spec,
    place_of,
    wire_of,
)
from chronotope.models.providers import ModelProvider
from chronotope.models.secrets import refuse_secrets
from chronotope.models.spec import Credentials, ModelSpec, identity_of
from chronotope.models.structured import (
    ATTEMPTS,
    FORMLESS,
    Structured,
    longest_object,
    open_structured,
    read_structured,
    require_structured,
    structured_key,
    structured_tokens,
)
from chronotope.models.study import Solved, Studies, Study, Unsolved, studies_of

__all__ = [
    "ATTEMPTS",
    "BATCH",
    "FORMLESS",
    "FRAME_TIMES",
    "NO_FRAMES",
    "NO_INFLUENCE",
    "SHARE",
    "WAIT",
    "Answer",
    "Asked",
    "Baseline",
    "BatchAnswer",
    "Budget",
    "Calls",
    "Credentials",
    "Decoding",
    "FunctionModel",
    "Limits",
    "Lost",
    "Model",
    "ModelProvider",
    "ModelSpec",
    "Number",
    "OverBudgetError",
    "PictureBytes",
    "Price",
    "RawReply",
    "Remarking",
    "RunPrice",
    "Say",
    "Session",
    "Solved",
    "StoppedError",
    "Structured",
    "Studies",
    "Study",
    "Trouble",
    "Unsolved",
    "Whole",
    "as_model",
    "ask_checked",
    "baseline",
    "batch_form",
    "error_words",
    "fitting",
    "foreseen_money",
    "identity_of",
    "is_local",
    "is_service",
    "ledger_line",
    "longest_object",
    "lost_of",
    "money",
    "no_times",
    "open_model",
    "open_spec",
    "open_structured",
    "own_words",
    "place_of",
    "price_of",
    "read_structured",
    "refuse_frame_times",
    "refuse_secrets",
    "request_fields",
    "require_structured",
    "structured_key",
    "structured_tokens",
    "studies_of",
    "tokens_of_size",
    "tokens_of_text",
    "watched",
    "wire_of",
]
