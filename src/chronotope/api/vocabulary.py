"""Names for the command line besides the functions of this package: settings, types and tables of the other rooms.

Each name is imported from its room when it is first used, because a command loads only what it needs.
"""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.evaluate.plan import RunPrice, Selection
    from chronotope.evaluate.run import Asking, ImportedReplies, MethodRequest, Outcome, amount, import_replies
    from chronotope.evaluate.score import (
        FEWEST_CLUSTERS,
        CheckOutcome,
        Estimate,
        RunResults,
        Scores,
        open_run,
        score_run,
    )
    from chronotope.families import CALLED, Family, Measure, Reference, ReleasedSet, Share, Subject, families, family
    from chronotope.make import (
        BuildRequest,
        Built,
        DescribingForeseen,
        DescribingOutcome,
        Imported,
        NoQuestionError,
        build,
        is_address,
    )
    from chronotope.methods import StepKind, find_method, methods
    from chronotope.models import (
        WAIT,
        Calls,
        Credentials,
        JobCalls,
        Limits,
        ModelSpec,
        open_model,
        price_of,
        refuse_secrets,
    )
    from chronotope.probe import is_probe
    from chronotope.probe.settings import QUESTIONS, ProbeSettings, most_questions
    from chronotope.protocol import AskSettings, Clips, FramesAs, option_letters
    from chronotope.question import Benchmark, Question, find_question, open_benchmark, read_card
    from chronotope.recording import Kind, Recording, load_recording, summarise
    from chronotope.report import (
        Against,
        AgainstRow,
        AgainstTable,
        Report,
        printed_tables,
        probe_data,
        run_names,
        section_data,
    )
    from chronotope.report.overview import Overview
    from chronotope.review.filters import (
        PASSES,
        Choice,
        PassForeseen,
        PassOutcome,
        PassRecord,
        PassRequest,
        View,
        apply_records,
        foresee_pass,
        pass_shares,
        read_records,
        record_folder,
        run_pass,
        write_filtered,
    )
    from chronotope.world import EngineName, QualityName, assets_place

_ROOMS = {
    "chronotope.evaluate.plan": "RunPrice Selection",
    "chronotope.evaluate.run": "Asking ImportedReplies MethodRequest Outcome amount import_replies",
    "chronotope.evaluate.score": "FEWEST_CLUSTERS CheckOutcome Estimate RunResults Scores open_run score_run",
    "chronotope.families": "CALLED Family Measure Reference ReleasedSet Share Subject families family",
    "chronotope.make": (
        "BuildRequest Built DescribingForeseen DescribingOutcome Imported NoQuestionError build is_address"
    ),
    "chronotope.methods": "StepKind find_method methods",
    "chronotope.models": "WAIT Calls Credentials JobCalls Limits ModelSpec open_model price_of refuse_secrets",
    "chronotope.probe": "is_probe",
    "chronotope.probe.settings": "QUESTIONS ProbeSettings most_questions",
    "chronotope.protocol": "AskSettings Clips FramesAs option_letters",
    "chronotope.question": "Benchmark Question find_question open_benchmark read_card",
    "chronotope.recording": "Kind Recording load_recording summarise",
    "chronotope.report": "Against AgainstRow AgainstTable Report printed_tables probe_data run_names section_data",
    "chronotope.report.overview": "Overview",
    "chronotope.review.filters": (
        "PASSES Choice PassForeseen PassOutcome PassRecord PassRequest View apply_records foresee_pass "
        "pass_shares read_records record_folder run_pass write_filtered"
    ),
    "chronotope.world": "EngineName QualityName assets_place",
}

__getattr__, __dir__ = public_names(__name__, {room: names.split() for room, names in _ROOMS.items()})
