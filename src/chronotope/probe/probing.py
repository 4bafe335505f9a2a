"""The job of a probe: measure every unit of a layer, then write tables and figures."""

import platform
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chronotope import __version__
from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection, make_plan
from chronotope.families import Family
from chronotope.models import NO_INFLUENCE, Limits, is_local
from chronotope.models.transformers import LocalModel, load, local_settings
from chronotope.probe.folder import (
    LOCK,
    PROBE,
    LayerEntry,
    ProbeManifest,
    ProbeStore,
    join_manifest,
    locked,
    read_manifest,
    store_manifest,
)
from chronotope.probe.layer import ProbeJob
from chronotope.probe.layers import layer_of
from chronotope.probe.measuring import measure_all
from chronotope.probe.settings import ProbeSettings, read_conditions
from chronotope.question import Benchmark


@dataclass(frozen=True)
class ProbeRequest:
    """The model, the benchmark and the settings of a probe.

    ``model`` is a name such as ``transformers/FOLDER``. ``fields`` are settings of the model, such as ``device``.
    ``progress`` is called with the number of measured units, the number of all units, and a label.
    """

    benchmark: Benchmark
    family: Family
    model: str
    layer: str
    out: Path
    settings: ProbeSettings = field(default_factory=lambda: ProbeSettings.model_validate({}))
    selection: Selection = field(default_factory=Selection)
    fields: Mapping[str, Any] = field(default_factory=dict)
    progress: Callable[[int, int, str], None] | None = None


@dataclass(frozen=True)
class Probed:
    """The result of a probe: its folder, the entry of the layer, and the numbers of units."""

    folder: Path
    entry: LayerEntry
    measured: int
    kept: int


def probe(request: ProbeRequest) -> Probed:
    """Measure a layer of a model, or continue an interrupted measurement.

    Each unit is stored as soon as it is measured. A folder can have several layers of the same model and benchmark.

    Raises:
        InputError: If the model cannot be probed, a setting is wrong, or the folder belongs to another probe.
    """
    layer = layer_of(request.layer)
    job = _job(request, open_local(request.model, request.fields, request.family.processors))
    is_new = not request.out.exists()
    with locked(request.out), _removed_if_unused(request.out, is_new):
        manifest = join_manifest(request.out, _manifest(job, request), layer.name, _identity(request))
        units = layer.units(job)
        if len({unit.id for unit in units}) < len(units):
            raise AssertionError("two units have the same id")
        store_manifest(request.out, manifest)
        store = ProbeStore(request.out, layer.name)
        done = store.done()
        missing = [unit for unit in units if unit.id not in done]

        def tell(number: int, label: str) -> None:
            if request.progress is not None:
                request.progress(len(units) - len(missing) + number, len(units), label)

        measure_all(layer, job, missing, lambda unit, rows: store.keep(unit.id, rows), tell)
        store.join()
        tables, figures = store.write(layer.summarize(job, store.rows({unit.id for unit in units})))
        entry = LayerEntry(settings=_identity(request), units=len(units), complete=True, tables=tables, figures=figures)
        manifest = read_manifest(request.out)
        store_manifest(request.out, manifest.model_copy(update={"layers": {**manifest.layers, layer.name: entry}}))
    return Probed(request.out, entry, len(missing), len(units) - len(missing))


def open_local(
    name: str, fields: Mapping[str, Any], processors: Mapping[str, Mapping[str, Any]] | None = None
) -> LocalModel:
    """Open a model whose layers can be read.

    ``processors`` has settings of the processor by family of models. ``fields`` overrule them.

    Raises:
        InputError: If the model is not in this process, or cannot be loaded.
    """
    place = name.partition("/")[2]
    if not is_local(name) or not place:
        raise InputError(
            f"--model {name}: the layers of a model behind a service cannot be read",
            expected="transformers/FOLDER or transformers/HUB-NAME",
        )
    settings = local_settings(name, fields)
    local = load(place, settings)
    preset = (processors or {}).get(local.sources.row.name, {})
    if all(key in settings.processor for key in preset):
        return local
    return load(place, settings.model_copy(update={"processor": {**preset, **settings.processor}}))


def _job(request: ProbeRequest, local: LocalModel) -> ProbeJob:
    plans = {
        condition.name: make_plan(request.benchmark, request.family, condition.settings, request.selection, Limits())
        for condition in read_conditions(request.settings, request.family)
    }
    return ProbeJob(local, request.benchmark, request.family, request.settings, plans)


def _identity(request: ProbeRequest) -> dict[str, Any]:
    """Return the settings that determine the values of a layer."""
    return request.settings.model_dump(mode="json", exclude_defaults=True)


def _manifest(job: ProbeJob, request: ProbeRequest) -> ProbeManifest:
    card, versions = job.benchmark.card, {"python": platform.python_version(), "chronotope": __version__}
    from importlib.metadata import version

    versions |= {name: version(name) for name in ("numpy", "torch", "transformers")}
    weights = {**job.local.sources.identity, "dtype": str(job.local.dtype).removeprefix("torch.")}
    weights |= {name: value for name, value in request.fields.items() if name not in NO_INFLUENCE}
    if job.local.sources.settings.processor:
        weights["processor"] = job.local.sources.settings.processor
    return ProbeManifest(
        benchmark=card.name,
        path=str(job.benchmark.folder.resolve()),
        content_hash=card.content_hash,
        family=card.family,
        model=request.model,
        weights=weights,
        versions=versions,
    )


@contextmanager
def _removed_if_unused(folder: Path, is_new: bool) -> Iterator[None]:
    """Remove a new folder after an error if nothing was measured."""
    try:
        yield
    except InputError:
        if is_new and {one.name for one in folder.iterdir()} <= {LOCK, PROBE}:
            shutil.rmtree(folder)
        raise
