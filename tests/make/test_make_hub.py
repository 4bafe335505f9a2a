"""Released data fetched by its address from a server that speaks as a hub does, by the command in its own process."""

import hashlib
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from typer.testing import CliRunner

import forks
from chronotope.cli.app import app
from chronotope.question import open_benchmark, validate
from service import Answer, Received, Service
from small_sources import COMMAND
from sti_released import row, write_release

COMMIT, OLDER = "0123456789abcdef0123456789abcdef01234567", "89abcdef0123456789abcdef0123456789abcdef"
ADDRESS = "hf://lab/STI-Bench"


class Hub(Service):
    """A hub with one data set, ``lab/STI-Bench``, at two commits that hold the files of one folder.

    ``fetched`` counts the files sent whole. ``stop_after`` lets so many through and keeps the others waiting until
    ``go_on``; ``refused`` answers everything about files with this status and code, ``down`` everything at all.
    """

    def __init__(self, folder: Path) -> None:
        self.files = {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
        self.fetched = Counter[str]()
        self.stop_after: int | None = None
        self.go_on, self.waits = threading.Event(), threading.Event()
        self.refused: tuple[int, str] | None = None
        self.down: int | None = None
        super().__init__()

    @property
    def asked(self) -> list[str]:
        return [f"{request.method} {request.path}" for request in self.received]

    def close(self) -> None:
        self.go_on.set()
        super().close()

    def take(self, request: Received) -> Answer:
        parts = unquote(urlsplit(request.path).path).strip("/").split("/")
        if self.down is not None:
            return Answer(b"no", self.down)
        if parts[:2] == ["api", "datasets"]:
            return self.tell(parts[2:])
        if parts[0] == "datasets" and parts[1:4] == ["lab", "STI-Bench", "resolve"] and parts[4] in (COMMIT, OLDER):
            return self.hand_out(request, "/".join(parts[5:]), parts[4])
        return no(404, "EntryNotFound")

    def tell(self, parts: list[str]) -> Answer:
        """What is there, at which commit."""
        if parts[:2] != ["lab", "STI-Bench"]:
            return no(401, "RepoNotFound")
        what, revision = parts[2:]
        commit = {"main": COMMIT, "v1": OLDER, COMMIT: COMMIT, OLDER: OLDER}.get(revision)
        if commit is None:
            return no(404, "RevisionNotFound")
        if what == "revision":
            names = [{"rfilename": name} for name in self.files]
            return Answer({"id": "lab/STI-Bench", "sha": commit, "siblings": names})
        return Answer([{"type": "file", "path": n, "size": len(d), "oid": oid(d)} for n, d in self.files.items()])

    def hand_out(self, request: Received, name: str, commit: str) -> Answer:
        if self.refused is not None:
            return no(*self.refused)
        data = self.files[name]
        whole = Answer(data, headers={"ETag": f'"{oid(data)}"', "X-Repo-Commit": commit})
        if request.method == "GET":
            with self.lock:
                if self.stop_after is not None and self.fetched.total() >= self.stop_after:
                    return replace(whole, cut=0.5, then=self.wait)
                self.fetched[name] += 1
        return whole

    def wait(self) -> None:
        self.waits.set()
        self.go_on.wait(60)


def oid(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def no(status: int, code: str) -> Answer:
    return Answer(b"", status, {"X-Error-Code": code})


def write_distinct_release(folder: Path) -> Path:
    """A release of which no two clips are the same: a hub keeps what is equal once."""
    write_release(folder, [row(number) for number in range(9)])
    for clip in (folder / "video").iterdir():
        name = clip.name.encode()
        with clip.open("ab") as file:
            file.write(struct.pack(">I4s", 8 + len(name), b"free") + name)  # a box that says nothing
    return folder


@pytest.fixture
def released(tmp_path: Path) -> Path:
    return write_distinct_release(tmp_path / "released")


@pytest.fixture
def hub(released: Path) -> Iterator[Hub]:
    hub = Hub(released)
    yield hub
    hub.close()


class Told:
    """What came of ``chronotope import sti`` in a process of its own, which meets this hub and no other."""

    def __init__(self, place: Path, url: str, *words: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [COMMAND, "import", "sti", *words],
            cwd=place,
            env=surroundings(place, url) | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait(self) -> "Told":
        self.out, self.err = self.process.communicate(timeout=200)
        self.code = self.process.returncode
        return self


def surroundings(place: Path, url: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "HUGGING"))}
    return kept | {"HF_ENDPOINT": url, "HF_HOME": str(place / "kept"), "HF_HUB_DISABLE_TELEMETRY": "1"}


def fetch(place: Path, hub: Hub, *words: str, **environment: str) -> forks.Told:
    """The same to its end, as a fork: it has not loaded what speaks with a hub, which reads its environment then."""
    return forks.forks()("import", "sti", *words, cwd=place, environment=surroundings(place, hub.root) | environment)


def test_an_address_makes_the_benchmark_that_the_folder_makes(tmp_path: Path, released: Path, hub: Hub) -> None:
    told = fetch(tmp_path, hub, ADDRESS, "--out", "bench")
    assert told.code == 0, told.err
    assert f"{ADDRESS}: commit {COMMIT}" in told.err and str(tmp_path / "kept") in told.err
    by_folder = CliRunner().invoke(app, ["import", "sti", str(released), "--out", str(tmp_path / "by-folder")])
    assert by_folder.exit_code == 0
    made, wanted = open_benchmark(tmp_path / "bench"), open_benchmark(tmp_path / "by-folder")
    assert made.card.content_hash == wanted.card.content_hash and made.questions == wanted.questions
    assert made.card.command == f"chronotope import sti {ADDRESS}"
    assert validate(tmp_path / "bench") == []
    assert not any(file.is_symlink() for file in (tmp_path / "bench").rglob("*"))
    assert hub.fetched == Counter(list(hub.files))  # each once
    hub.close()
    again = fetch(tmp_path, hub, ADDRESS, "--out", "again")  # what is here whole needs no hub
    assert again.code == 0 and COMMIT in again.err


def test_an_archive_of_a_repository_is_unpacked(tmp_path: Path, released: Path) -> None:
    """As the authors' repository has it: ``qa.parquet`` and ``video.zip``."""
    by_folder = CliRunner().invoke(app, ["import", "sti", str(released), "--out", str(tmp_path / "by-folder")])
    assert by_folder.exit_code == 0
    shutil.make_archive(str(released / "video"), "zip", released, "video")
    shutil.rmtree(released / "video")
    hub = Hub(released)
    try:
        assert set(hub.files) == {"qa.parquet", "video.zip"}
        cache = tmp_path / "cache"
        told = fetch(tmp_path, hub, ADDRESS, "--out", "bench", CHRONOTOPE_CACHE=str(cache))
    finally:
        hub.close()
    assert told.code == 0 and "unpacked into the cache: video.zip" in told.err, told.err
    made, wanted = open_benchmark(tmp_path / "bench"), open_benchmark(tmp_path / "by-folder")
    assert made.card.content_hash == wanted.card.content_hash and made.questions == wanted.questions
    assert len(list((cache / "unpacked").iterdir())) == 1 and validate(tmp_path / "bench") == []


def test_a_revision_is_the_one_that_is_fetched(tmp_path: Path, hub: Hub) -> None:
    address = "hf://datasets/lab/STI-Bench@v1"
    told = fetch(tmp_path, hub, address, "--out", "bench", "--json")
    assert told.code == 0, told.err
    outcome = json.loads(told.out)
    assert outcome["notes"][0].startswith(f"{address}: commit {OLDER}")
    assert outcome["card"]["command"] == f"chronotope import sti {address}"
    assert all(OLDER in asked for asked in hub.asked if "/resolve/" in asked)


@pytest.mark.parametrize("by", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
def test_what_was_interrupted_goes_on_and_fetches_no_file_twice(tmp_path: Path, hub: Hub, by: signal.Signals) -> None:
    """The hub holds some files back half sent: an interruption does not wait for them."""
    hub.stop_after = 4
    stopped = Told(tmp_path, hub.root, ADDRESS, "--out", "bench")
    assert hub.waits.wait(60)
    deadline = time.monotonic() + 30
    while len(arrived(tmp_path)) < 4 and time.monotonic() < deadline:
        time.sleep(0.05)
    stopped.process.send_signal(by)
    stopped.wait()
    if by == signal.SIGINT:
        assert stopped.code == 130 and "run the same command again" in stopped.err and "Traceback" not in stopped.err
    assert not (tmp_path / "bench").exists()
    hub.stop_after = None
    hub.go_on.set()
    again = fetch(tmp_path, hub, ADDRESS, "--out", "bench")
    assert again.code == 0, again.err
    assert hub.fetched == Counter(list(hub.files))
    assert validate(tmp_path / "bench") == []


def arrived(place: Path) -> list[Path]:
    return [file for file in (place / "kept").rglob("snapshots/*/**/*") if file.is_file()]


def refuses(told: forks.Told, *words: str) -> None:
    """One sentence, and nothing made."""
    assert told.code == 2 and told.out == ""
    # On a slow machine, how far it is comes first.
    [line] = [line for line in told.err.splitlines() if not line.startswith("importing: ")]
    assert line.startswith("error: hf://") and all(word in line for word in words), line


def test_what_the_hub_does_not_hand_out_is_told_in_a_sentence(tmp_path: Path, hub: Hub) -> None:
    hub.refused = (403, "GatedRepo")
    refuses(fetch(tmp_path, hub, ADDRESS, "--out", "bench"), "accept the terms", "log in")
    assert not (tmp_path / "bench").exists()


def test_without_a_hub_one_sentence_tells_what_to_do(tmp_path: Path, hub: Hub) -> None:
    hub.close()
    refuses(fetch(tmp_path, hub, ADDRESS, "--out", "bench"), "cannot be reached", "give the path of the folder")


ALL_AT_ONCE = """
import sys
from chronotope.make.transfer.hub import hub_errors
from huggingface_hub import snapshot_download
for address in sys.argv[1:]:
    name, _, revision = address.removeprefix("hf://").partition("@")
    try:
        with hub_errors(address):
            snapshot_download(name, repo_type="dataset", revision=revision or None)
    except ValueError as error:
        print(error)
"""


def test_every_refusal_has_a_sentence_of_its_own(tmp_path: Path, hub: Hub) -> None:
    """In one process, as importing what fetches takes seconds."""

    def sentences(*addresses: str, **environment: str) -> list[str]:
        words = [sys.executable, "-c", ALL_AT_ONCE, *addresses]
        told = subprocess.run(
            words, env=surroundings(tmp_path, hub.root) | environment, capture_output=True, text=True, check=True
        )
        return told.stdout.splitlines()

    other, unknown = sentences("hf://lab/Other", f"{ADDRESS}@v9")
    assert "not found on the hub" in other and "authors' page" in other and "no such revision" in unknown
    [offline] = sentences(ADDRESS, HF_HUB_OFFLINE="1")
    assert "unset HF_HUB_OFFLINE" in offline
    hub.down = 418
    [down] = sentences(ADDRESS)
    assert "HTTP 418" in down and "run the same command again" in down


@pytest.mark.parametrize(
    "address", ["hf://lab", "hf:/lab/STI-Bench", f"{ADDRESS}/video", f"{ADDRESS}@", "hf://a/b/../c"]
)
def test_what_is_no_address_is_told_before_anything_is_fetched(tmp_path: Path, address: str) -> None:
    told = CliRunner().invoke(app, ["import", "sti", address, "--out", str(tmp_path / "bench")])
    assert told.exit_code == 2 and f"error: {address}: is not the address of a data set" in told.stderr


@pytest.mark.parametrize("address", ["ms://WalKaWay/M3-Verse", "ms://datasets/WalKaWay/M3-Verse", "ms:M3-Verse"])
def test_data_on_modelscope_has_a_sentence_that_says_what_to_do(tmp_path: Path, address: str) -> None:
    told = CliRunner().invoke(app, ["import", "m3", address, "--out", str(tmp_path / "bench")])
    name = "WalKaWay/M3-Verse --local_dir M3-Verse" if "/" in address else "OWNER/NAME --local_dir NAME"
    assert told.exit_code == 2 and f"modelscope download --dataset {name}," in told.stderr
    assert told.stderr.startswith(f"error: {address}: ") and told.stderr.count("\n") == 1


def test_without_the_package_the_sentence_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    told = CliRunner().invoke(app, ["import", "sti", ADDRESS, "--out", str(tmp_path / "bench")])
    assert told.exit_code == 2 and "pip install 'chronotope[hub]'" in told.stderr
    assert len(told.stderr.splitlines()) == 1


def test_the_package_is_not_imported_for_a_folder(tmp_path: Path, released: Path) -> None:
    code = (
        "import sys; from chronotope.cli import main; sys.argv[1:] = "
        f"['import', 'sti', {str(released)!r}, '--out', {str(tmp_path / 'bench')!r}]\n"
        "try: main()\nexcept SystemExit as left: assert not left.code\n"
        "assert 'chronotope.make.transfer.hub' in sys.modules and 'huggingface_hub' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
