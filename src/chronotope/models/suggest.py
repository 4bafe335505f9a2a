"""Suggestions for a wrong name of a model."""

import re

__all__ = ["AZURE", "suggestion"]

# The beginnings of models' names, by the provider of the models.
_HOSTED = {
    "openai": r"gpt-|chatgpt|o\d(?:-|$)",
    "google": r"gemini|models/gemini|gemma-\d.*-it$",
    "anthropic": r"claude",
}
_SERVERS = ("vllm", "sglang", "ollama", "llamacpp", "llama.cpp", "lmstudio", "tgi", "litellm", "hosted_vllm", "local")
AZURE = "https://NAME.openai.azure.com/openai/deployments/{}?api-version=2024-10-21"
_RUN_TOGETHER = r"gpt(?=\d)"  # gpt4o
_BASELINE = r"random|constant(?:-[A-Z])?|option-shape(?::\w+)?"


def suggestion(name: str) -> str:
    """Return the start of advice, such as ``did you mean openai/gpt-4o? ``.

    The text is empty if no similar name is known.
    """
    provider, slash, model = name.strip().partition("/")
    if not slash:
        model = provider
    model = re.sub(_RUN_TOGETHER, "gpt-", model, count=1) if re.match(_RUN_TOGETHER, model) else model
    if not model.strip():
        return ""
    if slash and provider.casefold() in _SERVERS:
        return _meant(f"endpoint/{model}", with_url=True)
    if slash and provider.casefold() == "azure":
        return f'did you mean azure/{model} with --base-url "{AZURE.format(model)}"? '
    if re.fullmatch(_BASELINE, model):
        return _meant(f"baseline/{model}")
    for known, begins in _HOSTED.items():
        if re.match(begins, model, re.IGNORECASE):
            return _meant(f"{known}/{model}") if not slash or provider.casefold() in (known, "models") else ""
    return _meant(f"endpoint/{name}", with_url=True)


def _meant(name: str, *, with_url: bool = False) -> str:
    return f"did you mean {name}{' with --base-url URL' if with_url else ''}? "
