"""Measure the time for writing VGenST-Bench's questions of many scenes, relative to the scene graphs alone.

usage: python perf/write_vgenst.py [--scenes 100] [--pairs 3]

For each of the twelve tasks, the script draws so many scene graphs and checks them (the bound), and writes the
questions of all their cells with all variants. Both run in turn in this process. The script prints the median ratio of
CPU time, the seconds for all scenes, and the numbers of questions. The target is a minute for 1,200 scenes.
"""

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
from record import record

from chronotope.families.vgenst.write import questions_of
from chronotope.question import make_variants
from chronotope.world.kinds.stage.graph import TASKS, draw_graph, validate


def graphs(scenes: int) -> list:
    """Draw and check the scene graphs of all tasks."""
    generator = np.random.default_rng(0)
    drawn = [draw_graph(generator, task, index, profile="extended") for task in TASKS for index in range(scenes)]
    assert not any(validate(graph, is_drawn=True) for graph in drawn)
    return drawn


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=100, help="scenes of each task")
    parser.add_argument("--pairs", type=int, default=3, help="measurements")
    parser.add_argument("--results", type=Path, help="Markdown file for the result")
    wanted = parser.parse_args()
    ratios, spent, base, variants = [], [], 0, 0
    graphs(2)  # what is loaded once is loaded
    for _ in range(wanted.pairs):
        start = time.process_time()
        drawn = graphs(wanted.scenes)
        middle = time.process_time()
        questions = [
            question
            for number, graph in enumerate(drawn)
            for question in questions_of(graph, f"scene-{number}", 0, "strict").questions
        ]
        made = make_variants(questions, ["none_distractor", "none_answer", "open"], 0)
        end = time.process_time()
        ratios.append((end - middle) / (middle - start))
        spent.append(end - middle)
        base, variants = len(questions), len(made)
    lines = [
        "# Results of perf/write_vgenst.py",
        "",
        f"`python perf/write_vgenst.py --pairs {wanted.pairs} --scenes {wanted.scenes}`",
        "",
        "| scenes | base questions | variants | CPU seconds | ratio to drawing and checking the graphs |",
        "|---|---|---|---|---|",
        f"| {12 * wanted.scenes} | {base} | {variants} | {statistics.median(spent):.1f} | "
        f"{statistics.median(ratios):.2f} |",
    ]
    text = "\n".join([*lines, "", "The target is a minute for 1,200 scenes."])
    print(text)
    if wanted.results is not None:
        record(wanted.results, text)


if __name__ == "__main__":
    main()
