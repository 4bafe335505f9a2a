"""The page: scores, what a reader finds, what must not be in it, and how it looks to a real browser."""

import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from report_bench import CLIPS, DAYS, MODEL, Asked, ask, questions, read_report
from report_browser import CHROMIUM, Tab
from report_tables import Tables

from chronotope.evaluate.score import Estimate, open_run, score_run
from chronotope.report import write_report
from chronotope.report.plots.model_panels import Point, scaling_plot
from chronotope.report.plots.run_plots import position_plot
from chronotope.view import FramesChoice
from drawn_benchmarks import MARKUP, write_benchmark


class Page(HTMLParser):
    """Elements as (tag, attributes), and the text of everything."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def tags(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.elements if tag == name]

    def assert_nothing_injected(self) -> None:
        assert not [attributes for _, attributes in self.elements if attributes.get("id") == "injected"]
        assert [attributes.get("src") for attributes in self.tags("script")] == [
            "theme.js",
            "questions.js",
            "report.js",
        ]
        assert not [name for _, attributes in self.elements for name in attributes if name.startswith("on")]
        assert all((attributes["src"] or "").startswith("frames/") for attributes in self.tags("img"))


@pytest.fixture(scope="module")
def report(asked: Asked, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("page") / "report"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHRONOTOPE_CACHE", str(out.parent / "cache"))
        write_report(asked.runs, out, FramesChoice("all"))
    return out


def dump(page: Path, anchor: str = "") -> Page:
    """The document after its scripts ran, as Chromium opens it from disk."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: the page is not opened in a browser")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--dump-dom"]
    command += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    command += [f"--user-data-dir={page.parent.parent / 'profile'}", "--virtual-time-budget=3000"]
    done = subprocess.run([*command, page.as_uri() + anchor], capture_output=True, timeout=120, check=True)
    return Page(done.stdout.decode())


def test_index_is_small_and_refers_to_nothing_outside(report: Path) -> None:
    page = (report / "index.html").read_text(encoding="utf-8")
    assert len(page.encode()) < 5_000_000
    for file in ("index.html", "report.css", "report.js", "theme.js"):
        found = set(re.findall(r"(?:https?:)?//[\w.]+\.\w[^\"'\s<>)]*", (report / file).read_text()))
        assert found <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}, file  # names, not addresses
    links = [a.get("href") or a.get("src") for _, a in Page(page).elements if "href" in a or "src" in a]
    local = {"report.css", "questions.js", "report.js", "theme.js"}
    assert {link for link in links if link and not link.startswith(("#", "frames/"))} == local
    assert all((report / link).is_file() for link in links if link and link.startswith("frames/"))
    assert {item.name for item in report.iterdir()} == {*local, "index.html", "frames"}


def test_markup_in_names_and_replies_stays_text(report: Path) -> None:
    page = Page((report / "index.html").read_text(encoding="utf-8"))
    page.assert_nothing_injected()
    assert page.text.count(MODEL) >= 4  # title, tables, plot
    script = (report / "questions.js").read_text(encoding="utf-8")
    assert "\u2028" not in script and "\\u2028" in script


def test_scores_are_those_of_the_script(asked: Asked, report: Path) -> None:
    text = (report / "index.html").read_text(encoding="utf-8")
    [mine] = [row for name, row in Tables(text).rows("Scores, ").items() if "$a_b$" in name]
    # A fourth is right: half of the first task, nothing of the second; of what was understood half; chance a fourth.
    assert [float(cell.split()[0]) for cell in mine.values()] == [25.0, 50.0, 0.0, 25.0, 50.0]
    assert mine["Overall"].endswith(f"{4 * CLIPS} q, {CLIPS} clips")
    page = Page(text)
    notes = score_run(open_run(asked.runs[0])).notes
    assert len(notes) == 2 and all(note in page.text for note in notes)  # of those that failed and those not understood


def test_the_finding_sets_who_sees_against_who_sees_nothing(report: Path) -> None:
    text = " ".join(Page((report / "index.html").read_text(encoding="utf-8")).text.split())
    said = f"{MODEL}, which sees the frames, is right on 25 % of {4 * CLIPS} questions; 3 runs that see nothing on "
    assert " ".join(said.split()) in text
    assert f"That is not clearly better than a random guess: the 95 % interval over {CLIPS} clips is" in text


def test_too_few_clips_make_no_finding_of_the_best_of_runs_that_see_nothing(tmp_path: Path) -> None:
    bench = write_benchmark(tmp_path / "bench", questions(1))
    runs = [ask(bench, tmp_path / letter, f"baseline/constant-{letter}") for letter in "AC"]
    text = (write_report(runs, tmp_path / "report", FramesChoice("none")).index).read_text().replace("\u00a0", " ")
    assert "2 runs that see nothing are right on 0 to 100 % of 4 questions; a random guess on 25 %." in text
    assert "1 clip is too few to tell this from a random guess." in text
    alone = write_report(runs[1:], tmp_path / "alone", FramesChoice("none")).index.read_text().replace("\u00a0", " ")
    assert "baseline/constant-C is right on 100 % of 4 questions; a random guess on 25 %." in alone


def test_the_best_of_the_option_shapes_is_told(tmp_path: Path) -> None:
    # The first option is the longest, and right in two of three clips.
    items = [replace(q, answer=(0 if q.cluster != "clip-2" else 2,)) for q in questions(3)]
    bench = write_benchmark(tmp_path / "bench", items)
    rules = ("random", "option-shape:median", "option-shape:longest")
    runs = [ask(bench, tmp_path / rule, f"baseline/{rule}") for rule in rules]
    report = write_report(runs, tmp_path / "report", FramesChoice("none"))
    assert report.scores["baseline/option-shape:median"].overall.value < 0.6
    told = "option-shape:longest, which sees only the options (the best of 2 such runs): 66.7 % (chance "
    assert told in report.index.read_text()
    without = write_report(runs[:1], tmp_path / "without", FramesChoice("none"))
    assert "give away" not in without.index.read_text()


@pytest.mark.parametrize("day", ["Monday", "Wednesday", "Thursday"])
def test_a_browser_shows_list_and_detail(report: Path, day: str) -> None:
    page = dump(report / "index.html", f"#clip-3-{day.lower()}")
    page.assert_nothing_injected()
    assert "owned" not in page.text.partition("Questions")[0]
    rows = page.tags("li")
    assert sum(row.get("role") == "option" for row in rows) == 4 * CLIPS
    [chosen] = [row["id"] for row in rows if row.get("aria-selected") == "true"]
    assert chosen == f"row-{3 * 4 + list(DAYS).index(day)}"
    detail = page.text[page.text.rindex(f"clip-3-{day.lower()}") :]
    kind, reply = DAYS[day]
    assert f"{MODEL}: {kind}" in detail
    assert reply.replace("\ud800", "?") in detail
    assert f"C  4.5 m{'  ← right'}" in detail and f"A  {MARKUP} 3 m" in detail
    assert "the pictures shown here were sent" in detail
    top = 1 + 6  # the question at the top has one large frame and six small ones
    assert len(page.tags("img")) == top + 1 + 8 and "Licence: CC-BY-4.0" in detail


def test_keys_and_filters(report: Path, tab: Tab) -> None:
    tab.open(report / "index.html")
    tab.press("/", *"ON A tuesday")
    tab.wait(f"document.getElementById('count').textContent.startsWith('{CLIPS} of')")
    tab.press("ArrowDown", "End", "ArrowUp")
    rows = tab.ask("[...document.querySelectorAll('#list li')].map(e => [e.id, e.ariaSelected])")
    assert [row for row, selected in rows if selected == "true"] == [f"row-{CLIPS - 2}"] and len(rows) == CLIPS
    assert f"{MODEL}: wrong" in tab.ask("document.getElementById('detail').textContent")


def test_thousands_of_rows_are_made_as_they_are_scrolled_to(report: Path, tmp_path: Path, tab: Tab) -> None:
    folder = tmp_path / "many"
    shutil.copytree(report, folder)
    data = read_report(report)
    data["items"] = [item | {"id": f"{item['id']}-{number}"} for number in range(100) for item in data["items"]]
    (folder / "questions.js").write_text(f"window.REPORT = {json.dumps(data)};\n")
    tab.open(folder / "index.html")
    count = tab.ask("document.getElementById('count').textContent")
    assert count == f"{400 * CLIPS} of {400 * CLIPS} prompts (a question can have several)"
    rows = "document.querySelectorAll('#list [role=option]').length"
    assert tab.ask(rows) == 200
    tab.ask("document.getElementById('list').focus()")
    tab.press("End")
    assert tab.ask(rows) == 400 * CLIPS


def test_plots_of_one_page_share_no_names_and_are_told_in_words() -> None:
    half = Estimate(0.5, 0.4, 0.6, 10, 10, 0.25)
    by_letter = [{"A": half, "C": half}, {"B": half}]
    panels = scaling_plot(["x"], [Point("a", 1.0, {"x": half}), Point("a", 2.0, {"x": half})], {}, ["a"])
    plots = [panels, position_plot(["a", "b"], by_letter)]
    roots = [ElementTree.fromstring(plot or "") for plot in plots]
    assert all(root.get("role") == "img" and root.get("aria-label") for root in roots)
    ids = [{node.get("id") for node in root.iter() if node.get("id")} for root in roots]
    assert not [name for name in ids[0] & ids[1] if name and re.fullmatch(r"[a-z]+[\d.]*_\d+", name)]
    texts = {(node.text or "").strip() for node in roots[1].iter("{http://www.w3.org/2000/svg}text")}
    assert {"A", "B", "C", "a", "b"} <= texts
    assert position_plot(["a"], [{}]) is None
