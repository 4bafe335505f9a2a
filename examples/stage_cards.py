"""Write a page with one scene of each task of VGenST-Bench: strip, scenario, scene graph, and a question of each level.

chronotope build vgenst world:stage:12 --seed 3 --quality fast --no-render --out told
mkdir graphs && for one in told/recordings/*; do cp $one/graph.json graphs/$(basename $one).json; done
chronotope build vgenst graphs --quality fast --out drawn
python examples/stage_cards.py told docs/stage-cards.md --clips drawn/clips

The words come from the benchmark that is not drawn, so a test can write them again. Pictures are made only of clips.
"""

import argparse
import json
from pathlib import Path

import numpy as np
import yaml
from PIL import Image

import chronotope as ct
from chronotope.families.vgenst.tasks import NAMES
from chronotope.media import decode_frames, probe
from chronotope.question import Question
from chronotope.world.kinds.stage.graph import parse_graph, published

LETTERS = "ABCD"
FRAMES, COLUMNS, WIDTH, GAP, QUALITY = 8, 4, 200, 4, 70  # px; JPEG
INTRODUCTION = """# One scene of each task

One drawn scene of each of the twelve tasks of [VGenST-Bench](vgenst-bench.md), with its scene graph, its scenario and
three of its questions, one of each level. Another page describes the [stages](stages.md).
`examples/stage_cards.py` makes this page, and its head says how.
"""


def strip_of(clip: Path) -> Image.Image:
    """Return eight frames of a clip, evenly spaced in time, in two rows."""
    wanted = np.linspace(0, probe(clip).frames - 1, FRAMES).round().astype(int).tolist()
    pictures = [Image.fromarray(picture) for _, picture in decode_frames(clip, wanted)]
    height = round(WIDTH * pictures[0].height / pictures[0].width)
    rows = FRAMES // COLUMNS
    strip = Image.new("RGB", (COLUMNS * (WIDTH + GAP) - GAP, rows * (height + GAP) - GAP), "white")
    for number, picture in enumerate(pictures):
        place = (number % COLUMNS * (WIDTH + GAP), number // COLUMNS * (height + GAP))
        strip.paste(picture.resize((WIDTH, height), Image.Resampling.LANCZOS), place)
    return strip


def card_of(code: str, recording: Path, questions: list[Question], picture: str) -> str:
    """Return the part of the page about a scene."""
    graph = parse_graph(json.loads((recording / "graph.json").read_text()), recording.name)
    scenario = json.loads((recording / "scenario.json").read_text())
    told = yaml.safe_dump(published(graph), sort_keys=False, allow_unicode=True, width=100, default_flow_style=None)
    lines = [
        f"## {NAMES[code]}", "",
        f"![Eight frames of a clip of the task {code}]({picture})", "",
        f"Theme: {graph.scene_meta.theme}. {scenario['reasoning_goal']}", "",
        *(f"- {moment}: {what}" for moment, what in scenario["timeline"].items()), "",
        "| level | question | options, the right one in bold |", "|---|---|---|",
        *(row_of(question) for question in questions), "",
        "<details markdown>", "<summary>The scene graph</summary>", "",
        "```yaml", told.rstrip(), "```", "", "</details>", "",
    ]  # fmt: skip
    return "\n".join(lines)


def row_of(question: Question) -> str:
    """Return a row of the table of questions."""
    options = [
        f"**{LETTERS[place]}. {option.text}**" if place in question.answer else f"{LETTERS[place]}. {option.text}"
        for place, option in enumerate(question.options)
    ]
    return f"| {question.tags['type'][0]} | {question.stem} | {'<br>'.join(options)} |"


def page_of(folder: Path) -> str:
    """Return the page about a benchmark."""
    bench = ct.open(folder)
    cards = [INTRODUCTION]
    for code in NAMES:
        own = [question for question in bench.questions if question.task == code]
        if not own:
            continue
        first = [question for question in own if question.cluster == own[0].cluster]
        levels = {question.tags["level"][0]: question for question in reversed(first)}
        picture = f"stage-{code[:2].lower()}.jpg"
        recording = folder / "recordings" / first[0].cluster
        cards.append(card_of(code, recording, [levels[level] for level in sorted(levels)], f"images/{picture}"))
    return "\n".join(cards)


def main() -> None:
    """Write the page and its pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench", type=Path)
    parser.add_argument("page", type=Path)
    parser.add_argument("--clips", type=Path, nargs="*", default=[], help="folders of clips with the names of scenes")
    given = parser.parse_args()
    given.page.write_text(page_of(given.bench), encoding="utf-8")
    images = given.page.parent / "images"
    images.mkdir(exist_ok=True)
    for recording in sorted((given.bench / "recordings").iterdir()):
        graph = parse_graph(json.loads((recording / "graph.json").read_text()), recording.name)
        # A scene from a file has its number behind the name of the file.
        for clip in (clip for folder in given.clips for clip in folder.glob(f"{recording.name}*.mp4")):
            strip_of(clip).save(images / f"stage-{graph.task.lower()}.jpg", quality=QUALITY)


if __name__ == "__main__":
    main()
