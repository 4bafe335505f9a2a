"""The recordings and entities of a question.

In older benchmark folders, they are in the provenance of a question.
"""

from typing import Any, cast

from chronotope.question.question import Mention, Question


def recordings_of(question: Question) -> tuple[str, ...]:
    """Return the ids of the recordings of a question.

    In benchmark folders of schema version 1, the id of the recording is in the provenance. The id stays in the
    provenance, so that the hash of the folder does not change.
    """
    name = question.provenance.get("recording")
    return question.recordings or ((name,) if isinstance(name, str) else ())


def mentions_of(question: Question) -> tuple[Mention, ...]:
    """Return the mentions of entities in a question.

    In benchmark folders of schema version 1, the entities are read from the provenance.
    """
    if question.mentions:
        return question.mentions
    entities: Any = question.provenance.get("entities")
    phrases: Any = question.provenance.get("phrases")
    if not isinstance(entities, list):
        return ()
    called = cast("dict[Any, Any]", phrases) if isinstance(phrases, dict) else {}
    found: list[Mention] = []
    for entity in cast("list[Any]", entities):
        phrase = called.get(entity) if isinstance(entity, str) else None
        if isinstance(entity, str):
            found.append(Mention(entity, "asked", phrase if isinstance(phrase, str) else None))
    return tuple(found)
