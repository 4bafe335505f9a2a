"""Shards of a run: parts that several machines can ask, each with all questions about its clips."""

import hashlib
import re
from dataclasses import dataclass

from chronotope.errors import InputError
from chronotope.question import Benchmark, Question


@dataclass(frozen=True)
class Shard:
    """Part ``number`` (from 1) of ``of`` parts of a run.

    The part of a question is the hash of its first clip or picture, modulo ``of``. A question without media is placed
    by the hash of its id, or of the id of its base question.
    """

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def has(self, benchmark: Benchmark, question: Question) -> bool:
        """Check whether a question belongs to this part."""
        paths = question.media[0].paths if question.media else ()
        key = benchmark.media[paths[0]].sha256 if paths else question.base or question.id
        return int(hashlib.sha256(key.encode()).hexdigest()[:12], 16) % self.of == self.number - 1


def read_shard(text: str) -> Shard:
    """Read a shard from a text such as ``2/8``.

    Raises:
        InputError: If the text is not a shard.
    """
    found = re.fullmatch(r"\s*(\d{1,6})\s*/\s*(\d{1,6})\s*", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise InputError(f"--shard {text}: expected I/N, such as 1/8, with I from 1 to N")
    return Shard(int(found[1]), int(found[2]))
