"""Ten ways in which models give an answer."""

import json
from collections.abc import Callable


def _listed(letters: list[str]) -> str:
    return ", ".join(letters)


def _other(letters: list[str], options: dict[str, str]) -> tuple[str, str]:
    """An option that is wrong, to reason about."""
    return next(((x, text) for x, text in options.items() if x not in letters), ("A", options["A"]))


def _bare(letters: list[str], options: dict[str, str]) -> str:
    return _listed(letters)


def _stop(letters: list[str], options: dict[str, str]) -> str:
    return f"{_listed(letters)}."


def _brackets(letters: list[str], options: dict[str, str]) -> str:
    return ", ".join(f"({letter})" for letter in letters)


def _bold(letters: list[str], options: dict[str, str]) -> str:
    return f"**{_listed(letters)}**"


def _answer(letters: list[str], options: dict[str, str]) -> str:
    return f"Answer: {_listed(letters)}"


def _json(letters: list[str], options: dict[str, str]) -> str:
    return json.dumps({"answer": letters[0] if len(letters) == 1 else letters})


def _boxed(letters: list[str], options: dict[str, str]) -> str:
    return f"$\\boxed{{{_listed(letters)}}}$"


def _reasons_first(letters: list[str], options: dict[str, str]) -> str:
    other, text = _other(letters, options)
    return (
        f"Let me look at the frames one after the other. Option {other} ({text}) does not fit what is seen at the end, "
        f"and a careful look at the middle confirms that.\n\nAnswer: {_listed(letters)}"
    )


def _reasons_after(letters: list[str], options: dict[str, str]) -> str:
    other, text = _other(letters, options)
    return (
        f"{_listed(letters)}\n\nThe frames show it from the start to the end of the period. "
        f"Option {other}, {text}, can be ruled out."
    )


def _thinking(letters: list[str], options: dict[str, str]) -> str:
    other, text = _other(letters, options)
    return f"<think>Perhaps the answer is {other}, {text}? No: the last frame says otherwise.</think>\n\n" + _listed(
        letters
    )


STYLES: list[Callable[[list[str], dict[str, str]], str]] = [
    _bare,
    _stop,
    _brackets,
    _bold,
    _answer,
    _json,
    _boxed,
    _reasons_first,
    _reasons_after,
    _thinking,
]
