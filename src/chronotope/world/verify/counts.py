"""Checks that compare pictures of identities with names, visible pixels, boxes in the picture and visible flags."""

import numpy as np

from chronotope.recording import Entity, Recording
from chronotope.world.verify.frame import Frame
from chronotope.world.verify.outcome import Check, judged


class Counts:
    """The checks with the names "identities", "visible pixels", "boxes in the picture" and "visible"."""

    def __init__(self, recording: Recording) -> None:
        self._entities = recording.entities
        self._strays: list[str] = []
        self._pixels: list[str] = []
        self._boxes: list[str] = []
        self._visible: list[str] = []

    def look(self, frame: Frame) -> None:
        """Count one frame."""
        at = frame.index
        for value in np.flatnonzero(frame.counts[len(self._entities) + 1 :]) + len(self._entities) + 1:
            self._strays.append(f"frame {at} has {frame.counts[value]} pixels of value {value}")
        for value, (entity, region) in enumerate(zip(self._entities, frame.regions, strict=True), 1):
            count = int(frame.counts[value])
            if entity.visible_pixels is not None and entity.visible_pixels[at] != count:
                self._pixels.append(
                    f"frame {at} shows {count} pixels of {entity.id}, but the recording states "
                    f"{entity.visible_pixels[at]}"
                )
            if entity.box2d is not None and not _same(entity.box2d[at], region):
                box = "none" if region is None else _corners(region).tolist()
                self._boxes.append(
                    f"frame {at}: {entity.id} fills {box}, but the recording states {entity.box2d[at].tolist()}"
                )
            self._visible += [f"frame {at}: {entity.id} {fault}" for fault in _faults(entity, at, count)]

    def checks(self) -> tuple[Check, ...]:
        """Return the four checks."""
        for entity in self._entities:
            self._visible += _unsteady(entity)
        return (
            judged("identities", self._strays, f"every value names one of {len(self._entities)} entities"),
            judged("visible pixels", self._pixels, "equal in every frame"),
            judged("boxes in the picture", self._boxes, "equal in every frame"),
            judged("visible", self._visible, "flags and fractions fit the pixels"),
        )


def _corners(region: tuple[slice, slice]) -> np.ndarray:
    """Return x0 y0 x1 y1 of the outermost pixels' centres."""
    rows, columns = region
    return np.array([columns.start, rows.start, columns.stop - 1, rows.stop - 1], np.float64)


def _same(claimed: np.ndarray, region: tuple[slice, slice] | None) -> bool:
    if region is None:
        return bool(np.isnan(claimed).all())
    return bool(np.array_equal(claimed, _corners(region)))


def _faults(entity: Entity, at: int, count: int) -> list[str]:
    """List contradictions between the pixel ``count`` and other facts of a frame.

    The other facts are the visible flag and the visible fraction.
    """
    found = []
    if entity.visible is not None and entity.visible[at] and count == 0:
        found.append("is flagged visible but has no pixel")
    if entity.visible_fraction is not None:
        fraction = float(entity.visible_fraction[at])
        if not 0 <= fraction <= 1:
            found.append(f"has the visible fraction {fraction:g}")
        elif fraction > 0 and count == 0:
            found.append(f"has the visible fraction {fraction:.2f} but no pixel")
    return found


def _unsteady(entity: Entity) -> list[str]:
    """List frames with a flag that contradicts another frame's flag.

    Each frame in the list is flagged invisible, although another frame is flagged visible with no more pixels and no
    larger fraction.
    """
    visible, pixels, fraction = entity.visible, entity.visible_pixels, entity.visible_fraction
    if visible is None or pixels is None or fraction is None:
        return []
    order = np.argsort(pixels[visible])
    # least[k] is the least fraction of the k visible frames that have the fewest pixels.
    least = np.minimum.accumulate(np.append(np.inf, fraction[visible][order]))
    no_less = fraction >= least[np.searchsorted(pixels[visible][order], pixels, side="right")]
    lost = np.flatnonzero(no_less & ~visible)
    return [
        f"frame {at}: {entity.id} is flagged invisible with {pixels[at]} pixels and the fraction {fraction[at]:.2f}, "
        "although it is flagged visible elsewhere with no more pixels and no larger fraction"
        for at in lost
    ]
