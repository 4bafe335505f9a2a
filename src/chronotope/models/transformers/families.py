"""The table of model families that run in this process, and the models that need their authors' own package."""

from dataclasses import dataclass
from typing import Any

from chronotope.errors import InputError


@dataclass(frozen=True)
class FamilyRow:
    """One family of models: where its parts are, and how its prompts are written.

    - ``types`` are the values of ``model_type`` in ``config.json``.
    - ``vision``, ``projector`` and ``decoder`` are paths of modules. ``blocks`` is the path of the vision blocks within
      ``vision``. If a path is empty, `resolve` searches for the module.
    - ``deepstack`` is the path of the projectors whose outputs are added after the first decoder layers.
    - ``windowed`` states that the vision blocks and the projector have the patches in the order of windows.
    - ``frames`` is the way in which a video of frames becomes tensors without torchvision (`videos`): ``patches``,
      ``pictures``, or None if the library's video processor is needed.
    - ``in_text`` is how the placeholder of a picture is written into a text. This placeholder is needed if the chat
      template moves all pictures to the front of a message, as the templates of LLaVA do.
    """

    name: str
    types: tuple[str, ...]
    vision: str = ""
    projector: str = ""
    decoder: str = ""
    blocks: str = ""
    deepstack: str | None = None
    windowed: bool = False
    frames: str | None = None
    in_text: str = "{}\n"


@dataclass(frozen=True)
class Authors:
    """Weights whose code is not part of Transformers.

    ``package`` is the authors' package or code. ``instead`` is a way to use the model without it.
    """

    package: str
    instead: str


_QWEN: dict[str, Any] = {
    "vision": "model.visual",
    "projector": "model.visual.merger",
    "decoder": "model.language_model",
}
_LLAVA: dict[str, Any] = {
    "vision": "model.vision_tower",
    "projector": "model.multi_modal_projector",
    "decoder": "model.language_model",
    "blocks": "encoder.layers",
}

FAMILIES = (
    FamilyRow("Qwen2-VL", ("qwen2_vl",), **_QWEN, blocks="blocks", frames="patches"),
    FamilyRow("Qwen2.5-VL", ("qwen2_5_vl",), **_QWEN, blocks="blocks", frames="patches", windowed=True),
    FamilyRow(
        "Qwen3-VL",
        ("qwen3_vl", "qwen3_vl_moe"),
        **_QWEN,
        blocks="blocks",
        frames="patches",
        deepstack="model.visual.deepstack_merger_list",
    ),
    FamilyRow("Qwen3.5", ("qwen3_5", "qwen3_5_moe"), **_QWEN, blocks="blocks", frames="patches"),
    FamilyRow(
        "InternVL",
        ("internvl",),
        "model.vision_tower",
        "model.multi_modal_projector",
        "model.language_model",
        "encoder.layer",
        frames="pictures",
    ),
    FamilyRow("LLaVA-OneVision", ("llava_onevision",), **_LLAVA, frames="pictures"),
    FamilyRow("LLaVA-NeXT-Video", ("llava_next_video",), **_LLAVA, frames="pictures"),
    FamilyRow(
        "VideoLLaMA3",
        ("video_llama_3",),
        "model.vision_model",
        "model.projector",
        "model.language_model",
        "encoder.layers",
    ),
    FamilyRow(
        "MiniCPM-V",
        ("minicpmv4_6", "minicpmv4_7"),
        "model.vision_tower",
        "model.merger",
        "model.language_model",
        "encoder.layers",
    ),
    FamilyRow("Gemma 3", ("gemma3",), **_LLAVA),
    FamilyRow("GLM-4.1V", ("glm4v", "glm4v_moe", "glm46v"), **_QWEN, blocks="blocks"),
    FamilyRow(
        "SmolVLM",
        ("smolvlm", "idefics3"),
        "model.vision_model",
        "model.connector",
        "model.text_model",
        "encoder.layers",
    ),
)

# Any other image-text-to-text class whose processor shows where it puts pictures.
GENERIC = FamilyRow("other", ())

_REMOTE = "add --set remote_code=true, which runs the code that comes with the weights"
SERVE = "serve it with vLLM or SGLang, and use the name endpoint/NAME with --base-url"

_HF = f"use the weights whose name ends in -hf, or {SERVE}"
_BESIDE = "the code beside the weights"

# The model types of weights that Transformers cannot load by itself.
AUTHORS = {
    "internvl_chat": Authors(_BESIDE, "use the weights whose name ends in -HF"),
    "llava_qwen": Authors("the authors' package llava (LLaVA-NeXT)", _HF),
    "llava_llama": Authors("the authors' package llava", _HF),
    "llava_mistral": Authors("the authors' package llava (LLaVA-NeXT)", _HF),
    "videollama3_qwen2": Authors(_BESIDE, f"use weights of the type video_llama_3, or {_REMOTE}"),
    "videollama2_qwen2": Authors("the authors' package videollama2", SERVE),
    "minicpmv": Authors(_BESIDE, f"use MiniCPM-V 4.6 or later, or {_REMOTE}"),
    "minicpmo": Authors(_BESIDE, SERVE),
    "deepseek_vl_v2": Authors("the authors' package deepseek_vl2", SERVE),
    "kimi_vl": Authors(_BESIDE, _REMOTE),
    "llavaonevision1_5": Authors(_BESIDE, _REMOTE),
    "keye": Authors(_BESIDE, _REMOTE),
    "ovis": Authors(_BESIDE, _REMOTE),
    "ovis2_5": Authors(_BESIDE, _REMOTE),
    "molmo": Authors(_BESIDE, _REMOTE),
    "phi3_v": Authors(_BESIDE, _REMOTE),
    "vila": Authors("the authors' package VILA", SERVE),
    "nvila": Authors("the authors' package VILA", SERVE),
}


def family_row(model_type: str) -> FamilyRow:
    """Return the row of a model type, or the generic row."""
    return next((row for row in FAMILIES if model_type in row.types), GENERIC)


def refuse_foreign(name: str, model_type: str) -> None:
    """Refuse weights that need their authors' package or code.

    Raises:
        InputError: If the model type is in `AUTHORS`.
    """
    if (needed := AUTHORS.get(model_type)) is not None:
        raise InputError(f"needs {needed.package} (its type is {model_type!r})", where=name, fix=needed.instead)
