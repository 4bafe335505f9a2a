"""Reader of a release of VGenST-Bench: makes up to four questions from each row, and finds their clip.

A row has a base question and up to three variants. A question that cannot be asked as released is left out and listed
in the report. A question with any other defect is flagged. An open question that the authors rejected is not a defect;
a note gives the number of such questions.
"""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.families import NoClipError, Release, ReleasedRows, UnusableError, folders_in
from chronotope.families.vgenst.release.clips import Clips, Found
from chronotope.families.vgenst.release.rows import (
    KEPT,
    LEFT_OUT,
    Form,
    Key,
    compared,
    is_absent,
    read_form,
    read_open,
)
from chronotope.families.vgenst.release.tables import FORMS, TaskTable, find_tables, read_models, release_root
from chronotope.families.vgenst.tasks import axes_of, is_active, level_of
from chronotope.question import Question, Variant

LICENCE = "CC BY-NC 4.0 (VGenST-Bench's data set)"
CITED = "Clips and questions: VGenST-Bench, by its authors (arXiv 2605.22570), made with generative models"
_LABELS: dict[Variant, str] = {"base": "base", "none_distractor": "V1", "none_answer": "V2", "open": "V3"}
_VARIANTS = tuple(_LABELS)


@dataclass
class _Told:
    """Counts for the notes, which are collected while the tables are read."""

    videos: set[str] = field(default_factory=set)
    frames: set[str] = field(default_factory=set)
    pictured: set[str] = field(default_factory=set)
    nulls: int = 0
    rejected: int = 0
    open_forms: int = 0
    both: set[str] = field(default_factory=set)

    def add(self, clip: Found) -> None:
        """Count a clip once, as a video, as frames, or as both."""
        first, *more = clip.items
        (self.videos if first.kind == "video" else self.frames).add(first.paths[0])
        self.both |= {first.paths[0]} if more else set()


def read_release(path: Path, clips: Path | None = None) -> Release:
    """Read a release of VGenST-Bench.

    ``path`` is the release folder, its subfolder ``qa``, or one Parquet file. The release folder contains ``qa``,
    ``metadata`` and ``videos``. Clips are searched for in ``clips`` if it is given, and in the ``videos`` of the
    release. A clip can be a video, the frames that were extracted from a video, or both.

    Raises:
        InputError: If the tables are not tables of VGenST-Bench, no question can be asked, or no clip is found.
    """
    tables = find_tables(path)
    root = release_root(path)
    bases = [*folders_in([clips] if clips is not None else []), *(folders_in([root]) if path.is_dir() else [root])]
    names = _Names(tables)
    found = ReleasedRows(LEFT_OUT, KEPT, names.of)
    told = _Told()
    files: dict[str, Path] = {}
    places: list[Clips] = []
    models: Counter[str] = Counter()
    keys: dict[str, set[tuple[str, ...]]] = defaultdict(set)  # by task, because a task may have several tables
    for table, first in zip(tables, names.firsts, strict=True):
        if table.task is None:
            for number in range(first, first + 4 * len(table.rows), 4):
                found.leave_out("unknown_task", number, table.path.stem)
            continue
        places.append(Clips(table.task, bases))
        made_by = read_models(root / "metadata" / f"{table.task}.parquet")
        models["metadata" if made_by else "none"] += 1
        reader = _TaskReader(table.task, table, places[-1], made_by, found, told, keys[table.task])
        for row in range(len(table.rows)):
            files |= reader.read(row, first + 4 * row)
    if not found.questions:
        raise _nothing(path, tables, places, found, clips)
    return Release(
        questions=tuple(found.questions),
        files=files,
        names=found.names,
        licence=LICENCE,
        attributions=(CITED,),
        findings=found.findings(),
        refusals=found.refusals,
        notes=tuple(_notes(tables, places, told, models)),
    )


class _Names:
    """Numbers for the questions of all tables, four numbers for each row.

    The four numbers belong to the base question and its three variants.
    """

    def __init__(self, tables: list[TaskTable]) -> None:
        self._tables = tables
        self.firsts: list[int] = []
        count = 4
        for table in tables:
            self.firsts.append(count)
            count += 4 * len(table.rows)

    def of(self, number: int) -> str:
        """Return the words that name a question in messages: table, row, variant."""
        place = bisect_right(self.firsts, number) - 1
        table, first = self._tables[place], self.firsts[place]
        row, form = divmod(number - first, 4)
        values = table.rows[row]
        told = [f"idx {values['idx']}", str(values["qa_type"])[:20]] if values else []
        words = "" if form == 0 else f", {_LABELS[_VARIANTS[form]]}"
        return f"{table.path.name} row {row + 1}{words}" + (f" ({', '.join(told)})" if told else "")


class _TaskReader:
    """A reader of the rows of one task's table."""

    def __init__(
        self,
        task: str,
        table: TaskTable,
        clips: Clips,
        models: dict[int, dict[str, str]],
        found: ReleasedRows,
        told: _Told,
        keys: set[tuple[str, ...]],
    ) -> None:
        self._task, self._table, self._clips, self._models = task, table, clips, models
        self._found, self._told, self._keys = found, told, keys
        self._axes = axes_of(task)

    def read(self, row: int, number: int) -> dict[str, Path]:
        """Read the base question and the variants of a row.

        Questions that can be asked are added to the result, and the others are counted as omitted. Returns the files of
        the clip.
        """
        values = self._table.rows[row]
        there: list[Variant] = ["base", *(form for form in _VARIANTS[1:] if not is_absent(values.get(form)))]
        try:
            key = Key.of(values)
            base = read_form(values["base"], "base")
        except UnusableError as error:
            for form in there:
                self._leave_out(error.code if form == "base" else "no_base", number, form)
            return {}
        forms = [base, *self._others(values, base, number)]
        clip = self._clips.find(key.idx, key.theme)
        if clip is None:
            for form in forms:
                self._leave_out("missing_clip", number, form.variant)
            if self._clips.only_pictured(key.idx, key.theme):
                self._told.pictured.add(f"{self._task}/{key.idx}")
            return {}
        self._told.nulls += sum(form.nulls for form in forms)
        self._told.add(clip)
        for question, form in self._questions(key, forms, clip, row, base):
            self._found.keep(question, number + _VARIANTS.index(form.variant))
        return clip.files

    def _leave_out(self, code: str, number: int, form: Variant) -> None:
        self._found.leave_out(code, number + _VARIANTS.index(form), self._task)

    def _others(self, values: dict[str, Any], base: Form, number: int) -> Iterator[Form]:
        """Yield the variants of a row that can be asked."""
        for variant in FORMS:
            if variant in self._table.absent:
                continue
            try:
                if variant == "open":
                    form = read_open(values[variant])
                    self._told.open_forms += form is not None
                    self._told.rejected += form is None
                elif is_absent(values[variant]):
                    raise UnusableError("empty_variant")
                else:
                    form = read_form(values[variant], variant)
            except UnusableError as error:
                self._leave_out(error.code, number, variant)
                continue
            if form is not None:
                yield form

    def _questions(
        self, key: Key, forms: list[Form], clip: Found, row: int, base: Form
    ) -> Iterator[tuple[Question, Form]]:
        name = f"{self._task.lower()}-{key.idx:03d}-{key.kind.lower()}"
        own = [(name,), *([(key.sample_id, key.kind)] if key.sample_id is not None else [])]
        repeated = any(one in self._keys for one in own)
        self._keys.update(own)
        name = f"{name}-row{row + 1}" if repeated else name
        while name in self._found.names:
            name += "-again"
        flags = [*(["repeated_id"] if repeated else [])]
        flags += [] if is_active(self._task, key.kind) else ["inactive_cell"]
        theme = " ".join(key.theme.replace("_", " ").split())
        tags = {"type": key.kind, "level": level_of(key.kind), **self._axes, "theme": theme}
        values = {tag: (value,) for tag, value in tags.items()}
        released = {"file": self._table.path.name, "row": row + 1, "sample_id": key.sample_id, "theme": key.theme}
        provenance: dict[str, Any] = {"released": released}
        if models := self._models.get(key.idx):
            provenance["models"] = models
        for form in forms:
            is_base = form.variant == "base"
            own_flags = form.flags if is_base else compared(form, base)
            question = Question(
                id=name if is_base else f"{name}-{form.variant.replace('_', '-')}",
                family="vgenst",
                task=self._task,
                cluster=f"{self._task.lower()}-{key.idx:03d}",
                stem=form.stem,
                options=base.options if form.variant == "open" else form.options,
                answer=() if form.answer is None else (form.answer,),
                expected=form.expected,
                variant=form.variant,
                base=None if is_base else name,
                media=clip.items,
                tags=values,
                flags=(*flags, *own_flags),
                provenance=provenance,
            )
            yield question, form


def _notes(tables: list[TaskTable], places: list[Clips], told: _Told, models: Counter[str]) -> Iterator[str]:
    rows = sum(len(table.rows) for table in tables)
    yield f"{rows} rows of {len(tables)} {'table' if len(tables) == 1 else 'tables'}, each with up to four questions"
    beside = f", {len(told.both)} of them with extracted frames (these are shown)" if told.both else ""
    shown = [f"{len(told.videos)} as videos{beside}"] if told.videos else []
    shown += [f"{len(told.frames)} as extracted frames"] if told.frames else []
    yield f"Clips: {' and '.join(shown)}"
    if told.pictured:
        yield f"{len(told.pictured)} clips have only their first frame, which does not show the events of the clip"
    if told.rejected:
        yield (
            f"{told.open_forms} questions have an open variant; for {told.rejected} questions the authors rejected it, "
            "which is not a defect"
        )
    if told.nulls:
        yield f"{told.nulls} null options were dropped: questions with few options have null for the other letters"
    for variant in FORMS:
        if lacking := [table.path.name for table in tables if variant in table.absent]:
            yield f"{_LABELS[variant]}: no column for it in {', '.join(lacking)}"
    if packed := [file for clips in places if clips.empty for file in clips.archives]:
        yield f"Clips in archives are missing: unzip {_some(packed)}, each in its own folder, and import again"
    yield (
        "The names of the models that wrote the questions are "
        + ("from the metadata" if models["metadata"] else "from the paper (Claude)")
        + "; scene graphs, scenarios and prompts of the metadata are not imported"
    )


def _some(files: list[Path]) -> str:
    shown = ", ".join(f"{file.parent.name}/{file.name}" for file in files[:12])
    return f"{shown} and {len(files) - 12} more" if len(files) > 12 else shown


def _nothing(
    path: Path, tables: list[TaskTable], places: list[Clips], found: ReleasedRows, clips: Path | None
) -> InputError:
    """Return the error for a release without any usable question."""
    if not all(place.empty for place in places) or "missing_clip" not in {f.code for f in found.findings()}:
        rows = sum(len(table.rows) for table in tables)
        return InputError(
            f"{path}: none of the {rows} rows is a question of VGenST-Bench ({found.told()}): check the path"
        )
    packed = [file for place in places for file in place.archives]
    looked = " and ".join(str(one) for one in (clips, release_root(path) / "videos") if one is not None)
    advice = f"unzip {_some(packed)} first, each in its own folder, or give" if packed else "give"
    return NoClipError(
        f"{path}: no clip of the release is in {looked}: {advice} the folder of the unpacked clips with --clips"
    )
