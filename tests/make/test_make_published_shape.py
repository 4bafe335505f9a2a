"""From a folder in the data set's own form, with data.json, both copies of the diagrams and clips, to Table 8."""

import json
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from chronotope.make import BuildRequest, build
from chronotope.media import encode_clip
from chronotope.question import open_benchmark
from ikea_annotations import TABLE_8, TASKS, published_shape

FPS, LONGEST = 2, 100.0  # of the clips, s


def watch(product: str, take: str) -> str:
    return f"https://www.youtube.com/watch?v={product}-{take}"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """IKEA Manuals at Work as it is published, but drawn and filmed here; annotations have the ugly values too."""
    place = tmp_path_factory.mktemp("source")
    frames = (np.full((24, 32, 3), number, np.uint8) for number in range(round(FPS * LONGEST)))
    encode_clip(frames, place / "any.mp4", FPS)
    (place / "videos").mkdir()
    records = []
    for made in published_shape(place / "drawn"):
        key = Path(made.category, made.product)
        for step in made.steps:
            for root, diagram in (("manual_img", step.diagram), ("manual_img_published", step.published_diagram)):
                if diagram is None or (root == "manual_img_published" and diagram == step.diagram):
                    continue
                if root == "manual_img" and made.product == "teodores" and step.number == 5:
                    continue  # only the published copy has it
                file = place / root / key / f"step_{step.number}" / f"step_{step.number}.png"
                file.parent.mkdir(parents=True)
                os.link(diagram, file)
        if made.product == "teodores":
            file = place / "manual_img_published" / key / "step_5" / "step_5.png"
            file.parent.mkdir(parents=True)
            os.link(made.step(5).diagram, file)
        for take in made.takes:
            os.link(place / "any.mp4", place / "videos" / f"{made.id}-{take.id}.mp4")
        steps = [
            {
                "step_id": step.number,
                "manual": {"parts": ["0,1", "2"], "connnections": [["2", "1,0"]], "mask": [{}], "extrinsics": [["x"]]},
                "video": [
                    {
                        "video_id": watch(made.id, take.id),
                        "step_start": segment.start,
                        "step_end": segment.end,
                        "fps": FPS,
                        "frames": [{"frame_id": 3, "mask": [{"error": "none"}], "extrinsics": [["PartNotShowUp"]]}],
                        "video_intrinsic": None,
                    }
                    for take in made.takes
                    for segment in take.segments
                    if segment.step == step.number
                ],
            }
            for step in made.steps
        ]
        records.append({"category": made.category, "name": made.product, "source": None, "steps": steps})
    (place / "data.json").write_text(json.dumps(records))
    return place


def test_paper_gives_table_8_from_files(source: Path, tmp_path: Path) -> None:
    built = build(BuildRequest("ikea", source, tmp_path / "bench", profile="paper", options={"clean": False}))
    questions = open_benchmark(built.folder).questions
    found = Counter((question.cluster, question.task) for question in questions)
    assert {name: tuple(found[name, task] for task in TASKS) for name in TABLE_8} == TABLE_8
    assert len(questions) == 1623 and not built.failures
    assert sum("right_diagram_missing" in question.flags for question in questions) == 14
