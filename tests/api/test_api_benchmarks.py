"""Benchmarks and recordings as objects: their questions as a table, and what they show in a notebook."""

import base64
import io
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import PIL.Image
import pytest

import chronotope as ct

MARKUP = "<b id='injected'>x</b>"  # as in conftest.py


def pictures(html: str) -> list[np.ndarray]:
    """The pictures inside a piece of HTML, decoded without Chronotope."""
    found = re.findall(r'src="data:image/jpeg;base64,([^"]+)"', html)
    return [np.asarray(PIL.Image.open(io.BytesIO(base64.b64decode(data)))) for data in found]


def test_a_benchmark_is_a_table_with_a_row_for_each_question(folder: Path) -> None:
    bench = ct.open(folder)
    table = bench.to_pandas()
    assert len(table) == len(bench) == 12 and list(table["id"]) == [question.id for question in bench]
    assert bench[0] == bench["clip-0-0"] == bench[np.int64(-12)] and bench[-1].id == "clip-5-1"
    for wrong in (12, 1.5, None):
        with pytest.raises(ct.InputError, match=f"no question {wrong}: expected .* or a position from 0 to 11"):
            bench[wrong]
    first = table.iloc[0]
    assert (first["answer"], first["start"], first["end"], first["tag scene"]) == ("C", 0.0, 0.5, "Outdoor")
    assert list(first["options"]) == ["0.5 m", "1.5 m", "2.5 m", "3.5 m"] and list(first["recordings"]) == ["clip-0"]
    assert table.groupby("task").size().to_dict() == {"Displacement & Path Length": 6, "Speed & Acceleration": 6}


def test_a_part_of_a_benchmark_is_a_benchmark(folder: Path) -> None:
    bench = ct.open(folder)
    indoor = bench.filter(tags={"scene": "Indoor"})
    assert {question.tags["scene"] for question in indoor} == {("Indoor",)} and 0 < len(indoor) < len(bench) == 12
    assert len(indoor.filter(tasks="Speed & Acceleration", where=lambda one: one.id != indoor[1].id)) < len(indoor)
    assert [one.id for one in bench[["clip-5-1", "clip-0-0"]]] == ["clip-0-0", "clip-5-1"]
    assert len(bench[2:5]) == 3 and len(bench[2:5].to_pandas()) == 3 and bench[2:5][:1].whole is bench
    assert repr(bench[:3]).startswith("<Benchmark 'Drawn': 3 of 12 questions of sti")
    assert bench.filter(variants="base", questions="clip-1-0")[0].id == "clip-1-0"
    for conditions, words in (
        ({"tasks": "Speed"}, "no question of task 'Speed': expected one of Speed & Acceleration"),
        ({"tags": {"scene": "Moon"}}, "no question of tag scene 'Moon': expected one of Indoor, Outdoor"),
        ({"questions": "zzz"}, "no question 'zzz': expected one of clip-0-0"),
        ({"where": lambda question: False}, "no question meets all conditions: use fewer conditions"),
    ):
        with pytest.raises(ct.InputError, match=words):
            bench.filter(**conditions)
    for nothing in (lambda: bench[[]], lambda: bench.filter(questions=[])):
        with pytest.raises(ct.InputError, match="no question meets all conditions"):
            nothing()
    assert [one.id for one in bench[np.array([0, -1])]] == [bench[0].id, bench[-1].id]
    with pytest.raises(ct.InputError, match="no question 99"):
        bench[[99]]
    for mask in (np.arange(len(bench)) < 3, [True] * len(bench)):  # a mask is not a list of positions
        with pytest.raises(ct.InputError, match=r"no question (np\.)?True\S*: expected .* or a position"):
            bench[mask]
    with pytest.raises(ct.InputError, match="bench: is a part of a benchmark: expected a whole benchmark"):
        ct.filter_pass(indoor, "too-easy", "baseline/random")


def test_a_recording_has_a_short_text(folder: Path) -> None:
    [name, *_] = sorted(one.name for one in (folder / "recordings").iterdir())
    assert repr(ct.open(folder).recording(name)).startswith(f"<ShownRecording {name!r}: ")


def test_without_pandas_there_is_an_arrow_table_and_a_sentence(folder: Path, tmp_path: Path) -> None:
    code = f"""
import sys
from importlib.machinery import PathFinder
class NoPandas(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name == "pandas" else super().find_spec(name, path, target)
sys.meta_path[sys.meta_path.index(PathFinder)] = NoPandas
import chronotope as ct
bench = ct.open({str(folder)!r})
print(bench.to_arrow().num_rows)
run = ct.run(bench, lambda ask: "C", out={str(tmp_path / "run")!r}, input="blind")
print(type(run.scores()).__module__, run.scores().column("value")[0].as_py(), run.answers().num_rows)
try:
    bench.to_pandas()
except ct.InputError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "12",
        "pyarrow.lib 1.0 12",
        "pandas is not installed: pip install pandas, or use to_arrow()",
    ], done.stderr


def test_a_question_shows_its_frames_options_and_answer(folder: Path) -> None:
    question = ct.open(folder)["clip-3-1"]
    assert question.stem.endswith(MARKUP) and question.options[2].text == "5.5 m"
    frames = question.frames(3)
    assert [frame.shape for frame in frames] == [(48, 64, 3)] * 3
    html = question._repr_html_()
    shown = pictures(html)
    assert len(shown) == 6 and abs(float(shown[0].mean()) - (20 + 25 * 3)) < 3  # the window ends with frame 5
    assert MARKUP not in html and "&lt;b id=" in html and "C (correct)" in html and "5.5 m" in html


def test_a_recording_and_its_clip_show_themselves(folder: Path) -> None:
    recording = ct.open(folder).recording("clip-0")
    assert np.array_equal(recording.times, ct.load_recording(folder / "recordings" / "clip-0").times)
    [sheet] = pictures(recording._repr_html_())
    assert sheet.shape[1] == 960 and "path_length_m" in recording._repr_html_()
    assert len(pictures(recording.clip._repr_html_())) == 6
    with pytest.raises(ct.InputError, match="no recording 'clip-9': expected one of clip-0"):
        ct.open(folder).recording("clip-9")
    with pytest.raises(ct.InputError, match=r"is not a recording \(recording.json is missing\)"):
        ct.load_recording(folder)


def test_a_benchmark_names_itself(folder: Path) -> None:
    bench = ct.open(folder)
    assert repr(bench) == f"<Benchmark 'Drawn': 12 questions of sti, {folder}>"
    assert "task Speed &amp; Acceleration" in bench._repr_html_()
