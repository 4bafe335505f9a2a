"""A hash of a function's code and of the values that it closes over, to distinguish functions with the same name."""

import ast
import functools
import inspect
from collections.abc import Callable
from textwrap import dedent
from types import CodeType, FunctionType, MethodType
from typing import Any

from chronotope.io import canonical_json, sha256_bytes

__all__ = ["fingerprint"]

PLAIN = (str, bytes, int, float, complex, bool, type(None))


def fingerprint(function: Callable[..., Any]) -> str | None:
    """Hash the code of a function and its plain values.

    Plain values are the numbers and texts in the function's closure and in the defaults of its parameters. Comments,
    spaces and line numbers do not change the hash. Other values, such as the weights of a model, and the code of other
    functions do not change the hash either. Returns None if the code is not written in Python.
    """
    told = _told(function)
    return None if told is None else sha256_bytes(canonical_json(told).encode())


def _told(function: Any) -> list[Any] | None:
    if isinstance(function, functools.partial):
        inner = _told(function.func)
        return None if inner is None else [inner, _plain([*function.args, *sorted(function.keywords.items())])]
    if isinstance(function, MethodType):
        return _told(function.__func__)
    if isinstance(function, FunctionType):
        cells = [_cell(cell) for cell in function.__closure__ or ()]
        defaults = [*(function.__defaults__ or ()), *sorted((function.__kwdefaults__ or {}).items())]
        return [_written(function) or _code(function.__code__), _plain([*cells, *defaults])]
    called = getattr(type(function), "__call__", None)  # noqa: B004 - an object whose class defines __call__
    return _told(called) if isinstance(called, FunctionType) else None


def _written(function: FunctionType) -> str | None:
    """Return the source of a function in normal form.

    The form hardly depends on the version of Python. Returns None if there is no source, or
    for a lambda, whose source is only a part of a line.
    """
    try:
        [statement] = ast.parse(dedent(inspect.getsource(function))).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    return ast.unparse(statement) if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) else None


def _code(code: CodeType) -> list[Any]:
    """Return the instructions, names and constants of a function."""
    nested = [_code(one) for one in code.co_consts if isinstance(one, CodeType)]
    constants = [one for one in code.co_consts if not isinstance(one, CodeType)]
    return [code.co_code.hex(), [*code.co_names], [*code.co_varnames], _plain(constants), nested]


def _cell(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # the variable has no value yet
        return None


def _plain(value: Any) -> Any:
    """Return a plain value as text, or the name of its type."""
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, frozenset | set):
        return sorted(map(str, map(_plain, value)))
    if isinstance(value, FunctionType):
        return _told(value)
    return repr(value) if isinstance(value, PLAIN) else type(value).__qualname__
