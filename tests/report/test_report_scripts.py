"""Scripts planted in whatever others write: none runs, and the page's policy would stop it if one were let in."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from report_bench import Server, ask, questions
from report_browser import Tab

from chronotope.question import Mention, Option
from chronotope.report import write_report
from chronotope.view import FramesChoice
from drawn_benchmarks import write_benchmark
from service import Service

# Each sets a mark of its own when it runs; {n} is the place where it was planted.
FORMS = (
    "</script><script>planted({n})</script>",
    "<script>planted({n})</script>",
    '"><img src=x onerror=planted({n})>',
    "'><svg onload=planted({n})>",
    "<details open ontoggle=planted({n})>",
    "<iframe srcdoc='<script>parent.planted({n})</script>'></iframe>",
    '" autofocus onfocus=planted({n}) x="',
    "javascript:planted({n})",
    "</title></style></textarea><script>planted({n})</script>",
    "]]><!--<script>planted({n})</script>-->{{{{planted({n})}}}}${{planted({n})}}",
)
PLACES = (
    "id",
    "stem",
    "option",
    "reply",
    "label",
    "tag",
    "cluster",
    "flag",
    "provenance",
    "name",
    "licence",
    "reasoning",
)


@pytest.fixture
def elsewhere() -> Iterator[Service]:
    """A service that should never be asked."""
    with Service() as service:
        yield service


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, int]:
    """The report of a benchmark and of replies full of scripts, and how many were planted."""
    folder = tmp_path_factory.mktemp("scripts")
    numbers = iter(range(10_000))

    def plant(form: str) -> str:
        return form.format(n=next(numbers))

    items = []
    for form, plain in zip(FORMS, questions(3), strict=False):
        [media] = plain.media
        items.append(
            replace(
                plain,
                id=f"{plain.id}{plant(form)}",
                stem=f"{plain.stem} {plant(form)}",
                options=(Option(plant(form)), *plain.options[1:]),
                media=(replace(media, label=plant(form)),),
                tags={plant(form): (plant(form), "x")},
                cluster=f"{plain.cluster}{plant(form)}",
                flags=(plant(form),),
                recordings=(plant(form),),
                mentions=(Mention(plant(form), "asked", plant(form)),),
                provenance={"recording": plant(form), "entities": [plant(form)], "phrases": {"x": plant(form)}},
            )
        )
    benchmark = write_benchmark(folder / "bench", items, name=plant(FORMS[2]), licence=plant(FORMS[1]))
    script: list[Any] = [
        (f"clip {number // 4} on a {day}", 200, f"<think>{plant(form)}</think>{plant(form)}")
        for number, form in enumerate(FORMS)
        for day in [("Monday", "Tuesday", "Wednesday", "Thursday")[number % 4]]
    ]
    with Server(folder / "server", script) as server:
        runs = [ask(benchmark, folder / "run", f"endpoint/{plant(FORMS[0])}", server.url)]
    runs.append(ask(benchmark, folder / "constant", "baseline/constant-A"))
    return write_report(runs, folder / "report", FramesChoice("all")).index, next(numbers)


def test_no_planted_script_runs(planted: tuple[Path, int], tab: Tab) -> None:
    page, count = planted
    assert count >= 60
    tab.requests.clear()
    tab.before("window.ran = []; window.planted = (n) => window.ran.push(n)")
    tab.open(page)
    listed = tab.ask("document.querySelectorAll('#list li').length")
    assert listed == len(FORMS)
    for place in range(listed):
        tab.ask(f"document.querySelectorAll('#list li')[{place}].click()")
        tab.ask("document.querySelectorAll('details').forEach(e => { e.open = true })")
        tab.ask("new Promise(done => setTimeout(done, 30)).then(() => 0)")
    assert tab.ask("window.ran") == []
    injected = "iframe, script:not([src]), svg[onload], img[onerror], [onfocus], [ontoggle]"
    assert tab.ask(f"document.querySelectorAll('{injected}').length") == 0 and tab.ask("document.scripts.length") == 3
    folder = page.parent.parent.as_uri()
    assert [
        url for url in tab.requests if not url.startswith((folder, "about:blank", "data:"))
    ] == []  # data: the player's own signs


def test_what_got_in_would_not_run_and_reach_nobody(
    planted: tuple[Path, int], tab: Tab, tmp_path: Path, elsewhere: Service
) -> None:
    """The second wall: the same page with everything let in that the first keeps out."""
    page = shutil.copytree(planted[0].parent, tmp_path / "report") / "index.html"
    let_in = "".join(form.format(n=number) for number, form in enumerate(FORMS))
    let_in += f"<script>planted(90)</script><img src='{elsewhere.root}/img'><script src='{elsewhere.root}/js'></script>"
    let_in += f"<link rel=stylesheet href='{elsewhere.root}/css'><iframe src='{elsewhere.root}/frame'></iframe>"
    let_in += f"<video src='{elsewhere.root}/video'></video><form id=out action='{elsewhere.root}/form'></form>"
    let_in += "<button id=press onclick=planted(91)>x</button><p id=styled style='color: red'>x</p>"
    text = page.read_text()
    assert text.count("</main>") == 1
    page.write_text(text.replace("</main>", f"{let_in}</main>"))
    tab.before("window.ran = []; window.planted = (n) => window.ran.push(n)")
    tab.open(page)
    tab.ask("document.getElementById('press')?.click()")
    tab.ask(f"fetch({json.dumps(elsewhere.root + '/fetch')}).catch(() => 0).then(() => 0)")
    tab.ask("new Promise(done => setTimeout(done, 300)).then(() => 0)")
    assert tab.ask("window.ran") == [] and not elsewhere.received
    assert tab.ask("document.querySelectorAll('#list li').length") == len(FORMS)  # and the page itself works
    # Without the policy they do run: the test can fail.
    start = text.index('<meta http-equiv="Content-Security-Policy"')
    open_page = page.read_text().replace(text[start : text.index(">", start) + 1], "")
    page.write_text(open_page)
    tab.open(page)
    tab.wait("window.ran.length > 3")
