"""What a layer of a probe is: its pieces of work, its measurement and its summary."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from chronotope.errors import InputError
from chronotope.evaluate.plan import Plan
from chronotope.families import Family
from chronotope.media import Encoded, FrameCache
from chronotope.models import PictureBytes
from chronotope.models.transformers import LocalModel
from chronotope.probe.prompts import Prompted, prompts_of
from chronotope.probe.settings import ProbeSettings
from chronotope.protocol import FrameOf, Picture, Video, media_of
from chronotope.question import Benchmark
from chronotope.view.frames import make_pictures

Row = dict[str, Any]


@dataclass(frozen=True)
class Unit:
    """One piece of work of a layer, which is measured completely or not at all.

    ``id`` is unique in the layer and does not depend on the other units. ``label`` is shown beside the progress bar.
    ``shown`` are the pictures and videos that the measurement needs.
    """

    id: str
    label: str
    of: Any
    shown: tuple[Picture | Video, ...]

    @classmethod
    def of_prompts(cls, *prompts: Prompted, of: Any = None) -> "Unit":
        """Return the unit of prompts.

        The first one names it, and is measured if ``of`` is not given.
        """
        shown = tuple(dict.fromkeys(one for prompted in prompts for one in media_of(prompted.parts)))
        return cls(prompts[0].id, prompts[0].question.id, prompts[0] if of is None else of, shown)


@dataclass(frozen=True)
class Drawing:
    """A figure as SVG text, with its file name, its title and its caption (``words``)."""

    name: str
    title: str
    words: str
    svg: str


@dataclass(frozen=True)
class Summary:
    """The results of a layer: tables by name, and figures."""

    tables: Mapping[str, Sequence[Row]]
    figures: Sequence[Drawing] = ()


class Layer(Protocol):
    """One kind of probe; ``place`` orders the layers, from the eyes of a model to its answer."""

    name: str
    place: int

    def units(self, job: "ProbeJob") -> Sequence[Unit]:
        """Return the pieces of work."""
        ...

    def check(self, instrument: "Instrument") -> None:
        """Check that the model can be measured, before the first piece of work."""

    def measure(self, instrument: "Instrument", unit: Unit) -> list[Row]:
        """Measure one piece; return at least one row of plain values."""
        ...

    def summarize(self, job: "ProbeJob", rows: Sequence[Row]) -> Summary:
        """Compute tables and figures from all rows."""
        ...


@dataclass(frozen=True)
class Instrument:
    """What a measurement needs: the model, the settings, and the bytes of pictures.

    Another machine can have one, too.
    """

    local: LocalModel
    settings: ProbeSettings
    pictures: PictureBytes

    def encode(self, prompted: Prompted) -> Any:
        """Encode a prompt.

        Raises:
            InputError: If the prompt is longer than the context of the model.
        """
        encoded = self.local.encode(prompted.parts, self.pictures)
        if self.local.context is not None and encoded.length > self.local.context:
            raise InputError(
                f"question {prompted.question.id!r} has {encoded.length:,} tokens, but the context of the model has "
                f"{self.local.context:,}",
                fix="show fewer frames, such as --condition frames=4, or smaller pictures with --set processor={...}",
            )
        return encoded


@dataclass
class ProbeJob:
    """A probe at work: the model, the questions and the settings.

    ``plans`` maps the name of each condition to its plan.
    """

    local: LocalModel
    benchmark: Benchmark
    family: Family
    settings: ProbeSettings
    plans: Mapping[str, Plan]
    cache: FrameCache = field(default_factory=FrameCache)

    @property
    def instrument(self) -> Instrument:
        """Return what measurements in this process need."""
        return Instrument(self.local, self.settings, self.pictures)

    @cached_property
    def prompts(self) -> list[Prompted]:
        """Return the prompts of all conditions, question by question."""
        every = [one for name, plan in self.plans.items() for one in prompts_of(plan, name)]
        order = {question: at for at, question in enumerate(dict.fromkeys(one.question.id for one in every))}
        return sorted(every, key=lambda one: order[one.question.id])

    def pictures(self, shown: Picture | Video) -> Encoded:
        """Return the encoded bytes of a picture or a video.

        Raises:
            InputError: If a file is missing or has changed.
        """
        from chronotope.media import video_of_frames

        if isinstance(shown, Video):
            if shown.frames is not None:
                return video_of_frames(make_pictures(self.benchmark.folder, shown.frames.frames, self.cache))
            data = (self.benchmark.folder / shown.path).read_bytes()
            return Encoded(data, shown.sha256, "video/mp4")
        if isinstance(shown, FrameOf):
            return self._frames(shown)[shown.position]
        return make_pictures(self.benchmark.folder, [shown], self.cache)[0]

    def _frames(self, shown: FrameOf) -> Sequence[Encoded]:
        """Return all frames of a plan.

        The frames of the latest plan stay in memory.
        """
        key = (shown.path, shown.plan.key)
        if self._latest[0] != key:
            [frames] = self.cache.frames(self.benchmark.folder / shown.path, [shown.plan])
            self._latest = (key, frames)
        return self._latest[1]

    _latest: tuple[tuple[str, str] | None, Sequence[Encoded]] = (None, ())
