"""``chronotope run --file``: the runs of a campaign, and their report."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from chronotope.api.campaign import CampaignRun, PlannedRun, ask_campaign, plan_campaign, report_of
from chronotope.api.campaign_file import CampaignFile, read_campaign
from chronotope.api.vocabulary import amount
from chronotope.cli.console import PROBLEM, emit_json, note, progress_bar, table, warn
from chronotope.cli.report import tell_report


def run_campaign(path: Path, *, dry_run: bool, as_json: bool) -> None:
    """Make or foresee all runs of a campaign, and write their report."""
    file = read_campaign(path)
    planned = plan_campaign(file, to_ask=not dry_run)
    if dry_run:
        _tell_foreseen(file, planned, as_json=as_json)
        return
    asked: list[CampaignRun] = []
    for one in ask_campaign(planned, file.max_cost, progress_bar, warn):
        asked.append(one)
        for problem in one.problems:
            warn(f"{one.planned.name}: {problem}")
    _report(file, planned, asked, as_json=as_json)
    if not all(one.complete for one in asked):
        raise typer.Exit(PROBLEM)


def _report(file: CampaignFile, planned: list[PlannedRun], asked: list[CampaignRun], *, as_json: bool) -> None:
    """Write the report of all runs with a folder; print it."""
    with progress_bar("writing the report") as advance:
        report = report_of(file, planned, advance)
    spent = asked[-1].spent if asked else sum(one.foreseen.spent for one in planned)
    if as_json:
        emit_json(
            {
                "runs": [_outcome(one) for one in asked],
                "spent": spent,
                "max_cost": file.max_cost,
                "report": None if report is None else str(report.index),
            }
        )
        return
    complete = sum(one.complete for one in asked)
    limit = "" if file.max_cost is None else f" of {file.max_cost:g} (max_cost)"
    note(f"{complete} of {len(planned)} runs are complete; money {amount(spent)}{limit}", "dim")
    if report is not None:
        tell_report(report)


def _outcome(one: CampaignRun) -> dict[str, Any]:
    outcome = one.outcome
    return {
        "name": one.planned.name,
        "model": one.planned.model,
        "folder": str(one.planned.folder),
        "complete": one.complete,
        "states": {} if outcome is None else outcome.states,
        "asked": 0 if outcome is None else outcome.asked,
        "problems": list(one.problems),
    }


def _tell_foreseen(file: CampaignFile, planned: list[PlannedRun], *, as_json: bool) -> None:
    """Print the calls of all runs, and their sums."""
    counts = ("asks", "calls", "already", "pictures", "tokens", "check_tokens")
    sums = {name: sum(getattr(one.foreseen, name) for one in planned) for name in (*counts, "in_jobs")}
    costs = [0.0 if one.free else one.foreseen.money for one in planned]
    money, check_money = _sum(costs), _sum([one.check_money for one in planned])
    spent = sum(one.foreseen.spent for one in planned)
    if as_json:
        runs = [
            {"name": one.name, "model": one.model, "folder": str(one.folder)} | asdict(one.foreseen) for one in planned
        ]
        emit_json(
            {
                "runs": runs,
                "sum": sums | {"money": money, "check_money": check_money, "spent": spent},
                "max_cost": file.max_cost,
            }
        )
        return
    shown = [asdict(one.foreseen) for one in planned] + [sums]
    names = [*(one.name for one in planned), "all runs"]
    rows = [
        [name, *(f"{_before(one) if count == 'already' else one[count]:,}" for count in counts), amount(cost)]
        for name, one, cost in zip(names, shown, [*costs, money], strict=True)
    ]
    columns = [
        "run",
        "asks",
        "calls",
        "answered before",
        "pictures",
        "tokens (estimated)",
        "of checks",
        "money (estimated)",
    ]
    table(f"Planned calls of {len(planned)} runs", columns, rows, bold=[len(rows) - 1])
    held = [one.foreseen.in_jobs_money for one in planned if one.foreseen.in_jobs]
    if held:
        cost = amount(None if None in held else sum(cost or 0.0 for cost in held))
        note(f"calls in batch jobs that have not ended: {sums['in_jobs']:,}, for at most {cost}", "dim")
    if file.max_cost is not None:
        total = _sum([money, check_money])
        note(_within(file.max_cost, spent, total, sum(cost or 0.0 for cost in held)), "dim")


def _before(counted: Mapping[str, int]) -> int:
    """Return the number of calls with an answer of an earlier command."""
    return counted["already"] - counted["in_jobs"]


def _sum(costs: Sequence[float | None]) -> float | None:
    """Add costs; the sum is None if a cost is not known."""
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _within(limit: float, spent: float, money: float | None, held: float) -> str:
    """Describe whether all remaining calls, with the checks, fit into max_cost."""
    told = f"the limit of all runs is {limit:g} (max_cost), of which {amount(spent)} is spent"
    if money is None:
        return f"{told}; give each model its price to see whether the other calls fit"
    fits = spent + held + money <= limit
    return f"{told}: " + ("they fit" if fits else "they may not fit; the campaign would stop at the limit")
