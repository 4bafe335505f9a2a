"""The residual stream of a decoder: reading it at every depth, and replacing it at some tokens.

A depth is a number of layers, as in `chronotope.probe.capture`. The vision encoder runs once for each prompt.
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any
from weakref import WeakSet

from chronotope.errors import InputError
from chronotope.models.transformers import Encoded, LocalModel, Resolved
from chronotope.probe.capture import depth_hook, depths_of

Inputs = Mapping[str, Any]  # the tensors of a prompt by the names of the model's parameters
_CLOSE = 1e-3  # largest relative difference of a logit that is computed again
_CLOSE_16 = 3e-2  # the same for numbers of 16 bits, which are rounded
_CHECKED: WeakSet[LocalModel] = WeakSet()  # models whose states can be read


@dataclass(frozen=True)
class Stream:
    """The decoder of a model. ``model`` is of Transformers, and ``family`` has its modules."""

    model: Any
    family: Resolved

    def prepare(self, inputs: Inputs) -> Inputs:
        """Compute the inputs of the decoder from the inputs of the model.

        The pass ends when they are known. The decoder can run with them any number of times.
        """
        found: dict[str, Any] = {}

        def keep(_: Any, args: tuple[Any, ...], given: dict[str, Any]) -> None:
            found.update(given | ({"input_ids": args[0]} if args else {}))
            raise _FoundError

        handle = self.family.decoder.register_forward_pre_hook(keep, with_kwargs=True)
        try:
            with _inference():
                self.model(**inputs, use_cache=False)
        except _FoundError:
            pass
        finally:
            handle.remove()
        return found | {"use_cache": False, "past_key_values": None}

    def logits(self, prepared: Inputs) -> Any:
        """Return the logits (vocabulary,) after the last token, float32."""
        with _inference():
            return self._head(self.family.decoder(**prepared).last_hidden_state[0, -1])

    def states(self, prepared: Inputs) -> Any:
        """Return the states (depths, s, d) of a prompt at every depth."""
        import torch

        kept: dict[int, Any] = {}
        with ExitStack() as stack:
            for depth in range(depths_of(self.family) + 1):
                stack.enter_context(depth_hook(self.family, depth, _keeper(kept, depth)))
            self.logits(prepared)
        return torch.stack([kept[depth] for depth in sorted(kept)])

    def logits_with(self, prepared: Inputs, depth: int, tokens: Sequence[int], states: Any) -> Any:
        """Return the logits after the last token if states are replaced.

        ``states`` (tokens, d) replace the states of ``tokens`` at a depth.
        """

        def replace(before: Any) -> Any:
            changed = before.clone()
            changed[0, list(tokens)] = states
            return changed

        with depth_hook(self.family, depth, replace):
            return self.logits(prepared)

    def seen(self, states: Any) -> Any:
        """Return the logits (..., vocabulary) of states (..., d).

        The states pass the final norm and the head.
        """
        with _inference():
            return self._head(self.family.norm(states))

    def check(self, inputs: Inputs) -> None:
        """Check that norm and head give the logits of the model.

        Raises:
            InputError: If they give other logits.
        """
        with _inference():
            own = self.model(**inputs, use_cache=False).logits[0, -1].float()
        again = self.logits(self.prepare(inputs))
        apart = float((own - again).abs().max() / own.abs().max().clamp(min=1e-9))
        if not apart <= (_CLOSE if self.family.head.weight.element_size() > 2 else _CLOSE_16):
            raise InputError(
                f"{type(self.model).__name__}: its norm and head give other logits than the model (relative difference "
                f"{apart:.2g}), so that states cannot be read through them"
            )

    def _head(self, states: Any) -> Any:
        import torch

        logits = self.family.head(states).float()
        cap = getattr(self.model.config.get_text_config(), "final_logit_softcapping", None)
        return cap * torch.tanh(logits / cap) if cap else logits


def stream_of(local: LocalModel, encoded: Encoded) -> tuple[Stream, Inputs]:
    """Return the stream of a model, and the inputs of a prompt.

    A model is checked once, with its first prompt.

    Raises:
        InputError: If the states of the model cannot be read through its norm and its head.
    """
    local.forget_positions()
    stream, inputs = Stream(local.model, local.family), local.inputs(encoded)
    if local not in _CHECKED:
        stream.check(inputs)
        _CHECKED.add(local)
        local.forget_positions()
    return stream, inputs


class _FoundError(Exception):
    """Ends a forward pass when the inputs of the decoder are known."""


def _keeper(kept: dict[int, Any], depth: int) -> Any:
    def keep(states: Any) -> None:
        kept[depth] = states[0].detach().clone()

    return keep


def _inference() -> Any:
    import torch

    return torch.inference_mode()
