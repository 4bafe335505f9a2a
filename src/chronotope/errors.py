"""The one error that people see."""


class InputError(ValueError):
    """Bad input or wrong use, told in one clear sentence.

    The message says what is wrong, where (file, row, field), what was expected and what to do. Commands print it
    without a traceback and exit with code 2.
    """
