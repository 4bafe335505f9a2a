"""Simulate a run of Chronotope's engine on many servers, in virtual time.

usage: python perf/cluster.py [--servers 8,64,1000] [--clients 1,32] [--questions 33000] [--per-clip 28]

The engine is the real one (`chronotope.evaluate.run`): its plan, its groups, its limits on memory and prefixes, and the
choice of the server by the hash of the clip. The limit on requests in flight is the real `Window` of each server. The
event loop has a clock that jumps to the next event, so hours pass in seconds. Modelled are only the server and the
client machine, with these assumptions, which are flags:

- A server reads `--prefill` tokens a second, one prompt after the other, and finds prefixes that it answered before in
  a cache of `--cache` tokens. It writes `--decode` tokens a second in each of `--slots` requests.
- A prompt (`--layout`, usually `shared`) is a clip of `--frames` pictures of `--picture-tokens` tokens, and `--text`
  tokens of the question. A reply has `--reply` tokens. An answer takes `--latency` s in the network.
- A client decodes and encodes a clip in `--decode-clip` CPU s on one of `--cores` cores, needs `--cpu` s of its event
  loop for each request, and sends `--gigabits` a second.
- `--clients` machines ask one shard each (`--shard I/N`), and all servers are divided among them. The slowest client
  counts. Rows with fewer servers than clients are left out.

No server or network was measured for this: the figures show where the engine, and not the servers, would be the limit.
"""

import argparse
import asyncio
import heapq
import math
import random
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from chronotope.evaluate.plan import Plan, Selection, Shard, make_plan, plan_calls
from chronotope.evaluate.run.admission import Room
from chronotope.evaluate.run.group_pictures import GroupPictures
from chronotope.evaluate.run.groups import Call, Set
from chronotope.evaluate.run.runner import Engine
from chronotope.families import family
from chronotope.models import Budget, Decoding, Limits, RawReply
from chronotope.models.services.in_flight import Window
from chronotope.models.services.servers import rank
from chronotope.protocol import Part, clip_key
from chronotope.question import Benchmark, Card, MediaFile, MediaItem, Option, Question
from chronotope.question import Window as Span

BYTES_PER_PICTURE = 0.25 * 4 / 3 * 640 * 360  # of a JPEG picture in base64
CONCURRENCY = 64


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next event when nothing is left to do."""

    now = 0.0

    def time(self) -> float:
        """Return the virtual time (s)."""
        return self.now

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]
            while self._scheduled and self._scheduled[0]._cancelled:  # type: ignore[attr-defined]
                heapq.heappop(self._scheduled)._scheduled = False  # type: ignore[attr-defined]
            if self._scheduled:  # type: ignore[attr-defined]
                self.now = max(self.now, self._scheduled[0]._when)  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


class Line:
    """A resource that works on one thing after the other; each thing has its end when it comes."""

    def __init__(self) -> None:
        self.free, self.busy = 0.0, 0.0

    async def take(self, seconds: float) -> None:
        """Wait until the work is done."""
        now = asyncio.get_running_loop().time()
        self.free = max(self.free, now) + seconds
        self.busy += seconds
        await asyncio.sleep(self.free - now)


class Server:
    """A modelled server."""

    def __init__(self, url: str, given: argparse.Namespace) -> None:
        self.url, self.given = url, given
        self.window, self.reads, self.slots = Window(CONCURRENCY), Line(), asyncio.Semaphore(given.slots)
        self.known: OrderedDict[str, int] = OrderedDict()
        self.read = self.found = 0

    async def answer(self, shared: str | None) -> None:
        """Read a prompt and write a reply."""
        given = self.given
        prefix = given.frames * given.picture_tokens
        async with self.slots:
            cached = prefix if shared in self.known else 0
            self.found, self.read = self.found + cached, self.read + prefix + given.text
            await self.reads.take((prefix + given.text - cached) / given.prefill)
            if shared is not None:
                self.known[shared] = prefix
                self.known.move_to_end(shared)
            while len(self.known) * prefix > given.cache:
                self.known.popitem(last=False)
            await asyncio.sleep(given.reply / given.decode)


class Cluster:
    """A model behind modelled servers, asked by one modelled client."""

    name = "endpoint/simulated"

    def __init__(self, servers: Sequence[Server], given: argparse.Namespace) -> None:
        self.servers, self.given = servers, given
        self.limits = Limits(needs_check=False, servers=len(servers))
        self.event_loop, self.wire = Line(), Line()
        self.cores = asyncio.Semaphore(given.cores)
        self.chosen: dict[str, Server] = {}

    @asynccontextmanager
    async def open(self, prefix: Sequence[Part], pictures: Any) -> AsyncIterator["ClusterSession"]:
        """Keep the clip with which all prompts of the context begin."""
        yield ClusterSession(self, clip_key(prefix))

    def choose(self, key: str) -> Server:
        """Return the server of a clip."""
        if key not in self.chosen:
            self.chosen[key] = max(self.servers, key=lambda server: rank(key, server.url))
        return self.chosen[key]

    def trouble(self) -> None:
        """Return None: all servers answer."""

    def has_answered(self) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing."""

    async def close(self) -> None:
        """Do nothing."""


class ClusterSession:
    """The asks about one clip."""

    def __init__(self, cluster: Cluster, shared: str | None) -> None:
        self.cluster, self.shared = cluster, shared

    async def ask(self, tail: Sequence[Part], decoding: Decoding, *, seed: str, urgent: bool = False) -> RawReply:
        """Send a request, and wait for its answer."""
        given, cluster, loop = self.cluster.given, self.cluster, asyncio.get_running_loop()
        server = cluster.choose(self.shared or clip_key(tail) or seed)
        async with server.window.place(urgent=urgent) as entered:
            await cluster.event_loop.take(given.cpu)
            await cluster.wire.take(given.frames * BYTES_PER_PICTURE * 8 / (given.gigabits * 1e9))
            await server.answer(self.shared)
            await asyncio.sleep(given.latency * random.Random(seed).uniform(0.5, 1.5))
            server.window.answered(loop.time() - entered)
        return RawReply("replied", text="A", input_tokens=1, output_tokens=given.reply)


class NoLedger:
    """A ledger that keeps nothing, because the disk is not simulated."""

    def __init__(self) -> None:
        self.replied: dict[str, Any] = {}

    def append(self, line: Any) -> None:
        """Keep nothing."""

    def settle(self, patience: float, tell: Any) -> None:
        """Do nothing."""


class SimulatedEngine(Engine):
    """The engine, whose pictures cost time but are not there."""

    async def _load(self, group: Any) -> GroupPictures:
        cluster = self._model
        assert isinstance(cluster, Cluster)
        async with cluster.cores:
            await asyncio.sleep(cluster.given.decode_clip)
        return GroupPictures()

    def _askable(self, asked: Set, pictures: GroupPictures) -> list[Call]:
        return list(asked.calls)


def benchmark(given: argparse.Namespace) -> Benchmark:
    """Make a benchmark in memory: clips of one minute, whose files do not exist."""
    clips = math.ceil(given.questions / given.per_clip)
    media = {
        (path := f"clips/{n}.mp4"): MediaFile(path, f"{n:064x}", "video", 640, 360, 1800, 30.0, 60.0)
        for n in range(clips)
    }
    questions = tuple(
        Question(
            id=f"q-{n}", family="sti", task="Displacement & Path Length", cluster=f"c-{n % clips}",
            stem=f"How far does the camera move in total? ({n})", options=tuple(Option(f"{k}.5 m") for k in range(4)),
            answer=(n % 4,), window=Span(0.0, 60.0), media=(MediaItem("video", "video", (f"clips/{n % clips}.mp4",)),),
        )
        for n in range(given.questions)
    )  # fmt: skip
    counts = {
        "questions": len(questions),
        "clusters": clips,
        "clips": clips,
        "pictures": 0,
        "tasks": {},
        "variants": {},
    }
    card = Card(name="simulated", family="sti", profile="strict", licence="none", counts=counts, content_hash="0" * 64)  # type: ignore[arg-type]
    return Benchmark(Path("simulated"), card, questions, media)


def planned(bench: Benchmark, given: argparse.Namespace, client: int, clients: int) -> Plan:
    """Plan one shard."""
    sti = family("sti")
    settings = sti.RunSettings.model_validate({"frames": given.frames})
    selection = Selection(shard=Shard(client, clients) if clients > 1 else None)
    return make_plan(bench, sti, settings, selection, Limits(), given.layout)


def simulate(plan: Plan, servers: int, given: argparse.Namespace) -> tuple[float, float, float, dict[str, float]]:
    """Run a shard on some servers.

    Returns the virtual seconds, the busy seconds of all servers, the share of prefix tokens found in caches, and the
    busy shares of the client's event loop and network.
    """
    loop = VirtualLoop()
    asyncio.set_event_loop(loop)

    async def work() -> Cluster:
        cluster = Cluster([Server(f"http://gpu-{n}", given) for n in range(servers)], given)
        decoding = Decoding(max_tokens=100)
        calls = plan_calls(plan, cluster.name, decoding)
        room = Room(2 * CONCURRENCY, servers)
        ledger: Any = NoLedger()
        engine = SimulatedEngine(plan, calls, cluster, decoding, ledger, Budget(None, None, 100), room, "auto", None)
        await engine.run(Path("simulated"), None)
        assert len(engine.tally.states) == len(calls)
        return cluster

    cluster = loop.run_until_complete(work())
    took = loop.time()
    loop.close()
    read, found = sum(one.read for one in cluster.servers), sum(one.found for one in cluster.servers)
    shares = {"loop": cluster.event_loop.busy / took, "network": cluster.wire.busy / took}
    return took, sum(one.reads.busy for one in cluster.servers), found / read, shares


def main() -> None:
    """Print a row for each number of servers and clients."""
    parser = argparse.ArgumentParser(description="Simulate a run on many servers, in virtual time.")
    numbers = {
        "questions": (33_000, "questions of the benchmark"), "per-clip": (28, "questions about a clip"),
        "frames": (30, "pictures of a prompt"), "picture-tokens": (299, "tokens of a picture"),
        "text": (170, "tokens of a question"), "reply": (5, "tokens of a reply"),
        "prefill": (10_000.0, "tokens that a server reads in a second"), "decode": (40.0, "tokens written in a second"),
        "slots": (64, "requests at the same time on a server"), "cache": (300_000, "tokens in the cache of a server"),
        "latency": (0.05, "s in the network"), "cores": (16, "cores of a client"),
        "decode-clip": (0.6, "CPU s to decode and encode a clip"), "cpu": (0.003, "CPU s of a request at the client"),
        "gigabits": (25.0, "gigabits that a client sends in a second"),
    }  # fmt: skip
    for name, (usual, words) in numbers.items():
        parser.add_argument(f"--{name}", type=type(usual), default=usual, help=f"{words} (default: {usual:g})")
    parser.add_argument("--layout", choices=("published", "shared"), default="shared", help="layout of the prompts")
    parser.add_argument("--servers", default="8,64,256,1000", help="numbers of servers")
    parser.add_argument("--clients", default="1,8,32,125", help="numbers of client machines")
    given = parser.parse_args()
    bench = benchmark(given)
    print(
        "| servers | clients | minutes | calls a second | servers busy | prefix found | client's loop | its network |"
    )
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for clients in map(int, given.clients.split(",")):
        plans = [planned(bench, given, number, clients) for number in range(1, clients + 1)]
        for servers in map(int, given.servers.split(",")):
            if servers < clients:
                continue
            made = [simulate(plan, servers // clients, given) for plan in plans]
            took = max(one[0] for one in made)
            busy = sum(one[1] for one in made) / took / (servers // clients * clients)
            found = sum(one[2] for one in made) / len(made)
            worst = {name: max(one[3][name] * one[0] / took for one in made) for name in ("loop", "network")}
            cells = [str(servers), str(clients), f"{took / 60:.1f}", f"{given.questions / took:,.0f}"]
            cells += [f"{share:.0%}" for share in (busy, found, worst["loop"], worst["network"])]
            print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
