"""Facts about the media files of a benchmark, known without opening these files."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from chronotope.media import ClipFacts


@dataclass(frozen=True)
class PictureFacts:
    """Facts about a still picture: its hash, and its description.

    ``description`` maps each dimension to a text that describes the picture.
    """

    sha256: str
    description: Mapping[str, str] = field(default_factory=dict[str, str])


class MediaFacts(dict[str, ClipFacts | PictureFacts]):
    """Facts about the clips and pictures of a benchmark, accessed by path."""

    def find_clip(self, path: str) -> ClipFacts | None:
        """Return the facts about a clip, or None for a picture."""
        found = self[path]
        return found if isinstance(found, ClipFacts) else None

    def clip(self, path: str) -> ClipFacts:
        """Return the facts about a clip.

        Raises:
            TypeError: If the path belongs to a picture.
        """
        found = self[path]
        if isinstance(found, ClipFacts):
            return found
        raise TypeError(f"{path} is a picture, expected a clip")

    def picture(self, path: str) -> PictureFacts:
        """Return the facts about a still picture.

        Raises:
            TypeError: If the path belongs to a clip.
        """
        found = self[path]
        if isinstance(found, PictureFacts):
            return found
        raise TypeError(f"{path} is a clip, expected a picture")
