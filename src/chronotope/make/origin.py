"""The origin of one part of a build.

It is a recording of a data set on disk, or a scene of a simulated world.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from chronotope.errors import InputError
from chronotope.io import canonical_json, sha256_bytes, slug
from chronotope.media import encode_clip, probe
from chronotope.question import item_generator
from chronotope.recording import Clip, Procedure, Recording, Scene, save_recording
from chronotope.recording.sources import Found, Given, Loaded, companions, load, recording_folder
from chronotope.world import QUALITIES, QualityName, RefusedError, require_rendering, simulate, world_kinds

__all__ = ["Brought", "FromSource", "FromWorld", "Origin", "Tell", "WorldName", "parse_world"]

# Called with the share of the work on one recording or procedure that is done (0 to 1), and what is being done.
Tell = Callable[[float, str], None]

_WORLD = "world:"
_USUAL_COUNT = 8
ATTEMPTS = 5  # drawings of one simulated scene, before it is given up


@dataclass(frozen=True)
class Brought:
    """A scene or procedure in a part's folder.

    ``media`` maps each of its clips and pictures (as the subject names them) to the path inside the benchmark;
    ``clips`` are those of a scene's recordings, by their ids. ``redrawn`` has the failed checks of each earlier drawing
    of a simulated scene that the verifier refused.
    """

    subject: Scene | Procedure
    clips: dict[str, str] = field(default_factory=dict[str, str])
    media: dict[Path, str] = field(default_factory=dict[Path, str])
    notes: tuple[str, ...] = ()
    attribution: str | None = None
    redrawn: tuple[str, ...] = ()


class Origin(Protocol):
    """Bring one scene or procedure, in a worker."""

    @property
    def name(self) -> str:
        """Return the name that progress and errors show."""
        ...

    @property
    def expected_id(self) -> str | None:
        """Return its future id, or None if it is unknown."""
        ...

    def fingerprint(self) -> str:
        """Return a hash that changes with the scene or procedure."""
        ...

    def require(self) -> None:
        """Check, before any work, that this machine meets its requirements.

        Raises:
            InputError: If a requirement is missing.
        """
        ...

    def bring(self, folder: Path, tell: Tell) -> Brought:
        """Write the scene and its clips into a part's folder.

        ``tell`` gets the progress.

        Raises:
            InputError: If the source cannot be used. It names the source.
        """
        ...


@dataclass(frozen=True)
class FromSource:
    """A recording of a data set on disk, with the facts that flags state."""

    found: Found
    given: Given

    @property
    def name(self) -> str:
        """Return the part of the source, or its folder's or file's name."""
        return self.found.part or self.found.path.name

    @property
    def expected_id(self) -> str | None:
        """Return the id made of the path.

        The result is None for a saved recording, which has its own id.
        """
        if self.found.source == recording_folder.NAME:  # says itself what it is called
            return None
        try:
            place = self.found.path.resolve()
            return slug(self.found.part or (place.name if place.is_dir() else place.stem))
        except InputError:
            return None  # told with the other faults of this source, when it is loaded

    def fingerprint(self) -> str:
        """Hash the names, sizes and times of all files of the source."""
        path = self.found.path
        if path.is_dir():
            walked = os.walk(path, followlinks=True)
            files = sorted(Path(folder) / name for folder, _, names in walked for name in names)
        else:
            beside = path.with_name("chronotope.yaml")
            files = [path, *([beside] if beside.is_file() else [])]
        files += [file for file in companions(self.found) if file not in files]
        entries = [
            [os.path.relpath(file, path.parent), file.stat().st_size, file.stat().st_mtime_ns]
            for file in files
            if file.exists()  # a dangling link is no part of a source
        ]
        entries.append([self.found.part, 0, 0])
        return sha256_bytes(canonical_json(entries).encode("utf-8", "surrogateescape"))  # a stray name may be no text

    def require(self) -> None:
        """Do nothing: files need no engine."""

    def bring(self, folder: Path, tell: Tell) -> Brought:
        """Read the recording, encode missing clips, and save it."""
        tell(0.0, "reading")
        loaded = load(self.found, self.given)
        recording = _with_clip(loaded, folder, tell)
        inside = folder / "recordings" / recording.id
        for files in (recording.depth, recording.identities):
            _copy_maps(self.found.path, files, inside)
        save_recording(recording, inside)
        return _brought(Scene.of(recording), folder, loaded.notes)


def _brought(scene: Scene, folder: Path, notes: tuple[str, ...] = ()) -> Brought:
    """Describe a part's folder after its recordings' clips were written."""
    paths = {one.id: one.clip.path for one in scene.recordings if one.clip is not None}
    clips = {name: path.relative_to(folder).as_posix() for name, path in paths.items()}
    return Brought(scene, clips, {paths[name]: clip for name, clip in clips.items()}, notes)


def _with_clip(loaded: Loaded, folder: Path, tell: Tell) -> Recording:
    """Encode the recording's pictures as a clip in the part's folder."""
    recording = loaded.recording
    if recording.clip is not None:
        _refuse_unusable(recording.clip, len(recording.times))
        target = folder / f"clips/{recording.id}{recording.clip.path.suffix}"
        target.parent.mkdir(parents=True)
        shutil.copyfile(recording.clip.path, target)
        return replace(recording, clip=replace(recording.clip, path=target))
    if not loaded.pictures:
        return recording
    if recording.fps is None:
        raise InputError(f"{recording.id}: has one picture, but a recording needs at least two")
    target = folder / f"clips/{recording.id}.mp4"
    fps = round(recording.fps, 3)  # stamps read from text carry noise that no clip needs
    facts = encode_clip(_told(loaded.pictures, tell), target, fps)
    clip = Clip(target, facts.sha256, fps, facts.width, facts.height)
    return replace(recording, clip=clip)


def _told(pictures: Sequence[Path | np.ndarray], tell: Tell) -> Iterator[Path | np.ndarray]:
    """Yield the pictures, and report each as progress."""
    for number, picture in enumerate(pictures, 1):
        yield picture
        tell(number / len(pictures), f"encoding picture {number} of {len(pictures)}")


def _refuse_unusable(clip: Clip, samples: int) -> None:
    """Refuse a clip that no benchmark could use.

    Raises:
        InputError: If it cannot be used. It names the source's own file.
    """
    facts = probe(clip.path)
    if facts.fps is None:
        raise InputError(
            f"{clip.path}: its frame rate varies, so no frames can be planned: convert it to a constant rate and save "
            "the recording with the new clip"
        )
    if facts.frames < samples:
        raise InputError(
            f"{clip.path}: {facts.frames} frames, but the recording has {samples} samples, one for each frame: "
            "replace it by the correct clip"
        )


def _copy_maps(source: Path, files: tuple[str | None, ...] | None, inside: Path) -> None:
    """Copy the depth or identity pictures of a saved recording."""
    for name in files or ():
        if name is None:
            continue
        target = inside / name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            shutil.copyfile(source / name, target)
        except FileNotFoundError:
            raise InputError(
                f"{source / name}: recording.json names this file, but it is missing: restore it"
            ) from None


@dataclass(frozen=True)
class FromWorld:
    """One simulated scene, determined by (seed, world, index) and verified."""

    world: str
    seed: int
    index: int
    quality: QualityName

    @property
    def name(self) -> str:
        """Return the scene's name, such as ``table-0-0003``."""
        return f"{self.world}-{self.seed}-{self.index:04d}"

    @property
    def expected_id(self) -> str | None:
        """Return the scene's name."""
        return self.name

    def fingerprint(self) -> str:
        """Hash the scene's name and quality."""
        return sha256_bytes(canonical_json([self.name, self.quality]).encode())

    def require(self) -> None:
        """Check that this machine can render."""
        require_rendering()

    def bring(self, folder: Path, tell: Tell) -> Brought:
        """Render the scene, and draw another if the verifier refuses it.

        Raises:
            InputError: If the verifier refused every attempt.
        """
        refused: list[RefusedError] = []
        while len(refused) < ATTEMPTS:
            try:
                scene = self._draw(folder, len(refused), tell)
            except RefusedError as error:
                refused.append(error)
                for left in folder.iterdir():
                    shutil.rmtree(left)
                continue
            brought = _brought(scene, folder, tuple(f"drawn anew: {error}" for error in refused))
            return replace(brought, redrawn=tuple(", ".join(error.checks) for error in refused))
        raise InputError(
            f"{refused[-1]} (refused in all {ATTEMPTS} attempts: leave it out with --keep-going, or use another --seed)"
        )

    def _draw(self, folder: Path, attempt: int, tell: Tell) -> Scene:
        """Render the scene once, with the random numbers of this attempt.

        The first attempt is 0.
        """
        stage, again = (f"attempt {attempt}", {"attempt": attempt}) if attempt else ("", {})
        generator = item_generator(self.seed, f"{_WORLD}{self.world}", self.name, stage)
        provenance = {"world": self.world, "seed": self.seed, "index": self.index, **again}
        quality = QUALITIES[self.quality]
        return simulate(self.world, self.name, generator, quality, folder, provenance, tell)


@dataclass(frozen=True)
class WorldName:
    """A kind of simulated world, and a number of scenes."""

    world: str
    count: int

    @property
    def source(self) -> str:
        """Return the name in full, such as ``world:table:8``."""
        return f"{_WORLD}{self.world}:{self.count}"


def parse_world(source: str) -> WorldName | None:
    """Parse ``world:table:8``; None for a path.

    Raises:
        InputError: If there is no such world.
    """
    if not source.startswith(_WORLD):
        return None
    world, _, count = source.removeprefix(_WORLD).partition(":")
    if world not in world_kinds():
        known = f" or {_WORLD}".join(f"{name}:N" for name in world_kinds())
        raise InputError(f"{source}: there is no simulated world {world!r}: expected {_WORLD}{known}")
    if count and not (count.isascii() and count.isdigit() and 1 <= int(count) <= 9999):
        raise InputError(f"{source}: expected a number of scenes from 1 to 9999 after the second colon")
    return WorldName(world, int(count) if count else _USUAL_COUNT)
