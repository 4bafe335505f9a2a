"""The text of a prompt as it was sent, and the pictures in the prompt."""

from collections.abc import Sequence

from chronotope.protocol import FrameOf, Image, Option, Part, Picture, Video

Shown = tuple[tuple[Picture, str], ...]  # the pictures of a prompt, each with its caption


def shown_pictures(parts: Sequence[Part]) -> Shown:
    """Return the pictures of a prompt, each with a label.

    The label is the time of a frame, or the letter of an option.
    """
    shown: list[tuple[Picture, str]] = []
    for part in parts:
        if isinstance(part, Video) and part.frames is not None:
            frames = zip(part.frames.frames, part.frames.times, strict=True)
            shown += [(frame, f"{time:.1f} s") for frame, time in frames]
            continue
        picture = part.picture if isinstance(part, Image) else part.image if isinstance(part, Option) else None
        if picture is None:
            continue
        words = part.letter if isinstance(part, Option) else ""
        if isinstance(picture, FrameOf):
            words = f"{words} {picture.plan.times[picture.position]:.1f} s".strip()
        shown.append((picture, words))
    return tuple(shown)


def prompt_words(parts: Sequence[Part]) -> str:
    """Return the text of a prompt as it was sent.

    Marks in brackets show the positions of pictures and videos, and the beginning of each message.
    """
    text, pictures, role = "", 0, parts[0].role if parts else "user"
    if role == "system":
        text = "[system]\n"
    for part in parts:
        words = "" if isinstance(part, Image | Video) else part.shown if isinstance(part, Option) else part.text
        if pictures and (words or part.role != role):
            text, pictures = _marked(text, pictures), 0
        if part.role != role:
            role = part.role
            text += f"\n[{role}]\n"
        text += words
        if isinstance(part, Video):
            text += "\n[video]\n" if part.frames is None else f"\n[video of {len(part.frames.frames)} frames]\n"
        pictures += isinstance(part, Image) or (isinstance(part, Option) and part.image is not None)
    return _marked(text, pictures) if pictures else text


def _marked(text: str, pictures: int) -> str:
    start = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{start}[{pictures} picture{'s' if pictures > 1 else ''}]\n"
