"""The app on a real socket, and a real browser in front of it."""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from chromium import CHROMIUM
from chronotope.review.app.serving import Address, open_socket, serve, url_of


@contextlib.contextmanager
def served(app: Any) -> Iterator[str]:
    """The address of the app, which answers until the block ends."""
    listening = open_socket(Address())
    ended, started = threading.Event(), threading.Event()
    thread = threading.Thread(target=serve, args=(app, listening), kwargs={"ended": ended, "started": started.set})
    thread.start()
    try:
        assert started.wait(30)
        yield url_of(Address(), listening)
    finally:
        ended.set()
        thread.join()


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """Debian's Chromium, driven by Playwright; skips where one of them is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: the pages are not opened in a browser")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield browser
        finally:
            browser.close()


def opened(browser: Any, url: str, width: int = 1440, scheme: str = "light") -> Any:
    """A page; ``page.faults`` are its errors so far, and its requests to other hosts."""
    page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
    page.faults = []
    page.on("pageerror", lambda error: page.faults.append(str(error)))
    page.on("console", lambda told: page.faults.append(told.text) if told.type == "error" else None)
    page.on(
        "request", lambda asked: None if asked.url.startswith("http://127.0.0.1:") else page.faults.append(asked.url)
    )
    page.goto(url)
    wait(page, "(v => !v || v.readyState >= 2)(document.querySelector('video'))")
    return page


def wait(page: Any, expression: str) -> None:
    """Wait until an expression is true; Playwright's own waiting needs an evaluation that our pages forbid."""
    for _ in range(400):
        with contextlib.suppress(Exception):  # the page may be on its way to the next one
            if page.evaluate(expression):
                return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {expression}; {page.url}: {page.locator('body').inner_text()[:600]}")


def moved(page: Any, act: Any) -> None:
    """Act, and wait for the next page."""
    before = page.url
    act()
    wait(page, f"location.href !== {before!r} && document.readyState === 'complete'")


def serious_faults(page: Any) -> list[str]:
    """What an axe-core scan of the page calls serious or critical."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")
    found = axe.Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {node['html'][:120]}"
        for one in found
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]
