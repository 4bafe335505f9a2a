"""A benchmark published on a server that speaks as a hub does, and what other people's libraries read of it."""

import base64
import hashlib
import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import duckdb
import mlcroissant
import pytest
import yaml
from datasets import load_dataset
from test_make_hub import oid, surroundings, write_distinct_release
from typer.testing import CliRunner

import chronotope as ct
import forks
from chronotope.cli.app import app
from chronotope.make.publication.dataset_page import evaluation_file
from chronotope.question import Benchmark, validate
from service import Answer, Received, Service

ADDRESS = "hf://lab/my-bench"


class TakingHub(Service):
    """A hub that takes uploads: repositories, files in the commit, large files beside it, and their downloads.

    Files above ``LARGE`` bytes are large. ``sent`` counts the large files that came whole. ``refuse_after`` lets so
    many of them in and answers the others with an error.
    """

    LARGE = 500

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.large: dict[str, bytes] = {}
        self.made: dict[str, Any] = {}
        self.sent = Counter[str]()
        self.commits = 0
        self.refuse_after: int | None = None
        super().__init__()

    @property
    def commit(self) -> str:
        return hashlib.sha1(str(self.commits).encode()).hexdigest()

    def take(self, request: Received) -> Answer:
        parts = unquote(urlsplit(request.path).path).strip("/").split("/")
        match parts:
            case ["api", "validate-yaml"]:  # a hub reads the page first
                assert request.json["content"].startswith("---\n") and request.json["repoType"] == "dataset"
                return Answer({"errors": [], "warnings": []})
            case ["api", "repos", "create"]:
                if request.json["name"] in self.made:
                    return Answer(
                        {"error": "You already created this dataset repo", "url": f"{self.root}/datasets/lab/my-bench"},
                        409,
                    )
                self.made[request.json["name"]] = request.json
                return Answer({"url": f"{self.root}/datasets/lab/my-bench", "id": "lab/my-bench"})
            case ["api", "models", "lab", "qwen", "preupload", "main"]:
                return Answer({"files": [self.mode(one) | {"uploadMode": "regular"} for one in request.json["files"]]})
            case ["api", "models", "lab", "qwen", "commit", "main"]:
                assert "create_pr=1" in request.path
                self.write(request.raw)
                url = f"{self.root}/lab/qwen/commit/{self.commit}"
                made = {"commitUrl": url, "commitOid": self.commit, "success": True}
                return Answer(made | {"pullRequestUrl": f"{self.root}/lab/qwen/discussions/1"})
            case ["api", "datasets", "lab", "my-bench", "preupload", "main"]:
                return Answer({"files": [self.mode(one) for one in request.json["files"]]})
            case ["datasets", "lab", "my-bench.git", "info", "lfs", "objects", "batch"]:
                return Answer({"transfer": "basic", "objects": [self.action(one) for one in request.json["objects"]]})
            case ["large", digest]:
                return self.keep(digest, request.raw)
            case ["api", "datasets", "lab", "my-bench", "commit", "main"]:
                return self.write(request.raw)
            case ["api", "datasets", "lab", "my-bench", "revision", "main"]:
                names = [{"rfilename": name} for name in self.files]
                return Answer({"id": "lab/my-bench", "sha": self.commit, "siblings": names})
            case ["api", "datasets", "lab", "my-bench", "tree", *_]:
                rows = [{"type": "file", "path": n, "size": len(d), "oid": oid(d)} for n, d in self.files.items()]
                return Answer(rows)
            case ["datasets", "lab", "my-bench", "resolve", _, *path]:
                data = self.files["/".join(path)]
                return Answer(data, headers={"ETag": f'"{oid(data)}"', "X-Repo-Commit": self.commit})
        raise AssertionError(request.line)

    def mode(self, file: dict[str, Any]) -> dict[str, Any]:
        kept = self.files.get(file["path"])
        of = {"oid": None if kept is None else hashlib.sha256(kept).hexdigest()}
        is_large = file["size"] > self.LARGE
        return {"path": file["path"], "uploadMode": "lfs" if is_large else "regular", "shouldIgnore": False, **of}

    def action(self, wanted: dict[str, Any]) -> dict[str, Any]:
        if wanted["oid"] in self.large:  # a hub that has a file does not want it again
            return wanted
        return wanted | {"actions": {"upload": {"href": f"{self.root}/large/{wanted['oid']}", "header": {}}}}

    def keep(self, digest: str, data: bytes) -> Answer:
        with self.lock:
            if self.refuse_after is not None and self.sent.total() >= self.refuse_after:
                return Answer(b"", 403)
            assert hashlib.sha256(data).hexdigest() == digest
            self.large[digest] = data
            self.sent[digest] += 1
        return Answer(b"")

    def write(self, raw: bytes) -> Answer:
        for line in raw.splitlines():
            said = json.loads(line)
            if said["key"] == "file":
                self.files[said["value"]["path"]] = base64.b64decode(said["value"]["content"])
            elif said["key"] == "lfsFile":
                self.files[said["value"]["path"]] = self.large[said["value"]["oid"]]
        self.commits += 1
        url = f"{self.root}/datasets/lab/my-bench/commit/{self.commit}"
        return Answer({"commitUrl": url, "commitOid": self.commit, "success": True})


@pytest.fixture
def hub() -> Iterator[TakingHub]:
    hub = TakingHub()
    yield hub
    hub.close()


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    place = tmp_path_factory.mktemp("published")
    imported = ct.import_release("sti", write_distinct_release(place / "released"), place / "bench")
    (place / "bench" / "ledger.jsonl").write_text("{}\n")  # calls of a writer
    return ct.open(imported.benchmark.folder)


@pytest.fixture(scope="module")
def prepared(bench: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("prepared") / "folder"
    told = CliRunner().invoke(app, ["publish", str(bench.folder), ADDRESS, "--out", str(out)])
    assert told.exit_code == 0, told.output
    assert "nothing was sent" in told.output
    return out


def publish(place: Path, hub: TakingHub, bench: Benchmark, *words: str) -> forks.Told:
    environment = surroundings(place, hub.root) | {"HF_HUB_DISABLE_XET": "1", "HF_TOKEN": "hf_x"}
    return forks.forks()("publish", str(bench.folder), ADDRESS, *words, cwd=place, environment=environment)


def test_the_folder_is_complete_and_its_checksums_are_right(bench: Benchmark, prepared: Path) -> None:
    told = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=prepared, capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr
    inside = {path.relative_to(prepared).as_posix() for path in prepared.rglob("*") if path.is_file()}
    listed = {line.split("  ", 1)[1] for line in (prepared / "SHA256SUMS").read_text().splitlines()}
    assert inside == listed | {"SHA256SUMS"}
    assert listed >= {"README.md", "croissant.json", "eval.yaml", "card.yaml", *bench.media}
    assert "ledger.jsonl" not in inside
    assert validate(prepared) == []


def test_the_page_states_facts_licence_and_use(bench: Benchmark, prepared: Path) -> None:
    page = (prepared / "README.md").read_text(encoding="utf-8")
    head, _, words = page.removeprefix("---\n").partition("---\n")
    facts = yaml.safe_load(head)
    assert facts["configs"][0] == {
        "config_name": "questions", "data_files": [{"split": "test", "path": "questions.parquet"}], "default": True
    }  # fmt: skip
    assert facts["size_categories"] == ["n<1K"] and facts["task_categories"] == ["video-text-to-text"]
    assert bench.card.licence in words and bench.card.content_hash in words
    assert f"chronotope import sti {ADDRESS}" in words
    for name, count in bench.card.counts.tasks.items():
        assert f"| {name} | {count} |" in words


def test_datasets_and_duckdb_read_the_folder_as_it_is(
    bench: Benchmark, prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    rows = load_dataset(str(prepared), "questions", split="test", cache_dir=str(tmp_path))
    assert rows["id"] == [question.id for question in bench.questions]
    media = load_dataset(str(prepared), "media", split="test", cache_dir=str(tmp_path))
    assert set(media["path"]) == set(bench.media)
    counted = duckdb.sql(f"SELECT task, count(*) FROM '{prepared}/questions.parquet' GROUP BY task").fetchall()
    assert dict(counted) == bench.card.counts.tasks


def test_the_metadata_are_croissant_and_give_the_rows(bench: Benchmark, prepared: Path) -> None:
    dataset = mlcroissant.Dataset(jsonld=str(prepared / "croissant.json"))
    assert dataset.metadata.issues.errors == set()
    assert {one.id for one in dataset.metadata.record_sets} == {"questions", "media"}
    records = list(dataset.records("questions"))
    ids = [one["questions/id"] for one in records]
    assert [one.decode() if isinstance(one, bytes) else one for one in ids] == [q.id for q in bench.questions]


def test_tasks_of_the_hub_are_all_questions_and_each_task(bench: Benchmark, prepared: Path) -> None:
    said = yaml.safe_load((prepared / "eval.yaml").read_text(encoding="utf-8"))
    ids = [task["id"] for task in said["tasks"]]
    assert ids[0] == "all" and len(ids) == len(set(ids)) == 1 + len(bench.card.counts.tasks)
    assert all(task["config"] == "questions" and task["split"] == "test" for task in said["tasks"])


def test_what_is_published_is_imported_again(tmp_path: Path, hub: TakingHub, bench: Benchmark) -> None:
    told = publish(tmp_path, hub, bench, "--json", "--private")
    assert told.code == 0, told.err
    assert json.loads(told.out)["commit"] == hub.commit
    [(name, asked)] = hub.made.items()
    assert (name, asked["visibility"], asked["type"]) == ("my-bench", "private", "dataset")
    assert hub.files["questions.parquet"] == (bench.folder / "questions.parquet").read_bytes()
    assert all(hub.files[path] == (bench.folder / path).read_bytes() for path in bench.media)
    fetched = forks.forks()(
        "import", "sti", ADDRESS, "--out", "again", cwd=tmp_path, environment=surroundings(tmp_path, hub.root)
    )
    assert fetched.code == 0, fetched.err
    again = ct.open(tmp_path / "again")
    assert again.card.content_hash == bench.card.content_hash and again.questions == bench.questions
    assert not any(file.is_symlink() for file in (tmp_path / "again").rglob("*"))
    other = forks.forks()(
        "import", "m3", ADDRESS, "--out", "other", cwd=tmp_path, environment=surroundings(tmp_path, hub.root)
    )
    assert other.code == 2 and "run chronotope import sti instead" in other.err


def test_an_interrupted_upload_sends_nothing_twice(tmp_path: Path, hub: TakingHub, bench: Benchmark) -> None:
    hub.refuse_after = 3
    told = publish(tmp_path, hub, bench)
    assert told.code == 2, told.err
    assert "hf://lab/my-bench" in told.err and hub.sent.total() == 3
    hub.refuse_after = None
    told = publish(tmp_path, hub, bench)
    assert told.code == 0, told.err
    assert max(hub.sent.values()) == 1
    assert all(hub.files[path] == (bench.folder / path).read_bytes() for path in bench.media)


@pytest.mark.parametrize("address", ["lab/my-bench", "hf://my-bench", "hf://lab/my-bench@main", "ms://lab/my-bench"])
def test_a_wrong_address_is_told(address: str, bench: Benchmark, tmp_path: Path) -> None:
    told = CliRunner().invoke(app, ["publish", str(bench.folder), address, "--out", str(tmp_path / "out")])
    assert told.exit_code == 2 and "expected hf://OWNER/NAME" in " ".join(told.output.split())
    assert not (tmp_path / "out").exists()


def test_scores_of_a_run_are_proposed_to_its_model(tmp_path: Path, hub: TakingHub, bench: Benchmark) -> None:
    run = ct.run(bench, lambda ask: "Answer: A", out=tmp_path / "run")
    words = ["publish", str(tmp_path / "run"), "hf://lab/qwen"]
    environment = surroundings(tmp_path, hub.root) | {"HF_TOKEN": "hf_x"}
    told = forks.forks()(*words, "--of", ADDRESS, cwd=tmp_path, environment=environment)
    assert told.code == 0 and "lab/qwen/discussions/1" in told.out, told.err
    [(path, data)] = hub.files.items()
    assert path == ".eval_results/bench.yaml"
    entries = yaml.safe_load(data)
    right = {q.id for q in bench.questions if q.answer == (0,)}
    assert entries[0]["dataset"] == {"id": "lab/my-bench", "task_id": "all"}
    assert entries[0]["value"] == round(100 * len(right) / len(bench.questions), 2)
    said = yaml.safe_load(evaluation_file(bench))
    assert [entry["dataset"]["task_id"] for entry in entries] == [task["id"] for task in said["tasks"]]
    by_task = {task: [q for q in bench.questions if q.task == task] for task in bench.card.counts.tasks}
    for entry, of in zip(entries[1:], by_task.values(), strict=True):
        assert entry["value"] == round(100 * sum(q.id in right for q in of) / len(of), 2)
    file = tmp_path / "results.yaml"
    assert ct.publish(run, "hf://lab/qwen", of=ADDRESS, out=file).files == ("results.yaml",)
    assert file.read_bytes() == data
    lost = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "other.yaml")])
    assert lost.exit_code == 2 and "--of hf://OWNER/NAME" in " ".join(lost.output.split())


def test_an_export_for_datasets_is_the_folder_that_is_published(
    bench: Benchmark, prepared: Path, tmp_path: Path
) -> None:
    made = ct.export(bench, tmp_path / "hf", to="hf")
    assert made.questions is None and "OWNER" in made.notes[-1]
    names = {path.relative_to(prepared) for path in prepared.rglob("*") if path.is_file()}
    assert names == {path.relative_to(made.folder) for path in made.folder.rglob("*") if path.is_file()}
    assert "chronotope import sti hf://OWNER/bench" in (made.folder / "README.md").read_text(encoding="utf-8")
    with pytest.raises(ct.InputError, match="tasks: belongs to a suite"):
        ct.export(bench, tmp_path / "other", to="hf", tasks="Pose Estimation")


def test_a_folder_that_is_there_is_kept(bench: Benchmark, tmp_path: Path) -> None:
    shutil.copytree(bench.folder, tmp_path / "out")
    with pytest.raises(ct.InputError, match="out"):
        ct.publish(bench, ADDRESS, out=tmp_path / "out")
    assert (tmp_path / "out" / "ledger.jsonl").exists()
