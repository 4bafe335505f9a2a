"""The residual stream of a decoder: reading it before every layer, and replacing it at some tokens.

The stream is read where it enters a layer, or the norm after the last layer. Some families add vision features after
the first layers, outside of the layers' modules. Their outputs lack these features, but the inputs of the next layers
have them.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from chronotope.errors import InputError

__all__ = ["Decoder", "find_decoder"]

# Where the language model is in the classes of Transformers.
_PLACES = ("model.language_model", "language_model.model", "model.text_model", "language_model", "model")
_CLOSE = 1e-3  # largest difference of a logit that is computed again, in units of the largest logit


@dataclass(frozen=True)
class Decoder:
    """A model whose decoder has ``layers``, a final ``norm`` and a ``head`` for the logits.

    All fields are modules of PyTorch. ``stack`` is the module that contains the layers and the norm.
    """

    model: Any
    stack: Any
    layers: Sequence[Any]
    norm: Any
    head: Any

    def prepare(self, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Compute the inputs of the decoder from the inputs of the model.

        The vision encoder runs here, and not again when the decoder runs with these inputs.

        Raises:
            InputError: If the prompt is not one row of tokens.
        """
        if inputs["input_ids"].shape[0] != 1:
            raise InputError(f"the prompt has {inputs['input_ids'].shape[0]} rows: expected 1")
        found: dict[str, Any] = {}

        def keep(_: Any, args: tuple[Any, ...], given: dict[str, Any]) -> None:
            found.update(given)
            if args:
                found["input_ids"] = args[0]
            raise _FoundError

        handle = self.stack.register_forward_pre_hook(keep, with_kwargs=True)
        try:
            with _no_grad():
                self.model(**inputs, use_cache=False)
        except _FoundError:
            pass
        finally:
            handle.remove()
        return found | {"use_cache": False, "past_key_values": None}

    def logits(self, prepared: Mapping[str, Any], position: int = -1) -> Any:
        """Return the logits (V,) after a token, as float32."""
        with _no_grad():
            states = self.stack(**prepared).last_hidden_state
            return self._head_of(states[0, position])

    def read(self, prepared: Mapping[str, Any]) -> Any:
        """Return the residual stream (layers + 1, L, H) of a prompt.

        Row i is the input of layer i; the last row is the input of the final norm.
        """
        import torch

        states: list[Any] = []
        with ExitStack() as stack:
            for module in (*self.layers, self.norm):
                stack.enter_context(_before(module, lambda state: states.append(state[0].detach().clone())))
            self.logits(prepared)
        if len(states) != len(self.layers) + 1:
            raise InputError(
                f"{type(self.stack).__name__} called its {len(self.layers)} layers and its norm {len(states)} times: "
                "expected one call each"
            )
        return torch.stack(states)

    def logits_with(self, prepared: Mapping[str, Any], layer: int, tokens: Sequence[int], states: Any) -> Any:
        """Return the logits (V,) after the last token if some states are replaced.

        ``states`` (len(tokens), H) replace the residual stream of ``tokens`` before ``layer``, or before the final norm
        if ``layer`` is the number of layers.
        """
        module = self.norm if layer == len(self.layers) else self.layers[layer]

        def replaced(state: Any) -> Any:
            changed = state.clone()
            changed[0, list(tokens)] = states
            return changed

        with _before(module, replaced):
            return self.logits(prepared)

    def seen_through(self, states: Any) -> Any:
        """Return the logits (..., V) of residual states (..., H) by the final norm and the head.

        The model's own scaling of logits is included.
        """
        with _no_grad():
            return self._head_of(self.norm(states))

    def _head_of(self, states: Any) -> Any:
        import torch

        logits = self.head(states).float()
        config = self.model.config.get_text_config()
        if cap := getattr(config, "final_logit_softcapping", None):
            logits = cap * torch.tanh(logits / cap)
        if scale := getattr(config, "logit_scale", None):
            logits = logits * scale
        if scaling := getattr(config, "logits_scaling", None):
            logits = logits / scaling
        return logits


def find_decoder(model: Any, inputs: Mapping[str, Any]) -> Decoder:
    """Find the decoder of a model of Transformers, and check its logits.

    ``inputs`` are the tensors of a prompt. The logits of this prompt, computed by the norm and the head of the decoder,
    must equal the logits of the model.

    Raises:
        InputError: If the decoder is not found, or the logits differ.
    """
    for place in _PLACES:
        stack = _at(model, place)
        layers, norm = getattr(stack, "layers", None), getattr(stack, "norm", None)
        if layers is not None and norm is not None:
            decoder = Decoder(model, stack, layers, norm, model.get_output_embeddings())
            _check(decoder, inputs)
            return decoder
    raise InputError(
        f"{type(model).__name__}: no decoder with layers and a norm is found at {', '.join(_PLACES)}; lens and patch "
        "need a decoder-only language model"
    )


def _at(model: Any, path: str) -> Any:
    for name in path.split("."):
        model = getattr(model, name, None)
    return model


def _check(decoder: Decoder, inputs: Mapping[str, Any]) -> None:
    with _no_grad():
        own = decoder.model(**inputs, use_cache=False).logits[0, -1].float()
    again = decoder.seen_through(decoder.read(decoder.prepare(inputs))[-1, -1])
    apart = float((own - again).abs().max() / own.abs().max().clamp(min=1e-9))
    tolerance = _CLOSE if decoder.head.weight.element_size() > 2 else 30 * _CLOSE  # numbers of 16 bits are rounded
    if not apart <= tolerance:
        raise InputError(
            f"{type(decoder.model).__name__}: the norm and the head give other logits than the model (relative "
            f"difference {apart:.2g}), so its layers cannot be read through them"
        )


class _FoundError(Exception):
    """Ends a forward pass when the inputs of the decoder are known."""


@contextmanager
def _before(module: Any, change: Any) -> Iterator[None]:
    """Call a function with the residual stream that enters a module.

    If the function returns a tensor, this tensor enters the module instead.
    """

    def hook(_: Any, args: tuple[Any, ...], given: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        state = args[0] if args else given["hidden_states"]
        changed = change(state)
        if changed is None:
            return None
        return ((changed, *args[1:]), given) if args else (args, given | {"hidden_states": changed})

    handle = module.register_forward_pre_hook(hook, with_kwargs=True)
    try:
        yield
    finally:
        handle.remove()


def _no_grad() -> Any:
    import torch

    return torch.inference_mode()
