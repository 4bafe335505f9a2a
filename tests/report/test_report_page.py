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
from report_bench import CLIPS, DAYS, MARKUP, MODEL, Asked, ask, questions, read_report, write_benchmark
from report_tables import Tables

from chronotope.evaluate import Estimate, open_run, score_run
from chronotope.report import FramesChoice, write_report
from chronotope.report.plots import accuracy_plot, position_plot

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


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
        assert [attributes.get("src") for attributes in self.tags("script")] == ["questions.js", "report.js"]
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


def with_script(report: Path, folder: Path, script: str) -> Path:
    """A copy of the report in which something happens once the page stands."""
    copied = shutil.copytree(report, folder / "acted") / "index.html"
    copied.write_text(copied.read_text() + f"<script id='acts'>{script}</script>")
    return copied


def test_index_is_small_and_refers_to_nothing_outside(report: Path) -> None:
    page = (report / "index.html").read_text(encoding="utf-8")
    assert len(page.encode()) < 5_000_000
    for file in ("index.html", "report.css", "report.js"):
        found = set(re.findall(r"(?:https?:)?//[\w.]+\.\w[^\"'\s<>)]*", (report / file).read_text()))
        assert found <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}, file  # names, not addresses
    links = [a.get("href") or a.get("src") for _, a in Page(page).elements if "href" in a or "src" in a]
    local = {"report.css", "questions.js", "report.js"}
    assert {link for link in links if link and not link.startswith("#")} == local
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


def test_the_best_of_the_option_shapes_is_told(tmp_path: Path) -> None:
    # The first option is the longest, and right in two of three clips.
    items = [replace(q, answer=(0 if q.cluster != "clip-2" else 2,)) for q in questions(3)]
    bench = write_benchmark(tmp_path / "bench", items)
    rules = ("random", "option-shape:median", "option-shape:longest")
    runs = [ask(bench, tmp_path / rule, f"baseline/{rule}") for rule in rules]
    report = write_report(runs, tmp_path / "report", FramesChoice("none"))
    assert report.scores["baseline/option-shape:median"].overall.value < 0.6
    told = "give away: 66.7 %, the best of the option-shape baselines compared here (baseline/option-shape:longest)"
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
    assert "the pictures above are those that were sent" in detail
    assert len(page.tags("img")) == 8 and "Licence: CC-BY-4.0" in detail


def test_keys_and_filters(report: Path, tmp_path: Path) -> None:
    acts = """
      const list = document.getElementById("list"), search = document.getElementById("search");
      search.value = "ON A tuesday"; search.dispatchEvent(new Event("input"));
      const press = (key) => list.dispatchEvent(new KeyboardEvent("keydown", { key }));
      setTimeout(() => ["End", "ArrowUp"].forEach(press), 500);
    """
    page = dump(with_script(report, tmp_path, acts))
    assert f"{CLIPS} of {4 * CLIPS} questions" in page.text
    rows = [row for row in page.tags("li") if row.get("role") == "option"]
    assert [row["id"] for row in rows if row.get("aria-selected") == "true"] == [f"row-{CLIPS - 2}"]
    assert len(rows) == CLIPS and f"{MODEL}: wrong" in page.text


def test_thousands_of_rows_are_made_as_they_are_scrolled_to(report: Path, tmp_path: Path) -> None:
    acts = (
        "setTimeout(() => document.getElementById('list').dispatchEvent(new KeyboardEvent('keydown', {key: 'End'})), 9)"
    )
    folder = tmp_path / "many"
    shutil.copytree(report, folder)
    data = read_report(report)
    data["items"] = [item | {"id": f"{item['id']}-{number}"} for number in range(100) for item in data["items"]]
    (folder / "questions.js").write_text(f"window.REPORT = {json.dumps(data)};\n")
    page = dump(folder / "index.html")
    assert f"{400 * CLIPS} of {400 * CLIPS} asks, each placement counted" in page.text
    assert sum(row.get("role") == "option" for row in page.tags("li")) == 200
    page = dump(with_script(folder, tmp_path, acts))
    assert sum(row.get("role") == "option" for row in page.tags("li")) == 400 * CLIPS


def test_a_plot_draws_what_it_is_given() -> None:
    half, fourth = (Estimate(value, 0.1, 0.9, 10, 10, 0.2) for value in (0.5, 0.25))
    drawn = accuracy_plot(["a $x_1$ <b>", "_b"], ["one & two"], [{"one & two": half}, {"one & two": fourth}])
    root = ElementTree.fromstring(drawn)
    texts = {(node.text or "").strip() for node in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"a $x_1$ <b>", "one & two"} <= texts
    widths = {}
    for path in root.iter("{http://www.w3.org/2000/svg}path"):
        colour = re.search(r"fill: (#0072b2|#e69f00)", path.get("style") or "")
        if colour and path.get("clip-path"):
            x = [float(number) for number in re.findall(r"[ML] ([\d.]+) ", path.get("d") or "")]
            widths[colour[1]] = max(x) - min(x)
    assert widths["#0072b2"] == pytest.approx(2 * widths["#e69f00"])
    assert "metadata" not in drawn and drawn == accuracy_plot(
        ["a $x_1$ <b>", "_b"], ["one & two"], [{"one & two": half}, {"one & two": fourth}]
    )


def test_plots_stay_legible_with_many_runs_and_tasks() -> None:
    names, tasks = [f"endpoint/model-number-{number}" for number in range(12)], [f"Task {n}" for n in range(8)]
    scores = [{task: Estimate(0.5, 0.4, 0.6, 10, 10, 0.25) for task in tasks} for _ in names]
    root = ElementTree.fromstring(accuracy_plot(names, tasks, scores))
    svg = "{http://www.w3.org/2000/svg}"
    texts = [(node.text or "").strip() for node in root.iter(f"{svg}text")]
    assert all(texts.count(words) == 1 for words in (*names, *tasks))
    at = [float(node.get("y") or 0) for node in root.iter(f"{svg}text") if (node.text or "").strip() in tasks]
    assert max(at) - min(at) > 7 * 12 * 10  # at least ten points for each bar
    patches = [path.get("style") or "" for path in root.iter(f"{svg}path") if path.get("clip-path")]
    looks = [re.search(r"fill: ([^;]+)", style) for style in patches]
    assert len({look[1] for look in looks if look and look[1] != "none"}) == len(
        names
    )  # told apart, hatched if need be


def test_plots_of_one_page_share_no_names_and_are_told_in_words() -> None:
    half = Estimate(0.5, 0.4, 0.6, 10, 10, 0.25)
    by_letter = [{"A": half, "C": half}, {"B": half}]
    plots = [accuracy_plot(["a", "b"], ["x"], [{"x": half}] * 2), position_plot(["a", "b"], by_letter)]
    roots = [ElementTree.fromstring(plot or "") for plot in plots]
    assert all(root.get("role") == "img" and root.get("aria-label") for root in roots)
    ids = [{node.get("id") for node in root.iter() if node.get("id")} for root in roots]
    assert not [name for name in ids[0] & ids[1] if name and re.fullmatch(r"[a-z]+[\d.]*_\d+", name)]
    texts = {(node.text or "").strip() for node in roots[1].iter("{http://www.w3.org/2000/svg}text")}
    assert {"A", "B", "C", "a", "b"} <= texts
    assert position_plot(["a"], [{}]) is None
