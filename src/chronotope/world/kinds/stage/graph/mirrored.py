"""The mirror image of a graph: left and right, East and West, and clock directions change places."""

import re
from typing import Any

from chronotope.world.kinds.stage.graph.structure import SceneGraph

_PAIRS = (("left", "right"), ("Left", "Right"), ("East", "West"), ("east", "west"), ("Northeast", "Northwest"),
          ("Southeast", "Southwest"))  # fmt: skip
_SWAP = {a: b for pair in _PAIRS for a, b in (pair, pair[::-1])}
_NO_SIDE = "(?! the path| the picture| behind| angle)"  # after "left" or "right" where it names no side
_WORDS = re.compile(rf"(?<![A-Za-z])({'|'.join(sorted(_SWAP, key=len, reverse=True))})(?![a-z]){_NO_SIDE}")
_CLOCK = re.compile(r"(\d+)(?:-(\d+))? o'clock")


def mirror(graph: SceneGraph) -> SceneGraph:
    """Return the graph of the mirrored scene, with the mirrored ground truth."""
    return type(graph).model_validate(_mirrored(graph.model_dump(mode="json")))


def _mirrored(value: Any, key: str = "") -> Any:
    if isinstance(value, str):
        swapped = _WORDS.sub(lambda found: _SWAP[found[1]], value)
        return _CLOCK.sub(_turned, swapped)
    if isinstance(value, dict):
        return {_mirrored(name): _mirrored(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        if key == "place":
            return [-value[0] or 0.0, value[1]]
        return [_mirrored(inner) for inner in value]
    return value


def _turned(found: re.Match[str]) -> str:
    hours = [(12 - int(hour)) % 12 or 12 for hour in found.groups() if hour]
    return f"{'-'.join(str(hour) for hour in reversed(hours))} o'clock"
