"""The encoded pictures of a group. Each picture is decoded and encoded once."""

import mimetypes
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from chronotope.errors import InputError
from chronotope.evaluate.plan.asks import PlannedAsk
from chronotope.evaluate.plan.plan import Prompt
from chronotope.evaluate.run.groups import Call
from chronotope.io import sha256_bytes
from chronotope.media import Encoded, FrameCache, FramePlan, encode_still, video_of_frames
from chronotope.protocol import FrameOf, Picture, PictureFile, Video


@dataclass
class GroupPictures:
    """The encoded pictures of some calls.

    ``problems`` maps the path of a missing picture to the reason.
    """

    frames: dict[FramePlan, Sequence[Encoded]] = field(default_factory=dict)
    files: dict[str, Encoded] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)

    def __call__(self, shown: Picture | Video) -> Encoded:
        """Return the encoded bytes of one picture or video."""
        if isinstance(shown, FrameOf):
            return self.frames[shown.plan][shown.position]
        if isinstance(shown, Video) and shown.frames is not None:
            return video_of_frames([self(frame) for frame in shown.frames.frames])
        return self.files[shown.path]

    def problem(self, call: Call) -> str | None:
        """Return the reason why a call cannot be made, or None."""
        return next((self.problems[shown.path] for shown in call.shown if shown.path in self.problems), None)


def planned_frames(planned: Iterable[PlannedAsk], prompts: Mapping[str, Prompt]) -> Iterator[tuple[str, FramePlan]]:
    """Yield path and frame plan of each clip in asks.

    ``prompts`` maps the id of each ask to its prompt.
    """
    for one in planned:
        for item, plan in zip(prompts[one.ask.id].media, one.ask.plans, strict=True):
            if plan is not None and not plan.of_files:
                yield item.paths[0], plan


class PictureLoader:
    """Loads the pictures of groups.

    ``plans`` are all frame plans of the run, with the paths of their clips. Several threads can use one loader. A clip
    is decoded only once for all frame plans of the run: the first group that needs the clip extracts the frames of all
    plans, and later groups find their frames in the frame cache.
    """

    def __init__(self, folder: Path, plans: Iterable[tuple[str, FramePlan]]) -> None:
        self._folder = folder
        self._cache = FrameCache()
        self._plans: dict[str, dict[FramePlan, None]] = {}
        for path, plan in plans:
            self._plans.setdefault(path, {})[plan] = None
        self._locks = {path: threading.Lock() for path in self._plans}

    @property
    def problem(self) -> str | None:
        """Return the reason why frames cannot be cached, or None."""
        return self._cache.problem

    def load(self, calls: Sequence[Call]) -> GroupPictures:
        """Load the pictures of some calls.

        A missing or damaged picture is recorded in ``problems`` of the result and raises no error.
        """
        pictures = GroupPictures()
        clips: dict[str, set[FramePlan]] = {}
        for shown in {shown for call in calls for shown in call.shown}:
            frame = shown.frames.frames[0] if isinstance(shown, Video) and shown.frames else shown
            if isinstance(frame, FrameOf):
                clips.setdefault(frame.path, set()).add(frame.plan)
            elif frame.path not in pictures.files and frame.path not in pictures.problems:
                self._load_file(frame, pictures)
        for path, plans in clips.items():
            self._load_clip(path, list(plans), pictures)
        return pictures

    def _load_clip(self, path: str, plans: list[FramePlan], pictures: GroupPictures) -> None:
        lock = self._locks.get(path) or threading.Lock()
        with lock:
            first = self._plans.pop(path, {})
            every = list(dict.fromkeys([*plans, *first]))
            try:
                made = self._cache.frames(self._folder / path, every)
            except InputError as error:
                pictures.problems[path] = str(error)
                return
        pictures.frames.update(zip(plans, made, strict=False))  # other groups need the remaining frames

    def _load_file(self, shown: PictureFile | Video, pictures: GroupPictures) -> None:
        path = self._folder / shown.path
        try:
            data = path.read_bytes()
            if sha256_bytes(data) != shown.sha256:
                raise InputError(
                    f"{path}: differs from the file in media.parquet: restore it, or import or build again"
                )
            if isinstance(shown, PictureFile):
                pictures.files[shown.path] = encode_still(path, data)
            else:
                media_type = mimetypes.guess_type(path.name)[0] or "video/mp4"
                pictures.files[shown.path] = Encoded(data, shown.sha256, media_type)
        except OSError as error:
            pictures.problems[shown.path] = f"{path}: cannot be opened ({error.strerror}): restore the file"
        except InputError as error:
            pictures.problems[shown.path] = str(error)
