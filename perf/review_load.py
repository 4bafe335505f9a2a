"""Fifty reviewers at once over real HTTP: verdicts a second, their 95th percentile, and that none is lost or doubled.

Each reviewer opens the page of an item, sends a verdict after a pause (``--pause`` seconds on average; 0 measures the
limit), and goes on to the next item. The server is the command ``chronotope review serve`` in a process of its own; the
reviewers share the rest of the machine with it. ``--database`` names a database of PostgreSQL in place of SQLite.

Example: python perf/review_load.py --verdicts 20000 --people 50 --pause 2
"""

import argparse
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import httpx
import numpy as np
import yaml
from sqlalchemy import func, select

import chronotope.api as ct
from chronotope.media import encode_clip
from chronotope.question import (
    CardDraft,
    MediaItem,
    Option,
    Question,
    measure_media,
    open_benchmark,
    write_benchmark_tables,
)
from chronotope.review.store import Assignment, Entry, open_database

FORM = re.compile(r'name="(token|submission|revision)" value="([^"]*)"')
PORT = 8799


def main() -> None:
    """Make a benchmark, serve it, and let everybody decide."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verdicts", type=int, default=20000)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--pause", type=float, default=0.0)
    parser.add_argument("--database")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        each = -(-given.verdicts // given.people)
        bench = write_bench(place / "bench", -(-given.people * each // 2))
        study = {"study": "load", "kind": "quality-control", "reviewers": given.people}
        study |= {"stages": [{"name": "clips", "of": "clips", "reasons": ["broken"]}]}
        (place / "study.yaml").write_text(yaml.safe_dump(study))
        how = {"database": given.database, "port": PORT}
        links = ct.assign_study(bench, place / "study.yaml", **how).invitations
        links.pop("owner")
        command = [sys.executable, "-m", "chronotope.cli", "review", "serve", str(bench), "--no-browser"]
        command += ["--port", str(PORT), *(["--database", given.database] if given.database else [])]
        server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            server.stderr.readline()
            seconds, took, sent = load(list(links.values()), each, given.pause)
            user, system = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
            used = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
            print(
                f"the server used {used:.0f} s of CPU; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"
            )
        finally:
            server.terminate()
            server.wait()
        tell(open_database(place / "bench.review", given.database), seconds, took, sent)


def write_bench(folder: Path, clips: int) -> Path:
    """Write a benchmark with tiny clips, each of which two people review."""
    (folder / "clips").mkdir(parents=True)
    paths = [f"clips/{number}.mp4" for number in range(clips)]
    encode_clip([np.full((48, 64, 3), 40 * number, np.uint8) for number in range(3)], folder / paths[0], 10)
    for path in paths[1:]:
        shutil.copy(folder / paths[0], folder / path)
    options = tuple(Option(f"{number}.5 m") for number in range(4))
    about = {
        "family": "sti",
        "task": "Displacement & Path Length",
        "stem": "How far?",
        "options": options,
        "answer": (0,),
    }
    items = [
        Question(id=str(number), cluster=str(number), media=(MediaItem("video", "video", (path,)),), **about)
        for number, path in enumerate(paths)
    ]
    draft = CardDraft(name="load", family="sti", profile="strict", licence="CC0-1.0")
    write_benchmark_tables(folder, draft, items, measure_media(folder, paths))
    return open_benchmark(folder).folder


def load(links: list[str], each: int, pause: float) -> tuple[float, list[float], list[str]]:
    """Let everybody decide; return the seconds in all, those of each verdict, and the acknowledged submissions."""
    took: list[float] = []
    sent: list[str] = []

    def review(link: str) -> None:
        with httpx.Client(timeout=120) as client:
            client.get(link, follow_redirects=True)
            root = link.partition("/join/")[0]
            for _ in range(each):
                page = client.get(f"{root}/work").headers["location"]
                shown = client.get(f"{root}{page}").text
                time.sleep(pause * (0.5 + random.random()))
                form = dict(FORM.findall(shown)) | {"verdict": "accept"}
                since = time.perf_counter()
                try:
                    reply = client.post(f"{root}{page}verdict", data=form)
                except httpx.TransportError:  # a lost connection: the same form again, as a browser sends it
                    reply = client.post(f"{root}{page}verdict", data=form)
                took.append(time.perf_counter() - since)
                assert reply.status_code == 303, reply.text
                sent.append(form["submission"])

    threads = [threading.Thread(target=review, args=(link,)) for link in links]
    since = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - since, took, sent


def tell(database: object, seconds: float, took: list[float], sent: list[str]) -> None:
    """Compare the storage with what was acknowledged, and print the figures."""
    with database.reading() as session:
        stored = [submission.rpartition("-")[2] for submission in session.scalars(select(Entry.submission))]
        assigned = session.scalar(select(func.count(Assignment.id)))
    lost, doubled = len(set(sent) - set(stored)), len(stored) - len(set(stored))
    share = statistics.quantiles(took, n=100)
    print(f"{len(sent)} verdicts of {assigned} assignments in {seconds:.1f} s: {len(sent) / seconds:.0f} a second")
    print(
        f"lost {lost}, doubled {doubled}; median {1000 * share[49]:.0f} ms, 95th percentile {1000 * share[94]:.0f} ms"
    )
    assert not lost and not doubled and len(stored) == len(sent)


if __name__ == "__main__":
    main()
