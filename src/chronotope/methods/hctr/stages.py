"""The calls of HCTR: captions of clips, summaries of videos, and the prompt of the answer.

The paper prints the prompts, but leaves these points open, which are decided as follows:

- The frames of a clip come before the text of its prompt.
- Times are in seconds of the whole video, such as ``0.00 s to 33.33 s``.
- Each caption has the times of its clip as a heading.
- Each of several contexts has the words as a heading by which the benchmark's own prompt names the video.
- The options have one line each, as in the benchmark's own prompt for M3-Verse (``A. text``).
- Open questions, and questions asked with a strategy of their paper, keep the words of the benchmark's own prompt after
  the context.
"""

import json
from collections.abc import Generator, Sequence
from functools import cache, lru_cache
from importlib.resources import files

from chronotope.methods.hctr import HCTRSettings
from chronotope.methods.hctr.clips import Shot, ShownClip, clips_of, shots_of
from chronotope.methods.method import MethodAsk, Step
from chronotope.protocol import Image, Option, Part, Text, frames_of, without_thinking

DIRECT = "direct"  # the strategy of families without strategies
METHOD_PACKAGE = "chronotope.methods.hctr"
EMPTY = "(no description)"  # stands for a reply without words


@cache
def prompts() -> dict[str, str]:
    """Return the published prompts, with the names of their fields in braces."""
    return json.loads(files(METHOD_PACKAGE).joinpath("prompts.json").read_bytes())


def stages(asked: MethodAsk, settings: HCTRSettings) -> Generator[Sequence[Step], Sequence[str], tuple[Part, ...]]:
    """Yield the captions of all clips, then the summaries of all videos.

    Returns the prompt of the answer.
    """
    shots = shots_of(asked)
    clips = [clips_of(shot.facts, shot.plan, settings.clip_length, settings.clip_frames) for shot in shots]
    steps = [
        _caption(shot.path, clip, shot.facts.duration_s) for shot, of in zip(shots, clips, strict=True) for clip in of
    ]
    replies = iter((yield steps))
    told = ["\n\n".join(f"{_times(clip)}:\n{_visible(next(replies))}" for clip in of) for of in clips]
    if settings.summary:
        told = [_visible(reply) for reply in (yield [_summary(*one) for one in zip(shots, told, strict=True)])]
    return _answer(asked, shots, told, settings)


@lru_cache(maxsize=1024)  # all questions about a video share the same objects
def _caption(path: str, clip: ShownClip, duration: float) -> Step:
    text = _filled("caption", total=f"{duration:.2f} s", timestamps=_times(clip))
    return Step(f"{path}, {_times(clip)}", "caption", (*frames_of(path, clip.plan), Text(text)))


def _summary(shot: Shot, captions: str) -> Step:
    window = "" if shot.plan.window is None else f", {shot.plan.window[0]:.2f} s to {shot.plan.window[1]:.2f} s"
    return Step(f"{shot.path}{window}", "summary", (Text(_filled("summary", captions=captions)),))


def _times(clip: ShownClip) -> str:
    return f"{clip.start:.2f} s to {clip.end:.2f} s"


def _visible(reply: str) -> str:
    return (without_thinking(reply) or "").strip() or EMPTY


def _filled(name: str, **fields: str) -> str:
    """Fill the fields of a prompt; braces in the values are kept."""
    text = prompts()[name]
    for field, value in fields.items():
        before, _, after = text.partition(f"{{{field}}}")
        text = before + value + after
    return text


def _answer(
    asked: MethodAsk, shots: Sequence[Shot], contexts: Sequence[str], settings: HCTRSettings
) -> tuple[Part, ...]:
    """Make the prompt of the answer, which shows no pictures."""
    if len(shots) > 1:
        heads = [shot.label or f"Video {number}:" for number, shot in enumerate(shots, 1)]
        context = "\n" + "\n\n".join(f"{head}\n{told}" for head, told in zip(heads, contexts, strict=True))
    else:
        context = contexts[0]
    question, options = asked.question, [part for part in asked.parts if isinstance(part, Option)]
    before, _, rest = prompts()["answer"].partition("{context}")
    if not options or asked.ask.strategy != DIRECT:
        return (Text(f"{before}{context}\n"), *_without_frames(asked.parts))
    middle, _, rest = rest.partition("{question}")
    to_options, _, after = rest.partition("{options}")
    stem = f"{_window(asked)}{question.stem}"
    last = options[-1]
    listed = [
        Option(option.letter, f"{option.letter}. {option.text or ''}{'' if option is last else chr(10)}", option.text,
               multiple=option.multiple)
        for option in options
    ]  # fmt: skip
    count = f"\n{prompts()['several' if question.multiple else 'one']}" if settings.state_count else ""
    return (Text(f"{before}{context}{middle}{stem}{to_options}"), *listed, Text(f"{after}{count}"))


def _without_frames(parts: Sequence[Part]) -> list[Part]:
    """Return the words of a prompt, without its frames and their labels.

    Words before and after frames are on different lines.
    """
    kept: list[Part] = []
    for part in parts:
        if isinstance(part, Image):
            while kept and isinstance(kept[-1], Text) and kept[-1].label:
                kept.pop()
            if kept and isinstance(kept[-1], Text) and not kept[-1].text.endswith("\n"):
                kept.append(Text("\n"))
        else:
            kept.append(part)
    return kept


def _window(asked: MethodAsk) -> str:
    """Return the time that a question is about, or nothing.

    A stem does not contain this time, because the benchmark's own prompt states it.
    """
    window, media = asked.question.window, asked.question.media
    facts = asked.facts.find_clip(media[0].paths[0]) if len(media) == 1 else None
    if window is None or facts is None or asked.ask.plans[0] is None or asked.ask.plans[0].window is not None:
        return ""
    return f"From {window.start:.1f} seconds to {window.end:.1f} seconds. "
