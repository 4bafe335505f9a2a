"""A run stands among published rows if all that the paper fixes is as published; else what differs is named."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from report_bench import Server

import vgenst_released
from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import import_replies, run
from chronotope.families import Family, families, family
from chronotope.make import import_release
from chronotope.methods import find_method
from chronotope.models import Decoding
from chronotope.question import Benchmark
from chronotope.report.compared_runs.opened_runs import compare
from chronotope.report.paper.against_paper import AgainstTable, make_against
from chronotope.report.section import make_sections
from m3_released import row, write_release

BASELINE = "baseline/constant-A"
OF_DECODING = {"temperature", "top_p", "max_tokens"}
OF_METHODS = {"caption_model", "summary_model", "method_version"}


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """A small set in the layout of the released one, imported once: no test changes it."""
    folder = tmp_path_factory.mktemp("ways")
    release = write_release(folder / "release", [row(n, scene="scene_0") for n in range(6)], scenes=("scene_0",))
    return import_release("m3", release, folder / "bench").benchmark


@pytest.fixture
def bench(imported: Benchmark, monkeypatch: pytest.MonkeyPatch) -> Benchmark:
    """A small set that counts as the released one."""
    m3 = family("m3")
    assert m3.paper.reference is not None
    published = m3.paper.reference()
    small = published.model_copy(update={"released": published.released.model_copy(update={"printed_total": 6})})
    monkeypatch.setitem(
        families(), "m3", replace(m3, paper=replace(m3.paper, reference=lambda: small, figures=()))
    )  # no plots: others test them
    return imported


@pytest.fixture
def ask(bench: Benchmark, tmp_path: Path, serve: Callable[[list[tuple[str, int, str]]], Server]) -> Callable[..., Path]:
    """Have a service answer A throughout."""
    server = serve([("What is number", 200, "A")])

    def asked(name: str, decoding: Decoding | None = None, model: str = "endpoint/m", **settings: Any) -> Path:
        m3 = family("m3")
        of = (m3.RunSettings(**settings), Selection(), tmp_path / name)
        url = server.url if model.startswith("endpoint/") else None
        return run(bench, m3, model, decoding or Decoding(), *of, base_url=url, check=False).folder

    return asked


def tables(folder: Path) -> dict[str, AgainstTable]:
    [against], _ = make_against(make_sections(compare([folder])))
    return {table.source: table for table in against.tables}


def reasons(folder: Path) -> list[str]:
    """Why a run is apart in Table 2; empty where it is among the rows."""
    return why(tables(folder)["Table 2"])


def why(table: AgainstTable) -> list[str]:
    """Why the run is apart in a table."""
    own = [one for one in (*table.rows, *table.apart) if one.own is not None]
    assert len(own) == 1 and (own[0].rank is None) == bool(own[0].why)
    return list(own[0].why)


def test_a_run_whose_words_lost_their_places_is_no_published_row(ask: Callable[..., Path]) -> None:
    """What `--allow-lost-order` lets go on, as the check leaves it in the card."""
    folder = ask("flat")
    assert reasons(folder) == []
    card = yaml.safe_load((folder / "run.yaml").read_text())
    card["check"] = {"kind": "pictures", "passed": True, "right": {"first": True}, "order_kept": False}
    (folder / "run.yaml").write_text(yaml.safe_dump(card))
    [reason] = reasons(folder)
    assert "not the prompts of the authors" in reason


def test_what_the_trial_asked_otherwise_is_named(ask: Callable[..., Path]) -> None:
    folder = ask("odd", Decoding(temperature=1.3, extra={"repetition_penalty": 1.2}), rate=0.5, size="native")
    found = tables(folder)
    assert (
        why(found["Table 2"])
        == why(found["Table 3"])
        == [
            "--rate is 0.5 (as published: 2 or 1)",
            "--temperature is 1.3 (as published: 0)",
            "--set repetition_penalty is 1.2 (as published: not given)",
        ]
    )
    assert reasons(ask("joined", model=BASELINE, videos="joined")) == ["--videos is joined (as published: separate)"]
    assert reasons(ask("clips", model=BASELINE, clips="video")) == ["--clips is video (as published: frames)"]


@pytest.mark.parametrize(
    ("settings", "decoding"),
    [
        ({}, Decoding()),
        ({"frames": 200}, Decoding(max_tokens=64, extra={"seed": 3})),  # of which M3-Verse says nothing
        ({"frames": 60}, Decoding()),
        ({"frames": 60, "size": "336x448"}, Decoding()),
        ({"rate": 2, "size": "native"}, Decoding()),
        ({"size": "native"}, Decoding(extra={"temperature": None, "reasoning_effort": "low"})),
    ],
)
def test_every_way_of_the_paper_is_among_its_rows(ask: Callable[..., Path], settings: Any, decoding: Decoding) -> None:
    assert reasons(ask("run", decoding, **settings)) == []


def test_ways_are_not_mixed(ask: Callable[..., Path]) -> None:
    """60 frames were never shown as large as they are, nor 200 at 336 by 448."""
    assert reasons(ask("large", frames=60, size="native")) == ["--size is native (as published: 448x448 or 336x448)"]
    assert len(reasons(ask("wide", size="336x448"))) == 1


def test_a_blind_run_stands_among_the_blind_rows(ask: Callable[..., Path]) -> None:
    found = tables(ask("blind", input="blind"))
    table = found["Table 2"]
    [own] = [one for one in table.rows if one.own is not None]
    assert own.rank is not None and own.group == "vision-blind" and table.apart == ()
    assert [one.name for one in table.rows if one.group == "vision-blind" and one.own is None] != []
    assert why(found["Table 3"]) == ["--input is blind (as published: full)"]  # which has no such rows
    assert reasons(ask("warm", Decoding(temperature=0.7), input="blind")) == ["--temperature is 0.7 (as published: 0)"]


def test_a_file_of_blind_replies_stands_there_too(bench: Benchmark, tmp_path: Path) -> None:
    m3, file = family("m3"), tmp_path / "replies.jsonl"
    file.write_text("".join(json.dumps({"id": one.id, "reply": "A"}) + "\n" for one in bench.questions))
    import_replies(bench, m3, file, tmp_path / "scored", m3.RunSettings(input="blind"), "replies")
    found = tables(tmp_path / "scored")
    assert why(found["Table 2"]) == []
    assert why(found["Table 3"]) == ["--input is blind (as published: full)"]


def test_a_baseline_draws_nothing(ask: Callable[..., Path]) -> None:
    assert reasons(ask("baseline", Decoding(temperature=0.7), BASELINE)) == []


def test_a_run_of_an_older_protocol_is_named(ask: Callable[..., Path]) -> None:
    folder = ask("old")
    card = yaml.safe_load((folder / "run.yaml").read_text())
    card["protocol"]["version"] = 1
    (folder / "run.yaml").write_text(yaml.safe_dump(card))
    assert reasons(folder) == ["the protocol's version is 1 (as published: 2)"]


def test_where_no_rows_are_published_what_differs_is_told_all_the_same(tmp_path: Path) -> None:
    vgenst = family("vgenst")
    release = vgenst_released.write_release(tmp_path / "release", [vgenst_released.row()], show="frames")
    bench = import_release("vgenst", release, tmp_path / "bench").benchmark
    told: list[list[str]] = []
    for name, settings in (("own", {"frames": 4}), ("code", {"prompt": "code"})):
        of = (vgenst.RunSettings(**settings), Selection(), tmp_path / name)
        folder = run(bench, vgenst, BASELINE, Decoding(), *of, check=False).folder
        told.append([words for words in make_against(make_sections(compare([folder])))[1] if "authors" in words])
    assert told == [
        [
            f"{BASELINE} was not asked in the authors' way: --prompt is own (as published: code); --frames is 4 (as "
            "published: released)"
        ],
        [],
    ]


@pytest.mark.parametrize("one", families().values(), ids=lambda one: one.name)
def test_every_family_lists_what_is_fixed_by_the_names_of_settings(one: Family) -> None:
    assert one.paper.reference is not None
    ways = one.paper.reference().ways
    names = set(one.RunSettings.model_fields) | OF_DECODING | {"version"}
    assert ways
    for way in ways:
        assert set(way.fixed) <= names | (
            set() if way.method is None else OF_METHODS | set(find_method(way.method).Settings.model_fields)
        )
        assert one.protocol.version in way.fixed["version"]
        for name, values in way.fixed.items():
            if name in one.RunSettings.model_fields:  # each value is one that a run may have
                assert all(one.RunSettings.model_validate({name: value}) for value in values if value is not None)
    groups = {row.group for table in one.paper.reference().tables for row in table.rows}
    assert {way.group for way in ways} <= {None, *groups}
