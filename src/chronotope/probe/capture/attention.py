"""Compute the last token's attention; the memory needed grows linearly with the prompt.

Transformers calls our registered function with queries and keys after the rotary embedding. The function computes the
last row of the weights, and leaves the attention itself to the fast implementation.
"""

from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from chronotope.errors import InputError
from chronotope.models.transformers import Resolved

NAME = "chronotope_last_row"  # of the attention function
LAYERS = 6  # layers that are measured if none are named, as in the paper
_SCALED = ("softcap", "s_aux")  # changes of the weights that the last row does not have

_wanted: ContextVar["_Wanted | None"] = ContextVar("wanted_rows", default=None)


class _Wanted:
    """The modules whose last row is recorded, and the rows so far."""

    def __init__(self, layer_of: dict[int, int], rows: dict[int, Any]) -> None:
        self.layer_of, self.rows = layer_of, rows


def attention_layers(family: Resolved) -> list[int]:
    """Return the layers that have attention.

    Layers of hybrid models with linear attention have no attention weights.
    """
    return [number for number, layer in enumerate(family.layers) if hasattr(layer, "self_attn")]


def spread(layers: Sequence[int], count: int = LAYERS) -> list[int]:
    """Return evenly spaced layers, with the first and the last.

    Of 36 layers, the paper measures 0, 7, 15, 23, 31 and 35. Its layers differ by at most one from evenly spaced ones.
    """
    if len(layers) <= count:
        return list(layers)
    if list(layers) == list(range(36)) and count == LAYERS:
        return [0, 7, 15, 23, 31, 35]
    return [layers[round(at * (len(layers) - 1) / (count - 1))] for at in range(count)]


@contextmanager
def attention_rows(family: Resolved, layers: Collection[int]) -> Generator[dict[int, Any]]:
    """Record the last row of attention in some layers.

    Yields a mapping from layers to weights (heads, s), float32, on the CPU. This mapping is filled during a forward
    pass.

    Raises:
        InputError: If a layer has no attention.
    """
    there = attention_layers(family)
    for layer in layers:
        if layer not in there:
            known = f"one of {', '.join(map(str, there))}"
            raise InputError(f"layer {layer} has no attention weights", where=family.row.name, expected=known)
    layer_of = {id(module): number for number in layers for module in family.layers[number].self_attn.modules()}
    rows: dict[int, Any] = {}
    token = _wanted.set(_Wanted(layer_of, rows))
    try:
        with using_attention(family, _registered()):
            yield rows
    finally:
        _wanted.reset(token)


@contextmanager
def using_attention(family: Resolved, name: str) -> Generator[None]:
    """Let the decoder use another implementation of attention."""
    configs = {id(config): config for config in _configs(family)}.values()
    before = [(config, config._attn_implementation) for config in configs]
    try:
        for config, _ in before:
            config._attn_implementation = name
        yield
    finally:
        for config, implementation in before:
            config._attn_implementation = implementation


def _configs(family: Resolved) -> Generator[Any]:
    """Yield the configurations that the decoder's modules read."""
    for number in attention_layers(family):
        if hasattr(family.layers[number].self_attn, "config"):
            yield family.layers[number].self_attn.config
    yield family.decoder.config


def _registered() -> str:
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    AttentionInterface.register(NAME, _attend)
    AttentionMaskInterface.register(NAME, sdpa_mask)
    return NAME


def _attend(
    module: Any, query: Any, key: Any, value: Any, attention_mask: Any, scaling: float | None = None, **others: Any
) -> Any:
    """Attend as usual, and record the last row of a wanted module.

    The parameter ``attention_mask`` must have this name, because Transformers looks for it.
    """
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    wanted = _wanted.get()
    layer = None if wanted is None else wanted.layer_of.get(id(module))
    if wanted is not None and layer is not None:
        if any(others.get(name) is not None for name in _SCALED):
            raise InputError(f"{type(module).__name__} changes its attention weights in a way that is not supported")
        wanted.rows[layer] = last_row(query, key, attention_mask, scaling)
    return sdpa_attention_forward(module, query, key, value, attention_mask, scaling=scaling, **others)


def last_row(query: Any, key: Any, mask: Any, scaling: float | None) -> Any:
    """Compute the attention weights (heads, s) of the last query.

    ``query`` (1, heads, s, d) and ``key`` (1, groups, s, d) are after the rotary embedding. ``mask`` (1, 1, s, s) is
    boolean or added to the scores; without a mask, the last query sees every key. The softmax is in float32.
    """
    import torch

    heads, groups, width = query.shape[1], key.shape[1], query.shape[3]
    assert query.shape[0] == 1 and heads % groups == 0, tuple(query.shape)
    last = query[0, :, -1].float().reshape(groups, heads // groups, width)
    scores = torch.matmul(last.to(key.dtype), key[0].transpose(1, 2)).float().reshape(heads, -1)
    scores = scores * (width**-0.5 if scaling is None else scaling)
    if mask is not None:
        row = mask[0, :, -1, : scores.shape[1]]
        scores = scores.masked_fill(~row, float("-inf")) if row.dtype == torch.bool else scores + row.float()
    return scores.softmax(dim=-1).cpu()
