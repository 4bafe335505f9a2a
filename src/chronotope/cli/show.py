"""The command ``chronotope show``: a question, a benchmark, a run, a recording, or a trajectory."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import chronotope.api as ct
from chronotope.api.published import measures, printed_tables, reference_of, shares
from chronotope.api.recordings import load_recordings
from chronotope.cli.beside_paper import tell_counts, tell_measures, tell_shares
from chronotope.cli.console import command, emit_json, note, out, table
from chronotope.cli.listing import by_task, show_runs, tell_by_task, tell_questions
from chronotope.cli.paths import existing
from chronotope.cli.published_tables import tell_tables
from chronotope.cli.source import FpsFlag, GravityFlag, KindFlag, SourceFlag
from chronotope.errors import InputError
from chronotope.io import plain_name

if TYPE_CHECKING:
    from chronotope.api.benchmarks import Benchmark
    from chronotope.api.recordings import ShownRecording
    from chronotope.api.vocabulary import Reference

_THINGS = 10  # as many things of a recording are printed: homes have a hundred
_LENGTHS = ((0, 30), (30, 60), (60, float("inf")))  # classes of clip length (seconds) in the STI-Bench paper


@command
def show_command(
    path: Annotated[
        Path,
        typer.Argument(help="a benchmark folder, a run folder, a folder of runs, a recording, or a trajectory file"),
    ],
    question: Annotated[
        str | None, typer.Option(help="the id of a question, or a text that several ids contain")
    ] = None,
    out_folder: Annotated[
        Path | None, typer.Option("--out", help="the folder for pictures (default: show-<id>)")
    ] = None,
    frames: Annotated[int, typer.Option(min=1, help="number of frames to write for each clip of a question")] = 8,
    against: Annotated[
        Literal["paper"] | None, typer.Option(help="paper: for a benchmark, also show the tables of its paper")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
    fps: FpsFlag = None,
    kind: KindFlag = None,
    gravity: GravityFlag = None,
    source: SourceFlag = None,
) -> None:
    """Show a question, a benchmark, the scores of a run, a recording, or a trajectory file.

    For a question, the command writes the frames as pictures. For a saved recording with a clip, the command writes a
    contact sheet: frames with the boxes and the labels of all entities. With --json, files are written only if --out is
    given.

    Example: chronotope show bench --question walk-turn-left--orientation-change-1

    Example: chronotope show runs

    Example: chronotope show bench --against paper

    Example: chronotope show tables/recordings/table-0-0000
    """
    existing(path)
    if (path / "card.yaml").exists():
        benchmark = ct.open(path)
        if question is not None:
            _question(benchmark, question, out_folder, frames, as_json=as_json)
        else:
            _benchmark(benchmark, _reference(benchmark) if against is not None else None, as_json=as_json)
        return
    _refuse_without_benchmark(path, question=question, against=against)
    from chronotope.api.opened_run import runs_in  # loads what few commands need

    runs = [folder for folder in runs_in(path) if (folder / "run.yaml").exists()] if path.is_dir() else []
    if runs:
        show_runs(path, runs, as_json=as_json)
        return
    recordings = load_recordings(
        path, source_format=source, fps=fps, kind=kind, gravity=gravity, say=lambda text: note(text, "dim")
    )
    _tell_recordings(recordings, out_folder, as_json=as_json)


def _tell_recordings(recordings: "list[ShownRecording]", out_folder: Path | None, *, as_json: bool) -> None:
    """Print the values of recordings.

    For a single recording, a contact sheet is also written.
    """
    summaries = [recording.summary() for recording in recordings]
    if not as_json:
        _recordings(summaries)
    # With --json, pictures are written only if --out is given.
    drawn = len(recordings) == 1 and (out_folder is not None or not as_json)
    sheet = _contact_sheet(recordings[0], out_folder) if drawn else None
    if as_json and len(summaries) == 1:
        emit_json(summaries[0] | ({} if sheet is None else {"contact_sheet": str(sheet)}))
    elif as_json:
        emit_json({"recordings": summaries} | _totals(summaries))
    elif sheet is not None:
        out.print(f"\ncontact sheet: {sheet}")


def _refuse_without_benchmark(path: Path, **flags: str | None) -> None:
    """Refuse a flag that needs a benchmark.

    Raises:
        InputError: If a flag that needs a benchmark is given.
    """
    for name, value in flags.items():
        if value is not None:
            raise InputError(
                f"{path}: is not a benchmark folder (card.yaml is missing), but --{name} needs a benchmark folder"
            )


def _reference(benchmark: "Benchmark") -> "Reference":
    """Return the published results for a benchmark's family.

    Raises:
        InputError: If the family has no published results.
    """
    found = reference_of(benchmark)
    if found is None:
        raise InputError(f"family {benchmark.card.family!r} has no published results to compare with: omit --against")
    return found


def _published(benchmark: "Benchmark", reference: "Reference", summaries: Sequence[Mapping[str, Any]]) -> None:
    """Print the published counts and tables for a benchmark.

    ``summaries`` are those of its recordings.
    """
    out.print(f"\n{reference.paper}", markup=False)
    tell_counts(benchmark, reference.released)
    tell_shares(benchmark)
    tell_measures(benchmark, summaries)
    if any(one.figure for one in (*shares(benchmark, benchmark.questions), *measures(benchmark, summaries))):
        out.print("A figure in the column “paper” draws these values; the paper prints no numbers.", markup=False)
    tell_tables(benchmark.card.family, printed_tables(reference))


def _contact_sheet(recording: "ShownRecording", folder: Path | None) -> Path | None:
    """Write the contact sheet of a recording; return its path.

    Returns None if the recording has no clip.
    """
    if recording.clip is None:
        return None
    # Not at the top: importing it takes a second, and nothing else here needs it.
    from chronotope.view import write_contact_sheet

    sheet = (folder or Path(f"show-{plain_name(recording.id)}")) / "contact-sheet.jpg"
    write_contact_sheet(recording, sheet)
    return sheet


def _totals(summaries: list[dict[str, Any]]) -> dict[str, Any]:
    """Add up the values of all recordings.

    A value that cannot be added up is None.
    """
    if len(summaries) == 1:
        names = ("frames", "duration_s", "path_length_m", "displacement_m", "mean_speed_mps", "net_turn_deg")
        return {name: summaries[0][name] for name in names}
    durations = [s["duration_s"] for s in summaries if s["duration_s"] is not None]
    path, duration = sum(s["path_length_m"] for s in summaries), sum(durations)
    return {
        "frames": sum(s["frames"] for s in summaries),
        "duration_s": duration if durations else None,
        "path_length_m": path,
        "displacement_m": None,
        "mean_speed_mps": path / duration if duration and len(durations) == len(summaries) else None,
        "net_turn_deg": None,
    }


def _recordings(summaries: list[dict[str, Any]]) -> None:
    columns = ["frames", "duration_s", "path_length_m", "displacement_m", "mean_speed_mps", "net_turn_deg"]
    rows = [[s["id"], s["kind"], *(_figure(s[name]) for name in columns)] for s in summaries]
    heads = ["frames", "s", "path m", "straight m", "m/s", "turn °"]
    table("Recordings", ["recording", "kind", *heads], rows, words=(0, 1))
    for summary in summaries if len(summaries) == 1 else ():  # a list for many recordings would be too long
        _rooms(summary)
        entities = summary.get("entities", ())
        for entity in entities[:_THINGS]:
            size = " x ".join(f"{100 * length:.1f}" for length in entity["size"])
            out.print(f"{summary['id']}: {entity['label']}, {size} cm")
        if more := len(entities[_THINGS:]):
            out.print(f"{summary['id']}: and {more} more thing{'' if more == 1 else 's'} (--json lists all)")


def _rooms(summary: dict[str, Any]) -> None:
    """Print the areas of the rooms of a home.

    Each row also has the number of frames in which the camera is in the room.
    """
    visits = summary.get("visits", ())
    rows = [
        [
            room["id"], room["type"], f"{room['area_m2']:.1f}", str(room["frames"]),
            str(sum(visit["room"] == room["id"] for visit in visits)),
        ]
        for room in summary.get("rooms", ())
    ]  # fmt: skip
    if rows:
        rows.append(["all", "", f"{summary['area_m2']:.1f}", str(summary["frames"]), str(len(visits))])
        table("Rooms", ["room", "type", "m2", "frames of the camera", "visits"], rows, words=(0, 1))


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def _benchmark(benchmark: "Benchmark", reference: "Reference | None", *, as_json: bool) -> None:
    """Print the card, the questions, the clips and the recordings.

    If ``reference`` is given, the published results are printed after the recordings.
    """
    summaries = [recording.summary() for recording in benchmark.recordings()]
    clips = [file for file in benchmark.media.values() if file.kind == "video"]
    lengths = {
        (f"up to {high} s" if high < float("inf") else f"over {low} s"): sum(
            low < (clip.duration_s or 0) <= high for clip in clips
        )
        for low, high in _LENGTHS
    }
    base = [q for q in benchmark.questions if q.variant == "base"]
    published = reference_of(benchmark)
    tag = "scene" if published is None else published.released.by
    if as_json:
        emit_json(
            {
                "card": benchmark.card.model_dump(mode="json"),
                "questions": len(benchmark.questions),
                "tasks": by_task(base, tag),
                "question_ids": [question.id for question in benchmark.questions],
                "clip_lengths": lengths,
                **(_totals(summaries) if summaries else {}),
                "recordings": summaries,
                **({} if reference is None else _against(benchmark, reference, summaries)),
            }
        )
        return
    card = benchmark.card
    out.print(f"{card.name}: family {card.family}, profile {card.profile}, seed {card.seed}")
    out.print(f"made by: {card.command}")
    tell_by_task(card.name, base, tag)
    if clips:
        table("Lengths of clips", list(lengths), [[str(n) for n in lengths.values()]])
    if summaries:
        _recordings(summaries)
    tell_questions(benchmark)
    if reference is not None:
        _published(benchmark, reference, summaries)


def _against(benchmark: "Benchmark", reference: "Reference", summaries: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the published results, and the benchmark's shares and sizes."""
    return {
        "published": reference.model_dump(mode="json"),
        "composition": [asdict(one) for one in shares(benchmark, benchmark.questions)],
        "measures": [asdict(one) for one in measures(benchmark, summaries)],
    }


def _question(benchmark: "Benchmark", wanted: str, folder: Path | None, frames: int, *, as_json: bool) -> None:
    """Print a question with its answer, and write its frames."""
    if not wanted.strip():
        raise InputError("--question: expected the id of a question, found an empty text")
    found = benchmark[wanted]
    folder = folder or Path(f"show-{plain_name(found.id)}")
    written = found.write_frames(folder, frames)
    options = [
        {"letter": letter, "text": option.text or option.image, "right": index in found.answer}
        for index, (letter, option) in enumerate(zip(found.letters, found.options, strict=True))
    ]
    window = None if found.window is None else [found.window.start, found.window.end]
    if as_json:
        emit_json(
            {
                "id": found.id, "task": found.task, "variant": found.variant, "stem": found.stem, "window": window,
                "options": options, "expected": found.expected, "flags": list(found.flags),
                "provenance": found.provenance, "frames": [str(path) for path in written],
            }
        )  # fmt: skip
        return
    out.print(f"{found.id} ({found.task})\n")
    if window is not None:
        out.print(f"From {window[0]:.1f} to {window[1]:.1f} seconds.")
    out.print(found.stem)
    for option in options:
        out.print(f"{'→' if option['right'] else ' '} {option['letter']}  {option['text']}")
    if found.expected is not None:
        out.print(f"expected: {found.expected}")
    out.print(f"\n{len(written)} pictures in {folder}")
