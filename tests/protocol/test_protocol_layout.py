from dataclasses import replace

import pytest

from chronotope.errors import InputError
from chronotope.media import ClipFacts, plan_frames
from chronotope.protocol import (
    FrameOf,
    Image,
    MediaFacts,
    Option,
    Part,
    PictureFile,
    Text,
    Video,
    arrange,
    as_frame_videos,
    as_videos,
    describe,
    with_times,
)

FACTS = ClipFacts("ab" * 32, 64, 48, 20, 10.0, 2.0)
WHOLE, PART = plan_frames(FACTS, "endpoints", count=3), plan_frames(FACTS, "midpoints", count=3, window=(0.5, 1.5))


def frames(path: str, plan=WHOLE) -> list[Part]:
    return [Image(FrameOf(path, plan, place)) for place in range(3)]


def test_published_changes_nothing() -> None:
    parts = [Text("How far?"), *frames("a.mp4"), Option("A", "A. 1 m\n", "1 m")]
    assert arrange(parts, "published") == parts


def test_shared_puts_the_system_first_then_what_is_shown_then_what_is_said() -> None:
    system, question, drawing = Text("Be brief.", "system"), Text("Which?"), PictureFile("d.png", "cd" * 32)
    option = Option("A", "A. ", image=drawing)
    parts = [question, system, Image(drawing), option, *frames("a.mp4"), Text("Answer.")]
    assert arrange(parts, "shared") == [system, Image(drawing), *frames("a.mp4"), question, option, Text("Answer.")]


def test_labels_stay_beside_what_they_name_and_other_words_begin_a_line() -> None:
    before, after = Text(" Before:", label=True), Text(" After:", label=True)
    parts = [Text("Compare."), before, *frames("a.mp4"), after, *frames("b.mp4"), Text(" What is new?")]
    shown = [Text("Before:", label=True), *frames("a.mp4"), after, *frames("b.mp4")]
    assert arrange(parts, "shared") == [*shown, Text("Compare."), Text(" What is new?")]
    words = [Text("It says:", label=True), Text("a diagram", label=True), Text("What is it?")]
    assert arrange(words, "shared")[2] == Text("\nWhat is it?")


def test_frames_of_each_clip_become_one_video() -> None:
    parts = [Text("Before:"), *frames("a.mp4"), Text("After:"), *frames("b.mp4"), *frames("a.mp4"), Text("What?")]
    a, b = Video("a.mp4", FACTS.sha256), Video("b.mp4", FACTS.sha256)
    assert as_videos(parts) == [Text("Before:"), a, Text("After:"), b, a, Text("What?")]
    still = [Image(PictureFile("d.png", "cd" * 32)), Text("What?")]
    assert as_videos(still) == still


def test_a_part_of_a_clip_is_no_video() -> None:
    with pytest.raises(InputError, match=r"a\.mp4: the question is only about 0\.5 to 1\.5 s"):
        as_videos(frames("a.mp4", PART))


def test_frames_of_each_clip_become_one_video_of_frames() -> None:
    facts = MediaFacts({"a.mp4": FACTS, "b.mp4": FACTS})
    parts = [Text("Before:"), *frames("a.mp4"), Text("After:"), *frames("b.mp4", PART), Text("What?")]
    before, a, after, b, what = as_frame_videos(parts, facts)
    assert (before, after, what) == (parts[0], parts[4], parts[-1])
    assert isinstance(a, Video) and isinstance(b, Video) and a.frames is not None and b.frames is not None
    assert (a.path, a.frames.indices, a.frames.fps, a.frames.total) == ("a.mp4", WHOLE.indices, 10.0, 20)
    assert b.frames.indices == PART.indices and b.frames.times == PART.times
    faster = as_frame_videos(parts, MediaFacts({"a.mp4": replace(FACTS, fps=20.0), "b.mp4": FACTS}))
    assert len({describe(one) for one in (parts, as_frame_videos(parts, facts), faster, as_videos(parts[:4]))}) == 4
    with pytest.raises(InputError, match=r"a\.mp4: its frames are PNG"):
        as_frame_videos(frames("a.mp4", replace(WHOLE, codec="png")), facts)


def test_numbers_and_times_stand_before_frames_alone() -> None:
    still = Image(PictureFile("d.png", "cd" * 32))
    parts = [still, Text("Before:"), *frames("a.mp4"), *frames("b.mp4", PART), Text("What?")]
    timed = with_times(parts)
    assert [part for part in timed if not (isinstance(part, Text) and part.label)] == parts
    words = [part.text for part in timed if isinstance(part, Text)]
    assert words[:3] == ["Before:", "\nPicture 1 (0.00 s):\n", "Picture 2 (1.00 s):\n"]
    assert words[4:7] == [f"Picture {n} ({time:.2f} s):\n" for n, time in enumerate(PART.times, 1)]
    shared = arrange(timed, "shared")
    assert shared[-1] == Text("Before:") or shared[-1] == Text("What?")
    assert [part for part in shared if isinstance(part, Text) and part.label] == [
        part for part in timed if isinstance(part, Text) and part.label
    ]
