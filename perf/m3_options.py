"""What a stranger gets right in a benchmark of M3-Verse: guessers that see options, or options and stem, but no video.

usage: python perf/m3_options.py BENCH [BENCH ...]

The guessers (`tests/families/m3_guesser.py`) learn from other homes, in five folds. Printed are, for each category and
each subtask with at least 100 questions, the number of questions, chance, and the hits of each guesser above chance, in
percentage points. A guesser needs dozens of homes. It needs scikit-learn (extra `test`).
"""

import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "families"))

from m3_guesser import GUESSERS, VIEWS, chance, hits

from chronotope.question import Question, open_benchmark

FEWEST = 100  # questions of a category or subtask that is printed


def main() -> None:
    """Run the command line."""
    if len(sys.argv) < 2 or "--help" in sys.argv:
        sys.exit(__doc__)
    questions: list[Question] = []
    for number, folder in enumerate(sys.argv[1:]):
        for one in open_benchmark(Path(folder)).questions:
            object.__setattr__(one, "cluster", f"{number}/{one.cluster}")  # names of homes can recur
            questions.append(one)
    ways = [(view, guesser) for view in VIEWS for guesser in GUESSERS]
    found = [hits(questions, view, guesser) for view, guesser in ways]
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
