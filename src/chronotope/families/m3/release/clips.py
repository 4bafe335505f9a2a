"""Search for the two videos of each scene, in the authors' folder layout or by file name in one folder."""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from chronotope.families.m3.tasks import ROLES
from chronotope.io import name_fault, same_name

VIDEOS = (".mp4", ".mkv", ".webm", ".mov", ".avi", ".m4v")
PICTURES = (".png", ".jpg", ".jpeg")
OTHER = ("depth", "seg", "top_down", "topdown", "trajectory", "mask")  # words in names of videos without colour
SEEN = ("video", "rgb", "first")  # names of colour videos, the preferred name first
FRAMES = ("rgb", "frames", "images", "first_person_rgb")  # folders of pictures


@dataclass(frozen=True)
class ReleasedClip:
    """A video, or pictures in order, that show one state of a scene.

    ``place`` is the folder where the scene was found. ``rule`` describes the relative path of the files, for messages.
    """

    files: tuple[Path, ...]
    is_video: bool
    place: Path
    rule: str


Clips = dict[str, tuple[ReleasedClip, ReleasedClip]]  # before and after, by scene


def find_clips(scenes: Iterable[str], roots: Iterable[Path]) -> Clips:
    """Find the two videos of each scene; skip scenes without both videos.

    Each root folder is searched, and then its subfolders, except folders of scenes. The video of a state k is the first
    existing item of this list:

    - the video in ``<scene>/state_<k>/`` or ``<scene>/state_<k>/video/``,
    - ``<scene>/state_<k>.mp4``,
    - ``<scene>_state_<k>.mp4``,
    - the numbered pictures in ``<scene>/state_<k>/RGB/``.

    In these names, ``before`` may replace ``state_0``, and ``after`` may replace ``state_1``.
    """
    wanted = [scene for scene in dict.fromkeys(scenes) if name_fault(scene) is None]
    folders = _Folders()
    places = list(_places(roots, set(wanted), folders))
    found: Clips = {}
    for scene in wanted:
        pairs = ([_clip(place, scene, state, folders) for state in range(len(ROLES))] for place in places)
        for before, after in pairs:
            if before is not None and after is not None:
                found[scene] = before, after
                break
    return found


class _Folders:
    """A cache of the contents of folders, so that each folder is listed only once."""

    def __init__(self) -> None:
        self._seen: dict[Path, tuple[list[str], list[str]]] = {}

    def files(self, folder: Path) -> list[str]:
        """Return the sorted names of the files in a folder."""
        return self._look(folder)[0]

    def inside(self, folder: Path) -> list[str]:
        """Return the sorted names of the subfolders of a folder."""
        return self._look(folder)[1]

    def _look(self, folder: Path) -> tuple[list[str], list[str]]:
        if folder not in self._seen:
            files: list[str] = []
            inside: list[str] = []
            try:
                with os.scandir(folder) as entries:
                    for entry in sorted(entries, key=lambda entry: entry.name):
                        (inside if entry.is_dir() else files).append(entry.name)
            except OSError:  # missing or not accessible
                pass
            self._seen[folder] = files, inside
        return self._seen[folder]


def _places(roots: Iterable[Path], scenes: set[str], folders: _Folders) -> Iterator[Path]:
    """Yield each root, and each subfolder that may contain scenes."""
    for root in dict.fromkeys(roots):
        yield root
        for name in folders.inside(root):
            if name not in scenes and not name.startswith("."):
                yield root / name


def _clip(place: Path, scene: str, state: int, folders: _Folders) -> ReleasedClip | None:
    """Return the clip of a state in the folder ``place``, or None."""
    states = (f"state_{state}", f"state{state}", f"state-{state}", ROLES[state])
    homes = [place / name for name in _alike([scene], folders.inside(place))]
    own = [home / name for home in homes for name in _alike(states, folders.inside(home))]
    for folder in own:
        for where in (folder, *(folder / name for name in _alike(["video"], folders.inside(folder)))):
            if (file := _seen_video(folders.files(where))) is not None:
                within = "video/" if where != folder else ""
                return ReleasedClip((where / file,), True, place, f"<scene>/<state>/{within}{_starred(file)}")
    for where, stems, rule in (
        *((home, states, "<scene>/<state>") for home in homes),
        (place, [f"{scene}{joint}{one}" for one in states for joint in "_-."], "<scene>_<state>"),
    ):
        names = _alike([stem + suffix for stem in stems for suffix in VIDEOS], folders.files(where))
        if names:
            return ReleasedClip((where / names[0],), True, place, rule + Path(names[0]).suffix)
    for folder in own:
        if pictures := _pictures(folder, folders):
            within = _starred(pictures[0].relative_to(folder).as_posix())
            return ReleasedClip(tuple(pictures), False, place, f"<scene>/<state>/{within}")
    return None


def _alike(wanted: Iterable[str], names: list[str]) -> list[str]:
    """Return the ``names`` that are in ``wanted``, in the order of ``wanted``.

    If no name matches exactly, upper and lower case are treated as equal, and so are the forms of accented letters. The
    returned names keep their own spelling.
    """
    exact, plain = set(names), {same_name(name): name for name in names}
    found = (one if one in exact else plain.get(same_name(one)) for one in wanted)
    return [one for one in found if one is not None]


def _seen_video(names: list[str]) -> str | None:
    """Return the only colour video in a list of file names.

    The result is None if there is no colour video, or if several videos could be the colour video.
    """
    videos = [name for name in names if _is(name, VIDEOS)]
    seen = [name for name in videos if not any(word in name.casefold() for word in OTHER)]
    for word in SEEN:
        named = [name for name in seen if word in name.casefold()]
        if len(named) == 1:
            return named[0]
    return seen[0] if len(seen) == 1 else None


def _pictures(folder: Path, folders: _Folders) -> list[Path]:
    """Return the numbered pictures of a state in order.

    The number of a picture is the last number in its name. Pictures without a number, or with the same number as
    another picture, are not accepted.
    """
    for where in (*(folder / name for name in _alike(FRAMES, folders.inside(folder))), folder):
        names = [name for name in folders.files(where) if _is(name, PICTURES)]
        numbers = [int(found[-1]) for name in names if (found := re.findall("[0-9]+", Path(name).stem))]
        if names and len(set(numbers)) == len(names):
            return [where / name for _, name in sorted(zip(numbers, names, strict=True))]
    return []


def _is(name: str, suffixes: tuple[str, ...]) -> bool:
    return Path(name).suffix.lower() in suffixes and not name.startswith(".")


def _starred(path: str) -> str:
    """Replace the last number of a path by a star, for messages.

    The star shows that other scenes or pictures have other numbers.
    """
    return re.sub(r"[0-9]+(?=[^0-9]*\.[^.]+$)", "*", path)
