"""The command ``chronotope build``, with one subcommand for each family."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer
from pydantic import BaseModel

import chronotope.api as ct
from chronotope.api.published import reference_of
from chronotope.api.recordings import given_facts
from chronotope.api.vocabulary import (
    CALLED,
    Credentials,
    EngineName,
    Family,
    JobCalls,
    NoQuestionError,
    QualityName,
    Subject,
    families,
    world_kinds,
)
from chronotope.cli.beside_paper import tell_counts, tell_printed_shares
from chronotope.cli.console import PROBLEM, command, emit_json, note, out, progress_bar, table
from chronotope.cli.flags import Group, checked_fields, flag_of, given_fields, validated, with_flags
from chronotope.cli.listing import tell_by_task
from chronotope.cli.source import FpsFlag, GravityFlag, KindFlag, OnFlag, SourceFlag
from chronotope.errors import InputError, visible

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

BUILDS: dict[str, Callable[..., None]] = {}  # the command of each family

_WorkersFlag = Annotated[
    int | None, typer.Option(help="worker processes (default: one for each core); with --on, at most so many", min=1)
]
_QualityFlag = Annotated[
    QualityName | None,
    typer.Option(
        help="quality of rendered worlds: photo (baked light; the default of worlds that have it, if Embree is "
        "installed), full (the default of others), fast for a quick preview, or lit (coarse baked light)",
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
    "procedure": "a folder with procedure.yaml, a folder of such folders, IKEA Manuals at Work, or simulated furniture "
    "such as world:furniture:12",
}
_EXAMPLES: dict[Subject, tuple[str, ...]] = {
    "scene": ("clips --out bench --profile strict --explain", "world:table:8 --out tables --quality fast"),
    "procedure": (
        "manuals --out bench --explain",
        "manuals --out bench --writer endpoint/NAME --base-url URL",
        "world:furniture:6 --out furniture --seed 3",
    ),
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
    "procedure": ("fps", "kind", "gravity", "assets", "engine"),
}


_REQUIRED: Any = ...  # Typer's mark of a parameter without a default


def _help_of(family: Family) -> str:
    words_of = _OF_STATES if family.build.joins_states else _EXAMPLES[family.build.subject]
    examples = (f"Example: chronotope build {family.name} {words}" for words in words_of)
    return "\n\n".join([f"{family.title}.", *examples])


def _source_words(family: Family) -> str:
    words = _STATES if family.build.joins_states else _SOURCES[family.build.subject]
    return f"{words}; or {family.build.given_words}" if family.build.given_words else words


def _register(family: Family) -> None:
    def run(
        source: Annotated[str | None, typer.Argument(help=_source_words(family))] = None
        if family.build.usual_source
        else _REQUIRED,
        out_folder: Annotated[Path, typer.Option("--out", help="the benchmark folder to make")] = _REQUIRED,
        seed: Annotated[int, typer.Option(help="seed of all random choices; another seed gives other questions")] = 0,
        profile: Annotated[
            Literal["strict", "paper", "extended"],
            typer.Option(help="strict avoids the paper's known defects, paper has them, extended adds questions"),
        ] = "strict",
        workers: _WorkersFlag = None,
        on: OnFlag = None,
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
        from chronotope.api.vocabulary import check_on  # these load much that --help does not need
        from chronotope.api.vocabulary import source_name as named

        told = {"seed": seed, "profile": profile, "fps": fps, "kind": kind, "gravity": gravity, "engine": engine}
        told |= {"source_name": source_name, "quality": quality, "assets": assets, "writer": writer}
        told |= {"base_url": base_url, "key_variable": key_variable, "header": header, "source": source}
        check_on(on, "--on")
        given = build_options(family, told | fields)
        words = f"building {named(given['source'])}"
        with progress_bar(words) as advance, _causes_told(family, explain and not as_json):
            bench = ct.build(
                family.name,
                out=out_folder,
                workers=workers,
                on=on,
                keep_going=keep_going,
                progress=advance,
                say=_unsaid,
                **given,
            )
        assert bench.built is not None
        _tell(family, bench.built, explain=explain, as_json=as_json)
        if bench.built.failures:
            raise typer.Exit(PROBLEM)

    _add_command(family, run)


def build_options(family: Family, given: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of `chronotope.build` that some flags set.

    Raises:
        InputError: If a flag cannot be used.
    """
    fields = dict(given)
    named = {name: fields.pop(name, None) for name in ("source", "source_name", "fps", "kind", "gravity", "seed")}
    named |= {name: fields.pop(name, None) for name in ("profile", "quality", "assets", "engine")}
    spoken = {name: fields.pop(name, None) for name in ("writer", "base_url", "key_variable", "header")}
    calls = {name: fields.pop(name, None) for name in JobCalls.model_fields}
    of_world = given_fields({name: fields.pop(name) for name in _world_fields(family) if name in fields})
    options = checked_fields(family.build.Options, fields, f"family {family.name}")
    given_facts(named["fps"], named["kind"], named["gravity"])  # what is wrong with a fact is told with its flag
    source = _source(family, named.pop("source"), options)
    spec = _writer(**spoken)
    settings = _writer_calls(spoken["writer"], spoken["base_url"], calls)
    named |= {"source_format": named.pop("source_name"), "engine": named["engine"] or "own"}
    return named | settings | {"source": source, "options": options, "world_options": of_world, "writer": spec}


def _source(family: Family, source: str | None, options: dict[str, Any]) -> str:
    """Return the given source, or the one that options stand for.

    Options that stand for a source are taken out of ``options``.

    Raises:
        InputError: If neither or both are given.
    """
    if family.build.usual_source is None:
        assert source is not None, "Typer requires it"
        return source
    usual = family.build.usual_source(family.build.Options(**options))
    options.pop("per_task", None)
    if (source is None) == (usual is None):
        given = "missing" if source is None else f"given, and so is --per-task, which stands for {usual}"
        raise InputError(f"SOURCE: is {given}: give one of SOURCE and --per-task")
    return source or cast("str", usual)


def _add_command(family: Family, run: Callable[..., None]) -> None:
    """Add the command of a family, with a flag for each of its options."""
    run.__name__ = family.name
    run.__doc__ = _help_of(family)
    options = {f"Questions of {family.name}": family.build.Options, "Wording": JobCalls}
    worlds = _world_options(family)
    flagged = BUILDS[family.name] = with_flags(run, options | worlds, leave_out=_NOT_OF[family.build.subject])
    app.command(family.name)(
        command(flagged, f"finished {CALLED[family.build.subject]}s are kept; the same command makes the others")
    )


def _world_options(family: Family) -> dict[str, type[BaseModel]]:
    """Return the options of a family's kinds of world, by the heading of their flags."""
    return {
        f"Options of world:{kind.name}": kind.options
        for kind in world_kinds().values()
        if kind.options and family.build.can_ask_about(kind)
    }


def _world_fields(family: Family) -> list[str]:
    """Return the names of the flags that belong to worlds alone."""
    names = [name for model in _world_options(family).values() for name in model.model_fields]
    return [name for name in dict.fromkeys(names) if name not in family.build.Options.model_fields]


def _unsaid(text: str) -> None:
    """Print nothing during a build, because `_tell` prints what was left out, after the notes."""


def _writer_calls(writer: str | None, base_url: str | None, calls: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of the writer's calls, as parameters of `chronotope.build`."""
    from chronotope.api.options import check_writer  # loads much that --help does not need

    given = validated(JobCalls, calls, "chronotope build")
    check_writer(writer, given, base_url, flag_of, "--writer")
    return dict(given)


def _writer(
    writer: str | None, base_url: str | None, key_variable: str | None, header: list[str] | None
) -> ct.ModelSpec | None:
    """Return the writer, or None if no flag names it."""
    given = Credentials(key_variable, tuple(header or ()))
    return (
        None
        if writer is None
        else ct.ModelSpec(writer, base_url, credentials=None if given == Credentials() else given)
    )


def _tell(family: Family, built: "Built", *, explain: bool, as_json: bool) -> None:
    """Print the result of a build.

    Remarks go to standard error, and numbers go to standard output.
    """
    card, benchmark = built.card, built.benchmark
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
    reference = reference_of(benchmark)
    released = None if reference is None else reference.released
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
