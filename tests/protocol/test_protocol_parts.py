"""Prompts as data."""

import json

from hypothesis import given
from hypothesis import strategies as st

from chronotope.media import FramePlan
from chronotope.protocol import FrameOf, Image, Option, Part, PictureFile, Text, Video, describe, frames_of

PLAN = FramePlan("c" * 64, "endpoints", None, (4, 9, 9), (0.4, 0.9, 0.9), (64, 48), quality=70)
roles = st.sampled_from(["system", "user"])
pictures = st.sampled_from(
    [*(FrameOf("clips/a.mp4", PLAN, position) for position in range(3)), PictureFile("b.png", "b" * 64)]
)
parts = st.one_of(
    st.builds(Text, st.text(max_size=4), roles),
    st.builds(Image, pictures, roles),
    st.builds(Video, st.just("v.mp4"), st.just("d" * 64), roles),
    st.builds(Option, st.just("A"), st.text(max_size=4), image=st.none() | pictures, role=roles),
)


def picture(shown: FrameOf | PictureFile) -> dict[str, object]:
    """What stands for a picture in the messages, written out."""
    if isinstance(shown, PictureFile):
        return {"file": shown.sha256}
    frame = (4, 9, 9)[shown.position]
    return {"clip": "c" * 64, "frame": frame, "codec": "jpeg", "quality": 70, "size": [64, 48]}


@given(st.lists(parts, max_size=8))
def test_messages_are_described_with_neighbouring_texts_joined(prompt: list[Part]) -> None:
    expected: list[dict[str, object]] = []
    for part in prompt:
        if isinstance(part, Image):
            expected.append({"role": part.role, "picture": picture(part.picture)})
        elif isinstance(part, Video):
            expected.append({"role": part.role, "video": "d" * 64})
        else:
            text = part.text if isinstance(part, Text) else part.shown
            if expected and expected[-1]["role"] == part.role and "text" in expected[-1]:
                text = f"{expected.pop()['text']}{text}"
            expected.append({"role": part.role, "text": text})
            if isinstance(part, Option) and part.image is not None:
                expected.append({"role": part.role, "picture": picture(part.image)})
    told = describe(prompt)
    assert json.loads(told) == expected
    assert told == json.dumps(expected, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def test_frames_of_a_plan_stand_in_its_order() -> None:
    assert list(frames_of("clips/a.mp4", PLAN)) == [Image(FrameOf("clips/a.mp4", PLAN, i)) for i in range(3)]
