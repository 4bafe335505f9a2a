"""The twelve tasks and twelve question types of VGenST-Bench, and the combinations that are asked.

Tasks of other packages follow the published ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from chronotope.plugins import Registry, installed, installed_names
from chronotope.question import Question

NAMES = {
    "MC_F_EGO_STA": "Multi-Container Attribute Mapping",
    "QC_F_EGO_DYN": "Quantity Change Tracking",
    "CI_F_EXO_STA": "Container Intersection Inference",
    "CM_F_EXO_DYN": "Causal Mapping",
    "DE_V_EGO_STA": "Direction Estimation",
    "IO_V_EGO_DYN": "Interacted Object Identification",
    "HO_V_EXO_STA": "Height Ordering",
    "VI_V_EXO_DYN": "Visibility Identification",
    "DS_E_EGO_STA": "Directional Signage Grounding",
    "RV_E_EGO_DYN": "Relative Velocity Identification",
    "LS_E_EXO_STA": "Landmark Spatial Composition",
    "BT_E_EXO_DYN": "Behavioral Trigger Identification",
}
GROUP = "chronotope.stages.questions"
"""The entry points of questions about tasks of other packages; the name of each is the full code of its task."""

TASKS = (*NAMES, *installed_names(GROUP))
TYPE_NAMES = {
    "L1-OE": "object existence",
    "L1-OA": "object attribute",
    "L1-FL": "2-D frame location",
    "L2-IT": "identity tracking",
    "L2-AR": "action recognition",
    "L2-OC": "object counting",
    "L2-TO": "temporal order",
    "L2-CM": "camera motion",
    "L2-SL": "spatial layout",
    "L3-PT": "perspective taking",
    "L3-CR": "counterfactual",
    "L3-PR": "prediction",
}
TYPES = tuple(TYPE_NAMES)
LEVELS = ("L1", "L2", "L3")
AXES: Mapping[str, Mapping[str, str]] = {
    "scale": {"F": "figural", "V": "vista", "E": "environmental"},
    "perspective": {"EGO": "egocentric", "EXO": "exocentric"},
    "dynamics": {"STA": "static", "DYN": "dynamic"},
}
"""The three axes. Each axis maps an abbreviation in the code of a task to the value of the tag."""

# Section 4: the question types of each task (98 of 144 cells).
_ACTIVE = {
    "MC": "OE OA FL IT OC CM SL CR",
    "QC": "OE OA IT AR OC TO SL CR PR",
    "CI": "OE OA FL OC TO CM SL CR",
    "CM": "OE OA FL AR TO SL PT CR",
    "DE": "OE OA TO CM SL PT CR",
    "IO": "OE OA FL IT AR OC SL CR",
    "HO": "OE OA FL TO CM SL CR",
    "VI": "OE OA FL IT AR SL PT",
    "DS": "OE OA FL OC CM SL PT CR",
    "RV": "OE OA FL IT AR OC TO CM SL PT CR PR",
    "LS": "OE OA TO CM SL PT CR PR",
    "BT": "OE OA IT AR TO CM PT CR",
}
# Section 14: cells with the same answer in every scene; cells whose answer always names the thing with the same role.
_CONSTANT = "QC-IT QC-SL CI-CM CM-FL CM-SL DE-SL DE-CR IO-OC HO-FL DS-FL DS-OC RV-OC RV-CM BT-CM BT-CR"
_ROLE_CONSTANT = "CI-TO DE-TO HO-CR RV-IT RV-AR RV-TO RV-CR RV-PR LS-TO BT-TO"

_CODES = {task.partition("_")[0]: task for task in NAMES}
_SHORT = {name.partition("-")[2]: name for name in TYPES}


def _cell(short: str) -> tuple[str, str]:
    task, _, kind = short.partition("-")
    return _CODES[task], _SHORT[kind]


@dataclass(frozen=True)
class TaskQuestions:
    """The questions about a task of another package; ``name`` is the full code of the task.

    ``stems`` has the wordings of each template, such as "MC-OE.a". The templates are made by
    `chronotope.families.vgenst.write.cell.template` when the package is imported.
    """

    name: str
    stems: Mapping[str, Sequence[str]]

    @property
    def kinds(self) -> tuple[str, ...]:
        """Return the question types that are asked, in the published order."""
        asked = {template.partition(".")[0].partition("-")[2] for template in self.stems}
        return tuple(kind for short, kind in _SHORT.items() if short in asked)


@cache
def own_tasks() -> dict[str, TaskQuestions]:
    """Return the questions about tasks of other packages, by the full codes of the tasks.

    Raises:
        InputError: If an entry point cannot be loaded, or has no questions.
    """
    return installed(GROUP, TaskQuestions, ("package of questions", "packages of questions"))


_PUBLISHED = {_CODES[code]: tuple(_SHORT[kind] for kind in kinds.split()) for code, kinds in _ACTIVE.items()}
ACTIVE: Mapping[str, tuple[str, ...]] = Registry(
    lambda: _PUBLISHED | {name: task.kinds for name, task in own_tasks().items()}
)
CONSTANT = frozenset(map(_cell, _CONSTANT.split()))
ROLE_CONSTANT = frozenset(map(_cell, _ROLE_CONSTANT.split()))


def axes_of(task: str) -> dict[str, str]:
    """Return the value of a task on each of the three axes."""
    _, *parts = task.split("_")
    return {axis: values[part] for (axis, values), part in zip(AXES.items(), parts, strict=True)}


def level_of(kind: str) -> str:
    """Return the level of a question type, ``L1`` to ``L3``."""
    return kind.partition("-")[0]


def is_active(task: str, kind: str) -> bool:
    """Check whether questions of this type are asked about this task."""
    return kind in ACTIVE.get(task, ())


def flag_of(question: Question) -> str:
    """Return why the answer to a question hardly varies: "constant", "role_constant", or "".

    Questions of our own have the tag ``template``, and a flag if their answer does not vary. For all other questions,
    the published design decides.
    """
    if "template" in question.tags:
        return next((flag for flag in ("constant", "role_constant") if flag in question.flags), "")
    cell = question.task, next(iter(question.tags.get("type", ())), "")
    return "constant" if cell in CONSTANT else "role_constant" if cell in ROLE_CONSTANT else ""


def is_informative(task: str, kind: str) -> bool:
    """Check whether the answer to a type of question varies between scenes.

    The result is false in three cases: this type is not asked about this task, the answer is the same in every
    scene, or the answer always names the thing with the same role in the scene.
    """
    return is_active(task, kind) and (task, kind) not in CONSTANT | ROLE_CONSTANT
