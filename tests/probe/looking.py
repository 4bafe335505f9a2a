"""The questions of examples/train_looker.py, put to its model as a run does: same plan, prompts and pictures."""

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import torch

from chronotope.evaluate.plan import Plan, Selection, make_plan
from chronotope.evaluate.plan.asks import plan_calls
from chronotope.evaluate.run.group_pictures import PictureLoader, planned_frames
from chronotope.evaluate.run.groups import make_groups
from chronotope.families import family
from chronotope.models import Decoding, Limits
from chronotope.protocol import Ask
from chronotope.question import Benchmark, Question


@dataclass(frozen=True)
class Asked:
    """An ask of a plan with its encoded prompt and the option that the model chose."""

    ask: Ask
    question: Question
    encoded: Any
    chosen: int
    right: bool

    @property
    def kind(self) -> str:
        return self.question.tags["type"][0]


def letter(local: Any, index: int) -> int:
    """The token of the letter of an option."""
    [token] = local.tokenizer.encode("ABCD"[index], add_special_tokens=False)
    return token


def ask_all(local: Any, benchmark: Benchmark, **settings: object) -> dict[str, Asked]:
    """Ask every question, and read the reply with the protocol; by the question's id."""
    vgenst = family("vgenst")
    plan: Plan = make_plan(benchmark, vgenst, vgenst.RunSettings(**settings), Selection(), Limits())
    planned = plan_calls(plan, "transformers/looker", Decoding())
    loader = PictureLoader(benchmark.folder, planned_frames(planned, plan.prompts))
    found: dict[str, Asked] = {}
    for group in make_groups(plan, planned):
        pictures = loader.load(group.calls)
        assert not pictures.problems
        for call in group.calls:
            ask = call.planned.ask
            question = plan.questions[ask.question]
            encoded = local.encode(call.parts, pictures)
            with torch.inference_mode():
                logits = local.model(**local.inputs(encoded), use_cache=False).logits[0, -1]
            reply = local.tokenizer.decode([int(logits.argmax())])
            reading = vgenst.protocol.read(ask, question, reply, truncated=False)
            chosen = min(reading.options) if reading.options else -1
            found[question.id] = Asked(ask, question, encoded, chosen, reading.options == frozenset(question.answer))
    return found


def accuracy(asked: dict[str, Asked]) -> dict[str, float]:
    """The share of right replies by the type of question."""
    kinds = defaultdict(list)
    for one in asked.values():
        kinds[one.kind].append(one.right)
    return {kind: sum(right) / len(right) for kind, right in kinds.items()}


def facts_in(frames: list[Any]) -> tuple[str, dict[str, list[int]]]:
    """The colour of the ball, and the numbers of the frames in which each lamp is on, from the pixels alone."""
    ball, lit = set(), {"left": [], "right": []}
    for number, frame in enumerate(frames):
        values = frame.astype(int)
        red, green, blue = values[50:].transpose(2, 0, 1)
        strong = {
            "red": (red - green > 80) & (red - blue > 80),
            "green": (green - red > 50) & (green - blue > 30),
            "blue": (blue - red > 80) & (blue - green > 50),
            "yellow": (green - blue > 90) & (red - blue > 90),
        }
        ball.add(max(strong, key=lambda name: strong[name].sum()))
        for lamp, column in (("left", 26), ("right", 70)):
            if values[16:25, column - 4 : column + 5].mean() > 180:
                lit[lamp].append(number)
    [colour] = ball
    return colour, lit


def answer_in(frames: list[Any], question: Question) -> str:
    """The text of the option that is true of some frames."""
    colour, lit = facts_in(frames)
    if asked := re.fullmatch(r"Is there a (\w+) ball on the table\?", question.stem):
        return "Yes" if asked[1] == colour else "No"
    return colour if "colour" in question.stem else f"The {min(lit, key=lambda lamp: lit[lamp])} lamp"
