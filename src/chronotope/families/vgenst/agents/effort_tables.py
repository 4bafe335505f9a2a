"""The effort of a drafting job: first-attempt passes of each agent, violations by rule, and the cost of a scene."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from chronotope.errors import InputError
from chronotope.families.vgenst.agents.drafting import DraftingOutcome
from chronotope.families.vgenst.agents.records import FOLDERS, LEDGER, SETTINGS, STAGE_NAMES, Draft, read_draft
from chronotope.families.vgenst.tasks import TYPES
from chronotope.ledger import LedgerLine, read_ledger
from chronotope.protocol import Table, percent

ALL = "all"


def effort_tables(folder: Path) -> list[Table]:
    """Make the tables of a folder with drafts.

    Works that code made count for no agent. A violation is an attempt that broke a rule. Money is None if the price
    of a call is unknown.

    Raises:
        InputError: If the folder has no drafts, or a file cannot be read.
    """
    if not (folder / SETTINGS).exists():
        raise InputError(f"{folder}: has no {SETTINGS}: name a folder with drafts")
    works = [read_draft(path) for stage in STAGE_NAMES for path in sorted((folder / FOLDERS[stage]).glob("*.json"))]
    ledger = folder / LEDGER
    lines = read_ledger(ledger) if ledger.exists() else ()
    return [_passes(works), _violations(works), _costs(works, lines)]


def _passes(works: Sequence[Draft]) -> Table:
    """Count, for each agent, its works, those accepted at the first attempt, and those never accepted."""
    written = [work for work in works if work.is_model_written]
    rows = []
    for agent in dict.fromkeys(role for work in written for role in work.models):
        own = [work for work in written if agent in work.models]
        first, never = sum(work.passed_first for work in own), sum(not work.validated for work in own)
        attempts = sum(len(work.tried) for work in own) / len(own)
        rows.append((agent, len(own), first, percent([float(work.passed_first) for work in own]), attempts, never))
    columns = ("Agent", "Works", "Accepted at first", "Share (%)", "Attempts, mean", "Never accepted")
    return Table("first-passes", "First-attempt passes of agents", columns, tuple(rows))


def _violations(works: Sequence[Draft]) -> Table:
    """Count the attempts that broke each rule, the most frequent first."""
    counts = DraftingOutcome(works, {}).violations()
    rows = tuple(sorted(counts.items(), key=lambda row: (-row[1], row[0])))
    return Table("violations", "Violations by rule", ("Rule", "Attempts"), rows)


def _costs(works: Sequence[Draft], lines: Sequence[LedgerLine]) -> Table:
    """Sum calls, tokens and money by stage, and divide them by the number of scenes."""
    scenes = len({work.item for work in works})
    by_kind: dict[str, list[LedgerLine]] = {}
    for line in lines:
        by_kind.setdefault(_stage_of(line.ask), []).append(line)
    rows = [(stage, *_sums(of, scenes)) for stage, of in by_kind.items()]
    columns = ("Stage", "Calls", "Input tokens", "Output tokens", "Money", "Money a scene")
    return Table("scene-cost", f"Cost of {scenes} scenes", columns, (*rows, (ALL, *_sums(lines, scenes))))


def _stage_of(ask: str) -> str:
    """Return what a call was for, such as "graph"; questions of all types are one stage."""
    name = ask.rpartition("--")[0].rpartition("--")[2]  # before the number of the attempt
    return "questions" if name in TYPES else name


def _sums(lines: Sequence[LedgerLine], scenes: int) -> tuple[int | float | None, ...]:
    tokens = Counter[str]()
    for line in lines:
        tokens += Counter({"in": line.input_tokens or 0, "out": line.output_tokens or 0})
    known = all(line.money is not None for line in lines)
    money = sum(line.money or 0.0 for line in lines) if known else None
    return len(lines), tokens["in"], tokens["out"], money, None if money is None or not scenes else money / scenes
