"""Measure the CPU time for asking an endpoint, relative to a minimal client that stores and checks nothing (the bound).

usage: python perf/endpoint.py --no-check [--pairs 5] [--clips 20] [--data FOLDER | --bench FOLDER] [--results FILE]

The workload (perf/workload, never changed) has 20 clips of 8 s, ten questions about each clip, 8 frames for each clip,
and a server that answers after 50 ms and logs its requests. The bound (`floor.py`) and `chronotope run` are run
alternately. Each run is a separate process with a new server, no cached frames and a new run folder; the ratio compares
CPU time. Further runs measure the time with a slow server. They also count, outside the client, the opens of clips
(inotify), the encodes of frames, the planned frames that arrived, and the hits of the server's prefix cache. Without
`--no-check`, every run first sends the pictures of `chronotope check`. With `--bench`, both clients ask the questions
of a benchmark folder instead, such as the demo's, and the counts are for this folder. Linux only. Needs: pip install
aiohttp psutil.
"""

import argparse
import contextlib
import ctypes
import json
import os
import platform
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import numpy as np
from record import record

from chronotope.media import encode_picture
from chronotope.question import (
    CardDraft,
    MediaItem,
    Option,
    Question,
    Window,
    measure_media,
    open_benchmark,
    write_benchmark_tables,
)

WORKLOAD = Path(__file__).parent / "workload"
FRAMES = 8
CLIPS = 20
QUESTIONS = 10
IN_OPEN = 0x20


def make_benchmark(data: Path, clips: int = CLIPS, questions_each: int = QUESTIONS) -> Path:
    """Make a benchmark folder from the workload's clips and questions, or from some of these."""
    if not (data / "questions.json").exists():
        command = [sys.executable, WORKLOAD / "make_data.py", data]
        command += ["--clips", str(clips), "--questions", str(questions_each)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    folder = data / "bench"
    if folder.exists():
        return folder
    (folder / "clips").mkdir(parents=True)
    questions = []
    for row in json.loads((data / "questions.json").read_text()):
        path = f"clips/{row['video']}"
        if not (folder / path).exists():
            shutil.copy(data / "videos" / row["video"], folder / path)
        questions.append(
            Question(
                id=f"q-{row['id']}",
                family="sti",
                task="Displacement & Path Length",
                cluster=row["video"],
                stem=row["question"].removeprefix("From 0.0 seconds to 8.0 seconds. "),
                options=tuple(Option(text) for text in distinct(row["options"])),
                answer=("ABCDE".index(row["answer"]),),
                window=Window(0.0, 8.0),
                media=(MediaItem("video", "video", (path,)),),
            )
        )
    draft = CardDraft(name="Endpoint workload", family="sti", profile="strict", licence="made by a script")
    paths = sorted({item.paths[0] for question in questions for item in question.media})
    write_benchmark_tables(folder, draft, questions, measure_media(folder, paths))
    return folder


def make_data(bench: Path, data: Path) -> None:
    """Write a benchmark's clips and questions in the form of the workload, for the bound."""
    benchmark = open_benchmark(bench)
    (data / "videos").mkdir(parents=True)
    for path, file in benchmark.media.items():
        if file.kind == "video":
            shutil.copy(bench / path, data / "videos" / Path(path).name)
    rows = [
        {
            "id": question.id,
            "video": Path(question.media[0].paths[0]).name,
            "question": question.stem,
            "options": [option.text for option in question.options],
            "answer": "ABCDE"[question.answer[0]],
        }
        for question in benchmark.questions
    ]
    (data / "questions.json").write_text(json.dumps(rows))


def distinct(options: list[str]) -> list[str]:
    """Add a digit to repeated options, because a benchmark must not offer the same answer twice."""
    return [text if text not in options[:place] else f"{text[:-2]}1 m" for place, text in enumerate(options)]


@contextlib.contextmanager
def server(log: Path, *arguments: str) -> Iterator[int]:
    """Run the workload's server in a separate process; yield its port."""
    command = [sys.executable, str(WORKLOAD / "server.py"), str(log), *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline().split()[1])
    finally:
        process.terminate()
        process.wait()


def summary(log: Path) -> dict[str, Any]:
    command = [sys.executable, str(WORKLOAD / "server.py"), str(log), "--summary"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def rows(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def measure(command: list[str], cache: Path, hooks: Path | None = None) -> dict[str, Any]:
    """Return CPU seconds, wall seconds and peak memory of a command with all its processes."""
    environment = os.environ | {"CHRONOTOPE_CACHE": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # otherwise our modules are compiled again in every run
    if hooks is not None:
        environment["PYTHONPATH"] = str(hooks)
    whole = [sys.executable, str(WORKLOAD / "measure.py"), "run", "--", *command]
    done = subprocess.run(whole, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def ours(bench: Path, port: int, out: Path, *flags: str) -> list[str]:
    command = [str(Path(sys.executable).with_name("chronotope")), "run", str(bench), "--model", "endpoint/bench"]
    return [
        *command, "--base-url", f"http://127.0.0.1:{port}/v1", "--frames", str(FRAMES), "--max-tokens", "16",
        "--out", str(out), "--json", *flags,
    ]  # fmt: skip


@contextlib.contextmanager
def opens_in(folder: Path) -> Iterator[dict[str, int]]:
    """Count how often each file in a folder is opened while the block runs (inotify)."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_NONBLOCK)
    libc.inotify_add_watch(descriptor, os.fsencode(folder), IN_OPEN)
    counts: dict[str, int] = {}
    try:
        yield counts
        with contextlib.suppress(BlockingIOError):
            while events := os.read(descriptor, 1 << 16):
                while events:
                    _, mask, _, length = struct.unpack_from("iIII", events)
                    name = events[16 : 16 + length].rstrip(b"\0").decode()
                    if mask & IN_OPEN and name:
                        counts[name] = counts.get(name, 0) + 1
                    events = events[16 + length :]
    finally:
        os.close(descriptor)


def encode_hook(folder: Path, log: Path) -> Path:
    """Make a folder with a sitecustomize that writes a line for every JPEG encoded by a process."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        "import simplejpeg\n"
        "real = simplejpeg.encode_jpeg\n"
        "def counted(*args, **kwargs):\n"
        f"    open({str(log)!r}, 'a').write('x\\n')\n"
        "    return real(*args, **kwargs)\n"
        "simplejpeg.encode_jpeg = counted\n"
    )
    return folder


def planned_hashes(clip: Path) -> list[str]:
    """Return the SHA-256 of a prompt's frames, by decoding the whole clip."""
    with av.open(str(clip)) as container:
        pictures = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    indices = np.round(np.linspace(0, len(pictures) - 1, FRAMES)).astype(int)
    return [encode_picture(pictures[index]).sha256 for index in indices]


def compare_cpu(data: Path, bench: Path, work: Path, pairs: int, flags: list[str]) -> list[dict[str, Any]]:
    """Compare the bound with our client in both layouts, alternating."""
    measured = []
    for number in range(pairs):
        place = work / f"pair-{number}"
        place.mkdir()
        found: dict[str, Any] = {}
        with server(place / "floor.jsonl", "--latency", "0.05") as port:
            command = [sys.executable, str(WORKLOAD / "floor.py"), str(data), str(port)]
            found["floor"] = measure(command, place / "cache")
        for layout in ("published", "shared"):
            log = place / f"{layout}.jsonl"
            with server(log, "--latency", "0.05", "--prefix-cache", "8") as port:
                command = ours(bench, port, place / f"run-{layout}", "--layout", layout, *flags)
                found[layout] = measure(command, place / f"cache-{layout}")
            assert summary(log)["requests"] >= len(json.loads((data / "questions.json").read_text()))
        measured.append(found)
        ratios = {layout: found[layout]["cpu_s"] / found["floor"]["cpu_s"] for layout in ("published", "shared")}
        print(f"pair {number + 1}: {found} ratios {ratios}", flush=True)
    return measured


def count_work(bench: Path, work: Path, flags: list[str]) -> dict[str, Any]:
    """Count the opens of clips, the encodes of frames, and the planned frames that arrived."""
    work.mkdir()
    log, encodes = work / "server.jsonl", work / "encodes"
    hooks = encode_hook(work / "hooks", encodes)
    with opens_in(bench / "clips") as opened, server(log) as port:
        measure(ours(bench, port, work / "run", *flags), work / "cache", hooks)
    planned = {tuple(planned_hashes(clip)) for clip in sorted((bench / "clips").iterdir())}
    asked = [tuple(row["sha256"]) for row in rows(log) if row["images"] == FRAMES]
    return {
        "opens": sum(opened.values()),
        "clips opened": len(opened),
        "encodes": len(encodes.read_text().splitlines()),
        "requests": len(asked),
        "requests whose frames are the planned ones": sum(hashes in planned for hashes in asked),
    }


def prefix_hits(bench: Path, work: Path, flags: list[str]) -> dict[str, Any]:
    """Count the hits of a server's cache of 8 prefixes, without and with cached frames."""
    work.mkdir()
    hits = {}
    for frames in ("cold", "cached"):
        log = work / f"{frames}.jsonl"
        with server(log, "--latency", "0.05", "--prefix-cache", "8") as port:
            measure(ours(bench, port, work / f"run-{frames}", "--layout", "shared", *flags), work / "cache")
        told = summary(log)
        hits[f"hits with {frames} frames"] = f"{told['hits']} of {told['requests']}"
    return hits


def slow_server(bench: Path, work: Path, flags: list[str]) -> dict[str, Any]:
    """Measure wall time and requests in flight if every answer takes 2 s."""
    work.mkdir()
    found: dict[str, Any] = {}
    for layout in ("shared", "published"):
        log = work / f"{layout}.jsonl"
        with server(log, "--latency", "2", "--prefix-cache", "32") as port:
            command = ours(bench, port, work / f"run-{layout}", "--layout", layout, *flags)
            found[f"wall, s, {layout}"] = measure(command, work / f"cache-{layout}")["wall_s"]
        told = summary(log)
        found[f"in flight at most, {layout}"] = told["peak_in_flight"]
        found[f"hits, {layout}"] = told["hits"]
    return found


def results(measured: list[dict[str, Any]], counted: dict[str, Any], flags: list[str]) -> str:
    """Return the results as Markdown."""
    lines = [
        f"# Results of perf/endpoint.py{' --bench' if '--bench' in flags else ''}",
        "",
        f"`python perf/endpoint.py {' '.join(flags)} --pairs {len(measured)}` on {os.cpu_count()} cores, Python "
        f"{platform.python_version()}. CPU is user and system time of all processes of the client, as a ratio to the "
        "bound run just before.",
        "",
        "| pair | bound, CPU s | published: CPU s | ratio | peak MB | shared: CPU s | ratio | peak MB |",
        "|---|---|---|---|---|---|---|---|",
    ]
    ratios: dict[str, list[float]] = {"published": [], "shared": []}
    for number, found in enumerate(measured, 1):
        cells = [str(number), f"{found['floor']['cpu_s']:.2f}"]
        for layout, of_layout in ratios.items():
            of_layout.append(found[layout]["cpu_s"] / found["floor"]["cpu_s"])
            cells += [f"{found[layout]['cpu_s']:.2f}", f"{of_layout[-1]:.2f}", str(found[layout]["peak_mb"])]
        lines.append(f"| {' | '.join(cells)} |")
    medians = [f"{statistics.median(of_layout):.2f} ({layout})" for layout, of_layout in ratios.items()]
    lines += ["", f"Median ratio: {', '.join(medians)}. Targets: a ratio up to 1.3, less than 250 MB.", ""]
    lines += ["| counted | |", "|---|---|", *(f"| {name} | {value} |" for name, value in counted.items())]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5, help="number of pairs of runs (default: 5)")
    parser.add_argument("--no-check", action="store_true", help="ask without showing the server test pictures first")
    parser.add_argument("--data", type=Path, help="folder of the workload, made if missing (default: temporary)")
    parser.add_argument("--bench", type=Path, help="a benchmark folder to use instead of the workload")
    parser.add_argument("--clips", type=int, default=CLIPS, help="number of clips of the workload, for a short trial")
    parser.add_argument("--results", type=Path, default=Path(__file__).with_name("RESULTS.md"))
    arguments = parser.parse_args()
    flags = ["--no-check"] if arguments.no_check else []
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        data = arguments.data or work / "data"
        if arguments.bench is not None:
            make_data(arguments.bench, data)
        bench = arguments.bench or make_benchmark(data, arguments.clips)
        measured = compare_cpu(data, bench, work, arguments.pairs, flags)
        counted: dict[str, Any] = {}
        counts = (("count", count_work), ("hits", prefix_hits), ("slow", slow_server))
        for name, count in counts if arguments.bench is None else counts[:1]:
            counted |= count(bench, work / name, flags)
            print(counted, flush=True)
    flags += ["--clips", str(arguments.clips)] if arguments.clips != CLIPS else []
    named = [*flags, *([] if arguments.bench is None else ["--bench", str(arguments.bench)])]
    text = results(measured, counted, named)
    record(arguments.results, text)
    print(text)


if __name__ == "__main__":
    main()
