"""What holds for every form of services that has a client of its own; a further form is a module more."""

import time
from collections.abc import Iterator
from types import ModuleType

import models_anthropic
import models_google
import pytest
from models_chat_server import Answer, ChatServer
from models_hosted import KEY, ask, at_home, bytes_of, picture

from chronotope.errors import InputError
from chronotope.models import Decoding
from chronotope.models.services.body import Encoder
from chronotope.protocol import Image, Text

FORMS: tuple[ModuleType, ...] = (models_anthropic, models_google)
of_every_form = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.PROVIDER)


def each(table: str) -> pytest.MarkDecorator:
    """A case for each form and each entry of this table of it."""
    cases = [(form, name, told) for form in FORMS for name, told in getattr(form, table).items()]
    return pytest.mark.parametrize(
        ("form", "told"), [pytest.param(form, told, id=f"{form.PROVIDER}-{name}") for form, name, told in cases]
    )


@pytest.fixture(scope="module")
def service() -> Iterator[ChatServer]:
    with ChatServer() as server, pytest.MonkeyPatch.context() as patch:
        for form in FORMS:
            at_home(patch, server, form.PROVIDER)
        yield server


@of_every_form
def test_bodies_share_the_bytes_of_a_prefix(form: ModuleType) -> None:
    fields = form.WIRE.fields(Decoding())
    encoder = Encoder(bytes_of, form.WIRE.shape(fields))
    prefix = encoder.prefix([picture("a"), picture("b")])
    bodies = [form.WIRE.body("m", [*prefix, *encoder.pieces([Text(text)])], fields) for text in ("1?", "2?")]
    shared = [{id(fragment) for fragment in body if len(fragment) > 1000} for body in bodies]
    assert shared[0] == shared[1] != set()


@of_every_form
def test_what_the_form_cannot_express_is_one_sentence(service: ChatServer, form: ModuleType) -> None:
    with pytest.raises(InputError, match="no pictures in the system text"):
        ask(form.MODEL, [Image(picture("a").picture, "system"), Text("?")])
    for name in form.OWN_FIELDS:
        with pytest.raises(InputError, match=f"the field '{name}' .* leave it out"):
            ask(form.MODEL, decoding=Decoding(extra={name: 2}))


@each("OTHER_BODIES")
def test_other_bodies_are_failed_calls(service: ChatServer, form: ModuleType, told: bytes) -> None:
    service.restart([Answer(told)])
    (reply,) = ask(form.MODEL, retries=1)
    assert (reply.state, reply.attempts) == ("failed", 2)


@each("LATER")
def test_passing_trouble_is_tried_again(service: ChatServer, form: ModuleType, told: Answer) -> None:
    service.restart([told, form.ECHO])
    (reply,) = ask(form.MODEL)
    assert (reply.state, reply.attempts) == ("replied", 2)
    service.restart([told])
    (reply,) = ask(form.MODEL)
    assert (reply.state, reply.attempts) == ("failed", 3) and str(told.status) in str(reply.error)


@of_every_form
def test_the_pause_that_the_service_asks_for_is_kept(service: ChatServer, form: ModuleType) -> None:
    service.restart([form.SLOW, form.ECHO])
    start = time.monotonic()
    assert ask(form.MODEL)[0].attempts == 2
    assert time.monotonic() - start >= form.PAUSE


@each("WRONG_USE")
def test_wrong_use_ends_with_one_sentence(service: ChatServer, form: ModuleType, told: tuple[Answer, str]) -> None:
    answer, sentence = told
    service.restart([answer])
    with pytest.raises(InputError, match=sentence) as caught:
        ask(form.MODEL, decoding=Decoding(extra={"effort": 1} if "effort" in sentence else {}))
    assert KEY not in str(caught.value) and "/chat/completions" not in str(caught.value)
    assert len(service.received) == 1


@each("TOO_LARGE")
def test_a_request_that_is_too_large_is_refused_alone(service: ChatServer, form: ModuleType, told: Answer) -> None:
    service.restart([told])
    replies = ask(form.MODEL, [Text("1?")], [Text("2?")], [Text("3?")])
    assert [(reply.state, reply.attempts) for reply in replies] == [("refused", 1)] * 3


@of_every_form
def test_an_echoed_key_is_hidden(service: ChatServer, form: ModuleType) -> None:
    service.restart([form.BROKEN])
    assert KEY not in str(ask(form.MODEL, retries=0)[0].error)
    service.restart([form.ECHO])
    assert ask(form.MODEL)[0].text == "your key is [key]"
