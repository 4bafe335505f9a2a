"""The words for the settings of a run, whose names in the manifest have dots."""

_NAMES = {
    "wire": "form of requests",
    "benchmark": "content of the benchmark",
    "protocol.name": "protocol",
    "protocol.version": "version of the protocol",
    "protocol.settings.frames_as": "way of sending frames",
    "decoding.max_tokens": "limit of tokens in a reply",
    "method.name": "method",
    "about_model.pictures": "library that resizes the model's pictures",
    "about_model.clip": "clip at hand for the person",
}
# What a name begins with, and what such a setting belongs to, if its words have to say it.
_BELONGS = {
    "protocol.settings.": "",
    "decoding.extra.": "",
    "decoding.": "",
    "method.settings.": "method",
    "method.": "method",
    "about_model.": "model",
    "judge.": "judge",
}
_STAGE = "method.models."


def setting_name(name: str) -> str:
    """Return the words for a setting, such as "temperature" for ``decoding.temperature``."""
    if name in _NAMES:
        return _NAMES[name]
    if name.startswith(_STAGE):
        stage, _, rest = name.removeprefix(_STAGE).partition(".")
        return f"{setting_name(rest)} of the stage {stage}"
    owners = {prefix: owner for prefix, owner in _BELONGS.items() if name.startswith(prefix)}
    prefix = max(owners, key=len, default="")
    words = name.removeprefix(prefix).replace("_", " ")
    return f"{words} of the {owners[prefix]}" if owners.get(prefix) else words
