"""Rankings, labels, practice and rounds in a real browser, by keyboard alone."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from people_bench import people_bench, read_number
from people_servers import chromium, moved, opened, serious_faults, served, wait
from PIL import Image

pytest.importorskip("alembic", reason="the extra review is not installed")

from reviewed_bench import CONTROL, Visitor, begun, review_of
from study_declarations import LABELS, PRACTICE, RANKING

from chronotope.question import Benchmark
from chronotope.review.app.page_parts import written_report
from chronotope.review.app.review_app import review_app
from chronotope.review.app.review_state import Review
from chronotope.review.studies.declaration import checked_study
from chronotope.review.studies.enrolment import enrol
from chronotope.review.studies.giving import Case
from tiers import complete_after

FACTS = {"reply": "A", "reasoning": "<b>It</b> looked far.", "explained": True, "chosen": ["A"], "checks": False}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return people_bench(tmp_path_factory.mktemp("kinds") / "bench", clips=6, each=1)


@pytest.fixture
def review(bench: Benchmark, tmp_path: Path) -> Iterator[Review]:
    database = begun(bench, tmp_path / "review", RANKING, PRACTICE, CONTROL)
    enrol(database, bench, checked_study(LABELS, "test"), [Case(one.id, one, FACTS) for one in bench.questions[:2]])
    made = review_of(database, bench, tmp_path)
    with served(review_app(made)) as url:
        made.url = url
        yield made


def invited(browser: Any, review: Review, name: str, width: int = 1440, scheme: str = "light") -> Any:
    page = opened(browser, Visitor(review).invitation(name), width, scheme)
    page.goto(f"{review.url}/work")
    wait(page, "(v => !v || v.readyState >= 2)(document.querySelector('video'))")
    return page


def check(page: Any) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url
    assert serious_faults(page) == []
    assert page.faults == []


def test_keys_alone_rank_clips_in_step(browser: Any, review: Review) -> None:
    page = invited(browser, review, "dora")
    check(page)
    wait(page, "[...document.querySelectorAll('video')].every((one) => one.readyState >= 2)")
    for _ in range(3):
        page.keyboard.press(".")
    wait(page, "[...document.querySelectorAll('video')].every((one) => one.dataset.frame === '3')")
    show(page, 3)
    page.keyboard.press("r")
    for ranks in ("123", "312"):
        for rank in ranks:
            page.keyboard.type(rank)
            page.keyboard.press("Tab")
    for said in "rfr":
        page.keyboard.type(said)
        page.keyboard.press("Tab")
    # A rank that another clip has changes places with it: A and C on the first axis.
    page.locator("select[name=rank]").first.select_option("3")
    values = page.locator("select[name=rank]").evaluate_all("all => all.map((one) => one.value)")
    assert values == ["3", "2", "1", "3", "1", "2"]
    page.keyboard.press("Escape")
    moved(page, lambda: page.get_by_role("button", name="Store and go on").press("Enter"))
    assert "1 of 2" in page.locator("#progress").inner_text()
    moved(page, lambda: page.keyboard.press("u"))
    check(page)
    assert page.locator("td").all_inner_texts()[:3] == ["3", "2", "1"]


def test_keys_pressed_while_clips_load_or_seek_are_not_lost(browser: Any, review: Review) -> None:
    page = invited(browser, review, "dora")
    held: list[Any] = []
    page.route("**/clips/*", lambda route: held.append(route))
    page.reload(wait_until="commit")
    wait(page, "document.querySelectorAll('video').length === 3")
    for _ in range(2):
        page.keyboard.press(".")
    assert page.evaluate("[...document.querySelectorAll('video')].map((one) => one.readyState)") == [0, 0, 0]
    while len(held) < 3:
        page.wait_for_timeout(20)
    page.unroute("**/clips/*")  # lets those through that were held
    wait(page, "[...document.querySelectorAll('video')].every((one) => one.readyState >= 1)")
    # All in one task of the browser, and then late pictures of before.
    page.evaluate("""() => {
        for (let i = 0; i < 4; i++) document.dispatchEvent(new KeyboardEvent("keydown", { key: ".", bubbles: true }));
    }""")
    wait(page, "[...document.querySelectorAll('video')].every((one) => one.readyState >= 2 && !one.seeking)")
    assert page.evaluate("[...document.querySelectorAll('video')].map((one) => one.dataset.frame)") == ["6"] * 3
    show(page, 6)


def show(page: Any, number: int) -> None:
    """Check the pixels of each clip; a picture may come to the screen after its seek has ended."""
    for _ in range(40):
        seen = {read_number(_pixels(page, place)) & 0b111111 for place in range(3)}
        if seen == {number}:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"frames {seen} are on the screen, not {number}")


def _pixels(page: Any, place: int) -> Any:
    """The picture that a player shows."""
    shot = page.locator("video").nth(place).screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"))


def test_keys_alone_label_a_case(browser: Any, review: Review) -> None:
    page = invited(browser, review, "gil")
    check(page)
    assert page.locator("text=<b>It</b> looked far.").count() == 1
    page.keyboard.press("2")
    page.keyboard.press("n")
    page.keyboard.type("1 is only a letter here")
    page.keyboard.press("Escape")
    moved(page, lambda: page.keyboard.press("Enter"))
    moved(page, lambda: page.keyboard.press("u"))
    page.wait_for_selector("text=Your label: Other.")
    check(page)


def test_practice_tells_the_right_verdict(browser: Any, review: Review) -> None:
    page = invited(browser, review, "ada")
    for _ in range(2):
        page.keyboard.press("2")
        page.wait_for_selector("text=the key is")
        page.keyboard.press("a")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=This is practice")
        check(page)
        moved(page, lambda: page.keyboard.press("Enter"))
    assert page.locator("text=Is this clip good enough").count() == 1


@pytest.mark.parametrize("width", complete_after(1, [390, 768]))
def test_pages_of_all_kinds_fit_small_screens_in_the_dark(browser: Any, review: Review, width: int) -> None:
    for name, path in (
        ("dora", "/work"),
        ("gil", "/work"),
        ("owner", "/studies/quality"),
        ("owner", "/studies/practice"),
    ):
        page = invited(browser, review, name, width, "dark")
        page.goto(f"{review.url}{path}")
        check(page)


@pytest.mark.slow
def test_the_written_page_follows_the_system_into_the_dark(browser: Any, review: Review, tmp_path: Path) -> None:
    path = tmp_path / "written.html"
    path.write_text(written_report("bench", "nothing yet", []), encoding="utf-8")
    for scheme, paper in (("light", "rgb(255, 255, 255)"), ("dark", "rgb(20, 24, 30)")):
        page = browser.new_page(color_scheme=scheme, viewport={"width": 390, "height": 800})
        page.goto(path.as_uri())
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == paper
        assert serious_faults(page) == []
        page.close()
