"""Start and stop the server of the web app."""

import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from socket import AF_INET, AF_INET6, SO_REUSEADDR, SOCK_STREAM, SOL_SOCKET, socket
from typing import TYPE_CHECKING, Any

from chronotope.errors import InputError

if TYPE_CHECKING:
    import uvicorn

LOCAL = "127.0.0.1"
KEPT_OPEN = 75  # seconds for which an idle connection stays open: longer than a proxy keeps it
_LOCAL_NAMES = (LOCAL, "localhost", "::1")
_MODULES = {"play": ("fastapi", "uvicorn", "itsdangerous"), "review": ("sqlalchemy", "alembic", "statsmodels")}


def require_app(extra: str = "play") -> None:
    """Check that the libraries of the web app are installed.

    Raises:
        InputError: If one is missing. The error names the extra to install.
    """
    wanted = [name for key in ("play", extra) for name in _MODULES[key]]
    if missing := [name for name in wanted if find_spec(name) is None]:
        raise InputError(f"{missing[0]} is not installed: pip install 'chronotope[{extra}]'")


@dataclass(frozen=True)
class Address:
    """The place of a server: its host and its port (0 for any free port).

    ``public`` is the address by which other machines reach the server, such as ``https://review.example.org``.
    """

    host: str = LOCAL
    port: int = 0
    public: str | None = None

    @property
    def exposed(self) -> bool:
        """Check whether other machines can reach the server."""
        return self.host not in _LOCAL_NAMES or self.public is not None


def open_socket(address: Address) -> socket:
    """Open the socket of a server, so that its port is known before it starts.

    Raises:
        InputError: If the host is unknown, or the port is in use.
    """
    made = socket(AF_INET6 if ":" in address.host else AF_INET, SOCK_STREAM)
    try:
        made.setsockopt(SOL_SOCKET, SO_REUSEADDR, 1)
        made.bind((address.host, address.port))
    except OSError as error:
        made.close()
        raise InputError(
            f"{address.host}:{address.port} cannot be used ({error.strerror}): choose another --port"
        ) from error
    return made


def url_of(address: Address, listening: socket) -> str:
    """Return the address of a server without a slash at the end."""
    if address.public is not None:
        return address.public.rstrip("/")
    host = LOCAL if address.host in ("0.0.0.0", "::") else address.host
    return f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"


def serve(
    app: Any,
    listening: socket,
    *,
    opened: str | None = None,
    ended: threading.Event | None = None,
    started: Callable[[], None] | None = None,
) -> None:
    """Serve an app until ``ended`` is set, or the user presses Ctrl-C.

    ``opened`` is an address that is opened in the browser. ``started`` is called when the server answers.

    Raises:
        KeyboardInterrupt: If the user pressed Ctrl-C. All requests that had begun are answered before.
    """
    import uvicorn  # most commands start without it

    ended = ended or threading.Event()
    how: dict[str, Any] = {"log_level": "warning", "access_log": False, "server_header": False}
    how |= {"timeout_graceful_shutdown": 5, "timeout_keep_alive": KEPT_OPEN}
    server = uvicorn.Server(uvicorn.Config(app, **how))
    # The server runs in a thread of its own, because uvicorn would replace the handling of Ctrl-C in the main thread.
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    try:
        _wait(server, thread)
        if started is not None:
            started()
        if opened is not None:
            threading.Thread(target=webbrowser.open, args=(opened,), daemon=True).start()
        while thread.is_alive() and not ended.wait(0.2):
            pass
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def _wait(server: "uvicorn.Server", thread: threading.Thread) -> None:
    """Wait until a server answers.

    Raises:
        InputError: If the server ended at once.
    """
    while not server.started:
        if not thread.is_alive():
            raise InputError("the server could not start: its error is above")
        thread.join(0.02)
