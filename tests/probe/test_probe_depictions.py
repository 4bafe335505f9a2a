"""The same steps as diagrams, photographs and clips, and encoders of which it is known what they see in each.

Each step has a colour of its own. Photographs and frames show it; diagrams show only its brightness, as grey. An
encoder that sees colours and no brightness then agrees about photographs and frames, and sees nothing in diagrams; one
that sees only brightness agrees about all three.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from PIL import Image

import chronotope as ct
from chronotope.errors import InputError
from chronotope.media import encode_clip
from chronotope.question import Benchmark

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.slow

PRODUCTS, STEPS, FPS, STEP_S = 7, 4, 4, 2
SIZE = (84, 112)  # px, height and width
BOTH = ("depiction=photo", "input=full")  # an ask with photographs, and one with diagrams
DIAGRAM_VIDEO, PHOTO_VIDEO = "diagram and video", "photo and video"


def picture(at: int, brightness: float, hue: float | None, generator: np.random.Generator) -> np.ndarray:
    """A picture of a step with a brightness, and a colour unless ``hue`` is None; no two pictures are equal."""
    colour = np.full(3, brightness)
    if hue is not None:
        colour = colour + 60 * np.cos(hue - np.radians([0.0, 120.0, 240.0]))
    drawn = np.clip(colour + generator.normal(0, 2, (*SIZE, 1)), 0, 255).astype(np.uint8)
    row, column = generator.integers(10, 50, 2)  # pages of one grey are blank, and pages of one form are duplicates
    drawn[row : row + 8 + 6 * at, column : column + 8 + 6 * at] = 20
    return drawn


def write_manual(folder: Path, number: int, has_photos: bool = True) -> None:
    generator = np.random.default_rng(number)
    folder.mkdir(parents=True)
    brightness = generator.permutation(np.linspace(80, 170, STEPS)) + generator.uniform(-8, 8)
    hues = generator.permutation(np.arange(STEPS)) * np.pi / 2 + generator.uniform(0, 1)
    frames, steps = [], []
    for at in range(STEPS):
        for name, hue in (("diagram", None), ("photo", hues[at])):
            Image.fromarray(picture(at, brightness[at], hue, generator)).save(folder / f"{name}{at}.png")
        frames += [picture(at, brightness[at], hues[at], generator) for _ in range(FPS * STEP_S)]
        steps.append({"diagram": f"diagram{at}.png"} | ({"photo": f"photo{at}.png"} if has_photos else {}))
    encode_clip(frames, folder / "take.mp4", FPS)
    shown = [{"step": at + 1, "start": at * STEP_S, "end": (at + 1) * STEP_S} for at in range(STEPS)]
    about = {"product": f"stool-{number}", "category": "Stool", "steps": steps}
    about["takes"] = [{"id": "one", "clip": "take.mp4", "segments": shown}]
    (folder / "procedure.yaml").write_text(yaml.safe_dump(about))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    folder = tmp_path_factory.mktemp("depicted")
    for number in range(PRODUCTS):
        write_manual(folder / "manuals" / f"stool-{number}", number)
    return ct.build("ikea", folder / "manuals", folder / "bench", options={"allow_short_options": True})


def plant(folder: Path, weights: list[list[float]]) -> str:
    """A tiny model whose vision encoder sees only some sums of red, green and blue (rows of ``weights``)."""
    from transformers import AutoModelForImageTextToText

    from tiny_models import save_tiny

    place = save_tiny("qwen2_5_vl", folder, max_position_embeddings=32768)
    model = AutoModelForImageTextToText.from_pretrained(place)
    visual = model.model.visual
    # The processor divides by these deviations; its means then only add a constant.
    deviations = torch.tensor([0.26862954, 0.26130258, 0.27577711])
    with torch.no_grad():
        embedding = visual.patch_embed.proj.weight  # (channels out, red green blue, 2, 14, 14)
        embedding.zero_()
        for at, of in enumerate(weights):
            embedding[at] = (torch.tensor(of) * deviations)[:, None, None, None] / embedding[0, 0].numel()
        for block in visual.blocks:  # add nothing to what the patches show
            for layer in (block.attn.proj, block.mlp.down_proj):
                layer.weight.zero_()
                layer.bias.zero_()
    model.save_pretrained(place)
    return f"transformers/{place}"


Measured = Callable[[str], tuple[dict[tuple[str, str], Any], dict[tuple[str, str, str], Any]]]


@pytest.fixture(scope="module")
def measured(bench: Benchmark, tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """A function that probes an encoder; it returns the rows of measures and of pairs at the vision encoder."""
    seen = {"colour": [[1.0, -0.5, -0.5], [0.0, 0.866, -0.866]], "brightness": [[1 / 3, 1 / 3, 1 / 3]]}
    folder = tmp_path_factory.mktemp("planted")

    def get(encoder: str) -> Any:
        model = plant(folder / encoder, seen[encoder])
        out = folder / f"probe-{encoder}"
        made = ct.probe(bench, model, "representation", out, condition=BOTH, roles="diagram,photo,video", tasks="T1")
        rows = [row for row in made.rows("measures") if (row["task"], row["level"]) == ("all", "vision")]
        pairs = [row for row in made.rows("pairs") if (row["task"], row["level"]) == ("all", "vision")]
        return (
            {(row["roles"], row["measure"]): row for row in rows},
            {(row["measure"], row["from"], row["to"]): row for row in pairs},
        )

    return get


def test_an_encoder_of_colours_agrees_about_photographs_and_clips_alone(measured: Measured) -> None:
    measures, pairs = measured("colour")
    for roles in (DIAGRAM_VIDEO, "diagram and photo"):
        assert abs(measures[roles, "unbiased CKA"]["value"]) < 0.2
        # Of four steps, one is found by chance.
        assert measures[roles, "R@1 in its cluster"]["value"] == pytest.approx(0.25, abs=0.18)
    assert measures[PHOTO_VIDEO, "unbiased CKA"]["value"] > 0.95
    assert measures[PHOTO_VIDEO, "R@1 in its cluster"]["value"] == 1.0
    cost = pairs["unbiased CKA", DIAGRAM_VIDEO, PHOTO_VIDEO]
    assert cost["difference"] == pytest.approx(
        measures[PHOTO_VIDEO, "unbiased CKA"]["value"] - measures[DIAGRAM_VIDEO, "unbiased CKA"]["value"]
    )
    assert cost["low"] > 0.5 and (cost["items"], cost["clusters"]) == (PRODUCTS * STEPS, PRODUCTS)
    found = pairs["R@1 in its cluster", DIAGRAM_VIDEO, PHOTO_VIDEO]
    assert found["second"] == 1.0 and found["low"] > 0.4
    # Diagrams agree with neither of the two.
    neither = pairs["unbiased CKA", "diagram and photo", DIAGRAM_VIDEO]
    assert abs(neither["difference"]) < 0.25


def test_an_encoder_of_brightness_finds_no_cost(measured: Measured) -> None:
    measures, pairs = measured("brightness")
    for roles in (DIAGRAM_VIDEO, "diagram and photo", PHOTO_VIDEO):
        assert measures[roles, "unbiased CKA"]["value"] > 0.95
    assert abs(pairs["unbiased CKA", DIAGRAM_VIDEO, PHOTO_VIDEO]["difference"]) < 0.03


def test_hidden_states_and_attention_are_compared_on_the_same_questions(
    bench: Benchmark, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from tiny_models import save_tiny

    folder = tmp_path_factory.mktemp("asked")
    model = f"transformers/{save_tiny('qwen2_5_vl', folder / 'tiny', max_position_embeddings=32768)}"
    for layer, name in (("hidden", "modality"), ("attention", "name")):
        made = ct.probe(bench, model, layer, folder / "probe", condition=BOTH[::-1], tasks="T1", limit=14)
        changes = [row for row in made.rows("changes") if row["task"] == "all"]
        of_pictures = [row for row in changes if row[name] == "diagram"]  # the role; the medium is the photograph
        assert of_pictures and {row[name] for row in changes} == {"diagram", "video", "text", "template"}
        assert all((row["from"], row["to"]) == BOTH[::-1] and row["items"] == 14 for row in changes)
        assert all(row["low"] is not None for row in changes) and any(row["difference"] for row in of_pictures)
    from chronotope.report import write_report

    page = write_report([], folder / "report", probes=[folder / "probe"]).index.read_text()
    assert "Another depiction, or another way of asking" in page and "influence of diagram" in page


def test_questions_show_photographs_in_place_of_diagrams(bench: Benchmark) -> None:
    from chronotope.evaluate.plan import Selection, make_plan
    from chronotope.families import family
    from chronotope.models import Limits
    from chronotope.protocol import PictureFile, media_of

    ikea = family("ikea")
    assert ikea.pictured is not None
    plans = [
        make_plan(bench, ikea, ikea.RunSettings(**of), Selection(), Limits()) for of in ({}, {"depiction": "photo"})
    ]
    for one, other in zip(plans[0].asks, plans[1].asks, strict=True):
        before, after = (
            [media.path for media in media_of(plan.parts(ask)) if isinstance(media, PictureFile)]
            for plan, ask in zip(plans, (one, other), strict=True)
        )
        assert before and after == [path.replace("step_", "photo_") for path in before]
        question = bench.by_id[one.question]
        shown = ikea.pictured(other, question, plans[1].facts)
        for first, second in zip(ikea.depicts(question), ikea.depicts(shown), strict=True):
            assert (first.thing, first.role) == (second.thing, second.role)
            assert {"diagram": "photo", "video": "video"}[first.medium] == second.medium


def test_a_benchmark_without_photographs_says_what_to_do(tmp_path: Path) -> None:
    write_manual(tmp_path / "manuals" / "stool", 0, has_photos=False)
    bench = ct.build("ikea", tmp_path / "manuals", tmp_path / "bench", options={"allow_short_options": True})
    with pytest.raises(InputError, match=r"has no photograph, but depiction=photo .* build the benchmark from"):
        ct.run(bench, "baseline/random", out=tmp_path / "run", depiction="photo")
