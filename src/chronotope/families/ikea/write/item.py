"""Assembly of a question from its content: shuffled options, a wording, tags and provenance.

The stems have several wordings, because the paper does not publish its own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from chronotope.families.ikea.write.ids import Draws
from chronotope.families.ikea.write.manual import Manual
from chronotope.question import MediaItem, Option, Question, shuffle

PHRASES = {
    "T1": (
        "Which instruction diagram shows the assembly action performed in the video?",
        "Which of these diagrams depicts the step that the person in the video is carrying out?",
        "The video shows one assembly step. Which diagram is the instruction for it?",
        "Which diagram matches the assembly action seen in the video?",
    ),
    "T2": (
        "Does the action in the video match the step shown in the instruction diagram?",
        "Is the person in the video carrying out the step that the instruction diagram shows?",
    ),
    "T3": (
        "Which step of the instruction sequence is being performed in the video?",
        "Which step of the instructions is the person in the video carrying out?",
        "To which step of the instruction sequence does the action in the video belong?",
    ),
    "T4": (
        "Which instruction diagram shows the step that comes next, after the action in the video?",
        "When the step in the video is done, which of these diagrams shows the step that follows it?",
    ),
    "D1": (
        "Do both clips show the same assembly step?",
        "Is the assembly step in Clip A the same as the one in Clip B?",
    ),
    "D2": (
        "In which order do these three instruction diagrams follow one another in the assembly?",
        "What is the correct assembly order of the three instruction diagrams?",
    ),
    "E1": (
        "Does the person in the video do this step exactly as the instruction diagram shows it?",
        "Is the step in the video done as it is drawn in the instruction diagram?",
    ),
    "E2": (
        "The person in the video makes one mistake. Which mistake is it?",
        "Which mistake does the person in the video make?",
    ),
    "E3": (
        "The video shows two steps, in which the person makes one mistake. Which of these two steps must be undone, "
        "wholly or in part, to put the mistake right? A step is undone if something that was put on in it has to come "
        "off again.",
    ),
}


def stem(task: str, draws: Draws, name: str) -> str:
    """Choose the stem of a question at random.

    ``name`` is the id of the question, which determines the choice.
    """
    pool = PHRASES[task]
    return pool[int(draws.of(name, "phrase").integers(len(pool)))]


BINARY_WORDS = {"T2": ("Yes", "No"), "D1": ("Same", "Different"), "E1": ("Yes", "No")}  # the positive answer first


class Flag:
    """The flags for known defects of questions. All except ``THREE_OPTIONS`` occur only with the profile ``paper``."""

    BLANK_DIAGRAM = "blank_diagram"  # a shown diagram is an empty picture
    DUPLICATE_DIAGRAM = "duplicate_diagram"  # two shown diagrams, or the correct diagram and a wrong one, are the same
    FOREIGN_DIAGRAM = "foreign_diagram"  # the published diagram of a step belongs to another printed step
    GAP_IN_SEQUENCE = "gap_in_sequence"  # D2: the three steps do not follow one another
    NAME_COLLISION = "name_collision"  # another manual of the benchmark has the same product name
    PUBLISHED_DISTRACTORS = "published_distractors"  # the numbers of the steps give a hint about the correct step
    RIGHT_DIAGRAM_MISSING = "right_diagram_missing"  # T3: the diagram of the correct step is not shown
    SAME_RECORDING = "same_recording"  # D1: both clips come from one video
    THREE_OPTIONS = "three_options"  # T1, T3, T4: one option fewer than usual


@dataclass(frozen=True)
class Item:
    """The content of a question before its options are shuffled. The correct option is the first.

    ``option_steps`` are the steps of the options, in the same order. ``facts`` are stored in the provenance.
    """

    task: str
    id: str
    media: tuple[MediaItem, ...]
    options: tuple[Option, ...]
    option_steps: tuple[int, ...] = ()
    tags: dict[str, str] = field(default_factory=dict[str, str])
    flags: frozenset[str] = frozenset()
    facts: dict[str, Any] = field(default_factory=dict[str, Any])


def question_of(manual: Manual, item: Item) -> Question:
    """Make the question, with its options in a random order."""
    places = list(range(len(item.options)))
    order, answer = shuffle(manual.draws.of(item.id, "shuffle"), places, 0)
    procedure = manual.procedure
    provenance: dict[str, Any] = {"procedure": procedure.id, **item.facts, "seed": manual.draws.seed}
    if item.option_steps:
        provenance["option_steps"] = [item.option_steps[place] for place in order]
    tags = {"product": procedure.product, "category": procedure.category, **item.tags}
    return Question(
        id=item.id,
        family="ikea",
        task=item.task,
        cluster=manual.key,
        stem=stem(item.task, manual.draws, item.id),
        options=tuple(item.options[place] for place in order),
        answer=(answer,),
        media=item.media,
        tags={key: (value,) for key, value in tags.items()},
        flags=tuple(sorted(item.flags)),
        provenance=provenance,
    )


def diagram_flags(manual: Manual, shown: Iterable[int], also: Sequence[int] = ()) -> set[str]:
    """Return the flags for defects of the shown diagrams.

    ``shown`` are the steps of these diagrams. ``also`` are further steps whose diagrams must differ from the shown
    diagrams.
    """
    diagrams = {number: manual.diagrams[number] for number in shown}
    flags: set[str] = set()
    if any(diagram.blank for diagram in diagrams.values()):
        flags.add(Flag.BLANK_DIAGRAM)
    if any(diagram.twins & {*diagrams, *also} for diagram in diagrams.values()):
        flags.add(Flag.DUPLICATE_DIAGRAM)
    if any(diagram.foreign for diagram in diagrams.values()):
        flags.add(Flag.FOREIGN_DIAGRAM)
    return flags
