"""Measure the cost of placements and variants: all questions in three variants, with the correct option at each letter.

usage: python perf/placements.py --no-check [--clips 20] [--questions 10] [--data FOLDER] [--results perf/RESULTS.md]

The clips and questions of perf/workload (20 clips, each with ten questions of five options) become a folder in the form
of VGenST-Bench: the base question, "None of these" as a sixth option (V1), and "None of these" in place of the correct
option (V2). With `--placement swap --layout shared`, each question has 5 + 6 + 5 asks, so there are 3,200 asks in all.
The plain run asks each base question once. The script counts, from outside, the opens of clips, the encodes of frames,
the requests, and the hits of a server's cache of 8 prefixes. CPU time is measured for the whole client and divided by
the number of requests. Linux only. Needs: pip install aiohttp psutil.
"""

import argparse
import os
import platform
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from endpoint import CLIPS, QUESTIONS, count_work, make_benchmark, measure, ours, prefix_hits, server, summary
from record import record

from chronotope.question import CardDraft, Option, Question, open_benchmark, write_benchmark_tables

NONE = Option("None of these")
TASK = "MC_F_EGO_STA"


def forms(question: Question) -> list[Question]:
    """Return the base question and its two variants as in VGenST-Bench (specification, section 8)."""
    base = replace(question, family="vgenst", task=TASK, window=None, tags={"type": ("L1-OA",), "level": ("L1",)})
    replaced = tuple(NONE if place in base.answer else option for place, option in enumerate(base.options))
    return [
        base,
        replace(base, id=f"{base.id}-v1", variant="none_distractor", base=base.id, options=(*base.options, NONE)),
        replace(base, id=f"{base.id}-v2", variant="none_answer", base=base.id, options=replaced),
    ]


def make_forms(data: Path, clips: int, questions_each: int) -> Path:
    """Make the workload's folder in the form of VGenST-Bench, with the same clips."""
    plain = open_benchmark(make_benchmark(data, clips, questions_each))
    folder = data / "forms"
    folder.mkdir()
    (folder / "clips").mkdir()
    for path in plain.media:
        os.link(plain.folder / path, folder / path)
    questions = [form for question in plain.questions for form in forms(question)]
    draft = CardDraft(name="Placements workload", family="vgenst", profile="paper", licence="made by a script")
    write_benchmark_tables(folder, draft, questions, plain.media)
    return folder


def cost(bench: Path, work: Path, flags: list[str]) -> dict[str, float]:
    """Return the CPU time of a run, and of each of its requests."""
    work.mkdir()
    log = work / "server.jsonl"
    with server(log, "--latency", "0.05", "--prefix-cache", "8") as port:
        found = measure(ours(bench, port, work / "run", *flags), work / "cache")
    requests = summary(log)["requests"]
    return {
        "requests": requests,
        "cpu_s": found["cpu_s"],
        "ms": 1000 * found["cpu_s"] / requests,
        "mb": found["peak_mb"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-check", action="store_true", help="ask without showing the server test pictures first")
    parser.add_argument("--data", type=Path, help="folder of the workload, made if missing (default: temporary)")
    parser.add_argument("--clips", type=int, default=CLIPS, help="number of clips of the workload, for a short trial")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="questions about each clip (default: 10)")
    parser.add_argument("--results", type=Path, default=Path(__file__).with_name("RESULTS.md"))
    arguments = parser.parse_args()
    no_check = ["--no-check"] if arguments.no_check else []
    every = ["--placement", "swap", *no_check]
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        bench = make_forms(arguments.data or work / "data", arguments.clips, arguments.questions)
        plain = cost(bench, work / "plain", ["--variant", "base", "--layout", "shared", *no_check])
        whole = cost(bench, work / "whole", ["--layout", "shared", *every])
        counted: dict[str, Any] = count_work(bench, work / "count", ["--layout", "shared", *every])
        counted |= prefix_hits(bench, work / "hits", every)
    rows = [
        f"| {name} | {of['requests']} | {of['cpu_s']:.2f} | {of['ms']:.2f} | {of['mb']} |"
        for name, of in (("base, published order", plain), ("base, V1 and V2, swapped", whole))
    ]
    text = "\n".join(
        [
            "# Results of perf/placements.py",
            "",
            f"`python perf/placements.py {' '.join(no_check)} --clips {arguments.clips} --questions "
            f"{arguments.questions}` on {os.cpu_count()} cores, Python {platform.python_version()}.",
            "",
            "| asked | requests | CPU s | CPU ms per request | peak MB |",
            "|---|---|---|---|---|",
            *rows,
            "",
            f"CPU time per request, relative to the plain run: {whole['ms'] / plain['ms']:.2f}; the target is below 1.",
            "",
            "| counted | |",
            "|---|---|",
            *(f"| {name} | {value} |" for name, value in counted.items()),
            "",
        ]
    )
    record(arguments.results, text)
    print(text)


if __name__ == "__main__":
    main()
