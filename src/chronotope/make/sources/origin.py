"""The inputs of a build: recordings of a data set on disk, and scenes of a simulated world."""

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from chronotope.errors import InputError
from chronotope.io import canonical_json, link_check, link_or_copy, sha256_bytes, sha256_file, slug
from chronotope.media import ClipFacts
from chronotope.pool import Tell
from chronotope.question import item_generator
from chronotope.recording import Clip, Procedure, Recording, Scene, copy_recording, save_recording
from chronotope.recording.sources import Found, Given, Loaded, companions, load, recording_folder
from chronotope.world import (
    THOR_SCENES,
    EngineName,
    QualityName,
    RefusedError,
    assets_hash,
    code_hash,
    number_in_set,
    plan_scene,
    require_embree,
    require_rendering,
    require_thor,
    simulate,
    simulate_thor,
    world_kinds,
)

_WORLD = "world:"
_USUAL_COUNT = 8
ATTEMPTS = 5  # attempts to generate one simulated scene


@dataclass(frozen=True)
class Brought:
    """A scene or procedure that was written into a folder of the build.

    ``subject`` is the scene or procedure. ``media`` maps the path of each clip and picture in ``subject`` to its path
    inside the benchmark. ``clips`` maps the id of each recording of a scene to the path of its clip inside the
    benchmark. ``facts`` are those of clips that were measured already, by the same path. ``attributions`` name the
    authors of the scene's contents. If the verifier refuses a simulated scene, the scene is generated again with other
    random numbers. ``redrawn`` lists the failed checks of each refused attempt.
    """

    subject: Scene | Procedure
    clips: dict[str, str] = field(default_factory=dict[str, str])
    media: dict[Path, str] = field(default_factory=dict[Path, str])
    facts: dict[str, ClipFacts] = field(default_factory=dict[str, ClipFacts])
    notes: tuple[str, ...] = ()
    attributions: tuple[str, ...] = ()
    redrawn: tuple[str, ...] = ()


class Origin(Protocol):
    """The interface of one input of a build, a scene or a procedure. A worker process calls `bring`."""

    @property
    def name(self) -> str:
        """Return the name for progress messages and errors."""
        ...

    @property
    def expected_id(self) -> str | None:
        """Return the id that the scene or procedure will get.

        The result is None if the id is not known yet.
        """
        ...

    @property
    def sources(self) -> tuple[Path, ...]:
        """Return the files and folders that `bring` reads."""
        ...

    def fingerprint(self) -> str:
        """Return a hash that changes if the scene or procedure changes."""
        ...

    def require(self) -> None:
        """Check, before the work begins, that the required software is installed.

        Raises:
            InputError: If required software is missing.
        """
        ...

    def bring(self, folder: Path, tell: Tell) -> Brought:
        """Write the scene or procedure and its media into a folder.

        ``tell`` is called with the finished share (0 to 1) and the name of the current step.

        Raises:
            InputError: If the source cannot be used. The message names the source.
        """
        ...


@dataclass(frozen=True)
class FromSource:
    """A recording of a data set on disk, with the facts that the user gave as flags."""

    found: Found
    given: Given

    @property
    def name(self) -> str:
        """Return the recording's name within its source, or the file's name."""
        return self.found.part or self.found.path.name

    @property
    def expected_id(self) -> str | None:
        """Return the id that is made from the path.

        The result is None for a saved recording, because its file contains its own id.
        """
        if self.found.source == recording_folder.NAME:  # its file contains its id
            return None
        try:
            place = self.found.path.resolve()
            return slug(self.found.part or (place.name if place.is_dir() else place.stem))
        except InputError:
            return None  # the same error is raised when this source is loaded

    @property
    def sources(self) -> tuple[Path, ...]:
        """Return the path of the recording."""
        return (self.found.path,)

    def fingerprint(self) -> str:
        """Hash the names, sizes and modification times of all source files."""
        path = self.found.path
        if path.is_dir():
            walked = os.walk(path, followlinks=True)
            files = [f"{folder}/{name}" for folder, _, names in walked for name in names]
            files.sort(key=lambda file: file.split("/"))
        else:
            beside = path.with_name("chronotope.yaml")
            files = [str(path), *([str(beside)] if beside.is_file() else [])]
        listed = set(files)
        files += [str(file) for file in companions(self.found) if str(file) not in listed]
        entries = [entry for file in files if (entry := _mark(file, path)) is not None]
        entries.append([self.found.part, 0, 0])
        return sha256_bytes(canonical_json(entries).encode("utf-8", "surrogateescape"))  # names may be invalid UTF-8

    def require(self) -> None:
        """Do nothing, because reading files needs no rendering engine."""

    def bring(self, folder: Path, tell: Tell) -> Brought:
        """Read the recording, encode its clip if needed, and save both."""
        tell(0.0, "reading")
        loaded = load(self.found, self.given)
        recording, facts = _with_clip(loaded, folder, tell)
        inside = folder / "recordings" / recording.id
        for files in (recording.depth, recording.identities):
            _link_maps(self.found.path, files, inside)
        if loaded.saved is None:
            save_recording(recording, inside)
        else:
            copy_recording(loaded.saved, recording, inside)
            _copy_records(self.found.path, inside)
        brought = _brought(Scene.of(recording), folder, loaded.notes)
        return replace(brought, facts={place: facts for place in brought.clips.values() if facts is not None})


def _copy_records(source: Path, inside: Path) -> None:
    """Copy the records beside a saved recording, such as the graph of a stage."""
    for record in sorted(source.glob("*.json")):
        if record.is_file() and not (inside / record.name).exists():
            link_or_copy(record, inside / record.name)


def _mark(file: str, source: Path) -> list[Any] | None:
    """Return the name, size and modification time of a file.

    The result is None for a broken link.
    """
    try:
        status = os.stat(file)  # noqa: PTH116 - a source can have thousands of files
    except OSError:
        if Path(file).exists():
            raise
        return None
    start = f"{source}/"
    inside = file.startswith(start) and source.name
    name = f"{source.name}/{file[len(start) :]}" if inside else os.path.relpath(file, source.parent)
    return [name, status.st_size, status.st_mtime_ns]


def _brought(scene: Scene, folder: Path, notes: tuple[str, ...] = ()) -> Brought:
    """Return a scene that was written to ``folder``, with its media paths."""
    paths = {one.id: one.clip.path for one in scene.recordings if one.clip is not None}
    clips = {name: path.relative_to(folder).as_posix() for name, path in paths.items()}
    media = {paths[name]: clip for name, clip in clips.items()}
    return Brought(scene, clips, media, notes=notes, attributions=_attributions(scene))


def _attributions(scene: Scene) -> tuple[str, ...]:
    """Return the words that name the authors of a scene's assets."""
    found: set[str] = set()
    for recording in scene.recordings:
        assets = recording.provenance.get("assets")
        used = assets.get("used") if isinstance(assets, dict) else None
        if isinstance(used, list):
            found |= {str(each["attribution"]) for each in used if isinstance(each, dict) and "attribution" in each}
    return tuple(sorted(found))


def _with_clip(loaded: Loaded, folder: Path, tell: Tell) -> tuple[Recording, ClipFacts | None]:
    """Copy the recording's clip into ``folder``, or encode its pictures.

    Returns the recording with the path of the new clip, and the facts of a clip that was copied.
    """
    recording = loaded.recording
    if recording.clip is not None:
        facts = _usable(recording.clip, len(recording.times))
        target = folder / f"clips/{recording.id}{recording.clip.path.suffix}"
        target.parent.mkdir(parents=True, exist_ok=True)
        link_or_copy(recording.clip.path, target)
        return replace(recording, clip=replace(recording.clip, path=target)), facts
    if not loaded.pictures:
        return recording, None
    from chronotope.media import encode_clip  # imported in workers only, because it loads PyAV

    if recording.fps is None:
        raise InputError(f"{recording.id}: has one picture, but a recording needs at least two pictures")
    target = folder / f"clips/{recording.id}.mp4"
    fps = round(recording.fps, 3)  # remove the rounding noise of time stamps that were read from text
    facts = encode_clip(_told(loaded.pictures, tell), target, fps)
    clip = Clip(target, facts.sha256, fps, facts.width, facts.height)
    return replace(recording, clip=clip), None


def _told(pictures: Sequence[Path | np.ndarray], tell: Tell) -> Iterator[Path | np.ndarray]:
    """Yield the pictures, and report the progress after each picture."""
    for number, picture in enumerate(pictures, 1):
        yield picture
        tell(number / len(pictures), f"encoding picture {number} of {len(pictures)}")


def _usable(clip: Clip, samples: int) -> ClipFacts:
    """Measure a clip, and refuse it if no benchmark can use it.

    Raises:
        InputError: If the frame rate of the clip varies, or if the clip has fewer frames than the recording.
    """
    from chronotope.media import probe  # imported in workers only, because it loads PyAV

    facts = probe(clip.path, clip.sha256)  # the reader has just compared or computed the hash
    if facts.fps is None:
        raise InputError(
            f"{clip.path}: its frame rate varies, so no frames can be chosen by time: convert the clip to a constant "
            "rate and save the recording with the new clip"
        )
    if facts.frames < samples:
        raise InputError(
            f"{clip.path}: has {facts.frames} frames, but the recording has {samples} samples, one for each frame: "
            "replace the file by the correct clip"
        )
    return facts


def _link_maps(source: Path, files: tuple[str | None, ...] | None, inside: Path) -> None:
    """Link the depth or identity maps of a saved recording.

    The maps are never changed in place.
    """
    names, is_link = [name for name in files or () if name is not None], link_check()
    for folder in {os.path.dirname(name) for name in names}:  # noqa: PTH120 - there are thousands of files
        (inside / folder).mkdir(parents=True, exist_ok=True)
    for name in names:
        file = f"{source}/{name}"
        try:
            link_or_copy(file, f"{inside}/{name}", symbolic=is_link(file))
        except FileNotFoundError:
            raise InputError(f"{file}: recording.json names this file, but the file is missing: restore it") from None


@dataclass(frozen=True)
class FromWorld:
    """One simulated scene, determined by ``world``, ``seed``, ``index``, ``quality``, and perhaps a file.

    ``assets`` is the folder from which some of its things come, or None. ``thor`` is the name of a scene of AI2-THOR.
    ``options`` are the options of the kind of world that differ from their defaults. If ``is_rendered`` is false, the
    scene is only described.
    """

    world: str
    seed: int
    index: int
    quality: QualityName
    file: Path | None = None
    assets: Path | None = None
    engine: EngineName = "own"
    thor: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    is_rendered: bool = True

    @property
    def name(self) -> str:
        """Return the scene's name, such as ``table-0-0003``."""
        if self.file is not None:
            return f"{slug(self.file.stem)}-{self.seed}"
        if self.thor is not None:
            return f"{slug(self.thor)}-{self.seed}"
        return f"{self.world}-{self.seed}-{self.index:04d}"

    @property
    def expected_id(self) -> str | None:
        """Return the scene's name."""
        return self.name

    @property
    def sources(self) -> tuple[Path, ...]:
        """Return the file of the scene, and the folder of assets."""
        return tuple(path for path in (self.file, self.assets) if path is not None)

    def fingerprint(self) -> str:
        """Hash the name, quality, file, assets, engine and options, and the code of a kind of another package."""
        file = [] if self.file is None else [sha256_file(self.file)]
        assets = [] if self.assets is None else ["assets", assets_hash(self.assets)]
        engine = [] if self.engine == "own" else ["engine", self.engine]
        options = ["options", dict(self.options)] if self.options else []
        plan = [] if self.is_rendered else ["plan"]
        code = code_hash(world_kinds()[self.world].layout)
        known = [] if code is None else ["code", code]
        facts = [self.name, self.quality, *file, *assets, *engine, *options, *plan, *known]
        return sha256_bytes(canonical_json(facts).encode())

    def require(self) -> None:
        """Check that this machine can render."""
        if self.engine == "thor":
            require_thor()
            return
        if not self.is_rendered:
            return
        require_rendering()
        if world_kinds()[self.world].qualities[self.quality].baked:
            require_embree()

    def bring(self, folder: Path, tell: Tell) -> Brought:
        """Generate and render the scene, in up to five attempts.

        If the verifier refuses a scene, the next attempt uses other random numbers.

        Raises:
            InputError: If the verifier refused every attempt.
        """
        refused: list[RefusedError] = []
        notes: list[str] = []
        while len(refused) < ATTEMPTS:
            try:
                notes.clear()
                scene = self._draw(folder, len(refused), tell, notes.append)
            except RefusedError as error:
                refused.append(error)
                for left in folder.iterdir():
                    shutil.rmtree(left)
                continue
            brought = _brought(scene, folder, (*notes, *map(_drawn_anew, refused)))
            return replace(brought, redrawn=tuple(", ".join(error.checks) for error in refused))
        raise InputError(
            f"{refused[-1]} (refused in all {ATTEMPTS} attempts: leave out this scene with --keep-going, or use "
            "another --seed)"
        )

    def _draw(self, folder: Path, attempt: int, tell: Tell, note: Callable[[str], None]) -> Scene:
        """Generate and render the scene once, with the attempt's random numbers.

        The first attempt has the number 0.
        """
        stage, again = (f"attempt {attempt}", {"attempt": attempt}) if attempt else ("", {})
        generator = item_generator(self.seed, f"{_WORLD}{self.world}", self.name, stage)
        file = {} if self.file is None else {"file": self.file.name}
        options = {"options": dict(self.options)} if self.options else {}
        provenance = {"world": self.world, "seed": self.seed, "index": self.index, **options, **file, **again}
        quality = world_kinds()[self.world].qualities[self.quality]
        number = number_in_set(self.world, self.seed, self.index, self.options)
        if not self.is_rendered:
            return plan_scene(self.world, self.name, generator, folder, provenance, number, self.options, self.file)
        if self.engine == "thor":
            source = self.thor if self.file is None else self.file
            assert source is not None, "find_origins() names a scene or a file"
            return simulate_thor(source, self.name, generator, quality, folder, provenance, tell)
        return simulate(
            self.world, self.name, generator, quality, folder, provenance, tell,
            self.file, note, self.assets, number, self.options,
        )  # fmt: skip


def _drawn_anew(error: RefusedError) -> str:
    """Tell why an attempt was thrown away.

    The benchmark holds the attempt that passed.
    """
    return f"drawn anew, because an attempt failed a check ({error.faults})"


@dataclass(frozen=True)
class WorldName:
    """A kind of simulated world, and the number of its scenes, or the file or folder that has them.

    ``thor`` is the name of a scene of AI2-THOR.
    """

    world: str
    count: int
    path: Path | None = None
    thor: str | None = None

    @property
    def source(self) -> str:
        """Return the full name, such as ``world:table:8``.

        The folder of a file is left out.
        """
        scenes = self.thor or self.count
        return f"{_WORLD}{self.world}:{scenes if self.path is None else self.path.absolute().name}"

    def files(self) -> list[Path | None]:
        """Return the file of each scene.

        A scene that is drawn has None.

        Raises:
            InputError: If the folder has no files.
        """
        if self.path is None:
            return [None] * self.count
        if not self.path.is_dir():
            return [self.path]
        found: list[Path | None] = [
            *sorted(path for path in self.path.iterdir() if path.suffix.lower() == ".json" and path.name[0] != ".")
        ]
        if not found:
            raise InputError(f"{self.path}: has no scenes: expected files whose names end with .json")
        return found


def source_name(source: Path | str) -> str:
    """Return the name of a source: that of a simulated world, or the last part of a path.

    Raises:
        InputError: If there is no such world.
    """
    world = parse_world(str(source))
    # `abspath` turns "." into a name without resolving links.
    return Path(os.path.abspath(source)).name if world is None else world.source  # noqa: PTH100


def parse_world(source: str) -> WorldName | None:
    """Parse the name of a simulated world, such as ``world:table:8`` or ``world:house:FILE``.

    The result is None if ``source`` is a path.

    Raises:
        InputError: If there is no such world, if the number of scenes is not a number from 1 to 9999, or if there is no
            such file or scene.
    """
    if not source.startswith(_WORLD):
        return None
    world, _, count = source.removeprefix(_WORLD).partition(":")
    if world not in world_kinds():
        known = f" or {_WORLD}".join(f"{name}:N" for name in world_kinds())
        raise InputError(f"{source}: there is no simulated world {world!r}: expected {_WORLD}{known}")
    if count and not (count.isascii() and count.isdigit() and 1 <= int(count) <= 9999):
        number = "the number of scenes, from 1 to 9999,"
        kind = world_kinds()[world]
        if (kind.read is None and kind.count is None) or count.lstrip("+-").isdigit():
            raise InputError(f"{source}: expected {number} after the second colon")
        if kind.read is not None and count in THOR_SCENES and not Path(count).exists():
            return WorldName(world, 1, thor=count)
        if kind.read is not None and not Path(count).exists() and re.fullmatch(r"FloorPlan\w*", count, re.IGNORECASE):
            raise InputError(
                f"{source}: AI2-THOR has no scene {count}: expected FloorPlan1 to 30, 201 to 230, 301 to 330 or 401 to "
                "430"
            )
        if not Path(count).exists():
            given = "a file or folder of scenes" if kind.read is not None else f"a folder of {kind.scenes}"
            raise InputError(f"{source}: there is no file {count}: expected {number} or {given} after the second colon")
        return WorldName(world, 1, Path(count))
    return WorldName(world, int(count) if count else _USUAL_COUNT)
