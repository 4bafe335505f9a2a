"""Whether options lie so close together that the pictures cannot tell them apart."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from chronotope.audit.findings import Finding
from chronotope.audit.trials import Asked
from chronotope.question import Benchmark, Question
from chronotope.recording import Recording
from chronotope.view.question_boxes import RecordingReader

LEAST = 1.0  # px by which neighbouring options must differ in the picture of the thing that is measured
_SIZES = "sizes"  # the tag of questions about the size of a thing, which is itself measured


def resolution(benchmark: Benchmark, asked: Asked) -> Finding:
    """Find questions whose neighbouring options differ by less than a pixel.

    A length is measured in the picture against a thing of known size, or is the size of a thing. If this thing covers
    an extent of e pixels at its best moment (the root of its visible pixels), its extent is known to a pixel at best,
    so options with the ratio r can be told apart only if e (r - 1) is at least one pixel.
    """
    title = "Options that pictures can tell apart"
    groups: dict[str, list[tuple[Question, float]]] = defaultdict(list)
    for one in asked.questions:
        ratio = _ratio(one)
        if ratio is not None and len(one.recordings) == 1:
            groups[one.recordings[0]].append((one, ratio))
    reader = RecordingReader()
    measured = [(one, apart) for group in groups.values() for one, apart in _apart(reader, benchmark, group)]
    if not measured:
        said = "No question has both options with a known ratio and a recording."
        return Finding("resolution", title, "not tested", said, false_alarms=0)
    items = tuple(one.id for one, apart in measured if apart < LEAST)
    typical = float(np.median([apart for _, apart in measured]))
    told = f"neighbouring options differ by {typical:.1f} pixels in the middle one of {len(measured):,} questions"
    if not items:
        return Finding("resolution", title, "pass", f"All differ by at least a pixel; {told}.", false_alarms=0)
    said = f"In {len(items):,} questions, neighbouring options differ by less than a pixel at the best moment; {told}."
    advice = "Leave these questions out, or draw options that lie farther apart."
    return Finding("resolution", title, "slight", said, advice, items=items, false_alarms=0)


def _ratio(one: Question) -> float | None:
    try:
        ratio = float(one.tags.get("spacing", ("",))[0])
    except ValueError:  # an angle, or nothing
        return None
    return ratio if ratio > 1 else None


def _apart(
    reader: RecordingReader, benchmark: Benchmark, group: Sequence[tuple[Question, float]]
) -> Iterator[tuple[Question, float]]:
    """Yield the questions about one recording with the distance (px) of their neighbouring options."""
    recording = reader.of(benchmark.folder, group[0][0])
    if recording is None:
        return
    extents = dict(_extents(recording))
    for one, ratio in group:
        roles = ("scale", "stem", "asked") if _SIZES in one.tags.get("quantity", ()) else ("scale",)
        known = [
            extents[mention.entity] for mention in one.mentions if mention.role in roles and mention.entity in extents
        ]
        if known:
            yield one, min(known) * (ratio - 1)


def _extents(recording: Recording) -> Iterator[tuple[str, float]]:
    for entity in recording.entities:
        if entity.visible_pixels is not None:
            yield entity.id, float(np.sqrt(entity.visible_pixels.max()))
