"""The outcome of the check of a model, for ``run.yaml`` and for the user."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from chronotope.errors import InputError
from chronotope.evaluate.plan.shown import Place, Shown
from chronotope.io.fields import first_fault
from chronotope.models import RawReply
from chronotope.protocol import without_thinking

TOLD = 40  # maximum number of quoted characters of a reply

ASKED = {
    "first": "the first number",
    "last": "the last number",
    "count": "the number of pictures",
    "colour": "the colour of a picture",
    "video-first": "the first number in a video",
    "video-last": "the last number in a video",
    "video-count": "the count of numbers in a video",
    "video-time": "the number at a given time of a video",
    "video-when": "the time of a number in a video",
    "time": "the time of a numbered picture",
    "set-one": "the number after a label",
    "set-two": "the number after the label at another position",
}


class CheckOutcome(BaseModel):
    """The outcome of the check of a model, as plain values.

    - ``accepted``: whether the service accepted the pictures.
    - ``arrived``: whether all pictures reached the model; None if unknown.
    - ``right`` maps each question (`ASKED`) to whether its answer is correct; None if the reply contains no answer.
    - ``replies`` maps each question to the beginning of its reply.
    - ``input_tokens``: the number of input tokens of the first request, which contains all pictures.
    - ``cached_tokens``: the largest number of cached tokens reported for a later question.
    - ``tokens_per_picture``: the number of input tokens that one more picture adds.
    - ``log_probabilities``: whether the service returns log-probabilities of letters on request.
    - ``videos``: the largest number of videos in a request of the run.
    - ``video_frames``: the number of frames in a video of the run; 0 if the run sends files.
    - ``timed``: whether the check showed numbered pictures with their times.
    - ``video_arrived``: whether a complete test clip reached the model, in order.
    - ``video_tokens``: the input tokens of the test clip.
    - ``words_beside``: the positions of texts among the pictures in the prompts of the run.
    - ``order_kept``: whether texts between pictures stay at their positions.
    - ``problem``: the reason why a run must stop.
    - ``warnings``: sentences for the user about defects that do not stop the run.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    pictures: int
    width: int
    height: int
    accepted: bool
    arrived: bool | None = None
    right: dict[str, bool | None] = {}
    replies: dict[str, str] = {}
    reports_cached_tokens: bool = False
    cached_tokens: int | None = None
    input_tokens: int | None = None
    tokens_per_picture: float | None = None
    log_probabilities: bool | None = None
    videos: int = 0
    video_frames: int = 0
    timed: bool = False
    video_arrived: bool | None = None
    video_tokens: int | None = None
    words_beside: tuple[Place, ...] = ()
    order_kept: bool | None = None
    at: str
    problem: str | None = None
    warnings: tuple[str, ...] = ()

    def covers(self, shown: Shown) -> bool:
        """Check whether this outcome makes another check unnecessary.

        No further check is needed if this check found no problem, and if its pictures were at least as many and at
        least as large as the pictures of ``shown``.
        """
        enough = self.pictures >= shown.pictures and self.width * self.height >= shown.size[0] * shown.size[1]
        enough &= self.videos >= shown.videos and self.video_frames >= shown.frames and self.timed >= shown.timed
        enough &= self.order_kept is True or "between" in self.words_beside or "between" not in shown.words
        return enough and self.problem is None

    def with_answers(self, right: Mapping[str, bool | None], replies: Mapping[str, RawReply]) -> Self:
        """Return a copy of the outcome with further answers."""
        beginnings = {name: beginning(reply) for name, reply in replies.items()}
        return self.model_copy(update={"right": {**self.right, **right}, "replies": self.replies | beginnings})

    def warned(self, *warnings: str) -> Self:
        """Return a copy of the outcome with further warnings."""
        return self.model_copy(update={"warnings": (*self.warnings, *warnings)})

    def words(self) -> list[str]:
        """Describe the outcome in lines of text.

        The problem and the warnings come last.
        """
        lines = [f"{self._shown_words()} in one request: {'accepted' if self.accepted else 'not accepted'}"]
        if self.accepted:
            told = {True: "yes", False: "no", None: "unknown"}
            if self.pictures:
                lines.append(f"all pictures arrive: {told[self.arrived]}")
            if self.videos:
                lines.append(f"a video arrives whole and in order: {told[self.video_arrived]}")
            if "set-one" in self.right:
                lines.append(f"text stays between the pictures: {told[self.order_kept]}")
            verdicts = {True: "right", False: "wrong", None: "no answer"}
            lines += [
                f"{ASKED[name]}: {verdicts[right]} (“{self.replies[name]}”)" for name, right in self.right.items()
            ]
            lines += [f"input tokens: {self._input_words()}", f"cached tokens: {self._cached_words()}"]
            given = {True: "returned if requested", False: "not given", None: "unknown"}[self.log_probabilities]
            lines.append(f"log-probabilities of letters: {given}")
        if self.problem is not None:
            lines.append(f"problem: {self.problem}")
        return [*lines, *(f"warning: {warning}" for warning in self.warnings)]

    def _shown_words(self) -> str:
        shown = [pictures_words(self.pictures, (self.width, self.height))] if self.pictures else []
        if self.videos:
            shown.append(f"a video of {self.video_frames} frames" if self.video_frames else "a video")
        return " and ".join(shown)

    def _input_words(self) -> str:
        if self.input_tokens is None:
            return "not reported" if self.video_tokens is None else f"{self.video_tokens:,} for the video"
        each = "" if self.tokens_per_picture is None else f", {self.tokens_per_picture:,.0f} for one more picture"
        return f"{self.input_tokens:,}{each}"

    def _cached_words(self) -> str:
        if not self.reports_cached_tokens:
            return "not reported"
        return f"reported, {self.cached_tokens or 'none'} for a second request with the same pictures"


def pictures_words(count: int, size: tuple[int, int]) -> str:
    """Describe the number and the size (px) of pictures."""
    return f"{count} {'picture' if count == 1 else 'pictures'} of {size[0]}x{size[1]} px"


def beginning(reply: RawReply) -> str:
    """Return the first words of a reply, without its thinking.

    If the thinking has no end mark, it is not removed.
    """
    text = reply.text or reply.error or ""
    words = " ".join((without_thinking(text) or text).split())
    return words if len(words) <= TOLD else words[: TOLD - 1] + "…"


def read_outcome(stored: Mapping[str, Any] | None) -> CheckOutcome | None:
    """Read the outcome of the check in ``run.yaml``.

    The outcome is None if the model was not checked.

    Raises:
        InputError: If ``stored`` is not the outcome of a check.
    """
    try:
        return None if stored is None else CheckOutcome.model_validate(stored)
    except ValidationError as error:
        raise InputError(
            f"run.yaml: the outcome of the check ({first_fault(error)}) cannot be read: restore the file, or remove "
            "its entry 'check', and the next run checks the model again"
        ) from None
