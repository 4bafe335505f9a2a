"""Open weights in this process: the table of families, prompts as tokens, and plain generation."""

from pathlib import Path

import pytest
from local_prompts import image, stored

from chronotope.errors import InputError
from chronotope.protocol import Option, Part, Text

torch = pytest.importorskip("torch", reason="needs the extra local: pip install 'chronotope[local]'")
pytest.importorskip("transformers", reason="needs the extra local: pip install 'chronotope[local]'")

from chronotope.models.transformers import FAMILIES as ROWS  # noqa: E402
from chronotope.models.transformers import LocalModel, LocalSettings, load, loading  # noqa: E402
from chronotope.models.transformers.local import _resolve  # noqa: E402
from tiny_models import FAMILIES, save_tiny  # noqa: E402

pytestmark = pytest.mark.slow


PROMPT: list[Part] = [
    Text("Be brief.", "system"),
    Text("Look at both.\n"),
    Text("Frame 1: ", label=True),
    image(0),
    Text("Frame 2: ", label=True),
    image(1),
    Text("\nWhat is it?\n"),
    Option("A", "A. a cat\n", "a cat"),
    Option("B", "B. a dog\n", "a dog"),
    Text("Answer:"),
]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, LocalModel]:
    folder = tmp_path_factory.mktemp("models")
    return {name: load(str(save_tiny(name, folder / name))) for name in FAMILIES}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_part_of_a_prompt_knows_its_tokens(models: dict[str, LocalModel], family: str) -> None:
    model = models[family]
    encoded = model.encode(PROMPT, stored)
    ids = encoded.input_ids[0].tolist()
    options = [span for span in encoded.spans if span.kind == "option"]
    assert [model.tokenizer.decode(ids[span.start : span.end]) for span in options] == ["A. a cat", "B. a dog"]
    assert [span.letter for span in options] == ["A", "B"]
    shown = [span for span in encoded.spans if span.kind == "image"]
    assert [span.part for span in shown] == [3, 5]
    # All vision tokens of the prompt lie in the spans of its pictures, and nowhere else.
    config = model.sources.config
    assert {place for span in shown for place in span.vision} == {
        place for place, token in enumerate(ids) if token == config.image_token_id
    }
    words = model.tokenizer.decode([token for token in ids if token < 256])
    assert words.index("Frame 1:") < words.index("Frame 2:") < words.index("What is it?") < words.index("Answer:")


@pytest.mark.parametrize("family", FAMILIES)
def test_a_prompt_has_as_many_features_as_vision_tokens(models: dict[str, LocalModel], family: str) -> None:
    model = models[family]
    encoded = model.encode(PROMPT, stored)
    with torch.inference_mode():
        logits = model.model(**model.inputs(encoded)).logits  # the library compares the two numbers
    assert logits.shape[:2] == (1, encoded.length)
    made = model.generate(encoded, 5)
    model.forget_positions()
    assert torch.allclose(made.first, logits[0, -1], atol=1e-5)
    assert len(made.tokens) <= 5
    other = model.encode([*PROMPT[:5], image(2), *PROMPT[6:]], stored)
    assert not torch.allclose(model.generate(other, 1).first, made.first, atol=1e-3)  # the picture matters


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_modules_are_where_the_table_says(row) -> None:
    from transformers import AutoConfig, AutoModelForImageTextToText

    class Of:
        place = "nowhere"

    Of.row = row
    for model_type in row.types:
        with torch.device("meta"):
            model = AutoModelForImageTextToText.from_config(AutoConfig.for_model(model_type))
        found = _resolve(Of, model)
        config = model.config.get_text_config()
        assert len(found.layers) == config.num_hidden_layers
        assert len(found.blocks) >= 1
        assert found.head.weight.shape == (config.vocab_size, config.hidden_size)
        for module in (found.vision, found.projector, found.decoder, found.norm):
            assert any(True for _ in module.parameters())


def test_the_same_media_are_processed_once(models: dict[str, LocalModel], monkeypatch: pytest.MonkeyPatch) -> None:
    model = models["qwen2_5_vl"]
    calls = []
    processed = model.encoder._processed
    monkeypatch.setattr(model.encoder, "_processed", lambda *given: calls.append(given) or processed(*given))
    kept: dict = {}
    first = model.encode(PROMPT, stored, kept)
    second = model.encode([*PROMPT, Text(" now")], stored, kept)
    assert len(calls) == 1
    assert first.tensors["pixel_values"] is second.tensors["pixel_values"]
    assert second.length > first.length


@pytest.mark.parametrize(("device", "dtype", "coarse"), [("cuda", "float32", False), ("cuda", "bfloat16", True)])
def test_float32_on_a_gpu_is_not_rounded_to_fewer_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, device: str, dtype: str, coarse: bool
) -> None:
    """PyTorch rounds the inputs of convolutions on a GPU, unless it is told not to."""
    weights = save_tiny("qwen2_5_vl", tmp_path / "weights")
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", True)
    monkeypatch.setattr(loading, "resolved_device", lambda *_: (torch.device(device), getattr(torch, dtype)))
    monkeypatch.setattr(torch.nn.Module, "to", lambda model, *_: model)
    sources = loading.load_sources(str(weights), LocalSettings())
    assert loading.load_weights(sources).dtype == getattr(torch, dtype)
    assert torch.backends.cudnn.allow_tf32 is coarse


def test_a_gpu_that_cannot_be_used_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise RuntimeError("CUDA error: out of memory\nSearch for `cudaErrorMemoryAllocation'")

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch, "empty", full)
    with pytest.raises(InputError, match=r"the GPU cannot be used \(CUDA error: out of memory\): name another with"):
        loading.resolved_device("model", LocalSettings())
    with pytest.raises(InputError, match=r"--set device=cuda:1: cannot be used \(CUDA error: out of memory\)"):
        loading.resolved_device("model", LocalSettings(device="cuda:1"))


def test_a_folder_that_moves_is_the_same_model(tmp_path: Path) -> None:
    one = load(str(save_tiny("qwen2_5_vl", tmp_path / "one")))
    two = load(str(save_tiny("qwen2_5_vl", tmp_path / "two")))
    other = load(str(save_tiny("qwen2_5_vl", tmp_path / "three", num_hidden_layers=2)))
    assert one.sources.identity == two.sources.identity != other.sources.identity
