"""All of Chronotope for Python: ``import chronotope as ct`` offers the names of this package.

``open``, ``build`` and ``score`` begin with a benchmark, ``run`` and ``arun`` ask a model, ``compare`` and ``report``
show runs. The names are imported when they are first used, so importing ``chronotope`` loads no library.
"""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.api.auditing import audit
    from chronotope.api.benchmarks import Benchmark, build, open, world  # noqa: A004 - users write `ct.open`
    from chronotope.api.campaign import run_campaign
    from chronotope.api.capacity import plan_build, plan_run
    from chronotope.api.checking import check
    from chronotope.api.comparing import compare, explain, merge, report
    from chronotope.api.demo_steps import demo
    from chronotope.api.describing import describe
    from chronotope.api.drafting import draft
    from chronotope.api.exporting import export
    from chronotope.api.failing import check_judge, label_errors, label_study
    from chronotope.api.filtering import Filters, filter_pass, write_filtered
    from chronotope.api.foreseeing import dry_run
    from chronotope.api.generating import generate
    from chronotope.api.making import clean, forge, import_release, vary
    from chronotope.api.opened_run import Run, runs
    from chronotope.api.playing import play
    from chronotope.api.probing import probe
    from chronotope.api.publishing import publish
    from chronotope.api.recordings import load_recording, load_recordings
    from chronotope.api.reviewing import (
        assign_study,
        export_study,
        resolve_study,
        serve_review,
        study_report,
    )
    from chronotope.api.running import arun, run, score
    from chronotope.errors import InputError
    from chronotope.models import Asked, FunctionModel, Model, ModelSpec

__all__ = [
    "Asked",
    "Benchmark",
    "Filters",
    "FunctionModel",
    "InputError",
    "Model",
    "ModelSpec",
    "Run",
    "arun",
    "assign_study",
    "audit",
    "build",
    "check",
    "check_judge",
    "clean",
    "compare",
    "demo",
    "describe",
    "draft",
    "dry_run",
    "explain",
    "export",
    "export_study",
    "filter_pass",
    "forge",
    "generate",
    "import_release",
    "label_errors",
    "label_study",
    "load_recording",
    "load_recordings",
    "merge",
    "open",
    "plan_build",
    "plan_run",
    "play",
    "probe",
    "publish",
    "report",
    "resolve_study",
    "run",
    "run_campaign",
    "runs",
    "score",
    "serve_review",
    "study_report",
    "vary",
    "world",
    "write_filtered",
]

__getattr__, __dir__ = public_names(
    __name__,
    {
        ".auditing": ("audit",),
        ".benchmarks": ("Benchmark", "build", "open", "world"),
        ".campaign": ("run_campaign",),
        ".capacity": ("plan_build", "plan_run"),
        ".checking": ("check",),
        ".comparing": ("compare", "explain", "merge", "report"),
        ".demo_steps": ("demo",),
        ".exporting": ("export",),
        ".failing": ("check_judge", "label_errors", "label_study"),
        ".filtering": ("Filters", "filter_pass", "write_filtered"),
        ".foreseeing": ("dry_run",),
        ".describing": ("describe",),
        ".drafting": ("draft",),
        ".generating": ("generate",),
        ".making": ("clean", "forge", "import_release", "vary"),
        ".opened_run": ("Run", "runs"),
        ".playing": ("play",),
        ".probing": ("probe",),
        ".publishing": ("publish",),
        ".recordings": ("load_recording", "load_recordings"),
        ".reviewing": ("assign_study", "export_study", "resolve_study", "serve_review", "study_report"),
        ".running": ("arun", "run", "score"),
        "chronotope.errors": ("InputError",),
        "chronotope.models": ("Asked", "FunctionModel", "Model", "ModelSpec"),
    },
)
