"""Vectors of pictures by the thing and the medium that shows it, and comparisons of pairs of media."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chronotope.errors import InputError
from chronotope.probe.layer import Row
from chronotope.probe.measures import Change, paired_change, similarity_change
from chronotope.probe.measures.retrieval import ranks_of
from chronotope.probe.shown import Shown

Thing = tuple[str, str]  # a cluster, and a thing in it


@dataclass(frozen=True)
class Gallery:
    """The vectors (n, d) of all pictures, with their medium, group, thing and take."""

    vectors: NDArray[np.float64]
    media: tuple[str, ...]
    things: tuple[Thing, ...]
    takes: tuple[str, ...]

    @classmethod
    def of(cls, shown: Sequence[Shown], vectors: dict[str, list[Any]]) -> "Gallery":
        """Collect the vectors of pictures, each picture once."""
        found: dict[tuple[Any, ...], list[float]] = {}
        for one in shown:
            if one.id not in vectors:
                raise InputError("vectors are missing: run the same command again")
            for picture, vector in zip(one.pictures, vectors[one.id], strict=True):
                key = (one.depicted.medium, (one.group, one.depicted.thing), one.depicted.take, picture)
                found.setdefault(key, vector)
        keys = list(found)
        media, things, takes = (
            tuple(key[0] for key in keys),
            tuple(key[1] for key in keys),
            tuple(key[2] for key in keys),
        )
        return cls(np.array(list(found.values()), dtype=float), media, things, takes)

    def part(self, medium: str) -> "Gallery":
        """Return the pictures of one medium."""
        return self._at([place for place, of in enumerate(self.media) if of == medium])

    def only(self, things: set[Thing]) -> "Gallery":
        """Return the pictures of some things."""
        return self._at([place for place, of in enumerate(self.things) if of in things])

    def mean_of(self, thing: Thing) -> NDArray[np.float64]:
        """Return the mean vector of a thing."""
        return self.vectors[[place for place, of in enumerate(self.things) if of == thing]].mean(axis=0)

    def _at(self, places: Sequence[int]) -> "Gallery":
        return Gallery(
            self.vectors[list(places)],
            tuple(self.media[place] for place in places),
            tuple(self.things[place] for place in places),
            tuple(self.takes[place] for place in places),
        )


def shared(parts: Mapping[str, Gallery]) -> dict[str, Gallery]:
    """Return the pictures of each medium that show things which all media show."""
    there = set[Thing].intersection(*(set(part.things) for part in parts.values()))
    return {role: part.only(there) for role, part in parts.items()}


def compare_pairs(gallery: Gallery, roles: Sequence[str]) -> list[Row]:
    """Compare every two pairs of media on the same things.

    An example is diagram and video with photo and video. The difference is that of the second pair minus the first,
    with an interval over clusters. There is nothing to compare with fewer than three media.
    """
    if len(roles) < 3:
        return []
    parts = shared({role: gallery.part(role) for role in roles})
    things = list(dict.fromkeys(parts[roles[0]].things))
    if not things:
        return []
    means = {role: np.array([part.mean_of(thing) for thing in things]) for role, part in parts.items()}
    clusters = [cluster for cluster, _ in things]
    pairs = list(itertools.combinations(roles, 2))
    hits = {pair: _hits(parts[pair[0]], parts[pair[1]], things) for pair in pairs}
    rows: list[Row] = []
    for one, other in itertools.combinations(pairs, 2):
        about = {"from": " and ".join(one), "to": " and ".join(other)}
        aligned = similarity_change((means[one[0]], means[one[1]]), (means[other[0]], means[other[1]]), clusters)
        found = {"unbiased CKA": aligned, "R@1 in its cluster": paired_change(hits[one], hits[other], clusters)}
        rows += [{"measure": name, **about, **_said(of)} for name, of in found.items() if of is not None]
    return rows


def _said(change: Change) -> Row:
    return {name: value for name, value in asdict(change).items() if not name.startswith("relative")}


def _hits(first: Gallery, second: Gallery, things: Sequence[Thing]) -> list[float]:
    """Return the share of hits of each thing.

    A hit is a picture whose nearest picture in the cluster shows the same thing.
    """
    ranks = ranks_of(first.vectors, second.vectors, first.things, second.things, within=True)
    found: dict[Thing, list[float]] = {}
    for thing, rank in zip(first.things, ranks, strict=True):
        assert rank is not None, "the second medium shows all these things"
        found.setdefault(thing, []).append(float(rank.better < 1))
    return [float(np.mean(found[thing])) for thing in things]
