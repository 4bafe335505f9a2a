"""Finding a question and its options in a prompt as a service receives it: no ids, no benchmark, only what is sent."""

import hashlib
import re
from collections.abc import Iterable
from typing import Any

from service import data_of, parts_of

NONE = "None of these"


def linear(body: dict[str, Any]) -> tuple[str, list[str]]:
    """The text of all messages with ``<picture SHA-256>`` where a picture stands, and the hashes in order."""
    words: list[str] = []
    pictures: list[str] = []
    for part in parts_of(body):
        if part["type"] == "text":
            words.append(part["text"])
        else:
            pictures.append(hashlib.sha256(data_of(part)).hexdigest())
            words.append(f"<picture {pictures[-1]}>")
    return "".join(words), pictures


def find_stem(text: str, stems: Iterable[str]) -> str | None:
    """The longest known stem that the prompt holds."""
    return max((stem for stem in stems if stem in text), key=len, default=None)


def find_options(text: str, stem: str) -> dict[str, str]:
    """Letter to what stands behind it, for the lines after the stem that begin with A, B, C, ... in turn."""
    found: dict[str, str] = {}
    for line in text[text.index(stem) + len(stem) :].split("\n"):
        letter = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[len(found)]
        match = re.match(rf"(?:\({letter}\)|{letter}[.):]?)\s+(.*)$", line)
        if match:
            found[letter] = match[1].strip()
    return found


def right_letters(options: dict[str, str], known: Iterable[str]) -> list[str]:
    """The letters whose option is known to be right, by its text or its picture; else that of none of these."""
    known = set(known)
    pictures = {letter: re.search(r"<picture (\w+)>", option) for letter, option in options.items()}
    shown = {letter: match[1] if (match := pictures[letter]) else option for letter, option in options.items()}
    right = [letter for letter, option in shown.items() if option in known]
    return right or [letter for letter, option in shown.items() if option == NONE]
