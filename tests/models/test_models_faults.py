"""Faults of the service and of the network: what state they end in, after how many attempts, and what is told."""

import asyncio
import socket
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from models_chat_server import GOOD, Answer, ChatServer, Received, ask, completion, error, no_pictures

from chronotope.errors import InputError
from chronotope.models import Decoding
from chronotope.models.services.endpoint import Endpoint
from chronotope.models.services.in_flight import Gate, Window
from chronotope.models.services.replies import retry_after
from chronotope.protocol import Text

PAGE = b"<!DOCTYPE html><html><body>Bad gateway</body></html>"
LONG_AGO = "Wed, 21 Oct 2015 07:28:00 GMT"


def typed(content_type: str) -> Answer:
    return Answer(completion(), headers={"Content-Type": content_type})


PASSING = {
    "408": (error(408), "HTTP 408: on purpose"),
    "409": (error(409), "HTTP 409: on purpose"),
    "425": (error(425), "HTTP 425"),
    "429": (error(429), "HTTP 429: on purpose"),
    "429 with Retry-After in seconds": (error(429, headers={"Retry-After": "0"}), "HTTP 429"),
    "429 with a date in Retry-After": (error(429, headers={"Retry-After": LONG_AGO}), "HTTP 429"),
    "500": (error(500), "HTTP 500: on purpose"),
    "502 with a page": (Answer(PAGE, 502), "HTTP 502: an HTML or XML page"),
    "503 without a body": (Answer(b"", 503), "HTTP 503: an empty body"),
    "529": (error(529), "HTTP 529"),
    "a page": (Answer(PAGE), "an HTML or XML page"),
    "not UTF-8": (Answer(b'{"choices": "\xff\xfe"}'), "not UTF-8 at byte 13"),
    "not JSON": (Answer(b"data: {}"), "not JSON"),
    "nothing": (Answer(b""), "not JSON"),
    "deep JSON": (Answer(b"[" * 200_000), "not JSON"),
    "half a body": (Answer(completion(), cut=0.5), "RemoteProtocolError"),
    "no body": (Answer(completion(), cut=0.0), "RemoteProtocolError"),
    "half the JSON": (Answer(completion()[:50]), "not JSON"),
    "a list": (Answer(b"[1]"), "without choices[0].message"),
    "no choices": (Answer(b'{"choices": []}'), "without choices[0].message"),
    "a word as message": (Answer(b'{"choices": [{"message": "A"}]}'), "without choices[0].message"),
    "an empty message": (Answer(b'{"choices": [{"message": {}}]}'), "neither content nor a finish reason"),
    "a number as content": (Answer(completion(3)), "the content is int, neither text nor a list"),
    "an error under 200": (Answer(b'{"error": {"message": "upstream died", "code": 502}}'), "upstream died"),
    "an error beside an answer": (
        Answer(completion()[:-1] + b', "error": {"message": "upstream died"}}'),
        "upstream died",
    ),
    "an error in the choice": (
        Answer(b'{"choices": [{"message": {"content": "A"}, "error": {"message": "upstream died"}}]}'),
        "upstream died",
    ),
    "an answer that broke off": (Answer(completion("A", "error")), "an error with a success status"),
    "broken gzip": (
        Answer(completion(), headers={"Content-Encoding": "gzip"}),
        "not gzip, although its header says so",
    ),
    "what was not requested": (Answer(completion(), headers={"Content-Encoding": "br"}), "was not requested"),
    "hang": (Answer(hang=True), "no answer within 0.2 s"),
    "drip": (Answer(completion(), drip=0.05), "no answer within 0.2 s"),
    "reset": (Answer(reset=True), "ReadError"),
}


# A body that may be that of a reply is billed by some services, each time.
BILLED = (
    *("not UTF-8", "not JSON", "deep JSON", "half the JSON", "a list", "no choices", "a word as message"),
    *("an empty message", "a number as content"),
)


@pytest.mark.parametrize("name", PASSING)
def test_trouble_that_lasts_is_a_failed_call(server: ChatServer, name: str) -> None:
    answer, told = PASSING[name]
    attempts = 2 if name in BILLED else 3
    server.restart([answer])
    (reply,) = ask(server.url, timeout=0.2 if name in ("hang", "drip") else 10)
    assert (reply.state, reply.attempts, reply.text) == ("failed", attempts, None)
    assert reply.error is not None and told in reply.error and len(reply.error) <= 300
    assert len(server.received) == attempts
    assert len({request.raw for request in server.received}) == 1, "every attempt sends the same bytes"


@pytest.mark.parametrize("name", PASSING)
def test_trouble_that_passes_is_a_reply(server: ChatServer, name: str) -> None:
    before = [PASSING[name][0]] * (1 if name in BILLED else 2)
    server.restart([*before, GOOD])
    (reply,) = ask(server.url, timeout=0.3 if name in ("hang", "drip") else 10)
    assert (reply.state, reply.text, reply.attempts, reply.error) == ("replied", "A", len(before) + 1, None)


OTHER_FORMS = {
    "a page": (Answer(PAGE, headers={"Content-Type": "text/html"}), "content type is 'text/html', not"),
    "text": (typed("text/plain; charset=utf-8"), "content type is 'text/plain; charset=utf-8', not JSON"),
    "an event stream": (typed("text/event-stream"), "content type is 'text/event-stream', not JSON"),
    "lines of JSON": (typed("application/x-ndjson"), "content type is 'application/x-ndjson', not JSON"),
    "no type at all": (typed("json"), "content type is 'json', not JSON"),
}


@pytest.mark.parametrize("name", OTHER_FORMS)
def test_another_content_type_ends_at_once_and_after_an_answer_is_passing_trouble(
    server: ChatServer, name: str
) -> None:
    answer, told = OTHER_FORMS[name]
    server.restart([answer])
    with pytest.raises(InputError, match="not a chat-completions service") as caught:
        ask(server.url, ["1", "2", "3"])
    assert told in str(caught.value) and len(server.received) == 1
    server.restart([GOOD, answer, answer, GOOD])
    first, second = ask(server.url, ["1", "2"])
    assert (first.attempts, second.state, second.attempts) == (1, "replied", 3)


@pytest.mark.parametrize(
    "content_type",
    [None, "", "application/json", "Application/JSON; charset=UTF-8", "text/json", "application/vnd.api+json"],
)
def test_json_by_any_of_its_types_and_without_one_is_read(server: ChatServer, content_type: str | None) -> None:
    server.restart([Answer(completion("C"), headers={"Content-Type": content_type})])
    (reply,) = ask(server.url)
    assert (reply.state, reply.text, reply.attempts) == ("replied", "C", 1)


def test_a_late_answer_is_no_answer(server: ChatServer) -> None:
    server.restart([Answer(completion(), delay=0.5)])
    (reply,) = ask(server.url, timeout=0.1, retries=0)
    assert (reply.state, reply.attempts) == ("failed", 1)


@pytest.mark.parametrize("together", [False, True])
def test_where_nobody_ever_was_the_first_ask_tells(together: bool) -> None:
    with socket.socket() as bound:  # bound and not listening: connections are refused
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}/v1"
        with pytest.raises(InputError, match=r"endpoint/m at .*: no service answers there: .*ConnectError"):
            ask(url, ["1", "2", "3"], together, wait=0.3)


def test_a_service_that_was_there_once_is_waited_for_and_then_no_more() -> None:
    """Two asks that find nobody may have met a restart; the third in a row ends it, unless somebody was met between."""

    last = [Answer(completion(), headers={"Connection": "close"})]  # an open connection would go on being answered

    async def go() -> list[str]:
        states: list[str] = []

        async def put(seed: int) -> None:
            states.append((await session.ask([Text("q")], Decoding(), seed=str(seed))).state)

        with ChatServer(last) as there:
            endpoint = Endpoint("endpoint/m", "m", there.url, retries=0)
            port = there.port
            async with endpoint.open([], no_pictures) as session:
                await put(0)
        async with endpoint.open([], no_pictures) as session:
            await put(1)
            await put(2)
            with ChatServer(last, port=port):
                await put(3)
            await put(4)
            await put(4)
            await put(5)
            with pytest.raises(InputError, match="no service answers there"):
                await put(6)
        await endpoint.close()
        return states

    failed = ["failed"] * 2
    assert asyncio.run(go()) == ["replied", *failed, "replied", "failed", *failed]


REFUSED_AT_ONCE = {
    "content policy": error(400, "rejected by the safety system", code="content_policy_violation"),
    "filter of the service": error(400, "The response was filtered", code="content_filter"),
    "too long": error(400, "This model's maximum context length is 4096 tokens", code=400, param="max_tokens"),
    "too large": error(413, "Payload too large"),
    "moderation": error(403, "Your input was flagged", code=403),
}


@pytest.mark.parametrize("name", REFUSED_AT_ONCE)
def test_what_is_wrong_with_one_request_is_a_refused_call(server: ChatServer, name: str) -> None:
    server.restart([REFUSED_AT_ONCE[name]])
    replies = ask(server.url, ["1", "2", "3"])
    assert [(reply.state, reply.attempts) for reply in replies] == [("refused", 1)] * 3
    assert replies[0].error is not None and replies[0].error.startswith("HTTP 4")


@pytest.mark.parametrize("status", [400, 403, 422, 418])
def test_after_an_answer_a_refusal_is_of_that_call_only(server: ChatServer, status: int) -> None:
    server.restart([GOOD, error(status), error(status), GOOD])
    replies = ask(server.url, ["1", "2", "3", "4"])
    assert [reply.state for reply in replies] == ["replied", "refused", "refused", "replied"]


WRONG_USE = {
    "401": (error(401, "bad key"), "does not accept the API key"),
    "Google's bad key": (
        Answer(b'[{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}]', 400),
        "does not accept the API key",
    ),
    "402": (error(402, "Insufficient credits"), "no credit left"),
    "quota": (error(429, "You exceeded your quota", code="insufficient_quota"), "no credit left"),
    "setting": (error(400, "Not so", code="unsupported_parameter"), "NAME=null"),
    "setting by name": (error(400, "out of range", param="temperature"), "add --set temperature=null"),
}


@pytest.mark.parametrize("answered_before", [False, True])
@pytest.mark.parametrize("name", WRONG_USE)
def test_wrong_use_stops_at_any_time(server: ChatServer, name: str, answered_before: bool) -> None:
    answer, told = WRONG_USE[name]
    server.restart([GOOD, answer] if answered_before else [answer])
    with pytest.raises(InputError, match=told) as caught:
        ask(server.url, ["1", "2"])
    assert len(server.received) == 1 + answered_before
    assert str(caught.value).startswith(f"endpoint/m at {server.url}/chat/completions: ")


@pytest.mark.parametrize("status", [301, 403, 404, 405])
def test_a_wrong_address_stops_before_the_first_answer(server: ChatServer, status: int) -> None:
    server.restart([error(status, headers={"Location": "/elsewhere"})])
    with pytest.raises(InputError, match="check" if status != 403 else "has access to this model"):
        ask(server.url)
    assert len(server.received) == 1


@pytest.mark.parametrize("status", [302, 404, 405])
def test_a_lost_address_is_passing_trouble_after_an_answer(server: ChatServer, status: int) -> None:
    server.restart([GOOD, error(status)])
    replies = ask(server.url, ["1", "2"])
    assert [(reply.state, reply.attempts) for reply in replies] == [("replied", 1), ("failed", 3)]


def test_a_second_refusal_before_any_answer_stops(server: ChatServer) -> None:
    server.restart([error(422, "no")])
    assert ask(server.url, ["1", "1"])[1].state == "refused", "the same ask again is no second witness"
    with pytest.raises(InputError, match=r"every request so far was refused.*HTTP 422: no"):
        ask(server.url, ["1", "2"])


def test_retry_after_is_waited_out_by_all(server: ChatServer) -> None:
    arrivals: list[float] = []

    def rule(request: Received) -> Answer:
        arrivals.append(time.monotonic())
        return error(429, headers={"Retry-After": "1"}) if len(arrivals) == 1 else GOOD

    server.restart([])
    server.script = rule
    replies = ask(server.url, ["1", "2", "3"], together=True, concurrency=1)
    assert sorted(reply.attempts for reply in replies) == [1, 1, 2]
    assert min(later - arrivals[0] for later in arrivals[1:]) >= 0.95


def test_retry_after_of_an_error_that_is_no_overload_is_waited_out_by_its_call(server: ChatServer) -> None:
    server.restart([error(500, headers={"Retry-After": "1"}), GOOD])
    start = time.monotonic()
    assert ask(server.url)[0].attempts == 2
    assert time.monotonic() - start >= 0.95


def test_a_pause_that_is_too_long_gives_the_call_up(server: ChatServer) -> None:
    server.restart([error(429, headers={"Retry-After": "86400"}), GOOD])
    first, second = ask(server.url, ["1", "2"])
    assert (first.state, first.attempts) == ("failed", 1)
    assert first.error is not None and "asks to wait 86400 s" in first.error
    assert second.state == "replied"


def test_back_off_doubles(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []

    async def note(window: Window, seconds: float, gate: Gate) -> None:
        assert window.gate is gate
        pauses.append(seconds)

    monkeypatch.setattr(Window, "rest", note)
    server.restart([error(500)])
    (reply,) = ask(server.url, retries=8, backoff=1.0)
    assert reply.attempts == 9
    assert len(pauses) == 8
    for pause, longest in zip(pauses, [1, 2, 4, 8, 16, 32, 60, 60], strict=True):
        assert longest / 2 <= pause <= longest
    assert len({pause % 1 for pause in pauses}) > 1, "jitter"


@given(st.integers(0, 10**6), st.integers(-3600, 3600))
def test_retry_after_forms(seconds: int, skew: int) -> None:
    assert retry_after({"retry-after": f" {seconds} "}) == seconds
    now = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=skew)
    until = format_datetime(now + timedelta(seconds=seconds), usegmt=True)
    assert retry_after({"retry-after": until, "date": format_datetime(now, usegmt=True)}) == seconds
    assert retry_after({"retry-after": format_datetime(now - timedelta(days=1), usegmt=True)}) == 0


@pytest.mark.parametrize("text", ["", "soon", "nan", "inf", "Wed, 99 Foo 2020"])
def test_retry_after_that_says_nothing(text: str) -> None:
    assert retry_after({"retry-after": text}) is None
    assert retry_after({}) is None


def test_a_date_in_retry_after_without_a_clock_is_taken_by_ours() -> None:
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=100), usegmt=True)
    pause = retry_after({"retry-after": until})
    assert pause is not None and 90 < pause <= 100
