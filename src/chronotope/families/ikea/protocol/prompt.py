"""The prompt of IKEA-Bench, in the published order.

Every text except the first text of a message begins with a line feed. The line feed separates the text from the text or
picture before it. To make one plain text from a prompt, remove these line feeds, and join the texts and the
placeholders for pictures with line feeds.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from chronotope.errors import InputError
from chronotope.families.ikea.depictions import PHOTO, photo_of
from chronotope.families.ikea.protocol.contexts import INSTRUCTIONS, context, with_photographs, without_diagrams
from chronotope.families.ikea.tasks import DIMENSIONS, STRATEGIES, Strategy
from chronotope.media import FramePlan
from chronotope.protocol import (
    Ask,
    Image,
    MediaFacts,
    Option,
    Part,
    PictureFile,
    Role,
    Text,
    option_letters,
    planned_images,
)
from chronotope.question import MediaItem, Question

DESCRIPTION_HEADER = "Step description:"
NOTHING = "None visible."  # the authors' text for an empty dimension
SHOWN = "shown"  # in the wording of a routed ask: the strategy that the route chose
MASK = "(Step description omitted.)"  # the authors' text in place of a description, in their ablation

_CLIP_LABELS = {"video": "Video frames ({} frames):", "clip_a": "Clip A ({} frames):", "clip_b": "Clip B ({} frames):"}
_CURRENT_STEP = "Current step (video):"
_DIAGRAM_LABEL = "Instruction diagram:"
_HEADINGS = {
    **dict.fromkeys(("T3", "E2", "E3"), "Complete instruction sequence:"),
    "D2": "Shuffled instruction diagrams:",
}

# The instructions for open questions are our own, because the paper has no open questions.
_OPEN_INSTRUCTIONS = {
    "T2": "Answer only Yes or No.",
    "T3": "Answer only with the step, in the form: Step N",
    "D1": "Answer only Same or Different.",
    "D2": "Answer only with the order, in the form: Image X -> Image Y -> Image Z",
}


def prompt(ask: Ask, question: Question, facts: MediaFacts) -> list[Part]:
    """Make the prompt of an ask.

    The setting ``instruction`` selects the paper's or the code's version of the instruction for the reply.

    Raises:
        InputError: If the strategy shows descriptions, and the description of a diagram is missing.
    """
    strategy = strategy_of(ask)
    diagrams = _Diagrams(strategy, facts, ("descriptions", "masked") in ask.wording, PHOTO in ask.wording)
    words = diagrams.words
    shown = () if ask.input == "blind" else _media(ask, question, diagrams)
    instruction = next(words for source, words in INSTRUCTIONS.items() if source == ask.worded("instruction"))
    closing = _OPEN_INSTRUCTIONS.get(question.task, "") if question.expected else instruction
    role: Role = "system" if ask.worded("context_role") == "system" else "user"
    parts: list[Part] = [
        Text(words(context(question.task, strategy)), role),
        *shown,
        Text(_stem(question, strategy, words)),
        *_options(ask, question, diagrams),
        Text(closing),
    ]
    return list(_lines(parts))


def _stem(question: Question, strategy: Strategy, words: Callable[[str], str]) -> str:
    """Return the stem, adapted to the strategy and to the pictures.

    For the strategy ``text_only``, stems written by Chronotope mention descriptions instead of diagrams, and for
    photographs they mention photographs. Released stems are never changed.
    """
    if "released" in question.provenance:
        return question.stem
    return without_diagrams(question.stem) if strategy == "text_only" else words(question.stem)


def strategy_of(ask: Ask) -> Strategy:
    """Return the strategy of an ask as one of the three strategies.

    For a routed ask, it is the strategy that the route chose for its task.
    """
    shown = dict(ask.wording).get(SHOWN, ask.strategy)
    return next(strategy for strategy in STRATEGIES if strategy == shown)


def description_text(description: Mapping[str, str]) -> str | None:
    """Return the text that describes a diagram in a prompt.

    The text has a header line, then one line for each dimension that is not empty. The result is None if all dimensions
    are empty.
    """
    said = ((name, description.get(name, "").strip()) for name in DIMENSIONS)
    lines = [f"{name.upper()}: {text}" for name, text in said if text and text != NOTHING]
    return "\n".join([DESCRIPTION_HEADER, *lines]) if lines else None


def description_of(path: str, facts: MediaFacts) -> str:
    """Return the text that describes a diagram.

    Raises:
        InputError: If the diagram has no description.
    """
    text = description_text(facts.picture(path).description)
    if text is None:
        raise InputError(
            f"{path}: this diagram has no description, but the strategies visual_text and text_only need descriptions: "
            "build the benchmark with --writer MODEL, write descriptions into procedure.yaml, or ask with --strategy "
            "visual"
        )
    return text


@dataclass(frozen=True)
class _Diagrams:
    """The diagrams of a prompt, as the strategy shows them: pictures, pictures with descriptions, or descriptions.

    If ``masked``, each description beside a picture is replaced by the same sentence. If ``photos``,
    photographs of the same steps stand for the diagrams.
    """

    strategy: Strategy
    facts: MediaFacts
    masked: bool = False
    photos: bool = False

    def words(self, text: str) -> str:
        """Return a text with the name of the pictures."""
        return with_photographs(text) if self.photos else text

    def item(self, label: str, path: str) -> Iterator[Part]:
        """Yield the parts of a prompt for a labelled diagram."""
        if self.strategy == "text_only":
            yield Text(f"{without_diagrams(label)} {description_of(path, self.facts)}", label=True)
            return
        yield Text(self.words(label), label=True)
        yield Image(self._file(path))
        yield from self._beside(path)

    def option(self, letter: str, path: str) -> Iterator[Part]:
        """Yield the parts of a prompt for an option with a diagram."""
        if self.strategy == "text_only":
            text = description_of(path, self.facts)
            yield Option(letter, f"{letter}) {text}", text)
            return
        yield Option(letter, f"{letter}) ", image=self._file(path))
        yield from self._beside(path)

    def _file(self, path: str) -> PictureFile:
        shown = photo_of(path, self.facts) if self.photos else path
        return PictureFile(shown, self.facts.picture(shown).sha256)

    def _beside(self, path: str) -> Iterator[Part]:
        if self.strategy == "visual_text" and self.masked:
            yield Text(MASK)
        elif self.strategy == "visual_text":
            yield Text(f"({self.words('Description of the diagram above')}: {description_of(path, self.facts)})")


def _media(ask: Ask, question: Question, diagrams: _Diagrams) -> Iterator[Part]:
    heading = _HEADINGS.get(question.task)
    for item, plan in zip(question.media, ask.plans, strict=True):
        if item.kind != "image":
            yield from _clip(question.task, item, plan, diagrams.facts)
            continue
        if heading is not None:
            told = without_diagrams if diagrams.strategy == "text_only" else diagrams.words
            yield Text(told(heading), label=True)
            heading = None
        yield from diagrams.item(_DIAGRAM_LABEL if question.task in ("T2", "E1") else f"{item.label}:", item.paths[0])


def _clip(task: str, item: MediaItem, plan: FramePlan | None, facts: MediaFacts) -> Iterator[Part]:
    """Yield the label and the planned frames of a clip.

    If the benchmark has pictures instead of the clip, the planned pictures are yielded.
    """
    pictures = () if plan is None else planned_images(item.paths, plan, facts)
    yield Text(_CURRENT_STEP if task == "T4" else _CLIP_LABELS[item.role].format(len(pictures)), label=True)
    yield from pictures


def _options(ask: Ask, question: Question, diagrams: _Diagrams) -> Iterator[Part]:
    for letter, index in zip(option_letters(len(ask.placement)), ask.placement, strict=True):
        option = question.options[index]
        if option.image is not None:
            yield from diagrams.option(letter, option.image)
        else:
            yield Option(letter, f"{letter}) {option.text}", option.text)


def _lines(parts: Iterable[Part]) -> Iterator[Part]:
    """Add a line feed before every text except a message's first text."""
    begun: set[Role] = set()
    for part in parts:
        if part.role not in begun or isinstance(part, Image):
            yield part
        elif isinstance(part, Text):
            yield replace(part, text="\n" + part.text)
        elif isinstance(part, Option):
            yield replace(part, shown="\n" + part.shown)
        begun.add(part.role)
