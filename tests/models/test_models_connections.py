"""Proxies and certificates of the environment: used where they can be, else a sentence that shows no secret."""

import pytest
from models_chat_server import GOOD, ChatServer, ask

from chronotope.errors import InputError
from chronotope.models.services import connections

VARIABLES = ("ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)
        monkeypatch.delenv(variable.lower(), raising=False)


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "all_proxy"])
def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    with ChatServer() as proxy:
        monkeypatch.setenv(variable, proxy.url.removesuffix("/v1"))
        (reply,) = ask("http://nowhere.invalid/v1")
        assert reply.state == "replied"
        assert proxy.received[0].path == "http://nowhere.invalid/v1/chat/completions"


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({"ALL_PROXY": "socks5://user:canary@h:1"}, "variable ALL_PROXY names a SOCKS proxy: .*`pip install socksio`"),
        ({"https_proxy": "socks5h://h"}, "variable https_proxy names a SOCKS proxy"),
        ({"ALL_PROXY": "ftp://user:canary@h"}, "variable ALL_PROXY names an invalid proxy: unset it"),
        ({"HTTP_PROXY": "http://user:can/ary@h:1"}, "variable HTTP_PROXY names an invalid proxy"),
        ({"HTTP_PROXY": "http://\x7fcanary"}, "names an invalid proxy"),
        ({"HTTP_PROXY": "http://h:1", "NO_PROXY": "[::"}, "one of HTTP_PROXY, NO_PROXY names an invalid proxy"),
    ],
)
@pytest.mark.parametrize("together", [False, True])
def test_a_proxy_that_cannot_be_used_is_a_sentence(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], told: str, together: bool
) -> None:
    server.restart([GOOD])
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    with pytest.raises(InputError, match=told) as caught:
        ask(server.url, ["1", "2"], together)
    assert "can" not in str(caught.value).replace("cannot", "") and caught.value.__context__ is None
    assert not server.received


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_certificates_that_cannot_be_read_are_a_sentence(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, tmp_path, content: str | None
) -> None:
    server.restart([GOOD])
    file = tmp_path / "authorities.pem"
    if content is not None:
        file.write_text(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    connections._certificates.cache_clear()
    with pytest.raises(InputError, match=r"certificates .* cannot be read .*: change or unset SSL_CERT_FILE"):
        ask(server.url.replace("http:", "https:"))
    assert ask(server.url)[0].state == "replied", "without TLS nobody's certificate is looked at"
    monkeypatch.delenv("SSL_CERT_FILE")
    assert ask(server.url)[0].state == "replied"
