"""Which things are asked about, and when: candidates in a random order that depends on ids, not on their order."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from chronotope.families.sti.write.objects.scene import Scene
from chronotope.families.sti.write.windows import TICK, Place

__all__ = ["instants", "pairs_of", "shuffled", "stretches"]

_EPSILON = 1e-6  # s


def shuffled(generator: np.random.Generator, scene: Scene, items: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The items, each of which holds ids of things, in a random order, but those first whose things all have names."""
    drawn = [items[int(index)] for index in generator.permutation(len(items))]
    return sorted(drawn, key=lambda item: any(one in scene.nameless for one in item))


def pairs_of(scene: Scene) -> list[tuple[str, ...]]:
    """The ids of every two things of which neither rests on the other."""
    return [
        (a.entity.id, b.entity.id)
        for a, b in combinations(scene.things, 2)
        if a.entity.parent != b.entity.id and b.entity.parent != a.entity.id
    ]


def instants(
    generator: np.random.Generator,
    scene: Scene,
    names: tuple[str, ...],
    count: int,
    tells: frozenset[tuple[str, ...]] = frozenset(),
) -> list[Place]:
    """At most so many moments at which all these things are clearly seen, in random order; the window is the clip.

    Where there is none, any moment of the clip, so that the reason is counted when it is measured.
    """
    seen = scene.moments(names)
    if len(seen) == 0:
        seen, count = np.round([generator.uniform(0, scene.observer.end)], 1), 1
    chosen = generator.permutation(seen)[:count]
    return [Place(0.0, scene.observer.end, float(time), names, tells) for time in chosen]


def stretches(generator: np.random.Generator, scene: Scene) -> list[tuple[str, float, float]]:
    """Each moving thing, in random order, and the printed times (s) within which it is seen; the clip's where never."""
    found: list[tuple[str, float, float]] = []
    for (name,) in shuffled(generator, scene, [(thing.entity.id,) for thing in scene.things]):
        if scene.rests(name):
            continue
        run = scene.window((name,))
        if run is None:
            found.append((name, 0.0, scene.observer.end))
            continue
        first, last = np.ceil(run[0] / TICK - _EPSILON) * TICK, np.floor(run[1] / TICK + _EPSILON) * TICK
        found.append((name, round(float(first), 1), round(min(float(last), scene.observer.end), 1)))
    return found
