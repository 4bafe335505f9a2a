"""Models by name, and the sentences for names, URLs and keys that cannot be used."""

import asyncio
import sys

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from models_chat_server import ChatServer
from pydantic import SecretStr

from chronotope.errors import InputError
from chronotope.models import Baseline, Decoding, Model, open_model
from chronotope.models.services.endpoint import Endpoint
from chronotope.models.services.key import checked_url
from chronotope.protocol import Text

VARIABLES = [
    "CHRONOTOPE_API_KEY",
    "OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "ANTHROPIC_API_KEY",
    "OPENROUTER_API_KEY",
    "AZURE_OPENAI_API_KEY",
]


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in VARIABLES:
        monkeypatch.delenv(variable, raising=False)


def closed(model: Model) -> Model:
    asyncio.run(model.close())
    return model


def authorization(model: Model, server: ChatServer) -> str | None:
    """What a model sends as its authorization."""

    async def go() -> None:
        async with model.open([], lambda picture: pytest.fail("no picture here")) as session:
            assert (await session.ask([Text("q")], Decoding(), seed="1")).state == "replied"
        await model.close()

    asyncio.run(go())
    return server.received[-1].header("authorization")


def test_an_endpoint_keeps_the_slashes_of_its_name() -> None:
    model = closed(open_model("endpoint/Qwen/Qwen2.5-VL-7B", base_url="http://localhost:8000/v1/"))
    assert isinstance(model, Endpoint)
    assert (model.name, model.model) == ("endpoint/Qwen/Qwen2.5-VL-7B", "Qwen/Qwen2.5-VL-7B")
    assert model.url == "http://localhost:8000/v1/chat/completions"
    assert model.limits.looks


def test_an_endpoint_takes_its_key_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer() as server:
        assert authorization(open_model("endpoint/m", base_url=server.url), server) is None
        monkeypatch.setenv("OPENAI_API_KEY", "somebody-elses")
        assert authorization(open_model("endpoint/m", base_url=server.url), server) is None
        monkeypatch.setenv("CHRONOTOPE_API_KEY", " k-1\n")
        assert authorization(open_model("endpoint/m", base_url=server.url), server) == "Bearer k-1"


PATHS = {"anthropic": "/v1/messages", "google": "/v1beta/models/some%2Fmodel:generateContent"}


@pytest.mark.parametrize(
    ("provider", "variables", "host"),
    [
        ("openai", ["OPENAI_API_KEY"], "https://api.openai.com/"),
        ("google", ["GEMINI_API_KEY", "GOOGLE_API_KEY"], "https://generativelanguage.googleapis.com/"),
        ("anthropic", ["ANTHROPIC_API_KEY"], "https://api.anthropic.com/"),
        ("openrouter", ["OPENROUTER_API_KEY"], "https://openrouter.ai/"),
    ],
)
def test_presets(monkeypatch: pytest.MonkeyPatch, provider: str, variables: list[str], host: str) -> None:
    with pytest.raises(InputError, match=f"{' or '.join(variables)}, or name .* --key-variable"):
        open_model(f"{provider}/some/model")
    monkeypatch.setenv("CHRONOTOPE_API_KEY", "key-of-a-server-of-mine")
    with pytest.raises(InputError, match="CHRONOTOPE_API_KEY is only for endpoint/ models"):
        open_model(f"{provider}/some/model")
    keys: list[SecretStr | None] = []
    construct = Endpoint.__init__

    def note(self: Endpoint, name: str, model: str, base_url: str, api_key: SecretStr | None, **settings) -> None:
        keys.append(api_key)
        construct(self, name, model, base_url, api_key, **settings)

    monkeypatch.setattr(Endpoint, "__init__", note)
    for variable in reversed(variables):  # each wins over those before it
        monkeypatch.setenv(variable, f"key in {variable}".replace(" ", "-"))
        model = closed(open_model(f"{provider}/some/model"))
        assert isinstance(model, Endpoint)
        assert model.url.startswith(host) and model.url.endswith(PATHS.get(provider, "/chat/completions"))
        assert (model.name, model.model) == (f"{provider}/some/model", "some/model")
        assert keys[-1] is not None and keys[-1].get_secret_value() == f"key-in-{variable}"


@pytest.mark.parametrize(
    ("name", "pictures", "takes_video", "length_field"),
    [
        ("openai/m", None, False, "max_completion_tokens"),
        ("azure/m", None, False, "max_completion_tokens"),
        ("google/m", None, True, "maxOutputTokens"),
        ("anthropic/m", 600, False, "max_tokens"),
        ("openrouter/m", None, None, "max_tokens"),
        ("endpoint/m", None, None, "max_tokens"),
    ],
)
def test_what_is_known_of_a_service(
    monkeypatch: pytest.MonkeyPatch, name: str, pictures: int | None, takes_video: bool | None, length_field: str
) -> None:
    for variable in VARIABLES:
        monkeypatch.setenv(variable, "k-1")
    model = closed(open_model(name, base_url="http://h/v1" if name in ("endpoint/m", "azure/m") else None))
    assert isinstance(model, Endpoint)
    assert (model.limits.pictures, model.limits.takes_video) == (pictures, takes_video)
    assert (model.limits.context, model.limits.letter, model.limits.looks) == (None, None, True)
    assert f'"{length_field}":100' in b"".join(model.wire.body("m", [], model.wire.fields(Decoding()))).decode()


@pytest.mark.parametrize("name", ["", "gpt-4", "baseline", "endpoint/", "azure/ ", "openai/ ", "/x"])
def test_an_unknown_name_lists_the_forms(name: str) -> None:
    with pytest.raises(InputError) as caught:
        open_model(name, base_url=None)
    for form in (
        "endpoint/NAME or azure/NAME with --base-url",
        "openai/NAME",
        "openrouter/NAME",
        "baseline/random",
        "option-shape:roundest",
    ):
        assert form in str(caught.value)


def test_a_model_in_this_process_says_which_extra_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    with pytest.raises(InputError, match=r"needs PyTorch and Transformers.*pip install 'chronotope\[local\]'"):
        open_model("transformers/Qwen/Qwen2.5-VL-7B")
    with pytest.raises(InputError, match="runs in this process: omit --base-url"):
        open_model("transformers/Qwen/Qwen2.5-VL-7B", base_url="http://localhost:8000/v1")


def test_baselines_have_names() -> None:
    for kind in ("random", "constant-A", "constant-E", "option-shape", "option-shape:longest"):
        model = open_model(f"baseline/{kind}")
        assert isinstance(model, Baseline)
        assert model.name == f"baseline/{kind}"
        assert not model.limits.looks


def test_without_entry_points_only_the_attacks_are_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the package were only on the path, not installed."""
    monkeypatch.setattr("chronotope.models.baselines.providers", dict)
    assert open_model("baseline/random").name == "baseline/random"
    with pytest.raises(InputError) as refused:
        open_model("baseline/joint")
    assert refused.value.fix.startswith("install Chronotope with pip")
    assert "'baseline/joint'" in str(refused.value)


@pytest.mark.parametrize("kind", ["nothing", "constant-a", "constant-AB", "option-shape:", "option-shape:x", "median"])
def test_unknown_baselines_list_the_forms(kind: str) -> None:
    with pytest.raises(InputError, match=r"baseline/random, baseline/constant-A .*option-shape:median"):
        open_model(f"baseline/{kind}")


@pytest.mark.parametrize(
    ("name", "settings", "told"),
    [
        ("endpoint/m", {}, "needs --base-url"),
        ("baseline/random", {"base_url": "http://h/v1"}, "accepts no base URL"),
        ("openai/m", {"base_url": "http://h/v1"}, "use the name endpoint/m"),
        ("openrouter/m", {"base_url": "http://h/v1"}, "use the name endpoint/m"),
        ("google/m", {"base_url": "http://h/v1?key=sk"}, "key"),
        ("endpoint/m", {"base_url": "http://h/v1", "concurrency": 0}, "must be more than zero"),
        ("endpoint/m", {"base_url": "http://h/v1", "timeout": 0.0}, "must be more than zero"),
        ("endpoint/m", {"base_url": "localhost:8000/v1"}, "expected the URL without"),
        ("endpoint/m", {"base_url": "ftp://h/v1"}, "expected the URL without"),
        ("endpoint/m", {"base_url": "http:///v1"}, "expected the URL without"),
        ("endpoint/m", {"base_url": "http://h:port/v1"}, "cannot be read as a URL"),
        ("endpoint/m", {"base_url": "http://h:0/v1"}, "expected the URL without"),
        ("endpoint/m", {"base_url": "http://h/v1/chat/completions/"}, "ends in /chat/completions"),
        ("endpoint/m", {"base_url": "http://h/v1;x=1"}, "contains a user, a password, parameters"),
        ("endpoint/m", {"base_url": "http://h;x/v1"}, "an invalid host or port"),
        ("endpoint/m", {"base_url": "http://a b/v1"}, "a blank or an invalid character"),
        ("endpoint/m", {"base_url": "http://h/v 1"}, "a blank or an invalid character"),
        ("endpoint/m", {"base_url": "http://h/v\n1"}, "a blank or an invalid character"),
        ("endpoint/m", {"base_url": "http://h\x00/v1"}, "a blank or an invalid character"),
        ("endpoint/m", {"base_url": "http://h\x7f/v1"}, "a blank or an invalid character"),
        ("endpoint/m", {"base_url": "http://a%20b/v1"}, "an invalid host or port"),
        ("endpoint/m", {"base_url": "http://a..b/v1"}, "an invalid host or port"),
        ("endpoint/m", {"base_url": "http://*.h/v1"}, "an invalid host or port"),
        ("endpoint/m", {"base_url": f"http://{'a' * 64}.h/v1"}, "an invalid host or port"),
        ("endpoint/m", {"base_url": "http://1.2.3.999/v1"}, "cannot be read as a URL"),
        ("endpoint/m", {"base_url": "http://[::1/v1"}, "cannot be read as a URL"),
        ("endpoint/m", {"base_url": "http://ü..de/v1"}, "cannot be read as a URL"),
        ("endpoint/m", {"base_url": "http://h:99999/v1"}, "cannot be read as a URL"),
        ("endpoint/m", {"base_url": "http://h/" + "x" * 70_000}, "cannot be read as a URL"),
    ],
)
def test_what_does_not_go_together_is_a_sentence(name: str, settings: dict, told: str) -> None:
    with pytest.raises(InputError, match=told):
        open_model(name, **settings)


@pytest.mark.parametrize(
    "url",
    [
        "https://h/v1?key=canary",
        "https://canary@h/v1",
        "https://user:canary@h/v1",
        "https://h/v1#canary",
        "https://user:canary@h:port/v1",
        "https://h/v1;canary",
        "sk-canary",
        "canary:8000/v1",
        "//canary/v1",
        "http://",
        "http:canary",
        "file:///canary",
        "http://h:0/canary",
        "https://h canary/v1",
        "http://127.0.0.1:9/sk-canary0123456789abcdef/v1",
        "http://h/v1/sk%2Dcanary0123456789abcdef",
        "http://h/a/eyJhbGciOiJIUzI1NiJ9.canary.canary/v1",
        "http://h/v1?api-version=sk-canary0123456789abcdef",
        "http://h/v1?user=canary",
        "http://h/v1?canary",
        "http://h/v1?api-version=canary%20with%20blanks",
        f"http://h/v1?version=canary{'a' * 40}",
    ],
)
def test_a_url_that_may_hold_a_secret_is_not_repeated(url: str) -> None:
    with pytest.raises(InputError) as caught:
        open_model("endpoint/m", base_url=url)
    assert "canary" not in str(caught.value) and "base URL" in str(caught.value)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (" http://localhost:8000/v1/ ", "http://localhost:8000/v1"),
        ("HTTPS://API.example.com./v1", "https://API.example.com./v1"),
        ("http://vllm_server-1:80", "http://vllm_server-1:80"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("http://10.0.0.7/a//b/", "http://10.0.0.7/a//b"),
        ("http://bücher.example/v1", "http://bücher.example/v1"),
        (
            "https://h/accounts/0123456789abcdef0123456789abcdef/ai/v1",
            "https://h/accounts/0123456789abcdef0123456789abcdef/ai/v1",
        ),
        ("https://h/openai/deployments/gpt-4o?api-version=2024-10-21-preview", "https://h/openai/deployments/gpt-4o"),
    ],
)
def test_urls_that_are_taken(url: str, expected: str) -> None:
    assert checked_url(url) == expected


@given(
    st.text(st.sampled_from(list("htps:/@?#;.[]% \n\x00\\%1a9-_ü。")), max_size=12).map("http://h".__add__) | st.text()
)
def test_whatever_is_given_for_a_url_can_be_sent_to_or_is_a_sentence(text: str) -> None:
    try:
        url = httpx.Request("POST", checked_url(text) + "/chat/completions").url
    except InputError as problem:
        assert "base URL" in str(problem) and "\n" not in str(problem)
    else:
        assert url.scheme in ("http", "https") and not url.userinfo and not url.query and not url.fragment
        assert url.path.endswith("/chat/completions")
        url.raw_host.decode().encode("idna")


def test_limits_are_known_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("CHRONOTOPE_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(InputError, match="needs an API key"):
        open_model("anthropic/claude")
    assert open_model("anthropic/claude", to_ask=False).limits.pictures == 600
