"""Make benchmarks from others or from releases, furniture for homes, and diagrams without numbers."""

from __future__ import annotations  # `help` shows short names of types

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from chronotope.api.checked_settings import as_path
from chronotope.api.telling import Advance, advance_of
from chronotope.errors import InputError
from chronotope.io import value_words
from chronotope.question import Benchmark, Variant, VariantRule

if TYPE_CHECKING:
    from chronotope.families.ikea.cleaning_folder import CleaningReport
    from chronotope.make import Imported, Varied
    from chronotope.world.forge import Forged

TWINS: tuple[Variant, ...] = ("mirrored", "reversed", "half_speed", "double_size")
VARIANTS: tuple[Variant, ...] = tuple(name for name in get_args(Variant) if name != "base" and name not in TWINS)


def import_release(
    family: str, path: Path | str, out: Path | str, *, clips: Path | str | None = None, progress: Advance | bool = False
) -> Imported:
    """Make a benchmark from the released data of a paper.

    Every defect found in the data is listed. ``path`` is a folder, an archive, a file of questions, or an address such
    as ``hf://OWNER/NAME``. ``clips`` is the folder of the clips, if the released data has no clips. The result has the
    ``benchmark``, the ``findings`` and the number of rows ``left_out``.

    Raises:
        InputError: If the data is not a release of this family, none of its questions can be asked, or ``out`` is not
            empty.
    """
    from chronotope.make import import_release as make
    from chronotope.make import is_address

    place = path if isinstance(path, str) and is_address(path) else as_path(path, "path")
    if isinstance(place, Path) and not place.exists():
        raise InputError(f"{place}: no such file or folder")
    folder = None if clips is None else as_path(clips, "clips")
    return make(family, place, as_path(out, "out"), folder, advance_of(progress, "importing"))


def vary(
    bench: Benchmark | Path | str,
    out: Path | str,
    *,
    variants: Variant | Sequence[Variant] = VARIANTS,
    rule: VariantRule = "ours",
) -> Varied:
    """Copy a benchmark, and add variants of its questions.

    The variants in ``TWINS`` are questions about an altered clip (mirrored, reversed, at half speed, or in a world of
    double size), which is made, too. They are made only if they are named.

    ``rule`` is the rule for "None of these": ``ours`` or ``paper``. The result has the new ``card``, and the questions
    ``without`` a variant, with the reasons.

    Raises:
        InputError: If there is no such variant or rule, ``out`` exists, or no further question can be added.
    """
    from chronotope.make import vary as make

    names = [variants] if isinstance(variants, str) else variants
    if not isinstance(names, Sequence) or not names or any(name not in VARIANTS + TWINS for name in names):
        found = value_words(variants)
        raise InputError(f"found {found}", where="variants", expected=f"one or more of {', '.join(VARIANTS + TWINS)}")
    if rule not in (rules := get_args(VariantRule)):
        raise InputError(f"found {value_words(rule)}", where="rule", expected=f"one of {', '.join(rules)}")
    folder = bench.folder if isinstance(bench, Benchmark) else as_path(bench, "bench")
    return make(folder, [name for name in VARIANTS + TWINS if name in names], as_path(out, "out"), rule)


def forge(
    source: Path | str,
    out: Path | str | None = None,
    *,
    models: Path | str | None = None,
    keep_going: bool = False,
    progress: Advance | bool = False,
) -> Forged:
    """Make assets of simulated homes and streets from libraries of Sweet Home 3D.

    ``source`` is a library, or a folder of libraries. ``out`` is the folder of assets; homes that are built without a
    quality use the default one. ``models`` is a JSON table of models by object type, for other libraries. With
    ``keep_going``, broken models are left out. The result has the ``entries``, and what is ``left_out``.

    Raises:
        InputError: If the source has none of the models, a model is broken, or a package is missing.
    """
    from chronotope.world import assets_place
    from chronotope.world.forge import forge as make
    from chronotope.world.forge import read_models

    table = read_models(None if models is None else as_path(models, "models"))
    folder = assets_place() if out is None else as_path(out, "out")
    return make(as_path(source, "source"), folder, table, advance_of(progress, "forging"), keep_going=keep_going)


def clean(
    diagrams: Path | str,
    out: Path | str,
    *,
    sheet: Path | str | None = None,
    keep_going: bool = False,
    progress: Advance | bool = False,
) -> CleaningReport:
    """Write copies of assembly diagrams without the printed step numbers.

    ``diagrams`` is a folder with diagrams, also in subfolders. ``sheet`` is a folder for comparison sheets. With
    ``keep_going``, diagrams that cannot be read are skipped.

    Raises:
        InputError: If the folder has no diagrams, or a diagram cannot be read or written.
    """
    from chronotope.families.ikea.cleaning_folder import clean_folder

    pages = None if sheet is None else as_path(sheet, "sheet")
    return clean_folder(
        as_path(diagrams, "diagrams"), as_path(out, "out"), pages, advance_of(progress, "cleaning"),
        keep_going=keep_going,
    )  # fmt: skip
