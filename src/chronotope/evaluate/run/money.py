"""The printing of amounts of money."""


def amount(money: float | None) -> str:
    """Format an amount of money."""
    return "–" if money is None else f"{money:.2f}" if money >= 1 else f"{money:.2g}"
