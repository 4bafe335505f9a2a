"""Where the units of a probe are measured: in this process, or by the workers of a Ray cluster."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from chronotope.errors import InputError
from chronotope.interrupts import run_async
from chronotope.media import Encoded
from chronotope.models.transformers import is_out_of_memory
from chronotope.models.transformers.on_cluster import Copied, actors_of
from chronotope.pool import TRIES, Actor, Actors, LostError
from chronotope.probe.layer import Instrument, Layer, ProbeJob, Row, Unit
from chronotope.probe.layers import layer_of
from chronotope.probe.settings import ProbeSettings
from chronotope.protocol import Picture, Video

_HEARD = 1.0  # seconds between two looks at the cluster's troubles

Keep = Callable[[Unit, list[Row]], None]
Tell = Callable[[int, str], None]  # gets the number of measured units, and a label


def measure_all(layer: Layer, job: ProbeJob, units: Sequence[Unit], keep: Keep, tell: Tell) -> None:
    """Measure units, and call ``keep`` with the rows of each.

    Raises:
        InputError: If the model cannot be measured, or a unit does not fit into the memory.
    """
    if not units:
        return
    if job.local.sources.settings.on is not None:
        run_async(_OnCluster(layer, job, keep, tell, deque(units)).run())
        return
    layer.check(job.instrument)
    for number, unit in enumerate(units):
        tell(number, unit.label)
        keep(unit, _measured(layer, job.instrument, unit))


def _measured(layer: Layer, instrument: Instrument, unit: Unit) -> list[Row]:
    """Measure one unit.

    Raises:
        InputError: If the unit does not fit into the memory.
    """
    try:
        return layer.measure(instrument, unit)
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        raise InputError(
            f"--layer {layer.name}: the memory of {instrument.local.device} is full at {unit.label}; what is measured "
            "is kept",
            fix="show fewer frames (in layers with conditions, --condition frames=4), or use another --set device",
        ) from None


class Measurer:
    """The object of a worker of a cluster: the model with its weights, and the layer of the probe.

    Raises:
        InputError: If the model cannot be measured.
    """

    def __init__(self, copied: Copied, layer: str, settings: ProbeSettings) -> None:
        self._local, self._layer, self._settings = copied.load(), layer_of(layer), settings
        self._layer.check(self._with({}))

    def measure(self, unit: Unit, pictures: Mapping[Picture | Video, Encoded]) -> list[Row]:
        """Measure a unit, which shows ``pictures``."""
        return _measured(self._layer, self._with(pictures), unit)

    def _with(self, pictures: Mapping[Picture | Video, Encoded]) -> Instrument:
        return Instrument(self._local, self._settings, pictures.__getitem__)


@dataclass
class _OnCluster:
    """The units that the workers of a cluster measure; the pictures come from this process."""

    layer: Layer
    job: ProbeJob
    keep: Keep
    tell: Tell
    waiting: deque[Unit]
    running: set[asyncio.Task[None]] = field(default_factory=set[asyncio.Task[None]])
    lost: Counter[str] = field(default_factory=Counter[str])
    done: int = 0

    async def run(self) -> None:
        """Measure all units; a unit whose worker is lost is measured by another one."""
        make = partial(Measurer, layer=self.layer.name, settings=self.job.settings)
        actors = actors_of(self.job.local, make, "what is measured is kept")
        telling = asyncio.create_task(self._tell_trouble(actors))
        try:
            while self.waiting or self.running:
                if self.waiting:
                    await self._begin(actors, self.waiting.popleft())
                else:
                    await asyncio.wait(self.running, return_when=asyncio.FIRST_COMPLETED)
                ended = {task for task in self.running if task.done()}
                self.running -= ended
                for task in ended:
                    task.result()
        finally:
            for task in (telling, *self.running):
                task.cancel()
            await asyncio.gather(telling, *self.running, return_exceptions=True)
            await actors.close()

    async def _begin(self, actors: Actors, unit: Unit) -> None:
        """Give a unit to the next free worker."""
        pictures = await asyncio.to_thread(lambda: {shown: self.job.pictures(shown) for shown in unit.shown})
        actor = await actors.take()
        self.running.add(asyncio.create_task(self._measure(actors, actor, unit, pictures)))

    async def _measure(self, actors: Actors, actor: Actor, unit: Unit, pictures: Mapping[Any, Encoded]) -> None:
        try:
            rows = await actors.call(actor, "measure", unit, pictures)
        except LostError as error:
            self.lost[unit.id] += 1
            if self.lost[unit.id] == TRIES:
                raise InputError(
                    f"{TRIES} workers of the cluster were lost at {unit.label}, usually because memory ran out "
                    f"({error}); what is measured is kept",
                    fix="give each node more memory, or show fewer frames",
                ) from error
            self.waiting.appendleft(unit)
        else:
            self.keep(unit, rows)
            self.done += 1
            self.tell(self.done, unit.label)
        finally:
            await actors.give(actor)

    async def _tell_trouble(self, actors: Actors) -> None:
        while True:
            await asyncio.sleep(_HEARD)
            if (trouble := actors.trouble) is not None:
                self.tell(self.done, trouble)
