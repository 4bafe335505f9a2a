"""The commands as people and programs meet them: help, figures, exit codes, one sentence for what is wrong."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import typer.main
import yaml
from cli_words import UsageError, check_words, every_command
from PIL import Image
from pydantic import BaseModel, field_validator, model_validator

from chronotope.cli.app import app
from chronotope.cli.flags import validated
from chronotope.errors import InputError
from chronotope.question import open_benchmark
from chronotope.recording import Entity, Recording, save_recording
from commands import command, refused
from small_sources import arc, chronotope, walk, write_euroc, write_kitti, write_posed, write_tum

FIGURES = {"frames", "duration_s", "path_length_m", "displacement_m", "mean_speed_mps", "net_turn_deg"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sources of every bare form on one arc, a folder of walks, and a benchmark of them."""
    place = tmp_path_factory.mktemp("cli")
    quarter = arc(radius=2.0, angle=np.pi / 2, frames=41)
    write_tum(place / "tum.txt", quarter)
    write_kitti(place / "kitti.txt", quarter)
    write_euroc(place / "euroc.csv", quarter)
    write_posed(place / "posed", quarter)
    write_posed(place / "walks" / "a", walk(0))
    write_tum(place / "walks" / "c.txt", walk(2))
    built = command("build", "sti", place / "walks", "--out", place / "bench", "--per-variant", 1, "--workers", 1)
    assert built.code == 0, built.err
    return place


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Help


ROOT = typer.main.get_command(app)
COMMANDS = list(every_command(ROOT))


def test_the_commands_are_those_of_the_manual() -> None:
    names = {" ".join(path) for path in COMMANDS}
    assert {"build sti", "vary", "run", "report", "show"} <= names


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: " ".join(path) or "chronotope")
def test_help_shows_an_example_that_parses(path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    told = command(*path, "--help")
    assert told.code == 0 and told.err == ""
    examples = re.findall(r"Example: (chronotope .+?)\s*$", told.out, re.MULTILINE)
    assert examples
    for example in examples:
        words = shlex.split(example)
        assert tuple(words[1 : 1 + len(path)]) == path
        check_words(words[1:])


GROUPS = ((), ("build",), ("plan",), ("plan", "build"), ("review",))


@pytest.mark.parametrize("path", [path for path in COMMANDS if path not in GROUPS], ids=" ".join)
def test_every_command_speaks_json(path: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    assert "--json" in command(*path, "--help").out


def test_the_check_of_examples_can_fail() -> None:
    for wrong in ("run bench --modell x", "build nothing x --out y", "sho bench", "run bench --model x --limit many"):
        with pytest.raises(UsageError):
            check_words(shlex.split(wrong))


def test_the_version_is_the_package_s() -> None:
    import chronotope as package

    assert command("--version").out.strip() == f"chronotope {package.__version__}"


# Figures of recordings


@pytest.mark.parametrize("form", ["tum.txt", "kitti.txt", "euroc.csv", "posed"])
def test_show_measures_a_quarter_of_a_circle(place: Path, form: str) -> None:
    figures = command("show", place / form, "--json").json
    assert figures.keys() >= FIGURES
    assert figures["frames"] == 41
    assert figures["duration_s"] == pytest.approx(4, abs=1e-6)
    chords = 40 * 2 * 2 * np.sin(np.pi / 2 / 40 / 2)
    assert figures["path_length_m"] == pytest.approx(chords, abs=1e-5)
    assert figures["displacement_m"] == pytest.approx(2 * np.sqrt(2), abs=1e-5)
    assert figures["mean_speed_mps"] == pytest.approx(chords / 4, abs=1e-5)
    if form == "euroc.csv":  # of an inertial sensor: nobody says which way it looks
        assert figures["net_turn_deg"] is None
    else:
        assert figures["net_turn_deg"] == pytest.approx(90, abs=1e-3)


def test_show_takes_what_the_format_does_not_say_from_flags(place: Path) -> None:
    slower = command("show", place / "kitti.txt", "--fps", 5, "--json").json
    assert slower["duration_s"] == pytest.approx(8)
    assert command("show", place / "tum.txt", "--gravity", "unknown", "--json").json["net_turn_deg"] is None
    upside_down = command("show", place / "tum.txt", "--gravity", "+z", "--kind", "outdoor", "--json").json
    assert upside_down["net_turn_deg"] == pytest.approx(-90, abs=1e-3) and upside_down["kind"] == "outdoor"


def test_show_of_a_folder_lists_its_recordings_and_adds_them_up(place: Path) -> None:
    both = command("show", place / "walks", "--json").json
    assert both.keys() >= FIGURES
    assert [one["id"] for one in both["recordings"]] == ["a", "c"]
    assert both["frames"] == 82 == sum(one["frames"] for one in both["recordings"])
    assert both["path_length_m"] == pytest.approx(sum(one["path_length_m"] for one in both["recordings"]))


def test_a_built_recording_has_the_figures_of_its_source(place: Path) -> None:
    for source, name in ((place / "walks" / "a", "a"), (place / "walks" / "c.txt", "c")):
        told = command("show", place / "bench" / "recordings" / name, "--json").json
        before = command("show", source, "--json").json
        assert {key: told[key] for key in FIGURES} == {key: before[key] for key in FIGURES}


def test_show_lists_ten_things_of_a_recording_and_counts_the_others(tmp_path: Path) -> None:
    poses = np.tile(np.eye(4), (2, 1, 1))
    cups = tuple(Entity(f"cup-{n}", f"cup {n}", "cup", (0.1, 0.2, 0.3), poses[:1]) for n in range(12))
    home = Recording("home", "indoor", "test", np.array([0.0, 0.1]), poses, np.ones(2, bool), entities=cups)
    save_recording(home, tmp_path / "home")
    said = command("show", tmp_path / "home").out
    assert "home: cup 9, 10.0 x 20.0 x 30.0 cm\nhome: and 2 more things (--json lists all)" in said
    assert "cup 10" not in said
    assert len(command("show", tmp_path / "home", "--json").json["entities"]) == 12


def test_show_of_a_benchmark_counts_its_questions(place: Path) -> None:
    figures = command("show", place / "bench", "--json").json
    assert figures.keys() >= FIGURES | {"card", "questions", "tasks", "clip_lengths", "recordings"}
    assert figures["questions"] == figures["card"]["counts"]["questions"] >= 10
    assert sum(sum(row.values()) for row in figures["tasks"].values()) == figures["questions"]
    assert figures["clip_lengths"]["up to 30 s"] == 1 == sum(figures["clip_lengths"].values())
    assert figures["frames"] == 82


def test_show_in_words_names_what_it_found(place: Path) -> None:
    count = command("show", place / "bench", "--json").json["questions"]
    assert f"{count} questions" in command("show", place / "bench").out
    said = command("show", place / "tum.txt")
    assert said.code == 0 and "tum" in said.out and "3.14" in said.out
    assert "gravity" in said.err and "by convention" in said.err


# One question and its frames


def test_a_question_is_printed_and_its_frames_are_written(place: Path, here: Path) -> None:
    words = ("show", place / "bench", "--question", "a--displacement-1", "--out", "look", "--frames", 5)
    told = command(*words)
    assert told.code == 0 and "5 pictures in look" in told.out
    shown = command(
        "show", place / "bench", "--question", "a--displacement-1", "--out", "look", "--frames", 5, "--json"
    ).json
    assert shown["stem"] in told.out
    for option in shown["options"]:
        line = f"{'→' if option['right'] else ' '} {option['letter']}  {option['text']}"
        assert line in told.out.splitlines()
    assert sum(option["right"] for option in shown["options"]) == 1
    pictures = sorted((here / "look").iterdir())
    assert [here / path for path in sorted(shown["frames"])] == pictures and len(pictures) == 5
    seconds = [float(re.search(r"-(\d+\.\d+)s$", path.stem)[1]) for path in pictures]
    assert seconds[0] == shown["window"][0] and seconds[-1] == shown["window"][1]
    for path in pictures:
        with Image.open(path) as picture:
            picture.load()
            assert picture.size == (64, 48)


def test_a_question_without_pictures_writes_none(place: Path, here: Path) -> None:
    told = command("show", place / "bench", "--question", "c--displacement-1")
    assert told.code == 0 and "0 pictures" in told.out
    assert list(here.iterdir()) == []


def test_a_question_that_is_not_there_names_some_that_are(place: Path, here: Path) -> None:
    assert refused("show", place / "bench", "--question", "a--pose").endswith("expected one of a--pose-1")
    sentence = refused("show", place / "bench", "--question", "nope")
    assert "expected one of a--displacement-1, a--path-length-1, " in sentence
    assert "card.yaml is missing" in refused("show", place / "walks", "--question", "a--pose-1")


# From sources to a report


def test_all_commands_speak_json_on_the_way_to_a_report(place: Path, here: Path) -> None:
    words = ("build", "sti", place / "walks", "--out", "bench", "--per-variant", 1, "--workers", 1)
    built = command(*words, "--json").json
    assert built["folder"] == "bench" and not built["already_there"] and built["failures"] == []
    assert built["notes"].keys() == {"a", "c"}
    assert command(*words, "--json").json["already_there"] is True
    varied = command("vary", "bench", "--variant", "open,none_answer", "--out", "varied", "--json").json
    assert varied["card"]["counts"]["variants"].keys() == {"base", "open", "none_answer"}

    dry = command("run", "varied", "--model", "baseline/random", "--dry-run", "--json").json[0]
    assert dry["calls"] == varied["card"]["counts"]["questions"]
    assert not (here / "runs").exists()

    [first] = command("run", "varied", "--model", "baseline/random", "--json").json
    assert (first["asked"], first["already"], first["states"]) == (dry["calls"], 0, {"replied": dry["calls"]})
    [again] = command("run", "varied", "--model", "baseline/random", "--json").json
    assert (again["asked"], again["already"]) == (0, dry["calls"])
    assert {**again, "asked": first["asked"], "already": 0} == first
    assert 0 <= first["accuracy"]["value"] <= 1
    assert first["accuracy"]["items"] == varied["card"]["counts"]["variants"]["base"]

    models = ("--model", "baseline/constant-A", "--model", "baseline/option-shape")
    several = command("run", "bench", *models, "--json")
    assert [one["model"] for one in several.json] == ["baseline/constant-A", "baseline/option-shape"]
    folders = [first["folder"], *(one["folder"] for one in several.json)]
    report = command("report", *folders, "--out", "report", "--json").json
    assert (here / report["index"]).is_file() and report["problems"] == []
    accuracies = [first["accuracy"]["value"], *(one["accuracy"]["value"] for one in several.json)]
    assert list(report["accuracy"].values()) == accuracies


def test_a_folder_of_runs_stands_for_them(place: Path, here: Path) -> None:
    models = ("baseline/random", "baseline/constant-A")
    assert command("run", place / "bench", *(word for name in models for word in ("--model", name))).code == 0
    named = command("report", *sorted((here / "runs").iterdir()), "--out", "one", "--json").json
    folder = command("report", "runs", "--out", "two", "--json").json
    assert folder["accuracy"] == named["accuracy"] and set(folder["accuracy"]) == set(models)
    assert "runs: is not a run" in refused("report", here, "--out", "three").replace(str(here), "runs")


def test_in_words_each_command_ends_with_where_its_work_is(place: Path, here: Path) -> None:
    words = ("build", "sti", place / "walks" / "c.txt", "--out", "bench", "--per-variant", 1, "--workers", 1)
    built = command(*words, "--explain")
    assert built.out.splitlines()[-1] == "bench is ready" and "Refused questions" in built.out
    assert "paper" not in built.out  # its counts tell nothing of a set of one's own
    assert command(*words).out.splitlines()[-1] == "bench is already there"
    assert command("vary", "bench", "--out", "varied").out.splitlines()[-1] == "varied is ready"
    dry = command("run", "bench", "--model", "baseline/random", "--dry-run")
    assert dry.code == 0 and "Planned calls" in dry.out
    ran = command("run", "bench", "--model", "baseline/random")
    folder = ran.out.splitlines()[-1]
    assert (here / folder / "run.yaml").is_file()
    reported = command("report", folder, "--out", "report")
    assert reported.out.splitlines()[-1] == str(here / "report" / "index.html")
    assert "│ baseline/random │" in reported.out


# What goes wrong


def test_a_problem_that_is_reported_is_exit_code_1(place: Path, here: Path) -> None:
    (here / "walks").mkdir()
    shutil.copy(place / "walks" / "c.txt", here / "walks")
    (here / "walks" / "broken.txt").write_text("1 0 0 0 0 0 0 1\n2 0 0 zero 0 0 0 1\n")
    words = ("build", "sti", "walks", "--out", "bench", "--per-variant", 1, "--workers", 1)
    assert "broken.txt, line 2" in refused(*words)
    assert not (here / "bench").exists()
    told = command(*words, "--keep-going")
    assert told.code == 1
    assert "left out broken.txt: " in told.err and "line 2" in told.err
    assert told.out.splitlines()[-1] == "bench is ready"
    again = command(*words, "--keep-going")
    assert again.code == 1 and "left out broken.txt: " in again.err and "line 2" in again.err
    assert again.out.splitlines()[-1] == "bench is already there"


def test_a_clip_that_cannot_be_shown_is_exit_code_1(place: Path, here: Path) -> None:
    words = ("build", "sti", place / "walks" / "a", "--out", "bench", "--per-variant", 1, "--workers", 1)
    assert command(*words).code == 0
    (here / "bench" / "clips" / "a.mp4").write_bytes(b"no longer a video")
    asked = ("run", "bench", "--model", "endpoint/x", "--base-url", "http://127.0.0.1:9/v1", "--no-check")
    told = command(*asked, "--json")
    assert told.code == 1
    [result] = json.loads(told.out)
    assert result["states"].keys() == {"missing_media"}
    assert result["accuracy"] is None and result["tasks"] == {}
    assert "a.mp4" in told.err
    in_words = command(*asked)
    assert in_words.code == 1 and "Accuracy" not in in_words.out
    assert "no accuracy, because there are no replies" in in_words.err


def test_a_run_says_which_questions_its_figures_cover(place: Path, here: Path) -> None:
    assert command("vary", place / "bench", "--variant", "open,none_answer", "--out", "varied").code == 0
    words = ("run", "varied", "--model", "baseline/random", "--variant")
    only = command(*words, "none_answer")
    [figures] = command(*words, "none_answer", "--json").json
    items = figures["accuracy"]["items"]
    assert f"questions by variant: none answer {items}; the accuracy covers the first of these" in only.err
    both = command(*words, "base")
    assert both.code == 0 and "none_answer" in both.out
    [figures] = command(*words, "base", "--json").json
    base, other = (figures["variants"][name]["items"] for name in ("base", "none_answer"))
    assert f"questions by variant: base {base}, none answer {other}; the accuracy covers the first of these" in both.err
    assert f"the run has {base + other} asks, {base} of them from this command" in both.err
    assert figures["accuracy"]["items"] == base
    assert list(figures["variants"]) == ["base", "none_answer"]


def test_fields_of_the_body_are_text_where_json_has_no_such_value(place: Path, here: Path) -> None:
    words = ("run", place / "bench", "--model", "baseline/random", "--set", "day=2025-01-31", "--set", "top_k=5")
    told = command(*words, "--set", "stop=[a", "--json").json
    card = yaml.safe_load((here / told[0]["folder"] / "run.yaml").read_text())
    assert card["decoding"]["extra"] == {"day": "2025-01-31", "top_k": 5, "stop": "[a"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("build sti nowhere --out x", "nowhere: no such file or folder"),
        ("build sti {place}/walks --out {place}/tum.txt", "exists already and is not a benchmark"),
        ("build sti {place}/walks --out {place}/tum.txt/x", "tum.txt"),
        ("build sti {place}/walks --out {place}/bench --seed 5", "contains the benchmark of the command"),
        ("build sti {place}/walks --out x --per-variant 0", "--per-variant"),
        ("build sti {place}/walks --out x --gravity down", "gravity 'down'"),
        ("build sti {place}/walks --out x --fps -3", "--fps"),
        ("build sti {place}/walks --out x --source nothing", "--source nothing"),
        ("build sti {place}/bench/clips --out x", "no source of a known form"),
        ("vary {place}/bench --out {place}/walks", "exists"),
        ("vary {place}/walks --out x", "card.yaml"),
        ("vary {place}/bench --out {place}/tum.txt/x", "tum.txt"),
        ("vary {place}/bench --out x --variant upside_down", "--variant"),
        ("run nowhere --model baseline/random", "nowhere: no such file or folder"),
        ("vary nowhere --out x", "nowhere: no such file or folder"),
        ("run {place}/bench --model baseline/constant-Z", "no selected question has the option Z"),
        ("run {place}/bench --model baseline/constant-Z --dry-run", "choose a letter from A to "),
        ("show {place}/bench --question ''", "--question: expected the id of a question"),
        ("run {place}/bench --model gpt", "there is no model 'gpt'"),
        ("run {place}/bench --model endpoint/x", "--base-url"),
        ("run {place}/bench --model baseline/random --task Cooking", "no question of task 'Cooking'"),
        ("run {place}/bench --model baseline/random --variant open", "no question of variant 'open'"),
        ("run {place}/bench --model baseline/random --set nonsense", "--set"),
        ("run {place}/bench --model baseline/random --model baseline/constant-A --out x", "--out"),
        ("run {place}/bench --model baseline/random --frames 0", "--frames"),
        ("report {place}/bench --out x", "is not a run"),
        ("report {place}/bench --out x --frames some", "--frames"),
        ("show nowhere", "nowhere: no such file or folder"),
        ("show {place}/bench/questions.parquet", "no source of a known form"),
        ("show {place}/tum.txt --source kitti_trajectory", "line 2"),
    ],
)
def test_wrong_use_is_one_sentence(place: Path, here: Path, words: str, sentence: str) -> None:
    assert sentence in refused(*shlex.split(words.format(place=place)))
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("words", ["", "build", "sho", "show", "run bench", "build sti x --out y --kind castle"])
def test_what_cannot_be_parsed_is_exit_code_2(words: str) -> None:
    assert command(*words.split()).code == 2


@pytest.mark.parametrize("source", ["world:table:2", "{place}/walks"])
def test_a_build_without_its_family_is_told_the_whole_command(
    place: Path, here: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "500")
    source = source.format(place=place)
    told = command("build", source, "--out", "x")
    assert told.code == 2 and f"chronotope build sti {source} --out x" in told.err
    other = command("build", "nobody", "--out", "x")
    assert other.code == 2 and "No such command 'nobody'" in other.err


def test_a_choice_that_there_is_not_is_told_in_plain_words(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    told = command("build", "sti", "world:table:2", "--out", "x", "--quality", "ugly")
    assert (
        told.code == 2
        and "Invalid value for '--quality': 'ugly' is not one of 'fast', 'lit', 'full', 'photo'." in told.err
    )


class Options(BaseModel):
    """With checks of its own, of one field and of two together."""

    near: float = 1.0
    far: float = 2.0

    @field_validator("near")
    @classmethod
    def _near(cls, value: float) -> float:
        if value <= 0:
            raise ValueError("expected a distance above zero")
        return value

    @model_validator(mode="after")
    def _ordered(self) -> "Options":
        if self.near >= self.far:
            raise ValueError("--near has to be below --far")
        return self


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"near": -1.0}, "--near: expected a distance above zero, found -1.0"),
        ({"near": 3.0}, "family mine: --near has to be below --far"),
        ({"near": "x"}, "--near: Input should be a valid number, unable to parse string as a number, found 'x'"),
        ({"width": 1}, "--width: family mine does not have this setting"),
    ],
)
def test_what_is_wrong_with_a_flag_is_said_in_its_own_words(given: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        validated(Options, given, "family mine")


def test_a_flag_of_several_numbers_takes_them_separated_by_commas(place: Path, here: Path) -> None:
    told = command("build", "sti", str(place / "walks"), "--out", "x", "--spacing", "1.4, 2", "--workers", 1)
    assert told.code == 0, told.err
    spacings = {one for q in open_benchmark(here / "x").questions for one in q.tags.get("spacing", ())}
    assert spacings and {one for one in spacings if "°" not in one} <= {"1.4", "2"}
    told = command("build", "sti", str(place / "walks"), "--out", "y", "--spacing", "1.4,x")
    assert told.code == 2 and "--spacing: Input should be a valid number" in told.err


@pytest.mark.parametrize(
    ("words", "work", "how_to_go_on"),
    [
        (
            "build sti {place}/walks --out x",
            "cli.build.ct.build",
            "finished recordings are kept; the same command makes",
        ),
        ("import sti {place} --out x", "cli.import_.import_release", "run the same command again"),
        ("vary {place}/bench --out x", "cli.vary.vary", "run the same command again"),
        ("run {place}/bench --model baseline/random", "api.asking.AskedRun.ask", "run the same command again"),
        ("show {place}/tum.txt", "cli.show.load_recordings", "run the same command again"),
    ],
)
def test_an_interruption_promises_no_more_than_is_kept(
    place: Path, here: Path, words: str, work: str, how_to_go_on: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"chronotope.{work}", interrupted)
    told = command(*shlex.split(words.format(place=place)))
    assert (told.code, told.out) == (130, "")
    assert told.err.startswith(f"stopped: {how_to_go_on}") and "the same command continues" not in told.err


def test_the_installed_command_does_the_same_without_a_traceback(place: Path, tmp_path: Path) -> None:
    told = chronotope("build", "sti", "nowhere", "--out", "x", cwd=tmp_path)
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.strip() == "error: nowhere: no such file or folder"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "idle"),
    [
        ("run", ("chronotope.make", "chronotope.recording.sources", "chronotope.report", "matplotlib", "mujoco")),
        ("run", ("PIL", "scipy")),
        ("vary", ("chronotope.evaluate", "chronotope.report", "matplotlib", "mujoco")),
        ("report", ("chronotope.make", "chronotope.recording.sources", "mujoco")),
    ],
)
def test_a_command_loads_only_what_it_needs(name: str, idle: tuple[str, ...]) -> None:
    code = (
        "import sys; from typer.main import get_command; from chronotope.cli.app import app; "
        f"get_command(app).get_command(None, {name!r}); print(*[one for one in {idle!r} if one in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == []


@pytest.mark.parametrize(
    ("chosen", "threads"),
    [({}, "1"), ({"OPENBLAS_NUM_THREADS": "2"}, "2"), ({"OMP_NUM_THREADS": "2"}, "None")],
)
def test_no_threads_are_started_for_matrices(chosen: dict[str, str], threads: str) -> None:
    code = (
        "import os, sys; from chronotope.cli import main; loaded = 'numpy' in sys.modules\n"
        "try: main()\n"
        "except SystemExit: print(loaded, os.environ.get('OPENBLAS_NUM_THREADS'))"
    )
    inherited = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    told = subprocess.run(
        [sys.executable, "-c", code, "--version"], env=inherited | chosen, capture_output=True, text=True, check=True
    )
    assert told.stdout.split()[-2:] == ["False", threads]
