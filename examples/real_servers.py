"""Run Chronotope with real servers: ``transformers serve`` with a tiny random model, and LiteLLM's proxy.

    pip install torch==2.13.0 "transformers[serving]" "litellm[proxy]" chronotope
    python examples/real_servers.py real-servers

The script makes a vision-language model with random weights (LLaVA's architecture, about 100,000 parameters, with a
newly trained tokenizer) and a small benchmark from drawn clips, so that no download is needed. Then it starts the
servers one after the other, and runs the commands ``check``, ``run`` and ``report`` as a user would. The answers of the
model are meaningless; the script tests that requests and replies fit together. Before the script ends, it stops the
servers.
"""

import argparse
import contextlib
import importlib.util
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path

PACKAGES = {"torch": "torch==2.13.0", "transformers": '"transformers[serving]"', "litellm": '"litellm[proxy]"'}
SERVED = {"uvicorn": PACKAGES["transformers"], "fastapi": PACKAGES["transformers"]}  # modules that these extras install
MODEL, PROXIED = "model", "tiny"  # names of the model: its folder (transformers serve), and a free name (LiteLLM)
PICTURE, PATCH = 28, 14  # px
FRAMES = 6  # number of frames of a clip
WAIT = 180.0  # seconds to wait for a server's first answer
WORDS = (
    "answer the question below based on frames provided which are sampled at about how far is it from to camera "
    "seconds option choose please output only letter first last number picture show reply with that above"
)
TEMPLATE = (
    "{% for message in messages %}{{ message['role'] }}: "
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %} "
    "{% endfor %}assistant: "
)


def missing() -> list[str]:
    """Return the missing packages, in pip's notation."""
    needed = PACKAGES | SERVED
    return list(dict.fromkeys(what for name, what in needed.items() if importlib.util.find_spec(name) is None))


def write_model(folder: Path) -> int:
    """Write a LLaVA model of random weights with its processor; return the number of its parameters."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import (
        CLIPImageProcessor,
        CLIPVisionConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
        PreTrainedTokenizerFast,
    )

    special = ["<pad>", "<s>", "</s>", "<unk>", "<image>"]
    trained = Tokenizer(models.BPE(unk_token="<unk>"))
    trained.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trained.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trained.train_from_iterator(
        [WORDS], trainers.BpeTrainer(vocab_size=400, special_tokens=special, initial_alphabet=alphabet)
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=trained, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>",
        extra_special_tokens={"image_token": "<image>"}, model_max_length=100_000,
    )  # fmt: skip
    torch.manual_seed(0)
    vision = CLIPVisionConfig(
        hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, image_size=PICTURE,
        patch_size=PATCH, projection_dim=32,
    )  # fmt: skip
    text = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=48, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=100_000, bos_token_id=1, eos_token_id=2, pad_token_id=0,
    )  # fmt: skip
    config = LlavaConfig(
        vision_config=vision, text_config=text, image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        vision_feature_layer=-1, image_seq_length=(PICTURE // PATCH) ** 2,
    )  # fmt: skip
    model = LlavaForConditionalGeneration(config).eval()
    size = {"height": PICTURE, "width": PICTURE}
    pictures = CLIPImageProcessor(size={"shortest_edge": PICTURE}, crop_size=size)
    processor = LlavaProcessor(
        pictures, tokenizer, patch_size=PATCH, vision_feature_select_strategy="default", chat_template=TEMPLATE,
        num_additional_image_tokens=1,
    )  # fmt: skip
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return sum(parameter.numel() for parameter in model.parameters())


def proxy_config(model: str, base_url: str) -> str:
    """Return a configuration of the LiteLLM proxy that gives another server's model the name `PROXIED`."""
    return (
        f"model_list:\n  - model_name: {PROXIED}\n    litellm_params:\n      model: openai/{model}\n"
        f"      api_base: {base_url}\n      api_key: none\n"
    )


def free_port() -> int:
    """Return an unused port."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextlib.contextmanager
def served(folder: Path, words: Sequence[str], alive: str, key: str = "") -> Iterator[None]:
    """Run a server until the context ends; raise SystemExit if the server ends early or never answers at ``alive``.

    The server's working directory is ``folder``, and its output is written to a file there. At the end, the server and
    all its child processes are ended.
    """
    log = folder / f"{words[0]}.log"
    given = {
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_TELEMETRY": "False",
    }
    command = [str(Path(sys.executable).parent / words[0]), *words[1:]]
    with log.open("w") as printed:
        process = subprocess.Popen(
            command, cwd=folder, stdout=printed, stderr=subprocess.STDOUT, start_new_session=True,
            env=os.environ | given | {"LITELLM_MASTER_KEY": key},
        )  # fmt: skip
    try:
        began = time.monotonic()
        while not answers(alive):
            if process.poll() is not None or time.monotonic() - began > WAIT:
                raise SystemExit(f"{words[0]} does not answer at {alive}: see {log}")
            time.sleep(0.5)
        print(f"\n{words[0]} answers after {time.monotonic() - began:.0f} s", flush=True)
        yield
    finally:
        end(process)


def answers(url: str) -> bool:
    """Check whether a server answers at a URL, with any status."""
    try:
        urllib.request.urlopen(url, timeout=2).close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def end(process: subprocess.Popen) -> None:
    """End a process and its group: first by a request, after ten seconds by force."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
            break


def type_in(folder: Path, *words: object, key: str = "", allowed: tuple[int, ...] = (0,)) -> None:
    """Print a command and run it in a folder, with an API key; raise SystemExit if its exit code is not allowed."""
    print("\n$ chronotope " + " ".join(map(str, words)), flush=True)
    command = [sys.executable, "-m", "chronotope.cli", *map(str, words)]
    code = subprocess.run(command, cwd=folder, env=os.environ | {"CHRONOTOPE_API_KEY": key}, check=False).returncode
    if code not in allowed:
        raise SystemExit(f"chronotope {words[0]} ended with {code}")


def ask(folder: Path, model: str, base_url: str, out: str, limit: int, key: str = "") -> None:
    """Check a service and ask it some questions.

    A model with random weights sees nothing, so the check ends with a warning and exit code 1.
    """
    service = ("--model", f"endpoint/{model}", "--base-url", base_url)
    type_in(folder, "check", "bench", *service, "--pictures", FRAMES, key=key, allowed=(0, 1))
    asked = ("--frames", FRAMES, "--limit", limit, "--max-tokens", 8)  # few short requests, to be fast on any machine
    type_in(folder, "run", "bench", *service, *asked, "--out", out, key=key)


def main() -> None:
    """Make the model and the benchmark, start the servers, and ask."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a new folder for the model, the benchmark, the runs and the report")
    parser.add_argument("--limit", type=int, default=6, help="number of questions for each server (default: 6)")
    arguments = parser.parse_args()
    if lacking := missing():
        raise SystemExit(f"packages are missing: pip install {' '.join(lacking)}")
    folder: Path = arguments.folder.resolve()
    if folder.exists():
        raise SystemExit(f"{folder}: exists already: name a new folder")
    folder.mkdir(parents=True)
    print(f"a model of {write_model(folder / MODEL):,} random parameters: {folder / MODEL}", flush=True)
    drawn = [sys.executable, Path(__file__).with_name("posed_folders.py"), folder / "clips", "--folders", "2"]
    subprocess.run(drawn, check=True)
    type_in(folder, "build", "sti", "clips", "--out", "bench", "--per-variant", 1, "--workers", 1)
    port, proxy, key = free_port(), free_port(), f"sk-{secrets.token_hex(16)}"
    url, before = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{proxy}"
    with served(folder, ["transformers", "serve", MODEL, "--port", str(port), "--device", "cpu"], f"{url}/health"):
        ask(folder, MODEL, f"{url}/v1", "runs/transformers", arguments.limit)
        (folder / "litellm.yaml").write_text(proxy_config(MODEL, f"{url}/v1"))
        words = ["litellm", "--config", "litellm.yaml", "--host", "127.0.0.1", "--port", str(proxy)]
        with served(folder, words, f"{before}/health/liveliness", key):
            ask(folder, PROXIED, f"{before}/v1", "runs/litellm", arguments.limit, key)
    type_in(folder, "report", "runs/transformers", "runs/litellm", "--out", "report")
    print(f"\nthe report: {folder / 'report'}; output of the servers: {folder}/*.log")


if __name__ == "__main__":
    main()
