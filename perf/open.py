"""Measure time and memory for opening a large benchmark folder, relative to PyArrow's conversion to Python rows.

    python perf/open.py [--questions 200000] [--clips 200]

Each opening is a separate process. Two figures are printed for each: CPU seconds, and the largest resident memory.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from multiprocessing import Process
from pathlib import Path

import numpy as np

from chronotope.io import sha256_file
from chronotope.media import encode_clip
from chronotope.question import CardDraft, MediaItem, Mention, Option, Question, Window, write_benchmark_tables
from chronotope.question.rows import MediaFile

OURS = "from chronotope.question import open_benchmark; n = len(open_benchmark('{folder}').questions)"
BARE = "import pyarrow.parquet as pq; n = len(pq.read_table('{folder}/questions.parquet').to_pylist())"
MEASURE = """
import json, resource
{code}
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([n, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""


def question(number: int, clip: str, random: np.random.Generator) -> Question:
    """Return a question like the demo's questions, with its provenance."""
    values = np.cumsum(random.uniform(0.1, 1, 5))
    things = [f"{colour} mug" for colour in random.choice(["red", "blue", "green", "white"], 2)]
    return Question(
        id=f"clip-{number}--gap-{number}",
        family="sti",
        task="Dimensional Measurement",
        cluster=Path(clip).stem,
        stem=f"At t = {number % 97 / 10}s, how wide is the smallest gap between the {things[0]} and the {things[1]}, "
        "each taken as the upright box that just holds it?",
        options=tuple(Option(f"{value:.2f}m") for value in values),
        answer=(number % 5,),
        window=Window(0.0, 4.0),
        media=(MediaItem("video", "video", (clip,)),),
        tags={"scene": ("desktop",), "variant": ("gap",), "quantity": ("distance",)},
        recordings=(Path(clip).stem,),
        mentions=tuple(Mention(f"thing-{place}", "stem", f"the {one}", 10, 30) for place, one in enumerate(things)),
        provenance={
            "formula": "smallest distance between two boxes",
            "parameters": {"time": number % 97 / 10, "values": values.tolist(), "rank": number % 5},
            "seed": [0, "sti", f"{number}"],
        },
    )


def write(folder: Path, questions: int, clips: int) -> None:
    """Write a benchmark with this number of questions about this number of equal clips."""
    first = folder / "clips" / "0.mp4"
    first.parent.mkdir(parents=True)
    encode_clip([np.full((48, 64, 3), 5 * k, np.uint8) for k in range(40)], first, 10.0)
    content, sha256 = first.read_bytes(), sha256_file(first)
    media = {}
    for number in range(clips):
        path = f"clips/{number}.mp4"
        (folder / path).write_bytes(content)
        media[path] = MediaFile(path, sha256, "video", 64, 48, 40, 10.0, 4.0)
    random = np.random.default_rng(0)
    made = [question(number, f"clips/{number % clips}.mp4", random) for number in range(questions)]
    write_benchmark_tables(
        folder, CardDraft(name="large", family="sti", profile="strict", licence="CC0-1.0"), made, media
    )


def measured(code: str) -> tuple[int, float, float]:
    """Return rows, CPU seconds and the largest resident memory (MB) of a process that runs some code."""
    done = subprocess.run([sys.executable, "-c", MEASURE.format(code=code)], capture_output=True, text=True, check=True)
    rows, seconds, memory = json.loads(done.stdout)
    return rows, seconds, memory


def main() -> None:
    """Write the folder, open it in both ways, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=200_000)
    parser.add_argument("--clips", type=int, default=200)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "bench"
        # Writing has its own process, so that this process stays small: the measuring processes inherit its memory.
        writing = Process(target=write, args=(folder, chosen.questions, chosen.clips))
        writing.start()
        writing.join()
        results = {name: measured(code.format(folder=folder)) for name, code in (("chronotope", OURS), ("bare", BARE))}
    for name, (rows, seconds, memory) in results.items():
        print(f"{name:>10}: {rows:,} questions, {seconds:.1f} CPU s, {memory:,.0f} MB")
    print(f"     ratio: {results['chronotope'][1] / results['bare'][1]:.2f} times the time")


if __name__ == "__main__":
    main()
