"""The pages of `chronotope play`, without a browser: answers are a run, the key stays hidden, strangers stay out."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from people_bench import SCRIPT, people_bench

from chronotope.errors import InputError
from chronotope.evaluate.run import HumanRequest, HumanRun, begin_human_run
from chronotope.evaluate.score import open_run, score_run
from chronotope.families import family
from chronotope.io import sha256_bytes
from chronotope.ledger import read_ledger
from chronotope.question import Benchmark

testclient = pytest.importorskip("starlette.testclient", reason="the extra play is not installed")

from chronotope.review.app.play_app import Play, play_app  # noqa: E402 - only if FastAPI is installed
from chronotope.review.app.safety import COOKIE  # noqa: E402

LOCAL = "http://127.0.0.1:8000"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return people_bench(tmp_path_factory.mktemp("play") / "bench")


def request_of(bench: Benchmark, out: Path, **how: object) -> HumanRequest:
    sti = family("sti")
    return HumanRequest(bench, sti, "ada", sti.RunSettings(**how), out=out)


@pytest.fixture
def run(bench: Benchmark, tmp_path: Path) -> Iterator[HumanRun]:
    with begin_human_run(request_of(bench, tmp_path / "run")) as run:
        yield run


def client_of(run: HumanRun, tmp_path: Path, *, reveal: bool = False, inside: bool = True) -> testclient.TestClient:
    """A browser before the pages; it has come in by the address in the terminal."""
    frames = tmp_path / "frames"
    frames.mkdir(exist_ok=True)
    play = Play(run, [], frames, reveal=reveal)
    client = testclient.TestClient(play_app(play), base_url=LOCAL)
    client.play = play
    if inside:
        assert client.get("/start", params={"key": play.key}).status_code == 200
    return client


def form_of(page: str, **more: str) -> dict[str, str]:
    """The hidden fields of the first form of a page."""
    form = page[page.index('action="/answer"') :]
    hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form[: form.index("</form>")])
    return dict(hidden) | more


def test_the_page_shows_what_a_model_gets_and_never_the_key(run: HumanRun, tmp_path: Path) -> None:
    client = client_of(run, tmp_path)
    page = client.get("/").text
    assert SCRIPT not in page
    assert "secret" not in page
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1])
    assert set(data) == {"question", "strip", "clips"}
    assert not {"answer", "right", "provenance", "expected"} & set(data["question"])
    [ask] = [one for one in run.planned.values() if one.ask.id == run.next_ask()]
    assert len(data["strip"]["frames"]) == ask.pictures
    for file, _ in data["strip"]["frames"]:
        picture = client.get(f"/frames/{file}")
        assert sha256_bytes(picture.content) == file.partition(".")[0]
    clip = client.get(f"/{data['clips'][0]['address']}", headers={"Range": "bytes=0-99"})
    assert (clip.status_code, len(clip.content)) == (206, 100)


def test_answers_are_a_run_like_any_other_and_go_on(bench: Benchmark, tmp_path: Path) -> None:
    for answers in (2, 4):  # the second begins where the first stopped
        with begin_human_run(request_of(bench, tmp_path / "run")) as run:
            client = client_of(run, tmp_path)
            for number in range(answers):
                page = client.get("/").text
                client.post("/answer", data=form_of(page, choice="B" if number else "A"))
    results = open_run(tmp_path / "run")
    assert results.card.model == "human/ada"
    scores = score_run(results)
    assert scores.states == {"replied": 6}
    assert scores.overall.value == pytest.approx(4 / 6)
    lines = read_ledger(tmp_path / "run" / "ledger.jsonl")
    assert len(lines) == 6
    assert all(line.pictures and line.seconds is not None and line.extra == {"asked": "person"} for line in lines)


def test_a_form_that_is_sent_twice_counts_once(run: HumanRun, tmp_path: Path) -> None:
    client = client_of(run, tmp_path)
    form = form_of(client.get("/").text)
    for choice in ("B", "B", "C"):  # the third comes from another tab
        assert client.post("/answer", data=form | {"choice": choice}).status_code == 200
    assert [line.reply for line in read_ledger(run.folder / "ledger.jsonl")] == ["B"]


def test_the_last_answer_can_be_changed_unless_the_truth_was_told(run: HumanRun, tmp_path: Path) -> None:
    client = client_of(run, tmp_path)
    form = form_of(client.get("/").text)
    client.post("/answer", data=form | {"choice": "C"})
    again = client.get("/", params={"again": form["ask"]}).text
    assert 'class="choice chosen" name="choice" value="C"' in again
    client.post("/answer", data=form_of(again, choice="B"))
    assert run.reply_to(form["ask"]) == "B"
    assert len(read_ledger(run.folder / "ledger.jsonl")) == 2  # nothing is overwritten
    revealing = client_of(run, tmp_path, reveal=True)
    told = revealing.post("/answer", data=form_of(revealing.get("/").text, choice="A")).text
    assert "correct is B" in told
    revealing.post("/answer", data=form_of(again) | {"token": form_of(revealing.get("/").text)["token"], "choice": "D"})
    assert run.reply_to(form["ask"]) == "B"


def test_a_question_can_wait_and_comes_back(run: HumanRun, tmp_path: Path) -> None:
    client = client_of(run, tmp_path)
    first = form_of(client.get("/").text)
    for _ in range(6):
        form = form_of(client.post("/skip", data=form_of(client.get("/").text)).text)
    assert form["ask"] == first["ask"]
    assert run.answered == []


def test_results_stand_beside_other_runs_on_the_same_questions(bench: Benchmark, tmp_path: Path) -> None:
    from chronotope.evaluate.plan import Selection
    from chronotope.evaluate.run import run as ask
    from chronotope.models import Decoding

    sti = family("sti")
    other = ask(bench, sti, "baseline/constant-B", Decoding(), sti.RunSettings(), Selection(), tmp_path / "runs" / "b")
    with begin_human_run(request_of(bench, tmp_path / "runs" / "mine")) as run:
        client = client_of(run, tmp_path)
        assert "No answer yet" in client.get("/results").text
        client.play.others = [open_run(other.folder)]
        client.post("/answer", data=form_of(client.get("/").text, choice="C"))
        page = client.get("/results").text
    rows = re.findall(r'<th scope="row">([^<]+)</th><td>([\d.]+)', page)
    assert rows == [("human/ada", "0.0"), ("baseline/constant-B", "100.0"), ("a random guess", "25.0")]


def test_strangers_see_nothing(run: HumanRun, tmp_path: Path) -> None:
    stranger = client_of(run, tmp_path, inside=False)
    inside = client_of(run, tmp_path)
    form = form_of(inside.get("/").text, choice="B")
    frame = re.search(r"frames/([0-9a-f]+\.jpg)", inside.get("/").text)[0]
    for path in ("/", "/results", f"/{frame}", "/clips/clips/0.mp4"):
        assert stranger.get(path).status_code == 403, path
    assert stranger.get("/start", params={"key": "guess"}).status_code == 403
    assert stranger.post("/answer", data=form).status_code == 403
    stranger.cookies.set(COOKIE, "forged")
    assert stranger.get("/").status_code == 403
    assert read_ledger(run.folder / "ledger.jsonl") == []


def test_forms_of_other_sites_are_refused(run: HumanRun, tmp_path: Path) -> None:
    client = client_of(run, tmp_path)
    form = form_of(client.get("/").text, choice="B")
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
        assert client.post("/answer", data=form, headers=headers).status_code == 403, headers
    assert client.post("/answer", data=form | {"token": "x"}).status_code == 403
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 403
    assert run.answered == []


@pytest.mark.parametrize(
    "path",
    [
        *("/clips/../card.yaml", "/clips/%2e%2e/card.yaml", "/clips/questions.parquet", "/clips//etc/passwd"),
        *("/frames/../card.yaml", "/frames/passwd", "/static/x/../../safety.py", "/static/x/people.py"),
    ],
)
def test_only_listed_files_leave_the_folder(run: HumanRun, tmp_path: Path, path: str) -> None:
    assert client_of(run, tmp_path).get(path).status_code == 404


def test_every_reply_has_safe_headers(run: HumanRun, tmp_path: Path) -> None:
    client = client_of(run, tmp_path)
    for path in ("/", "/results", "/static/x/people.js", "/nowhere"):
        headers = client.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_impossible_answers_are_refused(run: HumanRun, tmp_path: Path) -> None:
    client = client_of(run, tmp_path)
    form = form_of(client.get("/").text)
    assert client.post("/answer", data=form | {"choice": "Z"}).status_code == 422
    assert client.post("/answer", data=form | {"choice": ["A", "B"]}).status_code == 422
    assert client.post("/answer", data=form | {"ask": "nothing", "choice": "A"}).status_code == 404
    assert run.answered == []


def test_a_name_that_is_no_name_is_refused(bench: Benchmark, tmp_path: Path) -> None:
    from dataclasses import replace

    for name in ("", " ", "a/b", "x" * 61):
        with (
            pytest.raises(InputError, match="name"),
            begin_human_run(replace(request_of(bench, tmp_path / "run"), name=name)),
        ):
            pass


def test_a_run_says_whether_the_clip_could_be_played(bench: Benchmark, tmp_path: Path) -> None:
    from dataclasses import replace

    with begin_human_run(request_of(bench, tmp_path / "run")):
        pass
    with (
        pytest.raises(InputError, match="clip"),
        begin_human_run(replace(request_of(bench, tmp_path / "run"), clip=False)),
    ):
        pass
