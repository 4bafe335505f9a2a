"""Tiny random models of the real classes, saved as folders that Transformers loads like downloaded weights.

The tokenizer has one token for each byte, and the special tokens of the family. The chat templates have the form of the
published ones.
"""

import json
from pathlib import Path
from typing import Any

TEXT = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 8,
    "max_position_embeddings": 4096,
}
VISION = {"hidden_size": 32, "intermediate_size": 48, "num_attention_heads": 4, "num_hidden_layers": 2}
QWEN_VISION = {"hidden_size": 32, "intermediate_size": 48, "num_heads": 4, "out_hidden_size": 32, "depth": 2}
ROPE = {"rope_type": "default", "mrope_section": [1, 1, 2], "rope_theta": 1e6}

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{% for part in message.content %}{% if part.type == 'text' %}{{ part.text }}"
    "{% elif part.type == 'image' %}IMAGE{% else %}VIDEO{% endif %}{% endfor %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
QWEN_TEMPLATE = CHATML.replace("IMAGE", "<|vision_start|><|image_pad|><|vision_end|>").replace(
    "VIDEO", "<|vision_start|><|video_pad|><|vision_end|>"
)
THINKING = QWEN_TEMPLATE.replace("assistant\n{%", "assistant\n<think>\n{%")
INTERNVL_TEMPLATE = CHATML.replace("IMAGE", "<IMG_CONTEXT>\n").replace("VIDEO", "<video>\n")
# As published for LLaVA-OneVision: all pictures of a message come before its text.
LLAVA_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }} "
    "{% for part in message.content | selectattr('type', 'equalto', 'image') %}<image>\n{% endfor %}"
    "{% for part in message.content | selectattr('type', 'equalto', 'video') %}<video>\n{% endfor %}"
    "{% for part in message.content | selectattr('type', 'equalto', 'text') %}{{ part.text }}{% endfor %}<|im_end|>"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
GEMMA_TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<start_of_turn>{{ message.role }}\n"
    "{% for part in message.content %}{% if part.type == 'text' %}{{ part.text | trim }}"
    "{% else %}<start_of_image>{% endif %}{% endfor %}<end_of_turn>\n{% endfor %}"
    "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)

QWEN_TOKENS = {
    "image_token": "<|image_pad|>",
    "video_token": "<|video_pad|>",
    "vision_start_token": "<|vision_start|>",
    "vision_end_token": "<|vision_end|>",
}
_QWEN2_IMAGES = {
    "image_processor_type": "Qwen2VLImageProcessor",
    "patch_size": 14,
    "size": {"shortest_edge": 784, "longest_edge": 12544},
}
_QWEN3_IMAGES = _QWEN2_IMAGES | {"patch_size": 16, "size": {"shortest_edge": 1024, "longest_edge": 16384}}
_QWEN2_VIDEOS = {
    "video_processor_type": "Qwen2VLVideoProcessor",
    "patch_size": 14,
    "size": {"shortest_edge": 784, "longest_edge": 12544},
}
_QWEN3_VIDEOS = {
    "video_processor_type": "Qwen3VLVideoProcessor",
    "patch_size": 16,
    "size": {"shortest_edge": 1024, "longest_edge": 131072},
}
_QWEN_IDS = {"image_token_id": "<|image_pad|>", "video_token_id": "<|video_pad|>"}
_QWEN_MARKS = {"vision_start_token_id": "<|vision_start|>", "vision_end_token_id": "<|vision_end|>"}
_QWEN3_VISION = QWEN_VISION | {"patch_size": 16, "num_position_embeddings": 64}

# For each model type: configuration, ids in the configuration, tokens, template, processor, and settings of pictures
# and videos.
FAMILIES: dict[str, dict[str, Any]] = {
    "qwen2_vl": {
        "text": {"rope_parameters": ROPE},
        "vision": {"embed_dim": 32, "hidden_size": 32, "num_heads": 4, "depth": 2, "mlp_ratio": 2, "patch_size": 14},
        "ids": _QWEN_IDS | _QWEN_MARKS, "tokens": QWEN_TOKENS, "template": QWEN_TEMPLATE,
        "processor": {"processor_class": "Qwen2VLProcessor"}, "images": _QWEN2_IMAGES, "videos": _QWEN2_VIDEOS,
    },
    "qwen2_5_vl": {
        "text": {"rope_parameters": ROPE},
        "vision": QWEN_VISION | {"patch_size": 14, "fullatt_block_indexes": [1], "window_size": 56},
        "ids": _QWEN_IDS | _QWEN_MARKS, "tokens": QWEN_TOKENS, "template": QWEN_TEMPLATE,
        "processor": {"processor_class": "Qwen2_5_VLProcessor"}, "images": _QWEN2_IMAGES, "videos": _QWEN2_VIDEOS,
    },
    "qwen3_vl": {
        "text": {"rope_parameters": ROPE},
        "vision": _QWEN3_VISION | {"depth": 3, "deepstack_visual_indexes": [0, 1]},
        "ids": _QWEN_IDS | _QWEN_MARKS, "tokens": QWEN_TOKENS, "template": QWEN_TEMPLATE,
        "processor": {"processor_class": "Qwen3VLProcessor"}, "images": _QWEN3_IMAGES, "videos": _QWEN3_VIDEOS,
    },
    "qwen3_vl_moe": {
        "text": {"rope_parameters": ROPE, "moe_intermediate_size": 24, "num_experts": 4, "num_experts_per_tok": 2},
        "vision": _QWEN3_VISION | {"depth": 3, "deepstack_visual_indexes": [0, 1]},
        "ids": _QWEN_IDS | _QWEN_MARKS, "tokens": QWEN_TOKENS, "template": QWEN_TEMPLATE,
        "processor": {"processor_class": "Qwen3VLProcessor"}, "images": _QWEN3_IMAGES, "videos": _QWEN3_VIDEOS,
    },
    "qwen3_5": {  # a hybrid: three layers of linear attention, then one of full attention
        "text": {
            "head_dim": 16, "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 8,
            "linear_value_head_dim": 8,
            "rope_parameters": ROPE | {"mrope_section": [1, 1, 0], "partial_rotary_factor": 0.25},
        },
        "vision": _QWEN3_VISION,
        "ids": _QWEN_IDS | _QWEN_MARKS, "tokens": QWEN_TOKENS, "template": THINKING,
        "processor": {"processor_class": "Qwen3VLProcessor"}, "images": _QWEN3_IMAGES, "videos": _QWEN3_VIDEOS,
    },
    "internvl": {
        "text": {"model_type": "qwen3"}, "vision": VISION | {"image_size": [28, 28], "patch_size": [7, 7]},
        "config": {"image_seq_length": 4}, "ids": {"image_token_id": "<IMG_CONTEXT>"},
        "tokens": {
            "start_image_token": "<img>", "end_image_token": "</img>", "context_image_token": "<IMG_CONTEXT>",
            "video_token": "<video>",
        },
        "template": INTERNVL_TEMPLATE, "processor": {"processor_class": "InternVLProcessor", "image_seq_length": 4},
        "images": {
            "image_processor_type": "GotOcr2ImageProcessor", "size": {"height": 28, "width": 28},
            "crop_to_patches": False,
        },
        "videos": {"video_processor_type": "InternVLVideoProcessor", "size": {"height": 28, "width": 28}},
    },
    "llava_onevision": {
        "text": {"model_type": "qwen2"},
        "vision": VISION
        | {"model_type": "siglip_vision_model", "image_size": 28, "patch_size": 7, "vision_use_head": False},
        "config": {"image_grid_pinpoints": [[28, 28], [28, 56], [56, 28], [56, 56]]},
        "ids": {"image_token_id": "<image>", "video_token_id": "<video>"},
        "tokens": {"image_token": "<image>", "video_token": "<video>"}, "template": LLAVA_TEMPLATE,
        "processor": {
            "processor_class": "LlavaOnevisionProcessor", "num_image_tokens": 16,
            "vision_feature_select_strategy": "full",
        },
        "images": {
            "image_processor_type": "LlavaOnevisionImageProcessor", "size": {"height": 28, "width": 28},
            "image_grid_pinpoints": [[28, 28], [28, 56], [56, 28], [56, 56]],
        },
        "videos": {"video_processor_type": "LlavaOnevisionVideoProcessor", "size": {"height": 28, "width": 28}},
    },
    "gemma3": {  # layers with a sliding window
        "text": {"sliding_window": 64},
        "vision": VISION | {"image_size": 56, "patch_size": 7}, "config": {"mm_tokens_per_image": 16},
        "ids": {
            "image_token_id": "<image_soft_token>", "boi_token_id": "<start_of_image>",
            "eoi_token_id": "<end_of_image>",
        },
        "tokens": {
            "image_token": "<image_soft_token>", "boi_token": "<start_of_image>", "eoi_token": "<end_of_image>",
        },
        "template": GEMMA_TEMPLATE, "processor": {"processor_class": "Gemma3Processor", "image_seq_length": 16},
        "images": {"image_processor_type": "Gemma3ImageProcessor", "size": {"height": 56, "width": 56}},
    },
}  # fmt: skip


def save_tokenizer(folder: Path, tokens: dict[str, str]) -> dict[str, int]:
    """Save a tokenizer of bytes; return the ids of all special tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    made = Tokenizer(models.BPE(vocab={character: number for number, character in enumerate(alphabet)}, merges=[]))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    ends = ["<bos>", "<|im_start|>", "<|im_end|>", "<start_of_turn>", "<end_of_turn>", "<pad>"]
    names = list(dict.fromkeys([*ends, *tokens.values()]))
    made.add_special_tokens(names)
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=made,
        bos_token="<bos>",
        eos_token="<|im_end|>",
        pad_token="<pad>",
        extra_special_tokens=tokens,
    )
    wrapped.save_pretrained(folder)
    return {name: made.token_to_id(name) for name in names}


def save_tiny(model_type: str, folder: Path, *, seed: int = 0, weights: bool = True, **text: Any) -> Path:
    """Save a tiny random model of a type, with its processor.

    ``text`` changes the configuration of the language model.
    """
    import torch
    from transformers import AutoConfig, AutoModelForImageTextToText

    about = FAMILIES[model_type]
    folder.mkdir(parents=True, exist_ok=True)
    ids = save_tokenizer(folder, about["tokens"])
    vocabulary = -(-(max(ids.values()) + 1) // 8) * 8
    own = {"bos_token_id": ids["<bos>"], "eos_token_id": ids["<|im_end|>"], "pad_token_id": ids["<pad>"]}
    config = AutoConfig.for_model(
        model_type,
        text_config=TEXT | own | about["text"] | {"vocab_size": vocabulary} | text,
        vision_config=about["vision"],
        **about.get("config", {}),
        **{name: ids[token] for name, token in about["ids"].items()},
    )
    if weights:
        torch.manual_seed(seed)
        model = AutoModelForImageTextToText.from_config(config)
        with torch.no_grad():  # larger than usual, so that replies depend on the prompt
            for parameter in model.parameters():
                if parameter.dim() > 1:
                    parameter.mul_(4) if parameter.any() else parameter.normal_(std=0.1)
        model.generation_config.eos_token_id = ids["<|im_end|>"]
        model.save_pretrained(folder)
    else:
        config.save_pretrained(folder)
    files = {"preprocessor_config.json": about["images"], "processor_config.json": about["processor"]}
    if "videos" in about:
        files["video_preprocessor_config.json"] = about["videos"]
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
    (folder / "chat_template.jinja").write_text(about["template"])
    return folder
