"""Generation services: what a real server accepts is what the book of jobs has, whatever happens in between."""

import asyncio
import multiprocessing
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.media import encode_picture, probe
from chronotope.models.media import (
    JobBook,
    JobEvent,
    MediaLimits,
    MediaRequest,
    known_descriptions,
    open_media_service,
    read_description,
    read_jobs,
)
from chronotope.models.media.description import found_at
from generation_client import KEY, described, filled, kill_when, lines, orders
from generation_server import PRICE, GenerationService
from service import ServiceProcess

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["generation_client", "chronotope.models.media.http_service", "chronotope.media.clip"])


class Server(ServiceProcess):
    """The generation service as a process of its own, with a description of it."""

    def __init__(self, folder: Path, **poll: object) -> None:
        folder.mkdir()
        super().__init__(Path(__file__).parents[1] / "generation_server.py", folder)
        self.description = described(folder, self.port, **poll)

    def bill(self) -> list[dict]:
        return lines(self.folder / "bill.jsonl")


class Local(GenerationService):
    """The same service in this process, which starts at once."""

    def __init__(self, folder: Path, **poll: object) -> None:
        folder.mkdir()
        super().__init__(folder)
        self.description = described(folder, self.port, **poll)

    def requests(self) -> list[dict]:
        return lines(self.folder / "requests.jsonl")

    def bill(self) -> list[dict]:
        return lines(self.folder / "bill.jsonl")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Local]:
    monkeypatch.setenv(KEY, "secret-of-tests")
    with Local(tmp_path / "server") as running:
        yield running


def test_orders_are_filled_and_a_repeated_command_sends_nothing(server: Local, tmp_path: Path) -> None:
    prompts = ["a square", "a square [slow 3]", "a square [dizzy]", "a square [busy]"]
    found = filled(server.description, tmp_path / "out", prompts)
    assert [one.state for one in found.made] == ["made"] * 4 and found.stopped is None
    for one in found.made:
        assert one.path is not None and probe(one.path).frames == one.facts["frames"] == 16
        assert one.seed == 77 and one.money == PRICE
    assert found.spent == pytest.approx(4 * PRICE)
    [bill] = [one for one in server.bill() if one["prompt"] == "a square"]
    assert bill["fields"] == {
        "model": "square", "prompt": "a square", "duration": 2, "seed": 0, "camera_fixed": False, "resolution": "48p",
    }  # fmt: skip
    sent = len(server.requests())
    again = filled(server.description, tmp_path / "out", prompts)
    assert again.made == found.made and len(server.requests()) == sent and len(server.bill()) == 4
    # Results are fetched without the key, and the key is nowhere on the disk.
    assert all((one["key"] is None) == ("/files/" in one["line"]) for one in server.requests())
    assert b"secret-of-tests" not in (tmp_path / "out" / "jobs.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("act", "state", "billed", "told"),
    [
        ("refused", "refused", 0, "policy"),
        ("policy", "refused", 1, "content policy"),
        ("fail", "failed", 2, "out of memory"),
        ("fail once", "made", 2, None),
        ("lost", "failed", 1, "no such job"),
        ("broken", "ambiguous", 1, "--resubmit"),
        ("reset", "ambiguous", 1, "--adopt"),
        ("noid", "ambiguous", 1, "no id"),
        ("hang", "ambiguous", 1, "TimeoutError"),
        ("truncated", "made", 1, None),
        ("garbage", "made", 1, None),
        ("expired", "made", 1, None),
        ("gone", "accepted", 1, "run again"),
        ("slow 999", "accepted", 1, "run again"),
    ],
)
def test_each_fault_ends_in_a_retry_a_rejection_or_a_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str, state: str, billed: int, told: str | None
) -> None:
    monkeypatch.setenv(KEY, "secret-of-tests")
    with Local(tmp_path / "server", longest=0.3) as server:
        found = filled(server.description, tmp_path / "out", [f"a square [{act}]"], timeout=0.3)
        [made] = found.made
        assert made.state == state and len(server.bill()) == billed, (made, server.bill())
        assert told is None or told in (made.told or "")
        assert (made.path is not None) == (state == "made")
        assert not list((tmp_path / "out").glob(".*.partial"))
        # The same command goes on, and orders nothing twice.
        [again] = filled(server.description, tmp_path / "out", [f"a square [{act}]"], timeout=0.3).made
        assert again.state == state and len(server.bill()) == billed
        jobs = read_jobs(tmp_path / "out")
        assert {job["token"] for job in server.bill()} <= {job.token for job in jobs}
        if state not in ("refused",):
            assert found.spent >= 0.25 * (state != "refused")


def test_an_ambiguous_request_is_sent_again_only_by_a_person(server: Local, tmp_path: Path) -> None:
    prompts = ["one [reset]", "two [broken]", "three"]
    found = filled(server.description, tmp_path / "out", prompts)
    assert Counter(one.state for one in found.made) == {"ambiguous": 2, "made": 1}
    assert found.spent == pytest.approx(3 * PRICE), "what may be billed is reserved"
    one, two, _ = found.made
    with pytest.raises(InputError, match="no unclear job 'nonsense'"):
        filled(server.description, tmp_path / "out", prompts, resubmit=["nonsense"])
    ids = {job["prompt"]: job["id"] for job in server.bill()}
    assert one.token and two.token
    # The person has found the first job at the service; this service knows the token of the second request.
    found = filled(
        server.description, tmp_path / "out", prompts, adopt={one.token: ids["one [reset]"]}, resubmit=[two.token]
    )
    assert [each.state for each in found.made] == ["made"] * 3 and len(server.bill()) == 3
    assert found.made[0].job == ids["one [reset]"] and found.made[1].job == ids["two [broken]"]
    # The same command again carries out nothing twice.
    again = filled(server.description, tmp_path / "out", prompts, resubmit=[two.token])
    assert [each.state for each in again.made] == ["made"] * 3 and len(server.bill()) == 3


def test_the_id_of_another_job_is_not_believed(server: Local, tmp_path: Path) -> None:
    found = filled(server.description, tmp_path / "out", ["first", "second [sameid]"], concurrency=1)
    assert [one.state for one in found.made] == ["made", "ambiguous"]
    assert "another job" in (found.made[1].told or "")


def test_equal_orders_make_one_job(server: Local, tmp_path: Path) -> None:
    twice = [orders(["same"])[0], orders(["x", "same"])[1]]
    request = twice[0].request
    twice[1] = type(twice[1])("other-name", request)

    async def go():
        from chronotope.models.media import Generating

        service = open_media_service("tests/square", server.description)
        try:
            with JobBook.open(tmp_path / "out") as book:
                return await Generating(service, book, tmp_path / "out", backoff=0.01).run(twice)
        finally:
            await service.close()

    found = asyncio.run(go())
    assert [one.state for one in found.made] == ["made", "made"] and len(server.bill()) == 1
    assert {one.path.name for one in found.made if one.path} == {"clip-000.mp4", "other-name.mp4"}


def test_the_limit_on_the_cost_is_reserved_before_anything_is_sent(server: Local, tmp_path: Path) -> None:
    prompts = [f"square {number} [slow 2]" for number in range(8)]
    found = filled(server.description, tmp_path / "out", prompts, most=0.8, concurrency=8)
    assert found.stopped is not None and "--max-cost 0.8" in found.stopped
    assert len(server.bill()) == 3 and found.spent == pytest.approx(0.75)
    more = filled(server.description, tmp_path / "out", prompts, most=2.0)
    assert more.stopped is None and len(server.bill()) == 8 and more.spent == pytest.approx(2.0)
    elsewhere = filled(server.description, tmp_path / "out", ["new"], most=2.5, spent_elsewhere=lambda: 0.3)
    assert elsewhere.stopped is not None and len(server.bill()) == 8


def test_a_missing_or_changed_result_is_fetched_again_for_nothing(server: Local, tmp_path: Path) -> None:
    [made] = filled(server.description, tmp_path / "out", ["a square"]).made
    assert made.path is not None
    whole = made.path.read_bytes()
    made.path.write_bytes(whole[:100])
    [again] = filled(server.description, tmp_path / "out", ["a square"]).made
    assert again.path == made.path and made.path.read_bytes() == whole and len(server.bill()) == 1


def test_a_wrong_key_or_an_absent_service_bills_nothing(
    server: Local, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "another-key-of-tests")
    with pytest.raises(InputError, match="does not accept the API key"):
        filled(server.description, tmp_path / "out", ["a square"])
    server.close()
    with pytest.raises(InputError, match="no request was accepted"):
        filled(server.description, tmp_path / "out", ["a square"])
    assert {job.state for job in read_jobs(tmp_path / "out")} == {"unsent"}
    assert all(job.cost == 0 for job in read_jobs(tmp_path / "out")) and not server.bill()


def client(description: Path, out: Path, prompts: list[str]) -> None:
    filled(description, out, prompts)


@pytest.mark.parametrize(
    "kills",
    [pytest.param(4, marks=pytest.mark.slow), pytest.param(20, marks=[pytest.mark.slow, pytest.mark.complete])],
)
def test_killed_at_any_moment_nothing_is_lost_or_ordered_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kills: int
) -> None:
    """Every second kill comes between a request and its answer, before or after the service has accepted it."""
    monkeypatch.setenv(KEY, "secret-of-tests")
    generator, out = random.Random(kills), tmp_path / "out"
    prompts = [f"square {number} [{'slow 2' if number % 3 else 'truncated'}]" for number in range(6 * kills)]
    moments = ["accepted", "received", "poll", "fetch"]
    kept: dict[str, bytes] = {}
    with Server(tmp_path / "server", every=0.2) as server:
        for number in range(kills):
            process = FORKS.Process(target=client, args=(server.description, out, prompts))
            process.start()
            if not number:  # from outside, at a moment that nobody has chosen; all orders together need a second
                while not (server.folder / "requests.jsonl").exists():
                    time.sleep(0.005)
                time.sleep(generator.uniform(0, 0.4))
                process.kill()
            else:
                after = generator.randint(1, 4)
                kill_when(server.folder, {"pid": process.pid, "at": moments[(number - 1) % 4], "after": after})
            process.join(60)
            assert process.exitcode == -signal.SIGKILL, "it ended before it could be killed"
            (server.folder / "kill.json").unlink(missing_ok=True)
            for path in out.glob("*.mp4"):
                data = path.read_bytes()
                assert kept.setdefault(path.name, data) == data
            billed = {job["token"] for job in server.bill()}
            assert len(billed) == len(server.bill()), "no request was accepted twice"
            assert billed <= {job.token for job in read_jobs(out)}, "every accepted request was intended before"
        before = {path.name: path.stat().st_mtime_ns for path in out.glob("*.mp4")}
        done = {job.token for job in read_jobs(out) if job.state == "fetched"}
        requests = len(server.requests())
        found = filled(server.description, out, prompts)
        assert {one.state for one in found.made} <= {"made", "ambiguous"}
        ambiguous = found.of_state("ambiguous")
        assert len(ambiguous) >= max(1, kills // 4), "kills between request and answer leave their jobs unclear"
        # No finished item was done again.
        files = {one.path.name: one.token for one in found.made if one.path}
        for name, at in before.items():
            if files.get(name) in done:
                assert (out / name).stat().st_mtime_ns == at
        assert len(server.requests()) > requests
        # A person looks at the service: what it has is adopted, what it has not is sent again.
        ids = {job["token"]: job["id"] for job in server.bill()}
        adopt = {one.token: ids[one.token] for one in ambiguous if one.token in ids}
        resubmit = [one.token for one in ambiguous if one.token not in ids]
        assert adopt and (resubmit or kills == 4)
        found = filled(server.description, out, prompts, adopt=adopt, resubmit=resubmit)
        assert [one.state for one in found.made] == ["made"] * len(prompts)
        # The bill is the book: each order once.
        assert Counter(job["prompt"] for job in server.bill()) == Counter(prompts)
        jobs = {job.sent_as: job.id for job in read_jobs(out) if job.state == "fetched"}
        assert jobs == {job["token"]: job["id"] for job in server.bill()}


def test_the_book_keeps_whole_lines_and_refuses_damaged_ones(tmp_path: Path) -> None:
    event = JobEvent(token="t", key="k", name="clip", service="tests/square", event="intended", price=1.5)
    with JobBook.open(tmp_path) as book:
        book.add(event)
        with pytest.raises(InputError, match="another process"), JobBook.open(tmp_path):
            pass
        assert book.jobs["t"].state == "ambiguous" and book.spent == 1.5
    path = tmp_path / "jobs.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + whole.splitlines(keepends=True)[1][:-9])  # torn while it was written
    with JobBook.open(tmp_path) as book:
        assert len(book.jobs["t"].events) == 1
    assert path.read_bytes() == whole
    path.write_bytes(whole.replace(b"1.5", b"0.5"))
    with pytest.raises(InputError, match="1 line is damaged"), JobBook.open(tmp_path):
        pass
    path.write_bytes(b"something else\n")
    with pytest.raises(InputError, match="not a book of jobs"), JobBook.open(tmp_path):
        pass


def test_known_services_are_described_and_requests_are_checked_before_they_are_sent(tmp_path: Path) -> None:
    for name, path in known_descriptions().items():
        described_service = read_description(path)
        assert described_service.name == name
        for model, of in described_service.models.items():
            service = open_media_service(f"{name}/{model}", to_ask=False)
            assert service.limits == of.limits and service.price(MediaRequest("video", "x")) is None
            asyncio.run(service.close())
            if of.kind == "video" and of.duration is not None:
                body = of.body(MediaRequest("video", "x", seconds=of.duration.values[0], seed=4), {})
                assert body["duration"] == of.duration.values[0] and ("seed" in body) == (of.seed is not None)
                assert not any(value is True for value in body.values()), "nothing rewrites prompts, or adds sound"
    assert len(read_description(known_descriptions()["atlascloud"]).models) == 16
    frame = tmp_path / "frame.jpg"
    frame.write_bytes(encode_picture(np.zeros((8, 8, 3), np.uint8)).data)
    limits = MediaLimits("video", (8.0,), ((1280, 720),), frozenset(["first_frame"]), frozenset(["first_frame"]))
    right = MediaRequest("video", "go", frame, seconds=8, size=(1280, 720))
    limits.require(right, "it")
    for wrong, told in [
        (MediaRequest("image", "go"), "makes a video"),
        (MediaRequest("video", "go"), "needs a first frame"),
        (MediaRequest("video", "go", frame, frame), "takes no last frame"),
        (MediaRequest("video", "go", frame, seconds=5), "clips of 8 s"),
        (MediaRequest("video", "go", frame, size=(64, 64)), "makes 1280x720"),
        (MediaRequest("video", " ", frame), "characters"),
    ]:
        with pytest.raises(InputError, match=told):
            limits.require(wrong, "it")
    key = right.key("tests")
    assert key == right.key("tests") != right.key("other")
    frame.write_bytes(encode_picture(np.full((8, 8, 3), 200, np.uint8)).data)
    assert right.key("tests") != key, "files count by their content"
    assert found_at({"a": [{"b": 3}]}, "a.0.b") == 3 and found_at({"a": []}, "a.0.b") is None
    with pytest.raises(InputError, match="no generation service"):
        open_media_service("nobody/x")
    with pytest.raises(InputError, match="environment variable ATLASCLOUD_API_KEY"):
        open_media_service("atlascloud/alibaba/wan-2.7/image-to-video")
