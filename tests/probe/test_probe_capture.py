"""The capture of a forward pass on tiny random models of the real classes, against what the models return."""

from collections.abc import Callable
from typing import Any

import pytest

from chronotope.errors import InputError
from chronotope.probe.capture import (
    Wanted,
    attention_layers,
    check_attention,
    depth_hook,
    depths_of,
    run_captured,
    spread,
)

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow

TYPES = ("qwen2_5_vl", "qwen3_vl", "internvl", "llava_onevision", "qwen3_5", "gemma3")


def plain(local: Any, encoded: Any, **more: Any) -> Any:
    local.forget_positions()
    with torch.inference_mode():
        made = local.model(**local.inputs(encoded), use_cache=False, **more)
    local.forget_positions()
    return made


@pytest.mark.parametrize("model_type", TYPES)
def test_states_are_those_of_the_model(
    model_type: str, tiny: Callable[[str], Any], prompt: list[Any], drawn: Any
) -> None:
    local = tiny(model_type)
    encoded = local.encode(prompt, drawn)
    last = depths_of(local.family)
    found = run_captured(local, encoded, Wanted(depths="all", logits=True, features=True))
    made = plain(local, encoded, output_hidden_states=True)
    assert torch.allclose(found.logits, made.logits[0, -1], atol=1e-5)
    for depth in range(last + 1):
        assert found.states[depth].shape == (encoded.length, 32)
    # The library's last entry is after the final norm; ours is before it.
    normed = local.family.norm(found.states[last][None])[0]
    assert torch.allclose(normed, made.hidden_states[-1][0], atol=1e-5)
    assert not torch.allclose(found.states[last], made.hidden_states[-1][0], atol=1e-3)
    middle = found.states[last - 1] - made.hidden_states[last - 1][0]
    assert float(middle.abs().max()) < 1e-5
    shown = [span for span in encoded.spans if span.kind == "image"]
    assert [len(one) for one in found.features] == [len(span.vision) for span in shown]
    assert torch.equal(found.features[1], found.states[0][list(shown[1].vision)])


@pytest.mark.parametrize("model_type", TYPES)
def test_attention_equals_the_plain_implementation(
    model_type: str, tiny: Callable[[str], Any], prompt: list[Any], drawn: Any
) -> None:
    local = tiny(model_type)
    encoded = local.encode(prompt, drawn)
    layers = attention_layers(local.family)
    found = run_captured(local, encoded, Wanted(attention=layers, logits=True))
    assert torch.allclose(found.logits, plain(local, encoded).logits[0, -1], atol=1e-5)
    for layer in layers:
        assert found.attention[layer].shape == (4, encoded.length)
        assert torch.allclose(found.attention[layer].sum(1), torch.ones(4), atol=1e-5)
    assert check_attention(local, encoded, layers) < 1e-6
    assert local.family.decoder.config._attn_implementation == "sdpa"  # as before


def test_a_hybrid_has_attention_in_its_full_layers_only(
    tiny: Callable[[str], Any], prompt: list[Any], drawn: Any
) -> None:
    local = tiny("qwen3_5")
    assert attention_layers(local.family) == [3]
    with pytest.raises(InputError, match=r"layer 1 has no attention weights.*expected one of 3"):
        run_captured(local, local.encode(prompt, drawn), Wanted(attention=[1]))


def test_a_wrong_row_fails_the_self_test(
    tiny: Callable[[str], Any], prompt: list[Any], drawn: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chronotope.probe.capture import attention

    right = attention.last_row
    monkeypatch.setattr(attention, "last_row", lambda q, k, mask, scaling: right(q, k.roll(1, 2), mask, scaling))
    local = tiny("qwen2_5_vl")
    with pytest.raises(InputError, match="the recorded attention differs"):
        check_attention(local, local.encode(prompt, drawn), [0, 1])


def test_deepstack_is_part_of_the_first_depths(tiny: Callable[[str], Any], prompt: list[Any], drawn: Any) -> None:
    local = tiny("qwen3_vl")
    encoded = local.encode(prompt, drawn)
    after: dict[int, Any] = {}

    def keep(at: int) -> Callable[..., None]:
        return lambda module, args, output: after.update({at: output.clone()[0]})

    handles = [layer.register_forward_hook(keep(at)) for at, layer in enumerate(local.family.layers)]
    found = run_captured(local, encoded, Wanted(depths="all", deepstack=True))
    for handle in handles:
        handle.remove()
    vision = [at for span in encoded.spans for at in span.vision]
    for depth in (1, 2):  # two projectors, after the first two layers
        added = found.states[depth] - after[depth - 1]
        assert torch.allclose(added[vision], torch.cat(found.deepstack[depth - 1]), atol=1e-5)
        assert float(added[[at for at in range(encoded.length) if at not in vision]].abs().max()) == 0
    assert torch.equal(found.states[3], after[2])
    with pytest.raises(InputError, match="no deepstack"):
        run_captured(tiny("qwen2_5_vl"), tiny("qwen2_5_vl").encode(prompt, drawn), Wanted(deepstack=True))


@pytest.mark.parametrize("model_type", ["qwen2_5_vl", "qwen3_vl"])
def test_patches_are_in_the_order_of_the_picture(
    model_type: str, tiny: Callable[[str], Any], prompt: list[Any], drawn: Any
) -> None:
    """Merging the recorded patches by hand gives the features that reach the decoder, which the library orders."""
    local = tiny(model_type)
    encoded = local.encode(prompt, drawn)
    found = run_captured(local, encoded, Wanted(vision=True, features=True, stop_early=True))
    grid = encoded.tensors["image_grid_thw"]
    assert [len(one) for one in found.vision] == grid.prod(1).tolist()
    assert len({len(one) for one in found.vision}) > 1
    for patches, features in zip(found.vision, found.features, strict=True):
        with torch.inference_mode():
            merged = local.family.projector(patches)
        assert torch.allclose(merged, features, atol=1e-5)


def test_window_order_is_another_order(tiny: Callable[[str], Any], drawn: Any) -> None:
    """Without undoing the windows, the test above would fail: the raw output is ordered by windows."""
    from chronotope.protocol import Image, PictureFile

    local = tiny("qwen2_5_vl")
    encoded = local.encode([Image(PictureFile("1-112x112", "1"))], drawn)
    found = run_captured(local, encoded, Wanted(vision=True, stop_early=True))
    raw = found.taps.blocks[0]
    assert raw.shape == found.vision[0].shape and not torch.equal(raw, found.vision[0])
    assert torch.equal(raw.sort(0).values, found.vision[0].sort(0).values)


@pytest.mark.parametrize(("model_type", "patches"), [("internvl", 48), ("llava_onevision", None), ("gemma3", 64)])
def test_class_tokens_are_left_out_of_tiles(
    model_type: str, patches: int | None, tiny: Callable[[str], Any], drawn: Any
) -> None:
    from chronotope.protocol import Image, PictureFile

    local = tiny(model_type)
    encoded = local.encode([Image(PictureFile("1-56x28", "1"))], drawn)
    found = run_captured(local, encoded, Wanted(vision=True, features=True, stop_early=True))
    [tokens] = found.vision
    # InternVL: three tiles. LLaVA-OneVision: a small picture of the whole and the tiles of the grid, 16 patches each.
    assert len(tokens) == patches if patches else len(tokens) % 16 == 0 and len(tokens) >= 48
    assert len(found.features[0]) == len(encoded.spans[0].vision)


def test_several_pictures_of_one_tile_each_are_told_apart(
    tiny: Callable[[str], Any], prompt: list[Any], drawn: Any
) -> None:
    local = tiny("internvl")
    together = run_captured(local, local.encode(prompt, drawn), Wanted(vision=True, stop_early=True)).vision
    alone = [
        run_captured(local, local.encode([part], drawn), Wanted(vision=True, stop_early=True)).vision[0]
        for part in prompt[1:3]
    ]
    assert len(together) == 4
    assert torch.allclose(together[0], alone[0], atol=1e-5) and torch.allclose(together[1], alone[1], atol=1e-5)


def test_states_can_be_replaced_and_reduced(tiny: Callable[[str], Any], prompt: list[Any], drawn: Any) -> None:
    local = tiny("qwen2_5_vl")
    encoded = local.encode(prompt, drawn)
    whole = run_captured(local, encoded, Wanted(depths="all", logits=True))
    last = run_captured(local, encoded, Wanted(depths="all", reduce=lambda depth, states: states[-1].clone()))
    assert torch.equal(last.states[2], whole.states[2][-1])
    with depth_hook(local.family, 2, lambda states: torch.zeros_like(states)):
        changed = run_captured(local, encoded, Wanted(depths=[3], logits=True))
    assert not torch.allclose(changed.states[3], whole.states[3])
    with depth_hook(local.family, 2, lambda states: states * 1.0):
        assert torch.allclose(run_captured(local, encoded, Wanted(logits=True)).logits, whole.logits)
    with pytest.raises(ValueError, match="depth 9"), depth_hook(local.family, 9, print):
        pass


def test_layers_are_spread_evenly() -> None:
    assert spread(range(36)) == [0, 7, 15, 23, 31, 35]  # the paper's layers
    assert spread([3, 7, 11]) == [3, 7, 11]
    assert spread(range(28)) == [0, 5, 11, 16, 22, 27]
