"""The check whether a complete video reaches a model, in order.

The test clip shows several numbers, one after another. Each number is shown for two seconds on a red or blue
background. The test clip is encoded like the clips of benchmarks.

If the run sends frames as a video, the test clip is such a video, too. The numbers in the clip are shown for different
lengths of time, so only a model that sees the times of the frames knows when a number is shown.
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import get_args

import numpy as np

from chronotope.evaluate.plan.shown import Shown
from chronotope.evaluate.run.check.calls import Calls
from chronotope.evaluate.run.check.check_pictures import (
    NEAR,
    CheckAnswer,
    Colour,
    draw_number,
    draw_pictures,
    is_near,
    read_answer,
)
from chronotope.evaluate.score.check_outcome import ASKED, CheckOutcome
from chronotope.io import sha256_bytes
from chronotope.media import Encoded, FramePlan, video_of_frames
from chronotope.models import RawReply, no_times
from chronotope.protocol import FrameOf, FramesOf, Text, Video

NUMBERS, SECONDS, FPS = 4, 2.0, 10  # numbers in a clip, seconds for each number, frames per second
UNEVEN = (2.0, 3.0, 5.0, 8.0)  # seconds for which a video of frames shows its numbers; the order is random
INNER = range(1, NUMBERS - 1)  # the numbers whose time is asked for: not the first or the last number
LONGEST_SIDE = 640  # px: legible, but small
FEW_TOKENS = 16  # tokens: every video has at least this number, but a text sent in place of a video may have fewer

QUESTIONS = {
    "video-first": "The video above shows numbers, one after the other. Which number does it show first? "
    "Reply with that number only.",
    "video-last": "The video above shows numbers, one after the other. Which number does it show last? "
    "Reply with that number only.",
    "video-count": "How many different numbers does the video above show, one after the other? "
    "Reply with one number only.",
    "video-time": "Which number does the video above show {seconds:.1f} seconds after its beginning? "
    "Reply with that number only.",
}
WHEN = (
    "How many seconds after its beginning does the video above begin to show the number {number}? Reply with the "
    "number of seconds only."
)


@dataclass(frozen=True)
class CheckVideo:
    """A test clip, and the numbers that it shows, in order.

    ``seconds`` are the durations of the numbers. ``frames`` has the times of the frames, if the clip is a video of
    frames.
    """

    numbers: tuple[int, ...]
    encoded: Encoded
    seconds: tuple[float, ...] = (SECONDS,) * NUMBERS
    frames: FramesOf | None = None

    @property
    def part(self) -> Video:
        """Return the test clip as a part of a prompt."""
        path = f"check/{self.encoded.sha256}.mp4" if self.frames is None else self.frames.frames[0].path
        return Video(path, self.encoded.sha256, frames=self.frames)

    def start(self, place: int) -> float:
        """Return the first time (s) of a number in the clip."""
        return sum(self.seconds[:place])


def draw_video(size: tuple[int, int], generator: np.random.Generator, numbers: int = NUMBERS) -> CheckVideo:
    """Render a clip of different three-digit numbers.

    The longer side of the clip has at most ``LONGEST_SIDE`` px, even if ``size`` (px) is larger.
    """
    from chronotope.media import encode_clip  # loads PyAV, which few runs need

    width, height = _shrunk(size)
    drawn = tuple(generator.permutation(np.arange(100, 1000))[:numbers].tolist())
    colours: list[Colour] = generator.choice(get_args(Colour), size=numbers).tolist()
    pictures = [draw_number(n, colour, (width, height)) for n, colour in zip(drawn, colours, strict=True)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "check.mp4"
        encode_clip((picture for picture in pictures for _ in range(round(SECONDS * FPS))), path, FPS)
        data = path.read_bytes()
    return CheckVideo(drawn, Encoded(data, sha256_bytes(data), "video/mp4"))


def draw_frames(size: tuple[int, int], generator: np.random.Generator, count: int) -> CheckVideo:
    """Render a video of at least ``count`` frames with different numbers.

    Each number is on an even number of frames, because some models join two neighbouring frames.
    """
    each = max(2, -(-count // NUMBERS))
    each += each % 2
    drawn = draw_pictures(NUMBERS, _shrunk(size), generator, but=NUMBERS)
    orders = [order for order in permutations(UNEVEN) if not _is_guessed(order, each)]
    seconds = orders[generator.integers(len(orders))]
    fps = max(FPS, each)
    starts = [sum(seconds[:place]) for place in range(NUMBERS)]
    indices = tuple(
        round((start + step * length / each) * fps)
        for start, length in zip(starts, seconds, strict=True)
        for step in range(each)
    )
    encoded = video_of_frames([picture.encoded for picture in drawn for _ in range(each)])
    times = tuple(index / fps for index in indices)
    plan = FramePlan(encoded.sha256, "times", None, indices, times, _shrunk(size))
    path = f"check/{encoded.sha256}"
    frames = FramesOf(tuple(FrameOf(path, plan, n) for n in range(len(indices))), fps, round(sum(seconds) * fps))
    return CheckVideo(tuple(picture.number for picture in drawn), encoded, seconds, frames)


def _is_guessed(seconds: Sequence[float], each: int) -> bool:
    """Check whether a model without times would find an inner start.

    Such a model may assume equal durations, or one second for each number or frame. Each number is on ``each`` frames.
    """
    guesses = (sum(seconds) / NUMBERS, 1, each)  # the assumed seconds of a number
    return any(abs(sum(seconds[:place]) - place * guess) <= NEAR for place in INNER for guess in guesses)


def _shrunk(size: tuple[int, int]) -> tuple[int, int]:
    """Reduce a size (px) to ``LONGEST_SIDE`` on its longer side."""
    shrunk = min(1.0, LONGEST_SIDE / max(size))
    width, height = (max(16, round(side * shrunk)) for side in size)
    return width, height


async def check_videos(
    calls: Calls, shown: Shown, outcome: CheckOutcome, generator: np.random.Generator
) -> CheckOutcome:
    """Ask about a test clip, and add the findings to ``outcome``.

    Raises:
        InputError: If a call about the test clip failed after all its attempts.
    """
    if shown.frames:
        video = draw_frames(shown.video_size, generator, shown.frames)
    else:
        video = draw_video(shown.video_size, generator)
    calls.have({video.part.path: video.encoded})
    place = int(generator.choice(INNER))
    seconds = video.start(place) + video.seconds[place] / 2
    truth: dict[str, float] = {
        "video-first": video.numbers[0],
        "video-last": video.numbers[-1],
        "video-count": NUMBERS,
        "video-time": video.numbers[place],
    }
    questions = {name: question.format(seconds=seconds) for name, question in QUESTIONS.items()}
    if shown.frames:
        questions["video-when"] = WHEN.format(number=video.numbers[place])
        truth["video-when"] = video.start(place)
    remedy = "send frames as pictures (omit --frames-as)" if shown.frames else "send frames (--clips frames)"
    try:
        replies, without = await _ask(calls, video, questions, remedy)
    except _NotTakenError as refused:
        problem = (
            f"{calls.name} refuses video, but answers requests without video ({refused}): {remedy}, or choose a model "
            "that accepts video"
        )
        if shown.frames:
            problem = f"{calls.name} {no_times(str(refused))} ({refused})"
        return outcome.model_copy(update={"accepted": False, "problem": problem})
    answers: dict[str, CheckAnswer | None] = {name: read_answer(name, reply.text) for name, reply in replies.items()}
    right = {name: None if told is None else told == truth[name] for name, told in answers.items()}
    if shown.frames:
        right["video-when"] = is_near(replies["video-when"], truth["video-when"])
    tokens = replies["video-first"].input_tokens
    added = None if tokens is None or without.input_tokens is None else tokens - without.input_tokens
    arrived, why = arrives(video.numbers, answers, added)
    found = outcome.with_answers(right, replies).model_copy(update={"video_arrived": arrived, "video_tokens": added})
    if arrived is False:
        told = f"a video does not reach {calls.name} whole and in order: {why}"
        return found.model_copy(update={"problem": f"{told}: {remedy}, or skip the check with --no-check"})
    if wrong := [name for name, value in right.items() if not value]:
        told = ", ".join(f"{ASKED[name]} (“{found.replies[name]}” in place of {truth[name]:g})" for name in wrong)
        untimed = ", so it may not know the times of the frames" if shown.frames and wrong != ["video-count"] else ""
        return found.warned(f"{calls.name} answers badly about a video of {sum(video.seconds):g} s: {told}{untimed}")
    return found


class _NotTakenError(Exception):
    """The error for a request that the service refuses because of its video.

    The message of the exception is the message of the service.
    """


async def _ask(
    calls: Calls, video: CheckVideo, asked_for: Mapping[str, str], remedy: str
) -> tuple[dict[str, RawReply], RawReply]:
    """Ask all questions about a clip.

    The first question is also asked without the clip. Returns the replies about the clip, and the reply without the
    clip.
    """
    questions = {name: Text(question) for name, question in asked_for.items()}
    replies: dict[str, RawReply] = {}
    async with calls.open([video.part]) as session:
        for name, question in questions.items():
            asked = (session, [video.part], [question], f"check-{name}", video.numbers)
            reply = await calls.offer(*asked, remedy=f"{remedy}, ")
            if reply.state == "refused" and not replies:
                raise _NotTakenError(reply.error or "no reason was given")
            replies[name] = reply
    async with calls.open(()) as session:
        without = await calls.call(session, (), [questions["video-first"]], "check-without-video", ())
    return replies, calls.settled(without)


def arrives(
    numbers: Sequence[int], answers: Mapping[str, CheckAnswer | None], added: int | None
) -> tuple[bool | None, str | None]:
    """Decide whether a complete clip arrived, in order.

    Returns the decision, and the reason if the clip did not arrive. The decision is None if there is no evidence.

    ``answers`` are the answers to `QUESTIONS`. ``added`` is the number of input tokens of the clip, or None if it is
    unknown. If the first and the last number are named correctly, the clip arrived, because a model cannot guess a
    number of three digits. If neither the answers nor the number of tokens indicate a video, the clip did not arrive.
    """
    where = {number: place for place, number in enumerate(numbers)}
    first, last = (
        where.get(told) if isinstance(told, int) else None for told in (answers["video-first"], answers["video-last"])
    )
    if first is not None and last is not None:
        if (first, last) == (0, len(numbers) - 1):
            return True, None
        if first == last:
            return False, f"its answers match those of a model that sees only one picture of it, {numbers[first]}"
        if first > last:
            return False, "its answers match those of a model that sees it in reverse"
        return False, f"its answers match those of a model that sees only a part, {numbers[first]} to {numbers[last]}"
    if added is None:
        return False, "no answer shows that the model sees the video, and the service counts no tokens"
    if added < FEW_TOKENS:
        return False, f"the service counts {max(added, 0)} input tokens for it"
    return None, None
