"""A chat-completions service in a process of its own that knows what pictures or texts show.

usage: hardness_ikea_server.py FOLDER record|pictures|texts

It prints its port. ``record`` says A to everything and keeps the pictures in FOLDER/pictures/SHA-256. The others answer
from FOLDER/knowledge.json: ``frames`` {SHA-256: the step that is filmed}, ``order`` [the steps of a product, in order],
and ``diagrams`` {SHA-256: the step drawn} for ``pictures``, ``texts`` {description: the step described} for ``texts``.
Steps have names without a meaning. No ids, letters or questions are known; what is not known is not guessed.
FOLDER/requests.jsonl has one line for each request.
"""

import json
import re
import sys
from pathlib import Path

from hardness_ikea_prompts import Thing, Token, things, tokens
from hardness_styles import STYLES

from service import Answer, Received, Service, completion

folder, mode = Path(sys.argv[1]), sys.argv[2]
knowledge = json.loads((folder / "knowledge.json").read_text()) if mode != "record" else {}


def as_asked(letters: list[str], options: dict[str, str]) -> str:
    """The form that the prompt asks for."""
    return f"Answer: {letters[0]}. Reason: {options[letters[0]]} is what fits."


STYLES.append(as_asked)


def filmed(frames: Thing) -> str | None:
    """The step of a clip; all its frames must be of one."""
    steps = {knowledge["frames"].get(picture) for picture in frames.pictures}
    return steps.pop() if len(steps) == 1 else None


def drawn(diagram: Thing) -> str | None:
    """The step of a diagram, or of the description in its place."""
    if mode == "texts":
        return knowledge["texts"].get(diagram.description)
    [*pictures] = diagram.pictures
    return knowledge["diagrams"].get(pictures[0]) if len(pictures) == 1 else None


def behind(step: str) -> str:
    """The step that follows."""
    [order] = [order for order in knowledge["order"] if step in order]
    return order[order.index(step) + 1]


def right(found: dict[str, Thing]) -> str | None:
    """The letter of the right option, as far as it is known."""
    options = {label[0]: thing for label, thing in found.items() if label[1:] == ")"}
    said = {letter: thing.words for letter, thing in options.items()}
    if "Clip A" in found:
        steps = filmed(found["Clip A"]), filmed(found["Clip B"])
        wanted = "Same" if steps[0] == steps[1] else "Different"
        return None if None in steps else letter_of(said, wanted)
    if "Image 1" in found:
        [*shown] = [(label, drawn(thing)) for label, thing in found.items() if label.startswith("Image ")]
        order = next((order for order in knowledge["order"] if all(step in order for _, step in shown)), None)
        if order is None:
            return None
        return letter_of(said, " -> ".join(sorted(dict(shown), key=lambda label: order.index(dict(shown)[label]))))
    step = filmed(found["Video frames"] if "Video frames" in found else found["Current step"])
    if step is None:
        return None
    sequence = {label: drawn(thing) for label, thing in found.items() if re.fullmatch(r"Step \d+", label)}
    if sequence:
        return letter_of(said, next((label for label, place in sequence.items() if place == step), ""))
    [*single] = [drawn(thing) for label, thing in found.items() if label.startswith("Instruction d")]
    if single:
        return None if single == [None] else letter_of(said, "Yes" if single == [step] else "No")
    wanted = behind(step) if "Current step" in found else step
    return next((letter for letter, thing in options.items() if drawn(thing) == wanted), None)


def letter_of(said: dict[str, str], words: str) -> str | None:
    """The letter of an option with these words."""
    return next((letter for letter, shown in said.items() if shown == words), None)


def reply(found: list[Token], number: int) -> tuple[str, str]:
    """What is said, and a word about it for the log."""
    if mode == "record":
        return "A", "always A"
    under = things(found)
    letter = right(under)
    if letter is None:
        return "I do not know this.", "lost"
    style = STYLES[number % len(STYLES)]
    options = {label[0]: thing.words for label, thing in under.items() if label[1:] == ")"}
    return style([letter], options), style.__name__


class Steps(Service):
    def take(self, request: Received) -> Answer:
        found, pictures = tokens(request.json)
        with self.lock, (folder / "requests.jsonl").open("a") as log:
            said, about = reply(found, request.number)
            log.write(json.dumps({"event": "in", "tokens": found, "reply": said, "about": about}) + "\n")
            if mode == "record":
                for digest, data in pictures.items():
                    if not (folder / "pictures" / digest).exists():
                        (folder / "pictures" / digest).write_bytes(data)
        return Answer(completion(said))


if __name__ == "__main__":
    (folder / "pictures").mkdir(exist_ok=True)
    Steps().run()
