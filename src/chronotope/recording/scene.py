"""A scene: one place in one or several states, with the changes between the states."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.io import canonical_json, write_atomically
from chronotope.recording.types import Recording

CHANGES = "changes.jsonl"


@dataclass(frozen=True)
class Change:
    """One operation that was carried out between two states of a scene.

    ``before`` and ``after`` have the known facts about the object before and after the operation: ``position`` (m, in
    the world of the recordings), ``rotation``, ``receptacle``, and the names and values of the object's properties.
    ``automatic`` is True if the operation only prepared another operation. For example, a container was opened so that
    an object could be put into it.
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
    """All recordings of one place, with the changes between its states.

    ``changes`` lists the operations between the states, in order. The id of a scene with one recording is the
    recording's id.
    """

    id: str
    recordings: tuple[Recording, ...]
    changes: tuple[Change, ...] = ()

    @classmethod
    def of(cls, *recordings: Recording, changes: Sequence[Change] = ()) -> "Scene":
        """Make a scene of the recordings of its states.

        A single recording is also allowed.
        """
        alone = len(recordings) == 1
        name = recordings[0].id if alone else recordings[0].scene or recordings[0].id
        return cls(name, recordings, tuple(changes))

    @property
    def states(self) -> tuple[str | None, ...]:
        """Return the name of each recording's state, in order.

        The name is None for a recording without a state.
        """
        return tuple(recording.state for recording in self.recordings)

    @property
    def licence(self) -> str | None:
        """Join the different licences of the recordings into one text."""
        return "; ".join(dict.fromkeys(recording.licence for recording in self.recordings if recording.licence)) or None


def write_changes(folder: Path, changes: Sequence[Change]) -> None:
    """Write the file ``changes.jsonl``, with one line for each change."""
    if changes:
        with write_atomically(folder / CHANGES) as temporary:
            text = "".join(f"{canonical_json(asdict(change))}\n" for change in changes)
            temporary.write_text(text, encoding="utf-8")


def read_changes(path: Path) -> tuple[Change, ...]:
    """Read a file that ``write_changes`` wrote.

    Raises:
        InputError: If a line is not a change. The message names the line.
    """
    found: list[Change] = []
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
        try:
            found.append(Change(**json.loads(line)))
        except (ValueError, TypeError):
            raise InputError(f"{path}, line {number}: expected a change with the fields of changes.jsonl") from None
    return tuple(found)
