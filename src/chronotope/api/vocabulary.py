"""Names for flags, help and annotations of the command line: settings, tables and types of the other rooms.

What a command does is a function of this package. Each name is imported from its room when it is first used, because a
command loads only what it needs.
"""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.audit.findings import Audit, Verdict
    from chronotope.evaluate.run import Asking, MergedRuns, amount
    from chronotope.evaluate.score import FEWEST_CLUSTERS, Estimate, Scores
    from chronotope.evaluate.score.explain import Explanation
    from chronotope.families import CALLED, Family, Measure, Reference, ReleasedSet, Share, Subject, families, family
    from chronotope.families.vgenst.agents import DraftingForeseen, DraftingOutcome
    from chronotope.families.vgenst.footage import GenerationForeseen, GenerationOutcome, GenerationSettings
    from chronotope.make import Built, DescribingForeseen, DescribingOutcome, Imported, NoQuestionError, source_name
    from chronotope.methods import find_method, methods
    from chronotope.models import WAIT, Calls, Credentials, JobCalls, Number, Price, refuse_secrets, urls_of
    from chronotope.pool import check_on
    from chronotope.probe.settings import QUESTIONS, ProbeSettings
    from chronotope.protocol import AskSettings, Clips, FramesAs
    from chronotope.question import Benchmark, Question, read_card
    from chronotope.recording import Kind
    from chronotope.report import Against, AgainstTable, Report
    from chronotope.report.overview import Overview
    from chronotope.review.errors import ErrorsForeseen, ErrorsOutcome
    from chronotope.review.filters import PASSES, PassForeseen, PassOutcome, PassRecord, View
    from chronotope.review.people.figures import StageFigures
    from chronotope.review.studies.figure_table import KindFigures
    from chronotope.world import EngineName, QualityName, world_kinds

_ROOMS = {
    "chronotope.audit.findings": "Audit Verdict",
    "chronotope.evaluate.run": "Asking MergedRuns amount",
    "chronotope.evaluate.score": "FEWEST_CLUSTERS Estimate Scores",
    "chronotope.evaluate.score.explain": "Explanation",
    "chronotope.families": "CALLED Family Measure Reference ReleasedSet Share Subject families family",
    "chronotope.families.vgenst.agents": "DraftingForeseen DraftingOutcome",
    "chronotope.families.vgenst.footage": "GenerationForeseen GenerationOutcome GenerationSettings",
    "chronotope.make": "Built DescribingForeseen DescribingOutcome Imported NoQuestionError source_name",
    "chronotope.methods": "find_method methods",
    "chronotope.models": "WAIT Calls Credentials JobCalls Number Price refuse_secrets urls_of",
    "chronotope.pool": "check_on",
    "chronotope.probe.settings": "QUESTIONS ProbeSettings",
    "chronotope.protocol": "AskSettings Clips FramesAs",
    "chronotope.question": "Benchmark Question read_card",
    "chronotope.recording": "Kind",
    "chronotope.report": "Against AgainstTable Report",
    "chronotope.report.overview": "Overview",
    "chronotope.review.errors": "ErrorsForeseen ErrorsOutcome",
    "chronotope.review.people.figures": "StageFigures",
    "chronotope.review.studies.figure_table": "KindFigures",
    "chronotope.review.filters": "PASSES PassForeseen PassOutcome PassRecord View",
    "chronotope.world": "EngineName QualityName world_kinds",
}

__getattr__, __dir__ = public_names(__name__, {room: names.split() for room, names in _ROOMS.items()})
