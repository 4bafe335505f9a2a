"""The memory of a run is bounded by what is in flight, not by how long its clips are."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import pytest
from hardness_tools import COMMAND, SUPPORT, Service, environment, questions_about, run_flags, run_words

from chronotope.media import encode_clip
from chronotope.question import CardDraft, measure_media, write_benchmark_tables

CLIPS, EACH, SHOWN = 10, 10, 400


def write_long_clip(path: Path) -> None:
    """Some texture that moves: pictures of an ordinary size in bytes that cost an encoder of video little."""
    generator = np.random.default_rng(3)
    coarse = generator.integers(40, 216, (30, 40, 3)).astype(np.uint8)
    texture = coarse.repeat(16, 0).repeat(16, 1) + generator.integers(0, 34, (480, 640, 3), dtype=np.uint8)
    encode_clip((np.roll(texture, 4 * number, axis=1) for number in range(SHOWN)), path, 25)


def retitled(source: Path, path: Path, title: str) -> None:
    """The same video in a file of its own."""
    with av.open(str(source)) as old, av.open(str(path), "w") as new:
        stream = old.streams.video[0]
        copy = new.add_stream_from_template(stream)
        new.metadata["title"] = title
        for packet in old.demux(stream):
            if packet.dts is not None:
                packet.stream = copy
                new.mux(packet)


@pytest.fixture(scope="module")
def long_bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of long clips; tests only read it."""
    bench = tmp_path_factory.mktemp("long") / "bench"
    (bench / "clips").mkdir(parents=True)
    write_long_clip(bench.with_name("long.mp4"))
    for clip in range(CLIPS):
        retitled(bench.with_name("long.mp4"), bench / "clips" / f"{clip}.mp4", f"clip {clip}")
    questions = questions_about(CLIPS, EACH)
    media = measure_media(bench, [f"clips/{clip}.mp4" for clip in range(CLIPS)])
    assert {(file.frames, file.width, file.height) for file in media.values()} == {(SHOWN, 640, 480)}
    assert len({file.sha256 for file in media.values()}) == CLIPS
    draft = CardDraft(name="long", family="sti", profile="strict", licence="CC0-1.0")
    write_benchmark_tables(bench, draft, questions, media)
    return bench


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["published", "shared"])
def test_hundred_questions_at_400_frames(
    long_bench: Path, serve: Callable[..., Service], tmp_path: Path, layout: str
) -> None:
    if layout == "shared" and "--layout" not in run_flags():
        pytest.skip("this version of the command has no --layout")
    service = serve({}, "--mode", "fast")
    words = ["--frames", SHOWN, *(["--layout", layout] if "--layout" in run_flags() else [])]
    command = [COMMAND, *run_words(long_bench, service.url, *words, out=tmp_path / "run")]
    watch = [sys.executable, SUPPORT / "hardness_peak.py", *command]
    done = subprocess.run([str(word) for word in watch], env=environment(), capture_output=True, check=True)
    told = json.loads(done.stdout)
    assert told["code"] == 0, done.stderr.decode()
    assert json.loads(told["out"])[0]["states"] == {"replied": CLIPS * EACH}
    sizes = [request["length"] for request in service.requests()]
    assert len(sizes) == CLIPS * EACH
    assert min(sizes) > SHOWN * 40_000, f"pictures of an ordinary size were sent: {min(sizes)} bytes"
    assert told["peak_mb"] < 400, f"{told['peak_mb']:.0f} MB"
