"""The scenes of train_looker.py: a table with one ball and two lamps, seen in four pictures.

Three facts are drawn for each scene: the colour of the ball, and which lamp is on in which picture. Each lamp is on in
one picture only, and never both in the same. The ball lies still, so that only the order of the lamps needs several
pictures. Everything else (the colours of wall and table, the place and the size of the ball, noise) is drawn at random.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from chronotope.media import encode_clip
from chronotope.question import (
    Benchmark,
    CardDraft,
    MediaItem,
    Option,
    Question,
    measure_media,
    open_benchmark,
    write_benchmark_tables,
)

PICTURES, SIDE, FPS = 4, 96, 2  # of a clip; the side of a picture in pixels
COLOURS = {"red": (200, 40, 40), "green": (40, 150, 60), "blue": (45, 80, 205), "yellow": (225, 200, 45)}
LAMPS = {"left": (26.0, 20.0), "right": (70.0, 20.0)}  # x and y of the centres, in pixels
RADIUS, TABLE = 8.0, 44  # of a lamp; the first row of the table
OFF, ON = (70, 70, 76), (255, 236, 170)
TASK = "CM_F_EXO_DYN"  # a task of VGenST-Bench that asks all three types
EXISTENCE, COLOUR, ORDER = TYPES = ("L1-OE", "L1-OA", "L2-TO")
STEMS = {
    EXISTENCE: "Is there a {} ball on the table?",
    COLOUR: "What colour is the ball on the table?",
    ORDER: "Which lamp lights up first?",
}


@dataclass(frozen=True)
class Scene:
    """The facts of a scene, and the seed of everything else in it.

    ``lit`` maps each lamp to the number of the picture in which it is on.
    """

    colour: str
    lit: tuple[tuple[str, int], ...]
    seed: int

    @property
    def first(self) -> str:
        """Return the lamp that lights up first."""
        return min(self.lit, key=lambda lamp: lamp[1])[0]

    def with_colour(self, colour: str) -> "Scene":
        """Return the same scene with a ball of another colour."""
        return replace(self, colour=colour)

    def with_lamps_exchanged(self) -> "Scene":
        """Return the same scene with the lamps lighting up in the other order."""
        (one, at), (other, then) = self.lit
        return replace(self, lit=((one, then), (other, at)))


def draw_facts(generator: np.random.Generator) -> Scene:
    """Draw the facts of a scene, all equally likely."""
    at = generator.choice(PICTURES, 2, replace=False)
    lit = tuple((lamp, int(picture)) for lamp, picture in zip(LAMPS, at, strict=True))
    return Scene(str(generator.choice(list(COLOURS))), lit, int(generator.integers(2**31)))


def render(scene: Scene) -> np.ndarray:
    """Draw the pictures (4, 96, 96, 3) of a scene, uint8 RGB."""
    generator = np.random.default_rng(scene.seed)
    wall = generator.uniform(130, 215, 3)
    table = np.array([150, 110, 75]) * generator.uniform(0.7, 1.2) + generator.uniform(-12, 12, 3)
    centre = generator.uniform((16, 60), (80, 82))
    radius, shade = generator.uniform(9, 13), generator.uniform(0.85, 1.1)
    rows, columns = np.mgrid[0:SIDE, 0:SIDE].astype(float)
    picture = np.where((rows < TABLE)[..., None], wall, table)
    shadow = _disc(columns, rows, centre + np.array([2, 4]), radius)[..., None]
    picture = picture * (1 - 0.4 * shadow)
    ball = _disc(columns, rows, centre, radius)[..., None]
    light = 1 - 0.25 * (rows - centre[1] + radius)[..., None] / (2 * radius)
    picture = picture * (1 - ball) + ball * np.array(COLOURS[scene.colour]) * shade * light
    pictures = np.repeat(picture[None], PICTURES, axis=0)
    for lamp, at in scene.lit:
        disc = _disc(columns, rows, LAMPS[lamp], RADIUS)[..., None]
        for number in range(PICTURES):
            pictures[number] = pictures[number] * (1 - disc) + disc * np.array(ON if number == at else OFF)
    noise = generator.normal(0, 4, pictures.shape)
    return (pictures + noise).clip(0, 255).astype(np.uint8)


def _disc(columns: np.ndarray, rows: np.ndarray, centre: Sequence[float] | np.ndarray, radius: float) -> np.ndarray:
    """Return the share of each pixel that a disc covers, about."""
    return np.clip(radius + 0.5 - np.hypot(columns - centre[0], rows - centre[1]), 0, 1)


def ask_about(scene: Scene, kind: str, generator: np.random.Generator) -> tuple[str, list[str], int]:
    """Return the stem, the options in random order, and the index of the answer."""
    stem = STEMS[kind]
    if kind == EXISTENCE:
        others = [colour for colour in COLOURS if colour != scene.colour]
        asked = scene.colour if generator.random() < 0.5 else str(generator.choice(others))
        stem, options, right = stem.format(asked), ["Yes", "No"], "Yes" if asked == scene.colour else "No"
    elif kind == COLOUR:
        options, right = list(COLOURS), scene.colour
    else:
        options, right = [f"The {lamp} lamp" for lamp in LAMPS], f"The {scene.first} lamp"
    order = [options[place] for place in generator.permutation(len(options))]
    return stem, order, order.index(right)


def answer_to(scene: Scene, stem: str, options: Sequence[str]) -> int:
    """Return the index of the answer to a question about another scene."""
    if stem == STEMS[COLOUR]:
        return options.index(scene.colour)
    if stem == STEMS[ORDER]:
        return options.index(f"The {scene.first} lamp")
    return options.index("Yes" if stem == STEMS[EXISTENCE].format(scene.colour) else "No")


def pairs(number: int, seed: int) -> Iterator[tuple[str, Scene, Scene]]:
    """Yield pairs of scenes that differ in exactly one fact, with its name: the colour, or the order."""
    generator = np.random.default_rng([seed, 2])
    for place in range(number):
        scene = draw_facts(generator)
        if place % 2:
            yield "order", scene, scene.with_lamps_exchanged()
        else:
            other = generator.choice([colour for colour in COLOURS if colour != scene.colour])
            yield "colour", scene, scene.with_colour(str(other))


def write_benchmark(folder: Path, number: int, seed: int) -> Benchmark:
    """Write a question set of ``number`` pairs of clips, with three questions about each clip.

    Both clips of a pair are one cluster, and their questions are equal except for the answers. ``provenance`` has the
    facts of the clip, the id of the same question about the other clip (``twin``), and the name of the ``fact`` in
    which the clips differ.
    """
    questions: list[Question] = []
    (folder / "clips").mkdir(parents=True)
    generator = np.random.default_rng([seed, 3])
    for place, (fact, *scenes) in enumerate(pairs(number, seed)):
        for side, scene in zip("ab", scenes, strict=True):
            encode_clip(list(render(scene)), folder / "clips" / f"{place:03d}{side}.mp4", FPS)
        for kind in TYPES:
            stem, options, _ = ask_about(scenes[0], kind, generator)
            for side, twin, scene in zip("ab", "ba", scenes, strict=True):
                facts = {"colour": scene.colour, "lit": dict(scene.lit)}
                questions.append(
                    Question(
                        id=f"{place:03d}{side}-{kind}",
                        family="vgenst",
                        task=TASK,
                        cluster=f"table-{place:03d}",
                        stem=stem,
                        options=tuple(map(Option, options)),
                        answer=(answer_to(scene, stem, options),),
                        media=(MediaItem("video", "video", (f"clips/{place:03d}{side}.mp4",)),),
                        tags={"type": (kind,), "level": (kind[:2],), "fact": (fact,)},
                        provenance={"facts": facts, "fact": fact, "twin": f"{place:03d}{twin}-{kind}"},
                    )
                )
    draft = CardDraft(
        name="Balls and lamps", family="vgenst", profile="strict", licence="CC0-1.0", seed=seed,
        command="python examples/train_looker.py",
    )  # fmt: skip
    paths = sorted({path for question in questions for item in question.media for path in item.paths})
    write_benchmark_tables(folder, draft, questions, measure_media(folder, paths))
    return open_benchmark(folder)
