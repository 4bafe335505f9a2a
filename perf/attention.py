"""Measure the peak memory of attention recorded for the last token, relative to eager attention.

    python perf/attention.py [--tokens 1000 2000 4000 8000] [--device cpu]

The model is a random Qwen2.5-VL with small layers, and the prompt is text. Each measurement is a separate process. The
memory is that of one forward pass: the peak above the memory after one pass over 16 tokens. On a GPU, it is the
allocator's peak.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

LAYERS = 2
WAYS = ("last row", "eager", "none")  # none: the fast attention alone, without anything recorded


def save_model(folder: Path, tokens: int) -> None:
    """Save a small random model: 2 layers of 4 heads, so that eager attention fits into memory at 8,000 tokens."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from tiny_models import save_tiny

    sizes = {"hidden_size": 32, "num_attention_heads": 4, "num_key_value_heads": 2, "num_hidden_layers": LAYERS}
    save_tiny("qwen2_5_vl", folder, max_position_embeddings=tokens + 64, **sizes)


def forward(local: Any, tokens: int, way: str) -> None:
    """Run one forward pass, and keep the last row of every layer."""
    import torch

    from chronotope.probe.capture import Wanted, attention_layers, run_captured
    from chronotope.probe.capture.attention import using_attention
    from chronotope.protocol import Text

    encoded = local.encode([Text("a" * tokens)], None)
    if way != "eager":
        layers = attention_layers(local.family) if way == "last row" else ()
        rows = run_captured(local, encoded, Wanted(attention=layers, depths=())).attention
        assert len(rows) == len(layers)
        return
    with using_attention(local.family, "eager"), torch.inference_mode():
        inputs = local.inputs(encoded) | {"use_cache": False, "output_attentions": True, "logits_to_keep": 1}
        rows = [layer[0, :, -1].float().cpu() for layer in local.model(**inputs).attentions]
        assert len(rows) == LAYERS


def peak(folder: Path, tokens: int, way: str, device: str) -> float:
    """Return the peak memory of one pass in MB."""
    import torch

    from chronotope.models.transformers import load, local_settings

    local = load(str(folder), local_settings("measured", {"device": device}))
    forward(local, 16, way)
    if device.startswith("cuda"):
        torch.cuda.synchronize()
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        forward(local, tokens, way)
        return (torch.cuda.max_memory_allocated() - before) / 2**20
    Path("/proc/self/clear_refs").write_text("5")  # the peak is now the present memory
    before = resident("VmRSS")
    forward(local, tokens, way)
    return (resident("VmHWM") - before) / 1024


def resident(name: str) -> int:
    """Return a memory figure of this process in kB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def main() -> None:
    """Print a table of the peaks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tokens", type=int, nargs="+", default=[1000, 2000, 4000, 8000])
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--one", nargs=3, metavar=("FOLDER", "TOKENS", "WAY"), help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        folder, tokens, way = given.one
        print(json.dumps(peak(Path(folder), int(tokens), way, given.device)))
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "model"
        save_model(folder, max(given.tokens))
        print("| tokens | last row, MB | eager, MB | nothing recorded, MB | eager / last row |\n|---|---|---|---|---|")
        for tokens in given.tokens:
            found = {}
            for way in WAYS:
                command = [sys.executable, __file__, "--device", given.device, "--one", str(folder), str(tokens), way]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                found[way] = float(done.stdout.splitlines()[-1])
            ratio = found["eager"] / found["last row"]
            cells = " | ".join(f"{found[way]:.0f}" for way in WAYS)
            print(f"| {tokens:,} | {cells} | {ratio:.1f} |", flush=True)


if __name__ == "__main__":
    main()
