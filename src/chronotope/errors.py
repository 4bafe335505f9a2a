"""The error class for all messages that users see."""

import re

# Characters that control a terminal or change the writing direction, and unpaired surrogates.
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """Escape characters that control a terminal or cannot be printed."""
    return HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


class InputError(ValueError):
    """An error of the user, such as bad input, described in one clear sentence.

    The message names the fault, its position (file, row, field), the expected value and the remedy. Commands print the
    message without a traceback and exit with code 2.

    ``where``, ``expected`` and ``fix`` are the position, the expected value and the remedy, for programs. A value that
    was not stated is None. All stated values are also part of the message, which has the form ``where: fault: expected
    …; fix``. Characters that control a terminal are escaped in the message, because it may quote foreign texts.
    """

    def __init__(
        self, fault: str, *, where: str | None = None, expected: str | None = None, fix: str | None = None
    ) -> None:
        self.where, self.expected, self.fix = where, expected, fix
        beginning = "" if where is None else f"{where}: "
        wanted = "" if expected is None else f"{' ' if fault.endswith('?') else ': '}expected {expected}"
        remedy = "" if fix is None else f"{': ' if expected is None else '; '}{fix}"
        super().__init__(visible(f"{beginning}{fault}{wanted}{remedy}"))
