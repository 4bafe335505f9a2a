"""Saved recordings of one scene in several states, as one input of a build."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from chronotope.errors import InputError
from chronotope.io import canonical_json, read_json, sha256_bytes, sha256_file
from chronotope.make.sources.origin import Brought, FromSource, Origin, Tell
from chronotope.recording import CHANGES, Recording, Scene, read_changes
from chronotope.recording.sources import recording_folder


@dataclass(frozen=True)
class FromStates:
    """The saved recordings of all states of a scene, with the changes between the states."""

    scene: str
    states: tuple[FromSource, ...]

    @property
    def name(self) -> str:
        """Return the name of the scene."""
        return self.scene

    @property
    def expected_id(self) -> str | None:
        """Return the name of the scene."""
        return self.scene

    @property
    def _logs(self) -> list[Path]:
        return logs_beside(one.found.path for one in self.states)

    @property
    def sources(self) -> tuple[Path, ...]:
        """Return the paths of all states, and of the list of changes."""
        return (*(path for one in self.states for path in one.sources), *self._logs)

    def fingerprint(self) -> str:
        """Hash the files of all states, and the changes."""
        parts = [*(one.fingerprint() for one in self.states), *map(sha256_file, self._logs)]
        return sha256_bytes(canonical_json(parts).encode())

    def require(self) -> None:
        """Do nothing, because reading files needs no rendering engine."""

    def bring(self, folder: Path, tell: Tell) -> Brought:
        """Read and save the recording of each state.

        Raises:
            InputError: If a recording or the list of changes cannot be used.
        """
        brought: list[Brought] = []
        for number, one in enumerate(self.states):
            start = number / len(self.states)
            brought.append(one.bring(folder, lambda share, stage, s=start: tell(s + share / len(self.states), stage)))
        recordings: list[Recording] = []
        for one in brought:
            assert isinstance(one.subject, Scene)
            recordings += one.subject.recordings
        changes = [change for log in self._logs[:1] for change in read_changes(log) if change.scene == self.scene]
        first, *rest = brought
        return replace(
            first,
            subject=Scene(self.scene, tuple(recordings), tuple(changes)),
            clips={name: path for one in brought for name, path in one.clips.items()},
            media={path: place for one in brought for path, place in one.media.items()},
            facts={place: facts for one in brought for place, facts in one.facts.items()},
            notes=tuple(dict.fromkeys(note for one in (first, *rest) for note in one.notes)),
        )


def logs_beside(recordings: Iterable[Path]) -> list[Path]:
    """Find the lists of changes of saved recordings.

    A list is in the folder of the recordings, or in the folder above, as in a benchmark.
    """
    folders = dict.fromkeys(place for one in recordings for place in one.absolute().parents[:2])
    return [folder / CHANGES for folder in folders if (folder / CHANGES).is_file()]


def join_states(found: Sequence[FromSource]) -> list[Origin]:
    """Join the saved recordings of each scene.

    The recordings are in the order of the names of their states.
    A recording that belongs to no scene is kept as it is.
    """
    alone: list[Origin] = []
    scenes: dict[str, list[tuple[str, FromSource]]] = {}
    for one in found:
        scene, state = _place_of(one)
        if scene is None:
            alone.append(one)
        else:
            scenes.setdefault(scene, []).append((state, one))
    joined = [
        FromStates(scene, tuple(one for _, one in sorted(states, key=lambda entry: entry[0])))
        for scene, states in scenes.items()
    ]
    return [*joined, *alone]


def _place_of(source: FromSource) -> tuple[str | None, str]:
    """Return the scene and the state of a saved recording."""
    if source.found.source != recording_folder.NAME:
        return None, ""
    try:
        document = read_json(source.found.path / "recording.json")
    except InputError:
        return None, ""  # the same error is raised when this source is loaded
    scene, state = (document.get(key) if isinstance(document, dict) else None for key in ("scene", "state"))
    return (scene if isinstance(scene, str) else None), str(state)
