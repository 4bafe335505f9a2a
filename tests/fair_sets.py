"""Fair benchmarks of numbers and words, in which every option is equally likely to be correct, and planted cues."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from chronotope.question import CardDraft, Option, Question, open_benchmark, write_benchmark_tables

WORDS = ["lamp", "table", "chair", "mug", "shelf", "door", "clock", "vase", "plant", "box", "sofa", "desk", "bowl"]
Rule = Callable[[list[str]], int]  # the option that a planted cue makes correct


def fair_questions(
    seed: int, clusters: int = 40, each: int = 8, plant: Rule | None = None, strength: float = 0.0
) -> list[Question]:
    """Questions with numbers and with words; ``strength`` of them have the answer that ``plant`` names."""
    generator = np.random.default_rng(seed)
    made = []
    for number in range(clusters * each):
        numeric = number % 2 == 0
        if numeric:
            values = generator.uniform(1, 4) * 1.3 ** generator.permutation(5)
            texts = [f"{value:.2f}m" for value in values]
            stem = f"How far is the {generator.choice(WORDS)} from the {generator.choice(WORDS)}?"
        else:
            texts = [f"the {word}" for word in generator.choice(WORDS, 5, replace=False)]
            stem = f"Which of these is seen first after t = {number % each}.0s?"
        answer = int(generator.integers(5))
        if plant is not None and generator.random() < strength:
            answer = plant(texts)
        made.append(
            Question(
                id=f"q{number:05d}",
                family="sti",
                task="distance" if numeric else "order",
                cluster=f"c{number // each}",
                stem=stem,
                options=tuple(map(Option, texts)),
                answer=(answer,),
            )
        )
    return made


def written(folder: Path, questions: list[Question]):
    """Write the questions as a benchmark without clips."""
    folder.mkdir(parents=True)
    draft = CardDraft(name=folder.name, family="sti", profile="strict", licence="CC0-1.0")
    write_benchmark_tables(folder, draft, questions, {})
    return open_benchmark(folder)


def renamed(questions: list[Question], name: Callable[[Question], str]) -> list[Question]:
    """Give questions ids by their content."""
    return [replace(one, id=name(one)) for one in questions]
