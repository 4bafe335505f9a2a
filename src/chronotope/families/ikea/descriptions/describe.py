"""Descriptions of a benchmark's diagrams by a vision-language model, with one call for each diagram.

A call shows only one diagram, without other steps or names. Therefore a description contains only the content of the
drawing, and no hint about the order of the steps. The paper does not publish its prompt; the instructions are our own.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from chronotope.errors import InputError
from chronotope.families import Described, DescribeRequest
from chronotope.families.ikea.descriptions.crosscheck import Verdict, cross_check, tally
from chronotope.families.ikea.descriptions.leaks import Leak, clean_descriptions
from chronotope.families.ikea.descriptions.record import StepRecord, rows_of, says_nothing
from chronotope.families.ikea.tasks import DIMENSIONS
from chronotope.io import reading, sha256_bytes
from chronotope.ledger import Ledger, bytes_of_line, read_ledger
from chronotope.media import Encoded, encode_still
from chronotope.models import FORMLESS, Stage, StructuredJob, do_all
from chronotope.question import Description, by_image
from chronotope.recording import Step
from chronotope.recording.procedures import load_procedure

REASONS_TOLD = 3
_LISTED = 5

INSTRUCTIONS = (
    "You get one picture: a drawing from a manual without words that shows how something is put together. Describe "
    "what is drawn for a person who cannot see it, under each heading of the form, in one to three short sentences of "
    "plain English. Say only what can be seen; do not guess what the whole piece is called, or what came before and "
    "comes after. Under 'parts' say first how many pieces of each kind there are, such as 'Two long side panels and "
    "one seat panel'; what is put together already is one piece. Call a piece the same under all headings. Copy part "
    "numbers and counts such as 4x as they are printed. Where the picture shows nothing that belongs under a heading, "
    "write 'None visible.' If the picture is empty, say so under 'action'. Never tell or hint where in a manual the "
    "drawing stands: leave out printed numbers of drawings, and words such as 'step', 'first', 'next' or 'final' for "
    "the drawing or another one."
)

DESCRIBING = Stage("describe", INSTRUCTIONS)

_SHOWN = re.compile(r"step_(\d+)\.\w+")


@dataclass(frozen=True)
class _Diagram:
    """A diagram that questions show: its path inside the benchmark, its file, and its step."""

    image: str
    file: Path
    step: Step


def describe(request: DescribeRequest) -> Described:
    """Let a model describe all diagrams that lack a description.

    Then hints about the order are removed from all descriptions, and the descriptions are compared with the parts of
    the steps. Diagrams with the same bytes need only one call. If no reply for a diagram has the expected format, the
    diagram gets no description, and a note names the diagram.

    Raises:
        InputError: If the model's service refuses the calls, or replies to none of them.
    """
    diagrams, known = _all_diagrams(request.folders), _spoken(request.known)
    todo, pictures = _lacking(diagrams, known)
    records: dict[str, StepRecord] = {}
    missing: list[str] = []
    if todo:
        with Ledger.open(request.ledger) as ledger:
            job = StructuredJob(request.writer, [DESCRIBING], ledger, request.calls)
            replies = _ask_all(job, [(of[0].image, pictures[picture]) for picture, of in todo.items()], request)
        for of, record in zip(todo.values(), replies, strict=True):
            for diagram in of:
                if record is None:
                    missing.append(diagram.image)
                else:
                    records[diagram.image] = record
        if not records:
            _refuse_silence(request, list(_reasons(request.ledger, missing).values()))
    written = [row for image, record in records.items() for row in rows_of(image, record, request.writer.name)]
    cleaned = clean_descriptions(_in_order([*known, *written], diagrams), request.profile)
    notes = [
        f"diagrams described: {len(diagrams) - len(missing)} of {len(diagrams)}, {len(records)} of them by the model "
        f"(hash of the instructions: {sha256_bytes(INSTRUCTIONS.encode())[:12]})"
    ]
    if missing:
        reasons = _reasons(request.ledger, missing)
        told = _some([f"{image} ({reasons[image]})" if image in reasons else image for image in missing])
        notes.append(f"diagrams without a description: {len(missing)}: {told}")
    notes.append(
        f"texts changed because they revealed a step's position: {cleaned.rewritten} of {len(cleaned.descriptions)}"
    )
    if cleaned.left:
        notes.append(_leak_sentence(cleaned.left))
    return Described(cleaned.descriptions, (*notes, *_cross_check_notes(diagrams, cleaned.descriptions)))


def to_describe(folders: Mapping[str, Path], known: Sequence[Description]) -> Collection[str]:
    """Return the hashes of the pictures that `describe` would send, with the parameters of its request."""
    return _lacking(_all_diagrams(folders), _spoken(known))[1].keys()


def _all_diagrams(folders: Mapping[str, Path]) -> list[_Diagram]:
    return [one for name, folder in sorted(folders.items()) for one in _diagrams(name, folder)]


def _lacking(
    diagrams: Sequence[_Diagram], known: Sequence[Description]
) -> tuple[dict[str, list[_Diagram]], dict[str, Encoded]]:
    """Return the diagrams without a description, and their pictures, both by the hash of the picture."""
    described = by_image(known)
    todo: dict[str, list[_Diagram]] = {}
    pictures: dict[str, Encoded] = {}
    for diagram in diagrams:
        if diagram.image not in described:
            picture = _read(diagram.file)
            pictures[picture.sha256] = picture
            todo.setdefault(picture.sha256, []).append(diagram)
    return todo, pictures


def _diagrams(name: str, folder: Path) -> list[_Diagram]:
    """Return the diagrams of one procedure in the order of the steps.

    ``folder`` has the layout of a benchmark.
    """
    shown = sorted((folder / "images" / name).glob("step_*"))
    procedure = load_procedure(folder / "procedures" / name)
    numbers = {file: int(found[1]) for file in shown if (found := _SHOWN.fullmatch(file.name))}
    return [
        _Diagram(file.relative_to(folder).as_posix(), file, procedure.step(number))
        for file, number in sorted(numbers.items(), key=lambda entry: entry[1])
    ]


def _read(file: Path) -> Encoded:
    with reading(file):
        return encode_still(file, file.read_bytes())


def _ask_all(
    job: StructuredJob, diagrams: Sequence[tuple[str, Encoded]], request: DescribeRequest
) -> list[StepRecord | None]:
    """Ask the model to describe several diagrams at once.

    The results have the order of ``diagrams``. A result is None if no reply had the expected format.
    """
    at_once, done, progress = min(request.calls.concurrency, len(diagrams)), 0, request.progress

    def advance(finished: int, place: int) -> None:
        nonlocal done
        done = finished
        tell(diagrams[place][0])

    def tell(label: str) -> None:
        if progress is not None:
            progress(done, len(diagrams), label)

    asks = [partial(job.ask, DESCRIBING, image, [picture], StepRecord) for image, picture in diagrams]
    return job.run(lambda: do_all(asks, at_once, advance), bytes_of_line(pictures=1) * at_once, look=tell)


def _reasons(ledger: Path, images: Sequence[str]) -> dict[str, str]:
    """Return the reason for each diagram whose call failed."""
    errors = {line.ask: line.error or "" for line in read_ledger(ledger) if line.state != "replied"}
    return {
        image: FORMLESS if errors[image].startswith(FORMLESS) else errors[image] for image in images if image in errors
    }


def _refuse_silence(request: DescribeRequest, reasons: Sequence[str]) -> None:
    """Check that the model's service replied to at least one call.

    Raises:
        InputError: If the service replied to none of the calls. A later attempt may succeed.
    """
    if reasons and FORMLESS not in reasons:
        raise InputError(
            f"{request.writer.name}: none of {len(reasons)} requests for a description succeeded ({reasons[0]}): check "
            "that the service is running and can be reached, then run the same command again"
        )


def _spoken(known: Sequence[Description]) -> list[Description]:
    """Leave out the descriptions of pictures whose texts are all empty."""
    silent = {image for image, said in by_image(known).items() if says_nothing(said)}
    return [one for one in known if one.image not in silent]


def _in_order(descriptions: Sequence[Description], diagrams: Sequence[_Diagram]) -> list[Description]:
    """Sort descriptions by the step of their diagram, then by dimension.

    Descriptions of other pictures come last, in their given order.
    """
    images = {diagram.image: place for place, diagram in enumerate(diagrams)}
    dimensions = {name: place for place, name in enumerate(DIMENSIONS)}
    return sorted(
        descriptions,
        key=lambda one: (images.get(one.image, len(images)), dimensions.get(one.dimension, len(dimensions))),
    )


def _cross_check_notes(diagrams: Sequence[_Diagram], descriptions: Sequence[Description]) -> list[str]:
    """Return notes about the comparison of descriptions with the parts of steps.

    The notes have the number of descriptions for each outcome, and the reasons for the first contradictions.
    """
    texts = by_image(descriptions)
    verdicts: dict[str, Verdict] = {
        one.image: cross_check(texts[one.image], one.step.parts, one.step.connections)
        for one in diagrams
        if one.image in texts
    }
    counts = tally(verdicts.values())
    told = ", ".join(f"{n} {outcome}" for outcome, n in counts.items())
    notes = [f"descriptions compared with the source's parts of each step: {told}"]
    against = [(image, verdict) for image, verdict in verdicts.items() if verdict.outcome == "inconsistent"]
    notes += [f"{image}, {verdict.field}: {verdict.reason}" for image, verdict in against[:REASONS_TOLD]]
    if len(against) > REASONS_TOLD:
        notes.append(f"and {len(against) - REASONS_TOLD} more that do not fit")
    return notes


def _leak_sentence(left: Sequence[Leak]) -> str:
    """Return a sentence about the words that a person must edit."""
    if not left:
        return "words that reveal a step's position and must be edited by hand: none"
    places = _some([f"{leak.image} ({leak.dimension}): {leak.words!r}" for leak in left])
    return f"words that reveal a step's position and must be edited by hand: {len(left)}: {places}"


def _some(names: Iterable[str]) -> str:
    """Return the first few names, and the number of further names."""
    listed = list(names)
    more = f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else ""
    return ", ".join(listed[:_LISTED]) + more
