"""The key and the address of a service.

The key is checked, is sent only to the service, and is never shown.
"""

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

import httpx
from pydantic import SecretStr

from chronotope.errors import InputError
from chronotope.models.model import RawReply
from chronotope.models.services.secrets import QUERY_NAMES, path_may_hold_secret, query_may_hold_secret

# Local servers often get a word such as EMPTY or x as a key. Such short keys are not removed from replies, because this
# would change answers.
SHORTEST_SECRET = 8
# A key with one of these characters is refused. An error text could contain the key with escaped characters, and the
# key would then not be found and removed.
QUOTES = "\"'\\"
# Headers about the transport of a request, not about its sender.
OF_TRANSPORT = {
    *("accept", "accept-encoding", "connection", "content-encoding", "content-length", "content-type"),
    *("expect", "host", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade"),
}
ELSEWHERE = "put a key into an environment variable (--key-variable NAME) or a header (--header 'Name: value')"
EXAMPLE = "expected the URL without /chat/completions, for example http://localhost:8000/v1"


class Key:
    """The secrets for a service: an optional API key, and further headers (``Name: value``).

    The key and the further headers are sent as headers of every request, and removed from every response. ``entry``
    returns the headers for a key; without a key, its argument is empty.

    Raises:
        InputError: If the key or a header cannot be sent. The message shows neither of them.
    """

    def __init__(
        self,
        secret: SecretStr | None,
        headers: Sequence[str] = (),
        entry: Callable[[str], dict[str, str]] | None = None,
    ) -> None:
        if secret is not None and not _is_sendable(secret):
            raise InputError("the API key contains a blank or an invalid character: copy it again")
        self._headers = dict(map(_header, headers))
        self._secret = SecretStr(secret.get_secret_value().strip()) if secret is not None else SecretStr("")
        self._entry = entry or _bearer
        self._hidden = [self._secret, *self._headers.values()]

    @property
    def auth(self) -> httpx.Auth | None:
        """Return the object that adds key and headers, or None."""
        entry = {name: SecretStr(value) for name, value in self._entry(self._secret.get_secret_value()).items()}
        given = {name.lower() for name in self._headers}
        sent = {name: value for name, value in entry.items() if name.lower() not in given} | self._headers
        return _Entry(sent) if sent else None

    def hide(self, text: str) -> str:
        """Replace secrets in the text by [key].

        Secrets whose slashes were escaped in JSON are replaced, too.
        """
        for hidden in self._hidden:
            # A short value of a header is not hidden, because it may be a plain word, such as a region.
            if hidden is self._secret or len(hidden) >= SHORTEST_SECRET:
                text = _without(text, hidden)
        return text

    def hide_in(self, reply: RawReply) -> RawReply:
        """Replace secrets in the texts of a reply by [key].

        Error texts are cleaned by `hide`.
        """
        long = [hidden for hidden in self._hidden if len(hidden) >= SHORTEST_SECRET]
        texts = {name: getattr(reply, name) for name in ("text", "reasoning", "finish", "error")}
        for hidden in long:
            texts = {name: _without(text, hidden) if text else text for name, text in texts.items()}
        return replace(reply, **texts) if long else reply


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"} if key else {}


def _without(text: str, hidden: SecretStr) -> str:
    secret = hidden.get_secret_value()
    for form in (secret, secret.replace("/", "\\/")):
        text = text.replace(form, "[key]") if form else text
    return text


def _header(text: str) -> tuple[str, SecretStr]:
    """Split a header into name and value, without showing the value."""
    name, _, value = text.partition(":")
    name, value = name.strip(), value.strip()
    if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name) or not value:
        raise InputError("--header: expected 'Name: value', such as 'api-key: …', found another form")
    if name.lower() in OF_TRANSPORT:
        raise InputError(f"--header {name}: this header is set by the HTTP library: leave it out")
    if not (value.isascii() and value.isprintable()):
        raise InputError(f"--header {name}: its value contains an invalid character: copy it again")
    return name, SecretStr(value)


class _Entry(httpx.Auth):
    """Adds secrets to the headers of a request, and nowhere else."""

    def __init__(self, headers: dict[str, SecretStr]) -> None:
        self._headers = headers

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        """Add the headers to a request; httpx calls this method each time."""
        for name, value in self._headers.items():
            request.headers[name] = value.get_secret_value()
        yield request


def _is_sendable(secret: SecretStr) -> bool:
    """Check whether the key can be sent in a header.

    The check is separate from the function that raises the error, because a traceback can show the values in a
    stack frame.
    """
    key = secret.get_secret_value().strip()
    return key.isascii() and (key.isprintable() and not set(key) & {" ", *QUOTES})


def checked_url(base_url: str) -> str:
    """Return the URL without its last slash and its query.

    Error messages do not repeat a URL that can contain a secret. They do not repeat a text without scheme or host
    either, because this text could be a key.

    Raises:
        InputError: If the text is not a URL.
    """
    url = base_url.strip()
    if not url.isprintable() or any(map(str.isspace, url)):
        raise InputError(f"the base URL contains a blank or an invalid character: {EXAMPLE}")
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_possible = parts.port != 0 and _is_host(httpx.URL(url).raw_host.decode())
    except (ValueError, httpx.InvalidURL):
        raise InputError(f"the base URL cannot be read as a URL: {EXAMPLE}") from None
    holds_user = parts.username is not None or parts.password is not None
    if holds_user or parts.fragment or ";" in parts.path or path_may_hold_secret(parts.path):
        raise InputError(
            "the base URL contains a user, a password, parameters, a fragment or a key in its path, but a run must "
            f"not store such parts: remove them from the URL, and {ELSEWHERE}"
        )
    if query_may_hold_secret(parts.query):
        raise InputError(
            "the query of the base URL has fields that could contain a secret, unlike api-version=2024-10-21: remove "
            f"them ({', '.join(sorted(QUERY_NAMES))} are allowed), and {ELSEWHERE}"
        )
    if not is_whole:
        raise InputError(f"the base URL lacks http:// or https://, or a host: {EXAMPLE}")
    if not is_possible:
        raise InputError(f"the base URL has an invalid host or port: {EXAMPLE}")
    path = parts.path.rstrip("/")
    if path.endswith("/chat/completions"):
        raise InputError(f"base URL {base_url!r} ends in /chat/completions: leave that out")
    return f"{parts.scheme}://{parts.netloc}{path}"


def query_of(base_url: str) -> str:
    """Return the query of a URL, such as ``api-version=2024-10-21``."""
    return urlsplit(base_url.strip()).query


def _is_host(host: str) -> bool:
    """Check whether a host name is valid.

    Each label of a valid name has 1 to 63 letters, digits, hyphens and underscores (RFC 1035, 2.3.4). An IP address is
    also valid.
    """
    labels = host.removesuffix(".").split(".")
    return ":" in host or all(re.fullmatch(r"[A-Za-z0-9_-]{1,63}", label) for label in labels)
