"""The twins of VGenST-Bench's questions: how the words of each template change with the clip.

Only the words that were filled into a wording change, and the options; the wordings themselves name no side alone.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from chronotope.families import NoTwin, TwinContext, require_possible
from chronotope.question import Question

# Templates whose options are lists "from left to right".
ROWS = {"MC-SL.b", "IO-SL.a"}
# Tasks whose camera may as well run backwards, because it stays at its place or moves up or down, and nothing moves.
STILL = {"MC", "HO"}
_PAIRS = (("left", "right"), ("leftmost", "rightmost"), ("east", "west"), ("northeast", "northwest"),
          ("southeast", "southwest"))  # fmt: skip
_OTHER = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}
_NO_SIDE = "(?! the path| the picture| behind| angle)"  # "left behind" and "right angle" name no side
_SIDE = re.compile(rf"\b({'|'.join(sorted(_OTHER, key=len, reverse=True))})\b{_NO_SIDE}", re.IGNORECASE)
_HOURS = re.compile(r"(\d+)(?:(-| and )(\d+))? o'clock")
_ENDS = {"first": "third", "third": "first"}
_VIEWS = {"first": "last", "last": "first"}


def twin(question: Question, context: TwinContext) -> Question:
    """Return the question about the altered clip.

    The id, the media and the recordings are still those of the original.

    Raises:
        NoTwin: If the altered clip would be physically odd, or if the twin could not be told from the original.
    """
    require_possible(context)
    template = question.tags["template"][0]
    if question.provenance.get("written_by") != "code":
        raise NoTwin("was written by a model, so it has no template that declares how it changes")
    match context.alteration:
        case "double_size":
            raise NoTwin("asks for no length, so its twin is the same question about the same pictures")
        case "half_speed":  # no question names a time or a speed; speeds are only compared
            new = question
        case "mirrored":
            new = _mirrored(question, template)
        case "reversed":
            new = _reversed(question, template)
    return replace(new, provenance={**new.provenance, "alteration": context.alteration})


def _filled(question: Question, template: str, change: Callable[[str, str], str]) -> str:
    """Return the stem with each filled-in word changed; ``change`` takes the placeholder and its words.

    Raises:
        NoTwin: If the stem has other words than its template, as after a rewording by a model.
    """
    from chronotope.families.vgenst.write.writer import stems

    wording = stems()[template][int(question.provenance["wording"])]
    pieces = re.split(r"\{(\w+)\}", wording)
    pattern = "".join(f"(?P<_{place}>.+?)" if place % 2 else re.escape(piece) for place, piece in enumerate(pieces))
    found = re.fullmatch(pattern, question.stem, re.IGNORECASE)
    if found is None:
        raise NoTwin("has other words than its template")
    told = [change(pieces[place], found[f"_{place}"]) if place % 2 else piece for place, piece in enumerate(pieces)]
    stem = "".join(told)
    return stem[0].upper() + stem[1:]


def _mirrored(question: Question, template: str) -> Question:
    if template.startswith("DS-"):
        raise NoTwin("shows a sign, whose words would be mirrored")
    stem = _filled(question, template, lambda _, words: mirrored_words(words))
    change = _backwards if template in ROWS else mirrored_words
    options = tuple(replace(one, text=change(one.text or "")) for one in question.options)
    params: Mapping[str, object] = question.provenance.get("params", {})
    told = {name: mirrored_words(value) if isinstance(value, str) else value for name, value in params.items()}
    return replace(question, stem=stem, options=options, provenance={**question.provenance, "params": told})


def mirrored_words(text: str) -> str:
    """Exchange left and right, east and west, and the two halves of the clock face."""

    def other(found: re.Match[str]) -> str:
        word = _OTHER[found[1].lower()]
        return word[0].upper() + word[1:] if found[1][0].isupper() else word

    def turned(found: re.Match[str]) -> str:
        hours = [(12 - int(hour)) % 12 or 12 for hour in (found[1], found[3]) if hour]
        between = found[2] or ""
        hours = sorted(hours) if between == " and " else hours[::-1]
        return f"{between.join(map(str, hours))} o'clock"

    return _HOURS.sub(turned, _SIDE.sub(other, text))


def _backwards(text: str) -> str:
    """Return a list of names in the opposite order, with a capital letter at its start."""
    names = (text[:1].lower() + text[1:]).split(", ")[::-1]
    told = ", ".join(names)
    return told[0].upper() + told[1:]


def _reversed(question: Question, template: str) -> Question:
    task = template.partition("-")[0]
    if task not in STILL:
        raise NoTwin("shows a camera that walks, drives or flies, or looks into one container after the other")
    if question.provenance.get("params", {}).get("turns_back"):
        raise NoTwin("shows a camera that comes back to its first view, so its twin is the same clip")
    if template in ("MC-CM.a", "HO-CM.a", "HO-CM.b"):
        return _other_movement(question)
    stem = question.stem
    if template == "MC-FL.a":
        stem = _filled(question, template, lambda name, words: _VIEWS[words] if name == "view" else words)
    if template == "HO-TO.a":
        stem = _filled(question, template, lambda _, words: _ENDS.get(words, words))
    if template == "HO-FL.a":
        raise NoTwin("asks about the last view, which becomes the first")
    return replace(question, stem=stem)


def _other_movement(question: Question) -> Question:
    """Return the question with the opposite movement as its answer; the words stay."""
    swap = {"sinks": "rises", "rises": "sinks", "up": "down", "down": "up", "Up": "Down", "Down": "Up"}
    texts = [one.text or "" for one in question.options]
    [right] = question.answer
    wanted = re.sub(r"\b(sinks|rises|up|down)\b", lambda found: swap[found[0]], texts[right], flags=re.IGNORECASE)
    if wanted == texts[right] or wanted not in texts:
        raise NoTwin("has no option for the opposite movement")
    return replace(question, answer=(texts.index(wanted),))
