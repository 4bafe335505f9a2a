"""Services with code of their own: Google's, against a server of its form, and pipelines of diffusers that run."""

import asyncio
import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr

from chronotope.errors import InputError
from chronotope.media import encode_clip, encode_picture, probe
from chronotope.models.media import (
    Generated,
    Generating,
    JobBook,
    MediaRequest,
    MediaService,
    Order,
    open_media_service,
)
from chronotope.models.media.diffusion import frames_for
from chronotope.models.media.google_service import GoogleMediaService
from service import Answer, Received, Service

NAME = "projects/p/locations/l/publishers/google/models/veo/operations/op-1"


class Veo(Service):
    """Answers as Vertex AI does; ``act`` says what happens."""

    def __init__(self, clip: bytes) -> None:
        self.clip, self.act, self.polls = clip, "right", 0
        super().__init__()

    def take(self, request: Received) -> Answer:
        if request.path.endswith(":predictLongRunning"):
            return {
                "busy": Answer({"error": {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED"}}, 429),
                "broken": Answer({"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}, 503),
                "bad": Answer({"error": {"code": 400, "message": "bad prompt", "status": "INVALID_ARGUMENT"}}, 400),
                "key": Answer({"error": {"code": 403, "message": "denied", "status": "PERMISSION_DENIED"}}, 403),
                "reset": Answer(reset=True),
            }.get(self.act, Answer({"name": NAME}))
        self.polls += 1
        if self.polls == 1:
            return Answer({"name": NAME})
        if self.act == "filtered":
            return Answer(self.done({"raiMediaFilteredCount": 1, "raiMediaFilteredReasons": ["children"]}))
        if self.act == "failed":
            return Answer({"name": NAME, "done": True, "error": {"code": 13, "message": "internal"}})
        data = base64.b64encode(self.clip).decode()
        return Answer(self.done({"videos": [{"bytesBase64Encoded": data, "mimeType": "video/mp4"}]}))

    def done(self, response: dict[str, Any]) -> dict[str, Any]:
        return {"name": NAME, "done": True, "response": response}

    def posts(self) -> list[Any]:
        return [one.json for one in self.received if one.path.endswith(":predictLongRunning")]


@pytest.fixture
def veo(tmp_path: Path) -> Iterator[Veo]:
    encode_clip([np.full((32, 32, 3), 20 * n, np.uint8) for n in range(8)], tmp_path / "clip.mp4", 8)
    with Veo((tmp_path / "clip.mp4").read_bytes()) as service:
        yield service


def made(service: MediaService, folder: Path, request: MediaRequest, **how: Any) -> Generated:
    async def go() -> Generated:
        try:
            with JobBook.open(folder) as book:
                return await Generating(service, book, folder, backoff=0.001, **how).run([Order("clip", request)])
        finally:
            await service.close()

    return asyncio.run(go())


@pytest.mark.parametrize(
    ("act", "state", "posts"),
    [
        ("right", "made", 1), ("filtered", "refused", 1), ("failed", "failed", 2), ("bad", "refused", 1),
        ("broken", "ambiguous", 1), ("reset", "ambiguous", 1),
    ],
)  # fmt: skip
def test_google_is_asked_once_whatever_happens(
    veo: Veo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str, state: str, posts: int
) -> None:
    monkeypatch.setattr("chronotope.models.media.google_service.EVERY", 0.01)
    monkeypatch.setattr(GoogleMediaService, "first_wait", 0.0)
    veo.act = act
    frame = tmp_path / "frame.jpg"
    frame.write_bytes(encode_picture(np.zeros((32, 32, 3), np.uint8)).data)
    service = GoogleMediaService("veo-3.1-fast", SecretStr("key-of-tests"), 0.1, veo.root)
    request = MediaRequest("video", "go", frame, seconds=8, size=(1280, 720), seed=4)
    found = made(service, tmp_path / "out", request, most=2.0)
    assert [one.state for one in found.made] == [state] and len(veo.posts()) == posts, found
    [sent] = veo.posts()[:1]
    assert sent["parameters"] == {
        "sampleCount": 1, "durationSeconds": 8, "seed": 4, "enhancePrompt": False, "generateAudio": False,
        "resolution": "720p", "aspectRatio": "16:9",
    }  # fmt: skip
    assert base64.b64decode(sent["instances"][0]["image"]["bytesBase64Encoded"]) == frame.read_bytes()
    if state == "made":
        path = found.made[0].path
        assert path is not None and probe(path).frames == 8 and found.spent == pytest.approx(0.8)
        assert found.made[0].seed == 4


def test_google_says_what_is_wrong_with_the_key_and_waits_when_it_is_busy(veo: Veo, tmp_path: Path) -> None:
    request = MediaRequest("video", "go", seconds=8)
    veo.act = "key"
    with pytest.raises(InputError, match="the key, the model's name or the access"):
        made(GoogleMediaService("veo-9", SecretStr("k" * 9), None, veo.root), tmp_path / "key", request)
    veo.act = "busy"
    with pytest.raises(InputError, match="no request was accepted in 6 attempts"):
        made(GoogleMediaService("veo-9", SecretStr("k" * 9), None, veo.root), tmp_path / "busy", request)
    assert len(veo.posts()) == 7
    veo.close()
    with pytest.raises(InputError, match="no request was accepted"):
        made(GoogleMediaService("veo-9", SecretStr("k" * 9), None, veo.root), tmp_path / "gone", request)


@pytest.mark.parametrize(("seconds", "fps", "frames"), [(0.5, 16, 9), (5, 16, 81), (0.01, 16, 2), (8, 24, 193)])
def test_the_number_of_frames_fits_video_models(seconds: float, fps: float, frames: int) -> None:
    assert frames_for(seconds, fps) == frames


def test_a_pipeline_that_is_not_there_gets_a_sentence(tmp_path: Path) -> None:
    pytest.importorskip("diffusers")
    (tmp_path / "model_index.json").write_text(json.dumps({"_class_name": "NoSuchPipeline"}))
    with pytest.raises(InputError, match="NoSuchPipeline"):
        open_media_service(f"diffusers/{tmp_path}")


@pytest.mark.slow
@pytest.mark.parametrize("takes_control", [False, True])
def test_a_pipeline_of_diffusers_makes_a_clip(tmp_path: Path, takes_control: bool) -> None:
    """A tiny pipeline with random weights, saved and loaded as those of the hub are."""
    for needed in ("diffusers", "accelerate", "torch", "transformers", "tokenizers"):
        pytest.importorskip(needed)
    tiny_pipeline(tmp_path / "tiny", takes_control)
    pictures = [np.full((64, 64, 3), (20 * n, 90, 120), np.uint8) for n in range(9)]
    encode_clip(pictures, tmp_path / "control.mp4", 16)
    control = tmp_path / "control.mp4" if takes_control else None
    fields = {"num_inference_steps": 2, "guidance_scale": 1.0, "max_sequence_length": 16}
    request = MediaRequest(
        "video", "a red mug", control_video=control, seconds=0.5, size=(64, 64), seed=3, fields=fields
    )  # fmt: skip
    found = made(open_media_service(f"diffusers/{tmp_path / 'tiny'}"), tmp_path / "out", request, most=0.0)
    [clip] = found.made
    assert clip.state == "made" and clip.facts["frames"] == 9 and found.spent == 0 and clip.seed == 3
    assert clip.path is not None
    first = clip.path.read_bytes()
    again = made(open_media_service(f"diffusers/{tmp_path / 'tiny'}"), tmp_path / "again", request)
    assert again.made[0].path is not None and again.made[0].path.read_bytes() == first, "the seed decides"


def tiny_pipeline(folder: Path, takes_control: bool) -> None:
    import torch
    from diffusers import (
        AutoencoderKLWan,
        FlowMatchEulerDiscreteScheduler,
        WanPipeline,
        WanTransformer3DModel,
        WanVACEPipeline,
        WanVACETransformer3DModel,
    )
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, UMT5Config, UMT5EncoderModel

    torch.manual_seed(0)
    words = Tokenizer(models.WordLevel({"<pad>": 0, "</s>": 1, "<unk>": 2, "a": 3, "red": 4, "mug": 5}, "<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    layers = {
        "patch_size": (1, 2, 2), "num_attention_heads": 2, "attention_head_dim": 12, "in_channels": 16,
        "out_channels": 16, "text_dim": 32, "freq_dim": 256, "ffn_dim": 32, "num_layers": 2, "cross_attn_norm": True,
        "qk_norm": "rms_norm_across_heads", "rope_max_seq_len": 32,
    }  # fmt: skip
    more = {"vace_layers": [0], "vace_in_channels": 96} if takes_control else {}
    transformer = WanVACETransformer3DModel if takes_control else WanTransformer3DModel
    pipeline = (WanVACEPipeline if takes_control else WanPipeline)(
        tokenizer=PreTrainedTokenizerFast(
            tokenizer_object=words, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
        ),
        text_encoder=UMT5EncoderModel(UMT5Config(vocab_size=8, d_model=32, d_kv=8, d_ff=32, num_layers=1, num_heads=4)),
        transformer=transformer(**layers, **more),
        vae=AutoencoderKLWan(
            base_dim=3, z_dim=16, dim_mult=[1, 1, 1, 1], num_res_blocks=1, temperal_downsample=[False, True, True]
        ),
        scheduler=FlowMatchEulerDiscreteScheduler(shift=7.0),
    )
    pipeline.save_pretrained(folder)
