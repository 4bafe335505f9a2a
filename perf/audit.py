"""Measure the time and the peak memory of an audit of drawn questions without clips.

For every eight questions there is a recording of 13 things.

    python perf/audit.py [--questions 10000]

The aim is 60 s on two cores and 1 GB for 10,000 questions.
"""

import argparse
import resource
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from chronotope.audit.auditing import audit
from chronotope.question import Mention, Question
from chronotope.recording import Entity, Kind, Recording, save_recording
from fair_sets import WORDS, fair_questions, written

FRAMES = 150  # of a recording


def scene(name: str) -> Recording:
    """Make a recording of things whose sizes and places are random."""
    draw = np.random.default_rng(int(name[1:]))
    things = []
    for label in WORDS:
        poses = np.tile(np.eye(4), (FRAMES, 1, 1))
        poses[:, :3, 3] = draw.uniform(1, 5, 3)
        pixels = draw.integers(0, 4000, FRAMES)
        things.append(Entity(label, label, label, (0.2, 0.2, 0.2), poses, visible_pixels=pixels))
    times, camera = np.arange(FRAMES) / 10, np.tile(np.eye(4), (FRAMES, 1, 1))
    return Recording(name, Kind.INDOOR, "perf", times, camera, np.ones(FRAMES, bool), entities=tuple(things))


def with_things(questions: list[Question]) -> list[Question]:
    """Let options that are words name the things of the cluster's recording."""
    return [
        replace(
            one,
            recordings=(one.cluster,),
            mentions=tuple(
                Mention(option.text.removeprefix("the "), "option", option.text)
                for option in one.options
                if option.text is not None and option.text.startswith("the ")
            ),
        )
        for one in questions
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=10_000)
    wanted = parser.parse_args().questions
    with tempfile.TemporaryDirectory() as folder:
        bench = written(Path(folder) / "bench", with_things(fair_questions(0, clusters=wanted // 8)))
        for name in dict.fromkeys(one.cluster for one in bench.questions):
            save_recording(scene(name), bench.folder / "recordings" / name)
        wall, cpu = time.perf_counter(), time.process_time()
        found = audit(bench)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{found.questions} questions: {wall:.1f} s, of the processor {cpu:.1f} s, at most {peak:.0f} MB")


if __name__ == "__main__":
    main()
