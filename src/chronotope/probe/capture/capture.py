"""The capture of a forward pass: one context manager that records everything that is asked for."""

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from chronotope.models.transformers import Encoded, LocalModel, Resolved, refuse_nan
from chronotope.probe.capture.attention import attention_rows
from chronotope.probe.capture.hooks import depth_hook, depths_of
from chronotope.probe.capture.vision import VisionTaps, vision_taps

# Gets a depth and the states (s, d) at this depth, and returns what is kept of them.
Reduce = Callable[[int, Any], Any]


@dataclass(frozen=True)
class Wanted:
    """The values that a capture records.

    - ``depths`` are depths of the decoder, or ``all``. ``reduce`` is applied to the states at once, so that a long
      prompt does not keep the states of all depths in memory.
    - ``attention`` are layers whose last row of attention is recorded.
    - ``vision`` records the output of the last vision block. ``features`` records the features of each picture that
      reach the decoder, after the projector. ``deepstack`` records the outputs of the deepstack projectors.
    - ``logits`` records the logits of the last position.
    - ``stop_early`` ends the pass before the first layer of the decoder. Only vision and features are then recorded.
    """

    depths: Sequence[int] | Literal["all"] = ()
    reduce: Reduce | None = None
    attention: Sequence[int] = ()
    vision: bool = False
    features: bool = False
    deepstack: bool = False
    logits: bool = False
    stop_early: bool = False


@dataclass
class Captured:
    """The recorded values. Tensors are float32, on the CPU.

    - ``states`` maps depths to states (s, d), or to the results of ``reduce``.
    - ``attention`` maps layers to weights (heads, s).
    - ``vision`` has the patches (tokens, d) of each picture, and ``features`` the tokens (tokens, e) that stand for it.
    - ``deepstack`` maps the number of each deepstack projector to its outputs.
    - ``logits`` (vocabulary,) belong to the last position.
    """

    length: int
    states: dict[int, Any] = field(default_factory=dict)
    attention: dict[int, Any] = field(default_factory=dict)
    vision: list[Any] = field(default_factory=list)
    features: list[Any] = field(default_factory=list)
    deepstack: dict[int, list[Any]] = field(default_factory=dict)
    logits: Any = None
    taps: VisionTaps = field(default_factory=VisionTaps, repr=False)


class _EnoughError(Exception):
    """Ends a forward pass whose remaining part is not needed."""


@contextmanager
def capture(family: Resolved, encoded: Encoded, wanted: Wanted) -> Generator[Captured]:
    """Record one forward pass of a prompt inside this context.

    At the end, the numbers of tokens are compared with the prompt. Nothing is cut off.

    Raises:
        InputError: If a layer has no attention, or pictures cannot be told apart.
        AssertionError: If the model has processed another number of tokens than the prompt has.
    """
    last = depths_of(family)
    depths = range(last + 1) if wanted.depths == "all" else wanted.depths
    found = Captured(encoded.length)
    with ExitStack() as stack:
        if wanted.vision or wanted.deepstack:
            found.taps = stack.enter_context(vision_taps(family, deepstack=wanted.deepstack))
        if wanted.attention:
            found.attention = stack.enter_context(attention_rows(family, wanted.attention))
        if wanted.features:
            stack.enter_context(depth_hook(family, 0, partial(_keep_features, found, encoded)))
        for depth in depths:
            stack.enter_context(depth_hook(family, depth, partial(_keep_states, found, depth, wanted.reduce)))
        if wanted.stop_early:
            stack.enter_context(depth_hook(family, 0, _enough))
        yield found
    _check(found, family, encoded, wanted, depths)


def run_captured(local: LocalModel, encoded: Encoded, wanted: Wanted) -> Captured:
    """Run one forward pass of a prompt, and record it.

    Raises:
        InputError: In the same cases as `capture`.
    """
    import torch

    local.forget_positions()
    inputs = local.inputs(encoded) | {"use_cache": False, "logits_to_keep": 1}
    with capture(local.family, encoded, wanted) as found, torch.inference_mode():
        try:
            made = local.model(**inputs)
        except _EnoughError:
            made = None
        if wanted.logits and made is not None:
            found.logits = made.logits[0, -1].float().cpu()
    local.forget_positions()
    return found


def _keep_states(found: Captured, depth: int, reduce: Reduce | None, states: Any) -> None:
    assert states.shape[:2] == (1, found.length), (tuple(states.shape), found.length)
    refuse_nan(states, f"the states at depth {depth}")
    found.states[depth] = states[0].detach().float().cpu() if reduce is None else reduce(depth, states[0].detach())


def _keep_features(found: Captured, encoded: Encoded, states: Any) -> None:
    assert states.shape[:2] == (1, found.length), (tuple(states.shape), found.length)
    refuse_nan(states, "the inputs of the first layer")
    shown = [span for span in encoded.spans if span.kind in ("image", "video")]
    found.features = [states[0, list(span.vision)].detach().float().cpu() for span in shown]


def _enough(states: Any) -> None:
    raise _EnoughError


def _check(found: Captured, family: Resolved, encoded: Encoded, wanted: Wanted, depths: Sequence[int]) -> None:
    """Compare the recorded values with the prompt; sort the vision output."""
    shown = [span for span in encoded.spans if span.kind in ("image", "video")]
    assert all(span.vision for span in shown), "a picture has no tokens"
    if not wanted.stop_early:
        assert set(found.states) == set(depths), (sorted(found.states), list(depths))
        assert set(found.attention) == set(wanted.attention), sorted(found.attention)
    for row in found.attention.values():
        assert row.shape[1] == found.length, (tuple(row.shape), found.length)
    if wanted.vision and shown:
        found.vision = found.taps.by_picture(family, encoded)
    if wanted.deepstack:
        found.deepstack = found.taps.deepstack
        tokens = sum(len(span.vision) for span in shown)
        for outputs in found.deepstack.values():
            assert sum(len(output) for output in outputs) == tokens, (sum(map(len, outputs)), tokens)
    if wanted.features:
        assert len(found.features) == len(shown), (len(found.features), len(shown))
