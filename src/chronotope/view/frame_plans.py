"""Descriptions of the sampling and the encoding of frames, as text."""

from collections.abc import Iterable, Mapping

from chronotope.media import SAMPLER_WORDS, FramePlan
from chronotope.question import Benchmark, MediaFile

_Files = Mapping[str, MediaFile]


def files_by_hash(benchmark: Benchmark) -> dict[str, MediaFile]:
    """Index the media of a benchmark by SHA-256.

    Frame plans identify clips by their SHA-256.
    """
    return {file.sha256: file for file in benchmark.media.values()}


def plan_words(plan: FramePlan, files: _Files) -> str:
    """Describe a frame plan as text.

    The description states the number of frames, the clip, the time span, the sampling and the encoding.
    """
    plural = "s" if len(plan.indices) > 1 else ""
    if plan.of_files:
        return f"{len(plan.indices)} released picture{plural}, {_way(plan, files)}"
    frames = f"{len(plan.indices)} frame{plural} of {_name(plan, files)}"
    return f"{frames}, {_seconds(plan)}, {_way(plan, files)}"


def ways_words(plans: Iterable[FramePlan], files: _Files) -> list[str]:
    """Describe each way of choosing and encoding frames in one line.

    After a line about frames, another one names the first of their clips as an example.
    """
    ways: dict[str, tuple[FramePlan, set[int]]] = {}  # the first plan of each way, and the numbers of frames
    for plan in plans:
        ways.setdefault(_way(plan, files), (plan, set()))[1].add(len(plan.indices))
    lines: list[str] = []
    for way, (plan, numbers) in ways.items():
        counts = sorted(numbers)
        number = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        if plan.of_files:
            lines.append(f"{number} released picture{'' if number == '1' else 's'} in place of a clip, {way}")
            continue
        lines.append(f"{number} frame{'' if number == '1' else 's'} of each clip, {way}")
        lines.append(f"first clip: {_name(plan, files)}, frames at {_seconds(plan)}")
    return lines


def _way(plan: FramePlan, files: _Files) -> str:
    """Describe the sampling and the encoding of a plan, without the clip."""
    if plan.of_files:
        return f"{SAMPLER_WORDS[plan.sampler]}, sent as they are"
    file = files.get(plan.clip)
    size = plan.size or (file and (file.width, file.height))
    shown = "its own size" if size is None else f"{size[0]} × {size[1]}"
    codec = f"JPEG quality {plan.quality}" if plan.codec == "jpeg" else plan.codec.upper()
    within = "" if plan.window is None else " of the window in question"
    return f"{SAMPLER_WORDS[plan.sampler]}{within}, {shown}, {codec}"


def _name(plan: FramePlan, files: _Files) -> str:
    return files[plan.clip].path if plan.clip in files else f"clip {plan.clip[:12]}"


def _seconds(plan: FramePlan) -> str:
    return f"{min(plan.times):.1f} to {max(plan.times):.1f} s"
