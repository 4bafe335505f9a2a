"""Find out why a model failed: sample its wrong answers, explain and label them, and check a judge against people."""

from __future__ import annotations  # `help` shows short names of types

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronotope.api.checked_settings import as_path, checked
from chronotope.api.options import check_names, spec_of, with_calls
from chronotope.api.reviewing import PORT, Assigned, begin_study, opened_storage, study_report
from chronotope.api.telling import Advance, advance_of, warner
from chronotope.errors import InputError
from chronotope.evaluate.plan import HUMAN
from chronotope.models import JobCalls, ModelSpec, Price, Say

if TYPE_CHECKING:
    from chronotope.evaluate.score import RunResults
    from chronotope.review.errors import ErrorsForeseen, ErrorsOutcome, ErrorsRequest
    from chronotope.review.studies.figure_table import KindFigures

_SILENT = ("baseline", HUMAN, "function")  # what cannot explain an answer


@dataclass(frozen=True)
class Labelling:
    """A study in which people label answers of a run: its invitations, and its figures so far."""

    begun: Assigned
    figures: KindFigures


@with_calls(JobCalls)
def label_errors(
    run: Path | str,
    *,
    sample: int = 200,
    seed: int = 0,
    explainer: str | ModelSpec | None = None,
    judge: str | ModelSpec | None = None,
    judge_price: Price = None,
    labels: Path | str = "error-labels",
    out: Path | str | None = None,
    progress: Advance | bool = False,
    say: Say | None = None,
    **calls: Any,
) -> ErrorsOutcome:
    """Sample wrong answers of a run evenly over tasks and scenes, and let models explain and label them.

    ``explainer`` is asked for an explanation where the run kept no reasoning: usually the model of the run itself,
    which sees its prompt and its answer again, but not the truth. ``judge`` labels each case with one of the classes in
    ``labels``, the declaration of a study (default: the three classes of STI-Bench, and others). All replies are in
    ``out`` (default: ``RUN.errors`` beside the run); the same call continues, and answered calls are never repeated.
    ``max_cost`` limits the cost of all calls. `label_study` lets people label the same cases.

    Raises:
        InputError: If the run has no wrong answers, or a model or a setting cannot be used.
        KeyboardInterrupt: If the user pressed Ctrl-C. All replies are kept.
    """
    from chronotope.review.errors import label_errors as label

    request = _request(run, locals())
    return label(replace(request, progress=advance_of(progress, "errors"), say=say or warner()))


def foresee_label_errors(
    run: Path | str, *, sample: int = 200, seed: int = 0, explainer: str | ModelSpec | None = None,
    judge: str | ModelSpec | None = None, judge_price: Price = None, labels: Path | str = "error-labels",
    out: Path | str | None = None, progress: Advance | bool = False, say: Say | None = None, **calls: Any,
) -> ErrorsForeseen:  # fmt: skip
    """Count the calls of `label_errors`; nothing is sent or written."""
    from chronotope.review.errors import foresee_errors

    return foresee_errors(_request(run, locals()))


def _request(run: Path | str, given: Mapping[str, Any]) -> ErrorsRequest:
    from chronotope.evaluate.plan import read_manifest
    from chronotope.review.app import require_app

    require_app("review")
    from chronotope.review.errors import ErrorsRequest
    from chronotope.review.people.kind_figures import published_errors

    folder = as_path(run, "run", "the path of a run folder")
    check_names(label_errors, given["calls"])
    calls: JobCalls = checked(JobCalls, given["calls"], "", "label_errors")
    of_judge: JobCalls = checked(JobCalls, given["calls"] | {"price": given["judge_price"]}, "", "label_errors")
    if given["sample"] < 1:
        raise InputError(f"found {given['sample']}", where="sample", expected="at least 1")
    specs = {name: None if given[name] is None else spec_of(given[name]) for name in ("explainer", "judge")}
    published = published_errors(read_manifest(folder).family)
    return ErrorsRequest(
        folder, _label_declaration(given["labels"]).labels, published, given["sample"], given["seed"],
        specs["explainer"], specs["judge"], calls, of_judge,
        None if given["out"] is None else as_path(given["out"], "out"),
    )  # fmt: skip


def _label_declaration(source: Path | str) -> Any:
    """Read the declaration of labels.

    Raises:
        InputError: If it is a study of another kind.
    """
    from chronotope.review.studies import CaseLabels, read_study

    found = read_study(source)
    if not isinstance(found, CaseLabels):
        raise InputError(f"{found.study} is a study of the kind {found.kind}", where="study", expected="labels")
    return found


def explains(model: str) -> bool:
    """Check whether a model of a run can be asked for explanations."""
    return model.partition("/")[0] not in _SILENT


def label_study(
    outcome: ErrorsOutcome,
    run: Path | str,
    study: Path | str = "error-labels",
    *,
    record: Path | str | None = None,
    database: str | None = None,
    host: str = "127.0.0.1",
    port: int = PORT,
    public_url: str | None = None,
    days: int = 30,
) -> Labelling:
    """Let people label the cases of `label_errors`, and return the figures so far.

    ``study`` is a YAML file of the kind ``error-labels``, or the template. The study is about the run's benchmark, and
    ``serve_review`` serves its pages. If it has begun before, the labels of the judge are brought up to date. The other
    parameters are as in `assign_study`.

    Raises:
        InputError: If the study is of another kind.
    """
    return _labelling(
        run, study, outcome.cases, {"record": record, "database": database},
        {"host": host, "port": port, "public_url": public_url, "days": days},
    )  # fmt: skip


def check_judge(
    run: Path | str,
    study: Path | str = "judge-check",
    *,
    sample: int = 200,
    seed: int = 0,
    record: Path | str | None = None,
    database: str | None = None,
    host: str = "127.0.0.1",
    port: int = PORT,
    public_url: str | None = None,
    days: int = 30,
) -> Labelling:
    """Measure the agreement of a run's judge model with people.

    The first call draws pairs of an open question and a reply that the judge has judged, and begins a study: people
    judge the pairs without seeing its verdicts. Each call returns the agreement so far, with intervals. The other
    parameters are as in `label_study`.

    Raises:
        InputError: If no judge has judged the run, or the study is of another kind.
    """
    from chronotope.review.app import require_app

    require_app("review")
    from chronotope.evaluate.score import open_run
    from chronotope.review.errors import judged_pairs

    pairs = judged_pairs(open_run(as_path(run, "run")), sample, seed)
    return _labelling(
        run, study, pairs, {"record": record, "database": database},
        {"host": host, "port": port, "public_url": public_url, "days": days},
    )  # fmt: skip


def _labelling(
    run: Path | str, study: Path | str, cases: Sequence[Any], where: Mapping[str, Any], address: Mapping[str, Any]
) -> Labelling:
    """Begin a study of labels about the benchmark of a run, or bring it up to date."""
    from chronotope.evaluate.score import open_run
    from chronotope.review.people.judged_cases import keep_judge_labels

    results: RunResults = open_run(as_path(run, "run"))
    declared = _label_declaration(study).model_copy(update={"settings": dict(results.card.protocol.settings)})
    begun = begin_study(results.benchmark, declared, cases=cases, **where, **address)
    _, opened = opened_storage(results.benchmark, **where)
    keep_judge_labels(opened, declared.study, cases)
    [figures] = study_report(results.benchmark, declared.study, **where)
    return Labelling(begun, figures)  # type: ignore[arg-type]
