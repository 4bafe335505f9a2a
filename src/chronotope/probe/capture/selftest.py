"""The self-test of recorded attention: the last row must equal the last row of the plain implementation."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from chronotope.errors import InputError
from chronotope.models.transformers import Encoded, LocalModel
from chronotope.probe.capture.attention import using_attention
from chronotope.probe.capture.capture import Wanted, run_captured

_CLOSE, _CLOSE_16 = 1e-4, 0.03  # largest difference of a weight, for numbers of 32 and of 16 bits


def check_attention(local: LocalModel, encoded: Encoded, layers: Sequence[int]) -> float:
    """Compare recorded attention with the weights that the plain implementation returns.

    ``encoded`` should be short, because the plain implementation needs memory for all pairs of tokens. Returns the
    largest difference.

    Raises:
        InputError: If the weights differ.
    """
    import torch

    recorded = run_captured(local, encoded, Wanted(attention=layers)).attention
    local.forget_positions()
    inputs = local.inputs(encoded) | {"use_cache": False, "output_attentions": True}
    with using_attention(local.family, "eager"), _without_warnings(), torch.inference_mode():
        weights = local.model(**inputs).attentions
    local.forget_positions()
    # Hybrid models return weights only for their layers with attention, or None in the place of the others.
    every = [one for one in weights or () if one is not None]
    there = [number for number, layer in enumerate(local.family.layers) if hasattr(layer, "self_attn")]
    if len(every) != len(there):
        raise InputError("the model does not return its attention weights, so they cannot be checked")
    of_layer = dict(zip(there, every, strict=True))
    apart = max(float((recorded[layer] - of_layer[layer][0, :, -1].float().cpu()).abs().max()) for layer in layers)
    if not apart <= (_CLOSE if local.dtype == torch.float32 else _CLOSE_16):  # NaN is refused, too
        raise InputError(
            f"the recorded attention differs by {apart:.2g} from the weights that the model itself returns",
            where=local.family.row.name,
            fix="report this with the name of the model and the version of Transformers",
        )
    return apart


@contextmanager
def _without_warnings() -> Generator[None]:
    """Silence the library, which warns that the vision encoder returns no weights."""
    from transformers.utils import logging

    level = logging.get_verbosity()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)
