"""What an earlier version has asked, made with its code: calls have the same keys, so none is made again."""

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pydantic import BaseModel

from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection, make_plan, read_manifest
from chronotope.evaluate.run import dry_run, run
from chronotope.evaluate.score import open_run
from chronotope.evaluate.score.verdicts import Verdict, verdict_key
from chronotope.families import Family
from chronotope.families.ikea.descriptions.record import StepRecord
from chronotope.families.m3.attributes.prompts import Description, Look, Profile, Purpose
from chronotope.make.rewording.wording import Matches, Wording
from chronotope.models import Decoding, Limits
from chronotope.question import Benchmark

OLD = Path(__file__).parent / "support" / "old_run"


def test_a_run_of_an_earlier_version_goes_on_without_asking_again(
    text_bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    server, out = serve(), tmp_path / "run"
    shutil.copytree(OLD, out)
    identity = read_manifest(OLD).identity

    def go_on(limit: int) -> int:
        settings, selection = tiny.RunSettings(input="blind"), Selection(limit=limit)
        outcome = run(
            text_bench, tiny, "endpoint/x", Decoding(), settings, selection, out, base_url=server.url, check=False
        )
        assert outcome.states == {"replied": limit}
        return outcome.asked

    assert go_on(6) == 0 and server.requests() == []
    assert go_on(9) == 3 and read_manifest(out).identity == identity
    assert go_on(9) == 0  # what was added has the keys of this run too
    assert read_manifest(out).schema_version == 1 and [one.reading for one in open_run(out).answered].count(None) == 0
    planned = make_plan(text_bench, tiny, tiny.RunSettings(input="blind"), Selection(limit=12), Limits())
    told = dry_run(planned, "endpoint/x", Decoding(), out, None)
    assert (told.calls, told.already) == (3, 9)


def test_a_run_takes_over_answers_of_an_earlier_version_and_gives_them_back(
    text_bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    server, old, new = serve(), tmp_path / "old", tmp_path / "new"
    shutil.copytree(OLD, old)
    ask = partial(run, text_bench, tiny, "endpoint/x", Decoding(), tiny.RunSettings(input="blind"), check=False)
    outcome = ask(Selection(limit=9), new, reuse=[old], base_url=server.url)
    assert (outcome.reused, outcome.asked, len(server.requests())) == (6, 3, 3)
    assert read_manifest(new).schema_version == 2 and len(open_run(new).answered) == 9
    outcome = ask(Selection(limit=9), old, reuse=[new], base_url=server.url)
    assert (outcome.reused, outcome.asked, len(server.requests())) == (3, 0, 3)
    assert {one.line.state for one in open_run(old).answered} == {"replied"}


def test_prompts_of_an_earlier_version_are_told_from_its_settings(
    text_bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    """Its asks do not say how they are worded; a run of its folder's schema is completed when it is read."""
    out, settings = tmp_path / "run", tiny.RunSettings(input="blind", polite=True)
    how = {"base_url": serve().url, "check": False}
    run(text_bench, tiny, "endpoint/x", Decoding(), settings, Selection(limit=3), out, **how)
    results = open_run(out)
    before = [results.parts(one.ask) for one in results.answered]
    assert [parts[0].text for parts in before] == ["Please. "] * 3
    rows = pq.read_table(out / "asks.parquet").drop_columns(["wording"])
    pq.write_table(rows.replace_schema_metadata({"chronotope.schema_version": "1"}), out / "asks.parquet")
    with pytest.raises(KeyError):
        open_run(out).parts(open_run(out).answered[0].ask)
    card = out / "run.yaml"
    card.write_text(card.read_text().replace("schema_version: 2", "schema_version: 1"))
    results = open_run(out)
    assert [results.parts(one.ask) for one in results.answered] == before


def later(family: Family) -> Family:
    """The same family with a later version of its protocol, which asks in the same words."""
    return replace(family, protocol=replace(family.protocol, version=2))


def test_a_later_protocol_that_asks_the_same_goes_on(
    text_bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the folder named, and in the one that nobody named."""
    monkeypatch.chdir(tmp_path)
    server = serve()
    for out in (tmp_path / "run", None):
        how = {"base_url": server.url, "check": False}
        ask = partial(run, text_bench, model="endpoint/x", decoding=Decoding(), out=out, **how)
        settings = tiny.RunSettings(input="blind")
        first = ask(family=tiny, settings=settings, selection=Selection(limit=6))
        assert first.asked == 6
        second = ask(family=later(tiny), settings=settings, selection=Selection(limit=9))
        assert (second.asked, second.folder) == (3, first.folder)


def test_a_later_protocol_that_asks_otherwise_is_told_how_to_take_over(
    text_bench: Benchmark, tiny: Family, serve: Callable, tmp_path: Path
) -> None:
    server = serve()
    how = {"base_url": server.url, "check": False, "out": tmp_path / "run", "decoding": Decoding()}
    settings, selection = tiny.RunSettings(input="blind"), Selection(limit=6)
    run(text_bench, tiny, "endpoint/x", settings=settings, selection=selection, **how)
    asks = tmp_path / "run" / "asks.parquet"
    rows = pq.read_table(asks)
    prompts = pa.array([prompt[::-1] for prompt in rows["prompt"].to_pylist()])
    pq.write_table(rows.set_column(rows.schema.get_field_index("prompt"), "prompt", prompts), asks)
    with pytest.raises(
        InputError, match=r"protocol.version is 1 there and 2 here.*--reuse .*run, the new run copies the answers"
    ):
        run(text_bench, later(tiny), "endpoint/x", settings=settings, selection=selection, **how)


def test_a_verdict_of_an_earlier_version_has_the_key_that_it_had() -> None:
    judge, case = "endpoint/referee", '{"reply": "about two"}'
    assert verdict_key(judge, case) == "e199826aa48352bb3d53a5820266b94363a313a2129b948c3e9e5ef0ac7b391a"
    assert verdict_key(judge, case, {}) == verdict_key(judge, case) != verdict_key(judge, case, {"seed": 1})


FORMS = {
    Description: "cdd25d25ce270ad9",
    Look: "3c774cf223ab50fa",
    Matches: "c8df3882858857a3",
    Profile: "ec46d1b5ed70b823",
    Purpose: "108326b2d5d52fad",
    StepRecord: "a354f5588338cd99",
    Verdict: "3a65ba1edc5021dc",
    Wording: "063f336d1d79a5cc",
}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_the_form_of_an_answer_is_what_earlier_versions_sent(form: type[BaseModel]) -> None:
    """Its docstring and descriptions are part of the request: other words would be asked, and paid, anew."""
    schema = json.dumps(form.model_json_schema(), sort_keys=True)
    assert hashlib.sha256(schema.encode()).hexdigest()[:16] == FORMS[form]
