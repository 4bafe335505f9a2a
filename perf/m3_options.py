"""What a stranger gets right in a benchmark of M3-Verse: guessers that see options, or options and stem, but no video.

usage: python perf/m3_options.py [BENCH ...] [--laid HOMES] [--profile PROFILE] [--seed N] [--divisions N]

The guessers (`tests/families/m3_guesser.py`) learn from other homes, in five folds. Printed are, for each category and
each subtask with at least 100 questions, the number of questions, chance, and the hits of each guesser above chance, in
percentage points. A guesser needs dozens of homes: hits on few of them depend much on which homes are in one fold. With
``--divisions``, they are averaged over several random divisions. Needs scikit-learn (extra `test`).
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "families"))

from m3_guesser import FOLDS, GUESSERS, VIEWS, chance, hits
from m3_homes import laid_home

from chronotope.families import WriteContext
from chronotope.families.m3 import FAMILY
from chronotope.question import Question, objects_that_stay, open_benchmark

FEWEST = 100  # questions of a category or subtask that is printed


def divided(questions: list[Question], seed: int) -> Callable[[Question], int]:
    """Divide the homes at random, and return the fold of a question."""
    homes = sorted({one.cluster for one in questions})
    fold = dict(zip(homes, np.random.default_rng(seed).permutation(len(homes)) % FOLDS, strict=True))
    return lambda one: fold[one.cluster]


def about_laid(homes: int, profile: str, seed: int) -> list[Question]:
    """Lay homes without pictures, and return the questions that a build selects about them."""
    assert FAMILY.build.write is not None and FAMILY.build.select is not None
    context = WriteContext(seed, profile, FAMILY.build.Options())
    with objects_that_stay():
        written = [
            one for number in range(homes) for one in FAMILY.build.write(laid_home(7000 + number), context).questions
        ]
        return list(FAMILY.build.select(written, context).questions)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmarks", type=Path, nargs="*", metavar="BENCH")
    parser.add_argument("--laid", type=int, default=0, metavar="HOMES", help="homes that are laid without pictures")
    parser.add_argument("--profile", default="strict", help="of the questions about laid homes (default: strict)")
    parser.add_argument("--seed", type=int, default=7, help="of the questions about laid homes")
    parser.add_argument(
        "--divisions", type=int, default=0, help="random divisions of the homes, over which is averaged"
    )
    arguments = parser.parse_args()
    questions = about_laid(arguments.laid, arguments.profile, arguments.seed) if arguments.laid else []
    for number, folder in enumerate(arguments.benchmarks):
        for one in open_benchmark(folder).questions:
            object.__setattr__(one, "cluster", f"{number}/{one.cluster}")  # names of homes can recur
            questions.append(one)
    ways = [(view, guesser) for view in VIEWS for guesser in GUESSERS]
    parts = [divided(questions, seed) for seed in range(arguments.divisions)] or [lambda one: one.cluster]
    found = [np.mean([hits(questions, *way, part) for part in parts], 0) for way in ways]
    fair = np.array([chance(one) for one in questions])
    print("| part | questions | chance, % |", " | ".join(f"{view}, {one.__name__}" for view, one in ways), "|")
    print("|---|" + "---|" * (2 + len(ways)))
    for keys in (lambda one: "all", lambda one: one.task, lambda one: one.tags["subtask"][0]):
        groups: dict[str, list[int]] = defaultdict(list)
        for place, one in enumerate(questions):
            groups[keys(one)].append(place)
        for name, places in sorted(groups.items()):
            if len(places) >= FEWEST:
                above = " | ".join(f"{100 * (each[places].mean() - fair[places].mean()):+.1f}" for each in found)
                print(f"| {name} | {len(places)} | {100 * fair[places].mean():.1f} | {above} |")


if __name__ == "__main__":
    main()
