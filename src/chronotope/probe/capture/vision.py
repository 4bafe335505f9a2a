"""The outputs of the vision encoder, one for each picture, in the order of the picture's patches."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from chronotope.errors import InputError
from chronotope.models.transformers import Encoded, Resolved

_CLASS_TOKENS = ("cls_token", "class_embedding")  # names of parameters that stand for a class token


@dataclass
class VisionTaps:
    """The raw outputs of the last vision block and of the deepstack projectors, one for each call."""

    blocks: list[Any] = field(default_factory=list)
    deepstack: dict[int, list[Any]] = field(default_factory=dict)

    def by_picture(self, family: Resolved, encoded: Encoded) -> list[Any]:
        """Return the patches of each picture and video of the prompt.

        Each result has the shape (tokens, d). The patches of a picture are those of all its tiles, without class
        tokens. Window order is undone.

        Raises:
            InputError: If the patches cannot be assigned to the pictures, or their number is not as expected.
        """
        spans = [span for span in encoded.spans if span.kind in ("image", "video")]
        grids = [(kind, encoded.tensors.get(f"{kind}_grid_thw")) for kind in ("image", "video")]
        grids = [(kind, grid) for kind, grid in grids if grid is not None and any(span.kind == kind for span in spans)]
        if grids:
            found = {kind: iter(self._of_grids(family, at, grid)) for at, (kind, grid) in enumerate(grids)}
            return [_next(found[span.kind], family) for span in spans]
        return _of_tiles(family, self.blocks, [len(span.vision) for span in spans])

    def _of_grids(self, family: Resolved, call: int, grid: Any) -> Sequence[Any]:
        """Return the patches of each picture or video of one call."""
        sizes = grid.prod(dim=1).tolist()
        if call >= len(self.blocks) or self.blocks[call].reshape(-1, self.blocks[call].shape[-1]).shape[0] != sum(
            sizes
        ):
            raise InputError("the vision encoder has another number of patches than the prompt", where=family.row.name)
        states = self.blocks[call].reshape(sum(sizes), -1)
        if family.row.windowed:
            states = _raster(family, states, grid)
        return states.split(sizes)


def _next(found: Any, family: Resolved) -> Any:
    states = next(found, None)
    if states is None:
        raise InputError("the vision encoder has seen fewer pictures than the prompt has", where=family.row.name)
    return states


def _raster(family: Resolved, states: Any, grid: Any) -> Any:
    """Undo the window order of the patches (tokens, d).

    Groups of patches that are merged into one token stay together; the groups return to their order in the picture.
    """
    import torch
    from transformers.vision_utils import get_vision_window_index

    vision = family.vision
    index, _ = get_vision_window_index(
        grid.to(states.device), vision.spatial_merge_size, vision.window_size, vision.patch_size
    )
    unit = vision.spatial_merge_unit
    groups = states.reshape(len(states) // unit, unit, -1)
    return groups[torch.argsort(index)].reshape(len(states), -1)


def _of_tiles(family: Resolved, calls: Sequence[Any], tokens: Sequence[int]) -> list[Any]:
    """Return the patches of each picture from tiles (tiles, patches, d).

    ``tokens`` are the numbers of placeholders. Tiles are assigned in proportion to them, which is exact if every tile
    gives the same number of tokens.
    """
    tiles = [tile for call in calls for tile in (call if call.dim() == 3 else call[None])]
    if _has_class_token(family):
        tiles = [tile[1:] for tile in tiles]
    if len(tokens) == 1:
        return [_joined(tiles)]
    each, rest = divmod(sum(tokens), max(1, len(tiles)))
    if rest or not each or any(count % each for count in tokens):
        raise InputError(
            "the tiles of several pictures cannot be told apart",
            where=family.row.name,
            fix="record the vision output for one picture at a time",
        )
    counts = [count // each for count in tokens]
    ends = [sum(counts[: at + 1]) for at in range(len(counts))]
    return [_joined(tiles[end - count : end]) for end, count in zip(ends, counts, strict=True)]


def _joined(tiles: Sequence[Any]) -> Any:
    import torch

    return torch.cat(list(tiles))


def _has_class_token(family: Resolved) -> bool:
    names: Mapping[str, Any] = dict(family.vision.named_parameters())
    return any(name.endswith(_CLASS_TOKENS) for name in names)


@contextmanager
def vision_taps(family: Resolved, *, deepstack: bool = False) -> Generator[VisionTaps]:
    """Record the outputs of the vision encoder.

    The last block is recorded and, if wanted, the deepstack projectors.

    Raises:
        InputError: If deepstack is wanted, but the model has none.
    """
    taps, handles = VisionTaps(), []
    if deepstack and family.deepstack is None:
        raise InputError("this model has no deepstack projectors", where=family.row.name)

    def keep(kept: list[Any]) -> Any:
        return lambda module, args, output: kept.append(
            (output[0] if isinstance(output, tuple) else output).detach().float().cpu()
        )

    try:
        handles.append(family.blocks[-1].register_forward_hook(keep(taps.blocks)))
        for number, module in enumerate(family.deepstack if deepstack else ()):
            handles.append(module.register_forward_hook(keep(taps.deepstack.setdefault(number, []))))
        yield taps
    finally:
        for handle in handles:
            handle.remove()
