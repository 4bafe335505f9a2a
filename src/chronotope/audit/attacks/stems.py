"""The quantities and the facts in the stems of STI-Bench questions.

Only stems of our own writer are recognized.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

_T = r"t = (?P<at>-?\d+(?:\.\d+)?)s"
_WHO = r"(?P<who>the camera|.+?)"
_STEMS: tuple[tuple[str, str], ...] = (
    ("displacement", rf"How far is {_WHO} at the end of this period from where it was at the start"),
    ("path-length", rf"How far does {_WHO} travel during this period"),
    ("average-speed", r"What is (?:(?P<camera>the camera)'s average speed|the average speed of (?P<who>.+?)) during"),
    ("speed", rf"How fast is {_WHO} moving at {_T}"),
    (
        "average-acceleration",
        r"What is (?:(?P<camera>the camera)'s average acceleration|the average acceleration of (?P<who>.+?)) during",
    ),
    (
        "acceleration",
        rf"At what rate does (?:(?P<camera>the camera)'s speed|the speed of (?P<who>.+?)) change at {_T}",
    ),
    ("turn", r"By how many degrees does (?P<camera>the camera)'s horizontal viewing direction change"),
    ("pose", rf"What is (?P<camera>the camera)'s pose at {_T}"),
    ("box", rf"At {_T}, which of these is the (?:smallest upright )?box around {_WHO}, in the camera's frame"),
    ("nearest", rf"At {_T}, which of these five things is nearest to (?P<camera>the camera)"),
    ("relation", rf"At {_T}, where is {_WHO} relative to (?P<other>.+?), as seen from the camera"),
    ("gap", rf"(?:At {_T}, )?[Hh]ow wide is the smallest gap between {_WHO} and (?P<other>(?:the|this) .+?)\?"),
    (
        "centre-distance",
        rf"(?:At {_T}, )?[Hh]ow far is the middle of {_WHO} from the middle of (?P<other>.+?)\?",
    ),
    ("camera-distance", rf"At {_T}, how far is the camera from the middle of {_WHO}\?"),
    ("height", r"(?:What is the height of|How (?:high|tall) is) (?P<who>.+?)(?:,|\?)"),
    ("diameter", r"What is the diameter of (?P<who>.+?) at its widest"),
    ("length", r"(?:What is the length of|How long is) (?P<who>.+?)(?:,|\?)"),
    ("width", r"(?:What is the width of|How wide is) (?P<who>.+?)(?:,|\?)"),
)
_PATTERNS = tuple((kind, re.compile(pattern)) for kind, pattern in _STEMS)
SIZES = ("length", "width", "height", "diameter")

_NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?")
_VALUE = re.compile(r"([-−]?\d+(?:\.\d+)?)(cm|m/s²|m/s|m|°)")
_UNITS = {"cm": 0.01}
_SIZE = re.compile(r"For scale: (?P<who>.+?) is (?P<value>\d+(?:\.\d+)?)(?P<unit>cm|m) (?P<side>high|wide)\b")
_HEIGHT = re.compile(
    r"For scale: at t = (?P<at>[\d.]+)s the camera is (?P<value>[\d.]+)(?P<unit>cm|m) above the ground"
)
_MOTION = re.compile(
    r"For scale: from t = (?P<start>[\d.]+)s to t = (?P<end>[\d.]+)s the camera moves (?P<value>[\d.]+)(?P<unit>cm|m)"
)
_VIEW = (
    re.compile(r"camera's horizontal field of view is (?P<across>[\d.]+)°"),
    re.compile(r"camera's field of view is (?P<across>[\d.]+)° wide"),
)


@dataclass(frozen=True)
class Quantity:
    """The quantity that a stem asks for: its kind, its things and its moment (s).

    ``who`` is "the camera" for the camera's motion; ``other`` is the second thing, if there is one.
    """

    kind: str
    who: str
    other: str | None = None
    at: float | None = None


@dataclass(frozen=True)
class Fact:
    """A stated scale: the size of a thing, or the height or motion of the camera.

    ``kind`` is "height" or "diameter" of the thing ``who``, or "camera-height" or "displacement" of the camera;
    ``value`` is in m, ``start`` and ``end`` in s.
    """

    kind: str
    who: str
    value: float
    start: float = 0.0
    end: float = 0.0


@lru_cache(maxsize=1 << 14)
def quantity_of(stem: str) -> Quantity | None:
    """Return the quantity of a stem, or None for an unknown stem."""
    for kind, pattern in _PATTERNS:
        if found := pattern.search(stem):
            parts = found.groupdict()
            who = parts.get("camera") or parts.get("who") or ""
            at = parts.get("at")
            return Quantity(kind, who, parts.get("other"), None if at is None else float(at))
    return None


@lru_cache(maxsize=1 << 14)
def facts_of(stem: str) -> tuple[Fact, ...]:
    """Return the facts with which a stem states the scale."""
    sizes = [
        Fact("height" if found["side"] == "high" else "diameter", found["who"], _metres(found))
        for found in _SIZE.finditer(stem)
    ]
    heights = [
        Fact("camera-height", "the camera", _metres(found), float(found["at"]), float(found["at"]))
        for found in _HEIGHT.finditer(stem)
    ]
    motions = [
        Fact("displacement", "the camera", _metres(found), float(found["start"]), float(found["end"]))
        for found in _MOTION.finditer(stem)
    ]
    return (*sizes, *heights, *motions)


def _metres(found: re.Match[str]) -> float:
    return float(found["value"]) * _UNITS.get(found["unit"], 1.0)


def field_of_view(stem: str) -> float | None:
    """Return the stated horizontal field of view in degrees, or None."""
    found = next((found for pattern in _VIEW if (found := pattern.search(stem))), None)
    return None if found is None else float(found["across"])


def value_of(text: str) -> float | None:
    """Return the number of an option, in SI units or degrees.

    Returns None if the text is not exactly one such number.
    """
    found = _VALUE.fullmatch(text.strip())
    return None if found is None else float(found[1].replace("−", "-")) * _UNITS.get(found[2], 1.0)


def numbers_of(text: str) -> list[float]:
    """Return all numbers of a text."""
    return [float(found.replace("−", "-")) for found in _NUMBER.findall(re.sub(r"[A-Za-z_]\w*", " ", text))]
