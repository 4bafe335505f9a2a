"""Activation patching and the logit lens on a transformer whose circuit is known, and against direct computation."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from toy_circuits import LAYERS, LETTER_A, LETTER_B, SAYS_A, SAYS_B, toy_model, toy_prompt  # noqa: E402
from transformers import (  # noqa: E402
    InternVLConfig,
    InternVLForConditionalGeneration,
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
)

from chronotope.errors import InputError  # noqa: E402
from chronotope.probe.lens import letter_lens  # noqa: E402
from chronotope.probe.patch import patch_states, token_groups  # noqa: E402
from chronotope.probe.residual import find_decoder  # noqa: E402

PLACE = 2
ANSWERS = (LETTER_A, LETTER_B)


def patched(mover: int, groups: dict[str, list[int]]) -> np.ndarray:
    """The effects on two prompts with the same tokens and different embeddings, which stand for the clips."""
    model = toy_model(mover)
    clean, corrupted = toy_prompt(SAYS_A, place=PLACE), toy_prompt(SAYS_B, place=PLACE)
    embedded = [{"input_ids": clean["input_ids"], "inputs": of["input_ids"]} for of in (clean, corrupted)]
    return patch_states(Seeing(model), *embedded, ANSWERS, groups).effects


class Seeing(torch.nn.Module):
    """The toy with eyes: its embeddings come from ``inputs``, as those of a clip do, and not from the tokens."""

    def __init__(self, model) -> None:
        super().__init__()
        self.model, self.lm_head, self.config = model.model, model.lm_head, model.config

    def get_output_embeddings(self):
        return self.lm_head

    def forward(self, input_ids, inputs, use_cache: bool):
        states = self.model(inputs_embeds=self.model.embed_tokens(inputs), use_cache=use_cache).last_hidden_state
        return type("Output", (), {"logits": self.lm_head(states)})


@pytest.mark.parametrize("mover", range(LAYERS))
def test_patching_finds_the_layer_that_moves_the_fact_and_the_tokens(mover: int) -> None:
    groups = {"fact": [PLACE], "filler": [0, 1, 3, 4, 5], "last": [6]}
    effects = patched(mover, groups)
    assert effects.shape == (LAYERS + 1, 3)
    moved = np.arange(LAYERS + 1) > mover  # before layer i, the fact has been moved if a layer before i is the mover
    np.testing.assert_allclose(effects[:, 0], 1.0 - moved, atol=1e-4)
    np.testing.assert_allclose(effects[:, 1], 0.0, atol=1e-4)
    np.testing.assert_allclose(effects[:, 2], moved, atol=1e-4)


@pytest.mark.parametrize("mover", range(LAYERS))
def test_the_lens_shows_the_answer_from_the_layer_that_moves_the_fact(mover: int) -> None:
    for says, right in ((SAYS_A, 0), (SAYS_B, 1)):
        lens = letter_lens(toy_model(mover), toy_prompt(says), ANSWERS)
        margins = lens.margins(right)
        np.testing.assert_allclose(margins[: mover + 1], 0.0, atol=1e-6)
        assert np.all(margins[mover + 1 :] > 1.0)
        assert lens.decided(right) == mover + 1 and lens.decided(1 - right) is None
        np.testing.assert_allclose(lens.shares.sum(axis=1), 1.0)


def tiny(name: str):
    """A model of a real class with random weights, and a prompt with two pictures of two seeds."""
    text = {
        "vocab_size": 60, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4,
        "num_key_value_heads": 2, "max_position_embeddings": 256,
    }  # fmt: skip
    torch.manual_seed(3)
    if name == "internvl":
        vision = {
            "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
            "image_size": [32, 32], "patch_size": [8, 8],
        }  # fmt: skip
        config = InternVLConfig(
            vision_config=vision, text_config={"model_type": "qwen2", **text}, image_token_id=50, image_seq_length=4
        )
        of_picture, pixels, more = 4, (2, 3, 32, 32), {}
        model = InternVLForConditionalGeneration(config)
    else:
        text |= {"rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [1, 1, 2]}}
        vision = {"depth": 3, "num_heads": 2, "patch_size": 8, "spatial_merge_size": 2, "temporal_patch_size": 2}
        ids = {"image_token_id": 50, "video_token_id": 51, "vision_start_token_id": 52, "vision_end_token_id": 53}
        if name == "qwen3_vl":
            vision |= {
                "hidden_size": 16, "intermediate_size": 32, "out_hidden_size": 32, "deepstack_visual_indexes": [0, 1],
                "num_position_embeddings": 16,
            }  # fmt: skip
            config = Qwen3VLConfig(vision_config=vision, text_config=text | {"head_dim": 8}, **ids)
            model = Qwen3VLForConditionalGeneration(config)
        else:
            vision |= {"hidden_size": 16, "intermediate_size": 32, "out_hidden_size": 32, "fullatt_block_indexes": [1]}
            model = Qwen2_5_VLForConditionalGeneration(Qwen2_5_VLConfig(vision_config=vision, text_config=text, **ids))
        of_picture, pixels = 4, (2 * 16, 3 * 2 * 8 * 8)
        more = {"image_grid_thw": torch.tensor([[1, 4, 4]] * 2)}
    tokens = [1, 52, *[50] * of_picture, 53, 2, 52, *[50] * of_picture, 53, 7, 8, 9]
    types = torch.tensor([[int(token == 50) for token in tokens]])
    if name != "internvl":
        more["mm_token_type_ids"] = types

    def prompt(seed: int):
        generator = torch.Generator().manual_seed(seed)
        row = {"input_ids": torch.tensor([tokens]), "attention_mask": torch.ones(1, len(tokens), dtype=torch.long)}
        return row | {"pixel_values": torch.randn(pixels, generator=generator), **more}

    return model.eval(), prompt(1), prompt(2)


@pytest.mark.parametrize("name", ["internvl", "qwen2_5_vl", "qwen3_vl"])
def test_lens_equals_direct_computation(name: str) -> None:
    model, inputs, _ = tiny(name)
    letters = [11, 12, 13]
    lens = letter_lens(model, inputs, letters)
    with torch.no_grad():
        output = model(**inputs, output_hidden_states=True, use_cache=False)
        decoder = find_decoder(model, inputs)
        direct = torch.stack([model.lm_head(decoder.norm(h[0, -1])) for h in output.hidden_states[:-1]])
    np.testing.assert_allclose(lens.logits[-1], output.logits[0, -1, letters].numpy(), atol=1e-5)
    np.testing.assert_allclose(lens.logits[:-1], direct[:, letters].numpy(), atol=1e-5)  # the last token has no picture
    every = torch.softmax(direct, -1)
    np.testing.assert_allclose(lens.mass[:-1], every[:, letters].sum(-1).numpy(), atol=1e-5)
    # The library's last hidden state is after the norm, so that the lens must not take it for a layer's output.
    torch.testing.assert_close(model.lm_head(output.hidden_states[-1][0, -1]), output.logits[0, -1])


@pytest.mark.parametrize("name", ["internvl", "qwen2_5_vl", "qwen3_vl"])
def test_patching_real_classes_says_what_is_true_by_construction(name: str) -> None:
    """Only pictures differ: all of them at the first layer restore everything, as does the last token at the end."""
    model, clean, corrupted = tiny(name)
    tokens = clean["input_ids"][0].tolist()
    groups = token_groups(tokens, 50)
    assert list(groups) == ["before", "picture 1", "picture 2", "pictures", "between", "after", "last"]
    found = patch_states(model, clean, corrupted, (11, 12), groups | {"all": list(range(len(tokens)))})
    effects = dict(zip(found.groups, found.effects.T, strict=True))
    # Qwen3-VL adds the vision features again after its first two layers, where those of the corrupted clip stay.
    entered = 2 if name == "qwen3_vl" else 0
    np.testing.assert_allclose(effects["all"][entered:], 1.0, atol=1e-3)
    assert np.all(np.abs(effects["all"][:entered] - 1) > 1e-3)
    np.testing.assert_allclose(effects["before"], 0.0, atol=1e-3)
    np.testing.assert_allclose(effects["last"][[0, -1]], [0.0, 1.0], atol=1e-3)
    np.testing.assert_allclose(effects["pictures"][-1], 0.0, atol=1e-3)
    np.testing.assert_allclose([effects[of][0] for of in ("between", "after")], 0.0, atol=1e-3)
    if not entered:
        np.testing.assert_allclose(effects["pictures"][0], 1.0, atol=1e-3)
    with torch.no_grad():
        logits = [model(**of).logits[0, -1] for of in (clean, corrupted)]
    np.testing.assert_allclose([found.clean, found.corrupted], [float(of[11] - of[12]) for of in logits], atol=1e-5)


def test_patching_equals_a_hook_on_the_library() -> None:
    """One cell, by a hook that shares nothing with the module: the output of layer 0 is the input of layer 1."""
    model, clean, corrupted = tiny("internvl")
    place = token_groups(clean["input_ids"][0].tolist(), 50)["picture 2"]
    found = patch_states(model, clean, corrupted, (11, 12), {"picture 2": place})
    layer = model.model.language_model.layers[0]
    with torch.no_grad():
        source = model(**clean, output_hidden_states=True).hidden_states[1]

        def replace(_, __, output):
            changed = output.clone()
            changed[:, place] = source[:, place]
            return changed

        handle = layer.register_forward_hook(replace)
        logits = model(**corrupted).logits[0, -1]
        handle.remove()
    assert found.patched[1, 0] == pytest.approx(float(logits[11] - logits[12]), abs=1e-5)


def test_groups_of_tokens_cover_each_token_once() -> None:
    tokens = [1, 9, 9, 2, 9, 9, 9, 3, 4, 5]
    groups = token_groups(tokens, 9)
    assert groups == {
        "before": [0], "picture 1": [1, 2], "picture 2": [4, 5, 6], "pictures": [1, 2, 4, 5, 6], "between": [3],
        "after": [7, 8], "last": [9],
    }  # fmt: skip
    alone = {name: places for name, places in groups.items() if name != "pictures"}
    assert sorted(place for places in alone.values() for place in places) == list(range(len(tokens)))
    assert token_groups([1, 2, 3], 9) == {"before": [0, 1], "last": [2]}
    assert token_groups([8, 9, 1], [8, 9]) == {"picture 1": [0, 1], "pictures": [0, 1], "last": [2]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tokens": [5]}, "differ from token 5 on: patching needs the same question"),
        ({"answers": (3, 3)}, "the clean and the corrupted answer are equal"),
        ({"groups": {"late": [99]}}, r"group 'late' of tokens: expected positions from 0 to \d+"),
        ({"groups": {"none": []}}, "group 'none' of tokens"),
        ({"same": True}, "the model does not react to the difference between the clips"),
    ],
)
def test_what_cannot_be_patched_is_refused(change: dict, words: str) -> None:
    model, clean, corrupted = tiny("internvl")
    for place in change.get("tokens", ()):
        corrupted = corrupted | {"input_ids": corrupted["input_ids"].clone()}
        corrupted["input_ids"][0, place] = 3
    corrupted = clean if "same" in change else corrupted
    with pytest.raises(InputError, match=words):
        patch_states(model, clean, corrupted, change.get("answers", (11, 12)), change.get("groups", {"a": [0]}))


def test_a_model_whose_logits_are_scaled_elsewhere_is_refused() -> None:
    model, clean, _ = tiny("internvl")
    model.get_output_embeddings().register_forward_hook(lambda *given: given[2] * (1 + model.training))
    assert find_decoder(model, clean)  # a hook on the head itself is part of the head
    before = model.forward
    model.forward = lambda **given: type("Output", (), {"logits": 2 * before(**given).logits})
    with pytest.raises(InputError, match="give other logits than the model"):
        find_decoder(model, clean)
    with pytest.raises(InputError, match="no decoder with layers and a norm"):
        find_decoder(torch.nn.Linear(2, 2), {})
    with pytest.raises(InputError, match="at least two different letters"):
        letter_lens(toy_model(0), toy_prompt(SAYS_A), [4, 4])
