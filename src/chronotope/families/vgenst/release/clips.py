"""Search for the clips of a release by the number and the theme of each clip.

A clip is a video, a folder of frames that were extracted from the video, or both.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from chronotope.io import sha256_bytes, slug
from chronotope.question import MediaItem

_STEM = re.compile(r"(\d+)_(.*)", re.DOTALL)
_FRAME = re.compile(r"frame_(\d+)", re.IGNORECASE)
_PICTURES = (".png", ".jpg", ".jpeg")


@dataclass(frozen=True)
class Found:
    """A clip that was found: its video, its extracted frames, or both.

    ``files`` maps paths inside the benchmark to the files in the release.
    """

    items: tuple[MediaItem, ...]
    files: dict[str, Path]


class Clips:
    """The clips of one task that exist in some folders.

    ``bases`` are release folders, their subfolders ``videos``, or the folder of the task. The folder of a task contains
    ``videos/<idx>_<theme>.mp4`` and ``processed_frames/<idx>_<theme>/frame_NN.png``. The videos can also be directly in
    the folder of the task.
    """

    def __init__(self, task: str, bases: list[Path]) -> None:
        self._task = task
        self.folders = _folders(task, bases)
        self._videos: dict[tuple[int, str], Path] = {}
        self._frames: dict[tuple[int, str], list[Path]] = {}
        self._pictured: set[tuple[int, str]] = set()
        for folder in self.folders:
            for place in (folder / "videos", folder):
                for file in _entries(place):
                    if file.suffix.lower() == ".mp4" and (name := _name(file.stem)) is not None:
                        self._videos.setdefault(name, file)
            for place in _entries(folder / "processed_frames"):
                if (name := _name(place.name)) is not None and (frames := _frames(place)):
                    self._frames.setdefault(name, frames)
            self._pictured |= {name for file in _entries(folder / "first_frame") if (name := _name(file.stem))}
        self._found: dict[tuple[int, str], Found | None] = {}
        self._paths: dict[str, Path] = {}

    @property
    def empty(self) -> bool:
        """Check whether no clip of the task was found."""
        return not (self._videos or self._frames)

    @property
    def archives(self) -> list[Path]:
        """Return the .zip files that may contain the clips of the task."""
        packed = [file for folder in self.folders for file in _entries(folder) if file.suffix.lower() == ".zip"]
        beside = [folder.with_suffix(".zip") for folder in self.folders]
        return [*packed, *(file for file in dict.fromkeys(beside) if file.is_file())]

    def only_pictured(self, idx: int, theme: str) -> bool:
        """Check whether only the first frame of a clip was found."""
        return (idx, _plain(theme)) in self._pictured and self.find(idx, theme) is None

    def find(self, idx: int, theme: str) -> Found | None:
        """Return the clip with this number and theme, or None."""
        key = (idx, _plain(theme))
        if key not in self._found:
            self._found[key] = self._make(key)
        return self._found[key]

    def _make(self, key: tuple[int, str]) -> Found | None:
        task = self._task.lower()
        items: list[MediaItem] = []
        files: dict[str, Path] = {}
        if (file := self._videos.get(key)) is not None:
            path = self._place(f"clips/{task}/{slug(file.stem)}", file) + ".mp4"
            items.append(MediaItem("video", "video", (path,)))
            files[path] = file
        if key in self._frames:
            frames = self._frames[key]
            folder = self._place(f"images/{task}/{slug(frames[0].parent.name)}", frames[0].parent)
            pictures = {f"{folder}/{slug(frame.name)}": frame for frame in frames}
            items.append(MediaItem("frames" if items else "video", "frames", tuple(pictures)))
            files |= pictures
        return Found(tuple(items), files) if items else None

    def _place(self, path: str, source: Path) -> str:
        """Return the path for a clip inside the benchmark.

        If another clip has the same path already, a hash is appended.
        """
        if self._paths.setdefault(path, source) != source:
            path = f"{path}-{sha256_bytes(source.name.encode())[:8]}"
            self._paths[path] = source
        return path


def _folders(task: str, bases: list[Path]) -> list[Path]:
    folders: list[Path] = []
    for base in bases:
        folders += [base / "videos" / task, base / "videos" / task / task, base / task, base / task / task]
        folders += [base] if base.name == task else []
    return [folder for folder in dict.fromkeys(folders) if folder.is_dir()]


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:  # missing or not accessible
        return []


def _name(stem: str) -> tuple[int, str] | None:
    match = _STEM.fullmatch(stem)
    return (int(match[1]), _plain(match[2])) if match else None


def _plain(theme: str) -> str:
    """Return a theme without spaces, underscores and punctuation.

    The table and the file names differ in these characters.
    """
    return re.sub(r"[\W_]+", "", theme.casefold()) or theme


def _frames(folder: Path) -> list[Path]:
    numbered = [(int(match[1]), file) for file in _entries(folder) if (match := _FRAME.match(file.stem))]
    return [file for _, file in sorted(numbered) if file.suffix.lower() in _PICTURES]
