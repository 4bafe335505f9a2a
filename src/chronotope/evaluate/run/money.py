"""Amounts of money, as they are printed."""

__all__ = ["amount"]


def amount(money: float | None) -> str:
    """Print an amount of money."""
    return "–" if money is None else f"{money:.2f}" if money >= 1 else f"{money:.2g}"
