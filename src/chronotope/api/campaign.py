"""A campaign: all runs of a file, with one dry run, one budget and one report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from chronotope.api.asking import run_request_of
from chronotope.api.campaign_file import KEYS, CampaignFile, Cell, in_keys, read_campaign
from chronotope.api.checked_settings import as_path, fault_of, unknown
from chronotope.api.judging import TakenJudge, take_judge
from chronotope.api.telling import Advance, Bar, advance_of, bar_of, warner
from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection
from chronotope.evaluate.run import (
    CHECK_CALLS,
    DryRun,
    JudgeOutcome,
    Outcome,
    RunRequest,
    check_self_evaluation,
    foresee,
    money_spent,
    run_request,
)
from chronotope.families import Family, family
from chronotope.models import Calls, ModelSpec, OverBudgetError, Say, foreseen_money, is_service
from chronotope.protocol import AskSettings
from chronotope.question import Benchmark, open_benchmark

if TYPE_CHECKING:
    from chronotope.report import Report


@dataclass(frozen=True)
class PlannedRun:
    """One run of a campaign, with its settings checked and its calls counted.

    ``name`` names its benchmark, model and settings. ``foreseen`` are the calls that the run still needs.
    """

    name: str
    model: str
    request: RunRequest
    judge: TakenJudge | None
    folder: Path
    foreseen: DryRun

    @property
    def free(self) -> bool:
        """Check whether the calls cost nothing.

        Calls cost nothing if the model needs no service, or if its price is 0.
        """
        price = self.request.calls.price
        return not is_service(self.model) or (price is not None and price.input == price.output == 0)

    @property
    def check_money(self) -> float | None:
        """Return the highest cost of the check before the run.

        The value is None if the price is not known.
        """
        price, tokens = self.request.calls.price, self.foreseen.check_tokens
        if self.free or not tokens:
            return 0.0
        if price is None:
            return None
        return foreseen_money(price, CHECK_CALLS, tokens, self.foreseen.longest_reply or 0)


@dataclass(frozen=True)
class CampaignRun:
    """A run of a campaign after its calls.

    ``outcome`` is None if the run was not asked, or ended with an error; ``problems`` has the reason. ``spent`` is the
    cost of the campaign so far.
    """

    planned: PlannedRun
    outcome: Outcome | None
    judged: JudgeOutcome | None
    problems: tuple[str, ...]
    spent: float

    @property
    def complete(self) -> bool:
        """Check whether every ask has a reply and a verdict.

        Only open answers that the rules cannot judge need a verdict.
        """
        replied = self.outcome is not None and not set(self.outcome.states) - {"replied"}
        judged = self.planned.judge is None or (self.judged is not None and not self.judged.without)
        return replied and judged


def plan_campaign(file: CampaignFile, *, to_ask: bool = True) -> list[PlannedRun]:
    """Check and count all runs of a campaign.

    Nothing is sent or written. If ``to_ask`` is false, no API key is needed.

    Raises:
        InputError: If a benchmark, a model or an option cannot be used, the folder of the runs or of the report has
            other content, a run folder contains another run, or two runs would be the same.
    """
    _check_folders(file)
    opened: dict[Path, Benchmark] = {}
    planned: list[PlannedRun] = []
    cells: dict[Path, Cell] = {}
    for cell in file.cells:
        if cell.benchmark not in opened:
            opened[cell.benchmark] = open_benchmark(cell.benchmark)
        one = _planned(file, cell, opened[cell.benchmark], to_ask=to_ask)
        if one.folder in cells:
            first, second = _differing(cells[one.folder], cell)
            raise InputError(
                f"gives the same run of {cell.model.name} as {first}, because answers depend on nothing that differs",
                where=f"{file.path}: {second}",
                fix="remove one of them, or join them",
            )
        cells[one.folder] = cell
        planned.append(one)
    return planned


def _check_folders(file: CampaignFile) -> None:
    """Check the folders of the runs and of the report.

    Raises:
        InputError: If one of the folders is inside a benchmark, a run or the other folder, or has other content.
    """
    from chronotope.report.out.report_folder import check_out  # loads the library for plots

    for key, folder in (("runs", file.runs), ("report", file.report)):
        where, fix = f"{file.path}: {key}", f"choose another folder with {key}"
        for place in (folder.resolve(), *folder.resolve().parents):
            if place.is_file():
                raise InputError(f"{place} is a file, expected a folder", where=where, fix=fix)
            for card, what in (("card.yaml", "benchmark"), ("run.yaml", "run")):
                if (place / card).is_file():
                    raise InputError(f"{folder} is in the folder of a {what}, {place}", where=where, fix=fix)
    if file.runs.resolve().is_relative_to(file.report.resolve()):
        raise InputError(
            f"{file.report} would contain the runs, but a report replaces its folder",
            where=f"{file.path}: report",
            fix="choose another folder with report",
        )
    try:
        check_out(file.report, "choose another folder with report")
    except InputError as error:
        raise InputError(str(error), where=f"{file.path}: report") from error


def ask_campaign(
    planned: Sequence[PlannedRun], max_cost: float | None, bar: Bar, say: Say | None = None
) -> Iterator[CampaignRun]:
    """Make the calls of a campaign, run by run.

    ``max_cost`` limits the cost of all runs, with the cost that their ledgers have already. After a run was stopped by
    this limit, only runs that cost nothing are asked. If the model of a run cannot be asked, the other runs are asked.

    Raises:
        KeyboardInterrupt: If the user pressed Ctrl-C. All answers so far are kept.
    """
    spent = {one.folder: one.foreseen.spent for one in planned}
    stopped = False
    for one in planned:
        left = None if max_cost is None else max_cost - sum(spent.values()) + spent[one.folder]
        if left is not None and not one.free and one.foreseen.calls and (stopped or left <= spent[one.folder]):
            yield CampaignRun(one, None, None, (f"not asked because {_limit(max_cost, stopped)}",), sum(spent.values()))
            continue
        outcome, judged, problems = None, None, ()
        try:
            outcome = _asked(one, left, bar, say)
            problems = outcome.problems
            if one.judge is not None and not outcome.interrupted and left is not None and left <= 0:
                problems = (*problems, f"not judged because {_limit(max_cost, stopped)}")
            elif one.judge is not None and not outcome.interrupted:
                judged = _judged(one, one.judge, left, bar, say)
                problems = (*problems, *judged.problems)
        except InputError as error:
            stopped = stopped or isinstance(error, OverBudgetError)
            problems = (*problems, str(error))
        problems = tuple(in_keys(problem, one.request.family.RunSettings.model_fields) for problem in problems)
        stopped = stopped or (outcome is not None and "not_asked" in outcome.states)
        spent[one.folder] = money_spent(one.folder, one.request.calls.price)
        yield CampaignRun(one, outcome, judged, problems, sum(spent.values()))
        if (outcome is not None and outcome.interrupted) or (judged is not None and judged.interrupted):
            raise KeyboardInterrupt


def _limit(max_cost: float | None, stopped: bool) -> str:
    why = "an earlier run stopped at its limit" if stopped else "it is used up"
    return f"of max_cost {max_cost:g}: {why}; the same command with a larger limit continues"


def _within(calls: Calls, max_cost: float | None) -> Calls:
    return calls.model_copy(update={"max_cost": max_cost})


def _asked(one: PlannedRun, left: float | None, bar: Bar, say: Say | None) -> Outcome:
    """Make the calls of one run."""
    with bar(one.name) as progress:
        most = None if one.free else left
        return run_request(replace(one.request, calls=_within(one.request.calls, most), progress=progress, say=say))


def _judged(one: PlannedRun, judge: TakenJudge, left: float | None, bar: Bar, say: Say | None) -> JudgeOutcome:
    """Make the calls to the judge of one run."""
    with bar(f"{one.name}: judging by {judge.spec.name}") as progress:
        return judge.ask(one.folder, progress, say, _within(judge.how.calls, left))


def _judge(file: CampaignFile, spec: ModelSpec, request: RunRequest) -> TakenJudge:
    beside = [request.model] if isinstance(request.model, ModelSpec) else []
    return take_judge(spec, request.calls, file.judge_price, beside, to_ask=request.to_ask)


def _planned(file: CampaignFile, cell: Cell, benchmark: Benchmark, *, to_ask: bool) -> PlannedRun:
    """Check and count one run."""
    chosen = family(benchmark.card.family)
    settings = _settings(file, cell, chosen)
    options = cell.options
    where = f"{file.path}: {cell.entries}"
    selection = Selection(options.task, options.limit, options.variant)
    request = run_request_of(
        benchmark, cell.model, options, settings, selection, options.body, runs=file.runs, to_ask=to_ask,
        calls=_within(options.calls, file.max_cost),
    )  # fmt: skip
    try:
        judge = None if file.judge is None else _judge(file, file.judge, request)
        check_self_evaluation(
            chosen, cell.model.name, None if judge is None else judge.spec.name, settings, benchmark.questions
        )
        folder, foreseen = foresee(request)
    except InputError as error:
        raise InputError(in_keys(str(error), chosen.RunSettings.model_fields), where=where) from error
    name = " · ".join(filter(None, (benchmark.card.name, cell.model.name, cell.told)))
    return PlannedRun(name, cell.model.name, request, judge, folder, foreseen)


def _settings(file: CampaignFile, cell: Cell, chosen: Family) -> AskSettings:
    """Return the settings of a family, from all other keys."""
    fields = chosen.RunSettings.model_fields
    for name in cell.family:
        if name not in fields:
            where = f"{file.path}: {cell.places[name]}, family {chosen.name}"
            raise unknown(f"there is no key {str(name)!r}", str(name), [*KEYS, *fields], where)
    try:
        return chosen.RunSettings.model_validate(dict(cell.family))
    except ValidationError as error:
        name, fault, found = fault_of(error)
        where = f"{file.path}: {cell.places[name]}: {name}" if name else f"{file.path}: {cell.entries}"
        raise InputError(f"{fault}, found {found!r}" if name else fault, where=where) from None


def _differing(one: Cell, other: Cell) -> tuple[str, str]:
    """Return the entries in which two cells differ, as text."""
    both = [(first, second) for first, second in zip(one.place, other.place, strict=True) if first != second]
    return ", ".join(first for first, _ in both), ", ".join(second for _, second in both)


@dataclass(frozen=True)
class Campaign:
    """The runs of a campaign after their calls, and the page of their report, if any run has a folder."""

    runs: tuple[CampaignRun, ...]
    report: Path | None


def run_campaign(file: Path | str, *, progress: bool = False, say: Say | None = None) -> Campaign:
    """Make all runs of a campaign file, and write their report.

    The same call continues; answered calls are never repeated. ``say`` is called with each remark; without ``say``,
    remarks are warnings. With ``progress``, lines about the progress are written to standard error.

    Raises:
        InputError: If the file, a benchmark, a model or an option cannot be used.
        KeyboardInterrupt: If the user pressed Ctrl-C. All answers so far are kept.
    """
    read, tell = read_campaign(as_path(file, "file")), say or warner()
    planned = plan_campaign(read)
    asked: list[CampaignRun] = []
    for one in ask_campaign(planned, read.max_cost, bar_of(progress), tell):
        asked.append(one)
        for problem in one.problems:
            tell(f"{one.planned.name}: {problem}")
    report = report_of(read, planned, advance_of(progress, "writing the report"))
    return Campaign(tuple(asked), None if report is None else report.index)


def report_of(file: CampaignFile, planned: Sequence[PlannedRun], progress: Advance | None) -> "Report | None":
    """Write the report of all runs that have a folder.

    Returns None if no run has a folder.
    """
    from chronotope.report import write_report  # loads the library for plots

    folders = [one.folder for one in planned if one.folder.exists()]
    return write_report(folders, file.report, progress=progress) if folders else None


def foresee_campaign(file: Path | str, *, progress: bool = False, say: Say | None = None) -> list[PlannedRun]:
    """Count the calls of `run_campaign`; nothing is sent or written."""
    return plan_campaign(read_campaign(as_path(file, "file")), to_ask=False)
