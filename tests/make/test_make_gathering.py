"""The finished parts of a build, packed: the same files as from objects, and hardly any memory for a part."""

import copy
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from chronotope.io import packed
from chronotope.make import BuildRequest, build
from chronotope.make.jobs import building, gathering
from chronotope.make.jobs.part import Part, PartJob
from chronotope.question import Question, open_benchmark, schema
from small_sources import walk, write_tum

MOST_FOR_A_PART = 6_000  # bytes; its 13 questions as objects would need 17,000


def built(source: Path, out: Path) -> tuple[dict[str, bytes], list[str]]:
    """The files of a benchmark, and the ids of its questions in their order."""
    bench = build(BuildRequest("sti", source, out, 0, options={"per_variant": 2}), workers=1).benchmark
    assert bench.questions == open_benchmark(out).questions and bench.questions[-1] == [*bench.questions][-1]
    return {path.name: path.read_bytes() for path in out.rglob("*") if path.is_file()}, [
        one.id for one in bench.questions
    ]


def test_packed_parts_give_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "walks"
    source.mkdir()
    for seed, name in enumerate(("c", "a", "b")):
        write_tum(source / f"{name}.txt", walk(seed, 101))
    parts: list[Part] = []
    monkeypatch.setattr(building, "_read", lambda job: parts.append(read(job)) or parts[-1])
    monkeypatch.setattr(schema, "ROW_GROUP", 20)
    plain = built(source, tmp_path / "plain" / "bench")
    assert len(parts) == 3 and len(plain[1]) > 20
    for name in ("_KEPT_PARTS", "_KEPT_QUESTIONS"):
        monkeypatch.setattr(gathering, name, 0)
    monkeypatch.setattr(packed, "PAGE", 3)
    monkeypatch.setattr(schema, "_CONVERTED", 7)
    assert built(source, tmp_path / "packed" / "bench") == plain


read = building._read


def test_memory_hardly_grows_with_the_number_of_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part whose questions are added again and again, each time under other ids."""
    source = tmp_path / "walks"
    source.mkdir()
    write_tum(source / "a.txt", walk(0, 101))
    kept: list[tuple[Part, list]] = []

    def keep(job: PartJob) -> Part:
        part = read(job)
        kept.append((part, list(part.read_questions())))
        return part

    monkeypatch.setattr(building, "_read", keep)
    build(BuildRequest("sti", source, tmp_path / "bench", 0, options={"per_variant": 2}), workers=1)
    [(part, questions)] = kept

    def read_again(self: Part) -> list[Question]:
        return [replace(copy.deepcopy(one), id=f"{self.id}-{one.id}") for one in questions]

    monkeypatch.setattr(Part, "read_questions", read_again)
    monkeypatch.setattr(gathering, "_KEPT_QUESTIONS", 100)
    made = gathering.Gathered()
    sizes = []
    tracemalloc.start()
    try:
        for number in range(300):
            made.add(replace(part, id=f"{number}"))
            if number in (149, 299):
                sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert len(questions) > 5 and len(made.questions("walks", "recording")) == 300 * len(questions)
    assert (sizes[1] - sizes[0]) / 150 < MOST_FOR_A_PART
