"""A scene: one place in one or several states, and the changes between them."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from chronotope.io import canonical_json, write_atomically
from chronotope.recording.types import Recording

__all__ = ["CHANGES", "Change", "Scene", "write_changes"]

CHANGES = "changes.jsonl"


@dataclass(frozen=True)
class Change:
    """One operation that was done between two states of a scene.

    ``before`` and ``after`` have the known facts of the object then: its states by name, ``position`` (m, in the world
    of the recordings), ``rotation``, ``receptacle``. ``automatic`` marks an operation that another one needed, such as
    opening a container.
    """

    scene: str
    operation: str
    object: str
    parameters: dict[str, Any] = field(default_factory=dict[str, Any])
    automatic: bool = False
    before: dict[str, Any] = field(default_factory=dict[str, Any])
    after: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, eq=False)
class Scene:
    """The subject of questions: the recordings of one place.

    ``changes`` lists the operations between the states, in order. A scene with one recording has its id.
    """

    id: str
    recordings: tuple[Recording, ...]
    changes: tuple[Change, ...] = ()

    @classmethod
    def of(cls, *recordings: Recording, changes: Sequence[Change] = ()) -> "Scene":
        """Make a scene of the recordings of its states.

        It can also be a single recording.
        """
        alone = len(recordings) == 1
        name = recordings[0].id if alone else recordings[0].scene or recordings[0].id
        return cls(name, recordings, tuple(changes))

    @property
    def states(self) -> tuple[str | None, ...]:
        """Return the names of the states, in order.

        A recording without a state has None.
        """
        return tuple(recording.state for recording in self.recordings)

    @property
    def licence(self) -> str | None:
        """Join the licences of the recordings, each once."""
        return "; ".join(dict.fromkeys(one.licence for one in self.recordings if one.licence)) or None


def write_changes(folder: Path, changes: Sequence[Change]) -> None:
    """Write ``changes.jsonl`` into a folder, a line for each change."""
    if changes:
        with write_atomically(folder / CHANGES) as temporary:
            text = "".join(f"{canonical_json(asdict(change))}\n" for change in changes)
            temporary.write_text(text, encoding="utf-8")
