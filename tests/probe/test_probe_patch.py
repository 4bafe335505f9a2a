"""Activation patching and the logit lens on a transformer whose circuit is known, and against direct computation."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.protocol import Image, Part, PictureFile, Text

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytestmark = pytest.mark.slow

from toy_circuits import FILLER, LAYERS, LETTER_A, LETTER_B, SAYS_A, SAYS_B, Seeing, toy_prompt, toy_stream  # noqa: E402

from chronotope.probe.activation_patching import answer_margins, patch_states, token_groups  # noqa: E402
from chronotope.probe.logit_lens import letter_lens  # noqa: E402
from chronotope.probe.residual import Stream, stream_of  # noqa: E402

PLACE = 2
ANSWERS = ((LETTER_A,), (LETTER_B,))
TYPES = ("internvl", "qwen2_5_vl", "qwen3_vl", "qwen3_5", "llava_onevision")


@pytest.mark.parametrize("mover", range(LAYERS))
def test_patching_finds_the_layer_that_moves_the_fact_and_the_tokens(mover: int) -> None:
    """The prompts have the same tokens and different embeddings, which stand for the clips."""
    clean, corrupted = ({"input_ids": torch.zeros(1, 7), "shown": toy_prompt(says, place=PLACE)} for says in (0, 1))
    stream = toy_stream(mover)
    seeing = replace(stream, model=Seeing(stream.model))
    groups = {"fact": [PLACE], "filler": [0, 1, 3, 4, 5], "last": [6]}
    found = patch_states(seeing, clean, corrupted, ANSWERS, groups)
    effects = found.effects
    assert answer_margins(seeing, clean, corrupted, ANSWERS) == (found.clean, found.corrupted)
    assert found.clean > 0 > found.corrupted
    assert effects.shape == (LAYERS + 1, 3)
    moved = np.arange(LAYERS + 1) > mover  # at depth k, if a layer before k is the mover
    np.testing.assert_allclose(effects[:, 0], 1.0 - moved, atol=1e-4)
    np.testing.assert_allclose(effects[:, 1], 0.0, atol=1e-4)
    np.testing.assert_allclose(effects[:, 2], moved, atol=1e-4)


@pytest.mark.parametrize("mover", range(LAYERS))
def test_the_lens_shows_the_answer_from_the_layer_that_moves_the_fact(mover: int) -> None:
    for says, right in ((SAYS_A, 0), (SAYS_B, 1)):
        lens = letter_lens(toy_stream(mover), {"input_ids": toy_prompt(says)}, ANSWERS)
        margins = lens.margins(right)
        np.testing.assert_allclose(margins[: mover + 1], 0.0, atol=1e-6)
        assert np.all(margins[mover + 1 :] > 1.0)
        assert lens.decided(right) == mover + 1 and lens.decided(1 - right) is None
        np.testing.assert_allclose(lens.shares.sum(axis=1), 1.0)


def shows(*pictures: int) -> list[Part]:
    """A prompt with pictures of noise, by their numbers."""
    names = [f"{number}-112x84" for number in pictures]
    images = [Image(PictureFile(name, name)) for name in names]
    return [Text("You see frames."), *images, Text("Which one fits? Answer with a letter.")]


Pair = tuple[Stream, dict[str, Any], dict[str, Any], list[int]]


@pytest.fixture(params=TYPES)
def pair(request: pytest.FixtureRequest, tiny: Callable[[str], Any], drawn: Any) -> Pair:
    """The stream of a tiny random model, the inputs of two prompts, and the vision tokens of one."""
    local = tiny(request.param)
    clean, corrupted = (local.encode(shows(*of), drawn) for of in ((1, 2), (1, 3)))
    stream, inputs = stream_of(local, clean)
    vision = [place for span in clean.spans for place in span.vision]
    return stream, inputs, local.inputs(corrupted), vision


def test_lens_equals_direct_computation(pair: Pair) -> None:
    stream, inputs, _, _ = pair
    letters = [11, 12, 13]
    lens = letter_lens(stream, inputs, [[11], [12], [13]])
    with torch.no_grad():
        output = stream.model(**inputs, output_hidden_states=True, use_cache=False)
        normed = [stream.family.norm(states[0, -1]) for states in output.hidden_states[:-1]]
        direct = torch.stack([stream.model.lm_head(one) for one in normed])
    np.testing.assert_allclose(lens.logits[-1], output.logits[0, -1, letters].numpy(), atol=1e-5)
    np.testing.assert_allclose(lens.logits[:-1], direct[:, letters].numpy(), atol=1e-5)  # the last token is no picture
    every = torch.softmax(direct, -1)
    np.testing.assert_allclose(lens.mass[:-1], every[:, letters].sum(-1).numpy(), atol=1e-5)
    # The library's last hidden state is after the norm, so that the lens must not take it for a layer's output.
    torch.testing.assert_close(stream.model.lm_head(output.hidden_states[-1][0, -1]), output.logits[0, -1])


def test_patching_real_classes_says_what_is_true_by_construction(pair: Pair) -> None:
    """Only the second picture differs: it restores everything at depth 0, as the last token does at the end."""
    stream, clean, corrupted, vision = pair
    tokens = clean["input_ids"][0].tolist()
    groups = token_groups(tokens, sorted({tokens[place] for place in vision}))
    assert groups["pictures"] == vision
    found = patch_states(stream, clean, corrupted, ((11,), (12,)), groups | {"all": list(range(len(tokens)))})
    effects = dict(zip(found.groups, found.effects.T, strict=True))
    # Deepstack adds the vision features again after the first layers, where those of the corrupted clip stay.
    again = 0 if stream.family.deepstack is None else min(len(stream.family.deepstack), len(effects["all"]) - 1)
    np.testing.assert_allclose(effects["all"][again:], 1.0, atol=1e-2)
    assert np.all(np.abs(effects["all"][:again] - 1) > 1e-2)
    for name in ("before", "picture 1"):
        np.testing.assert_allclose(effects[name], 0.0, atol=1e-2)
    np.testing.assert_allclose(effects["last"][[0, -1]], [0.0, 1.0], atol=1e-2)
    np.testing.assert_allclose(effects["picture 2"][-1], 0.0, atol=1e-2)
    np.testing.assert_allclose(effects["picture 2"], effects["pictures"], atol=1e-2)
    if not again:
        np.testing.assert_allclose(effects["picture 2"][0], 1.0, atol=1e-2)
    with torch.no_grad():
        logits = [stream.model(**of).logits[0, -1] for of in (clean, corrupted)]
    np.testing.assert_allclose([found.clean, found.corrupted], [float(of[11] - of[12]) for of in logits], atol=1e-5)


def test_patching_equals_a_hook_on_the_library(tiny: Callable[[str], Any], drawn: Any) -> None:
    """One cell, by a hook that shares nothing with the module: the output of layer 0 is the input of layer 1."""
    local = tiny("internvl")
    clean, corrupted = (local.encode(shows(*of), drawn) for of in ((1, 2), (1, 3)))
    place = list(clean.spans[1].vision)
    stream, inputs = stream_of(local, clean)
    found = patch_states(stream, inputs, local.inputs(corrupted), ((11,), (12,)), {"second": place})
    with torch.no_grad():
        source = local.model(**inputs, output_hidden_states=True).hidden_states[1]

        def change(_: Any, __: Any, output: Any) -> Any:
            changed = output.clone()
            changed[:, place] = source[:, place]
            return changed

        handle = local.family.layers[0].register_forward_hook(change)
        logits = local.model(**local.inputs(corrupted)).logits[0, -1]
        handle.remove()
    assert found.patched[1, 0] == pytest.approx(float(logits[11] - logits[12]), abs=1e-5)


def test_groups_of_tokens_cover_each_token_once() -> None:
    tokens = [1, 9, 9, 2, 9, 9, 9, 3, 4, 5]
    groups = token_groups(tokens, [9])
    assert groups == {
        "before": [0], "picture 1": [1, 2], "picture 2": [4, 5, 6], "pictures": [1, 2, 4, 5, 6], "between": [3],
        "after": [7, 8], "last": [9],
    }  # fmt: skip
    alone = {name: places for name, places in groups.items() if name != "pictures"}
    assert sorted(place for places in alone.values() for place in places) == list(range(len(tokens)))
    assert token_groups([1, 2, 3], [9]) == {"before": [0, 1], "last": [2]}
    assert token_groups([8, 9, 1], [8, 9]) == {"picture 1": [0, 1], "pictures": [0, 1], "last": [2]}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"tokens": [[3, 3, 5, 3]]}, "differ from token 2 on: patching needs the same question"),
        ({"tokens": [[3, 3, 3]]}, "have 4 and 3 tokens, and differ from token 3 on"),
        ({"answers": ((3,), (4, 3))}, "the clean and the corrupted answer are equal"),
        ({"groups": {"late": [4]}}, r"group 'late' of tokens: expected positions from 0 to 3"),
        ({"groups": {"none": []}}, "group 'none' of tokens"),
        ({}, "the model does not react to the difference between the clips"),
    ],
)
def test_what_cannot_be_patched_is_refused(change: dict[str, Any], words: str) -> None:
    clean = {"input_ids": torch.tensor([[3, 3, 3, 3]])}
    corrupted = {"input_ids": torch.tensor(change.get("tokens", [[3, 3, 3, 3]]))}
    answers, groups = change.get("answers", ANSWERS), change.get("groups", {"first": [0]})
    with pytest.raises(InputError, match=words):
        patch_states(toy_stream(1), clean, corrupted, answers, groups)


def test_one_letter_is_no_choice() -> None:
    for letters in ([[4]], [[4], [4]], [[4], []]):
        with pytest.raises(InputError, match="expected at least two letters, each with tokens of its own"):
            letter_lens(toy_stream(0), {"input_ids": toy_prompt(SAYS_A)}, letters)


def test_a_letter_with_several_tokens_has_their_sum() -> None:
    lens = letter_lens(toy_stream(1), {"input_ids": toy_prompt(SAYS_A)}, [[LETTER_A, FILLER], [LETTER_B]])
    alone = letter_lens(toy_stream(1), {"input_ids": toy_prompt(SAYS_A)}, [[LETTER_A], [FILLER], [LETTER_B]])
    both = np.exp(alone.logits[:, 0]) + np.exp(alone.logits[:, 1])
    np.testing.assert_allclose(np.exp(lens.logits[:, 0]), both)
    np.testing.assert_allclose(lens.mass, alone.mass)


def test_a_model_that_changes_its_logits_after_the_head_is_refused(
    tiny: Callable[[str], Any], drawn: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = tiny("internvl")
    stream, inputs = Stream(local.model, local.family), local.inputs(local.encode(shows(1), drawn))
    stream.check(inputs)
    before = local.model.forward
    monkeypatch.setattr(local.model, "forward", lambda **of: type("Output", (), {"logits": 2 * before(**of).logits}))
    with pytest.raises(InputError, match="its norm and head give other logits than the model"):
        stream.check(inputs)
