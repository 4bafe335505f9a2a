"""Clips that the report's page can play, by addresses relative to the report.

The benchmark's folder must exist.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from chronotope.question import Benchmark, Question

__all__ = ["Clips"]


@dataclass
class Clips:
    """The distinct clips of a report, in the form for the page.

    An entry of ``data`` has the clip's ``path`` in its benchmark, its ``duration`` in s (None if unknown) and its
    ``address`` relative to the report's folder, None if the file did not exist when the report was written.
    """

    report: Path
    data: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _places: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])

    def of(self, benchmark: Benchmark, question: Question) -> list[list[Any]]:
        """List the clips of a question.

        Each is its index in ``data``, its label, and its start and end in s or None.
        """
        return [
            [self._place(benchmark, path), item.label, item.start, item.end]
            for item in question.media
            if item.kind == "video"
            for path in item.paths
        ]

    def _place(self, benchmark: Benchmark, path: str) -> int:
        key = (benchmark.card.content_hash, path)
        if key not in self._places:
            self._places[key] = len(self.data)
            file = benchmark.media.get(path)
            address = self._address(benchmark.folder.resolve() / path)
            self.data.append({"path": path, "duration": None if file is None else file.duration_s, "address": address})
        return self._places[key]

    def _address(self, clip: Path) -> str | None:
        if not os.path.isfile(clip):  # noqa: PTH113 - Path.is_file raises where the folder may not be looked into
            return None
        try:
            return quote(os.fsencode(Path(os.path.relpath(clip, self.report)).as_posix()))
        except ValueError:  # on another drive, to which no relative path leads
            return None
