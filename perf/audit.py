"""Measure the time and the peak memory of an audit of drawn questions without clips.

    python perf/audit.py [--questions 10000]

The aim is 60 s on two cores and 1 GB for 10,000 questions.
"""

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=10_000)
    wanted = parser.parse_args().questions
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from chronotope.audit.auditing import audit
    from fair_sets import fair_questions, written

    with tempfile.TemporaryDirectory() as folder:
        bench = written(Path(folder) / "bench", fair_questions(0, clusters=wanted // 8))
        wall, cpu = time.perf_counter(), time.process_time()
        found = audit(bench)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{found.questions} questions: {wall:.1f} s, of the processor {cpu:.1f} s, at most {peak:.0f} MB")


if __name__ == "__main__":
    main()
