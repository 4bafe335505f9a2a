"""The detection of secrets in the fields of a request body and in URLs.

A run stores these fields and URLs, so they must not contain secrets.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote

from chronotope.errors import InputError

# Names of fields with secrets, without dashes and underscores. Harmless settings also contain the word "token"
# (max_tokens, stop_token_ids), so this word marks a secret only at the end of a few names.
SECRET_NAME = re.compile(
    "(^|api|access|secret|private|subscription|account|auth)keys?$|authori[sz]ation|secret|passw(or)?d|passphrase|pwd"
    "|credential|bearer|cookie|headers?$|(^|api|auth|access|hf|refresh|session|security)token$"
)
# The beginnings of services' keys and of JSON web tokens (RFC 7519), and keys after "Bearer" or "Authorization".
SECRET_VALUE = re.compile(
    r"(?<![A-Za-z0-9])((sk|pk|rk|gsk|xai|nvapi|glpat)[-_][\w-]{16}|(hf|gh[pousr]|r8)_[A-Za-z0-9]{20}|github_pat_\w{20}"
    r"|AIza[\w-]{20}|(AKIA|ASIA)[A-Z0-9]{12}|eyJ[\w-]{5,}\.[\w-]*\.|Bearer\s+\S|[Aa]uthorization\s*[:=]\s*\S)"
    r"|^\s*bearer\s+\S"
)
# Fields of a URL's query that do not identify the sender; their values are short.
QUERY_NAMES = {"api-version", "api_version", "version", "v", "region", "location", "project", "deployment", "model"}
QUERY_VALUE = re.compile(r"[\w.:-]{1,40}", re.ASCII)


def refuse_secrets(fields: Mapping[str, Any]) -> None:
    """Refuse fields that look like a key or can contain one.

    Fields are searched at any depth.

    Raises:
        InputError: If there is such a field. The message does not show its value.
    """
    for name in _secrets(fields, ""):
        raise InputError(
            f"the field {name!r} of the request body looks like a key, and a run stores all settings: leave it out, "
            "and put the key into the environment variable CHRONOTOPE_API_KEY or the provider's variable, such as "
            "OPENAI_API_KEY"
        )


def path_may_hold_secret(path: str) -> bool:
    """Check whether any part of a URL's path looks like a key."""
    return any(SECRET_VALUE.search(unquote(segment)) for segment in path.split("/"))


def query_may_hold_secret(query: str) -> bool:
    """Check whether a URL's query can contain a secret.

    A query cannot contain a secret if all its fields are known to be harmless and have short values.
    """
    try:
        fields = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query), max_num_fields=100)
    except ValueError:
        return True
    return any(
        name not in QUERY_NAMES or not QUERY_VALUE.fullmatch(value) or SECRET_VALUE.search(value)
        for name, value in fields
    )


def _secrets(value: Any, name: str) -> Iterator[str]:
    """Yield the dotted names of secrets in a value.

    A field name that is itself a secret is not shown.
    """
    if isinstance(value, Mapping):
        for inner, one in value.items():
            shown = "…" if SECRET_VALUE.search(str(inner)) else str(inner)
            path = f"{name}.{shown}".lstrip(".")
            plain = re.sub("[^a-z0-9]", "", str(inner).lower())
            if shown == "…" or (SECRET_NAME.search(plain) and one is not None):
                yield path
            yield from _secrets(one, path)
    elif isinstance(value, list):
        for one in value:
            yield from _secrets(one, name)
    elif isinstance(value, str) and SECRET_VALUE.search(value):
        yield name
