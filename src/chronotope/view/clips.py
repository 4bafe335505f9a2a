"""The clips that the web page of a report can play.

The addresses of clips are relative paths from the report to the benchmark, so the folder of the benchmark must exist.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from chronotope.question import Benchmark, Question


@dataclass
class Clips:
    """The different clips of a report, as data for its web page.

    Each entry of ``data`` has these fields:

    - ``path`` is the path of the clip in its benchmark.
    - ``duration`` is the duration of the clip (s), or None if it is unknown.
    - ``address`` is the path of the clip relative to the folder of the report, or None if the file did not exist when
      the report was written.
    """

    report: Path
    data: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _places: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])

    def of(self, benchmark: Benchmark, question: Question) -> list[list[Any]]:
        """List the clips of a question.

        Each clip is a list of four elements: the index in ``data``, the label, the start (s) and the end (s). The start
        and the end can be None.
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
        if not os.path.isfile(clip):  # noqa: PTH113 - Path.is_file raises an error if there is no permission for the folder
            return None
        try:
            return quote(os.fsencode(Path(os.path.relpath(clip, self.report)).as_posix()))
        except ValueError:  # no relative path leads to another drive
            return None
