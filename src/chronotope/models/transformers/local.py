"""A model in this process: its modules, its prompts, and plain generation."""

import inspect
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from string import ascii_uppercase
from typing import Any

from chronotope.errors import InputError
from chronotope.models.model import PictureBytes
from chronotope.models.transformers.encoding import MediaTensors, PromptEncoder
from chronotope.models.transformers.families import FamilyRow
from chronotope.models.transformers.finite import refuse_nan
from chronotope.models.transformers.loading import Sources, load_sources, load_weights, resolved_device
from chronotope.models.transformers.settings import LocalSettings
from chronotope.models.transformers.spans import Encoded
from chronotope.protocol import Part

_BLANKS = ("", " ", "\n")  # what may stand before a letter in one token

# Where the parts of other families are, in the order in which they are tried.
_VISION = ("visual", "vision_tower", "vision_model", "vision_encoder", "image_tower")
_PROJECTOR = ("multi_modal_projector", "projector", "connector", "merger", "mm_projector", "aligner", "visual.merger")
_BLOCKS = ("blocks", "encoder.layers", "encoder.layer", "layers", "vision_model.encoder.layers", "transformer.layers")


@dataclass(frozen=True)
class Resolved:
    """The modules of a model.

    - ``row`` is the row of the table of families.
    - ``vision`` is the vision encoder and ``blocks`` are its blocks. ``projector`` maps its output to the decoder.
    - ``decoder`` is the language model, ``layers`` are its layers, ``norm`` is its final norm, and ``head`` maps hidden
      states to logits.
    - ``deepstack`` are the projectors whose outputs are added after the first decoder layers, or None.
    """

    row: FamilyRow
    vision: Any
    blocks: Any
    projector: Any
    decoder: Any
    layers: Any
    norm: Any
    head: Any
    deepstack: Any = None


@dataclass(frozen=True)
class Generated:
    """A reply: its tokens, its text, and the log-probabilities at each step.

    ``finish`` is ``stop`` or ``length``. ``first`` are the logits (vocabulary,) of the first token, float32, on
    the CPU.
    """

    tokens: tuple[int, ...]
    text: str
    finish: str
    first: Any


class LocalModel:
    """A vision-language model in this process.

    The weights are loaded when `model` is used for the first time.
    """

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.encoder = PromptEncoder(sources)
        self.device, self.dtype = resolved_device(sources.place, sources.settings)
        self._loading = threading.Lock()
        self._weights: Any = None

    @property
    def model(self) -> Any:
        """Return the model of Transformers, with its weights."""
        with self._loading:
            if self._weights is None:
                self._weights = load_weights(self.sources)
            return self._weights

    @cached_property
    def family(self) -> Resolved:
        """Return the row of the family, with its modules.

        Raises:
            InputError: If a module is not where the table says.
        """
        return _resolve(self.sources, self.model)

    @property
    def tokenizer(self) -> Any:
        """Return the tokenizer."""
        return self.sources.processor.tokenizer

    @property
    def context(self) -> int | None:
        """Return the maximum number of tokens in prompt and reply."""
        value = getattr(self.sources.text_config, "max_position_embeddings", None)
        return value if isinstance(value, int) and value > 0 else None

    @cached_property
    def ends(self) -> frozenset[int]:
        """Return the tokens that end a reply."""
        ends: set[int] = set()
        for value in (self.model.generation_config.eos_token_id, self.tokenizer.eos_token_id):
            ends |= set(value) if isinstance(value, list | tuple) else {value} - {None}
        return frozenset(int(end) for end in ends)

    @cached_property
    def letter_tokens(self) -> dict[str, tuple[int, ...]]:
        """Return the tokens of each capital letter.

        A blank may be before the letter.
        """
        found: dict[str, tuple[int, ...]] = {}
        for letter in ascii_uppercase:
            encoded = [self.tokenizer(f"{before}{letter}", add_special_tokens=False)["input_ids"] for before in _BLANKS]
            ids = {ids[-1] for ids in encoded if self.tokenizer.decode([ids[-1]]).strip() == letter}
            found[letter] = tuple(sorted(ids))
        return found

    @cached_property
    def takes_features(self) -> bool:
        """Check whether a forward pass accepts vision features in place of pixels."""
        known = inspect.signature(self.model.forward).parameters
        return {"mm_encoder_outputs", "position_ids", "past_key_values", "logits_to_keep"} <= set(known)

    @cached_property
    def pads(self) -> bool:
        """Check whether prompts of different lengths can be answered together.

        Layers with a state or a sliding window would read the padding.
        """
        kinds = set(getattr(self.sources.text_config, "layer_types", None) or ["full_attention"])
        return kinds == {"full_attention"}

    def positions(self, encoded: Encoded) -> Any:
        """Return the positions of a prompt's tokens: (planes, 1, L).

        The shape is (1, L) or (3, 1, L). Models with positions in space and time compute them from the whole prompt.
        """
        import torch

        plain = torch.arange(encoded.length)[None]
        compute = getattr(self.model.base_model, "get_rope_index", None)
        if compute is None:
            return plain
        known = inspect.signature(compute).parameters
        given = {name: value for name, value in encoded.tensors.items() if name in known}
        if not any(name.endswith("grid_thw") for name in given):
            return plain[None].expand(3, 1, -1)
        return compute(encoded.input_ids, **given)[0]

    def encode(
        self, parts: Sequence[Part], pictures: PictureBytes, kept: dict[Any, MediaTensors] | None = None
    ) -> Encoded:
        """Encode a prompt; see `PromptEncoder.encode`."""
        return self.encoder.encode(parts, pictures, kept)

    def inputs(self, encoded: Encoded) -> dict[str, Any]:
        """Return the inputs of a forward pass, on the model's device.

        Pixels get the number format of the weights.
        """
        import torch

        made: dict[str, Any] = {"input_ids": encoded.input_ids.to(self.device)}
        for name, value in encoded.tensors.items():
            if isinstance(value, torch.Tensor):
                value = value.to(self.device, self.dtype if value.is_floating_point() else None)
            made[name] = value
        return made

    def generate(self, encoded: Encoded, max_tokens: int) -> Generated:
        """Generate a greedy reply to one prompt, without any sharing.

        The library's own loop generates the tokens. Settings of the weights for sampling and penalties are not used.
        """
        import torch
        from transformers import GenerationConfig

        self.forget_positions()
        config = GenerationConfig(
            do_sample=False,
            max_new_tokens=max_tokens,
            eos_token_id=sorted(self.ends) or None,
            pad_token_id=min(self.ends, default=0),
            output_logits=True,
            return_dict_in_generate=True,
        )
        inputs = self.inputs(encoded)
        inputs["attention_mask"] = torch.ones_like(inputs["input_ids"])
        with torch.inference_mode():
            made = self.model.generate(**inputs, generation_config=config)
        refuse_nan(made.logits[0], "the logits")
        tokens = made.sequences[0, encoded.length :].tolist()
        return self.generated(encoded, tokens, max_tokens, made.logits[0][0].float().cpu())

    def generated(self, encoded: Encoded, tokens: Sequence[int], max_tokens: int, first: Any) -> Generated:
        """Make the reply of some tokens.

        If thinking begins in the prompt, the tag that begins it is put before the reply.
        """
        kept = list(tokens)
        for place, token in enumerate(kept):
            if token in self.ends:
                kept = kept[:place]
                break
        ended = len(kept) < len(tokens)
        text = self.tokenizer.decode(kept, skip_special_tokens=True)
        if self.encoder.opens_thinking(encoded.text):
            text = f"<think>{text}"
        finish = "stop" if ended or len(tokens) < max_tokens else "length"
        return Generated(tuple(kept), text, finish, first)

    def forget_positions(self) -> None:
        """Forget the positions of the last prompt.

        Some models keep these positions, and would use them for another prompt.
        """
        base = self.model.base_model
        for holder in (base, self.model):
            if hasattr(holder, "rope_deltas"):
                holder.rope_deltas = None

    def release(self) -> None:
        """Drop the weights."""
        with self._loading:
            self._weights = None
        for name in ("family", "ends", "takes_features"):
            self.__dict__.pop(name, None)


def load(name: str, settings: LocalSettings | Mapping[str, Any] | None = None) -> LocalModel:
    """Load a model of Transformers from a folder, or from the hub.

    ``name`` has no ``transformers/`` in front. The weights themselves are loaded when they are first used.

    Raises:
        InputError: If PyTorch is missing, the model is not there, its family is unknown, it has no chat template, or
            the device cannot be used.
    """
    given = settings if isinstance(settings, LocalSettings) else LocalSettings.model_validate(settings or {})
    return LocalModel(load_sources(name, given))


def _module(root: Any, path: str) -> Any:
    """Return the module at a path; None if there is none."""
    for name in path.split("."):
        root = getattr(root, name, None)
        if root is None:
            return None
    return root


def _resolve(sources: Sources, model: Any) -> Resolved:
    row, base = sources.row, model.base_model
    decoder = _module(model, row.decoder) if row.decoder else model.get_decoder()
    vision = _first(model, (row.vision,)) if row.vision else _first(base, _VISION)
    projector = _first(model, (row.projector,)) if row.projector else _first(base, _PROJECTOR)
    blocks = None if vision is None else _first(vision, (row.blocks,) if row.blocks else _BLOCKS)
    layers, norm = _module(decoder, "layers"), _module(decoder, "norm")
    head = model.get_output_embeddings()
    found = {"vision": vision, "vision blocks": blocks, "projector": projector, "decoder layers": layers, "norm": norm}
    missing = [name for name, module in found.items() if module is None]
    if missing or head is None:
        raise InputError(
            f"cannot find {', '.join(missing) or 'the output layer'} of {type(model).__name__} (row {row.name!r})",
            where=sources.place,
            fix="use a model of a family in docs/local-models.md",
        )
    deepstack = _module(model, row.deepstack) if row.deepstack else None
    return Resolved(row, vision, blocks, projector, decoder, layers, norm, head, deepstack)


def _first(root: Any, paths: Sequence[str]) -> Any:
    return next((found for path in paths if (found := _module(root, path)) is not None), None)
