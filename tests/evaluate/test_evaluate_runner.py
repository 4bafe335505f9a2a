import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evaluate_asking import ask
from evaluate_asking import lines as lines_of
from PIL import Image

import chronotope.media.cache
from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import run
from chronotope.evaluate.score import open_run, score_run
from chronotope.families import Family
from chronotope.media import FramePlan, decode_frames, encode_picture
from chronotope.models import Decoding
from chronotope.question import Benchmark

SHOWN = {0.0: [1, 3, 6, 8], 1.0: [11, 13, 16, 18]}  # midpoints of ten frames in four parts, by the window's start


def stem(text: str) -> str:
    return text.partition("\n")[0]


def test_no_run_loads_pandas(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    """Arrow loads pandas for some conversions: a second and 60 MB, in an environment that has pandas."""
    code = (
        "import atexit, sys; from chronotope.cli import main; "
        "atexit.register(lambda: print('pandas' in sys.modules)); main()"
    )
    command = [sys.executable, "-c", code, "run", str(bench.folder), "--model", "baseline/random"]
    for selection in (["--limit", "4"], []):  # the second run reads the plan of the first
        words = [*command, "--out", str(tmp_path / "run"), *selection]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "False"), done.stdout + done.stderr


def test_pictures_arrive_as_planned(bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path) -> None:
    server = serve()
    outcome = ask(bench, tiny, server.url, tmp_path / "run")
    assert (outcome.asked, outcome.already, outcome.states, outcome.problems) == (24, 0, {"replied": 24}, ())
    requests = {stem(request["text"]): request for request in server.requests()}
    assert len(requests) == len(server.requests()) == 24
    recorded = {line["ask"]: line for line in lines_of(tmp_path / "run")}
    for answered in open_run(tmp_path / "run").answered:
        question = answered.question
        indices = SHOWN[question.window.start]
        clip = bench.folder / question.media[0].paths[0]
        made = [encode_picture(picture).sha256 for _, picture in decode_frames(clip, indices)]
        sent = requests[question.stem]["pictures"]
        assert sent == made == recorded[answered.ask.id]["pictures"]
        # What the server got says itself which frame it is, whatever our own decoder thinks.
        for sha256, index in zip(sent, indices, strict=True):
            pixels = np.asarray(Image.open(server.folder / sha256).convert("L"), float)
            assert abs(pixels[:, 4:28].mean() - (20 + 10 * index)) < 4
            assert abs(pixels[:, 36:60].mean() - (20 + 35 * int(question.cluster[-1]))) < 4
        assert recorded[answered.ask.id]["reply"] == requests[question.stem]["letter"]


def test_a_function_is_shown_what_a_service_is_sent(
    bench: Benchmark, tiny: Family, answering: Any, serve: Callable, tmp_path: Path
) -> None:
    """Tests that are not about HTTP ask a function: what it gets is what arrives over HTTP."""
    server = serve()
    over_http = ask(bench, tiny, server.url, tmp_path / "http")
    in_process = ask(bench, tiny, answering.model, tmp_path / "function", check=True)  # and needs no check
    assert over_http.states == in_process.states == {"replied": 24}
    sent = {request["text"]: request["pictures"] for request in server.requests()}
    assert {asked.text: [file.sha256 for file in asked.files] for asked in answering.asked} == sent
    http, function = (open_run(tmp_path / name) for name in ("http", "function"))
    assert [one.reading for one in http.answered] == [one.reading for one in function.answered]
    assert function.card.model == "function/answering" and function.card.check is None
    assert all(file.shape == (48, 64, 3) for asked in answering.asked for file in asked.frames())
    with pytest.raises(InputError, match="base_url and credentials: cannot be given with a model object"):
        run(bench, tiny, answering.model, Decoding(), tiny.RunSettings(), Selection(), None, base_url=server.url)


def test_progress_says_that_a_service_is_waited_for(bench: Benchmark, tiny: Family, tmp_path: Path) -> None:
    """The check of the pictures comes first, and nobody is there whom it could check."""
    told: list[str] = []
    with socket.socket() as bound:  # bound and not listening: connections are refused
        bound.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{bound.getsockname()[1]}/v1"
        with pytest.raises(InputError, match="no service answers there"):
            more = {"check": True, "wait": 1.2, "progress": lambda done, total, words: told.append(words)}
            ask(bench, tiny, url, tmp_path / "run", **more)
    assert set(told) == {"", "waiting for the service"}


def test_each_clip_is_decoded_once_for_all_its_plans(
    bench: Benchmark, tiny: Family, answering: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded: list[tuple[str, int]] = []
    encoded = Counter[str]()
    real_decode, real_encode = chronotope.media.decode, chronotope.media.cache.encode_picture

    def decode(path: Path, plans: list[FramePlan], file: Any):
        decoded.append((Path(path).name, len(plans)))
        return real_decode(path, plans, file)

    def encode(picture: np.ndarray, *how: Any):
        encoded[hashlib.sha256(picture.tobytes()).hexdigest()] += 1
        return real_encode(picture, *how)

    monkeypatch.setattr(chronotope.media, "decode", decode)
    monkeypatch.setattr(chronotope.media.cache, "encode_picture", encode)
    ask(bench, tiny, answering.model, tmp_path / "run", settings={"placement": "rotate"})
    assert sorted(decoded) == [(f"{clip}.mp4", 2) for clip in range(6)]
    assert len(encoded) == 6 * 8 and set(encoded.values()) == {1}


def test_running_again_sends_nothing_and_opens_no_clip(
    bench: Benchmark, tiny: Family, answering: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(bench, tiny, answering.model, tmp_path / "run")
    before = (tmp_path / "run" / "ledger.jsonl").read_bytes()
    for clip in bench.folder.glob("clips/*"):
        clip.unlink()
    monkeypatch.setenv("CHRONOTOPE_CACHE", str(tmp_path / "another cache"))
    seen: list[tuple[int, int]] = []
    again = ask(
        bench, tiny, answering.model, tmp_path / "run", progress=lambda done, total, note: seen.append((done, total))
    )
    assert (again.asked, again.already, again.states, again.problems) == (0, 24, {"replied": 24}, ())
    assert len(answering.asked) == 24
    assert (tmp_path / "run" / "ledger.jsonl").read_bytes() == before
    assert seen == [(24, 24)]


def test_another_placement_sends_only_what_is_new(
    bench: Benchmark, tiny: Family, answering: Any, tmp_path: Path
) -> None:
    ask(bench, tiny, answering.model, tmp_path / "run")
    seen: list[tuple[int, int]] = []
    outcome = ask(
        bench,
        tiny,
        answering.model,
        tmp_path / "run",
        settings={"placement": "rotate"},
        progress=lambda done, total, note: seen.append((done, total)),
    )
    assert (outcome.asked, outcome.already) == (72, 24)
    assert list(dict.fromkeys(seen)) == [(done, 96) for done in range(24, 97)]
    texts = Counter(request.text for request in answering.asked)
    assert len(texts) == 96 and set(texts.values()) == {1}
    # Every option of a question has stood at every letter.
    places = Counter(line for text in texts for line in (f"{stem(text)} {row}" for row in text.split("\n")[1:5]))
    assert len(places) == 24 * 16


def test_equal_prompts_are_sent_once(tiny: Family, answering: Any, tmp_path: Path, make_bench: Callable) -> None:
    questions = make_bench.questions()[:2]
    twin = replace(questions[0], id="twin", cluster="another", answer=(3,))
    bench = make_bench([*questions, twin])
    outcome = ask(bench, tiny, answering.model, tmp_path / "run")
    assert (outcome.asked, outcome.states, len(answering.asked)) == (2, {"replied": 3}, 2)
    readings = {one.question.id: one.reading for one in open_run(tmp_path / "run").answered}
    assert readings["twin"] == readings[questions[0].id] is not None


def test_requests_in_flight_are_bounded_and_used(
    bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    server = serve(latency=0.15)
    ask(bench, tiny, server.url, tmp_path / "run", concurrency=5, selection=Selection(limit=18))
    peak = max(request["at_work"] for request in server.requests())
    assert peak == 5


CHILD = """
import json, sys
from pathlib import Path
from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import run
from chronotope.families import families
from chronotope.models import Decoding
from chronotope.question import open_benchmark
tiny, bench, out, url = families()["tiny"], open_benchmark(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
settings = tiny.RunSettings(placement="rotate")
selection, how = Selection(), {"base_url": url, "concurrency": 4, "check": False}
outcome = run(bench, tiny, "endpoint/x", Decoding(), settings, selection, out, **how)
print(json.dumps({"asked": outcome.asked, "interrupted": outcome.interrupted, "problems": outcome.problems}))
"""


def stopped_in_the_middle(bench: Benchmark, out: Path, server: Any, how: signal.Signals) -> tuple[int, str]:
    """Run in a process of its own until some answers are on disk, then send it a signal: exit status and output."""
    server.hold(40)
    arguments = [sys.executable, "-c", CHILD, str(bench.folder), str(out), server.url]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
    path = out / "ledger.jsonl"
    while not path.exists() or path.read_bytes().count(b"\n") < 20:
        assert process.poll() is None, "the run ended before it could be stopped"
        time.sleep(0.01)
    process.send_signal(how)
    output, _ = process.communicate(timeout=60)
    server.go_on()
    return process.returncode, output


def settled(server: Any) -> list[dict]:
    """What a server has received, once it has written down all that was under way."""
    before: list[dict] = []
    quiet = 0
    while quiet < 3:  # on a busy machine, a request that was sent arrives late
        now = server.requests()
        quiet = quiet + 1 if now and now == before else 0
        before = now
        time.sleep(0.3)
    return before


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_nothing_paid_for_is_lost_or_asked_again(
    bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path, how: signal.Signals
) -> None:
    server = serve(latency=0.05)
    status, output = stopped_in_the_middle(bench, tmp_path / "stopped", server, how)
    if how == signal.SIGKILL:
        assert status == -signal.SIGKILL
    else:
        told = json.loads(output)
        assert status == 0 and told["interrupted"]
        left = 96 - len(lines_of(tmp_path / "stopped"))
        assert told["problems"] == [
            f"interrupted with {left} calls left: all answers are kept, and the same command continues"
        ]
    kept = {line["key"]: line for line in lines_of(tmp_path / "stopped")}
    assert 19 <= len(kept) < 96
    asked_before = Counter(request["text"] for request in settled(server))
    assert len(asked_before) - len(kept) <= 4  # only calls in flight are lost
    partial = score_run(open_run(tmp_path / "stopped"))
    assert partial.states == {"replied": len(kept), "not_asked": 96 - len(kept)}

    sent = len(server.requests())
    outcome = ask(bench, tiny, server.url, tmp_path / "stopped", settings={"placement": "rotate"})
    assert (outcome.asked, outcome.already) == (96 - len(kept), len(kept))
    assert len(server.requests()) == sent + 96 - len(kept)
    lines = lines_of(tmp_path / "stopped")
    assert len({line["key"] for line in lines}) == len(lines) == 96
    assert {line["key"]: line for line in lines if line["key"] in kept} == kept

    ask(bench, tiny, server.url, tmp_path / "undisturbed", settings={"placement": "rotate"})
    disturbed, undisturbed = (score_run(open_run(tmp_path / name)) for name in ("stopped", "undisturbed"))
    assert disturbed == undisturbed
    assert undisturbed.states == {"replied": 96}


def test_refused_calls_are_asked_again_and_counted(
    bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    server = serve()
    (server.folder / "broken").touch()
    first = ask(bench, tiny, server.url, tmp_path / "run", concurrency=2)
    assert (first.asked, first.states) == (24, {"replied": 23, "refused": 1})
    assert len(first.problems) == 1 and "not on a Sunday" in first.problems[0]
    scores = score_run(open_run(tmp_path / "run"))
    assert scores.states == {"replied": 23, "refused": 1}
    assert scores.readings == {"parsed": 23, "unparsed": 0, "truncated": 0, "missing": 1, "unjudged": 0}
    assert (scores.overall.items, scores.covered.items) == (24, 23)
    (server.folder / "broken").unlink()
    second = ask(bench, tiny, server.url, tmp_path / "run")
    assert (second.asked, second.already, second.states) == (1, 23, {"replied": 24})
    assert score_run(open_run(tmp_path / "run")).states == {"replied": 24}


def test_a_missing_or_changed_clip_is_a_state(bench: Benchmark, tiny: Family, answering: Any, tmp_path: Path) -> None:
    gone, changed = bench.folder / "clips" / "1.mp4", bench.folder / "clips" / "4.mp4"
    kept = changed.read_bytes()
    missing = gone.read_bytes()
    gone.unlink()
    changed.write_bytes((bench.folder / "clips" / "0.mp4").read_bytes())
    outcome = ask(bench, tiny, answering.model, tmp_path / "run")
    assert (outcome.asked, outcome.states) == (24, {"replied": 16, "missing_media": 8})
    assert len(outcome.problems) == 2
    assert sum("1.mp4" in problem and "(4 calls)" in problem for problem in outcome.problems) == 1
    assert sum("4.mp4" in problem and "not the clip" in problem for problem in outcome.problems) == 1
    assert len(answering.asked) == 16
    gone.write_bytes(missing)
    changed.write_bytes(kept)
    again = ask(bench, tiny, answering.model, tmp_path / "run")
    assert (again.asked, again.already, again.states) == (8, 16, {"replied": 24})


def test_blind_asks_show_nothing(bench: Benchmark, tiny: Family, answering: Any, tmp_path: Path) -> None:
    for clip in bench.folder.glob("clips/*"):
        clip.unlink()
    outcome = ask(bench, tiny, answering.model, tmp_path / "run", settings={"input": "blind"})
    assert outcome.states == {"replied": 24}
    assert all(request.files == () for request in answering.asked)


def test_still_pictures_are_sent_as_their_files_are(
    tiny: Family, serve: Callable, tmp_path: Path, make_bench: Callable
) -> None:
    bench = make_bench.with_pictures()
    server = serve()
    assert ask(bench, tiny, server.url, tmp_path / "run").states == {"replied": 2}
    files = {hashlib.sha256(path.read_bytes()).hexdigest(): path for path in bench.folder.glob("images/*")}
    sent = {stem(request["text"]): request["pictures"] for request in server.requests()}
    assert [files[sha256].name for sha256 in sent["Which is the part?"]] == ["part.png", "whole.jpg"]
    # A bitmap is no form that services take: it arrives as a PNG of the same pixels.
    (bitmap,) = sent["What is drawn?"]
    assert bitmap not in files
    received = Image.open(server.folder / bitmap)
    assert received.format == "PNG"
    assert np.array_equal(np.asarray(received), np.asarray(Image.open(bench.folder / "images" / "drawn.bmp")))


def test_a_run_in_use_is_refused(bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path) -> None:
    server = serve()
    server.hold()
    arguments = [sys.executable, "-c", CHILD, str(bench.folder), str(tmp_path / "run"), server.url]
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, env=dict(os.environ))
    try:
        while not (tmp_path / "run" / "asks.parquet").exists():
            assert process.poll() is None
            time.sleep(0.01)
        with pytest.raises(InputError, match="another process"):
            ask(bench, tiny, server.url, tmp_path / "run")
    finally:
        process.kill()
        process.wait()


def test_wrong_use_of_the_service_ends_the_run_in_a_sentence(
    bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    server = serve()
    with pytest.raises(InputError, match="no such model, or no service"):
        ask(bench, tiny, server.url.replace("/v1", "/wrong"), tmp_path / "run")
    assert not (tmp_path / "run").exists()
    with pytest.raises(InputError, match=r"--concurrency: .* greater than or equal to 1, found 0"):
        ask(bench, tiny, server.url, tmp_path / "run", concurrency=0)
    assert ask(bench, tiny, server.url, tmp_path / "run").states == {"replied": 24}


def test_wrong_use_found_midway_keeps_the_answers_in_flight(
    bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    server, out = serve(0.4), tmp_path / "run"
    (server.folder / "unpaid").touch()
    with pytest.raises(InputError, match="the account has no credit left"):
        ask(bench, tiny, server.url, out, lead="off")
    answered = len(server.requests())
    assert answered == len(lines_of(out)) > 10
    (server.folder / "unpaid").unlink()
    again = ask(bench, tiny, server.url, out, lead="off")
    assert (again.asked, again.already, len(server.requests())) == (24 - answered, answered, 24)


def test_what_was_refused_before_an_answer_leaves_nothing_behind(
    bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    server, out = serve(), tmp_path / "run"
    for wrong in ({"url": server.url + "/nothing"}, {"extra": {"model": "x"}}, {"reuse": [tmp_path / "none"]}):
        decoding = Decoding(extra=wrong.pop("extra", {}))
        how = {"base_url": wrong.pop("url", server.url), "check": False} | wrong
        with pytest.raises(InputError):
            run(bench, tiny, "endpoint/x", decoding, tiny.RunSettings(), Selection(), out, **how)
        assert not out.exists(), wrong


def test_damaged_asks_are_planned_anew(bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path) -> None:
    server, out = serve(), tmp_path / "run"
    ask(bench, tiny, server.url, out)
    (out / "asks.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(InputError, match="run the same command again"):
        open_run(out)
    assert ask(bench, tiny, server.url, out).asked == 0
    assert len(open_run(out).answered) == 24
