"""The outcomes of one request to a service that are not yet the result of the call."""

from dataclasses import dataclass

from chronotope.models.model import Lost, RawReply
from chronotope.models.services.faults import Fault


@dataclass(frozen=True)
class Failure:
    """A failed attempt that should be repeated.

    ``pause`` is the time (s) that the service asks to wait, or None.
    """

    error: str
    pause: float | None = None
    unreachable: bool = False  # no connection was possible
    loading: bool = False  # the service does not have its model yet
    lasting: bool = False  # another attempt would fail in the same way, at the same cost
    cut: bool = False  # the body did not arrive whole, so another attempt can succeed
    lost: Lost | None = None  # the usage of the attempt


@dataclass(frozen=True)
class WrongUse:
    """The error for wrong use: every further request would fail in the same way.

    The error is raised outside the stack frame that contains the response, because a response can repeat the key.
    """

    error: str


@dataclass(frozen=True)
class Suspicion:
    """A suspicion of wrong use; an answer to a request in flight can disprove it.

    If the suspicion is disproved, the contained error is used instead.
    """

    wrong: WrongUse
    fault: Fault
    otherwise: RawReply | Failure


Outcome = RawReply | Failure | WrongUse | Suspicion
