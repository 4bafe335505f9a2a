"""A service that knows the right options by text or picture, never by letter or id, has all points in every order."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hardness_tools import (
    Service,
    Told,
    asked,
    chronotope,
    questions_about,
    right_texts,
    run_flags,
    run_words,
    sentence,
    write_bench,
)
from PIL import Image

from chronotope.evaluate.score import open_run, score_run
from chronotope.question import MediaItem, Option, Question, open_benchmark
from packages import install_tiny
from small_sources import walk, write_posed

STYLES = 10


@pytest.fixture
def layout(request: pytest.FixtureRequest) -> list[str]:
    """The words that choose a layout."""
    if "--layout" not in run_flags():
        if request.param == "shared":
            pytest.skip("this version of the command has no --layout")
        return []
    return ["--layout", request.param]


@pytest.fixture(scope="module")
def varied(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[str]]]:
    """28 questions with options that are easy to read wrongly, and both variants of each that has them."""
    place = tmp_path_factory.mktemp("varied")
    questions = questions_about(7, 4, tricky=True)
    write_bench(place / "bench", questions)
    done = chronotope("vary", place / "bench", "--variant", "none_distractor,none_answer", "--out", place / "varied")
    assert done.code == 0, done.err
    return place / "varied", right_texts(questions)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[str]]]:
    """What ``chronotope build`` and ``vary`` make of three walks; stems repeat, so that the period belongs to them."""
    place = tmp_path_factory.mktemp("built")
    for number in range(3):
        write_posed(place / "walks" / f"w{number}", walk(number))
    for words in (
        ("build", "sti", place / "walks", "--out", place / "bench", "--per-variant", 1, "--workers", 1),
        ("vary", place / "bench", "--variant", "none_distractor,none_answer", "--out", place / "varied"),
    ):
        done = chronotope(*words)
        assert done.code == 0, done.err
    known: dict[str, list[str]] = {}
    for question in open_benchmark(place / "bench").questions:
        assert question.window is not None
        period = f"From {question.window.start:.1f} seconds to {question.window.end:.1f} seconds. "
        known.setdefault(period + question.stem, []).append(question.options[question.answer[0]].text or "")
    return place / "varied", known


def assert_all_right(told: Told, service: Service, run: Path, *, circular: bool) -> None:
    """Every ask was answered, read and right, in all ten styles."""
    outcome = asked(told)
    assert set(outcome["states"]) == {"replied"}
    assert {kind for kind, count in outcome["readings"].items() if count} == {"parsed"}
    said = {request["about"] for request in service.requests()}
    assert "lost" not in said and len(said) == STYLES
    wrong = {
        one.ask.id: (one.line.reply, one.reading)
        for one in open_run(run).answered
        if one.line and one.reading and one.reading.options != frozenset(one.question.answer)
    }
    assert wrong == {}
    assert outcome["accuracy"]["value"] == 1
    assert {value["value"] for kind in ("tasks", "variants") for value in outcome[kind].values()} == {1}
    scores = score_run(open_run(run))
    assert scores.covered is not None and scores.covered.value == 1
    assert (scores.circular is None) == (not circular)
    assert scores.circular is None or scores.circular.value == 1


@pytest.mark.parametrize(
    ("placement", "layout"),
    [(order, layout) for order in ("published", "swap", "rotate") for layout in ("published", "shared")],
    indirect=["layout"],
)
def test_every_order_layout_and_variant(
    varied: tuple[Path, dict[str, list[str]]],
    serve: Callable[..., Service],
    tmp_path: Path,
    placement: str,
    layout: list[str],
) -> None:
    bench, known = varied
    service = serve(known)
    told = chronotope(*run_words(bench, service.url, "--placement", placement, *layout, out=tmp_path / "run"))
    assert_all_right(told, service, tmp_path / "run", circular=placement != "published")
    assert told.run["variants"].keys() == {"base", "none_distractor", "none_answer"}
    pictures = [request["text"].rindex("<picture") > request["text"].index("thing") for request in service.requests()]
    assert set(pictures) == {"shared" not in layout}, "frames stand where the layout says"


def test_blind_and_with_the_other_prompt(
    varied: tuple[Path, dict[str, list[str]]], serve: Callable[..., Service], tmp_path: Path
) -> None:
    bench, known = varied
    service = serve(known)
    more = ("--input", "blind", "--prompt", "local", "--placement", "rotate")
    told = chronotope(*run_words(bench, service.url, *more, out=tmp_path / "run"))
    assert_all_right(told, service, tmp_path / "run", circular=True)
    assert all(request["pictures"] == [] for request in service.requests())


@pytest.mark.parametrize("layout", ["shared"], indirect=True)
def test_built_questions(
    built: tuple[Path, dict[str, list[str]]], serve: Callable[..., Service], tmp_path: Path, layout: list[str]
) -> None:
    bench, known = built
    service = serve(known)
    told = chronotope(*run_words(bench, service.url, "--placement", "rotate", *layout, out=tmp_path / "run"))
    assert_all_right(told, service, tmp_path / "run", circular=True)


# Pictures as options, several right ones: a family of other people's


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of installed packages with the family of picture options."""
    return install_tiny(tmp_path_factory.mktemp("packages"), "pick")


class PickBench:
    """Benchmarks of that family, and what an oracle knows of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.known: dict[str, list[str]] = {}
        generator = np.random.default_rng(7)
        (folder / "images").mkdir(parents=True)
        for number in range(12):
            noise = generator.integers(0, 256, (20, 24, 3), dtype=np.uint8)
            Image.fromarray(noise).save(folder / "images" / f"{number}.{'png' if number % 2 else 'jpg'}")
        self.images = sorted(f"images/{path.name}" for path in (folder / "images").iterdir())

    def write(self, tasks: list[str]) -> Path:
        """Eight questions of each task: pictures alone, pictures with texts, and texts of which several are right."""
        generator = np.random.default_rng(8)
        questions = []
        for number in range(8 * len(tasks)):
            task, stem = tasks[number % len(tasks)], f"Which of them is seen in scene {number:02d}?"
            if task == "several":
                options = tuple(Option(f"thing {number}-{letter}") for letter in "klmno")
            else:
                chosen = generator.choice(self.images, 4, replace=False)
                options = tuple(Option("seen from above" if task == "both" else None, image) for image in chosen)
            size = int(generator.integers(1, 4)) if task == "several" else 1
            answer = tuple(sorted(generator.choice(len(options), size, replace=False).tolist()))
            video = MediaItem("video", "video", (f"clips/{number % 3}.mp4",))
            questions.append(
                Question(
                    f"p{number:02d}",
                    "pick",
                    task,
                    f"scene-{number % 3}",
                    stem,
                    options,
                    answer,
                    multiple=task == "several",
                    media=(video,),
                )
            )
            self.known[stem] = [self._known(options[index]) for index in answer]
        return write_bench(self.folder, questions, family="pick")

    def _known(self, option: Option) -> str:
        if option.image is None:
            return option.text or ""
        return hashlib.sha256((self.folder / option.image).read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("placement", "layout"),
    [("swap", "published"), ("rotate", "published"), ("rotate", "shared")],
    indirect=["layout"],
)
def test_pictures_and_several_right_options(
    packages: Path, serve: Callable[..., Service], tmp_path: Path, placement: str, layout: list[str]
) -> None:
    maker = PickBench(tmp_path / "bench")
    bench = maker.write(["pictures", "both"] if placement == "swap" else ["pictures", "several", "both"])
    service = serve(maker.known)
    words = run_words(bench, service.url, "--placement", placement, *layout, out=tmp_path / "run")
    told = chronotope(*words, PYTHONPATH=str(packages))
    outcome = asked(told)
    said = {request["about"] for request in service.requests()}
    assert "lost" not in said and len(said) == STYLES
    replies = [json.loads(line) for line in (tmp_path / "run" / "ledger.jsonl").read_text().splitlines()[1:]]
    asks = sum(8 * (5 if task == "several" else 4) for task in outcome["tasks"])
    assert outcome["states"] == {"replied": asks} and len(replies) == asks
    assert outcome["readings"]["parsed"] == asks
    assert outcome["accuracy"]["value"] == 1, replies
    if placement == "rotate":
        assert any(len(right) > 1 for right in maker.known.values())


def test_what_has_no_meaning_is_refused(packages: Path, serve: Callable[..., Service], tmp_path: Path) -> None:
    maker = PickBench(tmp_path / "bench")
    bench = maker.write(["pictures", "several"])
    service = serve(maker.known)
    for more, told in ((("--placement", "swap"), "several"), (("--input", "blind"), "pictures")):
        words = run_words(bench, service.url, *more, out=tmp_path / "run")
        assert told in sentence(chronotope(*words, PYTHONPATH=str(packages)))
    assert service.requests() == [] and not (tmp_path / "run").exists()
