"""Turn the parts of a prompt into the input of a model, with the tokens of each picture, video and option."""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.models.model import PictureBytes
from chronotope.models.transformers.loading import Sources
from chronotope.models.transformers.spans import Encoded, Span, SpanKind
from chronotope.models.transformers.videos import frames_of_file
from chronotope.protocol import Image, Option, Part, Picture, Text, Video

# Inputs that depend on the text; the encoder makes them for the whole prompt.
_OF_TEXT = ("input_ids", "attention_mask", "mm_token_type_ids", "token_type_ids", "text_replacement_offsets")


@dataclass(frozen=True)
class _Item:
    """A text, picture or video of a prompt, in order.

    ``option`` is the letter of an option whose text or picture this is.
    """

    kind: str  # text, image or video
    part: int
    role: str
    text: str = ""
    shown: Picture | Video | None = None
    option: str | None = None


@dataclass(frozen=True)
class MediaTensors:
    """Pictures and videos of a prompt, as tensors, and the texts that stand for them.

    ``replacements`` are the texts in the order of the prompt.
    """

    tensors: Mapping[str, Any]
    replacements: tuple[str, ...]


def accepted_inputs(config: Any) -> frozenset[str] | None:
    """Return the names of a model's inputs.

    The result is None if the class of the model is unknown.
    """
    import inspect

    from transformers import AutoModelForImageTextToText

    try:
        made_by: Any = AutoModelForImageTextToText._model_mapping[type(config)]
    except KeyError:
        return None
    return frozenset(inspect.signature(made_by.forward).parameters)


class PromptEncoder:
    """Encodes the prompts of one model.

    Prompts that show the same media in the same order share one set of tensors, as long as the caller keeps the
    ``kept`` mapping.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources, self._processor = sources, sources.processor
        self._tokenizer = sources.processor.tokenizer
        self._accepted = accepted_inputs(sources.config)
        config = sources.config
        named = ("image_token_id", "video_token_id", "image_token_index", "video_token_index")
        self._vision_ids = {value for name in named if isinstance(value := getattr(config, name, None), int)}
        self._counted: dict[tuple[tuple[int, int], ...], int] = {}

    def encode(
        self, parts: Sequence[Part], pictures: PictureBytes, kept: dict[Any, MediaTensors] | None = None
    ) -> Encoded:
        """Encode a prompt.

        Raises:
            InputError: If the chat template loses or reorders parts, or a text contains a placeholder.
        """
        import torch

        items = _items(parts)
        media = self._media([item for item in items if item.shown is not None], pictures, {} if kept is None else kept)
        text, places = self._rendered(items)
        expanded, moved = _expanded(text, [at for item, at in zip(items, places, strict=True) if item.shown], media)
        done = self._tokenized(expanded, text)
        ids, offsets = done["input_ids"], done["offset_mapping"]
        spans = self._spans(items, places, moved, media, ids, offsets)
        tensors = {name: value for name, value in media.tensors.items() if self._accepts(name)}
        input_ids = torch.tensor([ids], dtype=torch.int64)
        texts = [span for span in spans if span.kind == "text"]
        others = [span for span in spans if span.kind != "text"]
        return Encoded(input_ids, tensors | self._types(ids), others, text, texts)

    def count(self, text: str, sizes: Sequence[tuple[int, int]]) -> int:
        """Count the tokens of a prompt with a text and pictures.

        ``sizes`` are the widths and heights of the pictures. The count includes the words of the chat template.
        """
        from PIL import Image as Pictures

        key = tuple(sizes)
        if key not in self._counted:
            blank = [Pictures.new("RGB", (max(1, width), max(1, height))) for width, height in sizes]
            media = self._processed(blank, [], ["image"] * len(blank)) if blank else MediaTensors({}, ())
            nothing: Any = ()  # stands for a picture whose file is not opened
            items = [_Item("image", number, "user", shown=nothing) for number in range(len(blank))]
            rendered, places = self._rendered([*items, _Item("text", len(blank), "user", "x")])
            expanded, _ = _expanded(rendered, places[:-1], media)
            self._counted[key] = len(self._tokenized(expanded, rendered)["input_ids"]) - len(self._words("x"))
        return self._counted[key] + len(self._words(text))

    def _words(self, text: str) -> Sequence[int]:
        """Return the tokens of a text alone."""
        return self._tokenizer(text, add_special_tokens=False)["input_ids"]

    def opens_thinking(self, text: str) -> bool:
        """Check whether a rendered prompt ends with the tag that begins thinking."""
        return text.rstrip().endswith("<think>")

    def _accepts(self, name: str) -> bool:
        return self._accepted is None or name in self._accepted

    def _tokenized(self, expanded: str, text: str) -> Mapping[str, Any]:
        bos = self._tokenizer.bos_token
        begins = bos is not None and text.startswith(bos)
        try:
            return self._tokenizer(expanded, add_special_tokens=not begins, return_offsets_mapping=True)
        except NotImplementedError:
            raise InputError(
                "the tokenizer does not tell which characters a token has",
                where=self._sources.place,
                fix="add the file tokenizer.json to the weights",
            ) from None

    def _types(self, ids: Sequence[int]) -> dict[str, Any]:
        """Return the types of the tokens, if the model wants them."""
        import torch

        if not getattr(self._processor, "return_mm_token_type_ids", False):
            return {}
        types = torch.tensor(self._processor.create_mm_token_type_ids([list(ids)]), dtype=torch.int64)
        wanted = [name for name in ("mm_token_type_ids", "token_type_ids") if self._accepts(name)]
        return {wanted[0]: types} if wanted else {}

    def _media(self, items: Sequence[_Item], pictures: PictureBytes, kept: dict[Any, MediaTensors]) -> MediaTensors:
        if not items:
            return MediaTensors({}, ())
        encoded = [pictures(item.shown) for item in items if item.shown is not None]
        key = tuple((item.kind, one.sha256) for item, one in zip(items, encoded, strict=True))
        if key not in kept:
            images, videos = [], []
            for item, one in zip(items, encoded, strict=True):
                if item.kind == "image":
                    images.append(_picture(one.data))
                else:
                    assert isinstance(item.shown, Video)
                    videos.append(_frames(item.shown, one))
            kept[key] = self._processed(images, videos, [item.kind for item in items])
        return kept[key]

    def _processed(self, images: list[Any], videos: list[Any], kinds: Sequence[str]) -> MediaTensors:
        """Run the processor on the media of a prompt."""
        from transformers.video_utils import VideoMetadata

        given: dict[str, Any] = {"images": [images]} if images else {}
        if videos:
            told = [VideoMetadata(total, fps, frames_indices=indices) for _, indices, fps, total in videos]
            given |= {"videos": [frames for frames, *_ in videos], "video_metadata": told, "do_sample_frames": False}
        tokens = {
            "image": getattr(self._processor, "image_token", ""),
            "video": getattr(self._processor, "video_token", ""),
        }
        try:
            done = self._processor(
                text=["\n".join(tokens[kind] for kind in kinds)],
                return_tensors="pt",
                return_text_replacement_offsets=True,
                **given,
            )
            replaced = done["text_replacement_offsets"][0]
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise self._refusal(error, has_videos=bool(videos)) from error
        tensors = {name: value for name, value in done.items() if name not in _OF_TEXT}
        if videos and self._accepts("second_per_grid_ts") and "video_grid_thw" in tensors:
            import torch

            depth = self._processor.video_processor.temporal_patch_size
            steps = [depth * _step(indices, fps) for _, indices, fps, _ in videos]
            tensors["second_per_grid_ts"] = torch.tensor(steps)
        return MediaTensors(tensors, tuple(one["replacement"] for one in replaced))

    def _refusal(self, error: Exception, *, has_videos: bool) -> InputError:
        """Return the error for media that the processor does not take."""
        name, kind = type(self._processor).__name__, "videos" if has_videos else "pictures"
        told = f"the processor {name} does not take these {kind} ({error})"
        if isinstance(error, KeyError):
            told = f"the processor {name} does not tell where {kind} stand in a prompt, so it cannot be run here"
        serve = "serve the model, such as with vLLM, and use endpoint/NAME"
        fix = f"use --clips frames without --frames-as video, or {serve}" if has_videos else serve
        return InputError(told, where=self._sources.place, fix=fix)

    def _rendered(self, items: Sequence[_Item]) -> tuple[str, list[tuple[int, int]]]:
        """Render the chat template.

        Returns the text, and the position of each item in the text. If the template moves pictures, their placeholders
        are written into the texts.
        """
        text = self._render(self._messages(items, in_text=False))
        places = self._located(text, items)
        if places is None:
            text = self._render(self._messages(items, in_text=True))
            places = self._located(text, items)
        if places is None:
            raise InputError(
                "the chat template does not keep the texts and pictures of a prompt in their order, or a text contains "
                "the placeholder of a picture",
                where=self._sources.place,
                fix="use other weights, or serve the model and use endpoint/NAME",
            )
        return text, places

    def _render(self, messages: list[dict[str, Any]]) -> str:
        from jinja2 import TemplateError

        extra = self._sources.settings.chat_template_kwargs
        try:
            return self._processor.apply_chat_template(messages, add_generation_prompt=True, tokenize=False, **extra)
        except (TemplateError, ValueError, TypeError) as error:
            raise InputError(f"the chat template refuses the prompt ({error})", where=self._sources.place) from error

    def _messages(self, items: Sequence[_Item], *, in_text: bool) -> list[dict[str, Any]]:
        """Return the messages of a prompt; adjacent texts are joined."""
        messages: list[dict[str, Any]] = []
        for role, group in groupby(items, key=attrgetter("role")):
            content: list[dict[str, str]] = []
            for item in group:
                text = item.text
                if item.shown is not None and in_text:
                    text = self._sources.row.in_text.format(self._placeholder(item))
                if item.shown is not None and not in_text:
                    content.append({"type": item.kind})
                elif content and content[-1]["type"] == "text":
                    content[-1]["text"] += text
                else:
                    content.append({"type": "text", "text": text})
            messages.append({"role": role, "content": content})
        return messages

    def _placeholder(self, item: _Item) -> str:
        return getattr(self._processor, f"{item.kind}_token", None) or "\0"

    def _located(self, text: str, items: Sequence[_Item]) -> list[tuple[int, int]] | None:
        """Find each item in the rendered text, in order.

        Returns None if an item is missing. Templates may remove blanks around a text.
        """
        marks = [mark for name in ("image_token", "video_token") if (mark := getattr(self._processor, name, None))]
        places: list[tuple[int, int]] = []
        cursor = 0
        for item in items:
            wanted = item.text.strip() if item.shown is None else self._placeholder(item)
            start = text.find(wanted, cursor)
            if start < 0 or any(mark in text[cursor:start] for mark in marks):
                return None
            cursor = start + len(wanted)
            places.append((start, cursor))
        if any(mark in text[cursor:] for mark in marks):
            return None
        shown = sum(item.shown is not None for item in items)
        return places if sum(text.count(mark) for mark in marks) == shown else None

    def _spans(
        self,
        items: Sequence[_Item],
        places: Sequence[tuple[int, int]],
        moved: Callable[[int], int],
        media: MediaTensors,
        ids: Sequence[int],
        offsets: Sequence[tuple[int, int]],
    ) -> list[Span]:
        starts = np.array([start for start, _ in offsets])
        ends = np.array([end for _, end in offsets])
        replacements = iter(media.replacements)
        spans: list[Span] = []
        for item, (start, end) in zip(items, places, strict=True):
            words: SpanKind = "text" if item.option is None else "option"
            kind: SpanKind = words if item.shown is None else ("video" if item.kind == "video" else "image")
            first = moved(start)
            last = moved(end) if item.shown is None else first + len(next(replacements))
            inside = np.flatnonzero((starts < last) & (ends > first))
            begin, stop = (int(inside[0]), int(inside[-1]) + 1) if inside.size else (0, 0)
            seen = tuple(place for place in range(begin, stop) if ids[place] in self._vision_ids)
            spans.append(Span(kind, item.part, begin, stop, seen if item.shown is not None else (), item.option))
        return spans


def _items(parts: Sequence[Part]) -> list[_Item]:
    """List texts, pictures and videos of a prompt; options become texts.

    Empty texts are left out.
    """
    items: list[_Item] = []
    for number, part in enumerate(parts):
        if isinstance(part, Text):
            items.append(_Item("text", number, part.role, part.text))
        elif isinstance(part, Image):
            items.append(_Item("image", number, part.role, shown=part.picture))
        elif isinstance(part, Video):
            items.append(_Item("video", number, part.role, shown=part))
        else:
            assert isinstance(part, Option)
            items.append(_Item("text", number, part.role, part.shown, option=part.letter))
            if part.image is not None:
                items.append(_Item("image", number, part.role, shown=part.image, option=part.letter))
    return [item for item in items if item.shown is not None or item.text]


def _picture(data: bytes) -> Any:
    from PIL import Image as Pictures

    return Pictures.open(io.BytesIO(data)).convert("RGB")


def _frames(video: Video, encoded: Any) -> tuple[np.ndarray, list[int], float, int]:
    """Return the frames of a video.

    Returns the frames (n, height, width, 3), their numbers, the frame rate, and the number of all frames.
    """
    if video.frames is None:
        frames, indices, fps, total = frames_of_file(encoded.data)
        return np.stack(frames), indices, fps, total
    frames = [np.asarray(_picture(one.data)) for one in encoded.frames]
    return np.stack(frames), list(video.frames.indices), video.frames.fps, video.frames.total


def _step(indices: Sequence[int], fps: float) -> float:
    """Return the mean time between two frames (s)."""
    return (indices[-1] - indices[0]) / max(1, len(indices) - 1) / fps if len(indices) > 1 else 1 / fps


def _expanded(
    text: str, placeholders: Sequence[tuple[int, int]], media: MediaTensors
) -> tuple[str, Callable[[int], int]]:
    """Replace placeholders by the texts of their media.

    Returns the new text, and a function from positions in the old text to positions in the new text.
    """
    pieces: list[str] = []
    shifts: list[tuple[int, int]] = []  # (end of a placeholder, growth of the text up to there)
    cursor = growth = 0
    for (start, end), replacement in zip(placeholders, media.replacements, strict=True):
        pieces += [text[cursor:start], replacement]
        cursor = end
        growth += len(replacement) - (end - start)
        shifts.append((end, growth))

    def moved(position: int) -> int:
        return position + max((grown for end, grown in shifts if end <= position), default=0)

    return "".join([*pieces, text[cursor:]]), moved
