"""The command ``chronotope build``, with one subcommand for each family."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from chronotope.api.recordings import given_facts
from chronotope.api.vocabulary import (
    CALLED,
    BuildRequest,
    Credentials,
    EngineName,
    Family,
    JobCalls,
    ModelSpec,
    NoQuestionError,
    QualityName,
    Subject,
    build,
    families,
)
from chronotope.cli.beside_paper import tell_counts, tell_printed_shares
from chronotope.cli.console import PROBLEM, command, emit_json, note, out, progress_bar, table
from chronotope.cli.flags import Group, listed_fields, validated, with_flags
from chronotope.cli.listing import tell_by_task
from chronotope.cli.source import FpsFlag, GravityFlag, KindFlag, SourceFlag
from chronotope.errors import visible

if TYPE_CHECKING:
    from chronotope.api.vocabulary import Built


class _Families(Group):
    """The families as subcommands.

    If the user names a source instead of a family, the error shows the correct command.
    """

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the subcommand from the words of the command line."""
        first = args[0]
        if self.get_command(ctx, first) is None and (first.startswith("world:") or Path(first).exists()):
            writers = [one for one in families().values() if one.build.write and one.build.subject == "scene"]
            of_recordings = (one.name for one in writers if not one.build.joins_states)
            meant = shlex.join(["chronotope", "build", next(of_recordings), *args])
            ctx.fail(f"{first!r} is a source, expected a family before it: {visible(meant)}")
        if first in families() and self.get_command(ctx, first) is None:
            ctx.fail(f"questions of {first} cannot be built; import its released set: chronotope import {first}")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_Families,
    no_args_is_help=True,
    add_completion=False,
    help="Build a question set with exact ground truth from recordings or manuals.\n\n"
    "Example: chronotope build sti clips --out bench",
)

_WorkersFlag = Annotated[int | None, typer.Option(help="worker processes (default: one for each core)", min=1)]
_QualityFlag = Annotated[
    QualityName | None,
    typer.Option(
        help="quality of rendered worlds: photo (baked light, only homes; their default if Embree is installed), full "
        "(default of others), fast for a quick preview, or lit (a preview of homes with coarse baked light)",
        rich_help_panel="Simulated worlds",
    ),
]
_AssetsFlag = Annotated[
    Path | None,
    typer.Option(
        help="a folder of chronotope forge: homes get furniture from it (default: without --quality, the folder that "
        "chronotope forge fills without --out, if it is there)",
        rich_help_panel="Simulated worlds",
    ),
]
_EngineFlag = Annotated[
    EngineName,
    typer.Option(
        help="what films world:house: own, or thor for AI2-THOR (extra thor and a Unity build), which takes house "
        "files of ProcTHOR, names of its scenes such as FloorPlan1, or their number",
        rich_help_panel="Simulated worlds",
    ),
]
_WriterFlag = Annotated[
    str | None,
    typer.Option(
        help="a model, endpoint/NAME, that rewords the names of things (and checks the new names with pictures), or "
        "describes the diagrams of manuals",
        rich_help_panel="Wording",
    ),
]
_WriterUrlFlag = Annotated[
    str | None,
    typer.Option(help="base URL of the writer's service, without /chat/completions", rich_help_panel="Wording"),
]


_WriterKeyFlag = Annotated[
    str | None,
    typer.Option(
        help="the environment variable with the API key for the writer's service (default: the provider's variable)",
        rich_help_panel="Wording",
    ),
]
_WriterHeaderFlag = Annotated[
    list[str] | None,
    typer.Option(
        help="'Name: value', a header of each request to the writer; can be repeated", rich_help_panel="Wording"
    ),
]


_SOURCES: dict[Subject, str] = {
    "scene": "a recording, a folder of recordings, or simulated scenes such as world:table:8",
    "procedure": "a folder with procedure.yaml, a folder of such folders, or IKEA Manuals at Work",
}
_EXAMPLES: dict[Subject, tuple[str, ...]] = {
    "scene": ("clips --out bench --profile strict --explain", "world:table:8 --out tables --quality fast"),
    "procedure": ("manuals --out bench --explain", "manuals --out bench --writer endpoint/NAME --base-url URL"),
}
# What a family whose scenes have several states takes, and its examples.
_STATES = "recordings of homes in two states, or simulated homes such as world:house:4"
_OF_STATES = (
    "world:house:4 --out homes --quality fast",
    "homes/recordings --out bench --explain",
    "world:house:house.json --out homes --engine thor",
)
# Flags that only recordings need.
_NOT_OF: dict[Subject, tuple[str, ...]] = {
    "scene": (),
    "procedure": ("fps", "kind", "gravity", "quality", "assets", "engine"),
}


def _help_of(family: Family) -> str:
    words_of = _OF_STATES if family.build.joins_states else _EXAMPLES[family.build.subject]
    examples = (f"Example: chronotope build {family.name} {words}" for words in words_of)
    return "\n\n".join([f"{family.title}.", *examples])


def _register(family: Family) -> None:
    def run(
        source: Annotated[
            str, typer.Argument(help=_STATES if family.build.joins_states else _SOURCES[family.build.subject])
        ],
        out_folder: Annotated[Path, typer.Option("--out", help="the benchmark folder to make")],
        seed: Annotated[int, typer.Option(help="seed of all random choices; another seed gives other questions")] = 0,
        profile: Annotated[
            Literal["strict", "paper", "extended"],
            typer.Option(help="strict avoids the paper's known defects, paper has them, extended adds questions"),
        ] = "strict",
        workers: _WorkersFlag = None,
        keep_going: Annotated[
            bool, typer.Option("--keep-going", help=f"skip each {CALLED[family.build.subject]} that fails")
        ] = False,
        explain: Annotated[
            bool, typer.Option("--explain", help="show the number of refused questions for each reason")
        ] = False,
        as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
        fps: FpsFlag = None,
        kind: KindFlag = None,
        gravity: GravityFlag = None,
        source_name: SourceFlag = None,
        quality: _QualityFlag = None,
        assets: _AssetsFlag = None,
        engine: _EngineFlag = "own",
        writer: _WriterFlag = None,
        base_url: _WriterUrlFlag = None,
        key_variable: _WriterKeyFlag = None,
        header: _WriterHeaderFlag = None,
        **fields: Any,
    ) -> None:
        calls = {name: fields.pop(name) for name in JobCalls.model_fields}
        validated(family.build.Options, fields, f"family {family.name}")
        request = BuildRequest(
            family=family.name,
            source=source,
            out=out_folder,
            seed=seed,
            profile=profile,
            options=listed_fields(family.build.Options, fields),
            given=given_facts(fps, kind, gravity),
            source_name=source_name,
            quality=quality,
            assets=assets,
            engine=engine,
            writer=_writer(writer, base_url, key_variable, header),
            writer_calls=_writer_calls(writer, base_url, calls),
        )
        with progress_bar(f"building {request.called}") as advance, _causes_told(family, explain and not as_json):
            built = build(request, workers=workers, keep_going=keep_going, progress=advance)
        _tell(family, built, explain=explain, as_json=as_json)
        if built.failures:
            raise typer.Exit(PROBLEM)

    _add_command(family, run)


def _add_command(family: Family, run: Callable[..., None]) -> None:
    """Add the command of a family, with a flag for each of its options."""
    run.__name__ = family.name
    run.__doc__ = _help_of(family)
    options = {f"Questions of {family.name}": family.build.Options, "Wording": JobCalls}
    flagged = with_flags(run, options, leave_out=_NOT_OF[family.build.subject])
    app.command(family.name)(
        command(flagged, f"finished {CALLED[family.build.subject]}s are kept; the same command makes the others")
    )


def _writer_calls(writer: str | None, base_url: str | None, calls: dict[str, Any]) -> JobCalls:
    from chronotope.api.options import check_writer  # loads much that --help does not need

    given = validated(JobCalls, calls, "chronotope build")
    check_writer(writer, given, base_url, lambda name: f"--{name.replace('_', '-')}", "--writer")
    return given


def _writer(
    name: str | None, base_url: str | None, key_variable: str | None, headers: list[str] | None
) -> ModelSpec | None:
    """Return the writer, or None if no flag names it."""
    given = Credentials(key_variable, tuple(headers or ()))
    return None if name is None else ModelSpec(name, base_url, credentials=None if given == Credentials() else given)


def _tell(family: Family, built: "Built", *, explain: bool, as_json: bool) -> None:
    """Print the result of a build.

    Remarks go to standard error, and numbers go to standard output.
    """
    card = built.card
    if as_json:
        emit_json(
            {
                "folder": str(built.folder),
                "already_there": built.already_there,
                "card": card.model_dump(mode="json"),
                "notes": {name: list(notes) for name, notes in built.notes.items()},
                "failures": [{"source": f.source, "reason": f.reason} for f in built.failures],
            }
        )
        return
    for name, notes in built.notes.items():
        for text in notes:
            note(text if text.startswith(name) else f"{name}: {text}", "dim")
    for failure in built.failures:
        note(f"left out {failure.source}: {failure.reason}", "yellow")
    benchmark = built.benchmark
    released = None if family.paper.reference is None else family.paper.reference().released
    if released is not None and card.profile == "paper" and not released.is_foreign(benchmark.questions):
        tell_counts(benchmark, released)
    else:
        tell_by_task(benchmark.card.name, benchmark.questions, "scene" if released is None else released.by)
    tell_printed_shares(benchmark)
    if explain:
        _explain(family, card.refusals)
    word = "is already there" if built.already_there else "is ready"
    out.print(f"{built.folder} {word}", markup=False)


@contextmanager
def _causes_told(family: Family, explain: bool) -> Iterator[None]:
    """Print the causes if no question could be written.

    The causes are the notes about the sources and, with ``explain``, the table of refusals.
    """
    try:
        yield
    except NoQuestionError as error:
        for text in error.notes:
            note(text, "dim")
        if explain:
            _explain(family, error.refusals)
        else:
            note("--explain shows the number of refused questions for each reason", "dim")
        raise


def _explain(family: Family, refusals: dict[str, dict[str, int]]) -> None:
    """Print the number of refused questions for each reason."""
    tasks = family.build.kinds()
    rows = [
        [tasks.get(kind, kind), kind, code, str(count), family.build.explain.get(code, "")]
        for kind, counts in refusals.items()
        for code, count in counts.items()
    ]
    places = {task: place for place, task in enumerate(family.tasks)}
    rows.sort(key=lambda row: places.get(row[0], len(places)))
    columns, words = ["task", "kind of question", "code", "candidates", "because"], (0, 1, 2, 4)
    if not tasks:
        rows, columns, words = [[task, *rest] for task, _, *rest in rows], ["task", *columns[2:]], (0, 1, 3)
    table("Refused questions" if rows else "No question was refused", columns, rows, words=words)


for _family in families().values():
    if _family.build.write is not None:
        _register(_family)
