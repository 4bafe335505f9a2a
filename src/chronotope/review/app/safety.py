"""Protection of all pages: safe headers, known hosts, no posts from other sites, and signed tokens."""

import secrets
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from threading import Lock
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from itsdangerous import BadData, URLSafeTimedSerializer

# Whatever a stem, an option or a note contains, a page can run, show or fetch only files of this server.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_HEADERS = {
    b"content-security-policy": POLICY.encode(),
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"same-origin",  # an address can contain an invitation; without any, forms would have no origin
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"permissions-policy": b"camera=(), geolocation=(), microphone=()",
}
COOKIE = "chronotope"
SESSION = 14 * 24 * 3600  # seconds until a session ends
MOST_CLIENTS = 10_000  # whose failures are remembered
_SAFE = ("GET", "HEAD")

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


class Guard:
    """Refuses unknown hosts and posts from other sites, and adds safe headers to every reply.

    A page of another site cannot read our pages, but it could point its own name to this machine, or post a form.
    """

    def __init__(self, app: App, hosts: Collection[str]) -> None:
        self._app, self._hosts = app, frozenset(host.casefold() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on if it is allowed."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        fault = self._fault(scope["method"], given)

        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                there = {name.lower() for name, _ in message["headers"]}
                more = [(name, value) for name, value in _HEADERS.items() if name not in there]
                if b"cache-control" not in there:
                    more.append((b"cache-control", b"no-store"))
                message["headers"] = [*message["headers"], *more]
            await send(message)

        if fault is None:
            await self._app(scope, receive, with_headers)
            return
        plain = [(b"content-type", b"text/plain; charset=utf-8")]
        await with_headers({"type": "http.response.start", "status": 403, "headers": plain})
        await with_headers({"type": "http.response.body", "body": fault.encode()})

    def _fault(self, method: str, given: dict[str, str]) -> str | None:
        host = given.get("host", "")
        if _name(host) not in self._hosts:
            return "This server is not known by this name."
        if method in _SAFE:
            return None
        site, origin = given.get("sec-fetch-site"), given.get("origin")
        if site is not None and site not in ("same-origin", "none"):
            return "This form comes from another site."
        if origin is not None and urlsplit(origin).netloc.casefold() != host.casefold():
            return "This form comes from another site."
        return None


def _name(host: str) -> str:
    """Return the name of a host, without its port."""
    return (urlsplit(f"//{host}").hostname or "").casefold()


class Tokens:
    """Signs values that a browser keeps; one secret serves all kinds of tokens, which cannot replace each other."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def sign(self, kind: str, value: Any) -> str:
        """Return a token for a plain value; the token contains the time."""
        return URLSafeTimedSerializer(self._secret, salt=f"chronotope {kind}").dumps(value)

    def read(self, kind: str, token: str, seconds: int) -> Any:
        """Return the value of a token, or None if it is forged, too old, or of another kind."""
        try:
            return URLSafeTimedSerializer(self._secret, salt=f"chronotope {kind}").loads(token, max_age=seconds)
        except BadData:
            return None

    def form(self, session: str) -> str:
        """Return the token that each form of a session has."""
        return self.sign("form", session)

    def is_form(self, session: str, token: str) -> bool:
        """Check the token of a form."""
        found = self.read("form", token, SESSION)
        return isinstance(found, str) and secrets.compare_digest(found.encode(), session.encode())


class Attempts:
    """Counts failed attempts to guess a token, for each address of a client.

    After ``most`` failures, an address must wait until ``seconds`` have passed since the first of them.
    """

    def __init__(self, most: int = 10, seconds: float = 600.0, clock: Callable[[], float] = monotonic) -> None:
        self._most, self._seconds, self._clock, self._lock = most, seconds, clock, Lock()
        self._failures: dict[str, list[float]] = {}

    def may_try(self, client: str) -> bool:
        """Check whether a client may try another token."""
        with self._lock:
            return len(self._recent(client)) < self._most

    def failed(self, client: str) -> None:
        """Count a failure."""
        with self._lock:
            if len(self._failures) > MOST_CLIENTS:  # of many addresses, the oldest are forgotten
                self._failures.pop(next(iter(self._failures)))
            self._failures[client] = [*self._recent(client), self._clock()]

    def _recent(self, client: str) -> list[float]:
        since = self._clock() - self._seconds
        return [moment for moment in self._failures.get(client, []) if moment > since]


def session_cookie(token: str, *, secure: bool) -> dict[str, Any]:
    """Return the parameters of the cookie that keeps a session."""
    return {
        "key": COOKIE, "value": token, "max_age": SESSION, "httponly": True, "samesite": "lax", "secure": secure,
        "path": "/",
    }  # fmt: skip
