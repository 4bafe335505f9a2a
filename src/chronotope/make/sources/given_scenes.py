"""Scenes that a family reads from a source of its own, as inputs of a build: drawn, only planned, or with a clip."""

import shutil
import tempfile
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.families import GivenScene, family
from chronotope.io import canonical_json, link_or_copy, sha256_bytes, sha256_file
from chronotope.make.jobs.assemble import Failure
from chronotope.make.jobs.request import BuildRequest
from chronotope.make.sources.origin import Brought, FromSource, FromWorld, Origin, Tell
from chronotope.recording import Clip, Recording, Scene, save_recording
from chronotope.recording.sources import Found, Given, recording_folder
from chronotope.world import QualityName, usual_quality, world_kinds


@dataclass(frozen=True)
class Origins:
    """The origins that a search found, with the failures and notes of the search."""

    found: list[Origin]
    failures: tuple[Failure, ...] = ()
    notes: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


@dataclass(frozen=True)
class FromGiven:
    """A scene of a family's own source, with the seed and the quality with which it is drawn."""

    scene: GivenScene
    seed: int
    quality: QualityName
    is_rendered: bool

    @property
    def name(self) -> str:
        """Return the scene's name with the seed, or the name of its recording."""
        if self.scene.recording is not None:
            return self.scene.recording.name
        return self._of_world(Path(f"{self.scene.name}.json")).name

    @property
    def expected_id(self) -> str | None:
        """Return the same as `name`."""
        return self.name

    @property
    def sources(self) -> tuple[Path, ...]:
        """Return the clip and the recording, if there are any."""
        return tuple(path for path in (self.scene.clip, self.scene.recording) if path is not None)

    def fingerprint(self) -> str:
        """Hash the scene's texts and its clip."""
        told = asdict(self.scene) | {"clip": None if self.scene.clip is None else sha256_file(self.scene.clip)}
        told |= {"recording": None if self.scene.recording is None else self._recorded().fingerprint()}
        return sha256_bytes(canonical_json([told, self.seed, self.quality, self.is_rendered]).encode())

    def require(self) -> None:
        """Check that this machine can render, if the scene is drawn."""
        if self.scene.clip is None:
            self._of_world(None).require()

    def bring(self, folder: Path, tell: Tell) -> Brought:
        """Draw or plan the scene, or take its clip, and write its files.

        Raises:
            InputError: If the scene cannot be drawn, or its clip cannot be used.
        """
        if self.scene.recording is not None:
            brought = self._restyled(folder, tell)
        else:
            with tempfile.TemporaryDirectory() as temporary:
                file = Path(temporary) / f"{self.scene.name}.json"
                file.write_text(self.scene.text, encoding="utf-8")
                brought = self._of_world(file).bring(folder, tell)
            if self.scene.clip is not None:
                brought = self._with_clip(brought, folder)
        for recording in brought.subject.recordings if isinstance(brought.subject, Scene) else ():
            for name, text in self.scene.files.items():
                (folder / "recordings" / recording.id / name).write_text(text, encoding="utf-8")
        return brought

    def _of_world(self, file: Path | None) -> FromWorld:
        is_rendered = self.is_rendered and self.scene.clip is None
        return FromWorld(
            self.scene.world, self.seed, 0, self.quality, file, options=self.scene.options, is_rendered=is_rendered
        )

    def _with_clip(self, brought: Brought, folder: Path) -> Brought:
        """Give a planned scene its clip, with a sample without a pose for each frame."""
        from chronotope.media import frame_times, probe  # imported in workers only, because it loads PyAV

        assert isinstance(brought.subject, Scene) and self.scene.clip is not None
        [recording] = brought.subject.recordings
        target = folder / f"clips/{recording.id}{self.scene.clip.suffix}"
        target.parent.mkdir(parents=True, exist_ok=True)
        link_or_copy(self.scene.clip, target)
        facts = probe(target)
        if facts.fps is None:
            raise InputError(f"{self.scene.clip}: its frame rate varies, so no frames can be chosen by time")
        times = frame_times(target)
        filmed = replace(
            recording, times=times - times[0], world_T_camera=np.full((len(times), 4, 4), np.nan),
            valid=np.zeros(len(times), bool), clip=Clip(target, facts.sha256, facts.fps, facts.width, facts.height),
        )  # fmt: skip
        save_recording(filmed, folder / "recordings" / recording.id)
        return _as_brought(filmed, folder, brought.notes)

    def _recorded(self) -> FromSource:
        assert self.scene.recording is not None
        return FromSource(Found(self.scene.recording, recording_folder.NAME), Given())

    def _restyled(self, folder: Path, tell: Tell) -> Brought:
        """Take a recording with all its ground truth, and show the restyled clip instead of its own."""
        from chronotope.media import probe  # imported in workers only, because it loads PyAV

        assert self.scene.clip is not None
        brought = self._recorded().bring(folder, tell)
        assert isinstance(brought.subject, Scene)
        [recording] = brought.subject.recordings
        assert recording.clip is not None
        recording.clip.path.unlink()
        target = recording.clip.path.with_suffix(self.scene.clip.suffix)
        shutil.copyfile(self.scene.clip, target)
        facts = probe(target)
        if facts.fps is None:
            raise InputError(f"{self.scene.clip}: its frame rate varies: convert the clip to a constant rate")
        clip = Clip(target, facts.sha256, facts.fps, facts.width, facts.height)
        filmed = replace(recording, clip=clip)
        save_recording(filmed, folder / "recordings" / recording.id)
        return _as_brought(filmed, folder, brought.notes)


def _as_brought(recording: Recording, folder: Path, notes: tuple[str, ...]) -> Brought:
    assert recording.clip is not None
    path = recording.clip.path.relative_to(folder).as_posix()
    return Brought(Scene.of(recording), {recording.id: path}, {recording.clip.path: path}, notes=notes)


def given_origins(request: BuildRequest, keep_going: bool, *, plain: bool) -> Origins | None:
    """Return the scenes of a source of the family's own, or None for another source.

    ``plain`` states that no flag names facts of recordings.

    Raises:
        InputError: If a flag does not apply to such a source, or a scene cannot be used and ``keep_going`` is false.
    """
    chosen, source = family(request.family).build, Path(request.source)
    if chosen.given is None or not source.exists():
        return None
    found = chosen.given(source, chosen.Options.model_validate(request.options), request.profile)
    if found is None:
        return None
    _refuse_flags(request, plain=plain)
    failures = tuple(Failure(name, reason) for name, reason in found.failures)
    if failures and not (keep_going and found.scenes):
        raise InputError(f"{failures[0].source}: {failures[0].reason}")
    origins: list[Origin] = [
        FromGiven(scene, request.seed, _quality(request, scene.world), bool(request.options.get("render", True)))
        for scene in found.scenes
    ]
    return Origins(origins, failures, {str(source): found.notes} if found.notes else {})


def _quality(request: BuildRequest, world: str) -> QualityName:
    quality = request.quality or usual_quality(world)
    if quality not in (offered := world_kinds()[world].qualities):
        raise InputError(f"--quality {quality}: world:{world} has no such quality: choose one of {', '.join(offered)}")
    return quality


def _refuse_flags(request: BuildRequest, *, plain: bool) -> None:
    """Refuse flags that have no meaning for scenes of a family's own source.

    Raises:
        InputError: If such a flag is given.
    """
    given = {
        "fps, --kind, --gravity or --source": not plain,
        "assets": request.assets is not None,
        "engine": request.engine != "own",
        **{name.replace("_", "-"): True for name in request.world_options},
    }
    for name, is_given in given.items():
        if is_given:
            raise InputError(
                f"{request.source}: its scenes are described in files, so --{name} does not apply: omit it"
            )
