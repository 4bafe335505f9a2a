"""Answer the questions about one clip: one vision pass, one prefill, batches of questions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from chronotope.errors import InputError
from chronotope.models.model import PictureBytes
from chronotope.models.transformers.decoding import DecodedRow, Prefix, Wanted, decode, prefill, vision_features
from chronotope.models.transformers.encoding import MediaTensors
from chronotope.models.transformers.families import GENERIC
from chronotope.models.transformers.local import Generated, LocalModel
from chronotope.models.transformers.memory import unless_full
from chronotope.models.transformers.spans import Encoded
from chronotope.protocol import Option, Part, media_of

# Maximum difference between logits with and without a shared prefix, in standard deviations of the logits. Number
# formats with 16 bits round differently in batches.
TOLERANCE, COARSE_TOLERANCE = 1e-3, 0.25


@dataclass
class Sharing:
    """The findings about the batches of one model, over all clips.

    - ``batch`` is the maximum number of questions that are answered together. This number is halved if the memory is
      full.
    - ``exact`` states whether replies with a shared prefix equal plain replies; None until the first comparison.
    - ``remarks`` are sentences for the user.
    """

    batch: int
    exact: bool | None = None
    remarks: tuple[str, ...] = ()

    def remark(self, sentence: str) -> None:
        """Add a sentence for the user, once."""
        if sentence not in self.remarks:
            self.remarks += (sentence,)


@dataclass(frozen=True)
class Answered:
    """A reply with its numbers of tokens, or the reason why there is none.

    ``shared`` is the number of tokens of the shared prefix, whose keys and values were computed before. If there is no
    reply, ``refused`` or ``failed`` is the reason.
    """

    reply: Generated | None = None
    letters: dict[str, float] | None = None
    tokens: int = 0
    shared: int = 0
    refused: str | None = None
    failed: str | None = None


class ClipAnswers:
    """The answers to the questions of one group, which show the same media.

    ``prefix`` are the parts with which all prompts of the group begin. If the prefix contains media, and the prompts
    have no other media, the keys and values of the prefix are computed once. In every case, pictures are encoded once.
    """

    def __init__(self, model: LocalModel, prefix: Sequence[Part], pictures: PictureBytes, sharing: Sharing) -> None:
        self._model, self._pictures, self._sharing = model, pictures, sharing
        self._media = len(media_of(prefix))
        self._kept: dict[Any, MediaTensors] = {}
        self._features: dict[int, tuple[MediaTensors | Any, dict[str, Any]]] = {}
        self._prefix: Prefix | None = None

    def answer(self, prompts: Sequence[tuple[Sequence[Part], Wanted]]) -> list[Answered]:
        """Answer some prompts, in their order.

        If the memory is full, the batch is halved.
        """
        encoded: list[Encoded | Answered] = []
        for parts, _ in prompts:
            encoded.append(self._encoded(parts))
        answers: dict[int, Answered] = {number: one for number, one in enumerate(encoded) if isinstance(one, Answered)}
        waiting: list[tuple[int, DecodedRow]] = []
        for number, ((_, wanted), one) in enumerate(zip(prompts, encoded, strict=True)):
            if isinstance(one, Encoded):
                waiting.append((number, DecodedRow(one, self._model.positions(one), self._within(one, wanted))))
        alone = [one for one in waiting if not self._begins(prompts[one[0]][0], one[1])]
        together = [one for one in waiting if one not in alone]
        for number, row in alone:
            answers[number] = self._without_prefix(row)
        for batch in self._batches(together):
            for (number, _), answered in zip(batch, self._batch([row for _, row in batch]), strict=True):
                answers[number] = answered
        return [answers[number] for number in range(len(prompts))]

    def close(self) -> None:
        """Drop the prefix, the features and the pixels."""
        self._prefix = None
        self._kept.clear()
        self._features.clear()

    def _encoded(self, parts: Sequence[Part]) -> Encoded | Answered:
        try:
            encoded = self._model.encode(parts, self._pictures, self._kept)
        except InputError as error:
            return Answered(refused=str(error))
        context = self._model.context
        if context is not None and encoded.length >= context:
            return Answered(
                refused=f"the prompt has {encoded.length} tokens, but the context has only {context}: show fewer or "
                "smaller frames (--frames)"
            )
        return encoded

    def _within(self, encoded: Encoded, wanted: Wanted) -> Wanted:
        """Limit a reply to the rest of the context."""
        context = self._model.context
        left = wanted.max_tokens if context is None else min(wanted.max_tokens, context - encoded.length)
        return Wanted(left, wanted.letters, wanted.temperature, wanted.top_p, wanted.seed)

    def _begins(self, parts: Sequence[Part], row: DecodedRow) -> bool:
        """Check whether a prompt begins with the shared prefix.

        The prefix is computed before its first use.
        """
        shares = self._media and self._sharing.exact is not False and self._model.takes_features
        if not shares or self._model.sources.row is GENERIC or len(media_of(parts)) != self._media:
            return False
        if self._prefix is None and not self._prefilled(row):
            return False
        return self._prefix is not None and self._prefix.begins(row)

    def _prefilled(self, row: DecodedRow) -> bool:
        """Compute the prefix.

        If the memory is full, the group is answered without a prefix.
        """
        length = row.encoded.media_end(self._media)
        self._prefix = unless_full(
            self._model.device, lambda: prefill(self._model, row, length, self._vision(row.encoded))
        )
        if self._prefix is None:
            self._media = 0
        return self._prefix is not None

    def _vision(self, encoded: Encoded) -> dict[str, Any]:
        """Encode the pictures of a prompt, or return their stored features."""
        pixels = next((value for name, value in encoded.tensors.items() if name.startswith("pixel_values")), None)
        if pixels is None or not self._model.takes_features:
            return {}
        if id(pixels) not in self._features:
            self._features[id(pixels)] = pixels, vision_features(self._model, self._model.inputs(encoded))
        return self._features[id(pixels)][1]

    def _batches(self, rows: Sequence[tuple[int, DecodedRow]]) -> list[list[tuple[int, DecodedRow]]]:
        """Sort prompts into batches of similar length.

        If the model reads padding, all prompts of a batch have the same length.
        """
        ordered = sorted(rows, key=lambda one: one[1].encoded.length)
        if self._model.pads:
            groups = [ordered]
        else:
            groups = [list(group) for _, group in groupby(ordered, key=lambda one: one[1].encoded.length)]
        made: list[list[tuple[int, DecodedRow]]] = []
        for group in groups:
            count = math.ceil(len(group) / self._sharing.batch)
            size = math.ceil(len(group) / count) if count else 0
            made += [group[start : start + size] for start in range(0, len(group), size or 1)]
        return made

    def _batch(self, rows: Sequence[DecodedRow]) -> list[Answered]:
        if self._prefix is None:  # dropped by an earlier batch, because the memory was full
            return [self._without_prefix(row) for row in rows]
        length = self._prefix.length
        found = unless_full(self._model.device, lambda: decode(self._model, rows, self._prefix))
        if found is None:
            return self._halved(rows)
        if self._sharing.exact is None and not self._compared(rows[0], found[0][0]):
            self._prefix = None
            return [self._without_prefix(row) for row in rows]
        return [
            Answered(reply, letters, row.encoded.length, length)
            for row, (reply, letters) in zip(rows, found, strict=True)
        ]

    def _halved(self, rows: Sequence[DecodedRow]) -> list[Answered]:
        """Answer in two halves, because the memory is full.

        A single prompt is asked without the prefix.
        """
        if len(rows) == 1:
            self._prefix = None
            return [self._without_prefix(rows[0])]
        half = math.ceil(len(rows) / 2)
        if half < self._sharing.batch:
            self._sharing.batch = half
            self._sharing.remark(
                f"the memory was full: from then on, at most {half} questions were answered together "
                f"(--set batch={half})"
            )
        return [*self._batch(rows[:half]), *self._batch(rows[half:])]

    def _without_prefix(self, row: DecodedRow) -> Answered:
        """Answer one prompt by itself.

        Stored features of its pictures are used again.
        """
        made = unless_full(self._model.device, lambda: self._alone(row))
        if made is not None:
            return made
        return Answered(
            failed=f"a prompt of {row.encoded.length} tokens does not fit into the memory of {self._model.device}: "
            "show fewer frames (--frames), or use --set dtype=bfloat16 or another --set device"
        )

    def _alone(self, row: DecodedRow) -> Answered:
        if not self._model.takes_features or self._model.sources.row is GENERIC:
            if row.wanted.temperature > 0:
                raise InputError(
                    "models of this class give only their most likely tokens",
                    where=self._model.sources.place,
                    fix="leave out --set temperature",
                )
            reply = self._model.generate(row.encoded, row.wanted.max_tokens)
            return Answered(reply, None, row.encoded.length)
        [(reply, letters)] = decode(self._model, [row], None, self._vision(row.encoded))
        return Answered(reply, letters, row.encoded.length)

    def _compared(self, row: DecodedRow, reply: Generated) -> bool:
        """Compare the logits of a reply with the logits of a plain forward pass.

        One reply of each model is compared. If the logits differ, or the memory is full, prefixes are not used any
        more.
        """
        import torch

        self._model.forget_positions()
        plain = unless_full(self._model.device, lambda: self._plain(row))
        if plain is None:  # without the prefix there may be room
            self._prefix = None
            plain = unless_full(self._model.device, lambda: self._plain(row))
        self._model.forget_positions()
        if plain is None:
            self._sharing.exact = False
            self._sharing.remark(
                f"{self._model.sources.place}: there was too little memory to compare a shared prefix with a plain "
                "forward pass, so every prompt was read from its beginning"
            )
            return False
        bound = TOLERANCE if self._model.dtype == torch.float32 else COARSE_TOLERANCE
        difference = float((plain - reply.first).abs().max() / plain.std().clamp_min(1e-9))
        self._sharing.exact = difference <= bound
        if not self._sharing.exact:
            self._sharing.remark(
                f"{self._model.sources.place}: a shared prefix changes the logits (by {difference:.2g} standard "
                "deviations), so every prompt was read from its beginning"
            )
        return self._sharing.exact

    def _plain(self, row: DecodedRow) -> Any:
        """Return the logits that a plain forward pass computes after a prompt."""
        import torch

        with torch.inference_mode():
            inputs = self._model.inputs(row.encoded)
            return self._model.model(**inputs, logits_to_keep=1).logits[0, -1].float().cpu()


def letters_of(parts: Sequence[Part]) -> tuple[str, ...]:
    """Return the letters of a prompt's options."""
    return tuple(part.letter for part in parts if isinstance(part, Option))
