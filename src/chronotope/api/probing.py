"""Probe an open model from Python, and read the tables of a probe."""

from __future__ import annotations  # `help` shows short names of types

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from chronotope.api.benchmarks import selected
from chronotope.api.checked_settings import checked
from chronotope.api.data_frames import as_frame
from chronotope.api.options import PythonOptions
from chronotope.api.telling import advance_of
from chronotope.errors import InputError, visible
from chronotope.evaluate.run import Progress
from chronotope.families import family
from chronotope.io import value_words
from chronotope.probe.settings import ProbeSettings, most_questions
from chronotope.question import Benchmark, one_of


class Probe:
    """The result of a probe: a layer of a model, measured on a benchmark.

    ``folder`` has the tables and figures of all layers measured so far; `chronotope.report` takes it beside runs.
    ``tables`` and ``figures`` map names to files of this layer. ``measured`` and ``kept`` count the units that were
    measured now and earlier.
    """

    def __init__(self, folder: Path, layer: str, cluster: str = "cluster", measured: int = 0, kept: int = 0) -> None:
        from chronotope.probe import read_manifest

        self.folder, self.layer, self.measured, self.kept, self._cluster = folder, layer, measured, kept, cluster
        self.entry = read_manifest(folder).layers[layer]
        self.tables = {name: folder / path for name, path in self.entry.tables.items()}
        self.figures = {one.title: folder / one.path for one in self.entry.figures}

    def table(self, name: str | None = None) -> Any:
        """Return a table of the layer; without a name, its main table.

        The table is a DataFrame if pandas is installed, and otherwise an Arrow table.

        Raises:
            InputError: If there is no such table.
        """
        if name is None and self.tables:
            name = next(iter(self.tables))
        if name not in self.tables:
            raise InputError(f"no table {name!r}", where=str(self.folder), expected=one_of(list(self.tables)))
        return as_frame(pa.Table.from_pylist(self.rows(name)))

    def rows(self, name: str) -> list[dict[str, Any]]:
        """Return the rows of a table of the layer as mappings."""
        from chronotope.probe import read_table

        return read_table(self.folder, self.entry.tables[name])

    @property
    def doubt(self) -> str | None:
        """Warn if there are too few clusters for a conclusion."""
        from chronotope.probe.reading import too_few

        return too_few(self.layer, [row for name in self.tables for row in self.rows(name)], self._cluster)

    def __repr__(self) -> str:
        about = f"{self.layer}, {self.entry.units} units, tables {', '.join(self.tables) or 'none'}"
        return visible(f"<Probe {self.folder}: {about}>")


def probe(
    bench: Benchmark | Path | str,
    model: str,
    layer: str,
    out: Path | str = "probe",
    *,
    questions: str | Sequence[str] | None = None, tasks: str | Sequence[str] = (),
    variants: str | Sequence[str] = "base", limit: int | None = None, condition: str | Sequence[str] = (),
    at: str | None = None, roles: str | None = None,
    set: Mapping[str, Any] | None = None, on: str | None = None, workers: int | None = None,
    progress: Progress | bool = False,
) -> Probe:  # fmt: skip
    """Measure where an open model loses information, or continue a measurement.

    ``model`` is ``transformers/FOLDER`` or ``transformers/HUB-NAME``. ``layer`` is ``representation`` (does the vision
    encoder see it?), ``hidden`` (does the language model keep it?), ``attention`` (does the answer use it?), ``lens``
    or ``patch``. All other parameters have the names of the flags of ``chronotope probe``. With ``on``, the workers of
    a Ray cluster measure.

    Raises:
        InputError: If the model cannot be probed, a setting is wrong, or the folder belongs to another probe.
    """
    from chronotope.probe import ProbeRequest  # loads PyTorch
    from chronotope.probe import probe as measure

    names = {"questions": questions, "tasks": tasks, "variants": variants, "limit": limit, "out": out, "set": set}
    given: PythonOptions = checked(PythonOptions, names, "", "probe")
    if not isinstance(model, str):
        raise InputError(f"found {value_words(model)}", where="model", expected="a name such as transformers/FOLDER")
    several = [condition] if isinstance(condition, str) else list(condition)
    about = {"condition": several, "at": at, "roles": roles}
    settings = checked(ProbeSettings, about, "", "probe")
    folder, selection = selected(
        bench, given.questions, given.tasks, most_questions(layer, given.limit), given.variants
    )
    assert given.out is not None
    chosen, advance = family(folder.card.family), advance_of(progress, f"probing {layer}")
    fields = {
        name: value for name, value in {**(given.set or {}), "on": on, "workers": workers}.items() if value is not None
    }
    request = ProbeRequest(folder, chosen, model, layer, given.out, settings, selection, fields, advance)
    probed = measure(request)
    return Probe(given.out, layer, chosen.cluster, probed.measured, probed.kept)
