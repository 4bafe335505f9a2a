"""IKEA-Bench over real HTTP: who knows what is shown has all points, and what is shown is what the benchmark holds."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
import yaml
from hardness_tools import Service, asked, chronotope, knowing
from PIL import Image

from chronotope.evaluate.score import open_run
from chronotope.make import BuildRequest, build
from chronotope.media import encode_clip
from chronotope.question import MediaItem, Question, open_benchmark

STRATEGIES = ("visual", "visual_text", "text_only")
TASKS = ("T1", "T2", "T3", "T4", "D1", "D2")
SAID_IN_ORDER = ("parts", "action", "tools", "spatial", "result", "warnings", "fasteners", "arrow_directions")
INSTRUCTION = "Answer with the letter first, then briefly explain. Format: \u2018Answer: X. Reason: \u2026\u2019"
D2_CONTEXT = (
    "You are evaluating a furniture assembly task. You will see three instruction diagrams (wordless assembly manual "
    "images) displayed in a shuffled (random) order.\n"
    "Your task is to determine the correct chronological assembly order of these diagrams by analyzing the assembly "
    "progression shown in each."
)
# Mean difference of a frame as sent from the frame as decoded here, of 255: JPEG's loss and other colour arithmetic.
# Frames that follow one another differ as little at the end of a step, so that the nearest frame is asked for too.
CLOSE = 4.0

Start = Callable[..., Service]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Start services that know something, or keep what they are sent; they end with the module."""
    with knowing("hardness_ikea_server.py", tmp_path_factory) as start:
        yield start


def words(bench: Path, service: Service, out: Path, *more: object) -> list[object]:
    """The words of ``chronotope run`` with the protocol's own frames."""
    model = ("--model", "endpoint/x", "--base-url", service.url)
    return ["run", bench, *model, "--out", out, "--no-check", "--json", *more]


@pytest.fixture(scope="module")
def manuals(drawn_manuals: Path) -> Path:
    """The two products of the example, by its command."""
    return drawn_manuals


@pytest.fixture(scope="module")
def bench(manuals: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All questions about them."""
    out = tmp_path_factory.mktemp("ikea") / "bench"
    build(BuildRequest("ikea", manuals, out), workers=1)
    counts = open_benchmark(out).card.counts
    assert set(counts.tasks) == set(TASKS) and min(counts.tasks.values()) >= 10
    return out


class Recorded:
    """What a service was sent for all strategies."""

    def __init__(self, service: Service, run: Path, planned: dict[str, Any]) -> None:
        self.service, self.run, self.planned = service, run, planned
        self.requests: list[list[tuple[str, str]]] = [
            [(kind, value) for kind, value in request["tokens"]] for request in service.requests()
        ]

    def pictures(self) -> dict[str, np.ndarray]:
        """SHA-256 to pixels of every picture that is no diagram: the frames."""
        sent = sorted((self.service.folder / "pictures").iterdir())
        return {
            path.name: np.asarray(one.convert("RGB")) for path in sent if (one := Image.open(path)).format == "JPEG"
        }


@pytest.fixture(scope="module")
def recorded(bench: Path, start: Start, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    run, service = tmp_path_factory.mktemp("runs") / "recorded", start("record")
    command = words(bench, service, run, "--strategy", "all")
    planned = chronotope(*command, "--dry-run")
    assert service.requests() == [] and planned.code == 0, planned.err
    assert set(asked(chronotope(*command))["states"]) == {"replied"}
    return Recorded(service, run, planned.run)


# What is shown of a clip, worked out from the specification and decoded here


@cache
def decoded(clip: Path) -> tuple[list[av.VideoFrame], Fraction]:
    """All frames, and the frame rate."""
    with av.open(str(clip)) as container:
        stream = container.streams.video[0]
        frames = list(container.decode(stream))
        assert stream.average_rate is not None
        return frames, Fraction(stream.average_rate)


def pixels_of(frame: av.VideoFrame) -> np.ndarray:
    return frame.to_ndarray(format="rgb24")


def shown_of(item: MediaItem, fps: Fraction) -> list[int]:
    """4 frames, 8 from 10 s on, evenly from a tenth behind the start to a tenth before the end: floor(t fps)."""
    start, end = Fraction(str(round(item.start or 0, 6))), Fraction(str(round(item.end or 0, 6)))
    lasts = end - start
    count = 4 if lasts < 10 else 8
    times = [start + lasts / 10 + lasts * Fraction(8, 10) * place / (count - 1) for place in range(count)]
    return [int(time * fps) for time in times]


def clips_of(questions: Sequence[Question]) -> dict[tuple[str, float | None, float | None], MediaItem]:
    """The segments that are shown, each once."""
    items = [item for question in questions for item in question.media if item.kind == "video"]
    return {(item.paths[0], item.start, item.end): item for item in items}


def frames_as_sent(bench: Path, recorded: Recorded) -> dict[tuple[str, int], str]:
    """(clip, frame) to the hash of the picture sent: among those sent, the one that is as the frame decoded here."""
    sent = recorded.pictures()
    hashes, small = list(sent), np.stack([picture[::6, ::6].astype(np.int16) for picture in sent.values()])
    found = {}
    for item in clips_of(open_benchmark(bench).questions).values():
        frames, fps = decoded(bench / item.paths[0])
        for index in shown_of(item, fps):
            distances = np.abs(small - pixels_of(frames[index])[::6, ::6]).sum((1, 2, 3), dtype=np.int64)
            found[item.paths[0], index] = hashes[int(np.argmin(distances))]
    return found


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """The mean difference of two pictures of uint8, which must be of one size."""
    assert one.shape == other.shape
    return float(np.abs(one.astype(np.int16) - other).mean())


@pytest.fixture(scope="module")
def sent_frames(bench: Path, recorded: Recorded) -> dict[tuple[str, int], str]:
    return frames_as_sent(bench, recorded)


def test_frames_are_those_of_the_specification(
    bench: Path, recorded: Recorded, sent_frames: dict[tuple[str, int], str]
) -> None:
    pictures = recorded.pictures()
    assert set(sent_frames.values()) == set(pictures), "frames were sent that should not be, or the other way about"
    for (clip, index), digest in sent_frames.items():
        frames, _ = decoded(bench / clip)
        near = {at: apart(pictures[digest], pixels_of(frames[at])) for at in range(max(index - 3, 0), index + 4)}
        assert near[index] < CLOSE, (clip, index, near)
        # Where the hand has let go, neighbours are the same but for what encoding does to them.
        assert near[index] < min(near.values()) + 0.1, (clip, index, near)
    wanted = Counter()
    for question in open_benchmark(bench).questions:
        clips = [item for item in question.media if item.kind == "video"]
        if clips:
            wanted[frames_of(clips, bench, sent_frames)] += 1 if question.task == "D1" else len(STRATEGIES)
    known = set(pictures)
    got = Counter(tuple(value for _, value in request if value in known) for request in recorded.requests)
    del got[()]
    assert got == wanted, "the frames of each request are those of one question's clips, in order"


def frames_of(clips: Sequence[MediaItem], bench: Path, sent: dict[tuple[str, int], str]) -> tuple[str, ...]:
    """The hashes of the frames of clips, in order."""
    return tuple(
        sent[item.paths[0], index] for item in clips for index in shown_of(item, decoded(bench / item.paths[0])[1])
    )


def test_steps_of_ten_seconds_have_eight_frames(start: Start, tmp_path: Path) -> None:
    """Steps of 3.7 s, 10 s, 10.3 s and 9.9 s at 12.5 frames a second; each frame has its number in bars."""
    fps, ends = Fraction(25, 2), [0.0, 3.7, 13.7, 24.0, 33.9]
    source = tmp_path / "manuals" / "numbered"
    source.mkdir(parents=True)
    count = int(Fraction("33.9") * fps) + 1
    for take in range(2):
        encode_clip([barred(number, take) for number in range(count)], source / f"{take}.mp4", fps)
    generator = np.random.default_rng(3)
    for step in range(4):
        noise = np.kron(generator.integers(0, 2, (10, 10), dtype=np.uint8) * 255, np.ones((20, 20), np.uint8))
        Image.fromarray(noise).save(source / f"{step}.png")
    segments = [{"step": step + 1, "start": ends[step], "end": ends[step + 1]} for step in range(4)]
    document = {
        "product": "numbered",
        "category": "Shelf",
        "licence": "CC0-1.0",
        "steps": [{"diagram": f"{step}.png"} for step in range(4)],
        "takes": [{"id": f"t{take}", "clip": f"{take}.mp4", "segments": deepcopy(segments)} for take in range(2)],
    }
    (source / "procedure.yaml").write_text(yaml.safe_dump(document))
    build(BuildRequest("ikea", tmp_path / "manuals", tmp_path / "bench"), workers=1)
    service = start("record")
    asked(chronotope(*words(tmp_path / "bench", service, tmp_path / "run")))
    wanted = Counter()
    for question in open_benchmark(tmp_path / "bench").questions:
        clips = [item for item in question.media if item.kind == "video"]
        numbers = [(int(item.paths[0][-5]), index) for item in clips for index in shown_of(item, fps)]
        wanted[tuple(numbers)] += bool(clips)
    read = {path.name: barcode(path) for path in (service.folder / "pictures").iterdir()}
    got = Counter(
        tuple(read[value] for kind, value in request["tokens"] if kind == "picture" and read[value] is not None)
        for request in service.requests()
    )
    assert {len(numbers) for numbers in wanted} == {0, 4, 8, 12, 16}
    del got[()], wanted[()]
    assert got == wanted


def barred(number: int, take: int) -> np.ndarray:
    """A picture of 160 x 64 pixels with ten bits in bars, the last of which says which take."""
    bits = [number >> place & 1 for place in range(9)] + [take]
    return np.repeat(np.kron(np.array([bits], np.uint8) * 200 + 20, np.ones((64, 16), np.uint8))[:, :, None], 3, axis=2)


def barcode(path: Path) -> tuple[int, int] | None:
    """The take and number on a frame; None for a diagram."""
    with Image.open(path) as picture:
        if picture.format != "JPEG":
            return None
        bars = np.asarray(picture.convert("L"))[32, 8::16] > 128
    return int(bars[9]), int(sum(int(bit) << place for place, bit in enumerate(bars[:9])))


# Who knows what is shown


@pytest.fixture(scope="module")
def knowledge(manuals: Path, bench: Path, sent_frames: dict[tuple[str, int], str]) -> dict[str, Any]:
    """What can be known of the manuals from their source and the pictures alone; steps have names without a meaning."""
    documents = [yaml.safe_load(path.read_text()) for path in sorted(manuals.glob("*/procedure.yaml"))]
    order, frames, diagrams, texts = [], {}, {}, {}
    for document in documents:
        name = f"{document['category']}-{document['product']}".lower()
        places = [hashlib.sha256(f"{name} {step}".encode()).hexdigest()[:10] for step in range(len(document["steps"]))]
        order.append(places)
        originals = [page(manuals / document["product"] / step["diagram"]) for step in document["steps"]]
        for path in sorted((bench / "images" / name).iterdir()):
            shown = page(path)
            [step] = [step for step, original in enumerate(originals) if np.mean(shown != original) < 0.01]
            diagrams[hashlib.sha256(path.read_bytes()).hexdigest()] = places[step]
        for place, step in zip(places, document["steps"], strict=True):
            said = {key: value for key, value in step["description"].items() if value != "None visible."}
            texts["\n".join(f"{key.upper()}: {said[key]}" for key in SAID_IN_ORDER if key in said)] = place
        for take in document["takes"]:
            clip = f"clips/{name}/{take['id']}.mp4"
            for (path, index), digest in sent_frames.items():
                for segment in take["segments"]:
                    if path == clip and segment["start"] * 10 - 0.01 <= index < segment["end"] * 10:
                        frames[digest] = places[segment["step"] - 1]
    assert len(diagrams) == len(texts) == 14 and set(frames) == set(sent_frames.values())
    return {"order": order, "frames": frames, "diagrams": diagrams, "texts": texts}


def page(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path).convert("L")) > 128


def check_oracle(run: Path, service: Service, known: set[tuple[str, str]], *, asks: int) -> None:
    """Each ask that can be known is read and right, each other one was honestly not known."""
    about = Counter(request["about"] for request in service.requests())
    assert len(set(about) - {"lost"}) == 11, "in all styles"
    seen = Counter[tuple[str, str]]()
    for one in open_run(run).answered:
        assert one.line is not None and one.reading is not None
        kind = (one.ask.strategy, one.question.task)
        seen[kind] += 1
        if kind in known:
            told = (kind, one.ask.id, one.line.reply, one.reading)
            assert one.reading.options == frozenset(one.question.answer), told
        else:
            assert one.line.reply == "I do not know this." and one.reading.options is None, (kind, one.line.reply)
    assert set(seen) >= known and seen.total() == asks


def test_pictures_are_enough_where_they_are_shown(
    bench: Path, knowledge: dict[str, Any], start: Start, tmp_path: Path
) -> None:
    """visual and visual_text: every task; text_only: D1, which shows no diagrams."""
    service = start("pictures", {name: knowledge[name] for name in ("order", "frames", "diagrams")})
    asked(chronotope(*words(bench, service, tmp_path / "run", "--strategy", "all")))
    known = {(strategy, task) for strategy in STRATEGIES[:2] for task in TASKS} | {("text_only", "D1")}
    check_oracle(tmp_path / "run", service, known, asks=3 * len(open_benchmark(bench).questions))


def test_descriptions_are_enough_where_they_are_shown(
    bench: Path, knowledge: dict[str, Any], start: Start, tmp_path: Path
) -> None:
    """visual_text and text_only: every task; visual: D1. Clips are shown in all three."""
    service = start("texts", {name: knowledge[name] for name in ("order", "frames", "texts")})
    asked(chronotope(*words(bench, service, tmp_path / "run", "--strategy", "all")))
    known = {(strategy, task) for strategy in STRATEGIES[1:] for task in TASKS} | {("visual", "D1")}
    check_oracle(tmp_path / "run", service, known, asks=3 * len(open_benchmark(bench).questions))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "what", "strategy"), [("pictures", "diagrams", "visual"), ("texts", "texts", "text_only")]
)
def test_every_rotation(
    bench: Path, knowledge: dict[str, Any], start: Start, tmp_path: Path, mode: str, what: str, strategy: str
) -> None:
    service = start(mode, {name: knowledge[name] for name in ("order", "frames", what)})
    told = chronotope(*words(bench, service, tmp_path / "run", "--strategy", strategy, "--placement", "rotate"))
    assert asked(told)["accuracy"]["value"] == 1
    asks = sum(len(question.options) for question in open_benchmark(bench).questions)
    check_oracle(tmp_path / "run", service, {(strategy, task) for task in TASKS}, asks=asks)


# Where pictures stand, and how often something is asked


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_letter_stands_before_its_picture(
    bench: Path, recorded: Recorded, sent_frames: dict[tuple[str, int], str], knowledge: dict[str, Any], strategy: str
) -> None:
    texts = {place: text for text, place in knowledge["texts"].items()}
    for question in open_benchmark(bench).questions:
        if question.task not in ("T1", "T4"):
            continue
        hashes = [hashlib.sha256((bench / str(option.image)).read_bytes()).hexdigest() for option in question.options]
        said = [f"Step description:\n{texts[knowledge['diagrams'][digest]]}" for digest in hashes]
        frames = [("picture", digest) for digest in frames_of(question.media, bench, sent_frames)]
        stem = question.stem.replace("diagram", "description") if strategy == "text_only" else question.stem
        tail: list[tuple[str, str]] = [("text", f"\n{stem}")]
        for letter, digest, text in zip("ABCD", hashes, said, strict=False):
            before = tail.pop()[1] if tail[-1][0] == "text" else ""
            tail.append(("text", f"{before}\n{letter}) " + (text if strategy == "text_only" else "")))
            if strategy != "text_only":
                tail.append(("picture", digest))
            if strategy == "visual_text":
                tail.append(("text", f"\n(Description of the diagram above: {text})"))
        end = tail.pop()[1] if tail[-1][0] == "text" else ""
        tail.append(("text", f"{end}\n{INSTRUCTION}"))
        matching = [request[1:] for request in recorded.requests if request[1:] == frames + tail]
        assert len(matching) == 1, (question.id, strategy)


def test_what_shows_no_diagrams_is_asked_once(bench: Path, recorded: Recorded) -> None:
    counts = Counter(question.task for question in open_benchmark(bench).questions)
    d1 = [request for request in recorded.requests if "(Clip A and Clip B)" in request[0][1]]
    assert len(d1) == counts["D1"] > 0
    others = counts.total() - counts["D1"]
    assert len(recorded.requests) == recorded.planned["calls"] == 3 * others + counts["D1"]
    assert recorded.planned["asks"] == 3 * counts.total()
    assert len({json.dumps(request) for request in recorded.requests}) == len(recorded.requests), "nothing twice"
    answered = [one for one in open_run(recorded.run).answered if one.question.task == "D1" and one.line is not None]
    assert Counter(one.ask.strategy for one in answered) == dict.fromkeys(STRATEGIES, counts["D1"]), (
        "an answer counts for every strategy"
    )


# The real diagrams


@pytest.mark.slow
@pytest.mark.parametrize(("profile", "count"), [("paper", 65), ("strict", 70)])
def test_real_diagrams_arrive_byte_for_byte(
    test_data: Path, start: Start, tmp_path: Path, profile: Any, count: int
) -> None:
    bench = tmp_path / "bench"
    build(BuildRequest("ikea", test_data / "ikea-manuals-at-work", bench, profile=profile), workers=1)
    questions = open_benchmark(bench).questions
    assert {question.task for question in questions} == {"D2"} and len(questions) == count
    wanted = []
    for question in questions:
        folder, steps = bench / "images" / question.provenance["procedure"], question.provenance["steps"]
        pictures = [hashlib.sha256((folder / f"step_{step}.png").read_bytes()).hexdigest() for step in steps]
        options = "".join(f"\n{letter}) {option.text}" for letter, option in zip("ABCD", question.options, strict=True))
        assert len(set(steps)) == 3
        right = " -> ".join(f"Image {steps.index(step) + 1}" for step in sorted(steps))
        assert question.options[question.answer[0]].text == right
        wanted.append(
            [
                ["text", f"{D2_CONTEXT}\nShuffled instruction diagrams:\nImage 1:"],
                ["picture", pictures[0]],
                ["text", "\nImage 2:"],
                ["picture", pictures[1]],
                ["text", "\nImage 3:"],
                ["picture", pictures[2]],
                ["text", f"\n{question.stem}{options}\n{INSTRUCTION}"],
            ]
        )
    service = start("record")
    assert asked(chronotope(*words(bench, service, tmp_path / "run")))["states"] == {"replied": count}
    requests = [request["tokens"] for request in service.requests()]
    assert sorted(requests) == sorted(wanted) and len(requests) == count
