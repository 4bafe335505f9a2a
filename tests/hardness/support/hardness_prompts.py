"""Finding a question and its options in a prompt as a service receives it: no ids, no benchmark, only what is sent."""

import base64
import hashlib
import re
from collections.abc import Iterable
from typing import Any

NONE = "None of these"


def linear(body: dict[str, Any]) -> tuple[str, list[str]]:
    """The text of all messages with ``<picture SHA-256>`` where a picture stands, and the hashes in order."""
    words: list[str] = []
    pictures: list[str] = []
    for message in body["messages"]:
        content = message["content"]
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if part["type"] == "text":
                words.append(part["text"])
            else:
                data = base64.b64decode(part["image_url"]["url"].partition(",")[2])
                pictures.append(hashlib.sha256(data).hexdigest())
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
