"""Facts that hold in several recordings of one scene, and the questions that would reveal each other by them."""

from collections.abc import Collection, Sequence

from chronotope.question import Question, item_generator
from chronotope.recording import Recording
from chronotope.scene.moments import reveals

TELLS = "tells"  # key of a question's provenance: the facts of its answer that hold in other recordings of the scene
_LASTING = ("size", "shape", "apart")  # facts about things, which two states of a home share
_WINDOW = "window"

Facts = frozenset[tuple[str, ...]]


def scene_facts(recording: Recording, tells: Collection[tuple[str, ...]]) -> Facts:
    """Return the facts that also hold in other recordings of the scene.

    ``tells`` are the facts of one answer, as in ``Place.tells``. Sizes and distances of things hold in all states of a
    scene. The cameras of a vehicle film the same drive, so for them the motion in a window holds, too.
    """
    kinds = _LASTING if recording.camera_mount is None else (*_LASTING, _WINDOW)
    return frozenset(fact for fact in tells if fact[0] in kinds)


def revealed_elsewhere(questions: Sequence[Question], family: str, seed: int, near: int = 0) -> set[str]:
    """Find the questions whose answers other recordings of their scene reveal.

    Of two questions of one scene that reveal each other, one is in the result. The choice is random, and depends on
    neither the order of ``questions`` nor the number of workers. A thing whose size is stated for scale is asked about
    in no recording of its scene. ``near`` is as in ``reveals``. Returns the ids of these questions.
    """
    first: dict[str, str] = {}  # of each scene: a recording
    scenes: dict[str, list[Question]] = {}  # those with several recordings, of which only these questions are kept
    for question in questions:
        if any(first.setdefault(question.cluster, name) != name for name in question.recordings):
            scenes[question.cluster] = []
    for question in questions if scenes else ():
        if question.cluster in scenes:
            scenes[question.cluster].append(question)
    found: set[str] = set()
    for scene, asked in scenes.items():
        asked.sort(key=lambda question: question.id)
        order = item_generator(seed, family, scene, "lasting").permutation(len(asked))
        found |= _revealed([asked[int(place)] for place in order], near)
    return found


def _revealed(questions: Sequence[Question], near: int) -> set[str]:
    """Return the ids of questions whose answer another question reveals.

    The other question is earlier, and about another recording.
    """
    told: dict[str, set[tuple[str, ...]]] = {}
    for question in questions:
        if (scale := question.provenance.get("scale")) is not None:
            told.setdefault(question.recordings[0], set()).update(_of_ruler(scale["entity"], scale["measure"]))
    found: set[str] = set()
    for question in questions:
        facts = frozenset(tuple(fact) for fact in question.provenance.get(TELLS, ()))
        others = {fact for name, known in told.items() if name not in question.recordings for fact in known}
        if facts and reveals(facts, others, near):
            found.add(question.id)
        else:
            told.setdefault(question.recordings[0], set()).update(facts)
    return found


def _of_ruler(entity: str, measure: str) -> Facts:
    return frozenset({("size", entity, measure), ("shape", entity)})
