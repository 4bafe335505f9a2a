"""Pairs of originals and twins in the report: planted models that see, that know usual answers, and that only read."""

import csv
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from report_bench import ask
from report_tables import Tables

from chronotope.evaluate.score.statistics import korn_graubard
from chronotope.models import Asked, FunctionModel, RawReply
from chronotope.question import MediaItem, Option, Question
from chronotope.report import section_data, write_report
from chronotope.view import FramesChoice
from drawn_benchmarks import write_benchmark

SCENES = 8
SIDES = ("Left", "Right", "Above", "Below")
EVERY = ("base", "mirrored", "half_speed")
SPEEDS = ("1.0", "2.0", "3.0", "4.0")
RIGHT_SPEED = 2  # 3.0 m/s, in each clip


def shown_on(scene: int) -> int:
    """Return the side of the bright half: left in six of eight scenes."""
    return 0 if scene % 4 else 1


def picture(clip: int, number: int) -> np.ndarray:
    """One half is bright; the lowest rows are bright in the slowed clips."""
    scene, kind = divmod(clip, len(EVERY))
    found = np.full((48, 64, 3), 30 + number, np.uint8)
    right = shown_on(scene) ^ (EVERY[kind] == "mirrored")
    found[:24, 32 * right : 32 * right + 32] = 220
    if EVERY[kind] == "half_speed":
        found[32:] = 220
    return found


def questions() -> list[Question]:
    """A question about a side with its mirrored twin, and one about a speed with its slowed twin, for each scene."""
    found: list[Question] = []
    for scene in range(SCENES):
        side, speed = (
            Question(
                id=f"scene-{scene}-{kind}",
                family="sti",
                task=task,
                cluster=f"scene-{scene}",
                stem=stem,
                options=tuple(map(Option, options)),
                answer=(answer,),
                media=(MediaItem("video", "video", (f"clips/{len(EVERY) * scene}.mp4",)),),
            )
            for kind, task, stem, options, answer in (
                ("side", "Spatial Relation", "Where is the lamp?", SIDES, shown_on(scene)),
                ("speed", "Speed & Acceleration", "How fast is it?", [f"{one}m/s" for one in SPEEDS], RIGHT_SPEED),
            )
        )
        swapped = tuple(map(Option, ("Right", "Left", "Above", "Below")))
        slow = tuple(Option(f"{float(one) / 2:.2f}m/s") for one in SPEEDS)
        found += [side, speed, twin(side, "mirrored", swapped), twin(speed, "half_speed", slow)]
    return found


def twin(question: Question, variant: str, options: tuple[Option, ...]) -> Question:
    [item] = question.media
    number = int(Path(item.paths[0]).stem) + EVERY.index(variant)
    return replace(
        question,
        id=f"{question.id}-{variant}",
        variant=variant,
        base=question.id,
        options=options,
        media=(replace(item, paths=(f"clips/{number}.mp4",)),),
    )


def texts(asked: Asked) -> list[str]:
    return [option.text or "" for option in asked.options]


def letter(options: list[str], text: str) -> str:
    return "ABCDE"[options.index(text)]


def sees(asked: Asked) -> RawReply:
    """Look at the bright half, and whether the clip is slowed."""
    frame, options = asked.frames()[0], texts(asked)
    if "lamp" in asked.text:
        return RawReply("replied", letter(options, "Left" if frame[:20, :30].mean() > 120 else "Right"))
    return RawReply("replied", letter(options, "1.50m/s" if frame[36:].mean() > 120 else "3.0m/s"))


def errs(asked: Asked) -> RawReply:
    """See everything, but take left for right."""
    if "lamp" not in asked.text:
        return sees(asked)
    return RawReply("replied", "B" if sees(asked).text == "A" else "A")


def knows(asked: Asked) -> RawReply:
    """Say the usual answer: the lamp is on the left, and it moves at about 3 m/s."""
    options = texts(asked)
    if "lamp" in asked.text:
        return RawReply("replied", letter(options, "Left"))
    nearest = min(options, key=lambda text: abs(float(text.removesuffix("m/s")) - 3))
    return RawReply("replied", letter(options, nearest))


def reads(asked: Asked) -> RawReply:
    """Choose by the words alone: the first option of the alphabet, or the second number."""
    options = texts(asked)
    return RawReply("replied", letter(options, min(options) if "lamp" in asked.text else options[1]))


MODELS: dict[str, Callable[[Asked], RawReply]] = {"sees": sees, "errs": errs, "knows": knows, "reads": reads}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("pairs")
    bench = write_benchmark(folder / "bench", questions(), picture=picture)
    models = {name: FunctionModel(does, f"function/{name}", version="1") for name, does in MODELS.items()}
    found = [ask(bench, folder / name, model, variants=EVERY) for name, model in models.items()]
    return [*found, ask(bench, folder / "blind", models["reads"], variants=EVERY, input="blind")]


@pytest.fixture(scope="module")
def pairs(runs: list[Path], tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], dict]:
    report = write_report(runs, tmp_path_factory.mktemp("report") / "report", FramesChoice("none"))
    [section] = report.sections
    [table] = section_data(section)["altered_pairs"]
    names = {"model": "model", "alteration": "alteration"}
    return {tuple(row[name] for name in names): row for row in table["rows"]}


def values(row: dict) -> list[float | None]:
    columns = ("original right", "twin right", "both right", "follows the clip", "same words again")
    found = [row[name] for name in (*columns, "only follows the words")]
    return [None if one is None else one["value"] for one in found]


def row_of(pairs: dict, name: str, alteration: str) -> dict:
    [found] = [
        row for (model, of), row in pairs.items() if re.search(rf"/{name}(?!.*blind)", model) and of == alteration
    ]
    return found


def test_consistency_exposes_who_ignores_the_video(pairs: dict) -> None:
    # Numbers of slowed clips are new words, so no pair of them tells the clip from the old words.
    assert values(row_of(pairs, "sees", "mirrored")) == [1, 1, 1, 1, 0, 0]
    assert values(row_of(pairs, "sees", "half speed")) == [1, 1, 1, None, None, None]
    # Who takes left for right is never right, but the answers follow the clip.
    assert values(row_of(pairs, "errs", "mirrored")) == [0, 0, 0, 1, 0, 0]
    # As right on originals as many a model: six of eight, and never on both.
    assert values(row_of(pairs, "knows", "mirrored")) == [0.75, 0.25, 0, 0, 1, 0.75]
    assert values(row_of(pairs, "knows", "half speed")) == [1, 0, 0, None, None, None]
    assert values(row_of(pairs, "knows", "all"))[:3] == [0.875, 0.125, 0]
    # The blind run says which answers the words give, also where they are new.
    assert values(row_of(pairs, "reads", "half speed")) == [0, 0, 0, None, None, 1]
    assert values(row_of(pairs, "reads", "mirrored"))[-1] == 1


def test_intervals_are_by_clip(pairs: dict) -> None:
    both = row_of(pairs, "knows", "all")["original right"]
    right = [1.0 if shown_on(scene) == 0 else 0.0 for scene in range(SCENES)] + [1.0] * SCENES
    low, high = korn_graubard(right, [str(scene) for scene in range(SCENES)] * 2)
    assert (both["low"], both["high"]) == (pytest.approx(low), pytest.approx(high))
    assert (both["items"], both["clusters"]) == (16, 8)
    assert row_of(pairs, "sees", "all")["chance of both"] == pytest.approx(1 / 16)


def test_the_page_and_the_files_have_the_pairs(runs: list[Path], tmp_path: Path) -> None:
    report = write_report(runs[2:3], tmp_path / "report", FramesChoice("none"), formats=("csv",))
    page = report.index.read_text(encoding="utf-8")
    assert "does the answer follow the clip?" in page
    assert len(Tables(page).rows("Pairs of original and twin")) >= 1
    with (tmp_path / "report" / "tables" / "altered_pairs.csv").open(newline="") as file:
        lines = {line["alteration"]: line for line in csv.DictReader(file)}
    assert list(lines) == ["mirrored", "half speed", "all"]
    assert float(lines["mirrored"]["both right"]) == 0 and float(lines["mirrored"]["original right"]) == 0.75
    assert lines["mirrored"]["both right low"] == "0.0" and 0 < float(lines["mirrored"]["both right high"]) < 0.5


def test_runs_without_twins_have_no_such_part(tmp_path: Path) -> None:
    bench = write_benchmark(tmp_path / "bench", [one for one in questions() if one.variant == "base"], picture=picture)
    run = ask(bench, tmp_path / "run", "baseline/random")
    [section] = write_report([run], tmp_path / "report", FramesChoice("none")).sections
    assert "altered_pairs" not in section.parts
