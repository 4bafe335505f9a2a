"""One client for all services; a `Wire` has the format of their requests and replies.

Three outcomes of a call are reported as the state of its reply, without an error:

- ``replied``;
- ``refused``: the service refuses this request (HTTP 413, a content filter, 400 and other permanent 4xx), or withheld
  its reply;
- ``failed``: after all attempts there is HTTP 408, 409, 425, 429 or 5xx, no connection, no answer in time, an
  incomplete body, a content type other than JSON, or a body that is not a reply. A body with a good status that is not
  a reply is asked for twice at most, because each may be billed. A body that is larger than any reply fails at once.

Wrong use is raised as InputError, because every further request would end the same way. These faults are always wrong
use: a key that is not accepted (401), no credit (402, ``insufficient_quota``), and a field of the body that the service
does not accept. If the service has never answered, these faults are wrong use, too: a wrong address or model (404, 405,
a redirect), a content type other than JSON, no access (403), a refusal that names a field of the body, and a second
refusal like the first (400, 422). A missing connection counts as wrong use after ``wait`` seconds if the service has
never responded, and otherwise after all attempts of three asks in a row. A service that says that it loads its model is
waited for in the same way. Before wrong use is concluded, no new request is sent, and all requests in flight are
awaited, because an answer to one of them could disprove the conclusion. After a first answer, 404, 405, redirects and
other content types count as temporary trouble.

When wrong use is found, waiting asks get the same error and are not sent. Later asks are sent again: the caller decides
whether to `Endpoint.stop` or to try a smaller request.
"""

import asyncio
import random
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import httpx
from pydantic import SecretStr

from chronotope.errors import InputError
from chronotope.models.model import (
    FRAME_TIMES,
    Decoding,
    Limits,
    Lost,
    PictureBytes,
    RawReply,
    StoppedError,
    no_times,
)
from chronotope.models.outcomes import Failure, Outcome, Suspicion, WrongUse
from chronotope.models.services.availability import Hearing, Trouble
from chronotope.models.services.body import Encoder, Piece
from chronotope.models.services.connections import BodyError, Connections, Received
from chronotope.models.services.faults import REFUSED, WRONG_USE, Fault, cure, diagnosed, refusal_words
from chronotope.models.services.in_flight import WAIT, Gate, Window
from chronotope.models.services.key import Key, checked_url, query_of
from chronotope.models.services.replies import (
    CUT,
    OtherFormError,
    ServiceError,
    UnreadableReplyError,
    check_content_type,
    retry_after,
)
from chronotope.models.services.wire import Fields, Wire
from chronotope.models.services.wires.chat import CHAT
from chronotope.protocol import Part, videos_of_frames

# A service counts as gone if this number of consecutive asks found no connection in any of their attempts.
WITNESSES = 3
LONGEST_REST = 2.0  # maximum time (s) between two attempts to connect
LONGEST_PAUSE = 600.0  # seconds; if a service asks for a longer pause, the call is given up
LONGEST_BACKOFF = 60.0  # seconds
OVERLOADED = (429, 503, 529)

NOBODY_THERE = (
    "no service answers there: check that the service runs and that the base URL is correct, and run the command again"
)
STILL_LOADING = "the service still loads its model: run the command again later, or wait longer (--wait)"


class Endpoint:
    """A model behind a service.

    Args:
        name: the model's name in runs, ``provider/name``.
        model: the service's name for it.
        base_url: the URL before the path of the wire format (``/chat/completions``), with or without a slash at the
        end. It
            contains no user, password or key, so that it can be shown; its query is sent with each request.
        api_key: the key, which is sent in a header and never shown.
        headers: further headers, each ``Name: value``, which are never shown either.
        timeout: seconds for one attempt, from its first byte sent to its last byte received.
        retries: attempts after the first.
        concurrency: maximum number of requests in flight; 20 at first, more while the service keeps up, fewer if it
            reports overload or an attempt times out.
        backoff: seconds before the second attempt, doubled for each further attempt, up to 60 s, with jitter. If the
            service sends Retry-After, all requests wait for this time.
        wait: seconds to wait for the service, from the first refused connection.
        limits: the model's limits, if known.
        wire: the format of the service's requests and replies.
        flag: the flag that sets a field of the body, for errors.

    Raises:
        InputError: If the base URL or the key cannot be used.
    """

    def __init__(
        self,
        name: str,
        model: str,
        base_url: str,
        api_key: SecretStr | None = None,
        *,
        headers: Sequence[str] = (),
        timeout: float = 300.0,
        retries: int = 5,
        concurrency: int = 128,
        backoff: float = 1.0,
        wait: float = WAIT,
        limits: Limits | None = None,
        wire: Wire = CHAT,
        flag: str = "--set",
    ) -> None:
        self.name = name
        self.limits = limits or Limits()
        self.model = model
        self.base_url = checked_url(base_url)
        self.url = self.base_url + wire.path(model)
        self.wire = wire
        self.flag = flag
        self.key = Key(api_key, headers, wire.headers)
        self.timeout = timeout
        self._wait = wait
        self._retries = retries
        self._backoff = backoff
        self._window = Window(concurrency)
        self._random = random.Random()
        self._answered = False  # whether the model has answered, in this or an earlier command
        self._answered_here = False  # whether the model has answered at this address; earlier commands may use others
        self._refused_first: str | None = None
        self._reached = False
        self._unreached: set[str] = set()
        self._hearing = Hearing(name, self.url, wait)
        query = query_of(base_url)
        self._connections = Connections(f"{self.url}?{query}" if query else self.url, self.key, timeout)

    def __repr__(self) -> str:
        return f"Endpoint({self.name!r}, {self.url!r})"

    @asynccontextmanager
    async def open(self, prefix: Sequence[Part], pictures: PictureBytes) -> AsyncIterator["EndpointSession"]:
        """Encode the prefix once, for all asks of the context.

        The encoded pictures of the prefix and of the tails are kept until the context ends.
        """
        yield EndpointSession(self, prefix, pictures)

    def trouble(self) -> Trouble | None:
        """Return the current problem of the service (see `Model.trouble`)."""
        return self._hearing.trouble()

    def has_answered(self) -> None:
        """Record that the model has replied before.

        Before a first reply, a refusal can mean that every request would be refused. After this call, a refusal
        concerns only the refused request. But an address that has never answered is still reported as wrong.
        """
        self._answered = True

    def stop(self) -> None:
        """Stop sending requests; requests in flight can still end.

        Waiting asks end immediately: with StoppedError, or with the state ``failed`` if an attempt was made before.
        """
        self._window.shut(self._window.gate)

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.close()

    async def send(
        self, body: Sequence[bytes], fields: Mapping[str, object], seed: str, *, urgent: bool = False
    ) -> RawReply:
        """Send a body, and repeat the attempt if needed.

        ``fields`` are the fields of the body besides model and messages. ``seed`` is the id of the ask. Every attempt
        of an urgent ask is urgent.
        """
        gate, error, attempt, reached, lost = self._window.gate, "", 0, False, None
        while attempt <= self._retries:
            outcome = await self._attempt(body, fields, seed, urgent, gate)
            if outcome is None:
                return replace(self._unsent(gate, error, attempt), lost=lost)
            if isinstance(outcome, Suspicion):
                outcome = await self._judged(outcome)
            if isinstance(outcome, WrongUse):
                raise self._ended(gate, outcome.error)
            if isinstance(outcome, RawReply):
                return replace(outcome, attempts=attempt + 1, lost=_added(lost, outcome.lost))
            if outcome.loading and await self._waits_for_the_model(outcome.error, gate):
                continue
            if outcome.unreachable and not self._reached:
                if await self._is_still_nobody_there(gate):
                    raise self._ended(gate, self._gave_up(NOBODY_THERE, outcome.error))
                if not self._reached:
                    continue
                reached = True  # another ask has reached the service meanwhile
            attempt += 1
            error, reached = outcome.error, reached or not outcome.unreachable
            is_second = lost is not None and outcome.lost is not None  # a second attempt that may be billed
            lost = _added(lost, outcome.lost)
            if outcome.lasting or (is_second and not outcome.cut):
                break
            if outcome.pause is not None and outcome.pause > LONGEST_PAUSE:
                error += f" (the service asks to wait {outcome.pause:.0f} s: try again later)"
                break
            if attempt <= self._retries:
                delay = min(LONGEST_BACKOFF, self._backoff * 2 ** (attempt - 1))
                await self._window.rest(max(delay * self._random.uniform(0.5, 1.0), outcome.pause or 0), gate)
        if not reached and await self._has_gone(seed):
            raise self._ended(gate, f"{self.name} at {self.url}: {NOBODY_THERE} ({error})")
        return RawReply("failed", error=error, attempts=attempt, lost=lost)

    def _unsent(self, gate: Gate, error: str, attempts: int) -> RawReply:
        """Return the reply of an ask that gets no further attempt.

        ``error`` is the error of the last attempt.
        """
        if attempts:
            return RawReply("failed", error=error, attempts=attempts)
        if gate.why is not None:
            raise InputError(gate.why)
        raise StoppedError(f"{self.name} was stopped before this was sent")

    def _ended(self, gate: Gate, error: str) -> InputError:
        """End all waiting asks with the same error message."""
        self._window.shut(gate, error)
        return InputError(gate.why or error)

    async def _judged(self, suspicion: Suspicion) -> RawReply | Failure | WrongUse:
        """Confirm or drop a suspicion after all requests in flight have ended."""
        await self._window.quiet()
        return suspicion.otherwise if self._is_proven(suspicion.fault) else suspicion.wrong

    def _is_proven(self, whose: Fault) -> bool:
        """Check whether an answer disproves this kind of wrong use."""
        return self._answered_here if whose in ("address", "form") else self._answered

    async def _is_still_nobody_there(self, gate: Gate) -> bool:
        """Check whether no connection succeeded during the whole waiting time.

        If there is time left, pause before the next attempt.
        """
        left = self._hearing.patience()
        if left > 0:
            await self._window.rest(min(left, LONGEST_REST, self._backoff) * self._random.uniform(0.5, 1.0), gate)
            return False
        await self._window.quiet()
        return not self._reached

    async def _waits_for_the_model(self, error: str, gate: Gate) -> bool:
        """Pause while the service loads its model.

        Returns false after the whole waiting time, if the service has answered before.

        Raises:
            InputError: After the whole waiting time, if the service has never answered.
        """
        left = self._hearing.patience()
        if left > 0:
            await self._window.rest(min(left, LONGEST_REST, self._backoff) * self._random.uniform(0.5, 1.0), gate)
            return True
        if not self._answered_here:
            raise self._ended(gate, self._gave_up(STILL_LOADING, error))
        return False

    def _gave_up(self, why: str, error: str) -> str:
        """Return the error after the whole waiting time."""
        return f"{self.name} at {self.url}: {why} (tried for {self._wait:g} s, {error})"

    async def _has_gone(self, seed: str) -> bool:
        """Check whether too many asks in a row failed to connect.

        The current ask is counted, too.
        """
        self._unreached.add(seed)
        if len(self._unreached) < WITNESSES:
            return False
        await self._window.quiet()
        return len(self._unreached) >= WITNESSES

    def _has_reached(self) -> None:
        self._reached = True
        self._unreached.clear()

    async def _attempt(
        self, body: Sequence[bytes], fields: Mapping[str, object], seed: str, urgent: bool, gate: Gate
    ) -> Outcome | None:
        """Send one request when there is room for it.

        Returns None if the request must no longer be sent.
        """
        try:
            async with self._window.place(urgent=urgent, gate=gate) as entered:
                with self._hearing.request():
                    outcome = await self._exchange(body, fields, seed, entered)
        except StoppedError:
            return None
        if isinstance(outcome, RawReply):
            self._hearing.answered()
        elif isinstance(outcome, Failure):
            self._hearing.said(outcome.error, outcome.pause, unreachable=outcome.unreachable, loading=outcome.loading)
        return outcome

    async def _exchange(
        self, body: Sequence[bytes], fields: Mapping[str, object], seed: str, entered: float
    ) -> Outcome:
        try:
            async with asyncio.timeout(self.timeout):
                received = await self._connections.post(body)
        except TimeoutError:
            self._window.overloaded(entered, None)
            return Failure(f"no answer within {self.timeout:g} s")
        except httpx.RequestError as error:
            unreachable = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
            if not unreachable:
                self._has_reached()
            return Failure(self.clean(f"{type(error).__name__}: {error}"), unreachable=unreachable)
        except BodyError as error:
            self._has_reached()
            return Failure(self.clean(str(error)), lasting=error.too_large, cut=True, lost=CUT)
        except InputError as error:  # an error of this machine: no request can be sent
            return WrongUse(str(error))
        self._has_reached()
        return self._understood(received, fields, seed, entered)

    def _understood(self, received: Received, fields: Mapping[str, object], seed: str, entered: float) -> Outcome:
        """Interpret a response for the call."""
        pause, told = retry_after(received.headers), ServiceError("")
        if not 200 <= received.status < 300:
            told = self.wire.error(received.body)
            pause = told.pause if pause is None else pause
            return self._unanswered(received.status, told, pause, fields, seed, entered)
        try:
            check_content_type(received.headers)
            reply = self.wire.read(received.body)
        except OtherFormError as error:
            trouble = Failure(self.clean(str(error)), pause)
            wrong = WrongUse(f"{self.name} at {self.url}: {self.advice('form')} ({trouble.error})")
            return trouble if self._is_proven("form") else Suspicion(wrong, "form", trouble)
        except UnreadableReplyError as error:
            if error.told is not None and (outcome := self._told_as_reply(error, pause, fields, seed, entered)):
                return outcome
            return Failure(self.clean(str(error)), pause, lost=error.lost)
        seconds = asyncio.get_running_loop().time() - entered
        self._window.answered(seconds)
        self._answered = self._answered_here = True
        return replace(self.key.hide_in(reply), seconds=seconds)

    def _told_as_reply(
        self,
        error: UnreadableReplyError,
        pause: float | None,
        fields: Mapping[str, object],
        seed: str,
        entered: float,
    ) -> Outcome | None:
        """Interpret an error that a service sends with a good status.

        Some gateways report all errors in this way. Returns None if the error is unknown, or only a temporary one.
        """
        told = error.told or ServiceError("")
        status = 200 if error.status is None else error.status
        if diagnosed(status, told, tuple(fields)).fault == "passing" and status not in OVERLOADED:
            return None
        outcome = self._unanswered(status, told, pause, fields, seed, entered)
        if isinstance(outcome, Suspicion):
            return replace(outcome, otherwise=replace(outcome.otherwise, lost=error.lost))
        return outcome if isinstance(outcome, WrongUse) else replace(outcome, lost=error.lost)

    def _unanswered(
        self,
        status: int,
        told: ServiceError,
        pause: float | None,
        fields: Mapping[str, object],
        seed: str,
        entered: float,
    ) -> Outcome:
        """Decide whether to repeat the attempt, give up the call, or stop."""
        error = self.clean(f"HTTP {status}: {told.message}")
        known = diagnosed(status, told, tuple(fields))
        whose = known.fault
        if whose == "loading":
            return Failure(error, pause, loading=True)
        if status in OVERLOADED:
            self._window.overloaded(entered, pause if pause is None or pause <= LONGEST_PAUSE else None)
        if whose == "passing":
            return Failure(error, pause)
        if whose in REFUSED:
            return RawReply("refused", error=refusal_words(error, known))
        if FRAME_TIMES not in fields and FRAME_TIMES in f"{told.parameter} {told.message}":
            return WrongUse(f"{self.name} at {self.url}: the service {no_times(told.message)} ({error})")
        advice = self.advice(whose)
        if whose in ("settings", "named") and (flags := cure(told, fields, self.flag)):
            advice = f"the service refuses this form of request: add {flags}"
        elif known.remedy:
            advice += f" ({known.remedy})"
        wrong = WrongUse(f"{self.name} at {self.url}: {advice} ({error})")
        if whose in ("key", "credit", "settings"):
            return wrong
        otherwise = Failure(error, pause) if whose == "address" else RawReply("refused", error=error)
        if self._is_proven(whose) or (whose == "request" and self._refused_first in (None, seed)):
            self._refused_first = self._refused_first or seed
            return otherwise
        return Suspicion(wrong, whose, otherwise)

    def advice(self, whose: Fault) -> str:
        """Return the remedy for wrong use."""
        key_flag = self.flag.replace("set", "key-variable")
        return WRONG_USE[whose].format(
            flag=self.flag, key_flag=key_flag, service=self.wire.service, remedy=self.wire.remedy
        )

    def clean(self, text: str) -> str:
        """Return one short line without the key.

        Some services repeat the key in their responses.
        """
        text = " ".join(self.key.hide(text).split())
        return text if len(text) <= 300 else text[:297] + "..."


def _added(lost: Lost | None, more: Lost | None) -> Lost | None:
    return more if lost is None else lost if more is None else lost.plus(more)


@dataclass(frozen=True)
class Request:
    """A request: the fragments of its body, and the SHA-256 of its pictures.

    ``fields`` are the fields of the body besides model and messages.
    """

    body: Sequence[bytes]
    fields: Mapping[str, object]
    pictures: tuple[str, ...]


class EndpointSession:
    """The asks of one group, which share an encoded prefix and encoded pictures."""

    def __init__(self, endpoint: Endpoint, prefix: Sequence[Part], pictures: PictureBytes) -> None:
        self._endpoint = endpoint
        self._parts, self._pictures = prefix, pictures
        self._videos = videos_of_frames(prefix)
        self._fields: Fields | None = None

    async def ask(self, tail: Sequence[Part], decoding: Decoding, *, seed: str, urgent: bool = False) -> RawReply:
        """Send the prefix followed by ``tail``.

        The docstring of this module lists the failures that become the state of a reply, and the failures that are
        raised as errors.
        """
        request = self.request(tail, decoding)
        reply = await self._endpoint.send(request.body, request.fields, seed, urgent=urgent)
        return replace(reply, pictures=request.pictures)

    def request(self, tail: Sequence[Part], decoding: Decoding) -> Request:
        """Make the request for the prefix followed by ``tail``, without sending it.

        Raises:
            InputError: If the service's wire format cannot express the parts or the settings.
        """
        wire = self._endpoint.wire
        fields = wire.fields(decoding)
        if fields != self._fields:  # in practice only once, because all asks of a session have the same settings
            self._encoder = Encoder(self._pictures, wire.shape(fields))
            self._prefix: list[Piece] = self._encoder.prefix(self._parts)
            self._fields = fields
        if videos := self._videos or videos_of_frames(tail):
            fields = wire.with_times(fields, videos[0])  # a plan refuses prompts whose videos differ in their times
        pieces = [*self._prefix, *self._encoder.pieces(tail)]
        body = wire.body(self._endpoint.model, pieces, fields)
        return Request(body, fields.set_as, tuple(sha256 for piece in pieces for sha256 in piece.sha256))
