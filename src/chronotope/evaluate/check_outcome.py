"""What a check of a model found, for ``run.yaml`` and for people."""

from pydantic import BaseModel, ConfigDict

__all__ = ["ASKED", "CheckOutcome", "pictures_words"]

ASKED = {"first": "which is first", "last": "which is last", "count": "how many", "colour": "red or blue"}


class CheckOutcome(BaseModel):
    """What was found, as plain values.

    ``accepted``: the service took the pictures. ``arrived``: all of them reached the model; None where nothing tells.
    ``right`` is by question (first, last, count, colour), None where a reply names no answer; ``replies`` are their
    beginnings. ``input_tokens`` are those of the first question about all pictures, ``cached_tokens`` the most that one
    of those after it reports, ``tokens_per_picture`` what a second picture costs. ``log_probabilities``: whether those
    of letters are given where they are asked for. ``problem`` says why a run must stop, ``warnings`` what to know
    before it goes on.
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
    at: str
    problem: str | None = None
    warnings: tuple[str, ...] = ()

    def covers(self, pictures: int, size: tuple[int, int]) -> bool:
        """Whether it found nothing amiss with as many pictures, as large as these."""
        enough = self.pictures >= pictures and self.width * self.height >= size[0] * size[1]
        return enough and self.problem is None

    def words(self) -> list[str]:
        """What was found, in lines for people; the problem and the warnings stand at the end."""
        shown = pictures_words(self.pictures, (self.width, self.height))
        lines = [f"{shown} in one request: {'accepted' if self.accepted else 'not accepted'}"]
        if self.accepted:
            arrive = {True: "yes", False: "no", None: "nothing tells"}[self.arrived]
            lines.append(f"all of them arrive: {arrive}")
            verdicts = {True: "right", False: "wrong", None: "no answer"}
            lines += [
                f"{ASKED[name]}: {verdicts[right]} (“{self.replies[name]}”)" for name, right in self.right.items()
            ]
            lines += [f"input tokens: {self._input_words()}", f"cached tokens: {self._cached_words()}"]
            given = {True: "given where asked for", False: "not given", None: "nothing tells"}[self.log_probabilities]
            lines.append(f"log-probabilities of letters: {given}")
        if self.problem is not None:
            lines.append(f"problem: {self.problem}")
        return [*lines, *(f"warning: {warning}" for warning in self.warnings)]

    def _input_words(self) -> str:
        if self.input_tokens is None:
            return "not reported"
        each = "" if self.tokens_per_picture is None else f", {self.tokens_per_picture:,.0f} for one more picture"
        return f"{self.input_tokens:,}{each}"

    def _cached_words(self) -> str:
        if not self.reports_cached_tokens:
            return "not reported"
        return f"reported, {self.cached_tokens or 'none'} where the same pictures were asked about again"


def pictures_words(count: int, size: tuple[int, int]) -> str:
    """So many pictures of such a size."""
    return f"{count} {'picture' if count == 1 else 'pictures'} of {size[0]}x{size[1]} px"
