"""The facts of a benchmark's files, known without opening them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from chronotope.media import ClipFacts

__all__ = ["MediaFacts", "PictureFacts"]


@dataclass(frozen=True)
class PictureFacts:
    """Facts of a still picture: its content, and texts that describe it.

    The texts are by dimension.
    """

    sha256: str
    description: Mapping[str, str] = field(default_factory=dict[str, str])


class MediaFacts(dict[str, ClipFacts | PictureFacts]):
    """The facts of a benchmark's clips and pictures, by path."""

    def find_clip(self, path: str) -> ClipFacts | None:
        """Return the facts of a clip, or None for a picture."""
        found = self[path]
        return found if isinstance(found, ClipFacts) else None

    def clip(self, path: str) -> ClipFacts:
        """Return the facts of a clip.

        Raises: TypeError if the path is a picture's.
        """
        found = self[path]
        if isinstance(found, ClipFacts):
            return found
        raise TypeError(f"{path} is a picture, expected a clip")

    def picture(self, path: str) -> PictureFacts:
        """Return the facts of a still picture.

        Raises: TypeError if the path is a clip's.
        """
        found = self[path]
        if isinstance(found, PictureFacts):
            return found
        raise TypeError(f"{path} is a clip, expected a picture")
