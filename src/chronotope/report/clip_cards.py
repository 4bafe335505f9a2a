"""Cards of clips with a script: frames, scene graph, scenario, and a question of each level with its answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.media import ClipFacts, FrameCache, plan_frames
from chronotope.question import Benchmark, MediaFile, Question
from chronotope.report.asked_question import AskedQuestion, asked_of
from chronotope.report.compared_runs.opened_runs import Compared
from chronotope.report.section import Section
from chronotope.view.frames import FramesChoice
from chronotope.view.question_boxes import recording_folder
from chronotope.view.question_browser import Browser
from chronotope.view.scene_script import SceneScript, read_script

MOST = 24  # cards of a benchmark, so that a page with a thousand clips stays usable
FRAMES, SIDE = 8, 480  # frames of a card, and their longer side (px)
GROUPS = 3  # questions of a card


@dataclass(frozen=True)
class ClipCard:
    """A clip: its script, its frames (file and time), and its questions with the name of their level.

    ``more`` is the number of its other questions.
    """

    name: str
    benchmark: str
    script: SceneScript
    frames: tuple[tuple[str, str], ...]
    questions: tuple[tuple[str, AskedQuestion], ...]
    more: int


@dataclass(frozen=True)
class ClipCards:
    """The cards of a benchmark; ``clips`` is the number of its clips with a script."""

    benchmark: str
    clips: int
    cards: tuple[ClipCard, ...]


@dataclass
class _Writer:
    """Writes the frames of cards, each picture once."""

    folder: Path
    benchmark: Benchmark
    problems: list[str]
    cache: FrameCache = field(default_factory=FrameCache)

    def frames(self, path: str) -> Iterator[tuple[str, str]]:
        """Yield the file and the time of each frame of a clip."""
        file: MediaFile = self.benchmark.media[path]
        facts = ClipFacts(
            file.sha256, file.width or 0, file.height or 0, file.frames or 0, file.fps, file.duration_s or 0.0
        )
        plan = plan_frames(facts, "endpoints", count=FRAMES, max_side=SIDE)
        try:
            [made] = self.cache.frames(self.benchmark.folder / path, [plan])
        except InputError as error:
            self.problems.append(str(error))
            return
        for time, picture in zip(plan.times, made, strict=True):
            name = f"{picture.sha256}.jpg"
            if not (self.folder / name).exists():
                (self.folder / name).write_bytes(picture.data)
            yield name, f"{time:.1f} s"


def make_cards(
    browser: Browser, compared: Sequence[Compared], sections: Sequence[Section], folder: Path, choice: FramesChoice
) -> list[ClipCards]:
    """Make the cards of all clips that have a script, and write their frames into ``folder``.

    The cards of a large benchmark are spread over its tasks. If no frames are wanted, the cards have none.
    """
    found: list[ClipCards] = []
    for section in sections:
        scripts = _scripts(section.benchmark, browser.problems)
        places = [place for place, one in enumerate(compared) if one.asked == section.name]
        writer = _Writer(folder, section.benchmark, browser.problems)
        cards: list[ClipCard] = []
        for name in _spread(scripts):
            first, script = scripts[name]
            items = _items(browser, section.name, first.cluster)
            chosen = _chosen(browser, items)
            path = next((path for item in first.media if item.kind == "video" for path in item.paths), None)
            frames = () if path is None or choice.which == "none" else tuple(writer.frames(path))
            asked = tuple((level, asked_of(browser, compared, item, places)) for level, item in chosen)
            cards.append(ClipCard(name, section.name, script, frames, asked, len(items) - len(asked)))
        if cards:
            found.append(ClipCards(section.name, len(scripts), tuple(cards)))
    return found


def _scripts(benchmark: Benchmark, problems: list[str]) -> dict[str, tuple[Question, SceneScript]]:
    """Return the first question and the script of each clip that has a script."""
    firsts: dict[Path, Question] = {}
    for question in benchmark.questions:
        folder = recording_folder(benchmark.folder, question)
        if folder is not None:
            firsts.setdefault(folder, question)
    found: dict[str, tuple[Question, SceneScript]] = {}
    for folder, question in firsts.items():
        try:
            script = read_script(folder)
        except InputError as error:
            problems.append(str(error))
            continue
        if script is not None:
            found[folder.name] = question, script
    return found


def _spread(scripts: dict[str, tuple[Question, SceneScript]]) -> list[str]:
    """Choose clips so that each task has about equally many, in the order of the benchmark."""
    by_task: dict[str, list[str]] = {}
    for name, (_, script) in scripts.items():
        by_task.setdefault(script.task, []).append(name)
    turns = [(turn, task, name) for task, names in by_task.items() for turn, name in enumerate(names)]
    chosen = {name for _, _, name in sorted(turns, key=lambda of: of[0])[:MOST]}
    return [name for name in scripts if name in chosen]


def _items(browser: Browser, benchmark: str, cluster: str) -> list[dict[str, Any]]:
    """Return the first ask of each base question about a clip."""
    found: dict[int, dict[str, Any]] = {}
    for item in browser.items:
        question = browser.questions[item["question"]]
        if (question["benchmark"], question["scene"], question["variant"]) == (benchmark, cluster, "base"):
            found.setdefault(item["question"], item)
    return list(found.values())


def _chosen(browser: Browser, items: Sequence[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """Choose a question of each level, or of each task if there are no levels.

    A question with a wrong answer comes first.
    """
    groups: dict[str, list[dict[str, Any]]] = {}
    for item in items:
        question = browser.questions[item["question"]]
        groups.setdefault(next(iter(question["tags"].get("level", ())), question["task"]), []).append(item)

    def is_right(item: dict[str, Any]) -> bool:
        return all(answer is None or answer["state"] != "wrong" for answer in item["answers"])

    return [(level, min(of, key=is_right)) for level, of in sorted(groups.items())[:GROUPS]]
