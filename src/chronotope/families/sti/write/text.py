"""Numbers and times as they are printed."""

__all__ = ["number", "seconds"]


def number(value: float, decimals: int) -> str:
    """A number rounded once, half to even, to so many decimals; zero has no sign."""
    text = f"{value:.{decimals}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def seconds(time: float) -> str:
    """A time as printed: one decimal and the unit."""
    return f"{number(time, 1)}s"
