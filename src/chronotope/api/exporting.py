"""Write benchmarks in the layout of their authors, or as tasks of other evaluation suites."""

from __future__ import annotations  # `help` shows short names of types

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from chronotope.api.checked_settings import as_path, checked
from chronotope.api.telling import Advance, advance_of
from chronotope.errors import InputError
from chronotope.io import slug, value_words

if TYPE_CHECKING:
    from chronotope.question import Benchmark

Form = Literal["authors", "hf", "inspect", "lmms-eval", "vlmevalkit"]
FORMS: tuple[Form, ...] = get_args(Form)
SUITES: tuple[Form, ...] = FORMS[2:]


@dataclass(frozen=True)
class Export:
    """A written folder, with the number of its questions, the command that runs it, and remarks.

    ``questions`` and ``command`` are None if the form is not a suite.
    """

    folder: Path
    questions: int | None
    command: str | None
    notes: tuple[str, ...]


def export(
    bench: Benchmark | Path | str,
    out: Path | str,
    *,
    to: Form | None = None,
    pictures: bool = True,
    tasks: str | Sequence[str] = (),
    variants: str | Sequence[str] = "base",
    limit: int | None = None,
    progress: Advance | bool = False,
    **settings: Any,
) -> Export:
    """Write a benchmark for other programs.

    ``to`` names the form: ``authors`` is the layout of the paper's authors, so that their scripts run on it (M3-Verse),
    and ``hf`` is a folder that ``datasets`` and a hub read (`publish` uploads it). The other names are suites, for
    which a task with our prompts, frames and reader is written. By default, the form is ``authors`` if the
    benchmark has such a layout, and ``hf`` otherwise.

    - ``pictures`` belongs to ``authors``: also write each frame of the videos as a picture.
    - ``tasks``, ``variants`` and ``limit`` select the questions of a task for a suite, as in `run`. A task has one
      variant, because scores of different variants are never mixed.
    - ``settings`` are the flags of the family and ``input`` and ``frames``, as in `run`, for a suite.

    Raises:
        InputError: If there is no such form for the benchmark, a setting is wrong, or ``out`` is not empty.
    """
    from chronotope.api.benchmarks import selected
    from chronotope.api.options import PythonOptions
    from chronotope.families import family
    from chronotope.make import export_release, publish
    from chronotope.suites import export_suite

    if to is not None and to not in FORMS:
        raise InputError(f"found {value_words(to)}", where="to", expected=f"one of {', '.join(FORMS)}")
    about = {"tasks": tasks, "variants": variants, "limit": limit}
    given: PythonOptions = checked(PythonOptions, about, "", "export")
    folder, selection = selected(bench, None, given.tasks, given.limit, given.variants)
    place, tell = as_path(out, "out"), advance_of(progress, "exporting")
    chosen = family(folder.card.family)
    by_default = to is None
    to = to or ("hf" if chosen.release.write is None else "authors")
    if to not in SUITES:
        foreign = next(iter([*(of for of, value in about.items() if value not in ((), None, "base")), *settings]), None)
        if foreign is not None:
            raise InputError("belongs to a suite", where=foreign, fix=f"name a suite: {', '.join(SUITES)}, or omit it")
    if to == "hf":
        made = publish(folder, f"hf://OWNER/{slug(folder.card.name)}", place, progress=tell)
        default = (
            (f"written for datasets and hubs (--to hf); for a suite: --to {' or '.join(SUITES)}",) if by_default else ()
        )
        owner = "README.md names OWNER: replace it by your name on the hub"
        return Export(place, None, None, (*made.notes, *default, owner))
    if to == "authors":
        return Export(place, None, None, export_release(folder, place, pictures=pictures, progress=tell))
    if not pictures:
        raise InputError("belongs to the layout of authors", where="pictures", fix="omit it: a task needs its pictures")
    asked = checked(chosen.RunSettings, settings, "", f"family {chosen.name}")
    made = export_suite(folder, chosen, place, to, asked, selection, tell)
    return Export(place, made.questions, made.command, made.notes)
