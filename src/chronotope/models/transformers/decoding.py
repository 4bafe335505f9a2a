"""Greedy or random decoding of several prompts at once, after a shared prefix."""

import copy
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.models.transformers.finite import refuse_nan
from chronotope.models.transformers.local import Generated, LocalModel
from chronotope.models.transformers.spans import Encoded


@dataclass(frozen=True)
class Wanted:
    """How one reply is generated.

    ``letters`` are the option letters whose log-probabilities are wanted. ``seed`` determines the random choices if
    ``temperature`` is above 0.
    """

    max_tokens: int
    letters: tuple[str, ...] = ()
    temperature: float = 0.0
    top_p: float = 1.0
    seed: str = ""


@dataclass(frozen=True)
class DecodedRow:
    """A prompt with its positions (planes, 1, L) or (1, L), and how its reply is generated."""

    encoded: Encoded
    positions: Any
    wanted: Wanted


@dataclass(frozen=True)
class Prefix:
    """The beginning of several prompts: its tokens, its positions, and its keys and values."""

    ids: Any
    positions: Any
    cache: Any

    @property
    def length(self) -> int:
        """Return the number of tokens."""
        return int(self.ids.shape[1])

    def begins(self, row: DecodedRow) -> bool:
        """Check whether a longer prompt begins with these tokens, at these positions."""
        end = self.length
        longer = row.encoded.length > end
        return longer and bool(
            (row.encoded.input_ids[:, :end] == self.ids).all() and (row.positions[..., :end] == self.positions).all()
        )


@dataclass
class _State:
    """The reply of one row while it is generated."""

    wanted: Wanted
    tokens: list[int] = field(default_factory=list)
    first: Any = None
    letters: dict[str, float] | None = None
    done: bool = False
    thinking: bool = False


def vision_features(model: LocalModel, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Encode the pictures and videos of a prompt, for ``mm_encoder_outputs``."""
    import inspect

    import torch

    found: dict[str, Any] = {}
    base = model.model.base_model
    for kind, pixels in (("image", "pixel_values"), ("video", "pixel_values_videos")):
        encode = getattr(base, f"get_{kind}_features", None)
        if pixels not in inputs or encode is None:
            continue
        known = inspect.signature(encode).parameters
        given = {name: value for name, value in inputs.items() if name in known}
        with torch.inference_mode():
            found[kind] = encode(**given, return_dict=True)
    return found


def prefill(model: LocalModel, row: DecodedRow, length: int, features: Mapping[str, Any]) -> Prefix:
    """Compute keys and values of the first ``length`` tokens of a prompt."""
    import torch
    from transformers import DynamicCache

    ids, positions = row.encoded.input_ids[:, :length], row.positions[..., :length]
    cache = DynamicCache(config=model.sources.text_config)
    given = _types(row.encoded, slice(0, length), model.device)
    with torch.inference_mode():
        model.model(
            input_ids=ids.to(model.device),
            position_ids=positions.to(model.device),
            past_key_values=cache,
            use_cache=True,
            mm_encoder_outputs=dict(features),
            logits_to_keep=1,
            **_grids(model, row.encoded),
            **given,
        )
    return Prefix(ids, positions, cache)


def decode(
    model: LocalModel, rows: Sequence[DecodedRow], prefix: Prefix | None, features: Mapping[str, Any] | None = None
) -> list[tuple[Generated, dict[str, float] | None]]:
    """Generate replies, and the log-probabilities of their option letters.

    Without a prefix, there must be one prompt; ``features`` are then its vision features. With a prefix, each prompt
    begins with the prefix and has no pictures after it.
    """
    import torch

    assert prefix is not None or len(rows) == 1
    with torch.inference_mode():
        return _Decoding(model, rows, prefix).run(features or {})


class _Decoding:
    """The decoding of one batch.

    The prompts end in the same column: shorter ones have padding between the prefix and their own tokens.
    """

    def __init__(self, model: LocalModel, rows: Sequence[DecodedRow], prefix: Prefix | None) -> None:
        import torch
        from transformers import DynamicCache

        self._model, self._rows, self._prefix = model, rows, prefix
        self._begin = 0 if prefix is None else prefix.length
        self._width = max(row.encoded.length for row in rows) - self._begin
        self._states = [_State(row.wanted, thinking=model.encoder.opens_thinking(row.encoded.text)) for row in rows]
        self._random = [np.random.default_rng(_entropy(row.wanted.seed)) for row in rows]
        if prefix is None:
            self._cache = DynamicCache(config=model.sources.text_config)
        else:
            self._cache = copy.deepcopy(prefix.cache)
            if len(rows) > 1:
                self._cache.reorder_cache(torch.zeros(len(rows), dtype=torch.int64, device=model.device))
        self._next = torch.stack([row.positions.max() + 1 for row in rows])  # (rows,)
        self._alive = list(range(len(rows)))
        self._mask: Any = None

    def run(self, features: Mapping[str, Any]) -> list[tuple[Generated, dict[str, float] | None]]:
        """Generate all replies."""
        import torch

        logits = self._first(features)
        while True:
            chosen = [self._choose(row, logits[place]) for place, row in enumerate(self._alive)]
            kept = [place for place, row in enumerate(self._alive) if not self._states[row].done]
            if not kept:
                return [self._result(number) for number in range(len(self._rows))]
            if len(kept) < len(self._alive):
                index: Any = torch.tensor(kept, device=self._model.device)
                self._cache.reorder_cache(index)
                self._mask = None if self._mask is None else self._mask[index]
                self._alive = [self._alive[place] for place in kept]
            logits = self._step([chosen[place] for place in kept])

    def _first(self, features: Mapping[str, Any]) -> Any:
        """Read the prompts; return the logits of the first tokens (rows, vocabulary)."""
        import torch

        model, width = self._model, self._width
        ids = torch.full((len(self._rows), width), min(model.ends, default=0), dtype=torch.int64)
        planes = self._rows[0].positions
        positions = torch.zeros((*planes.shape[:-2], len(self._rows), width), dtype=torch.int64)
        mask = torch.ones((len(self._rows), self._begin + width), dtype=torch.int64)
        for number, row in enumerate(self._rows):
            tail = row.encoded.length - self._begin
            ids[number, width - tail :] = row.encoded.input_ids[0, self._begin :]
            positions[..., number, width - tail :] = row.positions[..., 0, self._begin :]
            mask[number, self._begin : self._begin + width - tail] = 0
        self._mask = mask.to(model.device) if bool((mask == 0).any()) else None
        given: dict[str, Any] = {}
        if self._prefix is None:
            encoded = self._rows[0].encoded
            given = _types(encoded, slice(0, width), model.device) | _grids(model, encoded)
            given |= {"mm_encoder_outputs": dict(features)} if features else {}
        elif (name := _name_of_types(self._rows[0].encoded)) is not None:
            given = {name: torch.zeros_like(ids, device=model.device)}
        return self._forward(ids, positions, given)

    def _step(self, tokens: Sequence[int]) -> Any:
        """Read one more token of each row."""
        import torch

        ids = torch.tensor(tokens, dtype=torch.int64)[:, None]
        at = self._next[self._alive]
        self._next[self._alive] = at + 1
        positions = at[:, None].expand(*self._rows[0].positions.shape[:-2], len(tokens), 1)
        if self._mask is not None:
            self._mask = torch.cat([self._mask, torch.ones_like(self._mask[:, :1])], dim=1)
        name = _name_of_types(self._rows[0].encoded)
        given = {} if name is None else {name: torch.zeros_like(ids, device=self._model.device)}
        return self._forward(ids, positions, given)

    def _forward(self, ids: Any, positions: Any, given: Mapping[str, Any]) -> Any:
        device = self._model.device
        made = self._model.model(
            input_ids=ids.to(device),
            position_ids=positions.to(device),
            attention_mask=self._mask,
            past_key_values=self._cache,
            use_cache=True,
            logits_to_keep=1,
            **given,
        )
        return made.logits[:, -1].float().cpu()

    def _choose(self, row: int, logits: Any) -> int:
        """Choose the next token of a row, and record it."""
        state = self._states[row]
        if state.first is None:
            refuse_nan(logits, "the logits")
            state.first = logits
        drawn = state.wanted.temperature > 0
        token = draw(logits.double().numpy(), state.wanted, self._random[row]) if drawn else int(logits.argmax())
        self._letters(state, token, logits)
        state.tokens.append(token)
        state.done = token in self._model.ends or len(state.tokens) >= state.wanted.max_tokens
        return token

    def _letters(self, state: _State, token: int, logits: Any) -> None:
        """Record the log-probabilities of the letters.

        The log-probabilities are those at the first token with text, after all thinking.
        """
        import torch

        if state.letters is not None or not state.wanted.letters:
            return
        text = self._model.tokenizer.decode([token])
        if state.thinking:
            state.thinking = "</think>" not in self._model.tokenizer.decode([*state.tokens, token][-8:])
            return
        if "<think>" in text:
            state.thinking = True
            return
        if text.strip():
            every = torch.log_softmax(logits, dim=-1)
            tokens = self._model.letter_tokens
            found = {letter: tokens[letter] for letter in state.wanted.letters if tokens.get(letter)}
            state.letters = {letter: float(torch.logsumexp(every[list(ids)], dim=0)) for letter, ids in found.items()}

    def _result(self, row: int) -> tuple[Generated, dict[str, float] | None]:
        state = self._states[row]
        made = self._model.generated(self._rows[row].encoded, state.tokens, state.wanted.max_tokens, state.first)
        return made, state.letters or None


def draw(logits: NDArray[np.float64], wanted: Wanted, random: np.random.Generator) -> int:
    """Draw one of the most likely tokens, whose probabilities sum to ``top_p``.

    A random number is added to the logit of each token, and the token with the largest sum wins (Gumbel-max). Rounding,
    which depends on the device and the batch, then changes few draws. In a draw by cumulated probabilities, rounding
    would change many draws.
    """
    scaled = logits / wanted.temperature
    scores = scaled + random.gumbel(size=scaled.size)
    if wanted.top_p < 1:
        share = np.exp(scaled - scaled.max())
        order = np.argsort(-share, kind="stable")
        summed = np.cumsum(share[order])
        scores[order[int(np.searchsorted(summed, wanted.top_p * summed[-1])) + 1 :]] = -np.inf
    return int(scores.argmax())


def _entropy(seed: str) -> int:
    return int.from_bytes(hashlib.sha256(seed.encode()).digest())


def _name_of_types(encoded: Encoded) -> str | None:
    return next((name for name in ("mm_token_type_ids", "token_type_ids") if name in encoded.tensors), None)


def _types(encoded: Encoded, part: slice, device: Any) -> dict[str, Any]:
    """Return the types of some tokens, if the model wants them."""
    name = _name_of_types(encoded)
    return {} if name is None else {name: encoded.tensors[name][:, part].to(device)}


def _grids(model: LocalModel, encoded: Encoded) -> dict[str, Any]:
    """Return the inputs that describe pictures, without their pixels."""
    leave = {"pixel_values", "pixel_values_videos", "mm_token_type_ids", "token_type_ids", "input_ids"}
    return {name: value for name, value in model.inputs(encoded).items() if name not in leave}
