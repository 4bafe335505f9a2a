"""A question in the browser: what is asked about beside what was replied, marked and drawn in; links that reopen it."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from report_bench import ask, questions, read_report
from report_browser import Tab

from chronotope.question import Benchmark, Window, open_benchmark
from chronotope.recording import Clip, Entity, Recording, save_recording
from chronotope.report import write_report
from chronotope.view import FramesChoice
from drawn_benchmarks import write_benchmark

ALL = FramesChoice("all")
WIDTH, HEIGHT, FOCAL = 64, 48, 50.0
DISTANCE, SIZE = 5.0, (1.0, 0.5, 0.25)  # m; the thing stands straight ahead of a camera that does not move
FIRST = "clip-0-monday"


def with_truth(folder: Path) -> Benchmark:
    """Two clips; the questions of the first name a thing that is seen in its frames 2 to 5, and a part of the clip."""
    about = {"recording": "clip-0", "entities": ["mug"], "phrases": {"mug": "the red <b>mug</b>"}, "at": 0.4}
    items = [
        replace(q, window=Window(0.2, 0.5), provenance=about, tags={"level": ("L1" if "monday" in q.id else "L2",)})
        if q.cluster == "clip-0"
        else replace(q, tags={"level": ("L2",)})
        for q in questions(2)
    ]
    benchmark = write_benchmark(folder, items, name="Bench")
    file = benchmark.media["clips/0.mp4"]
    poses = np.tile(np.eye(4), (8, 1, 1))
    at = np.eye(4)[None].copy()
    at[0, :3, 3] = (0, 0, DISTANCE)
    seen = np.isin(np.arange(8), (2, 3, 4, 5))
    recording = Recording(
        *("clip-0", "indoor", "test", np.arange(8) / 10, poses, np.ones(8, bool)),
        clip=Clip(folder / "clips" / "0.mp4", file.sha256, 10.0, WIDTH, HEIGHT),
        intrinsics=np.array([[FOCAL, 0, WIDTH / 2 - 0.5], [0, FOCAL, HEIGHT / 2 - 0.5], [0, 0, 1]]),
        entities=(Entity("mug", "mug", "mug", SIZE, at, visible=seen),),
    )
    save_recording(recording, folder / "recordings" / "clip-0")
    return open_benchmark(folder)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Benchmark, Path]:
    """The benchmark, and the report of three baselines on it."""
    folder = tmp_path_factory.mktemp("viewer")
    benchmark = with_truth(folder / "a bench#1")
    runs = [ask(benchmark, folder / f"run-{x}", f"baseline/constant-{x}") for x in "ACD"]
    return benchmark, write_report(runs, folder / "report", ALL).index


@pytest.fixture(scope="module")
def page(made: tuple[Benchmark, Path]) -> Path:
    return made[1]


def place(tab: Tab, selector: str) -> dict[str, float]:
    """Where an element is, in px of the window."""
    return tab.ask(f"document.querySelector({json.dumps(selector)}).getBoundingClientRect().toJSON()")


def ids(tab: Tab) -> list[str]:
    return tab.ask("[...document.querySelectorAll('#list li')].map(e => e.firstChild.textContent)")


@pytest.mark.parametrize("width", [768, 1440])
def test_replies_stand_beside_the_frames(page: Path, tab: Tab, width: int) -> None:
    tab.open(page, width, 900, f"#question={FIRST}")
    stem, answer, frame = (place(tab, s) for s in (".stem", ".answer", ".stage img"))
    assert stem["right"] <= frame["left"] and abs(stem["top"] - frame["top"]) < 60
    assert answer["right"] <= frame["left"] and 0 < answer["top"] < 900


def test_on_a_narrow_screen_the_linked_question_is_what_one_sees(page: Path, tab: Tab) -> None:
    tab.open(page, 390, 844, f"#question={FIRST}")
    assert 0 <= place(tab, ".stem")["top"] < 200 and place(tab, ".answer")["top"] < 844
    assert tab.ask("document.documentElement.scrollWidth") <= 390
    tab.ask("document.querySelector('.up').click()")
    assert tab.focused() == "list" and place(tab, "#list")["top"] < 844


def test_what_is_asked_about_is_marked_on_the_strip(page: Path, tab: Tab) -> None:
    tab.open(page, 1440, 1000, f"#question={FIRST}")
    kinds = tab.ask("[...document.querySelectorAll('.frames a')].map(e => e.className)")
    assert kinds == ["before-or-after"] * 2 + ["asked"] * 4 + ["before-or-after"] * 2
    marked = "e => getComputedStyle(e).borderTopColor !== 'rgba(0, 0, 0, 0)'"
    assert tab.ask(f"[...document.querySelectorAll('.frames a')].map({marked})") == [kind == "asked" for kind in kinds]
    assert "asked about: 0.2 s to 0.5 s, the moment 0.4 s" in tab.ask("document.querySelector('.times').textContent")
    band, line = place(tab, ".timeline .asked"), place(tab, ".timeline .track")  # the clip has 0.8 s
    assert (band["left"] - line["left"]) / line["width"] == pytest.approx(0.25, abs=0.02)
    assert band["width"] / line["width"] == pytest.approx(0.375, abs=0.02)
    assert tab.ask("document.querySelector('.caption').textContent").startswith("Picture 5 · 0.4 s")  # the moment
    tab.open(page, 1440, 1000, "#question=clip-1-monday")
    assert tab.ask("document.querySelectorAll('.frames .before-or-after').length") == 2  # its own window: 0 to 0.5 s


def test_boxes_stand_where_the_thing_is(page: Path, tab: Tab) -> None:
    tab.open(page, 1440, 1000, f"#question={FIRST}")
    drawn = tab.ask("[...document.querySelectorAll('.frames a')].map(e => !!e.querySelector('.boxes'))")
    assert drawn == [False, False, True, True, True, True, False, False]
    # From the pinhole camera by hand: the nearest face of the thing, in shares of the picture.
    x, y, z = SIZE
    half = (FOCAL * x / 2 / (DISTANCE - z / 2) / WIDTH, FOCAL * y / 2 / (DISTANCE - z / 2) / HEIGHT)
    box, picture = place(tab, ".stage .boxes .rim"), place(tab, ".stage img")
    edges = [(box["left"] - picture["left"]) / picture["width"], (box["right"] - picture["left"]) / picture["width"]]
    assert edges == pytest.approx([0.5 - half[0], 0.5 + half[0]], abs=0.004)
    edges = [(box["top"] - picture["top"]) / picture["height"], (box["bottom"] - picture["top"]) / picture["height"]]
    assert edges == pytest.approx([0.5 - half[1], 0.5 + half[1]], abs=0.004)
    assert "the red <b>mug</b>" in tab.ask("document.querySelector('.box-key').textContent")
    tab.ask("document.querySelector('.box-switch').click()")
    assert tab.ask("getComputedStyle(document.querySelector('.stage .boxes')).display") == "none"
    tab.ask("document.querySelector('.move-next').click()")  # it stays off with the next
    assert tab.ask("getComputedStyle(document.querySelector('.stage .boxes')).display") == "none"


def test_frames_are_looked_at_with_the_keyboard(page: Path, tab: Tab) -> None:
    tab.open(page, 1440, 1000, f"#question={FIRST}")
    tab.ask("document.querySelector('.frames a').focus()")
    assert tab.ask("document.querySelector('.caption').textContent").startswith("Picture 1 ")
    tab.press("ArrowRight", "ArrowRight")
    assert tab.ask("document.querySelector('.caption').textContent").startswith("Picture 3 ")
    data = read_report(page.parent)
    file = data["strips"][data["items"][0]["prompts"][0]["strip"]]["frames"][2][0]
    assert tab.ask("document.querySelector('.stage img').getAttribute('src')") == f"frames/{file}"


def test_the_clip_plays_from_the_benchmark(page: Path, tab: Tab) -> None:
    tab.open(page, 1440, 1000, f"#question={FIRST}")
    assert tab.ask("document.querySelectorAll('video').length") == 0  # nothing is loaded before somebody asks
    tab.ask("document.querySelector('.clip').open = true")
    tab.wait("document.querySelector('video')?.readyState >= 1 || document.querySelector('.clip .quiet')?.textContent")
    assert tab.ask("document.querySelector('video').videoWidth") == WIDTH
    tab.ask("document.querySelector('.clip button').click()")
    tab.wait("document.querySelector('video').currentTime >= 0.2")


def test_a_clip_that_is_gone_is_said_to_be(made: tuple[Benchmark, Path], tab: Tab, tmp_path: Path) -> None:
    moved = shutil.copytree(made[1].parent, tmp_path / "moved") / "index.html"
    tab.open(moved, 1440, 1000, f"#question={FIRST}")
    tab.ask("document.querySelector('.clip').open = true")
    tab.wait("document.querySelector('.clip .quiet')?.textContent.startsWith('The clip cannot be played')")
    bench = shutil.copytree(made[0].folder, tmp_path / "bench")
    run = ask(open_benchmark(bench), tmp_path / "run", "baseline/random")
    (bench / "clips" / "0.mp4").unlink()
    tab.open(write_report([run], tmp_path / "report", FramesChoice("none")).index, anchor=f"#question={FIRST}")
    assert "The clip clips/0.mp4 did not exist" in tab.ask("document.getElementById('detail').textContent")


def test_a_broken_recording_costs_the_boxes_and_is_told(made: tuple[Benchmark, Path], tmp_path: Path) -> None:
    bench = shutil.copytree(made[0].folder, tmp_path / "bench")
    run = ask(open_benchmark(bench), tmp_path / "run", "baseline/random")
    (bench / "recordings" / "clip-0" / "recording.json").write_text("{")
    report = write_report([run], tmp_path / "report", ALL)
    assert [text for text in report.problems if text.startswith("no boxes are drawn") and "recording.json" in text]
    assert all(strip["frames"] and not strip["boxes"] for strip in read_report(report.index.parent)["strips"])


def test_a_link_reopens_filters_order_and_question(page: Path, tab: Tab) -> None:
    tab.open(page)
    tab.ask(
        "for (const [id, value] of [['tag', JSON.stringify(['level', 'L2'])], ['run', '1'], ['sort', 'id']])"
        " { const e = document.getElementById(id); e.value = value; e.dispatchEvent(new Event('change')); }"
    )
    tab.ask("(e => { e.value = '-0'; e.dispatchEvent(new Event('input')) })(document.getElementById('scene'))")
    tab.wait("document.getElementById('count').textContent.startsWith('3 of')")
    tab.ask("document.getElementById('list').focus()")
    tab.press("End", "ArrowUp")
    anchor, listed = tab.ask("location.hash"), ids(tab)
    chosen = tab.ask("document.querySelector('#detail h3').textContent")
    assert listed == sorted(listed) and len(listed) == 3 and chosen == listed[1]
    assert "run=baseline%2Fconstant-C" in anchor  # by name: its place may change
    tab.open(page, anchor=anchor)
    assert ids(tab) == listed and tab.ask("document.querySelector('#detail h3').textContent") == chosen
    said = tab.ask("['tag', 'run', 'sort', 'scene'].map(id => document.getElementById(id).value)")
    assert said == ['["level","L2"]', "1", "id", "-0"]
    tab.open(page, anchor="#question=gone&task=gone&run=gone&state=gone&tag=gone&sort=gone")
    assert len(ids(tab)) == 8  # what this report does not have is left out
    tab.open(page, anchor="#clip-1-tuesday")  # an identifier alone
    assert tab.ask("document.querySelector('#detail h3').textContent") == "clip-1-tuesday"


def test_questions_are_sorted_by_what_runs_made_of_them(page: Path, tab: Tab) -> None:
    data = read_report(page.parent)

    def order(value: str) -> list[str]:
        tab.open(page, anchor=f"#sort={value}")
        return ids(tab)

    def right(item: dict) -> float:
        return sum(answer["state"] == "right" for answer in item["answers"])

    shares = {item["id"]: right(item) for item in data["items"]}
    asked = [item["id"] for item in data["items"]]
    assert order("") == asked and order("id") == sorted(asked)
    assert order("wrong") == sorted(asked, key=lambda name: shares[name])
    assert order("right") == sorted(asked, key=lambda name: -shares[name])
    tasks = {item["id"]: data["questions"][item["question"]]["task"] for item in data["items"]}
    assert order("task") == sorted(asked, key=lambda name: tasks[name])


def test_disagreement_counts_those_who_say_something_else(
    made: tuple[Benchmark, Path], tmp_path: Path, tab: Tab
) -> None:
    copied = shutil.copytree(made[1].parent, tmp_path / "report")
    data = read_report(copied)
    said = [(0, 1, 2), (0, 0, 0), (0, 0, 1), (2, 2, 2), (1, 2, 2), (3, 2, 1), (1, 1, 1), (0, 1, 0)]
    for item, chosen in zip(data["items"], said, strict=True):
        for answer, option in zip(item["answers"], chosen, strict=True):
            answer["chosen"] = [option]
    (copied / "questions.js").write_text(f"window.REPORT = {json.dumps(data)};\n")
    tab.open(copied / "index.html", anchor="#sort=disagree")
    places = [[item["id"] for item in data["items"]].index(name) for name in ids(tab)]
    assert places == [0, 5, 2, 4, 7, 1, 3, 6]


def contrast(tab: Tab, selector: str) -> float:
    """The least contrast of texts with the page behind them, as WCAG counts it."""
    script = """
      ((selector) => {
        const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
        const rgb = (colour) => {
          canvas.fillStyle = colour;
          canvas.fillRect(0, 0, 1, 1);
          return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
        };
        const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        const light = (c) => c.reduce((sum, v, i) => sum + linear(v / 255) * [0.2126, 0.7152, 0.0722][i], 0);
        const behind = (e) => {
          const c = getComputedStyle(e).backgroundColor;
          return c === "rgba(0, 0, 0, 0)" && e.parentElement ? behind(e.parentElement) : c;
        };
        const seen = [...document.querySelectorAll(selector)].filter((e) => e.getClientRects().length);
        return Math.min(...seen.map((e) => {
          const [a, b] = [light(rgb(getComputedStyle(e).color)), light(rgb(behind(e)))];
          return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        }));
      })"""
    return tab.ask(f"{script}({json.dumps(selector)})")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_follow_the_system_and_can_be_read(page: Path, tab: Tab, scheme: str) -> None:
    tab.open(page, anchor=f"#question={FIRST}", scheme=scheme)
    red = int(tab.ask("getComputedStyle(document.body).backgroundColor").split("(")[1].split(",")[0])
    assert (red < 60) == (scheme == "dark")
    assert tab.ask("document.getElementById('theme').textContent") == ("Light" if scheme == "dark" else "Dark")
    texts = "p, small, li, h1, h2, h3, h4, th, td, label, summary, button:not(:disabled), select, pre, a, .truth, .mark"
    assert contrast(tab, f":is({texts}):not(a.skip)") >= 4.5


def test_the_switch_is_kept_and_paper_is_light(page: Path, tab: Tab) -> None:
    tab.open(page)
    try:
        tab.ask("document.getElementById('theme').click()")
        tab.open(page)  # the system still says light
        assert tab.ask("document.documentElement.dataset.theme") == "dark"
        tab.media("print")
        assert tab.ask("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        hidden = (
            "['form', '#list', '#theme', 'nav', '.moves'].map(s => getComputedStyle(document.querySelector(s)).display)"
        )
        assert set(tab.ask(hidden)) == {"none"}
        tab.ask("window.dispatchEvent(new Event('beforeprint'))")
        assert tab.ask("document.querySelectorAll('details:not([open], .clip)').length") == 0
        tab.ask("window.dispatchEvent(new Event('afterprint'))")
        assert tab.ask("document.querySelectorAll('details:not([open], .clip)').length") > 0
    finally:
        tab.media("")
        tab.ask("localStorage.clear()")


def test_what_is_in_the_list_can_be_taken_away(page: Path, tab: Tab) -> None:
    tab.open(page, anchor="#search=on+a+monday")
    whole = json.loads(tab.saved("[data-save='questions.json']"))
    assert [one["id"] for one in whole] == ["clip-0-monday", "clip-1-monday"]
    assert whole[0]["answers"]["baseline/constant-A"]["reply"] == "A" and whole[0]["right"] == [2]
    lines = tab.saved("[data-save='questions.csv']").split("\r\n")
    assert len(lines) == 1 + 2 * 3 and lines[0].startswith("benchmark,run,ask,task,variant,cluster,state,right,chosen,")
    assert lines[2].split(",")[1:3] == ["baseline/constant-C", "clip-0-monday"]
    assert lines[2].split(",")[6:9] == ["right", "C", "C"]


def test_no_cell_becomes_a_formula(made: tuple[Benchmark, Path], tmp_path: Path, tab: Tab) -> None:
    copied = shutil.copytree(made[1].parent, tmp_path / "report")
    data = read_report(copied)
    replies = ['=HYPERLINK("http://x")', "-1.5", "+cmd", "@x", 'two\nlines "said"']
    for item, reply in zip(data["items"], replies, strict=False):
        item["answers"] = [item["answers"][0] | {"reply": reply}, None, None]
    data["items"] = data["items"][: len(replies)]
    (copied / "questions.js").write_text(f"window.REPORT = {json.dumps(data)};\n")
    tab.open(copied / "index.html")
    table = tab.saved("[data-save='questions.csv']")
    wanted = ['"\'=HYPERLINK(""http://x"")"', ",-1.5,", ",'+cmd,", ",'@x,", '"two\nlines ""said"""']
    assert all(words in table for words in wanted)
