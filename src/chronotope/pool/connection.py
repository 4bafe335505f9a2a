"""The connection to a Ray cluster, or to one that is started for a command on this machine alone."""

import logging
import os
import secrets
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from chronotope.errors import InputError

_PATIENCE = 10.0  # seconds until the machine of an address must answer
_ATTEMPTS = 3  # to connect to a cluster that answers, or to start Ray on this machine
_INSTALL = "Ray is not installed: pip install 'chronotope[cluster]'"


@contextmanager
def connected(address: str | None, workers: int | None) -> Iterator[Any]:
    """Yield the module ``ray``, connected to a cluster.

    ``address`` is that of a cluster. Without it, RAY_ADDRESS names the cluster; if it is not set, Ray is started on
    this machine with ``workers`` CPUs (default: all), without a dashboard, and reachable from this machine alone. If
    this process is connected already, as in a notebook, this connection is used and stays open.

    Raises:
        InputError: If Ray is not installed, or the cluster cannot be reached or has another version.
    """
    address = address or os.environ.get("RAY_ADDRESS") or None
    is_ours = is_of_this_machine(address)
    is_closed = not is_ours or _close_doors()
    if not is_ours:
        _require_answer(str(address))
    try:
        import ray
    except ImportError as error:
        raise InputError(_INSTALL) from error
    if ray.is_initialized():
        yield ray
        return
    if not is_closed:
        raise InputError(
            "Ray was imported before it could be closed to other machines and users: call ray.init() first, whose "
            "connection is then used, or do not import ray"
        )
    quiet = {"logging_level": logging.CRITICAL, "log_to_driver": False}
    _hush()
    try:
        if is_ours:
            _start(ray, workers, quiet)
        else:
            _join(ray, str(address), quiet)
    except (ImportError, OSError, RuntimeError, ValueError) as error:
        where = "this machine" if is_ours else str(address)
        ray.shutdown()
        raise InputError(f"{where}: Ray cannot be used: {_first_line(error)}") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def is_of_this_machine(address: str | None) -> bool:
    """Return true if Ray is started on this machine.

    Then neither ``address`` nor RAY_ADDRESS names a cluster.
    """
    return (address or os.environ.get("RAY_ADDRESS") or "local") == "local"


def _hush() -> None:
    """Keep Ray's messages about lost workers off the standard output, on which a command may print JSON.

    No setting of Ray does so.
    """
    from ray._private import worker

    worker.print_to_stdstream = lambda *given, **named: None


def _start(ray: Any, workers: int | None, settings: dict[str, Any]) -> None:
    """Start Ray on this machine, and try again if the machine is too busy.

    Ray then raises a plain Exception after 30 s, which no setting changes.

    Raises:
        RuntimeError: If Ray does not start.
    """
    for left in reversed(range(_ATTEMPTS)):
        try:
            ray.init(
                "local", num_cpus=workers or os.cpu_count() or 1, include_dashboard=False,
                _node_ip_address="127.0.0.1", **settings,
            )  # fmt: skip
            return
        except Exception as error:
            if type(error) is not Exception:
                raise
            ray.shutdown()
            if not left:
                raise RuntimeError(str(error)) from error


def _join(ray: Any, address: str, settings: dict[str, Any]) -> None:
    """Connect to a cluster, and try again if its head could not serve a new client.

    The head forks a server for each client while it serves others. Sometimes this server dies at once, or the head is
    too busy to start it.
    """
    for attempt in range(_ATTEMPTS):
        try:
            ray.init(address, **settings)
        except (ConnectionError, RuntimeError):
            ray.shutdown()
            if attempt == _ATTEMPTS - 1:
                raise
        else:
            return


_closed: list[bool] = []  # whether this process closed the doors in time; empty before the first attempt


def _close_doors() -> bool:
    """Let Ray on this machine listen to this machine alone, and to nobody without this process's token.

    By default, most servers of Ray listen on all interfaces. The result is false if Ray was imported before the first
    call: then it does not see these settings, and the servers that it starts refuse it.
    """
    if not _closed:
        _closed.append(sys.modules.get("ray") is None)
    if not _closed[0]:
        return False
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # Ray's switch for one machine, on all systems
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if "RAY_AUTH_MODE" not in os.environ:
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)  # otherwise, Ray writes one into the home folder
    return True


def _require_answer(address: str) -> None:
    """Check that something listens at an address, because Ray itself tries for minutes.

    Raises:
        InputError: If nothing does.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not (host and port.isdigit()):
        return  # such as "auto"
    try:
        socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
    except OSError as error:
        raise InputError(
            f"{address}: no Ray cluster answers there ({error.strerror or error}): expected the address of its head "
            "node, with the port of Ray's client server, usually 10001"
        ) from error


def _first_line(error: BaseException) -> str:
    """Return the reason of an error of Ray, in one line."""
    return " ".join(str(error).split())
