"""The printing of amounts of money."""

__all__ = ["amount"]


def amount(money: float | None) -> str:
    """Format an amount of money."""
    return "–" if money is None else f"{money:.2f}" if money >= 1 else f"{money:.2g}"
