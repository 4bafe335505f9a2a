"""The pages of a review, without a browser: whole studies, what each role sees, and what strangers get."""

import json
import re
from pathlib import Path

import pytest
import yaml
from people_bench import SCRIPT, people_bench

pytest.importorskip("alembic", reason="the extra review is not installed")

from reviewed_bench import BASELINE, CONTROL, URL, Visitor, begun, review_of
from sqlalchemy import select

import chronotope.api as ct
from chronotope.errors import InputError
from chronotope.evaluate.score import open_run, score_run
from chronotope.ledger import read_ledger
from chronotope.question import Benchmark, open_benchmark
from chronotope.review.app.review_app import review_app
from chronotope.review.app.review_state import Review
from chronotope.review.app.safety import COOKIE, Attempts, Tokens
from chronotope.review.filters import read_records
from chronotope.review.store import Assignment, Item, Person, open_database
from commands import command


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return people_bench(tmp_path_factory.mktemp("reviewed") / "bench")


@pytest.fixture
def review(bench: Benchmark, tmp_path: Path) -> Review:
    return review_of(begun(bench, tmp_path / "review", CONTROL, BASELINE), bench, tmp_path)


def assigned(review: Review, name: str, kind: str = "clip") -> list[int]:
    with review.database.reading() as session:
        of = select(Assignment.id).join(Item).join(Person, Assignment.person_id == Person.id)
        return list(session.scalars(of.where(Person.name == name, Item.kind == kind)))


def test_quality_control_from_invitation_to_export(review: Review, bench: Benchmark, tmp_path: Path) -> None:
    ada, bob, cleo, judy = (Visitor(review, name) for name in ("ada", "bob", "cleo", "judy"))
    where = {"record": tmp_path / "review", "filters": tmp_path / "filters"}
    assert "nothing to do" not in ada.get("/").text
    # Each clip has two reviewers; ada rejects the first one that she gets, its other reviewer accepts it.
    assert ada.decide("reject", reason=["0"], note="flickers").status_code == 200
    for visitor in (ada, bob, cleo):
        visitor.decide_all()
    with pytest.raises(InputError, match="1 splits"):
        ct.export_study(bench, tmp_path / "out", "control", **where)
    splits = judy.get("/splits").text
    assert splits.count("<b>open</b>") == 1
    link = re.search(r'href="(/splits/\d+/)"', splits)[1]
    page = judy.get(link).text
    assert "flickers" in page and "broken" in page
    assert re.search(r"\bada\b", page) is None  # the adjudicator does not know who said what
    form = judy.forms(page) | {"verdict": "reject", "note": "with jack"}
    assert judy.client.post(f"{link}settle", data=form).status_code == 200
    for visitor in (ada, bob, cleo):
        visitor.decide_all()
    written = ct.export_study(bench, tmp_path / "out", "control", **where)
    left = open_benchmark(written)
    rejected = [json.loads(line) for line in (written / "rejected.jsonl").read_text().splitlines()]
    assert len(left.questions) == 4
    assert {one["question"] for one in rejected} == {q.id for q in bench.questions} - {q.id for q in left.questions}
    assert {(one["pass"], one["by"], one["reason"]) for one in rejected} == {
        ("clip-review", "person:ada", "broken; flickers")
    }
    settled = {"by": "judy", "verdict": "reject", "note": "with jack"}
    assert [(one["state"], one["settled"]) for one in rejected] == [("dropped", settled)] * 2
    lines = [json.loads(line) for line in (written / "reviews.jsonl").read_text().splitlines()]
    assert [one["settled"] for one in lines if one["stage"] == "clips" and one["settled"]] == [settled]
    said = [of for one in lines if one["stage"] == "questions" for of in one["reviews"]]
    assert {(of["answer"], of["as_key"], of["verdict"]) for of in said} == {("B", True, "accept")}
    assert not (written / "undecided.jsonl").exists()
    assert len(open_benchmark(bench.folder).questions) == 6  # the original is as it was
    records = {(one.name, one.model) for one in read_records(tmp_path / "filters", bench)}
    assert ("clip-adjudication", "person:judy") in records
    assert {name for name, _ in records} == {"clip-review", "clip-adjudication", "question-review"}
    clips, questions = ct.study_report(bench, "control", record=tmp_path / "review", out=tmp_path / "report.html")
    assert (clips.overall.items, clips.overall.split, clips.overall.both_accept) == (3, 1, 2)
    assert (questions.overall.items, questions.overall.retention) == (4, 1.0)
    assert clips.reasons == {"broken": 1}
    assert "<script" not in (tmp_path / "report.html").read_text()


def test_an_adjudicator_can_keep_what_one_rejected(review: Review, bench: Benchmark, tmp_path: Path) -> None:
    ada, bob, cleo, judy = (Visitor(review, name) for name in ("ada", "bob", "cleo", "judy"))
    ada.decide("reject", reason=["1"])
    for visitor in (ada, bob, cleo):
        visitor.decide_all()
    link = re.search(r'href="(/splits/\d+/)"', judy.get("/splits").text)[1]
    judy.client.post(f"{link}settle", data=judy.forms(judy.get(link).text) | {"verdict": "accept"})
    for visitor in (ada, bob, cleo):
        visitor.decide_all()
    found = ct.resolve_study(bench, "control", record=tmp_path / "review", filters=tmp_path / "filters")
    assert (len(found.view.questions), found.view.dropped, found.splits, found.waiting) == (6, {}, 0, 0)
    assert found.view.open == {}


def test_the_key_is_hidden_until_the_question_is_answered(review: Review) -> None:
    visitors = [Visitor(review, name) for name in ("ada", "bob", "cleo")]
    for visitor in visitors:
        for _ in assigned(review, visitor.get("/").text.split('quiet">')[1].split(",")[0]):
            visitor.decide()
    ada = visitors[0]
    page = ada.next()
    assert "/answer" in page.text
    assert "key is" not in page.text and "truth" not in page.text and "secret" not in page.text
    assert SCRIPT not in page.text
    told = ada.client.post(f"{page.url.path}answer", data=ada.forms(page.text) | {"choice": "A"})
    assert "You answered <b>A</b>; the key is <b>B</b>" in " ".join(told.text.split())
    assert "the key is wrong" in told.text  # a reason


def test_a_human_baseline_is_a_run(review: Review, bench: Benchmark, tmp_path: Path) -> None:
    dora, ed = Visitor(review, "dora"), Visitor(review, "ed")
    for _ in range(3):
        assert "key is" not in dora.decide(choice="C").text
    with pytest.raises(InputError, match=r"21 of 24 answers are missing"):
        ct.export_study(bench, tmp_path / "run", "people", record=tmp_path / "review")
    ct.export_study(bench, tmp_path / "run", "people", record=tmp_path / "review", partial=True)
    for visitor in (dora, ed):
        while "/work/" in visitor.next().url.path:
            page = visitor.next().text
            right = re.search(r'name="choice" value="(\w)"[^>]*>(?:(?!</button>).)*\.25 m', page, re.DOTALL)[1]
            assert visitor.decide(choice=right).status_code == 200
    assert ct.export_study(bench, tmp_path / "run", "people", record=tmp_path / "review") == tmp_path / "run"
    results = open_run(tmp_path / "run")
    scores = score_run(results)
    assert results.card.model == "human/people"
    assert scores.states == {"replied": 24}
    assert scores.circular.value >= 0.5
    by = {line.ask.partition("#")[0]: line.extra["asked"] for line in read_ledger(tmp_path / "run" / "ledger.jsonl")}
    clips = {(ask.rpartition("-")[0], person) for ask, person in by.items()}
    assert len(clips) == 3  # each clip has one person
    assert {person for _, person in clips} == {"person:dora", "person:ed"}


def test_nobody_sees_what_is_not_assigned(review: Review) -> None:
    ada, bob = Visitor(review, "ada"), Visitor(review, "bob")
    others = [number for number in assigned(review, "bob") if number not in assigned(review, "ada")]
    page = ada.next()
    own = int(page.url.path.split("/")[2])
    clip = re.search(r'"address": ?"(clips/[^"]+)"', page.text)[1]
    assert ada.get(f"/work/{own}/{clip}").status_code == 200
    for number in (*others, *assigned(review, "ada", "question"), 10**9):  # questions wait for their clips
        assert ada.get(f"/work/{number}/").status_code == 404
        assert ada.get(f"/work/{number}/{clip}").status_code == 404
        form = ada.forms(page.text) | {"verdict": "accept"}
        assert ada.client.post(f"/work/{number}/verdict", data=form).status_code == 404
    for path in ("/splits", "/splits/1/", "/studies/control"):
        assert ada.get(path).status_code == 404, path
    assert Visitor(review, "judy").get("/studies/control").status_code == 404
    assert bob.get(f"/work/{others[0]}/").status_code == 200
    assert ada.client.post("/people/1/renew", data=ada.forms(page.text)).status_code == 404


def test_a_verdict_of_one_reviewer_is_not_on_the_page_of_another(review: Review) -> None:
    ada = Visitor(review, "ada")
    number = int(ada.next().url.path.split("/")[2])
    ada.decide("reject", reason=["0"], note="a telling note")
    with review.database.reading() as session:
        item = session.get_one(Assignment, number).item_id
        other = session.scalars(select(Assignment).where(Assignment.item_id == item, Assignment.id != number)).one()
        name, theirs = other.person.name, other.id
    page = Visitor(review, name).get(f"/work/{theirs}/").text
    assert "telling" not in page and re.search(r"\bada\b", page) is None


def test_tokens_that_are_not_invitations_let_nobody_in(review: Review) -> None:
    visitor = Visitor(review)
    good = visitor.invitation("owner").rpartition("/")[2]
    value = {"person": 1, "invitation": 1}
    wrong = {
        "forged": good[:-2] + ("A" if good[-2] != "A" else "B") + good[-1],
        "another person's": review.tokens.sign("invitation", value | {"person": 99}),
        "an older one": review.tokens.sign("invitation", value | {"invitation": 0}),
        "session": review.tokens.sign("session", value),
        "form": review.tokens.form("1"),
        "empty": "x",
        "other secret": Tokens(b"x" * 32).sign("invitation", value),
    }
    for kind, token in wrong.items():
        assert visitor.get(f"/join/{token}").status_code == 403, kind
        assert visitor.get("/").status_code == 403, kind
    review.days = -1
    assert visitor.get(f"/join/{good}").status_code == 403  # expired
    review.days = 1
    assert visitor.get(f"/join/{good}").status_code == 200


def test_swapped_cookies_and_old_sessions_let_nobody_in(review: Review) -> None:
    owner, ada = Visitor(review, "owner"), Visitor(review, "ada")
    invitation = ada.invitation("ada")
    ada.client.cookies.clear()
    ada.client.cookies.set(COOKIE, invitation.rpartition("/")[2])  # an invitation is not a session
    assert ada.get("/").status_code == 403
    ada = Visitor(review, "ada")
    page = owner.get("/studies/control").text
    number = re.search(r'action="(/people/\d+/renew)">(?:<input[^>]*>)*<button[^>]*renew the invitation of ada"', page)[
        1
    ]
    assert owner.client.post(number, data=owner.forms(page)).status_code == 200
    assert ada.get("/").status_code == 403  # the session ended with the old invitation
    assert Visitor(review).get(invitation).status_code == 403
    assert Visitor(review, "ada").get("/").status_code == 200


def test_guessing_is_limited(bench: Benchmark, review: Review) -> None:
    now = [0.0]
    review.attempts = Attempts(most=3, seconds=60, clock=lambda: now[0])
    visitor = Visitor(review)
    good = visitor.invitation("ada")
    codes = [visitor.get(f"/join/guess-{number}").status_code for number in range(5)]
    assert codes == [403, 403, 403, 429, 429]
    assert visitor.get(good).status_code == 429  # not even a good one tells whether it is good
    now[0] = 61.0
    assert visitor.get(good).status_code == 200


def test_forms_of_other_sites_and_other_people_store_nothing(review: Review) -> None:
    ada, bob = Visitor(review, "ada"), Visitor(review, "bob")
    page = ada.next()
    form = ada.forms(page.text) | {"verdict": "accept"}
    target = f"{page.url.path}verdict"
    for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        assert ada.client.post(target, data=form, headers=headers).status_code == 403
    theirs = bob.forms(bob.next().text)["token"]
    for token in (theirs, "", review.tokens.sign("session", "3")):
        assert ada.client.post(target, data=form | {"token": token}).status_code == 403
    assert ada.get("/", headers={"Host": "evil.example"}).status_code == 403
    assert "0 of" in ada.get("/").text


def test_texts_of_people_never_become_markup(review: Review) -> None:
    ada, bob, cleo, owner = (Visitor(review, name) for name in ("ada", "bob", "cleo", "owner"))
    ada.decide("reject", reason=["0"], note=f'{SCRIPT}"><img src=x onerror=1>')
    for visitor in (ada, bob, cleo):
        visitor.decide_all()
    link = re.search(r'href="(/splits/\d+/)"', owner.get("/splits").text)[1]
    page = owner.get(link).text
    assert SCRIPT not in page and "<img src=x" not in page
    assert "&lt;script&gt;" in page


def test_two_tabs_and_a_page_that_is_loaded_again(review: Review) -> None:
    ada = Visitor(review, "ada")
    first, second = ada.next(), ada.next()
    target = f"{first.url.path}verdict"
    one = ada.forms(first.text) | {"verdict": "reject", "reason": ["0"]}
    other = ada.forms(second.text) | {"verdict": "accept"}
    assert ada.client.post(target, data=one).status_code == 200
    assert ada.client.post(target, data=one).status_code == 200  # sent again, as after a lost connection
    stale = ada.client.post(target, data=other)
    assert stale.status_code == 409 and "Nothing was stored" in stale.text
    page = ada.get(first.url.path).text
    assert "You reject this." in page
    assert "1 of" in ada.get("/").text
    taken = ada.client.post(f"{first.url.path}undo", data=ada.forms(page))
    assert taken.status_code == 200 and "Accept" in taken.text
    assert "0 of" in ada.get("/").text


def test_what_was_not_offered_is_not_stored(review: Review) -> None:
    ada = Visitor(review, "ada")
    page = ada.next()
    accept = {"verdict": "accept"}
    for fields in (
        *({"verdict": "maybe"}, {"verdict": "reject"}, {"verdict": "reject", "reason": "9"}, {"verdict": ""}, {}),
        *(accept | {"note": "x" * 4001}, accept | {"revision": "x"}, accept | {"submission": "short"}),
    ):
        sent = ada.client.post(f"{page.url.path}verdict", data=ada.forms(page.text) | fields)
        assert sent.status_code == 422, fields
    assert "0 of" in ada.get("/").text


def test_strangers_and_path_tricks_get_nothing(review: Review) -> None:
    stranger, ada = Visitor(review), Visitor(review, "ada")
    page = ada.next()
    own = page.url.path
    for path in ("/", "/work", own, "/splits", "/studies/control", f"{own}clips/clips/0.mp4"):
        assert stranger.get(path).status_code == 403, path
    for path in ("clips/%2e%2e/card.yaml", "clips/questions.parquet", "frames/card.yaml", "frames/..%2fsecret"):
        assert ada.get(f"{own}{path}").status_code == 404, path


def test_every_page_has_safe_headers_and_a_strict_cookie(review: Review) -> None:
    ada = Visitor(review, "ada")
    assert "unsafe" not in ada.next().headers["content-security-policy"]
    reply = Visitor(review).client.get(ada.invitation("ada"), follow_redirects=False)
    cookie = reply.headers["set-cookie"].casefold()
    assert "httponly" in cookie and "samesite=lax" in cookie and "secure" not in cookie
    review.url = "https://review.example.org"
    reply = Visitor(review).client.get(f"/join/{ada.invitation('ada').rpartition('/')[2]}", follow_redirects=False)
    assert "secure" in reply.headers["set-cookie"].casefold()


def test_the_owner_sees_progress_figures_and_invitations(review: Review) -> None:
    owner, ada = Visitor(review, "owner"), Visitor(review, "ada")
    ada.decide()
    page = owner.get("/studies/control").text
    assert "1 of" in page
    for name in ("ada", "bob", "cleo", "judy"):
        assert f'<th scope="row">{name}</th>' in page
    links = re.findall(rf'href="({re.escape(URL)}/join/[^"]+)"', page)
    assert len(links) == 5
    assert Visitor(review).get(links[0]).status_code == 200


def test_a_server_for_others_warns_and_needs_a_name(review: Review, bench: Benchmark, tmp_path: Path) -> None:
    import threading

    where = {"record": tmp_path / "review", "browser": False}
    with pytest.raises(InputError, match="--public-url"):
        ct.serve_review(bench, host="0.0.0.0", **where)
    for wrong in ("review.example.org", "ftp://x", "https://x/path"):
        with pytest.raises(InputError, match="public_url"):
            ct.serve_review(bench, public_url=wrong, **where)
    said: list[str] = []

    def stop(owner: str) -> None:
        said.append(owner)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ct.serve_review(bench, port=0, public_url="https://review.example.org", say=said.append, ready=stop, **where)
    assert "warning: other machines can reach https://review.example.org" in said[0]
    assert said[1].startswith("https://review.example.org/join/")
    assert threading.active_count() < 20  # the server has ended


def test_the_address_of_a_server_is_this_machine_unless_told_otherwise() -> None:
    from chronotope.review.app import Address

    assert not Address().exposed
    assert Address("192.168.0.2").exposed and Address(public="https://review.example.org").exposed


def test_paths_that_no_browser_would_tidy_get_nothing(review: Review) -> None:
    import http.client

    from people_servers import served

    ada = Visitor(review, "ada")
    own, cookie = ada.next().url.path, f"{COOKIE}={ada.client.cookies[COOKIE]}"
    with served(review_app(review)) as url:
        for path in (
            *(f"{own}clips/../../../../etc/passwd", f"{own}clips/..%2f..%2fcard.yaml", f"{own}clips//etc/passwd"),
            *(
                f"{own}clips/clips/../card.yaml",
                f"{own}frames/../../../secret",
                "/static/x/..%2fsafety.py",
                "//etc/passwd",
            ),
        ):
            connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
            connection.request("GET", path, headers={"Cookie": cookie})
            assert connection.getresponse().status == 404, path
            connection.close()


def test_a_partial_export_tells_what_is_not_decided(review: Review, bench: Benchmark, tmp_path: Path) -> None:
    ada, bob, cleo = (Visitor(review, name) for name in ("ada", "bob", "cleo"))
    ada.decide("reject", reason=["1"])
    for visitor in (ada, bob, cleo):
        for _ in range(2):
            visitor.decide()
    asked = next(visitor for visitor in (ada, bob, cleo) if "/answer" in visitor.next().text)
    asked.decide(choice="A")  # against the key
    where = {"record": tmp_path / "review", "filters": tmp_path / "filters"}
    written = ct.export_study(bench, tmp_path / "out", "control", partial=True, **where)
    left = [json.loads(line) for line in (written / "undecided.jsonl").read_text().splitlines()]
    assert {one["state"] for one in left} == {"open", "split"}
    assert all(one["missing"] for one in left if one["state"] == "open")
    rejected = [json.loads(line) for line in (written / "rejected.jsonl").read_text().splitlines()]
    assert {(one["state"], one["settled"]) for one in rejected} == {("split", None)}
    clips, questions = ct.study_report(bench, "control", record=tmp_path / "review", out=tmp_path / "report.html")
    assert "a split that nobody has settled" in clips.undecided.values()
    assert any(why.startswith("no verdict of ") for why in questions.undecided.values())
    ((_, answers, key, _),) = questions.against_key
    assert ": A" in answers and key == "B"
    assert sum(one.answered for one in questions.reviewers) == 1
    page = (tmp_path / "report.html").read_text()
    assert "otherwise than the key" in page and "a split that nobody has settled" in page


def test_a_limit_draws_evenly_over_tasks(bench: Benchmark, tmp_path: Path) -> None:
    study = tmp_path / "study.yaml"
    study.write_text(yaml.safe_dump({**CONTROL, "study": "few"}))
    made = ct.assign_study(bench, study, limit=2, record=tmp_path / "few")
    with open_database(tmp_path / "few").reading() as session:
        tasks = sorted(session.scalars(select(Item.task).where(Item.kind == "question")))
        clips = list(session.scalars(select(Item.target).where(Item.kind == "clip")))
    assert len(tasks) == len(set(tasks)) == 2
    assert 1 <= len(clips) <= 2 and made.items == 2 + len(clips)
    assert made.each[1] <= made.items
    review = review_of(open_database(tmp_path / "few"), bench, tmp_path)
    visitors = [Visitor(review, name) for name in ("ada", "bob", "cleo")]
    for visitor in (*visitors, *visitors):
        visitor.decide_all()
    found = ct.resolve_study(bench, "few", record=tmp_path / "few", filters=tmp_path / "filters")
    assert (found.outside, found.waiting, len(found.view.questions)) == (4, 0, 6)
    with pytest.raises(InputError, match="clips_per_task"):
        ct.assign_study(bench, "human-baseline", limit=2, record=tmp_path / "other")


def test_assign_prints_one_invitation_a_line_after_a_tab(bench: Benchmark, tmp_path: Path) -> None:
    study = tmp_path / "study.yaml"
    study.write_text(yaml.safe_dump({**CONTROL, "study": "few"}))
    told = command("review", "assign", bench.folder, "--study", study, "--record", tmp_path / "few", code=0)
    lines = [line.split("\t") for line in told.out.splitlines()]
    assert {"owner", *CONTROL["adjudicators"], *CONTROL["reviewers"]} == {name for name, _ in lines}
    assert all(link.startswith("http://127.0.0.1:8765/join/") and link == link.strip() for _, link in lines)
