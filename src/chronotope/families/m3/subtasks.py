"""The subtasks of M3-Verse: capabilities, the words of each question, and the form of its options.

``subtasks.yaml`` has one row for each subtask.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chronotope.families.m3.tasks import CAPABILITIES
from chronotope.io import read_yaml


@dataclass(frozen=True)
class Subtask:
    """One subtask.

    - ``capabilities`` are the usual capabilities, which the file states by their first letters. A released question may
      state other capabilities.
    - ``template`` has the words of the question. A subtask without words exists only in released data.
    - A question has ``least`` to ``most`` options. ``lists_none`` states whether one option says that no option is
      correct.
    - ``keys`` and ``room_keys`` name the kinds of names that do not reveal the answer. With ``any_name``, a random one
      of these names is used, otherwise the first possible name.
    - ``may_be_empty`` states whether the correct answer can be that nothing of the kind happened.
    - ``stored`` is another name of the subtask in the authors' pipeline.
    """

    name: str
    category: str
    capabilities: tuple[str, ...]
    template: str = ""
    least: int = 4
    most: int = 6
    lists_none: bool = True
    keys: str = "all"
    room_keys: str = "layout"
    any_name: bool = False
    may_be_empty: bool = False
    stored: str | None = None

    @property
    def per_state(self) -> bool:
        """Return whether each state has its own questions."""
        return self.category in ("object_info", "agent_explore")


def _subtask(name: str, category: str, capabilities: str, **fields: Any) -> Subtask:
    stated = tuple(capability for capability in CAPABILITIES if capability[0].upper() in capabilities)
    return Subtask(name, category, stated, **fields)


def _read() -> Mapping[str, Subtask]:
    rows = read_yaml(Path(__file__).with_suffix(".yaml"))
    return {name: _subtask(name, category, **fields) for category, of in rows.items() for name, fields in of.items()}


SUBTASKS = _read()  # in the order of the paper's categories
# Names in the authors' pipeline, and the paper's names for the same subtasks.
STORED = {row.stored: row.name for row in SUBTASKS.values() if row.stored is not None}
