"""Rounds of filtering, rankings, practice and labels, from invitation to figures, without a browser."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from people_bench import items, numbered, people_bench

pytest.importorskip("alembic", reason="the extra review is not installed")

from reviewed_bench import CONTROL, Visitor, begun, review_of
from sqlalchemy import or_, select
from sqlalchemy.orm import aliased
from study_declarations import LABELS, PRACTICE, RANKING, ROUNDS

import chronotope.api as ct
from chronotope.errors import InputError
from chronotope.question import Benchmark, open_benchmark
from chronotope.review.app.review_state import Review
from chronotope.review.store import Assignment, Item, Person, StudyRow, add_answer, add_verdict, answered
from chronotope.review.studies.declaration import checked_study
from chronotope.review.studies.enrolment import enrol
from chronotope.review.studies.giving import Case
from chronotope.review.studies.rounds import continue_rounds
from drawn_benchmarks import write_benchmark


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return people_bench(tmp_path_factory.mktemp("kinds") / "bench", clips=6, each=2)


def opened(bench: Benchmark, tmp_path: Path, *studies: dict[str, Any]) -> Review:
    return review_of(begun(bench, tmp_path / "review", *studies), bench, tmp_path)


def items_of(review: Review, study: str) -> list[tuple[str, str, str, str]]:
    """The stage, target, state and person of everything that was given."""
    with review.database.reading() as session:
        rows = session.execute(
            select(Item.stage, Item.target, Item.state, Person.name)
            .join(Assignment, Assignment.item_id == Item.id)
            .join(Person, Assignment.person_id == Person.id)
            .join(StudyRow, Item.study_id == StudyRow.id)
            .where(StudyRow.name == study)
            .order_by(Item.id)
        )
        return [tuple(row) for row in rows]


def decide_all(review: Review, bench: Benchmark, rejects: Callable[[str, str], bool]) -> None:
    """Decide about all items of the rounds that can be decided, until nothing follows; ``rejects(stage, target)``."""
    database = review.database
    while True:
        with database.reading() as session:
            earlier = aliased(Item)
            waiting = session.execute(
                select(Assignment.id, Item.stage, Item.target, Item.task)
                .join(Item, Assignment.item_id == Item.id)
                .outerjoin(earlier, Item.after_id == earlier.id)
                .where(Assignment.state == "open", or_(Item.after_id.is_(None), earlier.state == "kept"))
            ).all()
        if not waiting:
            return
        for number, stage, target, _ in waiting:
            add_answer(database, number, 1, f"answer {number}", {"reply": "B"}, final=False)
            reject = rejects(stage, target)
            said = {"verdict": "reject" if reject else "accept", "reasons": ["why"] if reject else [], "note": ""}
            add_verdict(database, number, 2, f"verdict {number}", said)
        for task in {row.task for row in waiting}:
            continue_rounds(database, bench, "rounds", (task, ""))


def test_rounds_end_with_an_inspection_by_somebody_else(bench: Benchmark, tmp_path: Path) -> None:
    review = opened(bench, tmp_path, ROUNDS)
    decide_all(review, bench, lambda stage, target: (stage, target) == ("round 1", "clip-2-1"))
    stages = [stage for stage, *_ in items_of(review, "rounds")]
    assert {stage: stages.count(stage) for stage in stages} == {"round 1": 12, "round 2": 12, "inspection 1": 3}
    people: dict[str, list[str]] = {}
    for stage, target, state, person in items_of(review, "rounds"):
        people.setdefault(target, []).append(person)
        assert (state == "open") == ((stage, target) == ("round 2", "clip-2-1"))  # what was rejected goes no further
    assert all(len(set(of)) == len(of) for of in people.values())
    [figures] = ct.study_report(bench, "rounds", record=tmp_path / "review", out=tmp_path / "rounds.html")
    plain = figures.plain()
    assert plain["stages"]["round 1"]["rejected"] == 1
    assert {cell["state"] for cell in plain["cells"].values()} == {"passed"}
    assert plain["reasons"] == {"why": 1}
    assert "Cells: a task in one kind of scene" in (tmp_path / "rounds.html").read_text()
    where = {"record": tmp_path / "review", "filters": tmp_path / "filters"}
    left = open_benchmark(ct.export_study(bench, tmp_path / "out", "rounds", **where))
    assert {one.id for one in bench.questions} - {one.id for one in left.questions} == {"clip-2-1"}


def test_a_cell_whose_sample_fails_goes_through_the_last_round_again(bench: Benchmark, tmp_path: Path) -> None:
    review = opened(bench, tmp_path, ROUNDS)
    decide_all(review, bench, lambda stage, target: stage == "inspection 1" and target.endswith("-0"))
    stages = [stage for stage, *_ in items_of(review, "rounds")]
    # The sample of one task (2 of 6) failed: its other four went through the last round again, and a new sample passed.
    assert (stages.count("inspection 1"), stages.count("again 1"), stages.count("inspection 2")) == (4, 4, 1)
    [figures] = ct.study_report(bench, "rounds", record=tmp_path / "review")
    cells = figures.plain()["cells"]
    assert {(of["left"], of["samples"], of["state"]) for of in cells.values()} == {(4, 2, "passed"), (6, 1, "passed")}


def test_rounds_go_on_by_themselves_when_people_decide(tmp_path: Path) -> None:
    bench = people_bench(tmp_path / "bench", clips=2, each=2)
    review = opened(bench, tmp_path, ROUNDS)
    visitors = [Visitor(review, name) for name in ("ada", "bob", "cleo")]
    while any(visitor.decide_all() for visitor in visitors):
        pass
    stages = [stage for stage, _, state, _ in items_of(review, "rounds") if state == "kept"]
    assert {stage: stages.count(stage) for stage in stages} == {"round 1": 4, "round 2": 4, "inspection 1": 2}


def ranks_form(visitor: Visitor, page: Any, ranks: list[int], fake: list[str]) -> Any:
    data = visitor.forms(page.text) | {"rank": [str(one) for one in ranks], "fake": fake}
    return visitor.client.post(f"{page.url.path}ranks", data=data)


def test_a_ranking_hides_its_sources_and_has_no_ties(bench: Benchmark, tmp_path: Path) -> None:
    review = opened(bench, tmp_path, RANKING)
    dora = Visitor(review, "dora")
    page = dora.next()
    assert not re.search(r"Made|Filmed|\d\.mp4", page.text)
    assert dora.get(f"{page.url.path}clips/A").headers["content-type"] == "video/mp4"
    assert dora.get(f"{page.url.path}clips/clips/0.mp4").status_code == 404
    said = ["A real", "B fake", "C real"]
    assert "no ties" in ranks_form(dora, page, [1, 1, 2, 1, 2, 3], said).text
    assert ranks_form(dora, page, [1, 2, 3, 1, 2], said).status_code == 422
    assert ranks_form(dora, page, [1, 2, 3, 3, 2, 1], ["A real", "B fake", "B real"]).status_code == 422
    assert ranks_form(dora, page, [1, 2, 3, 3, 2, 1], said).url.path != page.url.path
    # The rest by a rule that knows the truth, through the order in which this person sees the sources.
    for name in ("dora", "ed"):
        visitor = Visitor(review, name)
        while "/work/" in (page := visitor.next()).url.path:
            number = int(page.url.path.split("/")[2])
            with review.database.reading() as session:
                order = [int(place) for place in session.get_one(Assignment, number).ask.split(",")]
            ranks = [place + 1 for place in order]
            ranks_form(
                visitor,
                page,
                ranks * 2,
                [f"{'ABC'[at]} {'fake' if not one else 'real'}" for at, one in enumerate(order)],
            )
    [figures] = ct.study_report(bench, "quality", record=tmp_path / "review")
    plain = figures.plain()
    assert (plain["rankings"], plain["given"]) == (4, 4)
    assert sum(of["photorealism"]["mean"] for of in plain["ranks"].values()) == pytest.approx(6)
    assert plain["fake"]["Made"]["by_person"]["ed"] == 2 and plain["fake"]["Old"]["by_person"]["ed"] == 0
    with pytest.raises(InputError, match="rejects nothing"):
        ct.resolve_study(bench, "quality", record=tmp_path / "review", filters=tmp_path / "filters")


def test_practice_comes_first_and_tells_the_right_verdict(bench: Benchmark, tmp_path: Path) -> None:
    review = opened(bench, tmp_path, PRACTICE, CONTROL)
    practised = {target for _, target, *_ in items_of(review, "practice")}
    assert len(practised) == 2
    assert practised.isdisjoint({target for _, target, *_ in items_of(review, "control")})
    ada = Visitor(review, "ada")
    with review.database.reading() as session:
        real = session.scalar(
            select(Assignment.id).join(Item).join(Person, Assignment.person_id == Person.id)
            .where(Person.name == "ada", Item.kind == "clip").limit(1)
        )  # fmt: skip
    assert ada.get(f"/work/{real}/").status_code == 404  # not before the practice
    told: list[str] = []
    for _ in range(2):
        page = ada.next()
        assert "Practice" in page.text and "right answer is" not in page.text
        told.append(" ".join(ada.decide("accept").text.split()))
    assert sum("Right: you accept this, and so it should be." in one for one in told) == 1
    [wrong] = [one for one in told if "Not quite: you accept this, and it should be rejected." in one]
    planted = re.search(r"shown the key <b>(\w)</b>; the right answer is <b>(\w)</b>", wrong)
    assert planted is not None and planted[1] != planted[2] == "B"
    assert ada.get(f"/work/{real}/").status_code == 200
    [figures] = ct.study_report(bench, "practice", record=tmp_path / "review")
    assert figures.plain()["people"]["ada"] == {"given": 2, "done": 2, "right": 1, "missed": 1, "false_alarms": 0}


def test_practice_cannot_begin_after_its_study(bench: Benchmark, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="begin practice before control"):
        opened(bench, tmp_path, CONTROL, PRACTICE)


def test_cases_are_labelled_without_the_judge_s_label(bench: Benchmark, tmp_path: Path) -> None:
    database = begun(bench, tmp_path / "review")
    base = {"reasoning": "It looked far.", "explained": True, "chosen": ["A"], "checks": False}
    cases = [
        Case(
            one.id, one, base | {"reply": "A", "judge": "Other" if number % 2 else "Inaccurate Spatial Quantification"}
        )
        for number, one in enumerate(bench.questions[:4])
    ]
    study = checked_study(LABELS, "test")
    with pytest.raises(InputError, match="chronotope review errors RUN"):
        enrol(database, bench, study)
    enrol(database, bench, study, cases)
    review = review_of(database, bench, tmp_path)
    for name in ("gil", "hana"):
        visitor = Visitor(review, name)
        while "/work/" in (page := visitor.next()).url.path:
            assert "judge" not in page.text and "It looked far." in page.text
            form = visitor.forms(page.text) | {"label": "0", "second": "Other", "note": "n"}
            bad = visitor.client.post(f"{page.url.path}label", data=form | {"label": "2"})
            assert bad.status_code == 422
            assert visitor.client.post(f"{page.url.path}label", data=form).status_code == 200
    [figures] = ct.study_report(bench, "why", record=tmp_path / "review", out=tmp_path / "why.html")
    plain = figures.plain()
    assert plain["people"]["Inaccurate Spatial Quantification"][0] == 1.0
    assert plain["published"] == {"Inaccurate Spatial Quantification": 56.44, "Other": 3.8}
    assert plain["judge_agrees"]["share"][0] == 0.5 and plain["judge_agrees"]["pairs"] == 8
    assert "Figure 7" in (tmp_path / "why.html").read_text()
    json.dumps(plain)


def test_the_time_of_an_item_goes_on_after_a_restart(bench: Benchmark, tmp_path: Path) -> None:
    database = begun(bench, tmp_path / "review", ROUNDS)
    visitor = Visitor(review_of(database, bench, tmp_path), "ada")
    page = visitor.next()
    number = int(page.url.path.split("/")[2])
    cookies = dict(visitor.client.cookies)
    assert "seen" in cookies
    (tmp_path / "later").mkdir()
    later = Visitor(review_of(database, bench, tmp_path / "later"), "ada")  # another server with the same storage
    for name, value in cookies.items():
        later.client.cookies.set(name, value, path=f"/work/{number}/" if name == "seen" else "/")
    time.sleep(1.2)
    again = later.get(page.url.path)
    assert "seen" not in again.cookies  # the time is not set anew
    form = later.forms(again.text) | {"choice": "B"}
    assert later.client.post(f"{page.url.path}answer", data=form).status_code == 200
    with database.reading() as session:
        assert answered(session.get_one(Assignment, number))["seconds"] >= 1.2


def test_a_clip_is_shown_with_its_scenario(tmp_path: Path) -> None:
    made = [replace(one, recordings=(one.cluster,)) for one in items(2, 1)]
    bench = write_benchmark(tmp_path / "bench", made, name="told", frames=40, fps=12.5, picture=numbered)
    place = bench.folder / "recordings" / "clip-0"
    place.mkdir(parents=True)
    told = {"reasoning_goal": "Keep <b>both</b> in mind.", "timeline": {"A_reveal": "The drum holds an orange."}}
    (place / "scenario.json").write_text(json.dumps(told))
    review = opened(bench, tmp_path, CONTROL)
    pages = {}
    for name in ("ada", "bob", "cleo"):
        visitor = Visitor(review, name)
        while "/work/" in (page := visitor.next()).url.path and "good enough" in page.text:
            pages[re.search(r'"path": ?"([^"]+)"', page.text)[1]] = page.text
            visitor.decide()
    assert "The drum holds an orange." in pages["clips/0.mp4"] and "A reveal" in pages["clips/0.mp4"]
    assert "&lt;b&gt;both" in pages["clips/0.mp4"]
    assert "What the clip should show" not in pages["clips/1.mp4"]
