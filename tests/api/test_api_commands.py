"""Each command is a function: its flags are parameters with the same names and defaults."""

import ast
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import chronotope as ct
from chronotope.api import vocabulary
from chronotope.cli.clean import clean_command
from chronotope.cli.demo import demo_command
from chronotope.cli.describe import describe_command
from chronotope.cli.export import export_command
from chronotope.cli.forge import forge_command
from chronotope.cli.import_ import import_command
from chronotope.cli.vary import vary_command

PRINTED = {"as_json", "explain", "dry_run"}
# Flags that have another name in Python, because they can be lists there or a word of a sentence.
NAMES = {"out_folder": "out", "set_field": "set", "benchmark": "bench", "variant": "variants", "folder": "out"}
# A `ModelSpec` has the key and the headers of a service, and the file of questions is a path as any other.
LEFT_OUT = {"key_variable", "header", "questions"}


@pytest.mark.parametrize(
    ("command", "function"),
    [
        (clean_command, ct.clean),
        (demo_command, ct.demo),
        (describe_command, ct.describe),
        (export_command, ct.export_release),
        (forge_command, ct.forge),
        (import_command, ct.import_release),
        (vary_command, ct.vary),
    ],
)
def test_flags_are_parameters_with_the_same_defaults(command: Callable[..., Any], function: Callable[..., Any]) -> None:
    flags = {NAMES.get(one.name, one.name): one for one in inspect.signature(command).parameters.values()}
    known = inspect.signature(function).parameters
    assert set(flags) - PRINTED - LEFT_OUT <= set(known)
    for name, flag in flags.items():
        if name in known and name != "variants" and flag.default not in (flag.empty, None):
            assert str(known[name].default) == str(flag.default), name


def test_calls_are_counted_before_they_are_made(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    bench = ct.open(folder)
    found = ct.dry_run(ct.run, bench, "openai/some", limit=4, price=(1, 2), max_cost=3)
    assert (found.model, found.calls.calls, found.max_cost) == ("openai/some", 4, 3.0)
    assert found.calls.money > 0 and found.calls.already == 0
    passes = ct.dry_run(ct.filter_pass, bench, "text-only", "openai/some", price=(1, 2))
    assert passes.calls == passes.questions == len(bench)
    with pytest.raises(ct.InputError, match=r"^function: found .*expected one of arun, describe, filter_pass"):
        ct.dry_run(ct.open, folder)
    with pytest.raises(ct.InputError, match="max_cost: Input should be greater than 0, found -1"):
        ct.run(bench, "baseline/random", max_cost=-1)


def test_variants_are_chosen_by_name(folder: Path, tmp_path: Path) -> None:
    varied = ct.vary(folder, tmp_path / "open", variants="open")
    assert set(varied.card.counts.variants) == {"base", "open"}
    with pytest.raises(ct.InputError, match=r"^variants: found 'opem': expected one or more of none_distractor"):
        ct.vary(folder, tmp_path / "x", variants="opem")


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


def test_what_a_type_checker_sees_of_the_vocabulary_is_what_it_offers() -> None:
    tree = ast.parse(Path(vocabulary.__file__).read_text(encoding="utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {node.module: {one.name for one in node.names} for node in block.body}
    assert seen == {room: set(names.split()) for room, names in vocabulary._ROOMS.items()}
    for name in set().union(*seen.values()):
        assert getattr(vocabulary, name) is not None
