"""Descriptions of diagrams: written over real HTTP, imported, cleaned of what tells the order, checked."""

import hashlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ikea_writer_service import WriterService
from PIL import Image, ImageDraw
from pydantic import ValidationError

from chronotope.errors import InputError
from chronotope.families import DescribeRequest
from chronotope.families.ikea.descriptions import (
    INSTRUCTIONS,
    StepRecord,
    clean_descriptions,
    clean_text,
    cross_check,
    describe,
    find_leaks,
    import_descriptions,
    rows_of,
    to_describe,
)
from chronotope.families.ikea.protocol import description_text
from chronotope.families.ikea.tasks import DIMENSIONS
from chronotope.ledger import read_ledger
from chronotope.models import Calls, ModelSpec
from chronotope.question import Description, by_image, read_descriptions, write_descriptions
from chronotope.recording import Procedure, Step
from chronotope.recording.procedures import save_procedure

NONE = dict.fromkeys(DIMENSIONS, "None visible.")


def said(**more):
    """A description of two panels and a seat, changed."""
    return {
        **NONE,
        "parts": "Two side panels and one seat panel.",
        "action": "The seat panel is pushed between the two side panels.",
        "result": "The three panels stand upright.",
    } | more


# --- records


def test_a_record_comes_back_from_its_rows():
    record = StepRecord.model_validate(said(tools="", fasteners=" 4x 110349 "))
    rows = rows_of("images/a/step_0.png", record, "endpoint/w")
    assert [row.dimension for row in rows] == [name for name in DIMENSIONS if name != "tools"]
    assert {(row.image, row.author, row.original) for row in rows} == {("images/a/step_0.png", "endpoint/w", None)}
    assert {row.dimension: row.text for row in rows} == {k: v for k, v in record.model_dump().items() if v}
    assert record.fasteners == "4x 110349"


def test_a_record_that_says_nothing_is_none():
    with pytest.raises(ValidationError, match="all dimensions are empty"):
        StepRecord.model_validate(NONE | {"tools": " "})


# --- leaks

LEAKS = [  # text, cleaned as published, cleaned strictly
    ("Take the frame from step 3.", "Take the frame from a previous step.", "Take the frame from another step."),
    ("The same panel as in Step 2 is used.", "The panel similar to another step is used.", None),
    ("Same as step #4", "Similar to another step", "Same as another step"),
    ("Put in step4 the leg", "Put in a previous step the leg", "Put in another step the leg"),
    ("As the previous steps showed", "As the previous steps showed", "As other steps showed"),
    ("This is the very last assembly step.", "This is the very last assembly step.", "This is another step."),
    ("Done in steps 1, 2 and three", None, "Done in other steps"),
    ("step three of seven", "step three of seven", "another step"),
    ("Step (3): push", "Step (3): push", "Another step: push"),
    ("In step 2, 4 screws go in", None, "In another step, 4 screws go in"),
    ("see step \u2462 and step No. 5", "see step \u2462 and step No. 5", "see another step and another step"),
    ("the frame from a previous step", "the frame from a previous step", "the frame from another step"),
    ("the twenty-first step", "the twenty-first step", "another step"),
    ("the 1st and 2nd steps", "the 1st and 2nd steps", "other steps"),
    ("as in \u2461", "as in \u2461", "as in another step"),
    ("as shown in Step #4", "as shown in a previous step", "as shown in another step"),
    ("Push. Step 4 follows", None, "Push. Another step follows"),
    ("Figure 5 shows the seat", "Figure 5 shows the seat", "Another figure shows the seat"),
    ("The fifth diagram", None, "Another diagram"),
    ("The last diagram of the manual", None, "Another diagram of the manual"),
    ("Stage 3 of assembly, after phase two", None, "Another step of assembly, after another step"),
    ("see page 6, Fig. 2 and pictures 3 to 5", None, "see another page, another figure and other pictures"),
    ("the first two pages", None, "other pages"),
    ("on page (7)", None, "on another page"),
]
CLEAN = ["A step stool with two steps", "step by step", "Another step", "the first panel", "footstep 3", "4x 110349"]
CLEAN += [
    "In the diagram 4 screws go in",
    "this picture 2 people",
    "a stick figure",
    "part number 110349",
    "an 8 mm key",
]
CLEAN += [
    "the number of screws",
    '2" screws',
    "a 'click'",
    "a two-stage hinge",
    "the large 2x mark",
    "paging 3",
    "'4x'",
]
UNCLEAR = ["in this step 4 screws", "step 2 and 3", "\u2460 shows a leg", "for step 4x screws", "3\ufe0f\u20e3 legs"]
UNCLEAR += [
    "A large '2' appears next to the drawing",
    "The number 4 is printed at the top left",
    "\u201c3\u201d in the corner",
]
UNCLEAR += ["a bold 7 at the top", "the numeral five", "numbered 6"]


@pytest.mark.parametrize(("text", "published", "strict"), LEAKS)
def test_leaks_are_replaced(text, published, strict):
    if published is not None:
        assert clean_text(text, "paper") == published and find_leaks(published, "paper") == ()
    if strict is not None:
        assert clean_text(text, "strict") == clean_text(text, "extended") == strict
    assert find_leaks(text, "strict") and find_leaks(clean_text(text)) == ()


@pytest.mark.parametrize("text", CLEAN)
def test_what_tells_no_place_stays(text):
    assert find_leaks(text) == () and clean_text(text) == text


@pytest.mark.parametrize("text", UNCLEAR)
def test_what_cannot_be_replaced_without_guessing_is_left_and_told(text):
    cleaned = clean_descriptions([Description("images/a/step_0.png", "action", text)])
    assert [(leak.image, leak.dimension) for leak in cleaned.left] == [("images/a/step_0.png", "action")]
    assert cleaned.descriptions[0] == Description("images/a/step_0.png", "action", text) and cleaned.rewritten == 0


def test_cleaning_keeps_what_was_first_written():
    first = Description("images/a/step_1.png", "action", "Use the frame from step 1.", "w")
    [paper] = clean_descriptions([first], "paper").descriptions
    [strict] = clean_descriptions([paper], "strict").descriptions
    assert strict == replace(first, text="Use the frame from another step.", original=first.text)


WORDS = """
step steps Step STEPS substep the a this those # no. number ( ) - \u2013 , . : and or to of in from same as 1 2 3 12 3rd
4x 2b one two twenty three first second last final next previous very assembly \u2460 \u2776 II V another screws x
circled \u0663 similar figure Diagrams page number '2' large
"""
texts = st.lists(st.tuples(st.sampled_from(WORDS.split()), st.sampled_from(["", " ", " ", "\n"])), max_size=12).map(
    lambda pairs: "".join(word + gap for word, gap in pairs)
)
profiles = st.sampled_from(["paper", "strict", "extended"])


@given(st.one_of(texts, st.text(max_size=40)), profiles)
@example("the same step 1 step 2 as in step 3", "paper")
@example("from steps 1 to step 2", "paper")
def test_cleaning_leaves_nothing_that_it_does_not_tell(text, profile):
    cleaned = clean_descriptions([Description("i.png", "action", text)], profile)
    [one] = cleaned.descriptions
    assert tuple(leak.words for leak in cleaned.left) == find_leaks(one.text, profile)
    assert clean_text(one.text, profile) == one.text
    if not find_leaks(text, profile):
        assert one == Description("i.png", "action", text)
    assert (one.original is None) == (one.text == text) == (cleaned.rewritten == 0)


@given(texts)
def test_strict_finds_all_that_the_published_rule_finds(text):
    published = re.search(r"\bsteps?\s*#?\d+", text, re.IGNORECASE)
    assert bool(find_leaks(text, "paper")) == bool(published)
    assert not published or find_leaks(text, "strict")


# --- the check against the parts of a step

SINGLE = (("0",), ("1",), ("2",))
CHAIN = ((("0",), ("1",)), (("1",), ("2",)))
WHOLE = (("0", "1", "2"), ("3",))
ADDED = ((("0", "1", "2"), ("3",)),)

CHECKED = [
    (said(), SINGLE, CHAIN, "consistent", ""),
    (said(parts="A pair of long panels; seat x1"), SINGLE, CHAIN, "consistent", ""),
    (said(parts="One long and two short panels, 4x screws 110349"), SINGLE, CHAIN, "consistent", ""),
    (said(parts="2x panels (left and right) and a seat (1x), 60 x 40 cm"), SINGLE, CHAIN, "consistent", ""),
    (said(parts="Three pieces: two panels with two holes each and a seat"), SINGLE, CHAIN, "consistent", ""),
    (said(parts="One long panel and two short ones"), SINGLE, CHAIN, "consistent", ""),
    (said(parts="2\u00d7 panel, seat \u00d71"), SINGLE, CHAIN, "consistent", ""),
    (said(parts="One long panel and three short ones"), SINGLE, CHAIN, "inconsistent", "parts"),
    (said(parts="Four legs and a seat"), SINGLE, CHAIN, "inconsistent", "parts"),
    (said(parts="One panel."), SINGLE, CHAIN, "inconsistent", "parts"),
    (said(parts="One long and three short panels"), SINGLE, CHAIN, "inconsistent", "parts"),
    (said(parts="Side panels and a seat"), SINGLE, CHAIN, "undecidable", "parts"),
    (said(parts="Some wood."), SINGLE, CHAIN, "undecidable", "parts"),
    (said(), (), (), "undecidable", "parts"),
    (said(), SINGLE, (), "undecidable", "action"),
    (
        said(
            parts="An assembly consisting of two sides and a back, and one seat.",
            action="The seat is put on the assembly.",
        ),
        *(WHOLE, ADDED),
        *("undecidable", "parts"),
    ),
    (said(parts="An assembly made up of two panels, and a seat"), WHOLE, ADDED, "undecidable", "parts"),
    (said(parts="A frame and one leg", action="The leg is screwed to the frame."), WHOLE, ADDED, "consistent", ""),
    (said(action="The panel is turned.", result="None visible."), SINGLE, CHAIN, "inconsistent", "action"),
    (said(action="It is pushed into the panel.", result="None visible."), SINGLE, CHAIN, "undecidable", "action"),
    (said(action="None visible.", result="None visible."), SINGLE, CHAIN, "undecidable", "action"),
    (said(action="The panels are pushed together.", result="None visible."), SINGLE, CHAIN, "consistent", ""),
    (said(action="Five legs are screwed to the seat."), SINGLE, CHAIN, "inconsistent", "action"),
]


@pytest.mark.parametrize(("description", "groups", "connections", "outcome", "field"), CHECKED)
def test_a_description_is_checked_against_the_parts(description, groups, connections, outcome, field):
    verdict = cross_check(description, groups, connections)
    assert (verdict.outcome, verdict.field) == (outcome, field), verdict.reason
    assert bool(verdict.reason) == (outcome != "consistent")


COUNT_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


@given(
    st.lists(st.tuples(st.integers(1, 4), st.sampled_from(["leg", "panel", "rail", "bar"])), min_size=1, max_size=3),
    st.sampled_from(["{word} {noun}", "{n}x {noun}", "{n} long, white {noun}", "{noun} (x{n})"]),
    st.integers(1, 14),
)
def test_counts_in_words_and_digits_are_added_up(listed, form, groups):
    listed = list({noun: n for n, noun in listed}.items())
    items = [form.format(word=COUNT_WORDS[n], n=n, noun=noun + "s" * (n > 1)) for noun, n in listed]
    total = sum(n for _, n in listed)
    parts = tuple((str(part),) for part in range(groups))
    verdict = cross_check(
        said(parts=" and ".join(items), action="The pieces are joined."), parts, ((parts[0], parts[-1]),)
    )
    assert (verdict.outcome == "consistent") == (total == groups)
    assert verdict.outcome != "undecidable"


# --- the authors' file


def row(**more):
    return {"category": "Bench", "product": "applaro", "step_id": 0, "description": said()} | more


def test_the_authors_rows_are_read_with_the_category_in_the_key():
    rows = [
        row(note="x", description=said(extra="y")),
        row(category="Chair"),
        row(step_id=1, description=said(tools=None)),
    ]
    found = import_descriptions(rows)
    assert found.faults == ()
    assert set(found.records) == {("Bench", "applaro", 0), ("Chair", "applaro", 0), ("Bench", "applaro", 1)}
    assert found.records["Bench", "applaro", 0].parts == "Two side panels and one seat panel."
    assert found.records["Bench", "applaro", 1].tools == ""


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ({"category": "Bench"}, r"row 2, field 'product': field required; left out"),
        (row(step_id=1, description=None), r"row 2, field 'description': input should be a valid dictionary; left out"),
        (
            row(step_id=1, description=NONE),
            r"row 2, field 'description': empty in all dimensions ",
        ),
        (row(step_id=1, description=said(parts=3)), r"row 2, field 'parts': input should be a valid string; left out"),
        (row(), r"row 2: Bench/applaro, step_id 0 is already described in row 1 \(with the same text\); left out"),
        (row(description=said(tools="A key.")), r"in row 1 \(with another text\); left out"),
        ("row", r"row 2: input should be a valid dictionary"),
    ],
)
def test_a_bad_row_is_told_and_left_out(bad, sentence):
    found = import_descriptions([row(), bad], "step_descriptions.json")
    assert list(found.records) == [("Bench", "applaro", 0)] and found.records["Bench", "applaro", 0].tools != "A key."
    [fault] = found.faults
    assert re.search(sentence, fault) and fault.startswith("step_descriptions.json, row 2")


# --- the model that writes


def draw(path, seed):
    """A line drawing unlike any of another seed."""
    picture = Image.new("RGB", (160, 120), "white")
    pen = ImageDraw.Draw(picture)
    for corner in range(seed + 2):
        pen.rectangle((20 + 9 * corner, 15 + 5 * seed, 30 + 11 * corner, 60 + 6 * seed), outline="black", width=2)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def part(folder, name, seeds):
    """A procedure laid out as a part of a benchmark; the SHA-256 of its pictures by their path inside."""
    steps, pictures = [], {}
    for number, seed in seeds.items():
        pictures[f"images/{name}/step_{number}.png"] = draw(folder / f"images/{name}/step_{number}.png", seed)
        diagram = folder / f"procedures/{name}/diagrams/step_{number}.png"
        draw(diagram, seed)
        steps.append(Step(number, diagram, diagram, SINGLE, CHAIN))
    save_procedure(Procedure(name, name, "Bench", "drawn", tuple(steps)), folder / "procedures" / name)
    return pictures


@pytest.fixture
def drawn(tmp_path):
    """Two procedures with four and three diagrams, step 3 of one looking like step 0: folders, and pictures by path."""
    folders = {"bench": tmp_path / "00000", "stool": tmp_path / "00001"}
    pictures = part(folders["bench"], "bench", {0: 0, 1: 1, 2: 2, 3: 0})
    return folders, pictures | part(folders["stool"], "stool", {0: 4, 2: 5, 3: 6})


@pytest.fixture
def service(drawn, monkeypatch):
    for name in ("CHRONOTOPE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    started = WriterService({sha: said(tools=f"Tool {sha}.") for sha in drawn[1].values()})
    yield started
    started.close()


def request(drawn, service, place, known=(), **more):
    writer, calls = ModelSpec("endpoint/w", service.url), Calls(concurrency=6)
    return DescribeRequest(drawn[0], tuple(known), writer, calls, place / "ledger.jsonl", **more)


def test_every_diagram_is_described_by_one_call_that_shows_it_alone(drawn, service, tmp_path):
    seen = []
    told = describe(request(drawn, service, tmp_path, progress=lambda *state: seen.append(state)))
    texts = by_image(told.descriptions)
    assert list(texts) == sorted(drawn[1])
    assert all(texts[image] == said(tools=f"Tool {sha}.") for image, sha in drawn[1].items())
    assert {one.author for one in told.descriptions} == {"endpoint/w"}
    assert service.requests == dict.fromkeys(drawn[1].values(), 1)  # the two like pictures are asked about once
    assert to_describe(drawn[0], ()) == service.requests.keys() and not to_describe(drawn[0], told.descriptions)
    assert all(INSTRUCTIONS in text for text in service.texts)
    assert not any(name in text for text in service.texts for name in ("bench", "stool", "step_"))
    assert [done for done, _, _ in seen] == list(range(1, 7)) and {total for _, total, _ in seen} == {6}
    lines = read_ledger(tmp_path / "ledger.jsonl")
    assert {line.kind for line in lines} == {"describe"} and len(lines) == 6
    assert {(line.ask, *line.pictures) for line in lines} <= set(drawn[1].items())
    assert told.notes[0].startswith("diagrams described: 7 of 7, 7 of them by the model (hash of the instructions: ")
    assert told.notes[1] == "texts changed because they revealed a step's position: 0 of 56"
    assert told.notes[2].endswith("7 consistent, 0 inconsistent, 0 undecidable") and len(told.notes) == 3
    write_descriptions(tmp_path / "descriptions.parquet", told.descriptions)
    assert read_descriptions(tmp_path / "descriptions.parquet") == told.descriptions
    assert description_text(texts["images/bench/step_0.png"]).startswith("Step description:\nPARTS: Two side")


def test_six_calls_are_in_flight_and_no_more(tmp_path):
    pictures = part(tmp_path / "00000", "shelf", {number: number for number in range(9)})
    service = WriterService(dict.fromkeys(pictures.values(), said()))
    service.free = 0
    folders = {"shelf": tmp_path / "00000"}
    try:
        run = threading.Thread(target=describe, args=[request((folders, pictures), service, tmp_path)])
        run.start()
        while service.running < 6 and run.is_alive():
            time.sleep(0.05)
        time.sleep(0.3)  # a seventh would come now
        assert service.running == 6
        service.go_on.set()
        run.join()
        assert service.most == 6 and service.requests == dict.fromkeys(pictures.values(), 1)
    finally:
        service.close()


def test_what_the_source_says_is_kept_and_not_asked_about(drawn, service, tmp_path):
    known = [
        Description("images/bench/step_1.png", "action", "Use the panel from step 1.", "the source"),
        Description("images/bench/step_2.png", "action", "None visible.", "the source"),
    ]
    told = describe(request(drawn, service, tmp_path, known, profile="paper"))
    assert drawn[1]["images/bench/step_1.png"] not in service.requests
    of_one = [one for one in told.descriptions if one.image == "images/bench/step_1.png"]
    assert of_one == [replace(known[0], text="Use the panel from a previous step.", original=known[0].text)]
    assert by_image(told.descriptions)["images/bench/step_2.png"]["action"] == said()["action"]
    assert told.notes[0].startswith("diagrams described: 7 of 7, 6 of them by the model")
    assert told.notes[1] == "texts changed because they revealed a step's position: 1 of 49"
    everything = [Description(image, "action", "Two panels are joined.", "the source") for image in drawn[1]]
    asked = service.requests.total()
    assert describe(request(drawn, service, tmp_path / "none", everything)).descriptions == tuple(everything)
    assert service.requests.total() == asked and not (tmp_path / "none").exists()


def test_replies_are_cleaned_and_checked_and_both_are_told(drawn, service, tmp_path):
    wrong, leaking = drawn[1]["images/stool/step_0.png"], drawn[1]["images/stool/step_2.png"]
    service.answers[wrong] = said(parts="Eight legs.")
    service.answers[leaking] = said(warnings="As in the previous step.", tools="\u2460 marks a key.")
    told = describe(request(drawn, service, tmp_path))
    [changed] = [one for one in told.descriptions if one.original is not None]
    assert (changed.text, changed.original) == ("As in another step.", "As in the previous step.")
    assert told.notes[1] == "texts changed because they revealed a step's position: 1 of 56"
    assert told.notes[2].startswith("words that reveal a step's position and must be edited by hand: 1: ")
    assert "images/stool/step_2.png (tools): '\u2460'" in told.notes[2]
    assert told.notes[3].endswith("6 consistent, 1 inconsistent, 0 undecidable")
    assert told.notes[4].startswith("images/stool/step_0.png, parts: the text counts 8 pieces; the step has 3")


def test_a_reply_that_is_not_of_the_form_is_asked_for_again(drawn, service, tmp_path):
    twice, never = drawn[1]["images/stool/step_0.png"], drawn[1]["images/stool/step_3.png"]
    service.spoiled.update({twice: 2, never: 3})
    told = describe(request(drawn, service, tmp_path))
    assert service.requests[twice] == service.requests[never] == 3
    assert set(drawn[1]) - set(by_image(told.descriptions)) == {"images/stool/step_3.png"}
    assert told.notes[1] == (
        "diagrams without a description: 1: images/stool/step_3.png (no reply had the expected form)"
    )
    again = describe(request(drawn, service, tmp_path))
    assert set(by_image(again.descriptions)) == set(drawn[1])
    assert service.requests[twice] == 3 and service.requests[never] == 4


RUN = """
import sys
from pathlib import Path
from chronotope.families import DescribeRequest
from chronotope.families.ikea.descriptions import describe
from chronotope.models import Calls, ModelSpec
first, second, url, ledger = sys.argv[1:]
folders, writer = {"bench": Path(first), "stool": Path(second)}, ModelSpec("endpoint/w", url)
describe(DescribeRequest(folders, (), writer, Calls(concurrency=6), Path(ledger)))
"""


def test_a_killed_run_goes_on_without_asking_again(drawn, service, tmp_path):
    service.free = 2
    ledger = tmp_path / "ledger.jsonl"
    arguments = [*map(str, drawn[0].values()), service.url, str(ledger)]
    process = subprocess.Popen([sys.executable, "-c", RUN, *arguments], env=os.environ)
    try:
        while not (ledger.exists() and ledger.read_text().count("\n") == 3) and process.poll() is None:
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    paid = {line.pictures[0] for line in read_ledger(ledger)}
    assert len(paid) == 2
    before = dict(service.requests)
    service.free = None
    service.go_on.set()
    told = describe(request(drawn, service, tmp_path))
    assert set(by_image(told.descriptions)) == set(drawn[1])
    assert all(service.requests[sha] == before[sha] == 1 for sha in paid)
    assert len({line.key for line in read_ledger(ledger)}) == len(read_ledger(ledger)) == 6


def test_a_service_that_refuses_or_is_silent_is_told_in_one_sentence(drawn, service, tmp_path):
    service.refuse = 401
    with pytest.raises(InputError, match=r"^endpoint/w at [^\n]*does not accept the API key[^\n]*HTTP 401[^\n]*$"):
        describe(request(drawn, service, tmp_path))
    service.refuse = 400
    with pytest.raises(InputError, match=r"^endpoint/w at [^\n]*every request so far was refused[^\n]*HTTP 400[^\n]*$"):
        describe(request(drawn, service, tmp_path))
    service.refuse = None
    assert len(by_image(describe(request(drawn, service, tmp_path)).descriptions)) == 7
