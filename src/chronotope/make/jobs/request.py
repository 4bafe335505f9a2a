"""The settings of a build, and the command line that repeats it."""

import os
import shlex
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chronotope.families import Profile, family
from chronotope.make.sources.origin import WorldName, parse_world, source_name
from chronotope.recording.sources import Given
from chronotope.world import EngineName, QualityName, usual_assets, usual_quality, world_kinds

if TYPE_CHECKING:
    from chronotope.models import Calls, ModelSpec  # few builds ask a model


@dataclass(frozen=True)
class BuildRequest:
    """The settings of a build.

    ``source`` is a path, or a simulated world such as ``world:table:8``. ``quality`` applies only to simulated worlds.
    ``assets`` is a folder of the asset forge, for simulated homes, and ``engine`` is the engine that films the homes.
    If ``quality`` or ``assets`` is None, ``drawn_quality`` or ``drawn_assets`` chooses the value. ``writer`` is the
    model that rewords names of things, or describes pictures, and ``writer_calls`` are the settings of its calls.
    ``world_options`` are the given options of the kind of world.
    """

    family: str
    source: Path | str
    out: Path
    seed: int = 0
    profile: Profile = "strict"
    options: dict[str, Any] = field(default_factory=dict)
    given: Given = field(default_factory=Given)
    source_name: str | None = None
    quality: QualityName | None = None
    assets: Path | None = None
    engine: EngineName = "own"
    writer: "ModelSpec | None" = None
    writer_calls: "Calls | None" = None
    world_options: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def world(self) -> WorldName | None:
        """Return the simulated world that the source names.

        A path has None.

        Raises:
            InputError: If there is no such world.
        """
        return parse_world(str(self.source))

    @property
    def drawn_quality(self) -> QualityName | None:
        """Return the quality of a simulated world.

        The quality is the given quality or, by default, the usual quality. The result is None for a source that is a
        path, and for a world that needs no engine. A world that makes procedures draws clips or photographs only if an
        option asks for them.
        """
        if self.quality is not None or self.world is None:
            return self.quality
        if self.engine == "thor":  # it has its own light
            return "full"
        kind = world_kinds()[self.world.world]
        draws = kind.qualities if kind.subject == "scene" else any(self.world_options.values())
        return usual_quality(self.world.world) if draws else None

    @property
    def drawn_assets(self) -> Path | None:
        """Return the folder of assets.

        The folder is the given one, or the usual one if no quality is given either.

        With a given quality, a command thus draws the same homes on each machine; so does a house file. AI2-THOR takes
        no assets.
        """
        if self.assets is not None or self.quality is not None or self.engine == "thor":
            return self.assets
        if self.world is None or self.world.path is not None:
            return self.assets
        return usual_assets(self.world.world)

    @property
    def called(self) -> str:
        """Return the name of the source."""
        return source_name(self.source)

    @property
    def place(self) -> str:
        """Return the absolute path of the source, or its simulated world."""
        if self.world is not None:
            return self.world.source
        return os.path.abspath(self.source)  # noqa: PTH100 - turns "." into a name without resolving links

    @cached_property
    def command(self) -> str:
        """Return the command line that makes this benchmark, without ``--out``."""
        words = [
            "chronotope",
            "build",
            self.family,
            shlex.quote(self.called),
            f"--seed {self.seed}",
            f"--profile {self.profile}",
        ]
        fields = family(self.family).build.Options.model_fields
        for name, value in sorted(self.options.items()):
            if not isinstance(value, bool) or value != fields[name].default:  # a switch with its default needs no flag
                words += _flags(name.replace("_", "-"), value)
        assets = self.drawn_assets
        given = {
            "fps": self.given.fps,
            "kind": self.given.kind,
            "gravity": self.given.gravity,
            "source": self.source_name,
            "quality": self.drawn_quality,
            "engine": None if self.engine == "own" else self.engine,
            "assets": None if assets is None else shlex.quote(assets.absolute().name),
            "writer": None if self.writer is None else self.writer.name,
        }
        for name, value in sorted(self.world_options.items()):
            words += _flags(name.replace("_", "-"), value)
        for name, value in given.items():
            if value is not None:
                words.append(f"--{name} {','.join(map(str, value)) if isinstance(value, tuple) else value}")
        return " ".join(words)


def _flags(name: str, value: Any) -> list[str]:
    """Return the command-line flags that set a build option to a value."""
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--no-{name}"]
    values = value if isinstance(value, list | tuple) else [value]
    return [f"--{name} {shlex.quote(str(one))}" for one in values]
