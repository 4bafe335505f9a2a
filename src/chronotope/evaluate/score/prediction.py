"""The entries of a file of replies that another tool made."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Prediction:
    """One entry in a file of replies.

    ``place`` is the position of the entry, such as "line 3". ``right`` is the letter of the correct answer, if the file
    has this letter. ``stated`` is the score that the other tool gave to the reply, from 0 to 1, if the file has it.
    ``cut`` says that the reply reached the limit of tokens.
    """

    id: str
    reply: str | None
    place: str
    right: str | None = None
    stated: float | None = None
    cut: bool = False


@dataclass(frozen=True)
class PredictionFile:
    """The entries of a file of replies, its SHA-256, and remarks for the user."""

    entries: list[Prediction]
    sha256: str
    remarks: tuple[str, ...] = ()
