"""A writer model over real HTTP: its words are taken where it finds the thing again in the pictures it is shown."""

import base64
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from chronotope.errors import InputError
from chronotope.ledger import read_ledger
from chronotope.make import BuildRequest, build, try_build
from chronotope.models import Calls, Credentials, ModelSpec, RunPrice, structured
from chronotope.question import open_benchmark
from chronotope.recording import load_recording
from chronotope.world import QUALITIES, simulate
from service import ChatService, completion


class Service(ChatService):
    """Adds "shiny" to phrases and reads the numbers in the pictures by comparing them with drawn ones."""

    def __init__(self):
        self.refuse, self.blind = None, set()
        self.tokens = (7, 3)
        self.broken, self.failing = 0, None  # the place of the call that always fails, and its body
        self.boxes = {}  # id -> list of (x0, y0) of the thing's place in every sample
        self.things = {}  # phrase -> id
        super().__init__()

    def answer(self, body):
        if self.refuse:
            return self.refuse, {"error": {"message": "no"}}
        with self.lock:
            self.broken -= 1
            if self.broken == 0:
                self.failing = body
        if body == self.failing:
            return 500, {"error": {"message": "no"}}
        parts = [
            part for message in body["messages"] if isinstance(message["content"], list) for part in message["content"]
        ]
        text = " ".join(part["text"] for part in parts if part["type"] == "text")
        pictures = [
            np.asarray(Image.open(io.BytesIO(base64.b64decode(part["image_url"]["url"].split(",")[1]))))
            for part in parts
            if part["type"] == "image_url"
        ]
        assert len(pictures) in (1, 2)
        if found := re.search(r"in the red frame is (.*?)\. Other", text):
            told = {"phrase": found[1].replace("the ", "the shiny ", 1)}
        else:
            thing = self.things[text.split("The phrase: ")[1].replace("the shiny ", "the ", 1)]
            told = {"numbers": [1, 2] if thing in self.blind else self.number_on(thing, pictures)}
        return 200, completion(json.dumps(told), self.tokens)

    def number_on(self, thing, pictures):
        """The number drawn at the thing's corner in the first picture, read by trying all; none where none fits."""
        picture = pictures[0].astype(int)
        height, width = picture.shape[:2]
        font = ImageFont.load_default(max(12, height // 24))
        best = (30.0, [])
        for x, y in set(self.boxes[thing]):
            left, top = max(x, 0.0) + 3, max(y, 0.0) + 2
            for number in range(1, 13):
                # Drawn on a small sheet at the same fraction of a pixel, where it looks as it does in the picture.
                drawn = Image.new("RGB", (8 * font.size, 4 * font.size))
                draw, corner = ImageDraw.Draw(drawn), (left % 1 + 4, top % 1 + 4)
                place = draw.textbbox(corner, str(number), font=font)
                draw.rectangle(place, fill="white")
                draw.text(corner, str(number), fill="red", font=font)
                x0, y0, x1, y1 = (round(side) for side in place)
                right, down = int(left) - 4, int(top) - 4  # from the sheet to the picture
                x1, y1 = min(x1, width - right), min(y1, height - down)
                patch = np.asarray(drawn)[y0 + 1 : y1, x0 + 1 : x1].astype(int)
                there = picture[y0 + 1 + down : y1 + down, x0 + 1 + right : x1 + right]
                if there.shape == patch.shape and there.size:
                    best = min(best, (float(np.abs(there - patch).mean()), [number]))
        return best[1]


@pytest.fixture(scope="module")
def plain(drawable, tmp_path_factory):
    """A benchmark of one table in our own words."""
    place = tmp_path_factory.mktemp("plain")
    quality = replace(QUALITIES["fast"], seconds=(2.0, 2.0))
    simulate("table", "table", np.random.default_rng(3), quality, place)
    return build(request(place, place / "bench"), workers=1).folder


def request(place, out, **more):
    return BuildRequest("sti", place / "recordings", out, options={"per_variant": 1}, **more)


@pytest.fixture
def service(plain):
    started = Service()
    [folder] = (plain / "recordings").iterdir()
    for entity in load_recording(folder).entities:
        started.boxes[entity.id] = [(float(row[0]), float(row[1])) for row in entity.box2d if not np.isnan(row).any()]
    for question in open_benchmark(plain).questions:
        started.things.update({phrase: thing for thing, phrase in question.phrases().items()})
    yield started
    started.close()


def test_words_that_pass_are_taken_and_nothing_else_changes(plain, service, tmp_path):
    blind = sorted(service.things.values())[0]
    service.blind.add(blind)
    built = build(request(plain.parent, tmp_path / "bench", writer=ModelSpec("endpoint/w", service.url)), workers=1)
    before = {question.id: question for question in open_benchmark(plain).questions}
    after = {question.id: question for question in open_benchmark(built.folder).questions}
    assert before.keys() == after.keys()
    shiny = set()
    for name, question in after.items():
        old = before[name]
        assert question.answer == old.answer and question.provenance.get("value") == old.provenance.get("value")
        texts = [question.stem, *(option.text for option in question.options)]
        assert [text.replace("the shiny ", "the ") for text in texts] == [
            old.stem,
            *(option.text for option in old.options),
        ]
        for thing, phrase in question.phrases().items():
            if phrase.startswith("the shiny "):
                shiny.add(thing)
                assert question.provenance["writer"] == "endpoint/w" and any(phrase in text for text in texts)
    assert shiny and blind not in shiny
    [note] = built.notes["endpoint/w"]
    assert note.startswith(f"{len(shiny)} of ")
    lines = read_ledger(built.folder / "ledger.jsonl")
    assert {line.kind for line in lines} == {"write", "validate"}
    assert all(line.pictures and line.input_tokens == 7 for line in lines)
    assert len(lines) == len({line.key for line in lines}) == len(service.bodies)
    assert built.card.command.endswith("--writer endpoint/w")


def test_a_service_that_refuses_is_told_and_nothing_paid_for_is_asked_again(service, plain, tmp_path):
    wanted = request(plain.parent, tmp_path / "bench", writer=ModelSpec("endpoint/w", service.url))
    service.refuse = 401
    with pytest.raises(InputError, match=r"endpoint/w at .*does not accept the API key.*HTTP 401"):
        build(wanted, workers=1)
    assert not (tmp_path / "bench").exists()
    service.refuse = None
    foreseen, refused = try_build(wanted, 0).writer_calls, len(service.bodies)
    build(wanted, workers=1)
    asked = len(service.bodies)
    assert foreseen == (asked - refused, 6 * (asked - refused)) and asked > refused  # every first phrase is taken
    assert build(wanted, workers=1).already_there and len(service.bodies) == asked


def test_calls_without_a_reply_are_told(service, plain, tmp_path, monkeypatch):
    monkeypatch.setattr(structured, "BACKOFF", 0.001)
    wanted = request(plain.parent, tmp_path / "bench", writer=ModelSpec("endpoint/w", service.url))
    service.refuse = 500
    with pytest.raises(InputError, match=r"calls failed \(.*HTTP 500.*\): all replies are kept, and the same command"):
        build(wanted, workers=1)
    assert not (tmp_path / "bench").exists(), "a later attempt may succeed"
    service.refuse, service.broken = None, 3
    counts, unread = build(wanted, workers=1).notes["endpoint/w"]
    assert "have names from the writer" in counts
    assert re.match(r"calls without a readable reply: 1 \(.*HTTP 500.*: 1\)", unread)


def test_a_limit_on_the_cost_stops_the_writer_and_a_larger_one_continues(service, plain, tmp_path):
    price = RunPrice(input=1e6, output=0)  # one unit for each token
    wanted = request(plain.parent, tmp_path / "bench", writer=ModelSpec("endpoint/w", service.url))
    service.tokens = (700, 3)
    small = Calls(price=price, max_cost=20_000, concurrency=2)
    with pytest.raises(InputError, match=r"--max-cost 20000 \(.* is spent\): the same command with a larger limit"):
        build(replace(wanted, writer_calls=small), workers=1)
    asked = len(service.bodies)
    assert asked and not (tmp_path / "bench").exists()
    built = build(replace(wanted, writer_calls=Calls(price=price)), workers=1)
    lines = read_ledger(built.folder / "ledger.jsonl")
    assert len(service.bodies) == len(lines) > asked  # what was paid for is not asked again
    assert {line.money for line in lines} == {700.0}


def test_a_writer_has_its_own_key_and_headers_which_are_written_nowhere(service, plain, tmp_path, monkeypatch):
    secrets = ("sk-of-endpoints-012345", "sk-of-the-writer-012345", "header-of-the-writer-012345")
    monkeypatch.setenv("CHRONOTOPE_API_KEY", secrets[0])
    monkeypatch.setenv("WRITER_KEY", secrets[1])
    credentials = Credentials("WRITER_KEY", (f"api-key: {secrets[2]}",))
    wanted = request(plain.parent, tmp_path / "bench", writer=ModelSpec("endpoint/w", service.url))
    build(replace(wanted, writer=replace(wanted.writer, credentials=credentials)), workers=1)
    assert {(head["Authorization"], head["api-key"]) for head in service.heads} == {
        (f"Bearer {secrets[1]}", secrets[2])
    }
    assert not any(secrets[0] in str(head) for head in service.heads)
    written = b"".join(file.read_bytes() for file in (tmp_path / "bench").rglob("*") if file.is_file())
    assert not any(secret.encode() in written for secret in secrets)


def test_a_writer_without_an_address_is_told_before_any_work(tmp_path):
    with pytest.raises(InputError, match="needs --base-url"):
        build(request(tmp_path / "none", tmp_path / "bench", writer=ModelSpec("endpoint/w")), workers=1)
    assert list(tmp_path.iterdir()) == []
