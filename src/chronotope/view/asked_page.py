"""An ask as a web page shows it before the answer: its words, options, pictures and clips, but never its key."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from chronotope.media import FrameCache
from chronotope.protocol import Ask, Option, Part, Picture
from chronotope.question import LICENCE_NOT_STATED, Benchmark, Question
from chronotope.view.frames import make_strip
from chronotope.view.prompts import prompt_words, shown_pictures
from chronotope.view.question_browser import strip_data


@dataclass(frozen=True)
class ShownOption:
    """An option as it was shown; ``picture`` is the name of its picture's file, or None."""

    letter: str
    text: str
    picture: str | None = None


@dataclass(frozen=True)
class AskedPage:
    """An ask, ready for a page.

    - ``options`` are in the order shown; an open question has none.
    - ``multiple`` states whether the prompt asks for all correct options.
    - ``prompt`` is the text of the prompt, with marks for pictures.
    - ``clips`` has the path in the benchmark and the label of each clip.
    - ``hashes`` are the SHA-256 hashes of the pictures, in the order in which a model gets them.
    - ``data`` are plain values for the page's scripts: pictures, times and clips. The answer, the boxes and the ground
      truth are not among them.
    """

    ask: Ask
    question: Question
    options: tuple[ShownOption, ...]
    multiple: bool
    prompt: str
    clips: tuple[tuple[str, str | None], ...]
    hashes: tuple[str, ...]
    data: Mapping[str, Any]

    @property
    def timed(self) -> bool:
        """Check whether the question asks about a part or a moment of its clips."""
        asked = self.data["question"]
        return bool(self.data["clips"]) and (asked["window"] is not None or asked["at"] is not None)

    @property
    def right(self) -> tuple[str, ...]:
        """Return the letters of the correct options, as shown."""
        letters = [option.letter for option in self.options]
        return tuple(letters[place] for place, index in enumerate(self.ask.placement) if index in self.question.answer)


def asked_page(
    benchmark: Benchmark,
    ask: Ask,
    question: Question,
    parts: Sequence[Part],
    folder: Path,
    cache: FrameCache,
    *,
    clips: bool = True,
) -> AskedPage:
    """Make the page of an ask; write its pictures into ``folder``.

    The pictures are the pictures of the prompt, so that a person sees the frames of a model. If ``clips`` is false, or
    the ask is blind, the page has no clips.

    Raises:
        InputError: If a clip or a picture is missing, or has changed since the benchmark was written.
    """
    shown = shown_pictures(parts)
    strip = make_strip(benchmark.folder, [picture for picture, _ in shown], folder, cache)
    file_of: dict[Picture, str] = {}
    for (picture, _), file in zip(shown, strip.files, strict=True):
        file_of.setdefault(picture, file)
    listed = [part for part in parts if isinstance(part, Option)]
    options = tuple(
        ShownOption(part.letter, part.text or "", None if part.image is None else file_of[part.image])
        for part in listed
    )
    licence = None if benchmark.card.licence == LICENCE_NOT_STATED else benchmark.card.licence
    films = _films(benchmark, question) if clips and ask.input == "full" else []
    data = {
        "question": _words(question, films),
        "strip": _without_options(strip_data(strip, shown, licence), parts),
        "clips": films,
    }
    return AskedPage(
        ask,
        question,
        options,
        any(part.multiple for part in listed),
        prompt_words(parts),
        tuple((film["path"], film["label"]) for film in films),
        strip.hashes,
        data,
    )


def clip_data(benchmark: Benchmark, question: Question) -> dict[str, Any]:
    """Return the values with which a page plays the clips of a question, without the question itself."""
    return films_data(_films(benchmark, question))


def films_data(films: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the values with which a page plays clips (see `film_data`), without a question."""
    clips = [[place, film["label"], film["start"], film["end"]] for place, film in enumerate(films)]
    return {
        "question": {"window": None, "at": None, "names": {}, "clips": clips, "stem": ""},
        "strip": None,
        "clips": list(films),
    }


def film_data(benchmark: Benchmark, path: str, address: str) -> dict[str, Any]:
    """Return the facts about a clip that a player needs to find a frame."""
    file = benchmark.media[path]
    return {
        "path": path,
        "address": address,
        "label": None,
        "start": None,
        "end": None,
        "duration": file.duration_s,
        "frames": file.frames,
        "fps": file.fps,
        "width": file.width,
        "height": file.height,
    }


def _words(question: Question, films: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the fields of a question that the scripts of the browser need."""
    window = None if question.window is None else [question.window.start, question.window.end]
    clips = [[place, film["label"], film["start"], film["end"]] for place, film in enumerate(films)]
    return {"window": window, "at": _moment(question), "names": {}, "clips": clips, "stem": question.stem}


def _moment(question: Question) -> float | None:
    """Return the time (s) of the moment in question, or None.

    A moment that the stem does not state is left out, because it may be the answer.
    """
    at = question.provenance.get("at")
    if isinstance(at, bool) or not isinstance(at, int | float):
        return None
    stated = {float(number) for number in re.findall(r"\d+(?:\.\d+)?", question.stem)}
    return float(at) if any(abs(number - at) < 0.051 for number in stated) else None


def _films(benchmark: Benchmark, question: Question) -> list[dict[str, Any]]:
    """Describe the clips of a question, with the facts that a player needs to find a frame."""
    films: list[dict[str, Any]] = []
    for item in question.media:
        for path in item.paths if item.kind == "video" else ():
            label = (item.label or (item.role if len(question.media) > 1 else "")).strip(": ") or None
            told = {"label": label, "start": item.start, "end": item.end}
            films.append(film_data(benchmark, path, f"clips/{quote(path)}") | told)
    return films


def _without_options(strip: dict[str, Any], parts: Sequence[Part]) -> dict[str, Any] | None:
    """Leave out the pictures of options, which the page shows beside their letters."""
    of_option = [isinstance(part, Option) for part in parts for _ in shown_pictures([part])]
    kept = [place for place, is_option in enumerate(of_option) if not is_option]
    if not kept:
        return None
    return strip | {name: [strip[name][place] for place in kept] for name in ("frames", "times", "of") if strip[name]}
