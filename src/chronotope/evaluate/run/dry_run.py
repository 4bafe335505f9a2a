"""What a run would ask and cost, without asking."""

from dataclasses import dataclass
from pathlib import Path

from chronotope.evaluate.plan.asks import keyed_as, plan_calls
from chronotope.evaluate.plan.manifest import LEDGER, RunPrice, check_manifest, home_of, make_manifest
from chronotope.evaluate.plan.plan import Plan, shown_size, tokens_of_size
from chronotope.evaluate.plan.shown import planned_shown
from chronotope.evaluate.run.money import Budget, foreseen_money
from chronotope.evaluate.score.check_outcome import CheckOutcome
from chronotope.evaluate.score.usage import judge_money, made_here
from chronotope.ledger import answers, read_ledger
from chronotope.models import Decoding, fitting

__all__ = ["DryRun", "dry_run"]


@dataclass(frozen=True)
class DryRun:
    """What a run would ask and cost.

    ``already`` answered calls count in ``asks`` only. ``money`` is the cost by the price if every reply is as long as
    it may be; None if no price is known. ``longest_reply`` is that length in tokens, None for no bound.
    ``check_tokens`` are about those of the check that comes first, 0 if it was made or nothing is shown; no other
    figure holds them. ``spent`` is what the run has cost so far, its check and its judge included, as far as that is
    known.
    """

    asks: int
    calls: int
    already: int
    pictures: int
    tokens: int
    money: float | None
    longest_reply: int | None
    check_tokens: int
    spent: float = 0.0


def dry_run(plan: Plan, model: str, decoding: Decoding, out: Path | None, price: RunPrice | None) -> DryRun:
    """Estimate what `run` would ask now; nothing is written.

    If a check of this run has measured what a picture costs, the estimate uses that.

    Raises:
        InputError: If the folder holds another run.
    """
    decoding = fitting(model, decoding)
    card = make_manifest(plan, model, decoding, price)
    planned = plan_calls(plan, model, decoding)
    folder = out if out is not None else home_of(card, planned)
    there = check_manifest(folder, card, planned)
    planned = keyed_as((there or card).schema_version, plan, planned, model, decoding)
    lines = read_ledger(folder / LEDGER) if there is not None and (folder / LEDGER).exists() else []
    replied = answers(lines)
    calls = {one.key: one for one in planned}
    left = [one for key, one in calls.items() if key not in replied or replied[key].state != "replied"]
    pictures, tokens = sum(one.pictures for one in left), sum(one.estimated_tokens for one in left)
    checked = None if there is None or there.check is None else CheckOutcome.model_validate(there.check)
    if checked is not None and checked.tokens_per_picture is not None and pictures:
        largest = max(left, key=lambda one: one.pictures)
        estimated = tokens_of_size(*shown_size(plan, largest.ask))
        tokens += round(pictures * (checked.tokens_per_picture - estimated))
    price = price or (there.price if there is not None else None)
    longest = decoding.longest_reply[1]
    money = None if price is None else foreseen_money(price, len(left), tokens, longest or 0)
    spent = Budget(price, None, 0).count_earlier(made_here(lines), {}).spent + judge_money(lines)
    shown = planned_shown(plan) if pictures else None
    to_check = 0 if shown is None or (checked is not None and checked.covers(shown)) else shown.tokens
    already = len(calls) - len(left)
    return DryRun(len(plan.asks), len(left), already, pictures, tokens, money, longest, to_check, spent)
