"""Very large benchmarks: with their items packed, all files and scores are those of a run with items in memory."""

import pickle
import tracemalloc
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import pytest
from evaluate_asking import ask

from chronotope.evaluate.plan import Selection, Shard
from chronotope.evaluate.run import merge_runs
from chronotope.evaluate.score import open_run, score_run
from chronotope.families import Family
from chronotope.families import family as find_family
from chronotope.io import packed
from chronotope.io.packed import ByKey, Keys, PackedDict, PackedList, by_key, group, select
from chronotope.models import FunctionModel
from chronotope.protocol import Scored
from chronotope.question import Benchmark, Option, Question, open_benchmark

LETTERS = FunctionModel(lambda asked: "ABCD"[len(asked.text) % 4], name="function/letters", version="1")


@dataclass(frozen=True, slots=True)
class _Item:
    name: str
    values: tuple[int, ...] = ()


@pytest.fixture(params=(2, 500, 10_000))
def most(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Keep so many items as they are."""
    monkeypatch.setattr(packed, "KEPT", request.param)
    monkeypatch.setattr(packed, "PAGE", 2 if request.param == 2 else 8)
    return request.param


def test_a_list_behaves_like_a_list(most: int) -> None:
    items = [_Item(str(number), (number, -number)) for number in range(701)]
    made = PackedList(items[:5])
    for item in items[5:]:
        made.append(item)
    assert made.is_packed == (most < 701)
    assert made == items and items == made and tuple(items) == made and made != items[1:]
    assert len(made) == 701 and list(made) == items and list(reversed(made)) == items[::-1]
    assert [made[n] for n in (0, -1, 700, 63, 64, -701)] == [items[n] for n in (0, -1, 700, 63, 64, 0)]
    assert made[2:5] == items[2:5] and list(made.ended()[2:5]) == items[2:5] and made[::300] == items[::300]
    assert pickle.loads(pickle.dumps(made)) == items
    assert items[3] in made and _Item("none") not in made
    assert isinstance(made.ended(), tuple) == (most > 701)
    for missing in (701, -702):
        with pytest.raises(IndexError):
            made[missing]


def test_some_items_can_be_selected_twice(most: int) -> None:
    items = [_Item(str(number)) for number in range(701)]
    odd = select(PackedList(items), lambda item: int(item.name) % 2 == 1)
    assert odd == items[1::2] and len(odd) == 350 and odd[-1] == items[699]
    last = select(odd, lambda item: item.name.endswith("9"))
    assert last == items[9::10] and last[1:3] == items[19:30:10]
    assert pickle.loads(pickle.dumps(last)) == items[9::10]
    found = by_key(last, attrgetter("name"))
    assert isinstance(found, ByKey) == (most < 701)
    assert found == {item.name: item for item in items[9::10]} and found["19"] == items[19]
    assert list(found.items())[1] == ("19", items[19]) and list(found.values()) == items[9::10]
    assert "18" not in found and found.get("18") is None and pickle.loads(pickle.dumps(found)) == found
    with pytest.raises(KeyError):
        found["18"]


def test_items_are_grouped_in_order(most: int) -> None:
    items = [_Item(str(number)) for number in range(701)]
    found = group(PackedList(items), lambda item: item.name[-1])
    assert found == {end: items[int(end) :: 10] for end in "0123456789"} and list(found) == list("0123456789")
    assert isinstance(found["3"], list) == (most > 701) and found["3"][2:4] == items[23:34:10]
    again = group(found["3"], lambda item: len(item.name))
    assert again == {1: items[3:4], 2: items[13:94:10], 3: items[103::10]}
    assert group(PackedList[_Item](), attrgetter("name")) == {}


def test_a_mapping_behaves_like_a_dict(most: int) -> None:
    plain = {f"key {number}": _Item(str(number)) for number in range(700)}
    made = PackedDict(plain.items())
    assert made == plain and dict(made) == plain and list(made) == list(plain)
    for mapping in (plain, made):
        mapping["key 5"] = _Item("other")  # keeps its place
        mapping["ünïcode ⟨"] = _Item("new")
        mapping["\ud800"] = _Item("half a character")
    assert list(made.items()) == list(plain.items()) and list(made.values()) == list(plain.values())
    assert len(made) == len(plain) and made.get("none") is None and "key 5" in made and "none" not in made
    assert {"key 1", "none"} & made.keys() == {"key 1"} and pickle.loads(pickle.dumps(made)) == plain
    with pytest.raises(KeyError):
        made["none"]


def test_keys_are_numbered_in_order() -> None:
    keys, plain = Keys(), dict[str, int]()
    for number in range(2000):
        key = f"{number * 7 % 1500}"
        assert keys.add(key) == (key not in plain)
        plain.setdefault(key, len(plain))
    assert len(keys) == 1500 and {key: keys.number(key) for key in plain} == plain
    assert keys.number("1500") is None and "1500" not in keys and "3" in keys and 3 not in keys
    assert Keys(["a", b"b"]).number("b") == 1


@pytest.mark.parametrize("first", [3, 21, 600])  # not packed yet, packed with some items behind the last page, packed
def test_items_may_be_added_while_others_are_read(monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    monkeypatch.setattr(packed, "KEPT", 10 if first < 600 else 200)
    made = PackedList(range(first))
    seen: list[int] = []
    for number in made:
        seen.append(number)
        if number < 300:
            made.append(number + first)
    assert seen == list(range(300 + first))


def test_packed_items_are_no_links_to_the_first_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "KEPT", 0)
    monkeypatch.setattr(packed, "PAGE", 1)
    first = {"a": [1]}
    made = PackedList([first])
    first["a"].append(2)
    assert made[0] == {"a": [1]}


@pytest.mark.parametrize(
    ("name", "tasks", "strategies"),
    [
        ("sti", ("Speed & Acceleration", "Pose Estimation"), ("direct",)),
        ("ikea", ("T1", "D1"), ("visual", "text")),
        ("m3", ("Object Counting", "Attribute Recognition"), ("direct",)),
        ("vgenst", ("EM", "AM"), ("direct",)),
    ],
)
def test_tables_and_statements_of_a_paper_are_made_with_few_questions_in_memory(
    name: str, tasks: tuple[str, ...], strategies: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed, "KEPT", 100)
    monkeypatch.setattr(packed, "_READ", 2)
    places = [(number, strategy) for number in range(500) for strategy in strategies]
    items = [
        Scored(
            Question(
                id=f"q-{number}", family=name, task=tasks[number % 2], cluster=f"clip-{number % 50}", stem="How fast?",
                options=tuple(Option(f"{number + step} m") for step in range(4)), answer=(number % 4,),
                tags={"scene": ("Indoor" if number % 3 else "Outdoor",)},
            ),
            {"strict": (right := float(number % 5 == 0)), "vanilla": right, "covered": 1.0}, 0.25, strategy,
        )
        for number, strategy in places
    ]  # fmt: skip
    family, scored = find_family(name), PackedList(items)
    works = [family.protocol.tables, *filter(None, [family.paper.statements])]
    expected = [work(items) for work in works]
    for work, made in zip(works, expected, strict=True):
        tracemalloc.start()
        try:
            found, most = work(scored), tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert scored.is_packed and made and found == made
        assert most < 700 * len(items)  # bytes; a question needs 1,500 or more


def test_a_packed_run_is_the_run_in_memory(
    bench: Benchmark, tiny: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked in parts, continued, merged, opened and scored."""
    told: list[object] = []
    for most in (10**6, 3):
        monkeypatch.setattr(packed, "KEPT", most)
        monkeypatch.setattr(packed, "PAGE", 2)
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
        assert isinstance(again.questions, PackedList) == (most == 3)
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
