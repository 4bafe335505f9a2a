"""What the tests of the room share: scripted models, and the files of a folder."""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

from chronotope.models import Asked, FunctionModel


def files_of(folder: Path) -> dict[str, str]:
    """The hash of each file, by its path."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


class Scripted:
    """A model that answers as a function of the prompt says, and keeps all prompts."""

    def __init__(self, reply: Callable[[Asked], str]) -> None:
        self.reply = reply
        self.asked: list[Asked] = []

    def __call__(self, asked: Asked) -> str:
        self.asked.append(asked)
        return self.reply(asked)

    def model(self, name: str = "function/scripted") -> FunctionModel:
        return FunctionModel(self, name, version="1")


def number_of(text: str) -> int:
    """The number in a stem of the small set."""
    return int(re.search(r"number (\d+)", text)[1])


def proposal(stem: str, options: list[str]) -> str:
    """The reply that proposes words."""
    return "```json\n" + json.dumps({"rewritten_question": stem, "rewritten_options": options}) + "\n```"


def asked_words(text: str) -> tuple[str, list[str]]:
    """The stem and the options in a prompt for rewriting."""
    found = re.search(r"\nQuestion: (.*)\nOptions: (.*)\nExample Output", text)
    return found[1], json.loads(found[2])
