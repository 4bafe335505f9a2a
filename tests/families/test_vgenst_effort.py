"""The effort of agents, counted from the files of a drafting job; and which questions of our own tell something."""

from pathlib import Path

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.families.vgenst.agents import effort_tables
from chronotope.families.vgenst.agents.records import FOLDERS, LEDGER, SETTINGS, Draft
from chronotope.families.vgenst.protocol.means import valued
from chronotope.families.vgenst.protocol.tables import _informative
from chronotope.families.vgenst.tasks import CONSTANT, ROLE_CONSTANT, flag_of
from chronotope.families.vgenst.write import questions_of
from chronotope.io import write_json, write_yaml
from chronotope.ledger import Ledger, LedgerLine
from chronotope.world.kinds.stage.graph import TASKS, draw_graph

ITEM, OTHER = "HO--ho--red-barn", "MC--mc--picnic"


def keep(folder: Path, stage: str, item: str, validated: bool, tried: list[list[str]], part: str = "") -> None:
    role = {"graph": "scene_graph_generator", "questions": "qa_generator"}[stage]
    draft = Draft(
        stage=stage, item=item, task=item[:2], theme="t", theme_id="t", part=part, validated=validated,
        value={} if validated else None, tried=tried, models={role: "m"} if tried else {},
    )  # fmt: skip
    write_json(folder / FOLDERS[stage] / f"{item}{part}.json", draft.model_dump(mode="json"))


@pytest.fixture
def drafts(tmp_path: Path) -> Path:
    write_yaml(tmp_path / SETTINGS, {"schema": 1})
    for name in FOLDERS.values():
        (tmp_path / name).mkdir()
    keep(tmp_path, "graph", ITEM, True, [[]])
    keep(tmp_path, "graph", OTHER, False, [["ALL.R4", "MC.R1"], ["ALL.R4"], ["ALL.R4"]])
    keep(tmp_path, "graph", "QC--qc--by-code", True, [])
    keep(tmp_path, "questions", ITEM, True, [["Q.1"], []], "L1-OE")
    asks = [(f"{ITEM}--graph--write 1", 0.5), (f"{OTHER}--graph--validate 2", 0.25), (f"{ITEM}--L1-OE--write 2", 0.75)]
    with Ledger.open(tmp_path / LEDGER) as ledger:
        for number, (ask, money) in enumerate(asks):
            ledger.append(LedgerLine(key=str(number), ask=ask, state="replied", reply="x", money=money,
                                     input_tokens=100, output_tokens=10))  # fmt: skip
    return tmp_path


def test_passes_violations_and_costs_are_counted_from_the_files(drafts: Path) -> None:
    passes, violations, costs = effort_tables(drafts)
    assert {row[0]: row[1:] for row in passes.rows} == {
        "scene_graph_generator": (2, 1, 50.0, 2.0, 1),
        "qa_generator": (1, 0, 0.0, 2.0, 0),
    }
    assert violations.rows == (("ALL.R4", 3), ("MC.R1", 1), ("Q.1", 1))
    assert costs.rows == (
        ("graph", 2, 200, 20, 0.75, 0.25),
        ("questions", 1, 100, 10, 0.75, 0.25),
        ("all", 3, 300, 30, 1.5, 0.5),
    )
    assert all(len(row) == len(table.columns) for table in (passes, violations, costs) for row in table.rows)


def test_a_folder_without_drafts_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="name a folder with drafts"):
        effort_tables(tmp_path)


def test_all_strict_questions_of_ours_are_informative_and_published_ones_by_their_cell() -> None:
    generator, flagged = np.random.default_rng(1), {}
    for task in TASKS:
        for design, profile in (("paper", "paper"), ("strict", "extended")):
            graph = draw_graph(generator, task, 1, profile=profile)
            for question in questions_of(graph, f"{task}-1", 1, design).questions:
                flagged.setdefault(design, []).append(question)
    assert {flag_of(question) for question in flagged["strict"]} == {""}
    for question in flagged["paper"]:
        cell = question.task, question.tags["type"][0]
        assert (flag_of(question) == "constant") == (cell in CONSTANT)
        assert (flag_of(question) == "role_constant") == (cell in ROLE_CONSTANT)
    rows = {
        design: {row[0]: row for row in _informative([valued(q, 1.0) for q in of], "way", "words").rows}
        for design, of in flagged.items()
    }
    assert rows["strict"]["all cells"][1:] == rows["strict"]["informative cells"][1:]
    assert rows["paper"]["informative cells"][2] == 98 - 25
    assert rows["paper"]["answer always the same"][2] == 15 and rows["paper"]["answer always of one role"][2] == 10
    assert rows["strict"]["answer always the same"][1:3] == (0, 0)
