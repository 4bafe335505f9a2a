"""Layouts, leads and prefixes, as a server with a cache of prefixes sees them (the server of perf/workload)."""

import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from evaluate_asking import ask
from PIL import Image

from chronotope.evaluate.plan import Selection
from chronotope.evaluate.plan.asks import plan_calls
from chronotope.evaluate.plan.plan import make_plan
from chronotope.evaluate.run.groups import make_groups
from chronotope.families import Family
from chronotope.models import Decoding, Limits
from chronotope.question import Benchmark, Option, Window

SERVER = Path(__file__).parents[2] / "perf" / "workload" / "server.py"


class CachingServer:
    """The workload's server with a cache of some prefixes."""

    def __init__(self, log: Path, prefixes: int) -> None:
        self.log = log
        command = [sys.executable, str(SERVER), str(log), "--latency", "0.05", "--prefix-cache", str(prefixes)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline().split()[1])}/v1"

    def rows(self) -> list[dict]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@pytest.fixture
def caching(tmp_path: Path) -> Iterator[Callable[[int], CachingServer]]:
    servers: list[CachingServer] = []

    def start(prefixes: int) -> CachingServer:
        servers.append(CachingServer(tmp_path / f"log-{len(servers)}.jsonl", prefixes))
        return servers[-1]

    yield start
    for server in servers:
        server.process.kill()
        server.process.wait()


def test_the_first_of_a_set_goes_alone_and_the_others_find_its_prefix(
    bench: Benchmark, tiny: Family, caching: Callable[[int], CachingServer], tmp_path: Path
) -> None:
    server = caching(16)  # two windows of at most eight clips
    assert ask(bench, tiny, server.url, tmp_path / "run").states == {"replied": 24}
    by_prefix: dict[str, list[dict]] = defaultdict(list)
    for row in server.rows():
        by_prefix[row["prefix"]].append(row)
    assert sorted(len(rows) for rows in by_prefix.values()) == [2] * 12  # six clips, two windows each
    for first, second in by_prefix.values():
        assert (first["hit"], second["hit"]) == (False, True)
        assert second["t"] > first["t"] + first["dt"] - 0.001


def test_without_lead_nobody_waits(
    bench: Benchmark, tiny: Family, caching: Callable[[int], CachingServer], tmp_path: Path
) -> None:
    server = caching(16)
    ask(bench, tiny, server.url, tmp_path / "run", lead="off")
    assert sum(row["hit"] for row in server.rows()) < 12


def test_pictures_come_first_in_the_shared_layout_and_it_is_another_run(
    bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    settings, selection = tiny.RunSettings(polite=True), Selection(limit=2)
    published = make_plan(bench, tiny, settings, selection, Limits())
    shared = make_plan(bench, tiny, settings, selection, Limits(), "shared")
    for one in published.asks:
        before, after = published.parts(one), shared.parts(one)
        assert sorted(map(repr, before)) == sorted(map(repr, after))
        assert [type(part).__name__ for part in after][:2] == ["Text", "Image"]  # the system's part stays in front
    first = serve()
    out = tmp_path / "run"
    ask(bench, tiny, first.url, out, layout="shared")
    assert "layout: shared" in (out / "run.yaml").read_text()
    with pytest.raises(Exception, match=r'layout is "shared" there and "published" here'):
        ask(bench, tiny, first.url, out)


def test_groups_that_share_nothing_are_known(tiny: Family, make_bench) -> None:
    questions = [replace(q, window=Window(0.0, 1.9 - 0.1 * n)) for n, q in enumerate(make_bench.questions()[:4])]
    bench = make_bench(questions)
    plan = make_plan(bench, tiny, tiny.RunSettings(), Selection(), Limits())
    [group] = make_groups(plan, plan_calls(plan, "endpoint/x", Decoding()))
    assert (len(group.calls), len(group.sets), group.prefixes) == (4, 4, 0)
    assert all(not one.shared and one.prefix == () for one in group.sets)


@pytest.mark.slow
def test_few_groups_with_prefixes_are_at_work_at_once(
    tiny: Family, make_bench, caching: Callable[[int], CachingServer], tmp_path: Path
) -> None:
    """With a cache of as many prefixes as groups are let in, every follower hits; clips have one window here."""
    questions = [replace(q, window=Window(0.0, 1.9)) for q in make_bench.questions()]
    bench = make_bench(questions)
    for frames in ("cold", "cached"):
        server = caching(6)
        ask(bench, tiny, server.url, tmp_path / frames)
        assert sum(row["hit"] for row in server.rows()) == 24 - 6


def test_windows_of_a_clip_take_places_of_their_own(
    tiny: Family, make_bench, caching: Callable[[int], CachingServer], tmp_path: Path
) -> None:
    """Six clips with four windows each and three questions about every window: 24 prefixes, a cache of eight."""
    windows = [Window(0.4 * n, 0.4 * n + 0.5) for n in range(4)]
    questions = [
        replace(q, id=f"{q.id}-{n}-{k}", stem=f"{q.stem} ({n}, {k})", window=window)
        for q in make_bench.questions()[::4]
        for n, window in enumerate(windows)
        for k in range(3)
    ]
    server = caching(8)
    ask(make_bench(questions), tiny, server.url, tmp_path / "run")
    assert (len(server.rows()), sum(row["hit"] for row in server.rows())) == (72, 48)


def test_a_clip_with_many_questions_is_asked_in_several_groups(tiny: Family, make_bench) -> None:
    first = make_bench.questions()[0]
    bench = make_bench([replace(first, id=f"q{n}", stem=f"{first.stem} {n}") for n in range(300)])
    plan = make_plan(bench, tiny, tiny.RunSettings(), Selection(), Limits())
    groups = list(make_groups(plan, plan_calls(plan, "endpoint/x", Decoding())))
    assert [len(group.calls) for group in groups] == [128, 128, 44]
    assert len({group.sets[0].prefix for group in groups}) == 1


def test_pictures_of_options_do_not_part_questions_about_one_clip(tiny: Family, make_bench) -> None:
    (make_bench.folder / "images").mkdir(parents=True)
    for name in "abcd":
        Image.fromarray(np.full((8, 8, 3), ord(name), np.uint8)).save(make_bench.folder / "images" / f"{name}.png")
    options = (
        tuple(Option(image=f"images/{n}.png") for n in "ab"),
        tuple(Option(image=f"images/{n}.png") for n in "cd"),
    )
    first = make_bench.questions()[0]
    questions = [
        replace(first, id=f"q{n}", stem=f"Which {n}?", options=of, answer=(0,)) for n, of in enumerate(options)
    ]
    bench = make_bench(questions)
    for layout in ("published", "shared"):
        plan = make_plan(bench, tiny, tiny.RunSettings(), Selection(), Limits(), layout)
        [group] = make_groups(plan, plan_calls(plan, "endpoint/x", Decoding()))
        [one] = group.sets
        assert (len(one.calls), len(one.prefix), one.shared) == (2, 4, True)
        assert all(len(call.shown) == 4 + 2 for call in one.calls)
