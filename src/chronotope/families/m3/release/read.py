"""Reader of a release of M3-Verse: makes a question from each row, and finds its two videos.

Every defect is reported. A row that cannot be asked as released is left out and listed in the report. A row with any
other defect becomes a question with a flag.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from chronotope.families import NoClipError, Release, ReleasedRows
from chronotope.families.m3.release.clips import Clips, ReleasedClip, find_clips
from chronotope.families.m3.release.records import KEPT, LEFT_OUT, Record, read_record, task_of
from chronotope.families.m3.release.truth import find_truth
from chronotope.families.m3.tasks import LABELS, ROLES, TASKS
from chronotope.families.released_table import ReleasedTable, WantedTable
from chronotope.io import sha256_bytes, slug
from chronotope.question import MediaItem, Option, Question

LICENCE = "M3-Verse's questions and videos keep the terms under which their authors released them"
ATTRIBUTIONS = (
    "Questions and videos: M3-Verse, by its authors (arXiv 2512.18735)",
    "Houses: ProcTHOR-10k, shown in AI2-THOR",
)
SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)  # pattern of ids that are kept unchanged
WANTED = WantedTable(
    suffixes=(".jsonl", ".json"),
    columns=("scene_id", "question", "options", "answer"),
    optional=(
        *("question_id", "category", "subcategory", "generator_name", "question_type", "state", "state_type"),
        *("capabilities", "hallucination"),
    ),
    places=("qas", "qa", "questions", "data", "annotations"),
    expected="expected questions with scene_id, question, options, answer and category",
)

Media = tuple[MediaItem, MediaItem]


def read_release(path: Path, clips: Path | None = None) -> Release:
    """Read a release of M3-Verse.

    ``path`` is the release folder, or its .jsonl or .json file. If ``clips`` is given, videos are searched for only in
    this folder. If ``clips`` is None, videos are searched for in the release folder and next to the file of questions.
    The names of the videos follow the rules of `find_clips`.

    Raises:
        InputError: If there is no file with questions of M3-Verse, there are several such files, no row can be asked,
            or no scene has both of its videos.
    """
    table = ReleasedTable.find(path, WANTED)
    found = ReleasedRows(LEFT_OUT, KEPT, partial(_name, table))
    rows = found.read_known(table.path, table.rows, read_record, task_of, ("M3-Verse", "categories", TASKS))
    roots = [clips] if clips is not None else _roots(path, table)
    pairs = find_clips((row.scene for _, row in rows), roots)
    if not pairs:
        raise NoClipError(_no_clip(path, rows[0][1].scene, roots))
    files, media = _media(pairs)
    ids: set[str] = set()
    for number, row in rows:
        if row.scene not in pairs:
            found.leave_out("missing_clip", number, row.task)
            continue
        repeated = row.id in ids
        name = _question_name(row, number, found.names, repeated=repeated)
        ids |= {row.id} if row.id is not None else set()
        flags = (*row.flags, *(["repeated_id"] if repeated else []))
        found.keep(_question(row, name, media[row.scene], flags, table.path.name, number), number)
    kept = {path for question in found.questions for item in question.media for path in item.paths}
    return Release(
        questions=tuple(found.questions),
        files={place: file for place, file in files.items() if place in kept},
        names=found.names,
        licence=LICENCE,
        attributions=ATTRIBUTIONS,
        findings=found.findings(),
        refusals=found.refusals,
        notes=(_told_table(table), *_told_clips(pairs.values())),
        bring_truth=find_truth(
            {question.cluster: media[question.cluster] for question in found.questions},
            [*(clip.place for pair in pairs.values() for clip in pair), *roots, *_roots(path, table)],
            LICENCE,
        ),
    )


def _name(table: ReleasedTable, number: int) -> str:
    """Return a name for a row in messages: its number and id."""
    row = table.rows[number - 1]
    told = row.get("question_id") or row.get("scene_id") if isinstance(row, dict) else None
    return f"row {number} ({str(told)[:80]})" if isinstance(told, str | int) else f"row {number}"


def _roots(path: Path, table: ReleasedTable) -> list[Path]:
    """Return the folders in which videos are searched for."""
    folder = table.path.absolute().parent
    if path.is_dir():
        return [path.absolute()]
    return [folder, *([folder.parent] if folder.name.casefold() in WANTED.places else [])]


def _no_clip(path: Path, scene: str, roots: list[Path]) -> str:
    packed = sorted(file.name for root in roots for file in root.glob("*.zip"))
    advice = f"unpack {packed[0]} first, or give" if packed else "give"
    return (
        f"{path}: no scene has both of its videos: no file such as {scene}/state_0/video.mp4, {scene}/state_0.mp4 or "
        f"{scene}_state_0.mp4 is in {', '.join(map(str, roots))} or a subfolder: {advice} the folder of the videos "
        "with --clips"
    )


def _media(pairs: Clips) -> tuple[dict[str, Path], dict[str, Media]]:
    """Choose the paths of all media files inside the benchmark.

    The first result maps each path inside the benchmark to the file in the release. The second result maps each scene
    to its two media items.
    """
    plain = {scene: slug(scene) for scene in pairs}
    often = Counter(plain.values())
    files: dict[str, Path] = {}
    media: dict[str, Media] = {}
    for scene, (before, after) in pairs.items():
        name = plain[scene] if often[plain[scene]] == 1 else f"{plain[scene]}-{sha256_bytes(scene.encode())[:8]}"
        items: list[MediaItem] = []
        for state, clip in enumerate((before, after)):
            paths = _paths(f"{name}/state_{state}", clip)
            files |= zip(paths, clip.files, strict=True)
            items.append(MediaItem(ROLES[state], "video" if clip.is_video else "frames", paths, LABELS[ROLES[state]]))
        media[scene] = items[0], items[1]
    return files, media


def _paths(stem: str, clip: ReleasedClip) -> tuple[str, ...]:
    """Return the paths of a clip's files inside the benchmark.

    Pictures keep their order and get new numbers.
    """
    if clip.is_video:
        return (f"clips/{stem}{clip.files[0].suffix.lower()}",)
    return tuple(f"frames/{stem}/{number:05d}{file.suffix.lower()}" for number, file in enumerate(clip.files))


def _question_name(row: Record, number: int, taken: Mapping[str, str], *, repeated: bool) -> str:
    """Choose the id of a question.

    The id is the released id, or its slug if the released id is not safe as a file name. If another question has this
    id already, the row number is appended.
    """
    told = row.id or f"{row.scene}-row{number}"
    name = told if SAFE.fullmatch(told) else slug(told)
    if repeated or name in taken:
        name = f"{name}-row{number}"
    while name in taken:
        name += "-again"
    return name


def _question(row: Record, name: str, media: Media, flags: tuple[str, ...], file: str, number: int) -> Question:
    return Question(
        id=name,
        family="m3",
        task=row.task,
        cluster=row.scene,
        stem=row.stem,
        options=tuple(map(Option, row.options)),
        answer=row.answer,
        multiple=len(row.answer) > 1,
        media=media,
        tags=row.tags,
        flags=flags,
        provenance={"released": {"file": file, "row": number, "id": row.id, **row.told}},
    )


def _told_table(table: ReleasedTable) -> str:
    within = f" (its list {table.within})" if table.within is not None else ""
    return f"questions: {len(table.rows)} rows of {table.path}{within}"


def _told_clips(pairs: Iterable[tuple[ReleasedClip, ReleasedClip]]) -> list[str]:
    """Return sentences about the folders in which videos were found."""
    kinds = Counter((clip.is_video, str(clip.place), clip.rule) for pair in pairs for clip in pair)
    return [
        f"{'videos' if is_video else 'numbered pictures, no videos'}: {number} states in {place}, by the rule {rule}"
        for (is_video, place, rule), number in sorted(kinds.items())
    ]
