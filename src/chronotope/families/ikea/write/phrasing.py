"""The stems of questions in several wordings, because the paper does not publish its own wordings."""

from chronotope.families.ikea.write.ids import Draws

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
}


def stem(task: str, draws: Draws, name: str) -> str:
    """Choose the stem of a question at random.

    ``name`` is the id of the question, which determines the choice.
    """
    pool = PHRASES[task]
    return pool[int(draws.of(name, "phrase").integers(len(pool)))]
