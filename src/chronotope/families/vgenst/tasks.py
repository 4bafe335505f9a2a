"""The twelve tasks and twelve question types of VGenST-Bench, and the combinations that the paper asks."""

from collections.abc import Mapping

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
TASKS = tuple(NAMES)
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

_CODES = {task.partition("_")[0]: task for task in TASKS}
_SHORT = {name.partition("-")[2]: name for name in TYPES}


def _cell(short: str) -> tuple[str, str]:
    task, _, kind = short.partition("-")
    return _CODES[task], _SHORT[kind]


ACTIVE: Mapping[str, tuple[str, ...]] = {
    _CODES[code]: tuple(_SHORT[kind] for kind in kinds.split()) for code, kinds in _ACTIVE.items()
}
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
    """Check whether the paper has questions of this type for this task."""
    return kind in ACTIVE.get(task, ())


def is_informative(task: str, kind: str) -> bool:
    """Check whether the answer to a type of question varies between scenes.

    The result is false in three cases: the paper does not ask this type for this task, the answer is the same in every
    scene, or the answer always names the thing with the same role in the scene.
    """
    return is_active(task, kind) and (task, kind) not in CONSTANT | ROLE_CONSTANT
