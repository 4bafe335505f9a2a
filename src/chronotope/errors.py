"""The error class for all messages that users see."""


class InputError(ValueError):
    """An error of the user, such as bad input, described in one clear sentence.

    The message names the fault, its position (file, row, field), the expected value and the remedy. Commands print the
    message without a traceback and exit with code 2.
    """
