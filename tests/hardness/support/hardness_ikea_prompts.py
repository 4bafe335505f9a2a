"""What a service finds in a prompt of IKEA-Bench: tokens, then what stands under each label. No ids, no benchmark."""

import hashlib
import re
from dataclasses import dataclass, field
from typing import Any

from service import data_of, parts_of

Token = tuple[str, str]  # ("text", words), ("picture", SHA-256)

_LABEL = re.compile(
    r"(Video frames|Current step|Clip A|Clip B|Instruction diagram|Instruction description|Step \d+|Image \d|[A-D]\))"
    r"(?: \((?:(\d+) frames|video)\))?:?(?= ?<picture| Step description:| [A-Z]\w+(?: \d -> .*| \d+)?$)"
)
_PICTURE = re.compile(r"<picture (\w{64})>")


def tokens(body: dict[str, Any]) -> tuple[list[Token], dict[str, bytes]]:
    """Texts (those side by side as one) and hashes of pictures in order, and the pictures."""
    found: list[Token] = []
    pictures: dict[str, bytes] = {}
    for part in parts_of(body):
        if part["type"] != "text":
            digest = hashlib.sha256(data_of(part)).hexdigest()
            pictures[digest] = data_of(part)
            found.append(("picture", digest))
        elif found and found[-1][0] == "text":
            found[-1] = ("text", found[-1][1] + part["text"])
        else:
            found.append(("text", part["text"]))
    return found, pictures


@dataclass
class Thing:
    """What stands under a label."""

    lines: list[str] = field(default_factory=list)

    @property
    def pictures(self) -> list[str]:
        return [digest for line in self.lines for digest in _PICTURE.findall(line)]

    @property
    def description(self) -> str | None:
        """The lines of a description, its header left out."""
        said: list[str] | None = None
        bracketed = False
        for line in self.lines:
            if "Step description:" in line:
                said = []
            elif said is not None and re.match(r"[A-Z_]+: ", line):
                said.append(line)
            elif said is not None:
                break
            if "(Description of the diagram above: Step description:" in line:
                bracketed = True
        if said and bracketed:
            assert said[-1].endswith(")")
            said[-1] = said[-1][:-1]
        return "\n".join(said) if said else None

    @property
    def words(self) -> str:
        return self.description or self.lines[0].strip()


def things(found: list[Token]) -> dict[str, Thing]:
    """Label to what stands under it; frames are as many as their label says."""
    text = "".join(words if kind == "text" else f"<picture {words}>" for kind, words in found)
    under: dict[str, Thing] = {}
    thing = Thing()
    for line in text.split("\n"):
        if label := _LABEL.match(line):
            thing = under.setdefault(label[1], Thing())
            assert not thing.lines, f"two of {label[1]}"
            thing.lines.append(line[label.end() :])
            assert label[2] is None or int(label[2]) == len(thing.pictures), line
        else:
            thing.lines.append(line)
    return under
