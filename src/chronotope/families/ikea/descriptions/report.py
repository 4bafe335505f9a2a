"""A report about the descriptions of a benchmark's diagrams, in sentences."""

from collections.abc import Iterable, Sequence

from chronotope.families.ikea.descriptions.leaks import Leak, changes, clean_descriptions, clean_text
from chronotope.families.ikea.descriptions.record import says_nothing
from chronotope.families.ikea.tasks import DIMENSIONS
from chronotope.question import Description, Profile, by_image

__all__ = ["audit_report", "leak_sentence", "some"]

_LISTED = 5


def audit_report(descriptions: Sequence[Description], profile: Profile = "strict") -> tuple[str, ...]:
    """Report the number and the length of all descriptions.

    The report also lists missing texts, changed texts, and words that reveal the position of a step. ``profile``
    selects the rules for finding such words (see `find_leaks`).
    """
    texts = by_image(descriptions)
    if not texts:
        return ("there are no descriptions",)
    lengths = [sum(map(len, said.values())) for said in texts.values()]
    authors = sorted({one.author or "unknown authors" for one in descriptions})
    mean = sum(lengths) / len(lengths)
    told = [
        f"pictures described: {len(texts)}, by {', '.join(authors)}, in {min(lengths)} to {max(lengths)} characters "
        f"each ({mean:.0f} on average)"
    ]
    silent = [image for image, said in texts.items() if says_nothing(said)]
    if silent:
        told.append(f"descriptions that cannot replace the picture: {len(silent)} ({some(silent)})")
    for name in DIMENSIONS:
        without = [image for image, said in texts.items() if not said.get(name)]
        if without:
            told.append(f"without a text for {name!r}: {len(without)} ({some(without)})")
    strange = sorted({name for said in texts.values() for name in said} - set(DIMENSIONS))
    if strange:
        told.append(f"unknown dimensions, whose texts are never shown: {some(strange)}")
    changed = [one for one in descriptions if changes([one])]
    of_pictures = len({one.image for one in changed})
    told.append(
        f"texts changed since they were written: {len(changed)} of {len(descriptions)}, for {of_pictures} pictures"
    )
    unclean = [f"{one.image} ({one.dimension})" for one in descriptions if clean_text(one.text, profile) != one.text]
    if unclean:
        told.append(f"texts that reveal a step's position, but can be cleaned: {len(unclean)} ({some(unclean)})")
    told.append(leak_sentence(clean_descriptions(descriptions, profile).left))
    return tuple(told)


def leak_sentence(left: Sequence[Leak]) -> str:
    """Return a sentence about the words that a person must edit."""
    if not left:
        return "words that reveal a step's position and must be edited by hand: none"
    places = some([f"{leak.image} ({leak.dimension}): {leak.words!r}" for leak in left])
    return f"words that reveal a step's position and must be edited by hand: {len(left)}: {places}"


def some(names: Iterable[str], most: int = _LISTED) -> str:
    """Return the first few names, and the number of further names."""
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more
