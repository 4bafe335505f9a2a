"""Options that differ by less than a pixel are found from the recording."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chronotope.audit.auditing import audit
from chronotope.question import Benchmark, Mention
from chronotope.recording import Entity, Kind, Recording, save_recording
from fair_sets import fair_questions, written


def filmed(folder: Path, pixels: int, ratio: str, role: str, quantity: str) -> Benchmark:
    """Questions about a recording in which the measured thing has so many pixels at its best moment."""
    mention = Mention("cup", role, "the cup")  # type: ignore[arg-type]
    tags = {"spacing": (ratio,), "quantity": (quantity,)}
    shown = [replace(one, recordings=("home",), mentions=(mention,), tags=tags) for one in fair_questions(1)]
    bench = written(folder, shown)
    poses, ones = np.tile(np.eye(4), (2, 1, 1)), np.ones(2, bool)
    cup = Entity("cup", "cup", "cup", (0.1, 0.1, 0.1), poses, visible_pixels=np.array([pixels // 4, pixels]))
    times = np.array([0.0, 0.1])
    save_recording(
        Recording("home", Kind.INDOOR, "test", times, poses, ones, entities=(cup,)), folder / "recordings/home"
    )
    return bench


@pytest.mark.parametrize(
    ("pixels", "ratio", "role", "quantity", "verdict"),
    [
        (400, "1.04", "scale", "distances", "slight"),  # 20 px: neighbours differ by 0.8 px
        (400, "1.06", "scale", "distances", "pass"),
        (400, "1.04", "stem", "sizes", "slight"),
        (400, "1.04", "stem", "distances", "not tested"),  # the thing is not what is measured
        (400, "10°", "scale", "headings", "not tested"),
    ],
)
def test_options_closer_than_a_pixel_are_found(
    tmp_path: Path, pixels: int, ratio: str, role: str, quantity: str, verdict: str
) -> None:
    bench = filmed(tmp_path / "bench", pixels, ratio, role, quantity)
    found = next(one for one in audit(bench).findings if one.check == "resolution")
    assert found.verdict == verdict
    assert len(found.items) == (len(bench.questions) if verdict == "slight" else 0)


def test_a_damaged_recording_is_left_out(tmp_path: Path) -> None:
    bench = filmed(tmp_path / "bench", 400, "1.04", "scale", "distances")
    (tmp_path / "bench" / "recordings" / "home" / "tracks.parquet").write_bytes(b"none")
    assert next(one for one in audit(bench).findings if one.check == "resolution").verdict == "not tested"
