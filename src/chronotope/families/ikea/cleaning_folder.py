"""Cleaning of a folder of assembly diagrams: copies without step numbers, a record of changes, and overview pages.

The original pictures are never changed. The cleaned folder has the same relative paths as the folder of the originals.
The file ``cleaning.json`` in the cleaned folder records the boxes of the removed numbers, and the hash of each picture
before and after cleaning.
"""

import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from PIL import Image, ImageDraw, ImageFont
from pydantic import BaseModel, ConfigDict, ValidationError

from chronotope.errors import InputError
from chronotope.families.ikea.cleaning import RULE, Box, Number, clean_diagram
from chronotope.io import read_json, reading, sha256_file, write_atomically, write_json
from chronotope.media import encode_picture, read_picture

MANIFEST = "cleaning.json"
SAVED_EVERY = 50  # pictures

_SUFFIXES = {".jpeg", ".jpg", ".png", ".webp"}
_HALF_WRITTEN = ".*.partial*"  # pattern of the temporary file names of `write_atomically`
_Progress = Callable[[int, int, str], None]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    cleaned: str
    numbers: tuple[tuple[Box, ...], ...]
    before: str
    after: str


class _Manifest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    rule: int
    pictures: dict[str, _Entry]


@dataclass(frozen=True)
class CleanedFile:
    """A cleaned diagram: its paths, the removed numbers, and its SHA-256 before and after cleaning.

    ``path`` is relative to the folder of the originals, and ``cleaned`` is relative to the cleaned folder. A diagram
    without a number is copied byte for byte. A diagram with a number becomes a PNG file.
    """

    path: str
    cleaned: str
    numbers: tuple[Number, ...]
    before: str
    after: str


@dataclass(frozen=True)
class CleaningReport:
    """The result of cleaning a folder.

    ``files`` are all diagrams in the cleaned folder. ``written`` is the number of pictures that this call wrote: 0 if
    all pictures existed already. ``unreadable`` has one sentence for each file that could not be read. ``pages`` are
    the overview pages.
    """

    files: tuple[CleanedFile, ...]
    written: int
    unreadable: tuple[str, ...] = ()
    pages: tuple[Path, ...] = ()

    @property
    def numbers(self) -> int:
        """Return the number of printed numbers that were removed in all pictures."""
        return sum(len(file.numbers) for file in self.files)


def clean_folder(
    source: Path | str,
    out: Path | str,
    sheet: Path | str | None = None,
    progress: _Progress | None = None,
    *,
    keep_going: bool = False,
) -> CleaningReport:
    """Write copies of all diagrams in a folder, without printed numbers.

    ``source`` is the folder of the diagrams; its subfolders are included. ``out`` is the folder for the copies. Cleaned
    pictures that exist already are not written again, so a second call continues an interrupted one. If an original was
    deleted, its cleaned picture stays. If ``sheet`` is given, overview pages are written into this folder. ``progress``
    is called with the number of finished pictures, the number of all pictures, and a path. If ``keep_going`` is true,
    pictures that cannot be read are skipped.

    Raises:
        InputError: If two of the folders overlap, or a picture cannot be read and ``keep_going`` is false.
    """
    source, out, sheet = Path(source), Path(out), None if sheet is None else Path(sheet)
    _refuse_overlap([source, out, *([] if sheet is None else [sheet])])
    paths = _pictures(source)
    manifest = _open_manifest(out)
    unreadable: list[str] = []
    files: dict[str, CleanedFile] = {}  # by path inside the cleaned folder
    written = unsaved = 0
    try:
        for done, path in enumerate(paths, 1):
            try:
                file, new = _clean_file(source, out, path, manifest.pictures.get(path), files)
            except InputError as error:
                if not keep_going:
                    raise
                unreadable.append(str(error))
            else:
                files[file.cleaned] = file
                written, unsaved = written + new, unsaved + (manifest.pictures.get(path) != _entry(file))
                manifest.pictures[path] = _entry(file)
            if unsaved == SAVED_EVERY:
                _save(out, manifest)
                unsaved = 0
            if progress is not None:
                progress(done, len(paths), path)
    finally:
        if unsaved:
            _save(out, manifest)
    cleaned = tuple(files.values())
    pages = () if sheet is None else write_sheet(source, out, cleaned, sheet, progress)
    return CleaningReport(cleaned, written, tuple(unreadable), pages)


def _refuse_overlap(folders: list[Path]) -> None:
    """Refuse folders that are equal or inside each other.

    Without this check, cleaned pictures could be mixed with the originals.

    Raises:
        InputError: If two of the folders are equal, or one of them is inside another.
    """
    for number, first in enumerate(folders):
        for second in folders[number + 1 :]:
            one, other = first.resolve(), second.resolve()
            if one.is_relative_to(other) or other.is_relative_to(one):
                raise InputError(
                    f"{second}: overlaps with {first}; originals, cleaned pictures and overview pages need separate "
                    "folders: choose another folder"
                )


def _pictures(source: Path) -> list[str]:
    """List the relative paths of all pictures in a folder, sorted.

    Hidden files and hidden subfolders are ignored.
    """
    if not source.is_dir():
        raise InputError(f"{source}: is not a folder; give the path of the folder with the diagrams")
    files = (file for file in source.rglob("*") if file.suffix.lower() in _SUFFIXES and not file.is_dir())
    inside = (file.relative_to(source) for file in files)
    paths = sorted(path.as_posix() for path in inside if not any(part.startswith(".") for part in path.parts))
    if not paths:
        raise InputError(
            f"{source}: contains no PNG, JPEG or WebP picture; give the path of the folder with the diagrams"
        )
    return paths


def _open_manifest(out: Path) -> _Manifest:
    """Read ``cleaning.json`` of the cleaned folder, or create it.

    Incomplete files of a killed process are removed.
    """
    path = out / MANIFEST
    if not path.exists():
        if out.exists() and not (out.is_dir() and all(file.match(_HALF_WRITTEN) for file in out.iterdir())):
            raise InputError(
                f"{out}: exists, but contains no {MANIFEST} from an earlier cleaning; choose a new or empty folder"
            )
        write_json(path, {"rule": RULE, "pictures": {}})
    try:
        manifest = _Manifest.model_validate(read_json(path))
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(map(str, fault["loc"])) or "the whole"
        raise InputError(
            f"{path}: is not a record of cleaned diagrams ({place}: {fault['msg']}); choose a new or empty folder"
        ) from error
    for leftover in out.rglob(_HALF_WRITTEN):
        leftover.unlink()
    return manifest if manifest.rule == RULE else _Manifest(rule=RULE, pictures={})


def _save(out: Path, manifest: _Manifest) -> None:
    pictures = {path: entry.model_dump(mode="json") for path, entry in sorted(manifest.pictures.items())}
    write_json(out / MANIFEST, {"rule": manifest.rule, "pictures": pictures})


def _entry(file: CleanedFile) -> _Entry:
    numbers = tuple(number.digits for number in file.numbers)
    return _Entry(cleaned=file.cleaned, numbers=numbers, before=file.before, after=file.after)


def _clean_file(
    source: Path, out: Path, path: str, entry: _Entry | None, files: dict[str, CleanedFile]
) -> tuple[CleanedFile, bool]:
    """Clean one picture; return the result, and whether a file was written.

    If the cleaned picture exists with the hash in ``entry``, no file is written.
    """
    original = source / path
    with reading(original):
        before = sha256_file(original)
    if entry is not None and entry.before == before and _is_there(out / entry.cleaned, entry.after):
        numbers = tuple(Number(digits) for digits in entry.numbers)
        file = CleanedFile(path, entry.cleaned, numbers, before, entry.after)
        _refuse_clash(original, file.cleaned, files)
        return file, False
    cleaned = clean_diagram(read_picture(original))
    target = str(PurePosixPath(path).with_suffix(".png")) if cleaned.numbers else path
    _refuse_clash(original, target, files)
    after = before
    if cleaned.numbers:
        encoded = encode_picture(cleaned.rgb, "png")
        after = encoded.sha256
        with write_atomically(out / target) as temporary:
            temporary.write_bytes(encoded.data)
    else:
        with write_atomically(out / target) as temporary:
            shutil.copyfile(original, temporary)
    return CleanedFile(path, target, cleaned.numbers, before, after), True


def _is_there(path: Path, sha256: str) -> bool:
    return path.is_file() and sha256_file(path) == sha256


def _refuse_clash(original: Path, target: str, files: dict[str, CleanedFile]) -> None:
    if target in files:
        raise InputError(
            f"{original}: the cleaned pictures of this file and of {files[target].path} would both be {target}; rename "
            "one of the two files"
        )


# The columns and rows of an overview page. Each diagram is shown three times (before, changes, after).
ACROSS, DOWN = 2, 3
SHOWN_WIDTH, SHOWN_HEIGHT, GAP, CAPTION = 320, 420, 10, 24
REMOVED, FOUND, EDGE = (220, 0, 0), (255, 170, 0), (190, 190, 190)


def write_sheet(
    source: Path | str,
    out: Path | str,
    files: Sequence[CleanedFile],
    sheet: Path | str,
    progress: _Progress | None = None,
) -> tuple[Path, ...]:
    """Write overview pages that show each diagram before and after cleaning.

    The pages are ``page-0001.png`` and so on in the folder ``sheet``. Between the original and the cleaned diagram, a
    third picture shows the changes: the drawing is pale, every changed pixel is red, and the boxes of the numbers have
    frames. Red pixels outside a frame would mean that the drawing was damaged. If an earlier call wrote more pages, the
    surplus pages are removed.
    """
    sheet = Path(sheet)
    per_page = ACROSS * DOWN
    starts = range(0, len(files), per_page)
    pages = tuple(sheet / f"page-{number:04d}.png" for number in range(1, len(starts) + 1))
    for number, (page, start) in enumerate(zip(pages, starts, strict=True), 1):
        picture = _page(Path(source), Path(out), files[start : start + per_page])
        with write_atomically(page) as temporary:
            picture.save(temporary)
        if progress is not None:
            progress(number, len(pages), page.name)
    for old in sheet.glob("page-[0-9][0-9][0-9][0-9].png"):
        if old not in pages:
            old.unlink()
    return pages


def _page(source: Path, out: Path, files: Sequence[CleanedFile]) -> Image.Image:
    """Render one overview page."""
    width, height = 3 * (SHOWN_WIDTH + GAP) + GAP, CAPTION + SHOWN_HEIGHT + GAP
    page = Image.new("RGB", (ACROSS * width, DOWN * height), "white")
    draw = ImageDraw.Draw(page)
    font = ImageFont.load_default(15)
    for place, file in enumerate(files):
        x, y = place % ACROSS * width + GAP, place // ACROSS * height
        found = f"{len(file.numbers)} number{'' if len(file.numbers) == 1 else 's'}"
        draw.text((x, y + 4), f"{file.path}: {found}", fill="black", font=font)
        for shown in _triple(source / file.path, out / file.cleaned, file.numbers):
            shown.thumbnail((SHOWN_WIDTH, SHOWN_HEIGHT), Image.Resampling.LANCZOS)
            page.paste(shown, (x, y + CAPTION))
            draw.rectangle((x - 1, y + CAPTION - 1, x + shown.width, y + CAPTION + shown.height), outline=EDGE)
            x += SHOWN_WIDTH + GAP
    return page


def _triple(original: Path, cleaned: Path, numbers: Sequence[Number]) -> Iterator[Image.Image]:
    """Yield three pictures: a diagram, its changes, and the cleaned diagram."""
    before, after = read_picture(original), read_picture(cleaned)
    changed = 255 - (255 - before) // 4
    changed[(before != after).any(axis=2)] = REMOVED
    difference = Image.fromarray(changed)
    for left, top, right, bottom in (box for number in numbers for box in number.digits):
        ImageDraw.Draw(difference).rectangle((left - 9, top - 9, right + 8, bottom + 8), outline=FOUND, width=4)
    yield Image.fromarray(before)
    yield difference
    yield Image.fromarray(after)
