"""Types that only libraries have."""

from typing import NoReturn

from chronotope.errors import InputError


def missing(*_: object, noun: str) -> NoReturn:
    """Refuse to sketch a thing of a type that has no built-in shape.

    Raises:
        InputError: Always. The message says where such things are.
    """
    raise InputError(
        f"world: a {noun} has no built-in shape: give a folder of assets that has one (see chronotope forge)"
    )
