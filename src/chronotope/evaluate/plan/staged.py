"""The calls of a method, with their keys, as far as replies are known.

A prompt that depends on a reply contains a placeholder as long as this reply is unknown. The placeholder has the key of
the call, so the hash of the prompt with placeholders depends on everything that determines the prompt: the clips, the
prompts and the models of all earlier stages. This hash stands for the prompt of an answer in ``asks.parquet``, and the
key of the answer is computed from it. So the answer to an ask is found although its prompt contains replies.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from chronotope.errors import InputError
from chronotope.io import sha256_bytes
from chronotope.ledger import call_key
from chronotope.media import FramePlan
from chronotope.methods import Method, MethodAsk, MethodSettings, Step, StepKind
from chronotope.models import Decoding, Limits, RunPrice, tokens_of_text
from chronotope.protocol import Ask, AskSettings, FrameOf, Image, MediaFacts, Option, Part, Text, describe
from chronotope.question import Question

REPLY = "⟨reply to {key}⟩"  # stands for a reply that is not known yet


@dataclass(frozen=True)
class StageModel:
    """The model of one stage, as far as planning needs it.

    ``wire`` is the form of its requests, and ``about`` are further values on which its replies depend.
    """

    name: str
    decoding: Decoding
    limits: Limits = field(default_factory=Limits)
    price: RunPrice | None = None
    wire: str = "chat"
    about: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Made:
    """One call of a method: its step, its key, and its reply if this is known."""

    step: Step
    key: str
    reply: str | None


@dataclass(frozen=True)
class Staged:
    """A method with its settings and the models of its stages."""

    method: Method
    settings: MethodSettings
    models: Mapping[StepKind, StageModel]

    def key_of(self, step: Step) -> str:
        """Return the key of a call."""
        model = self.models[step.kind]
        return call_key(step.prompt, model.name, model.decoding.model_dump(mode="json"))

    def longest(self, kind: StepKind) -> int:
        """Return the limit on replies of a kind (tokens)."""
        return self.models[kind].decoding.longest_reply[1] or self.settings.longest(kind)

    def applied(self, ask: Ask, question: Question, parts: Sequence[Part], facts: MediaFacts) -> MethodAsk:
        """Apply the method to an ask of the protocol.

        Raises:
            InputError: If the method cannot be applied to the question.
        """
        asked = MethodAsk(ask, question, tuple(parts), facts)
        return replace(asked, ask=replace(ask, plans=self.method.shown(asked, self.settings)))

    def walk(
        self, asked: MethodAsk, reply_of: Callable[[str], str | None], unknown: str = REPLY
    ) -> tuple[list[Made], tuple[Part, ...]]:
        """Return the calls of an ask, and the prompt of its answer.

        ``reply_of`` returns the reply to the call with a key, or None. A reply that is unknown is replaced by
        ``unknown``.
        """
        made: list[Made] = []
        stages = self.method.stages(asked, self.settings)
        try:
            steps = next(stages)
            while True:
                now = [Made(step, key := self.key_of(step), reply_of(key)) for step in steps]
                made += now
                steps = stages.send([unknown.format(key=one.key) if one.reply is None else one.reply for one in now])
        except StopIteration as end:
            return made, end.value

    def recipe(self, asked: MethodAsk) -> tuple[list[Made], tuple[Part, ...], str]:
        """Return the calls of an ask, its prompt, and their hash.

        All replies are placeholders.
        """
        made, parts = self.walk(asked, lambda _: None)
        return made, parts, sha256_bytes(describe(parts).encode())


def text_of(parts: Sequence[Part]) -> str:
    """Return all words of a prompt."""
    return "".join(
        part.text if isinstance(part, Text) else part.shown for part in parts if isinstance(part, Text | Option)
    )


def estimated_tokens(parts: Sequence[Part], made: Sequence[Made], staged: Staged) -> int:
    """Estimate the tokens of the words of a prompt.

    A placeholder counts as a reply of maximum length.
    """
    text, tokens = text_of(parts), 0
    for one in made:
        placeholder = REPLY.format(key=one.key)
        if one.reply is None and placeholder in text:
            text = text.replace(placeholder, "")
            tokens += staged.longest(one.step.kind)
    return tokens_of_text(text) + tokens


def refuse_with_method(name: str, settings: AskSettings, layout: str) -> None:
    """Refuse settings that have no effect with a method.

    Raises:
        InputError: If a setting chooses frames or their form, the layout is not the published one, or no pictures are
            shown.
    """
    for flag, value, usual in (
        ("input", settings.input, "full"),
        ("clips", settings.clips, "frames"),
        ("frames-as", settings.frames_as, None),
        ("layout", layout, "published"),
    ):
        if value != usual:
            raise InputError(f"--{flag} {value}: cannot be combined with --method {name}: omit one of the two flags")
    for field_name in sorted(settings.choosing):
        if getattr(settings, field_name) != type(settings).model_fields[field_name].get_default():
            flag = field_name.replace("_", "-")
            raise InputError(
                f"--{flag}: --method {name} chooses the frames, with settings of its own: omit one of the two flags"
            )


def frames_shown(steps: Sequence[Step]) -> Iterator[tuple[str, FramePlan]]:
    """Yield path and frame plan of each picture in calls."""
    for step in steps:
        for part in step.parts:
            if isinstance(part, Image) and isinstance(part.picture, FrameOf):
                yield part.picture.path, part.picture.plan
