"""Each command is a function: its flags are parameters with the same names and defaults."""

import ast
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import chronotope as ct
from chronotope import api
from chronotope.api import vocabulary
from chronotope.cli.build import app as build_app
from chronotope.cli.check import check_command
from chronotope.cli.clean import clean_command
from chronotope.cli.demo import demo_command
from chronotope.cli.describe import describe_command
from chronotope.cli.export import export_command
from chronotope.cli.filter import filter_command
from chronotope.cli.forge import forge_command
from chronotope.cli.import_ import import_command
from chronotope.cli.probe import probe_command
from chronotope.cli.run import run_command
from chronotope.cli.score import score_command
from chronotope.cli.vary import vary_command
from chronotope.families import families
from chronotope.methods import methods
from chronotope.world import world_kinds
from small_sources import walk, write_tum

PRINTED = {"as_json", "explain", "dry_run"}
BUILD_STI = next(one.callback for one in build_app.registered_commands if one.name == "sti")
# Flags that have another name in Python, because they can be lists there or a word of a sentence.
NAMES = {"out_folder": "out", "set_field": "set", "benchmark": "bench", "variant": "variants", "folder": "out"}
NAMES |= {"task": "tasks", "question": "questions", "predictions": "replies", "source_name": "source_format"}
# A `ModelSpec` has the key, the headers and the fields of a service, and the workers of a model of this machine.
LEFT_OUT = {f"{model}{name}" for model in ("", "judge_", "caption_", "summary_") for name in ("key_variable", "header")}
LEFT_OUT |= {f"{model}_{name}" for model in ("judge", "caption", "summary") for name in ("base_url", "set")}
LEFT_OUT |= {"on", "workers"}
# Further functions of Python: `run_campaign` takes a file, `filter_pass` makes one pass, `write_filtered` the folder.
ELSEWHERE = {ct.run: {"file"}, ct.filter_pass: {"base_url", "passes", "out", "without", "keep"}}
ELSEWHERE |= {ct.import_release: {"questions"}}


@pytest.mark.parametrize(
    ("command", "function"),
    [
        (BUILD_STI, ct.build),
        (check_command, ct.check),
        (clean_command, ct.clean),
        (demo_command, ct.demo),
        (describe_command, ct.describe),
        (export_command, ct.export),
        (filter_command, ct.filter_pass),
        (forge_command, ct.forge),
        (import_command, ct.import_release),
        (probe_command, api.probe),
        (run_command, ct.run),
        (score_command, ct.score),
        (vary_command, ct.vary),
    ],
)
def test_flags_are_parameters_with_the_same_defaults(command: Callable[..., Any], function: Callable[..., Any]) -> None:
    known = inspect.signature(function).parameters
    of_options = {name for of in options_of(function) for name in of.model_fields}
    flags = {
        one.name if one.name in of_options else NAMES.get(one.name, one.name): one
        for one in inspect.signature(command).parameters.values()
    }
    assert set(flags) - PRINTED - LEFT_OUT - ELSEWHERE.get(function, set()) <= set(known) | of_options
    for name, flag in flags.items():
        if name in known and name != "variants" and flag.default not in (flag.empty, None, ...):  # ... is required
            assert str(known[name].default) == str(flag.default), name


def options_of(function: Callable[..., Any]) -> list[type[BaseModel]]:
    """The settings of families and methods, which a function takes beside its parameters."""
    if function is ct.build:
        return [families()["sti"].build.Options, *(kind.options for kind in world_kinds().values() if kind.options)]
    if function in (ct.run, ct.score, ct.filter_pass, ct.export):
        return [*(one.RunSettings for one in families().values()), *(one.Settings for one in methods().values())]
    return []


def test_calls_are_counted_before_they_are_made(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    bench = ct.open(folder)
    found = ct.dry_run(ct.run, bench, "openai/some", limit=4, price=(1, 2), max_cost=3)
    assert (found.model, found.calls.calls, found.max_cost) == ("openai/some", 4, 3.0)
    assert found.calls.money > 0 and found.calls.already == 0
    passes = ct.dry_run(ct.filter_pass, bench, "text-only", "openai/some", price=(1, 2))
    assert passes.calls == passes.questions == len(bench)
    with pytest.raises(ct.InputError, match=r"^function: found .*expected one of arun, describe, draft, filter_pass"):
        ct.dry_run(ct.open, folder)
    with pytest.raises(ct.InputError, match="max_cost: Input should be greater than 0, found -1"):
        ct.run(bench, "baseline/random", max_cost=-1)


def test_variants_are_chosen_by_name(folder: Path, tmp_path: Path) -> None:
    varied = ct.vary(folder, tmp_path / "open", variants="open")
    assert set(varied.card.counts.variants) == {"base", "open"}
    with pytest.raises(ct.InputError, match=r"^variants: found 'opem': expected one or more of none_distractor"):
        ct.vary(folder, tmp_path / "x", variants="opem")


def test_a_built_benchmark_has_what_was_left_out(tmp_path: Path) -> None:
    (tmp_path / "walks").mkdir()
    write_tum(tmp_path / "walks" / "c.txt", walk(3))
    (tmp_path / "walks" / "broken.txt").write_text("1.0 0 0 0 0 0 0 1\n2.0 0 0 zero 0 0 0 1\n")
    said: list[str] = []
    options = {"per_variant": 1}
    bench = ct.build("sti", tmp_path / "walks", tmp_path / "b", options=options, keep_going=True, say=said.append)
    [failure] = bench.built.failures
    assert said == [f"left out broken.txt: {failure.reason}"] and "line 2" in failure.reason
    assert not bench.built.already_there and ct.open(tmp_path / "b").built is None
    with pytest.warns(UserWarning, match=r"^left out broken\.txt: "):
        again = ct.build("sti", tmp_path / "walks", tmp_path / "b", options=options, keep_going=True)
    assert again.built.already_there and len(list(again.recordings())) == 1
    assert next(again.recordings()).summary()["id"] == "c"


def test_an_engine_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ct.InputError, match=r"^engine: found 'warp': expected one of own, thor"):
        ct.build("sti", "world:table:1", tmp_path / "out", engine="warp")


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("profile", "pure", "profile: Input should be 'strict', 'paper' or 'extended', found 'pure'"),
        ("seed", "a", "seed: expected a whole number, found 'a'"),
        ("workers", 0, "workers: Input should be greater than or equal to 1, found 0"),
        ("fps", "x", "fps: expected a number, found 'x'"),
        ("source", None, "source: found None: expected a path"),
        ("sed", 1, "sed: there is no such option; did you mean 'seed'?"),
        ("max_cost", 1, "max_cost: is a setting of a writer: add writer='endpoint/NAME', or omit it"),
        ("base_url", "http://x", "base_url: is a setting of a writer: add writer='endpoint/NAME', or omit it"),
    ],
)
def test_options_of_a_build_are_checked_before_its_work(tmp_path: Path, option: str, value: Any, words: str) -> None:
    with pytest.raises(ct.InputError, match=f"^{re.escape(words)}"):
        ct.build(**{"family": "sti", "source": "world:table:1", "out": tmp_path / "out", option: value})
    assert not (tmp_path / "out").exists()


def test_options_of_other_functions_are_checked(folder: Path, tmp_path: Path) -> None:
    for words, call in (
        ("variants: found 3: expected one or more of", lambda: ct.vary(folder, tmp_path / "v", variants=3)),
        ("variants: found [['open']]: ", lambda: ct.vary(folder, tmp_path / "v", variants=[["open"]])),
        ("rule: found 'x': expected one of ours, paper", lambda: ct.vary(folder, tmp_path / "v", rule="x")),
        ("function: found []: expected one of arun", lambda: ct.dry_run([])),
        ("model: found 3: expected a name such as", lambda: ct.probe(folder, 3, "hidden")),
        ("pictures: found 0: expected a whole number", lambda: ct.check(lambda ask: "7", pictures=0)),
        ("modle: there is no such option; did you mean 'model'?", lambda: ct.describe(folder, "a", "b", modle=1)),
        ("judge_price: is a setting of a judge", lambda: ct.run(folder, "baseline/random", judge_price=(1, 1))),
        ("judge_price: is a setting of a judge", lambda: ct.score(folder, {"x": "A"}, judge_price=(1, 1))),
        ("at_once: cannot be used with this kind of model", lambda: ct.run(folder, "baseline/random", at_once=4)),
    ):
        with pytest.raises(ct.InputError, match=f"^{re.escape(words)}"):
            call()
    assert not (tmp_path / "v").exists()


def test_one_format_of_a_report_is_a_text(folder: Path, tmp_path: Path) -> None:
    run = ct.run(folder, "baseline/random", limit=3, out=tmp_path / "run")
    ct.report(run, tmp_path / "report", frames="none", formats="csv")
    assert list((tmp_path / "report").rglob("*.csv"))
    assert ct.report(tmp_path, tmp_path / "again", frames="none").is_file(), "a folder with runs"


def test_what_a_type_checker_sees_of_the_vocabulary_is_what_it_offers() -> None:
    tree = ast.parse(Path(vocabulary.__file__).read_text(encoding="utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {node.module: {one.name for one in node.names} for node in block.body}
    assert seen == {room: set(names.split()) for room, names in vocabulary._ROOMS.items()}
    for name in set().union(*seen.values()):
        assert getattr(vocabulary, name) is not None
