"""CI: each container is looked into once, never both at a time, and shared objects look the same."""

import numpy as np

from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.stage.evidence import Evidence, listed

FRACTION, LOOK = 0.7, 2.0  # least visible fraction of each object, and s of a look into a container
PIXELS = 300  # at 720 lines, from which on an object can be told
SIDE, OVER = 10.0, 70.0  # degrees of elevation: at most beside the table, and at least over a container
WIDTHS = 2.5  # least distance of the middles of the containers, in widths of the wider one
SIZE = 1e-6  # m, largest difference between the sizes of things that are the same


def check(evidence: Evidence) -> list[Check]:
    """Return the gates of the task."""
    return [check_looks(evidence), check_apart(evidence), check_unlike(evidence), check_truth(evidence)]


def _inside(evidence: Evidence, letter: str) -> list[str]:
    return [each["id"] for each in evidence.graph["objects"] if each["role"].startswith(f"obj_{letter}")]


def check_looks(evidence: Evidence) -> Check:
    """Check that each object is seen while the camera rests over its container, and no other inside then."""
    holds = evidence.holds()
    faults: list[str] = []
    if len(holds) != 3:
        return Check("stage looks", False, f"the camera rests {len(holds)} times, not 3")
    first = evidence.graph["params"]["first"]
    second = "B" if first == "A" else "A"
    worst = 1.0
    for letter, hold in zip((first, second), holds[1:], strict=True):
        other = "B" if letter == "A" else "A"
        seconds = len(hold) / (evidence.recording.fps or 1)
        if seconds < LOOK:
            faults.append(f"{seconds:.1f} s over {letter}")
        for name in _inside(evidence, letter):
            share = float(evidence.fraction(name)[hold].min())
            worst = min(worst, share)
            if share < FRACTION:
                faults.append(f"{share:.2f} of {name}")
        faults += [
            f"{name} is seen over {letter}" for name in _inside(evidence, other) if evidence.of_object(name)[hold].max()
        ]
    faults += [
        f"{name} is seen from the side"
        for name in (*_inside(evidence, "A"), *_inside(evidence, "B"))
        if evidence.of_object(name)[holds[0]].max()
    ]
    elevation = -evidence.pitch
    if elevation[holds[0]].max() > SIDE or min(elevation[hold].min() for hold in holds[1:]) < OVER:
        faults.append(f"elevations of {listed([f'{elevation[hold[0]]:.0f}' for hold in holds])} degrees")
    return judged("stage looks", faults, f"{worst:.2f} of each object or more")


def check_apart(evidence: Evidence) -> Check:
    """Check that no frame shows both insides, and that A is left of B at first."""
    first, second = (
        np.max([evidence.of_object(name) for name in _inside(evidence, letter)], axis=0) for letter in "AB"
    )
    both = np.minimum(first, second)
    faults = [f"frame {k} shows both insides" for k in np.flatnonzero(both >= evidence.pixels(PIXELS))]
    boxes = [evidence.index[f"container_{letter}"] for letter in "AB"]
    if not evidence.columns[0][boxes[0]] < evidence.columns[0][boxes[1]]:
        faults.append("A is not left of B at first")
    if evidence.cut[0][boxes].any() or evidence.seen[0][boxes].min() < evidence.pixels(PIXELS):
        faults.append("a container is not whole in the first frame")
    return judged("stage apart", faults, f"at most {both.max()} px of an object of each container in one frame")


def check_unlike(evidence: Evidence) -> Check:
    """Check that the containers differ in kind, colour and material, and stand far apart."""
    one, other = (evidence.entity(f"container_{letter}") for letter in "AB")
    faults = [f"both have the {key} {one.attributes.get(key)}" for key in ("colour", "material")
              if one.attributes.get(key) == other.attributes.get(key)]  # fmt: skip
    if one.category == other.category:
        faults.append(f"both are {one.category}s")
    away = float(np.linalg.norm(one.poses[0][:2, 3] - other.poses[0][:2, 3]))
    widest = max(*one.size[:2], *other.size[:2])
    if away < WIDTHS * widest:
        faults.append(f"they stand {away / widest:.1f} widths apart")
    return judged("stage unlike", faults, f"{away / widest:.1f} widths apart")


def _said(label: str) -> str:
    """Return a label as people say it: an orange that is orange is an orange."""
    return " ".join(dict.fromkeys(label.split()))


def check_truth(evidence: Evidence) -> Check:
    """Check the shared objects against what lies in the containers."""
    found: dict[str, list[tuple[tuple[str, str, str | None], tuple[float, ...]]]] = {}
    for letter in "AB":
        box = evidence.entity(f"container_{letter}")
        half = np.array(box.size) / 2
        found[letter] = [
            ((_said(entity.label), entity.category, entity.attributes.get("colour")), entity.size)
            for entity in evidence.recording.entities
            if entity.id != box.id and (np.abs(entity.poses[0][:3, 3] - box.poses[0][:3, 3]) < half).all()
        ]
    shared = [looks[0] for looks, size in found["A"] if any(
        looks == other and np.abs(np.subtract(size, wide)).max() <= SIZE for other, wide in found["B"])]  # fmt: skip
    told = evidence.graph["ground_truth"]
    faults = []
    if sorted(shared) != sorted(told["shared_objects"]) or told["answer"] != len(shared):
        faults.append(f"{listed(shared)} shared, told {told['answer']}")
    for letter in "AB":
        labels = sorted(looks[0] for looks, _ in found[letter])
        if labels != sorted(told[f"container_{letter}_contents"]):
            faults.append(f"{letter} holds {listed(labels)}")
    return judged("stage truth", faults, f"{len(shared)} shared")
