"""Import of the authors' released data as a benchmark folder, with a report of every defect.

The benchmark folder appears only when it is complete.
"""

import shlex
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from chronotope.errors import InputError
from chronotope.families import Family, Finding, NoClipError, Release, families, family
from chronotope.io import link_or_copy, write_atomically
from chronotope.make.publication.publishing import is_published, take_published
from chronotope.make.transfer.archives import archives_in, holds_table, is_archive
from chronotope.make.transfer.hub import fetch
from chronotope.make.transfer.unpacked import unpacked_view
from chronotope.question import (
    Benchmark,
    CardDraft,
    MediaFile,
    Question,
    measure_media,
    objects_that_stay,
    open_benchmark,
    read_card,
    write_benchmark_tables,
)

Progress = Callable[[int, int, str], None]

# Flags of chronotope.question.validation. A question with such a flag is valid in spite of its defect.
WINDOW_PAST_CLIP = "window_past_clip"
BROKEN_CLIP = "broken_clip"
MISSING = "missing_"  # the beginning of all codes for a missing clip or picture
MOST_NAMED = 12  # maximum number of archives that a note names


@dataclass(frozen=True)
class Imported:
    """The result of an import: the benchmark, and the defects that were found in the release."""

    family: Family
    benchmark: Benchmark
    findings: tuple[Finding, ...]
    notes: tuple[str, ...]

    @property
    def left_out(self) -> int:
        """Return the number of released rows that are not in the benchmark."""
        return sum(len(finding.rows) for finding in self.findings if finding.left_out)


def import_release(
    name: str, path: Path | str, out: Path, clips: Path | None = None, progress: Progress | None = None
) -> Imported:
    """Make a benchmark folder from released data, with profile ``paper``.

    If ``path`` is a string, it is an address on a hub (see `fetch`). In this case, the card's ``command`` contains the
    address, and the notes contain the commit. Archives are unpacked into the cache (see `unpacked_view`) in two cases:
    the release is itself an archive, or files are missing and may be in an archive of the release. Clips are
    hard-linked into the benchmark folder, or copied if hard links are not possible. An error or an interruption leaves
    no incomplete folder.

    Raises:
        InputError: If the data is not a release of this family, if none of its questions can be asked, or if ``out`` is
            not empty.
    """
    chosen = family(name)
    if chosen.release.read is None:
        able = ", ".join(other for other, one in families().items() if one.release.read is not None) or "none yet"
        raise InputError(f"family {name!r} has no importer: expected one of the families with an importer: {able}")
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise InputError(f"{out}: exists already: choose another --out, or delete the folder")
    if clips is not None and not (clips.is_dir() or is_archive(clips)):
        raise InputError(f"{clips}: there is no such folder: --clips expects the folder with the clips")
    if isinstance(path, Path):
        with objects_that_stay():
            return _imported(chosen, path, path.absolute().name, out, clips, progress)
    fetched = fetch(path)
    with objects_that_stay():
        imported = _imported(chosen, fetched.folder, path, out, clips, progress)
    return replace(imported, notes=(fetched.note, *imported.notes))


def _imported(
    chosen: Family, path: Path, called: str, out: Path, clips: Path | None, progress: Progress | None
) -> Imported:
    if is_published(path):
        return _taken(chosen, path, out)
    with _released(chosen, path, clips, progress) as release, write_atomically(out) as folder:
        media, broken = _collect(release, folder, progress)
        questions, findings, refusals = _joined(release, media, broken)
        if not questions:
            raise InputError(f"{path}: no clip or picture could be decoded: {_first_of(broken)}")
        draft = CardDraft(
            name=out.absolute().name,
            family=chosen.name,
            profile="paper",
            licence=release.licence,
            attributions=release.attributions,
            command=_command(chosen.name, called, clips),
            refusals=refusals,
        )
        told = release.bring_truth(folder) if release.bring_truth is not None else ()
        described = tuple(one for one in release.descriptions if one.image in media)
        card = write_benchmark_tables(folder, draft, questions, media, described)
    benchmark = Benchmark(out, card, tuple(questions), media, described)
    return Imported(chosen, benchmark, findings, (*release.notes, *told))


def _taken(chosen: Family, path: Path, out: Path) -> Imported:
    """Copy a benchmark that Chronotope published."""
    made_by = read_card(path / "card.yaml").family
    if made_by != chosen.name:
        raise InputError(f"{path}: is a benchmark of family {made_by!r}: run chronotope import {made_by} instead")
    with write_atomically(out) as folder:
        folder.mkdir(exist_ok=True)
        take_published(path, folder)
        open_benchmark(folder)
    note = "is a benchmark of Chronotope, which was copied as it is"
    return Imported(chosen, open_benchmark(out), (), (f"{path}: {note}",))


@contextmanager
def _released(chosen: Family, path: Path, clips: Path | None, progress: Progress | None) -> Generator[Release]:
    """Read a release with the family's importer, and yield the result.

    If files are missing and the release contains archives, the release is read again with its archives unpacked.
    """
    assert chosen.release.read is not None
    release, fault = None, None
    given = [one for one in (path, clips) if one is not None]
    packed = [inside for one in given for inside in ([one] if is_archive(one) else archives_in(one))]
    if not any(map(is_archive, given)):
        try:
            release = chosen.release.read(path, clips)
        except InputError as error:
            if not packed or not (isinstance(error, NoClipError) or any(map(holds_table, packed))):
                raise
            fault = error
    if release is not None and not (packed and any(one.code.startswith(MISSING) for one in release.findings)):
        yield release
        return
    told = (lambda words: progress(0, 1, words)) if progress is not None else (lambda _: None)
    with unpacked_view(path, told) as here, unpacked_view(clips, told) if clips else nullcontext() as there:
        try:
            release = chosen.release.read(here, there)
        except InputError as error:
            raise InputError(_plain(str(error), here, path)) from fault
        named = ", ".join(one.name for one in packed[:MOST_NAMED]) + (", …" if len(packed) > MOST_NAMED else "")
        notes = (*(_plain(note, here, path) for note in release.notes), f"unpacked into the cache: {named}")
        yield replace(release, notes=notes)


def _plain(words: str, here: Path, path: Path) -> str:
    """Replace the path of the temporary folder by the release's path."""
    return words.replace(str(here), str(path))


def _command(name: str, called: str, clips: Path | None) -> str:
    """Return the command line that makes this benchmark, without ``--out``."""
    words = ["chronotope", "import", name, shlex.quote(called)]
    return " ".join([*words, *(["--clips", shlex.quote(clips.absolute().name)] if clips is not None else [])])


def _collect(
    release: Release, folder: Path, progress: Progress | None
) -> tuple[dict[str, MediaFile], dict[str, InputError]]:
    """Link or copy the clips into the benchmark folder, and measure them.

    Returns the measured files, and the error for each clip that cannot be decoded. Such clips are removed from the
    folder.
    """
    media: dict[str, MediaFile] = {}
    broken: dict[str, InputError] = {}
    for number, (path, file) in enumerate(release.files.items(), 1):
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        link_or_copy(file, place)
        try:
            media |= measure_media(folder, [path])
        except InputError as error:
            broken[path] = InputError(str(error).replace(str(place), str(file)))
            place.unlink()
        if progress is not None:
            progress(number, len(release.files), file.name)
    return media, broken


def _joined(
    release: Release, media: dict[str, MediaFile], broken: dict[str, InputError]
) -> tuple[list[Question], tuple[Finding, ...], dict[str, dict[str, int]]]:
    """Return the questions that can be asked, all findings and refusals.

    A question whose time window ends after its clip is flagged.
    """
    kept: list[Question] = []
    unseen: list[str] = []
    past: list[str] = []
    refusals = {task: Counter(codes) for task, codes in release.refusals.items()}
    for question in release.questions:
        paths = [path for item in question.media for path in item.paths]
        paths += [option.image for option in question.options if option.image is not None]
        if any(path in broken for path in paths):
            unseen.append(release.names[question.id])
            refusals.setdefault(question.task, Counter())[BROKEN_CLIP] += 1
        elif _reaches_past(question, [media[path] for path in paths]):
            past.append(release.names[question.id])
            kept.append(replace(question, flags=(*question.flags, WINDOW_PAST_CLIP)))
        else:
            kept.append(question)
    reasons = f"a clip or picture that cannot be decoded, because of {_first_of(broken)}" if broken else ""
    found = [
        *release.findings,
        *([Finding(BROKEN_CLIP, reasons, tuple(unseen), left_out=True)] if unseen else []),
        *([Finding(WINDOW_PAST_CLIP, "a window that ends after the clip", tuple(past))] if past else []),
    ]
    found.sort(key=lambda finding: not finding.left_out)
    return kept, tuple(found), {task: dict(codes) for task, codes in sorted(refusals.items())}


def _first_of(broken: dict[str, InputError]) -> str:
    """Explain why files cannot be decoded.

    If there are several files, only the reason of the first file is given.
    """
    first, count = next(iter(broken.values())), len(broken)
    return str(first) if count == 1 else f"{first} (the first of {count} files; the reasons of the others may differ)"


def _reaches_past(question: Question, clips: Sequence[MediaFile]) -> bool:
    """Check whether a question's window ends after all of its clips.

    A window may end one frame after the end of a clip.
    """
    ends = [clip.duration_s + clip.duration_s / (clip.frames or 1) for clip in clips if clip.duration_s is not None]
    return question.window is not None and bool(ends) and question.window.end > max(ends) + 1e-6
