"""A hash of a function's code and of the values that it uses, to distinguish functions with the same name."""

import ast
import dis
import functools
import inspect
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from types import CodeType, FunctionType, MethodType
from typing import Any

from chronotope.errors import InputError
from chronotope.io import canonical_json, sha256_bytes

PLAIN = (str, bytes, int, float, complex, bool, type(None))
READS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"}
WRITES = {"STORE_GLOBAL", "DELETE_GLOBAL"}
CACHED = type(functools.cache(len))
INSTALLED = tuple({Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
OURS = Path(__file__).parents[1]


def fingerprint(function: Callable[..., Any]) -> str | None:
    """Hash the code of a function and the values that it uses.

    The hash includes:

    - the code of the function, without comments, spaces and line numbers
    - numbers, texts, bytes, booleans, None, and tuples and lists of them in the function's closure and in the defaults
      of its parameters
    - global variables that the code names, if they are numbers, texts, bytes, booleans, None, or tuples of them, and
      the code never assigns them
    - Python functions that the code names, or that are in the closure or in the defaults; such functions are hashed in
      the same way

    The hash does not include other values, such as lists and dicts in global variables, the weights of a model,
    classes, modules and their content, and functions of installed packages. Returns None if the code is not written in
    Python.

    Raises:
        InputError: If a list of its values contains itself.
    """
    try:
        told = _told(function, {})
    except RecursionError:
        raise InputError(
            "the function uses a list that contains itself, so its values cannot be compared",
            where="version",
            fix="name a version of the function, such as version='1'",
        ) from None
    return None if told is None else sha256_bytes(canonical_json(told).encode())


def _told(function: Any, seen: dict[int, int]) -> list[Any] | None:
    """Describe a function; ``seen`` numbers the functions that are described already."""
    if isinstance(function, functools.partial):
        inner = _told(function.func, seen)
        return None if inner is None else [inner, _plain([*function.args, *sorted(function.keywords.items())], seen)]
    if isinstance(function, MethodType):
        return _told(function.__func__, seen)
    if isinstance(function, CACHED):
        return _told(function.__wrapped__, seen)
    if isinstance(function, FunctionType):
        if id(function) in seen:
            return [seen[id(function)]]
        seen[id(function)] = len(seen)
        cells = [_cell(cell) for cell in function.__closure__ or ()]
        defaults = [*(function.__defaults__ or ()), *sorted((function.__kwdefaults__ or {}).items())]
        told = [_written(function) or _code(function.__code__, seen), _plain([*cells, *defaults], seen)]
        return [*told, used] if (used := _used(function, seen)) else told
    called = getattr(type(function), "__call__", None)  # noqa: B004 - an object whose class defines __call__
    return _told(called, seen) if isinstance(called, FunctionType) else None


def _used(function: FunctionType, seen: dict[int, int]) -> list[list[Any]]:
    """Describe the global variables that a function reads and never assigns."""
    steps = [step for code in _codes(function.__code__) for step in dis.get_instructions(code)]
    read = {step.argval for step in steps if step.opname in READS}
    written = {step.argval for step in steps if step.opname in WRITES}
    values = {name: function.__globals__[name] for name in read - written if name in function.__globals__}
    return [[name, _plain(values[name], seen)] for name in sorted(values) if _counts(values[name])]


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function and of its nested functions."""
    yield code
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _codes(one)


def _counts(value: Any) -> bool:
    """Check whether a global variable belongs to the hash.

    Functions of installed packages do not belong to the hash, because an update of a package must not end a run.
    """
    if isinstance(value, tuple):
        return all(map(_counts, value))
    if isinstance(value, functools.partial):
        return _counts(value.func)
    if isinstance(value, CACHED):
        return _counts(value.__wrapped__)
    if isinstance(value, FunctionType):
        file = Path(value.__code__.co_filename)
        return not any(file.is_relative_to(one) for one in (*INSTALLED, OURS))
    return isinstance(value, PLAIN)


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


def _code(code: CodeType, seen: dict[int, int]) -> list[Any]:
    """Return the instructions, names and constants of a function."""
    nested = [_code(one, seen) for one in code.co_consts if isinstance(one, CodeType)]
    constants = [one for one in code.co_consts if not isinstance(one, CodeType)]
    return [code.co_code.hex(), [*code.co_names], [*code.co_varnames], _plain(constants, seen), nested]


def _cell(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # the variable has no value yet
        return None


def _plain(value: Any, seen: dict[int, int]) -> Any:
    """Return a plain value as text, or the name of its type."""
    kind = type(value)  # isinstance would ask the value for its class, which a proxy passes on to another value
    if issubclass(kind, list | tuple):
        return [_plain(one, seen) for one in value]
    if issubclass(kind, frozenset | set):
        return sorted(str(_plain(one, seen)) for one in value)
    if issubclass(kind, FunctionType | functools.partial | CACHED):
        return _told(value, seen)
    return repr(value) if issubclass(kind, PLAIN) else kind.__qualname__
