"""Reader of a release of STI-Bench: makes a question from each row, and finds its clip.

Every defect is reported. A row that cannot be asked as released is left out and listed in the report. A row without its
clip is left out, too, because a model would have to answer without seeing the video. A row with any other defect
becomes a question with a flag.
"""

from collections import Counter
from functools import partial
from pathlib import Path, PurePosixPath

from chronotope.families import NoClipError, Release, ReleasedRows, folders_in
from chronotope.families.released_table import ReleasedTable, WantedTable
from chronotope.families.sti.release.rows import KEPT, LEFT_OUT, StiRow, read_row
from chronotope.families.sti.tasks import SCENES, TASKS
from chronotope.io import path_fault, sha256_bytes, slug, spelled
from chronotope.question import MediaItem, Question

PLACES = ("", "video", "videos", "clips")  # subfolders of a release that may contain clips
SUFFIX = ".mp4"
# The authors' table has the columns ID (unique only within a video), Video, Source, Task, QType, Question, Candidates
# (a struct that maps letters to texts, or the same as a JSON string), Answer (a letter), Answer Detail, time_start and
# time_end (s). A mirror of the table has the columns video, question, options (a list as a string), answer, task_type,
# time_start and time_end. EASI and VLMEvalKit use the mirror's table as tab-separated text with an additional column
# index.
WANTED = WantedTable(
    suffixes=(".parquet", ".jsonl", ".json", ".tsv"),
    columns=("video", "question", "task", "candidates", "answer", "time_start", "time_end"),
    optional=("id", "source", "qtype", "answer_detail"),
    renamed={"options": "candidates", "task_type": "task"},  # names in the mirror
    places=("data",),
    expected="expected STI-Bench's columns Video, Question, Task, Candidates, Answer, time_start and time_end, or the "
    "mirror's video, question, task_type, options, answer, time_start and time_end",
    only_objects=True,
)
# Specification, section 13: the code has the MIT licence; the clips and the questions have their own terms.
LICENCE = "STI-Bench's code is MIT; its clips and annotations keep the terms of the data sets they come from"
TERMS = {
    "Outdoor": "Outdoor clips: Waymo Open Dataset, for non-commercial use under its own terms",
    "Indoor": "Indoor clips: ScanNet, by agreement with its authors",
    "Desktop": "Desktop clips: Omni6DPose, under the terms on its site",
}
CITED = "Questions: STI-Bench, by its authors (arXiv 2503.23765)"


def read_release(path: Path, clips: Path | None = None) -> Release:
    """Read a release of STI-Bench.

    ``path`` is the release folder, or only its table, which is a .parquet, .jsonl, .json or .tsv file. Clips are found
    by name, in ``clips`` (if it is given) and in the folder of the release (or of the table). The subfolders ``video``,
    ``videos`` and ``clips`` of both folders are searched, too, and also all direct subfolders of ``clips`` and of the
    release folder.

    Raises:
        InputError: If the table is not a table of STI-Bench, no row can be asked, or no clip is found.
    """
    table = ReleasedTable.find(path, WANTED)
    mirror = table.names["candidates"].casefold() == "options"
    root = path if path.is_dir() else path.parent
    found = ReleasedRows(LEFT_OUT, KEPT, partial(_name, table))
    rows = found.read_known(
        table.path, table.rows, read_row, lambda values: str(values["task"]), ("STI-Bench", "tasks", TASKS)
    )
    given = [folder for folder in (clips, path) if folder is not None and folder.is_dir()]
    places = folders_in(base / place for base in folders_in(given) for place in PLACES)
    places += [root / place for place in PLACES]
    files = _clips(dict.fromkeys(row.video for _, row in rows), places)
    if not files:
        raise NoClipError(_no_clip(path, rows[0][1].video, clips, root))
    names = _clip_names(list(files))
    paths = {video: f"clips/{names[video]}{file.suffix.lower() or SUFFIX}" for video, file in files.items()}
    keys = Counter[tuple[str, str, str]]()
    taken: set[str] = set()
    for number, row in rows:
        if row.video not in files:
            found.leave_out("missing_clip", number, row.task)
            continue
        flags = list(row.flags)
        key = (row.source, row.video, row.id or "")
        keys[key] += 1
        if row.id is not None and keys[key] > 1:
            flags.append("repeated_id")
        name = _question_name(row, number, taken, repeated="repeated_id" in flags)
        found.keep(_question(row, name, paths[row.video], tuple(flags), table.path.name, number), number)
    kept_scenes = {scene for question in found.questions for scene in question.tags.get("scene", ())}
    return Release(
        questions=tuple(found.questions),
        files={paths[video]: file for video, file in files.items()},
        names=found.names,
        licence=LICENCE,
        attributions=(CITED, *(TERMS[scene] for scene in SCENES if scene in kept_scenes)),
        findings=found.findings(),
        refusals=found.refusals,
        notes=(f"{len(table.rows)} rows of {table.path.name}, by {'the mirror' if mirror else 'the authors'}",),
    )


def _name(table: ReleasedTable, number: int) -> str:
    """Return the words that name a row in messages: number and video."""
    row = table.rows[number - 1]
    told = [str(row["video"])[:80], *([f"ID {row['id']}"] if row.get("id") is not None else [])]
    return f"row {number} ({', '.join(told)})"


def _clips(videos: dict[str, None], places: list[Path]) -> dict[str, Path]:
    """Find the clips by their released names; return their paths by name.

    If a released name has folders, it is first searched for as a relative path, then by its file name alone.
    """
    found: dict[str, Path] = {}
    for video in videos:
        path = PurePosixPath(video.replace("\\", "/"))
        name = path.name if path.suffix else path.name + SUFFIX
        inside = [str(path)] if len(path.parts) > 1 and path_fault(str(path)) is None else []
        if path_fault(name) is not None:
            continue
        candidates = (place / wanted for wanted in (*inside, name) for place in places)
        file = next(filter(None, map(spelled, candidates)), None)
        if file is not None:
            found[video] = file
    return found


def _no_clip(path: Path, video: str, clips: Path | None, root: Path) -> str:
    looked = [str(clips)] if clips is not None else []
    looked += [str(root), *(f"{place}/" for place in PLACES if place)]
    packed = sorted(file.name for file in root.glob("*.zip"))
    advice = f"unpack {packed[0]} first, or give" if packed else "give"
    return (
        f"{path}: no clip of the release, such as {video}, is in {', '.join(looked)}, or in a subfolder: {advice} the "
        "folder of the clips with --clips"
    )


def _clip_names(videos: list[str]) -> dict[str, str]:
    """Choose the name of each clip inside the benchmark.

    The name is a slug of the released name. If two clips would have the same name, a hash of the released name is
    appended.
    """
    names = {video: slug(PurePosixPath(video.replace("\\", "/")).stem) for video in videos}
    often = Counter(names.values())
    return {v: name if often[name] == 1 else f"{name}-{sha256_bytes(v.encode())[:8]}" for v, name in names.items()}


def _question_name(row: StiRow, number: int, taken: set[str], *, repeated: bool) -> str:
    """Choose the id of a question.

    The id is a slug of the columns Source, Video and ID. If the row has no ID, the row number is used instead. If
    another question has this id already, the row number is appended.
    """
    stem = PurePosixPath(row.video.replace("\\", "/")).stem
    name = slug("-".join(filter(None, (row.source, stem, row.id or f"row{number}"))))
    if repeated or name in taken:
        name = f"{name}-row{number}"
    while name in taken:
        name += "-again"
    taken.add(name)
    return name


def _question(row: StiRow, name: str, clip: str, flags: tuple[str, ...], file: str, number: int) -> Question:
    tags = {"scene": row.scene, "source": row.source, "qtype": row.qtype}
    return Question(
        id=name,
        family="sti",
        task=row.task,
        cluster=PurePosixPath(clip).stem,
        stem=row.stem,
        options=row.options,
        answer=(row.answer,),
        window=row.window,
        media=(MediaItem("video", "video", (clip,)),),
        tags={key: (value,) for key, value in tags.items() if value},
        flags=flags,
        provenance={"released": {"file": file, "row": number, "id": row.id, "video": row.video}},
    )
