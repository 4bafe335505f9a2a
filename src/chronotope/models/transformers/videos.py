"""Videos of frames as tensors, for machines without torchvision.

The library's video processors need torchvision, which is not always there for a CPU. The classes of this module stand
in for them. Without a change of size, their tensors equal those of the library. Pillow and torchvision resize slightly
differently (up to 0.015 in normalised units).
"""

import io
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

RATE, FEWEST, MOST = 2.0, 4, 768  # frames per second, and numbers of frames, that are taken from a video file


class PatchVideos:
    """Videos for encoders that merge patches of consecutive frames (Qwen).

    ``settings`` are those of the library's video processor. If ``shared_budget`` is true, the limits on pixels are for
    the whole video; otherwise they are for each frame.
    """

    def __init__(self, images: Any, settings: Mapping[str, Any], *, shared_budget: bool) -> None:
        self._images, self._shared_budget = images, shared_budget
        self.merge_size = int(settings.get("merge_size") or images.merge_size)
        self.temporal_patch_size = int(settings.get("temporal_patch_size") or images.temporal_patch_size)
        size = settings.get("size") or {}
        self._size = size if size.get("shortest_edge") and size.get("longest_edge") else None

    def __call__(self, videos: Sequence[Sequence[Any]], **kwargs: Any) -> dict[str, Any]:
        """Return patches, grids and metadata of videos of frames."""
        made = [self._video(frames) for frames in videos]
        return {
            "pixel_values_videos": np.concatenate([patches for patches, _ in made]),
            "video_grid_thw": np.array([grid for _, grid in made], dtype=np.int64),
            "video_metadata": kwargs["video_metadata"],
        }

    def _video(self, frames: Sequence[Any]) -> tuple[np.ndarray, list[int]]:
        depth = self.temporal_patch_size
        frames = [*frames, *([frames[-1]] * (-len(frames) % depth))]
        size = {}
        if self._size is not None:
            share = len(frames) if self._shared_budget else 1
            size = {"size": {name: max(1, edge // share) for name, edge in self._size.items()}}
        done = self._images(images=list(frames), return_tensors="np", **size)
        grid = done["image_grid_thw"][0]
        channels = len(self._images.image_mean)
        # A picture is repeated `depth` times within each patch: frame t of a group takes place t.
        patches = done["pixel_values"].reshape(len(frames) // depth, depth, int(grid[1] * grid[2]), channels, depth, -1)
        mixed = np.stack([patches[:, place, :, :, place] for place in range(depth)], axis=3)
        groups = len(frames) // depth
        return mixed.reshape(groups * mixed.shape[1], -1), [groups, int(grid[1]), int(grid[2])]


class PictureVideos:
    """Videos for encoders that see each frame as a picture of fixed size.

    ``settings`` are those of the library's video processor, or of the image processor.
    """

    def __init__(self, images: Any, settings: Mapping[str, Any], *, shared_budget: bool = False) -> None:
        size = dict(settings.get("size") or images.size)
        crop = dict(settings.get("crop_size") or {}) if settings.get("do_center_crop") else {}
        self._edge = size.get("shortest_edge")
        height, width = ((crop or size).get(name) or self._edge for name in ("height", "width"))
        self._size = int(height or 0), int(width or 0)
        self._mean = np.array(settings.get("image_mean") or images.image_mean, dtype=np.float32)
        self._deviation = np.array(settings.get("image_std") or images.image_std, dtype=np.float32)
        # The processors of LLaVA read these from their video processor.
        self.merge_size = self.temporal_patch_size = 1

    def __call__(self, videos: Sequence[Sequence[Any]], **kwargs: Any) -> dict[str, Any]:
        """Return the pixels (videos, frames, 3, height, width), float32."""
        import torch

        pixels = [np.stack([self._frame(frame) for frame in frames]) for frames in videos]
        return {
            "pixel_values_videos": torch.from_numpy(np.stack(pixels)),
            "video_metadata": kwargs["video_metadata"],
        }

    def _frame(self, frame: Any) -> np.ndarray:
        from PIL import Image

        height, width = self._size
        picture = frame if isinstance(frame, Image.Image) else Image.fromarray(np.asarray(frame))
        if self._edge is not None:
            scale = self._edge / min(picture.size)
            picture = picture.resize(
                (round(picture.width * scale), round(picture.height * scale)), Image.Resampling.BICUBIC
            )
            left, top = (picture.width - width) // 2, (picture.height - height) // 2
            picture = picture.crop((left, top, left + width, top + height))
        else:
            picture = picture.resize((width, height), Image.Resampling.BICUBIC)
        values = np.asarray(picture, dtype=np.float32) / 255
        return np.moveaxis((values - self._mean) / self._deviation, -1, 0)


def frames_of_file(data: bytes) -> tuple[list[np.ndarray], list[int], float, int]:
    """Take frames from a video file, two for each second.

    Returns the frames (height, width, 3), uint8 RGB, their numbers in the file, the frame rate, and the number of all
    frames.
    """
    import av

    with av.open(io.BytesIO(data), "r") as container:
        stream = container.streams.video[0]
        fps = float(stream.average_rate or Fraction(25))
        total = stream.frames or sum(1 for _ in container.decode(stream))
    count = min(max(FEWEST, round(total / fps * RATE)), MOST, total)
    wanted = np.linspace(0, total - 1, count).round().astype(int).tolist()
    there = set(wanted)
    with av.open(io.BytesIO(data), "r") as container:
        frames = {
            number: frame.to_ndarray(format="rgb24")
            for number, frame in enumerate(container.decode(container.streams.video[0]))
            if number in there
        }
    kept = [number for number in wanted if number in frames]
    return [frames[number] for number in kept], kept, fps, total
