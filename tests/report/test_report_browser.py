"""The page in a real browser: at both widths, by keyboard alone, through every filter, without a request elsewhere."""

import itertools
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from report_bench import CLIPS, Asked, Server, ask, questions, read_report
from report_browser import Tab

from chronotope.report import write_report
from chronotope.view import FramesChoice
from drawn_benchmarks import write_benchmark

LETTERS = {"content": [{"token": "C", "logprob": -0.105, "top_logprobs": [{"token": "A", "logprob": -2.303}]}]}
SCRIPT = [
    ("clip 2", 500, "overloaded"),
    (
        "on a Monday",
        200,
        "C",
        {
            "usage": {"prompt_tokens": 1200, "prompt_tokens_details": {"cached_tokens": 400}},
            "choice": {"logprobs": LETTERS},
        },
    ),
    ("on a Tuesday", 200, "B"),
    ("", 200, "Let me think " * 300, {"choice": {"finish_reason": "length"}}),
]
NAMES = ["a-model-with-a-rather-long-name-72b-instruct", "b", "c", "d", "e", "f"]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two benchmarks, of the first nine runs: with failures, long replies, placements, blind; long names."""
    folder = tmp_path_factory.mktemp("browser")
    benchmark = write_benchmark(folder / "bench", questions(), name="Bench")
    second = write_benchmark(
        folder / "second", [replace(q, task="Pose Estimation", answer=(0,)) for q in questions(2)], name="Second"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHRONOTOPE_CACHE", str(folder / "cache"))
        patch.setattr("chronotope.models.services.endpoint.LONGEST_BACKOFF", 0.01)
        with Server(folder / "server", SCRIPT) as server:
            runs = [ask(benchmark, folder / name, f"endpoint/{name}", server.url) for name in NAMES[:2]]
            runs.append(ask(benchmark, folder / "blind", "endpoint/c", server.url, input="blind"))
            runs += [ask(benchmark, folder / "few", "endpoint/d", server.url, limit=9, layout="shared")]
        runs.append(ask(benchmark, folder / "rotated", "baseline/constant-A", placement="rotate"))
        runs += [ask(benchmark, folder / n, f"baseline/{n}") for n in ("random", "constant-B", "constant-C")]
        runs.append(ask(second, folder / "other", "baseline/random"))
        return write_report(runs, folder / "report", FramesChoice("all"), single_file=True).index


@pytest.mark.parametrize("width", [400, 1600])
def test_the_page_never_scrolls_sideways(report: Path, tab: Tab, width: int) -> None:
    tab.open(report, width)
    tab.ask("document.querySelectorAll('details').forEach(d => { d.open = true })")
    assert tab.ask("innerWidth") == width
    assert tab.ask("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    # Whatever is wider than the page stands in a box that scrolls.
    out = tab.ask(
        "[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1"
        " && !e.closest('.wide, .skip')).map(e => e.outerHTML.slice(0, 80))"
    )
    assert out == []
    assert tab.ask("[...document.querySelectorAll('.wide')].some(e => e.scrollWidth > e.clientWidth)") or width > 400
    # No text is too small to read.
    small = tab.ask(
        "Math.min(...[...document.querySelectorAll('main p, main td, main th, main small, main li, main span')]"
        ".map(e => parseFloat(getComputedStyle(e).fontSize)))"
    )
    assert small >= 11
    # A row's name stays in sight when its table scrolls.
    assert tab.ask(
        "(box => { box.scrollLeft = 200; const name = box.querySelector('tbody th').getBoundingClientRect();"
        " return name.left >= 0 && name.right <= innerWidth && name.right - name.left < box.clientWidth / 2 })"
        "(document.querySelector('.wide'))"
    )


def test_nothing_is_asked_of_anybody_else(report: Path, tab: Tab) -> None:
    tab.requests.clear()
    tab.open(report)
    tab.ask("document.getElementById('list').dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }))")
    folder = report.parent.as_uri() + "/"
    tab.wait("[...document.querySelectorAll('.stage img')].every(e => e.naturalWidth)")
    assert len(tab.requests) > 5 and all(url.startswith(folder) or url == "about:blank" for url in tab.requests)


def test_one_file_shows_the_same_without_the_others(report: Path, tab: Tab, tmp_path: Path) -> None:
    alone = tmp_path / "sent.html"
    shutil.copy(report.with_name("report.html"), alone)
    tab.requests.clear()
    tab.open(alone)
    tab.ask("document.getElementById('list').dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }))")
    tab.wait("document.querySelectorAll('.stage img').length")
    tab.wait("[...document.querySelectorAll('.stage img')].every(e => e.complete && e.naturalWidth)")
    assert {url for url in tab.requests if not url.startswith("data:")} <= {alone.as_uri(), "about:blank"}
    words = tab.ask("document.querySelector('main').innerText")
    stated = "document.getElementById('list').innerText"
    style = "getComputedStyle(document.querySelector('header nav a')).color + getComputedStyle(document.body).font"
    shown, styled = tab.ask(stated), tab.ask(style)
    tab.open(report)
    tab.ask("document.getElementById('list').dispatchEvent(new KeyboardEvent('keydown', { key: 'End' }))")
    tab.wait("document.querySelectorAll('.stage img').length")
    assert tab.ask(stated) == shown and len(words) > 1000
    assert tab.ask(style) == styled  # it has its styles


@pytest.mark.parametrize("width", [400, 1600])
def test_all_of_it_can_be_done_with_the_keyboard(report: Path, tab: Tab, width: int) -> None:
    tab.open(report, width)
    tab.press("Tab")
    assert tab.focused() == "skip"
    assert tab.ask("document.activeElement.getBoundingClientRect().top >= 0")  # it shows itself
    tab.press("Enter")
    assert tab.focused() == "browser"
    reached = []
    for _ in range(14):
        tab.press("Tab")
        reached.append(tab.focused())
        style = "getComputedStyle(document.activeElement)"
        assert tab.ask(f"{style}.outlineStyle") != "none" and tab.ask(f"parseFloat({style}.outlineWidth)") >= 2
    wanted = ["benchmark", "task", "run", "state", "scene", "search", "sort", "differ", "BUTTON Show all"]
    wanted += ["BUTTON CSV", "BUTTON JSON", "list"]
    assert reached[: len(wanted)] == wanted
    tab.press("/")
    assert tab.focused() == "search"
    tab.press("o", "n", " ", "a", " ", "t", "u")
    tab.ask("new Promise(done => setTimeout(done, 400))")
    tab.press("ArrowDown")
    assert tab.focused() == "list"
    tab.press("ArrowDown", "ArrowDown", "ArrowUp")
    chosen = tab.ask("document.querySelector('[aria-selected=true]').textContent")
    assert "clip-1-tuesday" in chosen and tab.ask("location.hash") == "#question=clip-1-tuesday&search=on+a+tu"
    tab.press("/")
    assert tab.focused() == "search"  # and from the list too
    tab.press("Enter", "Enter")
    assert tab.focused() == "detail"
    tab.press("Tab")
    assert tab.focused() not in ("detail", "list")  # the frames and what is folded come next
    tab.press("Escape")
    assert tab.focused() == "list"
    tab.press("End")
    last = "(e => e.getAttribute('aria-posinset') === e.getAttribute('aria-setsize'))"
    assert tab.ask(f"{last}(document.querySelector('[aria-selected=true]'))")


def test_the_arrow_keys_go_on_from_the_question_of_a_link(report: Path, tab: Tab) -> None:
    tab.open(report, anchor="#question=clip-1-tuesday")
    before = tab.ask("document.querySelector('[aria-selected=true]').getAttribute('aria-posinset')")
    tab.press("ArrowDown")
    assert tab.focused() == "list"
    after = tab.ask("document.querySelector('[aria-selected=true]').getAttribute('aria-posinset')")
    assert int(after) == int(before) + 1


def test_what_scrolls_or_unfolds_is_a_stop_and_nothing_else(report: Path, tab: Tab) -> None:
    tab.open(report, 400)
    wrong = (
        "[...document.querySelectorAll('.wide')].filter(e => (e.scrollWidth > e.clientWidth) !== (e.tabIndex === 0))"
        ".map(e => e.getAttribute('aria-label'))"
    )
    assert tab.ask(wrong) == []
    tab.ask("document.querySelectorAll('details').forEach(d => { d.open = true })")
    tab.ask("new Promise(done => setTimeout(done, 100))")
    assert tab.ask(wrong) == []
    assert (
        tab.ask("[...document.querySelectorAll('pre')].filter(e => e.scrollHeight > e.clientHeight + 1 && e.tabIndex)")
        == []
    )


@pytest.mark.parametrize("width", [400, 1600])
def test_what_goes_on_sideways_says_so(report: Path, tab: Tab, width: int) -> None:
    tab.open(report, width)
    tab.ask("document.querySelectorAll('details').forEach(d => { d.open = true })")
    tab.ask("new Promise(done => setTimeout(done, 100))")
    said = "e => [e.scrollWidth > e.clientWidth, getComputedStyle(e, '::before').content]"
    boxes = tab.ask(f"[...document.querySelectorAll('.wide')].map({said})")
    assert all(words == ('"scroll sideways: more to the right →"' if over else "none") for over, words in boxes)
    assert any(over for over, _ in boxes) or width > 400
    if width == 400:
        end = tab.ask(
            "(box => { box.scrollLeft = 9999; return new Promise(done => setTimeout(() =>"
            " done(getComputedStyle(box, '::before').content), 100)) })(document.querySelector('.wide.scrolls'))"
        )
        assert end == '"← scroll sideways: more to the left"'
        lines = "parseFloat(getComputedStyle(e).lineHeight)"
        wraps = (
            "[...document.querySelectorAll('.scores tbody th')].filter(e => !e.closest('.statements'))"
            ".map(e => { const copy = e.cloneNode(true);"
            " e.parentElement.append(copy); copy.querySelectorAll('span').forEach(s => s.remove());"
            " const range = document.createRange(); range.selectNodeContents(copy);"
            f" const height = range.getBoundingClientRect().height / {lines}; copy.remove(); return height }})"
        )
        assert max(tab.ask(wraps)) < 4.5  # the longest name here has 54 letters
        # What explains the bars is whole before anybody scrolls.
        places = tab.ask("[...document.querySelectorAll('.key')].map(e => e.getBoundingClientRect().right)")
        assert len(places) > 1 and max(places) <= 400


def test_the_signs_of_the_list_have_a_key(report: Path, tab: Tab) -> None:
    tab.open(report)
    data = read_report(report.parent)
    assert tab.ask("[...document.querySelectorAll('#legend li')].map(e => e.textContent)") == data["names"]
    key = tab.ask("document.querySelector('#legend p:last-child').textContent")
    explained = dict(part.split(" ", 1) for part in key.split("; "))
    signs = tab.ask(
        "[...document.querySelectorAll('#list .signs [role=img]')]"
        ".map(e => [e.textContent, e.getAttribute('aria-label')])"
    )
    assert len({sign for sign, _ in signs}) > 3
    assert all(said in explained[sign].split(" or ") for sign, said in signs)
    tab.ask(
        "(run => { run.value = '1'; run.dispatchEvent(new Event('change')) })(document.getElementById('run'))"
    )  # of one run the list says it in words
    assert tab.ask("document.getElementById('legend').hidden && !document.querySelector('#list .signs')")


def test_everything_has_a_name_that_can_be_said(report: Path, tab: Tab) -> None:
    tab.open(report)
    unnamed = (
        "[...document.querySelectorAll('select, input')].filter(e => !e.labels.length).length"
        " + [...document.querySelectorAll('.wide, svg, #list, #detail')].filter(e => !e.ariaLabel).length"
        " + [...document.querySelectorAll('img')].filter(e => !e.alt).length"
        " + [...document.querySelectorAll('table')].filter(e => !e.querySelector('th[scope=col]')).length"
    )
    assert tab.ask(unnamed) == 0
    row = "document.querySelector('#list li')"
    assert tab.ask(f"{row}.getAttribute('aria-setsize')") == tab.ask(
        "document.getElementById('count').textContent.split(' ')[0]"
    )
    signs = tab.ask(f"[...{row}.querySelectorAll('[role=img]')].map(e => e.getAttribute('aria-label'))")
    data = read_report(report.parent)
    first = data["items"][0]
    own = [a for a, of in zip(first["answers"], data["asked"], strict=True) if of == "Bench"]
    assert len(own) == len(data["runs"]) - 1
    assert signs == [answer["state"] if answer else "not in this run" for answer in own]


def offered(tab: Tab, menu: str) -> list[str]:
    """The values that a menu offers, with their counts."""
    return tab.ask(f"[...document.getElementById('{menu}').options].filter(o => !o.hidden).map(o => o.textContent)")


def choose(tab: Tab, menu: str, value: str) -> None:
    tab.ask(
        f"(e => {{ e.value = {json.dumps(value)}; e.dispatchEvent(new Event('change')) }})"
        f"(document.getElementById('{menu}'))"
    )


def test_filters_narrow_each_other(report: Path, tab: Tab) -> None:
    """Every menu offers only what the others leave, with the number of lines that a choice would show."""
    tab.open(report)
    data = read_report(report.parent)
    second = [item for item in data["items"] if data["questions"][item["question"]]["benchmark"] == "Second"]
    assert len(offered(tab, "task")) == 4 and len(offered(tab, "run")) == 1 + len(data["runs"])
    choose(tab, "task", "Speed & Acceleration")
    choose(tab, "benchmark", "Second")  # which has no such task: the choice of a task is undone
    assert tab.ask("document.getElementById('task').value") == ""
    assert offered(tab, "task") == ["all", f"Pose Estimation ({len(second)})"]
    assert offered(tab, "run") == ["any model", f"{data['runs'][-1]} ({len(second)})"]
    bench = len(data["items"]) - len(second)
    assert offered(tab, "benchmark") == ["all", f"Bench ({bench})", f"Second ({len(second)})"]
    assert tab.ask("[...document.querySelectorAll('#legend .runs')].filter(e => !e.hidden).length") == 1
    signs = "[...document.querySelectorAll('#list li .signs')].map(e => e.childElementCount)"
    assert set(tab.ask(signs)) == {1}  # of its own run alone
    # The numbers hold: each choice shows as many lines as its menu said.
    choose(tab, "benchmark", "Bench")
    choose(tab, "run", "1")
    states = [words.rpartition(" (") for words in offered(tab, "state")[1:]]
    assert len(states) > 3
    for name, _, count in states:
        choose(tab, "state", "!right" if name == "not right" else name)
        assert tab.ask("document.getElementById('count').textContent").startswith(f"{count[:-1]} of "), name
        assert f"{data['runs'][1]} ({count}" in offered(tab, "run")


@pytest.mark.slow
def test_filters_work_together(report: Path, tab: Tab) -> None:
    tab.open(report)
    data = read_report(report.parent)

    def expected(task: str, run: str, state: str, differ: bool) -> int:
        count = 0
        for item in data["items"]:
            answers = [a for place, a in enumerate(item["answers"]) if a and (run == "" or place == int(run))]
            told = [a for a in item["answers"] if a and a["state"] != "not asked"]
            differing = len({json.dumps(a["chosen"] if a["chosen"] is not None else a["value"]) for a in told}) > 1
            hit = any(a["state"] != "right" if state == "!right" else a["state"] == state for a in answers)
            count += (
                (not task or data["questions"][item["question"]]["task"] == task)
                and bool(answers)
                and (not state or hit)
                and (not differ or differing)
            )
        return count

    tasks = ["", "Speed & Acceleration", "Pose Estimation"]
    states = ["", "right", "wrong", "failed", "cut short", "!right"]
    counts = set()
    for task, run, state, differ in itertools.product(tasks, ["", "0", "3", "4"], states, [False, True]):
        values = json.dumps({"task": task, "run": run, "state": state})
        said = tab.ask(
            f"(values => {{ for (const id in values) document.getElementById(id).value = values[id];"
            f" document.getElementById('differ').checked = {json.dumps(differ)};"
            " document.getElementById('differ').dispatchEvent(new Event('change'));"
            " return document.getElementById('count').textContent })"
            f"({values})"
        )
        number = expected(task, run, state, differ)
        assert said == f"{number} of {len(data['items'])} prompts (a question can have several)", (
            task,
            run,
            state,
            differ,
        )
        counts.add(number)
    assert len(counts) > 15
    tab.ask("document.querySelector('button[type=reset]').click()")
    tab.ask("new Promise(done => setTimeout(done, 50))")
    assert tab.ask("document.getElementById('count').textContent").startswith(f"{len(data['items'])} of")


def test_an_answer_tells_its_letters_and_what_its_call_took(report: Path, tab: Tab) -> None:
    tab.open(report, anchor="#clip-3-monday")
    words = tab.ask("document.getElementById('detail').textContent")
    assert "Letters at the first token (log-probability): C 90.0 % (−0.10), A 10.0 % (−2.30)" in words
    assert "1,200 tokens in (400 cached) · 1 token out · 1 attempt · " in words and "finish reason stop" in words
    options = tab.ask("[...document.querySelectorAll('.options li')].map(e => e.textContent)")
    assert "chosen by" in options[2] and "← right" in options[2] and f"endpoint/{NAMES[0]}" in options[2]
    assert "endpoint" not in options[0]


def test_prompts_name_their_runs_and_pictures_are_shown_once(report: Path, tab: Tab) -> None:
    data = read_report(report.parent)
    item = next(item for item in data["items"] if len(item["prompts"]) > 1)
    tab.open(report, anchor=f"#{item['id']}")
    heads = tab.ask(
        "[...document.querySelectorAll('#detail h3')].map(e => [e.textContent, e.nextSibling?.textContent])"
    )
    ways = {head: by for head, by in heads if head.startswith("Prompt ")}
    for number in range(len(item["prompts"])):
        by = [run for run, a in zip(data["names"], item["answers"], strict=True) if a and a["prompt"] == number]
        assert ways[f"Prompt {number + 1}"] == ", ".join(by)
    frames = tab.ask("[...document.querySelectorAll('.frames a')].map(e => e.getAttribute('href'))")
    assert len(frames) == len(set(frames)) > 0
    assert "The same pictures as in prompt 1." in tab.ask("document.getElementById('detail').textContent")


def test_the_top_is_a_finding_and_a_question_with_its_frames(report: Path, tab: Tab) -> None:
    tab.open(report, 1440, 900)
    assert tab.ask("document.querySelector('main > *').id") == "top"
    seen = tab.ask("document.querySelector('.still img').getBoundingClientRect().toJSON()")
    assert seen["top"] < 500 and seen["width"] > 500
    tab.wait("[...document.querySelectorAll('.lead img')].every(e => e.naturalWidth)")
    data = read_report(report.parent)
    link = tab.ask("document.querySelector('.lead a').getAttribute('href')")
    [item] = [
        item
        for item in data["items"]
        if f"#question={item['id']}&benchmark={data['questions'][item['question']]['benchmark']}" == link
    ]
    states = {answer["state"] for answer in item["answers"] if answer}
    assert "right" in states and "wrong" in states  # one that tells the runs apart
    assert tab.ask("document.querySelectorAll('.choices .truth').length") == len(item["right"])
    tab.ask("document.querySelector('.lead a').click()")
    tab.wait(f"document.querySelector('#detail h3').textContent === {json.dumps(item['id'])}")


def test_the_page_is_short_before_its_questions(report: Path, tab: Tab) -> None:
    tab.open(report, 1440, 900)
    assert tab.ask("document.getElementById('browser').getBoundingClientRect().top + scrollY") < 6000
    assert tab.ask("[...document.querySelectorAll('#overview ~ section details')].every(e => !e.open)")
    # A folded part opens by keyboard.
    tab.ask("document.querySelector('.fold summary').focus()")
    tab.press("Enter")
    assert tab.ask("document.querySelector('.fold').open")
    # Inside the section of a benchmark, no name repeats it.
    names = tab.ask("[...document.querySelectorAll('.scores th[scope=row], .who')].map(e => e.textContent)")
    assert names and not [name for name in names if " · Bench" in name or " · Second" in name]


def test_benchmarks_are_reached_from_the_top(report: Path, tab: Tab) -> None:
    tab.open(report)
    links = tab.ask("[...document.querySelectorAll('nav a')].map(a => [a.textContent, a.getAttribute('href')])")
    assert [name for name, _ in links] == ["At a glance", "Bench", "Second", "The questions"]
    heads = [tab.ask(f"document.querySelector('{anchor} h2').textContent") for _, anchor in links]
    assert heads == ["At a glance", "Bench", "Second", "Questions"]
    # What is said of one says nothing of the other.
    assert tab.ask("document.querySelectorAll('#benchmark-2 tbody th').length") > 0
    assert not tab.ask("document.querySelector('#benchmark-2').textContent.includes('endpoint/')")


def test_a_report_of_one_run_offers_only_what_it_can_tell(asked: Asked, tab: Tab, tmp_path: Path) -> None:
    report = write_report(asked.runs[1:2], tmp_path / "report", FramesChoice("none"))
    tab.open(report.index)
    hidden = (
        "['benchmark', 'variant', 'run', 'differ'].filter(id => !document.getElementById(id).closest('label').hidden)"
    )
    assert tab.ask(hidden) == []
    assert tab.ask("document.querySelector('#list .signs')") is None
    assert tab.ask("document.getElementById('legend').hidden")  # without signs there is nothing to explain
    assert tab.ask("document.getElementById('count').textContent") == f"{4 * CLIPS} of {4 * CLIPS} questions"
