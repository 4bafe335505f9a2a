"""The differences between the settings of a run and the settings of a paper."""

from collections.abc import Iterator, Sequence
from typing import Any

from chronotope.evaluate.score import RunResults
from chronotope.families import PublishedWay

# These fields of a request have no influence on a model that always chooses the likeliest token.
_IDLE = ("metadata", "seed", "service_tier", "store", "user")
_LENGTHS = ("max_tokens", "max_completion_tokens")

Difference = tuple[str, Any, tuple[Any, ...]]  # a setting: its name, the run's value, and the published values


def nearest(run: RunResults, ways: Sequence[PublishedWay]) -> tuple[PublishedWay, list[str]]:
    """Find the published settings that are most similar to a run.

    The second value has a clause for each setting that differs.
    """
    way, found = min(((way, list(_differing(run, way))) for way in ways), key=lambda both: len(both[1]))
    return way, [_clause(name, value, _of_any(ways, name, value) or allowed) for name, value, allowed in found]


def _differing(run: RunResults, way: PublishedWay) -> Iterator[Difference]:
    own = _told(run)
    for name, allowed in way.fixed.items():
        if name == "max_tokens" and name in own and _leaves_room_for_thoughts(run, own[name], allowed):
            continue
        if name in own and own[name] not in allowed:
            yield name, own[name], allowed
    if (sent := own.get("frames_as")) is not None:
        yield "frames_as", sent, (None,)
    for name, value in ({} if run.card.elsewhere else run.card.decoding.extra).items():
        known = name in own or name in (*_IDLE, *_LENGTHS)
        if not known and value not in way.extra.get(name, ()):
            yield f"set {name}", value, way.extra.get(name, (None,))


def _told(run: RunResults) -> dict[str, Any]:
    """Return the known settings of a run, by name.

    For imported replies, it is only known whether pictures were shown.
    """
    fields = run.family.RunSettings.model_fields
    own = {name: field.default for name, field in fields.items()} | run.card.protocol.settings
    if run.card.elsewhere is not None:
        return {"input": own["input"]}
    own["version"] = run.card.protocol.version
    if (method := run.card.method) is not None:
        models = {
            f"{kind}_model": None if of.model == run.card.model else of.model for kind, of in method.models.items()
        }
        own |= method.settings | models | {"method_version": method.version}
    return own if run.card.model.startswith("baseline/") else own | _decoding(run)  # a baseline does not sample tokens


def _decoding(run: RunResults) -> dict[str, Any]:
    """Return the decoding fields of a run's requests.

    None means that the service chooses the value.
    """
    decoding = run.card.decoding
    sent: dict[str, Any] = {"temperature": decoding.temperature, "top_p": decoding.top_p}
    sent |= {name: decoding.extra[name] for name in sent if name in decoding.extra}
    sent["top_p"] = 1.0 if sent["top_p"] is None else sent["top_p"]  # the value that services use by default
    return sent | {"max_tokens": decoding.longest_reply[1]}


def _leaves_room_for_thoughts(run: RunResults, bound: int | None, allowed: tuple[Any, ...]) -> bool:
    """Check whether a longer limit is allowed because of thinking.

    The published limit does not include the model's thinking. A run can therefore have a longer limit if its replies
    contain thinking.
    """
    longer = bound is None or bound > max(one for one in allowed if one is not None)
    return longer and any(
        one.line is not None and (one.line.reasoning or "<think>" in (one.line.reply or "")) for one in run.answered
    )


def _of_any(ways: Sequence[PublishedWay], name: str, value: Any) -> tuple[Any, ...]:
    """Return a setting's published values if they differ from the run's value.

    Returns an empty tuple if the run's value is one of the published values.
    """
    allowed = dict.fromkeys(one for way in ways for one in way.fixed.get(name, ()))
    return () if value in allowed else tuple(allowed)


def _clause(name: str, value: Any, allowed: tuple[Any, ...]) -> str:
    versions = {"version": "the protocol's version", "method_version": "the method's version"}
    said = versions.get(name, f"--{name.replace('_', '-')}")
    if name.startswith("set "):
        said = f"--{name}"
    given = [_words(one) for one in allowed if one is not None] or ["not given"]
    return f"{said} is {_words(value)} (as published: {' or '.join(given)})"


def _words(value: Any) -> str:
    if value is None:
        return "not given"
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
