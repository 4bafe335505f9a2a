"""A review in a real browser, by keyboard alone: clips, questions, a split, and the owner's figures."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from people_bench import people_bench
from people_servers import chromium, moved, opened, serious_faults, served, wait

pytest.importorskip("alembic", reason="the extra review is not installed")

from reviewed_bench import BASELINE, CONTROL, Visitor, begun, review_of

from chronotope.review.app.review_app import review_app
from chronotope.review.app.review_state import Review
from tiers import complete_after


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def review(tmp_path: Path) -> Iterator[Review]:
    bench = people_bench(tmp_path / "bench")
    made = review_of(begun(bench, tmp_path / "review", CONTROL, BASELINE), bench, tmp_path)
    with served(review_app(made)) as url:
        made.url = url
        yield made


def invited(browser: Any, review: Review, name: str, width: int = 1440, scheme: str = "light") -> Any:
    return opened(browser, Visitor(review).invitation(name), width, scheme)


def check(page: Any) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), page.url
    assert serious_faults(page) == []
    assert page.faults == []


def work_number(page: Any) -> int:
    return int(re.search(r"/work/(\d+)/", page.url)[1])


def turn(page: Any, keys: str, typed: str = "") -> None:
    """Press keys, write a note if there is one, store, and wait for the next page."""
    for key in keys:
        page.keyboard.press(key)
    if typed:
        page.keyboard.press("n")
        page.keyboard.type(typed)
        page.keyboard.press("Escape")
    moved(page, lambda: page.keyboard.press("Enter"))


def test_keys_alone_review_clips_and_questions(browser: Any, review: Review) -> None:
    page = invited(browser, review, "ada")
    check(page)
    page.keyboard.press("Enter")
    wait(page, "location.pathname.startsWith('/work/')")
    page.wait_for_selector("video")
    check(page)
    first = work_number(page)
    turn(page, "r1", "a key such as a or 1 is only a letter here")
    assert "1 of" in page.locator("#progress, .progress").first.inner_text()
    page.goto(f"{review.url}/work/{first}/")
    page.keyboard.press("u")  # taken back
    page.wait_for_selector(".verdicts")
    turn(page, "a")
    for name in ("ada", "bob", "cleo"):
        visitor = Visitor(review, name)
        while "/answer" not in (shown := visitor.next()).text and "/work/" in shown.url.path:
            visitor.decide()
    page.goto(f"{review.url}/work")
    page.wait_for_selector("video")
    assert page.locator("text=the key is").count() == 0
    page.keyboard.press(".")
    wait(page, "document.querySelector('video').dataset.frame === '1'")
    page.keyboard.press("2")
    page.wait_for_selector("text=You answered B; the key is B.")
    assert page.locator("video").get_attribute("data-frame") == "1"  # the clip stays where it was
    check(page)
    turn(page, "a")
    assert page.faults == []


def test_a_rejection_without_a_reason_stays_and_space_plays_everywhere(browser: Any, review: Review) -> None:
    page = invited(browser, review, "ada")
    page.goto(f"{review.url}/work")
    page.wait_for_selector("video")
    page.locator("label.choice", has_text="Reject").click()
    page.keyboard.press(" ")  # the focus is on the choice
    wait(page, "!document.querySelector('video').paused")
    page.keyboard.press(" ")
    wait(page, "document.querySelector('video').paused")
    assert page.locator("input[value=reject]").is_checked()
    before = page.url
    page.keyboard.press("Enter")
    page.wait_for_selector(".missing:not([hidden])")
    assert page.url == before and "choose a reason" in page.locator(".missing").inner_text()
    assert page.locator("input[value=reject]").is_checked()
    check(page)
    page.keyboard.press("1")
    turn(page, "")
    assert "1 of" in page.locator("#progress").inner_text()


@pytest.mark.parametrize("width", complete_after(1, [390, 1440]))
def test_the_time_in_question_is_on_the_player_and_options_are_in_view(
    browser: Any, review: Review, width: int
) -> None:
    page = invited(browser, review, "dora", width)
    page.goto(f"{review.url}/work")
    page.wait_for_selector("video")
    assert "asked about: 0.4 s to 2.4 s" in page.locator("#player .asked-words").inner_text()
    assert page.locator("button.choice").first.bounding_box()["y"] < 900 - 40
    page.keyboard.press("t")
    wait(page, "!document.querySelector('video').paused")
    wait(page, "document.querySelector('video').paused")
    assert abs(int(page.locator("video").get_attribute("data-frame")) - 2.4 * 12.5) <= 3
    check(page)


def test_the_end_of_the_work_scrolls_into_view_and_the_last_item_can_be_opened_again(
    browser: Any, review: Review
) -> None:
    for name in ("ada", "bob", "cleo"):
        visitor = Visitor(review, name)
        while "/answer" not in (shown := visitor.next()).text and "/work/" in shown.url.path:
            visitor.decide()
    page = invited(browser, review, "ada")
    page.set_viewport_size({"width": 1440, "height": 420})
    page.goto(f"{review.url}/work")
    page.wait_for_selector("video")
    page.keyboard.press("2")
    page.wait_for_selector(".verdicts")
    page.evaluate("document.querySelector('.seen').style.minHeight = '3000px'")  # as of many frames
    box = page.locator("#work").bounding_box()
    assert box["y"] + box["height"] > 420 + 100
    page.mouse.move(300, 300)
    page.mouse.wheel(0, box["y"] + box["height"] - 420 + 40)
    wait(page, "document.getElementById('keys-help').getBoundingClientRect().bottom <= innerHeight")
    last = 0
    while "/work/" in page.url:
        if not page.locator(".verdicts").count():
            page.keyboard.press("2")
            page.wait_for_selector(".verdicts")
        last = work_number(page)
        turn(page, "a")
    check(page)
    moved(page, lambda: page.keyboard.press("u"))
    assert work_number(page) == last
    assert page.get_by_role("button", name="Take it back").count() == 1


def test_a_split_is_settled_and_the_owner_sees_it(browser: Any, review: Review) -> None:
    Visitor(review, "ada").decide("reject", reason=["0"], note="it flickers")
    for name in ("bob", "cleo"):
        Visitor(review, name).decide()
        Visitor(review, name).decide()
    judy = invited(browser, review, "judy")
    moved(judy, lambda: judy.keyboard.press("Enter"))
    judy.wait_for_selector("text=it flickers")
    check(judy)
    turn(judy, "a", "seen by both")
    assert judy.locator("text=kept by judy").count() == 1
    owner = invited(browser, review, "owner")
    owner.get_by_role("link", name="control").click()
    owner.wait_for_selector("text=Cohen’s kappa")
    check(owner)


@pytest.mark.parametrize("width", complete_after(1, [390, 768]))
def test_pages_fit_small_screens_in_the_dark(browser: Any, review: Review, width: int) -> None:
    for name, path in (("ada", "/work"), ("dora", "/work"), ("owner", "/studies/control"), ("judy", "/splits")):
        page = invited(browser, review, name, width, "dark")
        page.goto(f"{review.url}{path}")
        check(page)


def test_a_lost_connection_is_told_and_nothing_is_doubled(browser: Any, review: Review) -> None:
    page = invited(browser, review, "dora")
    page.goto(f"{review.url}/work")
    page.wait_for_selector("video")
    page.context.set_offline(True)
    page.keyboard.press("2")
    page.wait_for_timeout(300)
    page.context.set_offline(False)
    page.goto(f"{review.url}/work")
    page.keyboard.press("2")
    wait(page, "document.querySelector('progress')?.value === 1")
