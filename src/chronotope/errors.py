"""The one error class that users see."""


class InputError(ValueError):
    """Bad input or wrong use, described in one clear sentence.

    The message says what is wrong, where (file, row, field), what was expected and what to do. Commands print it
    without a traceback and exit with code 2.
    """
