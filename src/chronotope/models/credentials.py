"""The key and the address of a service: checked, sent where they belong, and shown nowhere that a key could be read."""

import re
from collections.abc import Generator
from dataclasses import replace
from urllib.parse import urlsplit

import httpx
from pydantic import SecretStr

from chronotope.errors import InputError
from chronotope.models.model import RawReply

__all__ = ["Key", "checked_url"]

# Servers of one's own are often given a word such as EMPTY or x for a key. Replies are left alone then: taking such a
# word out of them would change answers.
SHORTEST_SECRET = 8
# None of these is in any key, and an error text may hold them in another form (escaped), which could not be found.
QUOTES = "\"'\\"
EXAMPLE = "expected the URL before /chat/completions, for example http://localhost:8000/v1"


class Key:
    """An API key, or none: sent in the Authorization header, taken out of every text that a service sends back.

    Raises InputError, which does not show it, for a key that no header can hold.
    """

    def __init__(self, secret: SecretStr | None) -> None:
        if secret is not None and not _is_sendable(secret):
            raise InputError("the API key holds a blank or a character that no key has: copy it anew")
        self._secret = SecretStr(secret.get_secret_value().strip()) if secret is not None else SecretStr("")

    @property
    def auth(self) -> httpx.Auth | None:
        """What puts the key into a request; None without a key."""
        return _Bearer(self._secret) if self._secret else None

    def hide(self, text: str) -> str:
        """The text with [key] in place of the key, also where JSON has escaped its slashes."""
        for form in (self._secret.get_secret_value(), self._secret.get_secret_value().replace("/", "\\/")):
            text = text.replace(form, "[key]") if form else text
        return text

    def hide_in(self, reply: RawReply) -> RawReply:
        """The reply with [key] in place of the key in all its texts; error texts are always cleaned by `hide`."""
        if len(self._secret) < SHORTEST_SECRET:
            return reply
        texts = {name: getattr(reply, name) for name in ("text", "reasoning", "finish", "error")}
        return replace(reply, **{name: self.hide(text) for name, text in texts.items() if text})


class _Bearer(httpx.Auth):
    """Puts the key into the header of a request, and nowhere else."""

    def __init__(self, key: SecretStr) -> None:
        self._key = key

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Called by httpx for each request."""
        request.headers["Authorization"] = f"Bearer {self._key.get_secret_value()}"
        yield request


def _is_sendable(secret: SecretStr) -> bool:
    """Whether a header can hold the key. Apart from who raises, whose frame a traceback may show with its values."""
    key = secret.get_secret_value().strip()
    return key.isascii() and (key.isprintable() and not set(key) & {" ", *QUOTES})


def checked_url(base_url: str) -> str:
    """The URL without its last slash; InputError for what is none.

    Sentences do not repeat a URL that may hold a secret, nor one without scheme or host: that may be a key.
    """
    url = base_url.strip()
    if not url.isprintable() or any(map(str.isspace, url)):
        raise InputError(f"the base URL holds a blank or a character that no URL has: {EXAMPLE}")
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_possible = parts.port != 0 and _is_host(httpx.URL(url).raw_host.decode())
    except (ValueError, httpx.InvalidURL):
        raise InputError(f"the base URL cannot be read as a URL: {EXAMPLE}") from None
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment or ";" in parts.path:
        raise InputError(
            "the base URL holds a user, a password, parameters, a query or a fragment, and would be written down with "
            "it: take that out and give the key in CHRONOTOPE_API_KEY"
        )
    if not is_whole:
        raise InputError(f"the base URL lacks http:// or https://, or a host: {EXAMPLE}")
    if not is_possible:
        raise InputError(f"the base URL names a host or a port that there cannot be: {EXAMPLE}")
    path = parts.path.rstrip("/")
    if path.endswith("/chat/completions"):
        raise InputError(f"base URL {base_url!r} goes too far: leave out /chat/completions at its end")
    return f"{parts.scheme}://{parts.netloc}{path}"


def _is_host(host: str) -> bool:
    """Whether a name can be looked up: labels of 1 to 63 letters, digits, - and _ (RFC 1035, 2.3.4), or an address."""
    labels = host.removesuffix(".").split(".")
    return ":" in host or all(re.fullmatch(r"[A-Za-z0-9_-]{1,63}", label) for label in labels)
