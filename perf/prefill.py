"""Measure one prefill for a clip against plain generation for each question, with models in this process.

usage: python perf/prefill.py [--pairs 3] [--frames 16] [--questions 30] [--device cpu] [--results perf/RESULTS.md]

A random model of the class of Qwen2.5-VL, and one of Qwen3-VL, get pictures of 224 px and questions of about 70 tokens
about them. The plain loop is the library's own: each prompt is processed and generated from its beginning. The other
side is what a run with `--layout shared` does: pictures are encoded once, the beginning of the prompts is read once,
and questions are answered in batches. Its first clip includes the comparison with a plain forward pass, which a run
does once; a second time without it stands for all later clips. Both sides alternate in one process. Replies must have
the same tokens. Needs: pip install '.[local]'.
"""

import argparse
import io
import os
import platform
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from PIL import Image as Pictures
from record import record

from chronotope.io import sha256_bytes
from chronotope.media import Encoded
from chronotope.models.transformers import LocalModel, load
from chronotope.models.transformers.answers import ClipAnswers, Sharing
from chronotope.models.transformers.decoding import Wanted
from chronotope.protocol import Image, Option, Part, PictureFile, Text

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import tiny_models

EDGE = 224  # px
TOKENS = 2  # of a reply: a letter and the end
BATCH = 15
WIDTH, LAYERS = 512, 6
WORDS = ("left", "right", "near", "far", "up", "down")
TARGET = 8


def save_model(kind: str, folder: Path) -> Path:
    """Save a random model with the shape of a small vision-language model."""
    about = tiny_models.FAMILIES[kind]
    vision = about["vision"] | {"hidden_size": 256, "intermediate_size": 512, "out_hidden_size": WIDTH, "depth": 6}
    vision |= {"fullatt_block_indexes": [5]} if "fullatt_block_indexes" in vision else {}
    pixels = about["images"] | {"size": {"shortest_edge": EDGE**2, "longest_edge": EDGE**2}}
    tiny_models.FAMILIES[kind] = about | {"vision": vision, "images": pixels}
    heads = {"num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 64}
    rope = about["text"]["rope_parameters"] | {"mrope_section": [8, 12, 12]}
    text = heads | {"hidden_size": WIDTH, "intermediate_size": 4 * WIDTH, "num_hidden_layers": LAYERS}
    return tiny_models.save_tiny(kind, folder, rope_parameters=rope, **text)


def frames(count: int) -> dict[str, Encoded]:
    """Draw pictures of random colours that change slowly."""
    made = {}
    for number in range(count):
        pixels = np.random.default_rng(number).integers(0, 255, (8, 8, 3), dtype=np.uint8)
        buffer = io.BytesIO()
        Pictures.fromarray(pixels).resize((EDGE, EDGE)).save(buffer, "PNG")
        made[f"{number}.png"] = Encoded(buffer.getvalue(), sha256_bytes(buffer.getvalue()), "image/png")
    return made


def question(number: int) -> list[Part]:
    first, second = WORDS[number % len(WORDS)], WORDS[(number + 1) % len(WORDS)]
    return [Text(f"\nWhere is thing {number} at second {number % 7}?\n"), Option("A", first), Option("B", second)]


def plain(model: LocalModel, prompts: list[list[Part]], pictures: Any) -> list[Any]:
    """Answer each prompt from its beginning."""
    return [model.generate(model.encode(parts, pictures), TOKENS) for parts in prompts]


def once(
    model: LocalModel, prefix: list[Part], prompts: list[list[Part]], pictures: Any, sharing: Sharing
) -> list[Any]:
    """Answer all prompts after one prefill."""
    answers = ClipAnswers(model, prefix, pictures, sharing)
    found = answers.answer([(parts, Wanted(TOKENS, ("A", "B"))) for parts in prompts])
    answers.close()
    assert all(one.shared for one in found), "the prefix was not shared"
    return [one.reply for one in found]


def measure(kind: str, arguments: argparse.Namespace, clock: Any) -> tuple[str, list[list[str]]]:
    """Measure one model; return the lines of its table."""
    with tempfile.TemporaryDirectory() as temporary:
        settings = {"device": arguments.device, "dtype": "float32"}
        model = load(str(save_model(kind, Path(temporary) / kind)), settings)
        store = frames(arguments.frames)
        prefix: list[Part] = [Image(PictureFile(name, one.sha256)) for name, one in store.items()]
        prompts = [[*prefix, *question(number)] for number in range(arguments.questions)]
        model.generate(model.encode(prompts[0], lambda shown: store[shown.path]), 1)  # loads the weights
        length = model.encode(prompts[0], lambda shown: store[shown.path]).length
        rows, ratios = [], []
        for pair in range(arguments.pairs):
            began = clock()
            bound = plain(model, prompts, lambda shown: store[shown.path])
            between = clock()
            sharing = Sharing(BATCH)
            ours = once(model, prefix, prompts, lambda shown: store[shown.path], sharing)
            first = clock()
            later = once(model, prefix, prompts, lambda shown: store[shown.path], sharing)
            ended = clock()
            assert [one.tokens for one in ours] == [one.tokens for one in later] == [one.tokens for one in bound]
            apart = max(float((a.first - b.first).abs().max()) for a, b in zip(ours, bound, strict=True))
            taken = between - began, first - between, ended - first
            ratios.append((taken[0] / taken[1], taken[0] / taken[2]))
            numbers = [*(f"{one:.1f}" for one in (*taken, *ratios[-1])), f"{apart:.1e}"]
            rows.append([kind, str(length), str(pair + 1), *numbers])
    of_first, of_later = (median(of) for of in zip(*ratios, strict=True))
    return f"{kind} {of_first:.1f} (first clip) and {of_later:.1f} (later clips)", rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--frames", type=int, default=16)
    parser.add_argument("--questions", type=int, default=30)
    parser.add_argument("--device", default="cpu", help="cpu (measures CPU time) or cuda (measures time)")
    parser.add_argument("--results", type=Path, default=Path(__file__).with_name("RESULTS.md"))
    arguments = parser.parse_args()
    clock = time.process_time if arguments.device == "cpu" else time.perf_counter
    medians, rows = zip(*(measure(kind, arguments, clock) for kind in ("qwen2_5_vl", "qwen3_vl")), strict=True)
    times = ["plain loop, s", "first clip, s", "later clip, s", "ratio, first clip", "ratio, later clip"]
    head = ["model", "tokens of a prompt", "pair", *times, "difference of logits"]
    told = [head, ["---"] * len(head), *(row for of in rows for row in of)]
    table = "\n".join(f"| {' | '.join(row)} |" for row in told)
    command = f"python perf/prefill.py --frames {arguments.frames} --questions {arguments.questions}"
    what = "CPU time" if arguments.device == "cpu" else f"Time on {arguments.device}"
    section = (
        f"# Results of perf/prefill.py\n\n`{command} --pairs {arguments.pairs}` on {os.cpu_count()} cores, Python "
        f"{platform.python_version()}. {what}; all replies have the same tokens.\n\n{table}\n\nMedian ratios: "
        f"{', '.join(medians)}; the target is at least {TARGET}."
    )
    record(arguments.results, section)
    print(section)


if __name__ == "__main__":
    main()
