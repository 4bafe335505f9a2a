"""A chat-completions service in a process of its own that sees which clips it is shown.

usage: hardness_modes_server.py FOLDER oracle|never_none|one|extra|judge|A|B|C|D

It prints its port. What it knows is in FOLDER/knowledge.json: ``right`` {place: texts that are right} and ``said``
{place: what it answers where there is nothing to choose from}, where a place is the clips seen, in order, and the stem:
``2,3|Where is it?``. No ids and no letters are known. A picture is known by its hash once its bars were read (`barred`
in the tests paints them).

``oracle`` names all that is right, and "None of these" where nothing is; ``never_none`` never names that; ``one`` names
one of the right ones, ``extra`` a wrong one beside several; a letter is what is said to everything. ``judge`` marks
answers: ``means`` {answer: the text that it means}; its first reply to every third case is no verdict.

FOLDER/requests.jsonl has one line for each request.
"""

import hashlib
import io
import json
import re
import sys
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from hardness_ikea_prompts import Token, tokens
from hardness_prompts import NONE, find_stem
from hardness_styles import STYLES
from PIL import Image

from service import Answer, Received, Service, completion

folder, mode = Path(sys.argv[1]), sys.argv[2]
knowledge: dict[str, Any] = json.loads((folder / "knowledge.json").read_text())
stems = {place.partition("|")[2] for place in knowledge.get("right", {})}
pictures: dict[str, tuple[int, int, int, int]] = {}
cases: list[str] = []


def look(data: bytes) -> tuple[int, int, int, int]:
    """The clip and the frame that the bars of a picture tell, and its width and height in px."""
    picture = np.asarray(Image.open(io.BytesIO(data)).convert("L"))
    height, width = picture.shape
    bits = picture[height // 2, width // 16 :: width // 8][:8] > 128
    clip, frame = (int(sum(int(bit) << place for place, bit in enumerate(part))) for part in (bits[:4], bits[4:]))
    return clip, frame, width, height


def find_options(text: str) -> dict[str, str]:
    """Letter to text of options in a line each or all in one: ``A. red, B. green``."""
    found: dict[str, str] = {}
    for letter in "ABCDEFGH":
        begun = re.match(rf"[\s,]*(?:options: )?{letter}\. ", text)
        if begun is None:
            break
        text = text[begun.end() :]
        ending = re.search(rf"\n|, {chr(ord(letter) + 1)}\. |\Z", text)
        assert ending is not None
        found[letter], text = text[: ending.start()], text[ending.start() :]
    return found


@cache
def right_letters(place: str, shown: tuple[tuple[str, str], ...]) -> list[str]:
    """The letters to name, of the options shown."""
    known = knowledge["right"][place]
    right = [letter for letter, text in shown if text in known]
    none = [letter for letter, text in shown if text == NONE]
    wrong = [letter for letter, _ in shown if letter not in right + none]
    if mode == "one":
        return right[-1:]
    if mode == "extra" and len(right) > 1:
        return sorted(right + wrong[:1])
    return right or (wrong[:1] if mode == "never_none" else none)


def answer(found: Sequence[Token], number: int) -> tuple[str, str]:
    """What is said, and a word about it for the log."""
    if len(mode) == 1:
        return mode, "always"
    text = "".join(words for kind, words in found if kind == "text")
    stem = find_stem(text, stems)
    clips = ",".join(str(clip) for clip, _ in groupby(pictures[words][0] for kind, words in found if kind == "picture"))
    place = f"{clips}|{stem}"
    if stem is None or place not in knowledge["right"]:
        return "I do not know this.", "lost"
    options = find_options(text[text.index(stem) + len(stem) :])
    if not options:
        return knowledge["said"][place], "open"
    letters = right_letters(place, tuple(options.items()))
    if not letters:
        return "Nothing of that.", "lost"
    style = STYLES[number % len(STYLES)]
    return style(letters, options), style.__name__


def verdict(found: Sequence[Token]) -> tuple[str, str]:
    """What the judge says of a case, which it knows by its texts."""
    text = "".join(words for _, words in found)
    case, _ = json.JSONDecoder().raw_decode(text, text.index('{"question"'))
    key = json.dumps(case, sort_keys=True)
    if key not in cases:
        cases.append(key)
        if len(cases) % 3 == 1:
            return "That is hard to say.", "garbage"
    right = knowledge["means"].get(case["reply"]) == case["expected_answer"]
    return json.dumps({"reason": "I know these words", "correct": right}), key


class Modes(Service):
    def take(self, request: Received) -> Answer:
        body = request.json
        found, shown = tokens(body)
        with self.lock, (folder / "requests.jsonl").open("a") as log:
            pictures.update({digest: look(data) for digest, data in shown.items() if digest not in pictures})
            reply, about = verdict(found) if mode == "judge" else answer(found, request.number)
            row = {"event": "in", "tokens": [value if kind == "text" else pictures[value] for kind, value in found]}
            row["messages"] = hashlib.sha256(json.dumps(body["messages"]).encode()).hexdigest()
            row["roles"] = [message["role"] for message in body["messages"]]
            log.write(json.dumps(row | {"reply": reply, "about": about}) + "\n")
        return Answer(completion(reply))


if __name__ == "__main__":
    Modes().run()
