"""The first text of a prompt for each task and strategy, and the instruction for the reply.

The texts of the paper's tasks are published and used verbatim: the first text for the strategy ``visual``, the
additional sentences for ``visual_text``, and two versions of the instruction for the reply (from the paper and from the
code). The first text for ``text_only`` is derived from the first text for ``visual`` by the published rule.
"""

from collections.abc import Iterable, Mapping
from typing import Literal

from chronotope.families.ikea.tasks import Strategy

Source = Literal["paper", "code"]

_INSTRUCTION = "Answer with the letter first, then briefly explain. Format: "
INSTRUCTIONS: Mapping[Source, str] = {
    "paper": f"{_INSTRUCTION}\u2018Answer: X. Reason: \u2026\u2019",
    "code": f"{_INSTRUCTION}'Answer: X. Reason: ...'",
}

_VISUAL = {
    "T1": (
        "You are evaluating a furniture assembly task. You will see:\n"
        "1. VIDEO FRAMES: Sequential frames captured from a real-world assembly video, showing a person physically "
        "assembling furniture.\n"
        "2. INSTRUCTION DIAGRAMS: Wordless assembly instruction diagrams (like IKEA manuals) that illustrate "
        "individual assembly steps using schematic drawings.\n"
        "Your task is to determine which instruction diagram corresponds to the action shown in the video frames. "
        "Compare the physical action in the video against each diagram carefully."
    ),
    "T2": (
        "You are evaluating a furniture assembly task. You will see:\n"
        "1. VIDEO FRAMES: Sequential frames from a real-world assembly video.\n"
        "2. INSTRUCTION DIAGRAM: A single wordless assembly instruction diagram.\n"
        "Your task is to judge whether the action shown in the video frames matches the assembly step depicted in the "
        "instruction diagram."
    ),
    "T3": (
        "You are evaluating a furniture assembly task. You will see:\n"
        "1. VIDEO FRAMES: Sequential frames from a real-world assembly video showing the current state of assembly.\n"
        "2. ALL INSTRUCTION DIAGRAMS: The complete set of wordless instruction diagrams for this product, shown in "
        "order (Step 1, Step 2, …).\n"
        "Your task is to determine which step in the instruction sequence corresponds to what is currently happening "
        "in the video."
    ),
    "T4": (
        "You are evaluating a furniture assembly task. You will see:\n"
        "1. VIDEO FRAMES: Sequential frames from a real-world assembly video showing the action currently being "
        "performed.\n"
        "2. INSTRUCTION DIAGRAMS: Candidate diagrams for the NEXT assembly step.\n"
        "Your task is to identify which instruction diagram shows the step that comes AFTER the action shown in the "
        "video. You need to understand what is currently being done and reason about what logically follows."
    ),
    "D1": (
        "You are evaluating a furniture assembly task. You will see two sets of video frames (Clip A and Clip B) from "
        "different recordings of the same furniture product being assembled.\n"
        "Your task is to determine whether both clips show the same assembly step or different steps."
    ),
    "D2": (
        "You are evaluating a furniture assembly task. You will see three instruction diagrams (wordless assembly "
        "manual images) displayed in a shuffled (random) order.\n"
        "Your task is to determine the correct chronological assembly order of these diagrams by analyzing the "
        "assembly progression shown in each."
    ),
    # The paper has no tasks about mistakes, so these texts are our own.
    "E1": (
        "You are evaluating a furniture assembly task. You will see:\n"
        "1. VIDEO FRAMES: Sequential frames from an assembly video, in which a person carries out one assembly step.\n"
        "2. INSTRUCTION DIAGRAM: The wordless assembly instruction diagram of this step.\n"
        "Your task is to judge whether the person does the step as the instruction diagram shows it, with all parts, "
        "the right parts, and each part in its place."
    ),
    "E2": (
        "You are evaluating a furniture assembly task. You will see:\n"
        "1. VIDEO FRAMES: Sequential frames from an assembly video, in which a person makes one mistake. Earlier steps "
        "were done without a mistake.\n"
        "2. ALL INSTRUCTION DIAGRAMS: The complete set of wordless instruction diagrams for this product, shown in "
        "order (Step 1, Step 2, …).\n"
        "Your task is to determine which mistake the person makes."
    ),
    "E3": (
        "You are evaluating a furniture assembly task. You will see:\n"
        "1. VIDEO FRAMES: Sequential frames from an assembly video, in which a person makes one mistake. Earlier steps "
        "were done without a mistake.\n"
        "2. ALL INSTRUCTION DIAGRAMS: The complete set of wordless instruction diagrams for this product, shown in "
        "order (Step 1, Step 2, …).\n"
        "Your task is to determine what has to be undone so that the furniture can be finished as the instruction "
        "diagrams show it. Undo as little as possible. Something comes off only if it is wrong, if it is in the way of "
        "a part that has to come out or go in, if it was later fastened to a part that comes off, or if nothing would "
        "hold it any more."
    ),
}

_DESCRIBED = (
    "Each instruction diagram is accompanied by a text description that describes the content of that diagram. The "
    "text description is a supplementary annotation of the diagram."
)

_STEPS_IN_WORDS = "text descriptions of assembly steps from a furniture manual"
# The published rule names only "INSTRUCTION DIAGRAMS" and "wordless assembly instruction diagrams". We also replace
# the singular, the form without "assembly", and the form in the brackets of D2, because a text cannot be "wordless".
_IN_WORDS = (
    (" using schematic drawings", ""),
    ("Wordless assembly instruction diagrams", _STEPS_IN_WORDS.capitalize()),
    ("wordless assembly instruction diagrams", _STEPS_IN_WORDS),
    ("wordless assembly instruction diagram", "text description of an assembly step from a furniture manual"),
    ("wordless instruction diagrams", _STEPS_IN_WORDS),
    ("wordless assembly manual images", _STEPS_IN_WORDS),
    ("DIAGRAM", "DESCRIPTION"),
    ("diagram", "description"),
)

# A photograph shows the same parts as the diagram, so the texts differ only in the name of the picture.
_IN_PHOTOGRAPHS = (
    (" (like IKEA manuals)", ""),
    (" using schematic drawings", ""),
    ("Wordless assembly instruction diagrams", "Assembly instruction photographs"),
    ("wordless assembly manual images", "photographs of assembly steps"),
    ("wordless assembly instruction", "assembly instruction"),
    ("wordless instruction", "instruction"),
    ("DIAGRAM", "PHOTOGRAPH"),
    ("diagram", "photograph"),
)


def context(task: str, strategy: Strategy) -> str:
    """Return the first text of a prompt.

    Task D1 shows no diagrams, so its first text is the same for all strategies.
    """
    visual = _VISUAL[task]
    if strategy == "visual" or task == "D1":
        return visual
    if strategy == "visual_text":
        return visual.replace("\nYour task", f"\n{_DESCRIBED}\nYour task")
    return without_diagrams(visual)


def without_diagrams(words: str) -> str:
    """Change a text about diagrams into a text about their descriptions."""
    return _replaced(words, _IN_WORDS)


def with_photographs(words: str) -> str:
    """Change a text about diagrams into a text about photographs of the same steps."""
    return _replaced(words, _IN_PHOTOGRAPHS)


def _replaced(words: str, changes: Iterable[tuple[str, str]]) -> str:
    for before, after in changes:
        words = words.replace(before, after)
    return words
