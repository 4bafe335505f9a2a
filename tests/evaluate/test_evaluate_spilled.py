"""Very large benchmarks: with their items in temporary files, all files and scores are those of a run in memory."""

import pickle
from dataclasses import dataclass
from pathlib import Path

import pytest
from evaluate_asking import ask

from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection, Shard
from chronotope.evaluate.run import merge_runs
from chronotope.evaluate.score import open_run, score_run
from chronotope.families import Family
from chronotope.io import spilled
from chronotope.io.spilled import SpilledDict, SpilledList
from chronotope.models import FunctionModel
from chronotope.question import Benchmark, open_benchmark

LETTERS = FunctionModel(lambda asked: "ABCD"[len(asked.text) % 4], name="function/letters", version="1")


@dataclass(frozen=True, slots=True)
class _Item:
    name: str
    values: tuple[int, ...] = ()


@pytest.fixture(params=(2, 10_000))
def most(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Keep so many items in memory."""
    monkeypatch.setattr(spilled, "KEPT", request.param)
    return request.param


def test_a_list_behaves_like_a_list(most: int) -> None:
    items = [_Item(str(number), (number, -number)) for number in range(700)]
    made = SpilledList(items[:5])
    for item in items[5:]:
        made.append(item)
    assert made == items and items == made and tuple(items) == made and made != items[1:]
    assert len(made) == 700 and list(made) == items and list(reversed(made)) == items[::-1]
    assert (made[0], made[-1], made[699]) == (items[0], items[-1], items[699])
    assert made[2:5] == items[2:5] and made.ended()[2:5] == tuple(items[2:5]) and made[::300] == items[::300]
    assert pickle.loads(pickle.dumps(made)) == items
    assert items[3] in made and _Item("none") not in made
    assert isinstance(made.ended(), tuple) == (most > 700)
    for missing in (700, -701):
        with pytest.raises(IndexError):
            made[missing]


def test_a_mapping_behaves_like_a_dict(most: int) -> None:
    plain = {f"key {number}": _Item(str(number)) for number in range(700)}
    made = SpilledDict(plain.items())
    assert made == plain and dict(made) == plain and list(made) == list(plain)
    for mapping in (plain, made):
        mapping["key 5"] = _Item("other")  # keeps its place
        del mapping["key 600"]
        mapping["key 600"] = _Item("at the end")
        mapping["ünïcode ⟨"] = _Item("new")
    assert list(made.items()) == list(plain.items()) and list(made.values()) == list(plain.values())
    assert len(made) == len(plain) and made.get("none") is None and "key 5" in made and "none" not in made
    assert {"key 1", "none"} & made.keys() == {"key 1"} and pickle.loads(pickle.dumps(made)) == plain
    with pytest.raises(KeyError):
        made["none"]
    with pytest.raises(KeyError):
        del made["none"]


def test_items_may_be_added_while_others_are_read(most: int) -> None:
    made = SpilledList(range(600))
    seen: list[int] = []
    for number in made:
        seen.append(number)
        if number < 300:
            made.append(number + 600)
    assert seen == list(range(900))


def test_a_full_disk_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spilled, "KEPT", 2)
    made = SpilledList(range(3))
    table = made._table
    assert table is not None
    table.do("PRAGMA max_page_count=20")
    with pytest.raises(InputError, match=r"temporary files .*full.*TMPDIR"):
        for _ in range(100):
            made.append(b"x" * 4096)


def test_spilled_items_are_no_links_to_the_first_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spilled, "KEPT", 0)
    first = {"a": [1]}
    made = SpilledList([first])
    first["a"].append(2)
    assert made[0] == {"a": [1]}


def test_a_spilled_run_is_the_run_in_memory(
    bench: Benchmark, tiny: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked in parts, continued, merged, opened and scored."""
    told: list[object] = []
    for most in (10**6, 3):
        monkeypatch.setattr(spilled, "KEPT", most)
        again, folder = open_benchmark(bench.folder), tmp_path / f"{most}"
        parts = [folder / "part-1", folder / "part-2"]
        for number, part in enumerate(parts, 1):
            ask(again, tiny, LETTERS, part, selection=Selection(shard=Shard(number, 2)))
        merge_runs(parts, folder / "merged")
        ask(again, tiny, LETTERS, folder / "run", selection=Selection(limit=7))
        outcome = ask(again, tiny, LETTERS, folder / "run")
        assert (outcome.already, outcome.asked) == (7, 17)
        assert ask(again, tiny, LETTERS, folder / "run").asked == 0
        opened = [open_run(folder / name) for name in ("run", "merged")]
        scores = [score_run(one) for one in opened]
        assert isinstance(again.questions, SpilledList) == (most == 3)
        told.append(
            (
                again.questions,
                again.card,
                [
                    [(of.ask, of.question, of.line and of.line.reply, of.reading) for of in one.answered]
                    for one in opened
                ],
                scores,
                (folder / "run" / "asks.parquet").read_bytes(),
                (folder / "merged" / "asks.parquet").read_bytes(),
            )
        )
    assert told[0] == told[1]
