"""A service that writes and judges scenes as code would, and misbehaves as told."""

import json
import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from chronotope.families.vgenst.agents import Item
from chronotope.families.vgenst.agents.examples import FIXED
from chronotope.families.vgenst.agents.scene_graphs import drawn_graph
from chronotope.families.vgenst.agents.storylines import drawn_scenario
from chronotope.families.vgenst.agents.translators import drawn_image_prompt, drawn_video_prompt
from chronotope.world.kinds.stage.graph import SceneGraph
from service import ChatService, completion, read_parts

SEED = 5
STAGES = {
    "You design scenes": "graph",
    "You check scene graphs": "judge graph",
    "You write the scenario": "scenario",
    "You check scenarios": "judge scenario",
    "You write the prompt for an image": "image",
    "You write the prompt for a video": "video",
    "You write multiple-choice": "question",
    "You check multiple-choice": "judge question",
    "You choose the task": "task",
}
CHECKS = {
    "judge graph": ["task_compliance_check", "ambiguity_check", "theme_compliance_check"],
    "judge scenario": ["attribute_and_hallucination_check", "first_frame_check", "temporal_action_check",
                       "gt_determination_check", "task_rules_camera_dynamics_check"],
    "judge question": ["type_check", "answer_check", "viewing_check"],
}  # fmt: skip


class Author(ChatService):
    """Answers for the scenes of some items.

    ``script`` maps a stage to what happens at its calls about one item, in order: ``right``, ``garbage`` (no JSON),
    ``cut`` (the reply ends in the middle), ``wrong`` (an object that breaks a rule), ``reject`` (of a judge),
    ``refused`` (by the service), ``down`` (the service fails). The last entry stands for all later calls. ``pause`` is
    the time (s) for each answer.
    """

    def __init__(self, items: Sequence[Item], script: Mapping[str, Sequence[str]] | None = None) -> None:
        super().__init__()
        self.items = {(item.task, item.theme.name): item for item in items}
        self.script = script or {}
        self.pause = 0.0
        self.last: dict[str, SceneGraph] = {}  # the last graph of each item; after a rejection, another one
        self.calls: Counter[tuple[str, str]] = Counter()
        self.texts: list[tuple[str, str]] = []

    def answer(self, body: dict[str, Any]) -> tuple[int, Mapping[str, Any] | bytes]:
        time.sleep(self.pause)
        text, _ = read_parts(body)
        stage = next(name for begins, name in STAGES.items() if text.startswith(begins))
        item = self.item_of(text)
        with self.lock:
            number = self.calls[stage, item.id]
            self.calls[stage, item.id] += 1
            self.texts.append((stage, text))
        script = self.script.get(stage, ["right"])
        act = script[min(number, len(script) - 1)]
        if act == "refused":
            return 400, {"error": {"message": "blocked", "code": "content_filter"}}
        if act == "down":
            return 503, {"error": {"message": "out of order"}}
        if act == "garbage":
            return 200, completion("I would rather write a poem.")
        said = json.dumps(self.said(stage, item, act, text))
        if act == "cut":
            return 200, completion(said[: len(said) // 2], finish="length")
        return 200, completion(said)

    def item_of(self, text: str) -> Item:
        code = re.search(r"Task ([A-Z]{2})_[FVE]_", text)
        assert code is not None, text[:300]
        names = [name for task, name in self.items if task == code[1]]
        own = text.rpartition("Theme: ")[2] if "Theme: " in text else ""
        named = [name for name in names if own.startswith(name) or f'"theme": "{name}"' in text.rpartition("\n\n")[2]]
        named = named or [name for name in names if f'"theme": "{name}"' in text]
        assert named, (code[1], own[:60])
        return self.items[code[1], named[-1]]

    def said(self, stage: str, item: Item, act: str, text: str) -> Any:
        if stage.startswith("judge"):
            return self.verdict(stage, act)
        rejected = re.search(r"Attempt (\d) was rejected", text)
        if stage == "graph" and rejected:
            self.last[item.id] = drawn_graph(item, "paper", SEED + int(rejected[1]))
        graph = self.last.setdefault(item.id, drawn_graph(item, "paper", SEED))
        if stage == "graph":
            made = {name: value for name, value in graph.model_dump(mode="json").items() if name not in FIXED}
            if act == "wrong":
                made["objects"][-1]["label"] = made["objects"][0]["label"]
            if act == "formless":
                del made["ground_truth"]
            return made
        scenario = drawn_scenario(graph)
        if stage == "scenario":
            timeline = dict(scenario.timeline)
            if act == "wrong":
                timeline.popitem()
            return {"reasoning_goal": scenario.reasoning_goal, "timeline": timeline}
        if stage in ("image", "video"):
            right = drawn_image_prompt(graph) if stage == "image" else drawn_video_prompt(graph, scenario)
            return {"prompt": "Make something nice." if act == "wrong" else right}
        kind = re.search(r"Question type (L\d-[A-Z]{2})", text)
        assert kind is not None
        options = ["once", "twice", "three times"]
        answer = "never" if act == "wrong" else "twice"
        asked = {"question": f"How often does it happen in {item.theme.name}?", "options": options, "answer": answer}
        return {"qa_type": kind[1], "task": item.task, "questions": [asked]}

    def verdict(self, stage: str, act: str) -> dict[str, Any]:
        fault = {"rule_id": "ambiguity_check", "path": "objects.0.label", "found": "thing", "expected": "a name",
                 "hint": f"name it better ({stage})"}  # fmt: skip
        is_valid = act != "reject"
        return {
            "evaluation_reasoning": dict.fromkeys(CHECKS[stage], "looked at it"),
            "is_valid": is_valid,
            "error_type": None if is_valid else "ambiguity_check",
            "feedback_for_generator": [] if is_valid else [fault],
        }
