"""The result of checking a recording."""

from dataclasses import dataclass

TOLD = 3  # largest number of faults of a check that are listed


@dataclass(frozen=True)
class Check:
    """One check: its name, its result, and a text with the measured numbers."""

    name: str
    passed: bool
    figure: str


@dataclass(frozen=True)
class Verification:
    """All checks that were possible for a recording."""

    recording: str
    checks: tuple[Check, ...]

    @property
    def failed(self) -> tuple[Check, ...]:
        """Return the checks that failed."""
        return tuple(check for check in self.checks if not check.passed)

    @property
    def passed(self) -> bool:
        """Check whether every check passed."""
        return not self.failed

    def sentence(self) -> str:
        """Describe the failed checks in one sentence, or that all passed."""
        if self.passed:
            return f"recording {self.recording!r}: all {len(self.checks)} checks passed"
        return f"recording {self.recording!r} contradicts itself ({self.faults()}); make it again, do not use it"

    def faults(self) -> str:
        """List the failed checks with their numbers."""
        return "; ".join(f"{check.name}: {check.figure}" for check in self.failed)


@dataclass
class Worst:
    """The largest value so far, and the place where it occurred."""

    value: float = 0.0
    where: str = "anywhere"

    def note(self, value: float, where: str) -> None:
        """Keep the value if it is the largest so far."""
        if value > self.value:
            self.value, self.where = value, where


def judged(name: str, faults: list[str], well: str) -> Check:
    """Make a check that passes if there are no faults.

    The check's text lists the first few faults.
    """
    more = [f"and {len(faults) - TOLD} more"] if len(faults) > TOLD else []
    return Check(name, not faults, ", ".join(faults[:TOLD] + more) or well)
