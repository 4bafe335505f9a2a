"""Candidates of generated clips, and the control that a drawn clip gives."""

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chronotope.families.vgenst.agents import benchmark_items
from chronotope.families.vgenst.agents.candidates import Count, Seen, checked_clip, chosen, clip_orders, judged_clip
from chronotope.families.vgenst.agents.scene_graphs import drawn_graph
from chronotope.media import decode_frames, encode_clip, probe
from chronotope.models.media import Made, MediaLimits
from chronotope.models.media.control import save_control, save_first_frame
from chronotope.recording import Clip, Kind, Recording, write_depth, write_identities

[ITEM] = benchmark_items(["CM"], 1)


class Judge:
    """Counts as told."""

    def __init__(self, reply: Seen | None) -> None:
        self.reply, self.parts = reply, list[Any]()

    async def ask(self, stage: Any, name: str, parts: Any, form: Any) -> Any:
        self.parts = list(parts)
        return self.reply

    def require_answers(self) -> None:
        """Nothing failed."""


def test_candidates_differ_by_their_seeds_and_fit_the_service() -> None:
    limits = MediaLimits("video", (5.0, 10.0), None, frozenset(["first_frame"]), frozenset(["first_frame"]))
    anchor = Path("anchor.png")
    found = clip_orders(ITEM, "go", limits, anchor, 3, seed=7)
    assert [order.request.seed for order in found] == [7, 8, 9] and len({order.name for order in found}) == 3
    assert all(one.request.first_frame == anchor and one.request.is_camera_fixed for one in found)
    assert found[0].request.seconds in (5, 10)
    [other] = benchmark_items(["BT"], 1)
    assert clip_orders(other, "go", limits, anchor, 1)[0].request.first_frame is None, "made from words alone"


def test_a_judge_counts_and_only_clips_without_a_fault_are_proposed(tmp_path: Path) -> None:
    graph = drawn_graph(ITEM, "paper", 1)
    labels = [entity.label for entity in graph.objects]
    generator = np.random.default_rng(1)
    still = generator.integers(0, 255, (54, 96, 3)).astype(np.uint8).repeat(2, 0).repeat(2, 1)
    pictures = []
    for frame in range(80):
        picture = still.copy()
        picture[40:60, 20 + frame : 40 + frame] = 250
        pictures.append(picture)
    encode_clip(pictures, tmp_path / "clip.mp4", 10)
    made = Made("one", "made", tmp_path / "clip.mp4")
    checked = checked_clip(ITEM, made, None)
    assert checked.may_be_chosen, checked.faults
    right = Seen(counts=[Count(name=label, count=1) for label in labels], is_one_shot=True, has_captions=False)
    judge = Judge(right)
    assert asyncio.run(judged_clip(checked, ITEM, graph, judge)).may_be_chosen
    assert len(judge.parts) == 9 and all(label in judge.parts[-1] for label in labels)
    wrong = right.model_copy(update={"counts": right.counts[1:], "has_captions": True})
    rejected = asyncio.run(judged_clip(checked, ITEM, graph, Judge(wrong)))
    assert [fault.partition(":")[0] for fault in rejected.faults] == [labels[0], "words or captions"]
    silent = asyncio.run(judged_clip(checked, ITEM, graph, Judge(None)))
    refused = checked_clip(ITEM, Made("two", "refused", told="policy"), None)
    assert not silent.may_be_chosen and refused.faults == ["policy"]
    assert chosen([refused, rejected, silent]) is None and chosen([refused, checked]) is checked


@pytest.mark.parametrize("kind", ["depth", "edges"])
def test_a_drawn_clip_gives_its_first_frame_and_a_control_of_the_same_length(tmp_path: Path, kind: Any) -> None:
    """A near square in front of a far wall: white in depth, and its outline in edges."""
    frames, (high, wide) = 6, (36, 64)
    names: dict[str, list[str]] = {"depth": [], "identities": []}
    pictures = []
    for frame in range(frames):
        depth, numbers = np.full((high, wide), 4.0, np.float32), np.zeros((high, wide), np.uint8)
        square = (slice(10, 22), slice(8 + 4 * frame, 20 + 4 * frame))
        depth[square], numbers[square] = 1.0, 1
        for name, values, write in (("depth", depth, write_depth), ("identities", numbers, write_identities)):
            (tmp_path / name).mkdir(exist_ok=True)
            names[name].append(f"{name}/{frame:06d}.png")
            write(tmp_path / names[name][-1], values, *([1000.0] if name == "depth" else []))
        pictures.append(np.full((high, wide, 3), 40 * frame, np.uint8))
    encode_clip(pictures, tmp_path / "clip.mp4", 10)
    pose = np.tile(np.eye(4), (frames, 1, 1))
    recording = Recording(
        "r", Kind.INDOOR, "test", np.arange(frames) / 10, pose, np.ones(frames, bool),
        clip=Clip(tmp_path / "clip.mp4", "", 10.0, wide, high), depth=tuple(names["depth"]),
        identities=tuple(names["identities"]), depth_scale=1000.0,
    )  # fmt: skip
    path = save_control(recording, tmp_path, tmp_path / "control.mp4", kind)
    assert probe(path).frames == frames and probe(path).fps == 10
    for frame, picture in decode_frames(path, range(frames)):
        grey, left = picture.mean(axis=2), 8 + 4 * frame
        inside, outside = grey[14:18, left + 4 : left + 8].mean(), grey[28:34].mean()
        if kind == "depth":
            assert inside > 230 and outside < 25
        else:
            assert inside < 40 and outside < 40 and grey[14:18, left - 1 : left + 1].max() > 150
    assert probe(save_first_frame(recording, tmp_path / "first.png").with_name("clip.mp4")).frames == frames
