"""The pictures that the questions of a probe show, with what they depict."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from chronotope.evaluate.plan import Plan
from chronotope.families import Depiction
from chronotope.io import canonical_json, sha256_bytes
from chronotope.probe.prompts import Prompted
from chronotope.protocol import MediaFacts, Picture, PictureFile, frames_of, planned_images


@dataclass(frozen=True)
class Shown:
    """The pictures of one media item or option, with the questions that show it."""

    pictures: tuple[Picture, ...]
    depicted: Depiction
    group: str
    tasks: frozenset[str]

    @property
    def id(self) -> str:
        """Return a text that identifies the pictures."""
        described = [
            picture.sha256
            if isinstance(picture, PictureFile)
            else [picture.plan.clip, picture.plan.key, picture.position]
            for picture in self.pictures
        ]
        return sha256_bytes(canonical_json(described).encode())


def shown_of(prompts: Sequence[Prompted], plans: Mapping[str, Plan]) -> list[Shown]:
    """Return the sets of pictures of all questions, each once."""
    found: dict[tuple[str, ...], Shown] = {}
    for one in prompts:
        if one.ask.input == "blind":
            continue
        for depicted, pictures in _pictures(plans[one.condition].facts, one):
            made = Shown(pictures, depicted, one.question.cluster, frozenset({one.question.task}))
            key = (made.id, made.group, depicted.thing, depicted.medium)
            if (before := found.get(key)) is not None:
                made = Shown(pictures, before.depicted, made.group, made.tasks | before.tasks)
            found[key] = made
    return list(found.values())


def _pictures(facts: MediaFacts, one: Prompted) -> Iterator[tuple[Depiction, tuple[Picture, ...]]]:
    """Yield the pictures of each depiction of a prompt."""
    for depicted in one.depicted:
        if depicted.option is not None:
            path = one.question.options[depicted.option].image
            if path is not None:
                yield depicted, (PictureFile(path, facts.picture(path).sha256),)
            continue
        assert depicted.item is not None
        item, plan = one.question.media[depicted.item], one.ask.plans[depicted.item]
        if item.kind == "image":
            yield depicted, (PictureFile(item.paths[0], facts.picture(item.paths[0]).sha256),)
        elif plan is not None:
            images = planned_images(item.paths, plan, facts) if plan.of_files else frames_of(item.paths[0], plan)
            yield depicted, tuple(image.picture for image in images)


def roles_of(shown: Sequence[Shown]) -> list[str]:
    """Return the media of pictures; diagrams and clips come first."""
    there = list(dict.fromkeys(one.depicted.medium for one in shown))
    if {"diagram", "video"} <= set(there):
        there = ["diagram", "video", *(one for one in there if one not in ("diagram", "video"))]
    return there
