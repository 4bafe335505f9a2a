"""Connections to a service, each with its own client, which is made on first use and then reused."""

import logging
import os
import ssl
import zlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy

import httpx

from chronotope import __version__
from chronotope.errors import InputError
from chronotope.ledger import MOST_REPLY
from chronotope.models.services.body import stream
from chronotope.models.services.key import Key

MOST_BYTES = MOST_REPLY  # limit of a decompressed body
CONNECT_TIMEOUT = 20.0  # seconds
AGENT = f"chronotope/{__version__}"
PROXY_VARIABLES = ("all_proxy", "http_proxy", "https_proxy", "no_proxy")  # names in capitals are used, too

# Both libraries log responses with their headers, in which some services repeat the key.
logging.getLogger("httpx").setLevel(logging.WARNING)
logging.getLogger("httpcore").setLevel(logging.WARNING)


@dataclass(frozen=True)
class Received:
    """A response with its decompressed body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class BodyError(Exception):
    """The error for a body that is too large for a reply, is cut off, or cannot be decompressed."""

    def __init__(self, text: str, *, too_large: bool = False) -> None:
        super().__init__(text)
        self.too_large = too_large


class Connections:
    """HTTP clients with one connection each.

    ``timeout`` (s) limits the time to connect. A single client with many connections would search through all
    connections for each request, and the search would take more time than all other work. Redirects are not followed,
    so that no key is sent to an unknown address.
    """

    def __init__(self, url: str, key: Key, timeout: float) -> None:
        self._url, self._key, self._timeout = url, key, timeout
        self._clients: list[httpx.AsyncClient] = []
        self._idle: list[httpx.AsyncClient] = []

    async def post(self, body: Sequence[bytes]) -> Received:
        """Send one request and return the response.

        A response has at most 16 MB. httpx.RequestError and BodyError are not caught.

        Raises:
            InputError: If proxies or certificates cannot be used.
        """
        if not self._idle:
            self._clients.append(new_client(self._url, self._key, self._timeout))
            self._idle.append(self._clients[-1])
        client = self._idle.pop()
        try:
            headers = {"Content-Length": str(sum(map(len, body))), "Content-Type": "application/json"}
            async with client.stream("POST", self._url, content=stream(body), headers=headers) as response:
                try:
                    return Received(response.status_code, response.headers, await read_body(response))
                except httpx.RequestError as error:  # the service has answered, and may bill it
                    raise BodyError(f"{type(error).__name__}: {error}") from None
        finally:
            self._idle.append(client)

    async def close(self) -> None:
        """Close all connections."""
        for client in self._clients:
            await client.aclose()


def new_client(url: str, key: Key, timeout: float) -> httpx.AsyncClient:
    """Make a client with the environment's proxies and certificates.

    ``timeout`` (s) limits the time to connect. Error messages do not contain the address of a proxy, because this
    address can contain a secret.

    Raises:
        InputError: If proxies or certificates cannot be used.
    """
    try:
        certificates = _certificates() if url.startswith("https:") else _no_certificates()
    except OSError as error:
        raise InputError(
            f"the certificates that verify services cannot be read ({error}): change or unset SSL_CERT_FILE and "
            "SSL_CERT_DIR"
        ) from None
    try:
        return httpx.AsyncClient(
            verify=certificates,
            timeout=httpx.Timeout(None, connect=min(timeout, CONNECT_TIMEOUT)),
            limits=httpx.Limits(max_connections=1, max_keepalive_connections=1),
            auth=key.auth,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # stores no cookies
            headers={"Accept": "application/json", "Accept-Encoding": "gzip", "User-Agent": AGENT},
        )
    except ImportError:  # httpx needs another package only for SOCKS proxies
        raise InputError(f"{_proxies()} a SOCKS proxy: unset it, or `pip install socksio`") from None
    except (ValueError, httpx.InvalidURL):
        raise InputError(f"{_proxies()} an invalid proxy: unset it, or set it to http://HOST:PORT") from None


async def read_body(response: httpx.Response) -> bytes:
    """Read a body of at most 16 MB.

    BodyError is raised if it is larger.
    """
    return b"".join([chunk async for chunk in unpacked(response, MOST_BYTES)])


async def unpacked(response: httpx.Response, most: int) -> AsyncIterator[bytes]:
    """Read the body and decompress it in small steps.

    A small compressed body can expand beyond the memory. httpx would decompress all received bytes at once, so bodies
    are not decompressed by httpx. BodyError is raised after ``most`` bytes.
    """
    unpack = _unpacker(response.headers.get("content-encoding", ""))
    room = most
    async for chunk in response.aiter_raw():
        plain = unpack(chunk, room)
        room -= len(plain)
        if room < 0:
            raise BodyError(f"the body is larger than {most >> 20} MB", too_large=True)
        yield plain


def _unpacker(encoding: str) -> Callable[[bytes, int], bytes]:
    """Return the function that decompresses a chunk.

    The function returns at most one byte more than the remaining limit.
    """
    kinds = [kind for kind in (one.strip().lower() for one in encoding.split(",")) if kind not in ("", "identity")]
    if not kinds:
        return lambda chunk, room: chunk[: room + 1]
    if kinds not in (["gzip"], ["x-gzip"], ["deflate"]):
        raise BodyError("the body has a compression that was not requested")
    unpacking = zlib.decompressobj(32 + zlib.MAX_WBITS)  # 32: gzip or zlib, recognized by its header

    def unpack(chunk: bytes, room: int) -> bytes:
        try:
            return unpacking.decompress(chunk, room + 1)
        except zlib.error as error:
            raise BodyError(f"the body is not {kinds[0]}, although its header says so ({error})") from None

    return unpack


def _proxies() -> str:
    """Return the beginning of a sentence that names the proxy setting."""
    names = sorted(name for name, value in os.environ.items() if name.lower() in PROXY_VARIABLES and value)
    if not names:
        return "the system's settings name"
    return f"the environment variable {names[0]} names" if len(names) == 1 else f"one of {', '.join(names)} names"


@cache
def _no_certificates() -> ssl.SSLContext:
    """Make a context for plain HTTP.

    The context loads no certificates, because loading certificates is slow. The context would refuse every certificate.
    """
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@cache
def _certificates() -> ssl.SSLContext:
    """Load the certificates that verify servers.

    Reading the certificates takes longer than a request, so all connections share the loaded certificates.
    """
    return httpx.create_ssl_context()
