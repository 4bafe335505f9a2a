"""`chronotope play` in a real browser: the frame shown is the frame meant, and keys alone suffice."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from people_bench import FPS, FRAMES, people_bench, read_number
from people_servers import chromium, opened, serious_faults, served, wait
from PIL import Image

from chronotope.evaluate.run import HumanRequest, begin_human_run
from chronotope.evaluate.score import open_run
from chronotope.families import family
from tiers import complete_after

pytest.importorskip("fastapi", reason="the extra play is not installed")

from chronotope.review.app.play_app import Play, play_app


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@contextmanager
def begun(folder: Path, *, reveal: bool) -> Iterator[tuple[Play, str]]:
    """A run that is being played, and its first address."""
    bench, sti = people_bench(folder / "bench"), family("sti")
    with (
        pytest.MonkeyPatch.context() as patch,
        begin_human_run(HumanRequest(bench, sti, "ada", sti.RunSettings(frames=5), out=folder / "run")) as run,
    ):
        patch.setenv("CHRONOTOPE_CACHE", str(folder / "cache"))
        (folder / "frames").mkdir()
        play = Play(run, [], folder / "frames", reveal=reveal)
        with served(play_app(play)) as url:
            yield play, f"{url}/start?key={play.key}"


@pytest.fixture(scope="module")
def playing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Play, str]]:
    """A run that no test answers."""
    with begun(tmp_path_factory.mktemp("playing"), reveal=False) as playing:
        yield playing


def seen_number(page: Any) -> int:
    """The number that the bars of the video's picture spell, once it is still."""
    wait(page, "(v => !v.seeking && v.readyState >= 2)(document.querySelector('video'))")
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    picture = np.asarray(Image.open(io.BytesIO(page.locator("video").screenshot())).convert("RGB"))
    return read_number(picture)


def told_frame(page: Any) -> int:
    return int(page.locator("video").get_attribute("data-frame"))


def test_the_frame_shown_is_the_frame_meant(playing: tuple[Play, str], browser: Any) -> None:
    page = opened(browser, playing[1])
    page.locator("body").press(".")
    for wanted in (1, 2, 3):
        assert seen_number(page) == wanted == told_frame(page)
        page.keyboard.press(".")
    page.keyboard.press(",")
    assert seen_number(page) == 3
    for wanted in range(0, FRAMES, 3):  # by the slider
        page.locator("input[aria-label=frame]").evaluate(
            "(slider, to) => { slider.value = to; slider.dispatchEvent(new Event('input')); }", wanted
        )
        assert seen_number(page) == wanted == told_frame(page)
    page.keyboard.press("j")
    assert seen_number(page) == FRAMES - 1 - round(FPS)


def test_a_clip_plays_and_pauses_at_the_frame_that_is_told(playing: tuple[Play, str], browser: Any) -> None:
    page = opened(browser, playing[1])
    page.keyboard.press("]")  # twice as fast
    page.keyboard.press(" ")
    wait(page, "Number(document.querySelector('video').dataset.frame) > 8")
    page.keyboard.press(" ")
    wait(page, "document.querySelector('video').paused")
    assert page.faults == []
    assert seen_number(page) == told_frame(page) > 8


def test_no_text_of_a_question_runs_or_becomes_markup(playing: tuple[Play, str], browser: Any) -> None:
    page = opened(browser, playing[1])
    assert page.title() != "owned"
    assert page.locator("#injected").count() == 0
    assert page.faults == []


def test_the_scan_finds_what_is_wrong(playing: tuple[Play, str], browser: Any) -> None:
    page = opened(browser, playing[1])
    page.evaluate("document.getElementById('main').append(document.createElement('button'))")
    assert [fault for fault in serious_faults(page) if fault.startswith("button-name")]


SCREENS = [(390, "dark"), (1440, "light"), (768, "light"), (768, "dark"), (390, "light"), (1440, "dark")]


@pytest.mark.parametrize(("width", "scheme"), complete_after(2, SCREENS))
def test_pages_fit_and_are_accessible(playing: tuple[Play, str], browser: Any, width: int, scheme: str) -> None:
    page = opened(browser, playing[1], width, scheme)
    for _ in range(2):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert serious_faults(page) == []
        assert page.faults == []
        page.goto(f"{page.url.rstrip('/')}/results")


@pytest.mark.parametrize("reveal", [False, True], ids=["plain", "reveal"])
def test_keys_alone_answer_all_questions(tmp_path: Path, browser: Any, reveal: bool) -> None:
    with begun(tmp_path, reveal=reveal) as (play, url):
        page = opened(browser, url)
        for done in range(6):
            wait(page, f"document.querySelector('progress').value === {done}")
            page.keyboard.press("2")
            if reveal:
                page.wait_for_selector("text=Correct.")
                assert done or serious_faults(page) == []
                page.keyboard.press("Enter")
        page.wait_for_selector("text=You are right on")
        assert page.locator("tr.own td").first.inner_text().startswith("100.0")
        page.get_by_text("Finish").click()
        page.wait_for_selector("text=Finished")
        assert play.ended.wait(5)
        assert page.faults == []
    assert [one.line.reply for one in open_run(play.run.folder).answered] == ["B"] * 6
