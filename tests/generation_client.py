"""Orders for the generation service of tests, and a process that fills them and can be killed."""

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from chronotope.models.media import Generated, Generating, JobBook, MediaRequest, Order, open_media_service

KEY = "GENERATION_TEST_KEY"


def described(folder: Path, port: int, **poll: object) -> Path:
    """Write the description of the service."""
    path = folder / "tests.yaml"
    told: dict[str, Any] = {
        "name": "tests", "base_url": f"http://127.0.0.1:{port}/v1", "key_variable": KEY, "key_header": "X-Key",
        "key_form": "{key}",
        "submit": {"paths": {"video": "/make", "image": "/make"}, "id": "data.id", "token_header": "X-Token",
                   "duplicate_status": 409, "duplicate_id": "data.id"},
        "poll": {"path": "/jobs/{id}", "state": "data.status", "done": ["completed"], "failed": ["failed"],
                 "outputs": "data.outputs", "error": "data.error", "seed": "data.seed", "money": "data.cost",
                 "refused": ["policy"], "first": {"video": 0, "image": 0}, "every": 0.02, "longest": 4, **poll},
        "models": {
            "square": {
                "kind": "video", "inputs": {"first_frame": "image", "control_video": "control"},
                "duration": {"field": "duration", "values": [2, 8]}, "seed": "seed", "fixed_camera": "camera_fixed",
                "fields": {"resolution": "48p"}, "price": {"second": 0.125},
            },
            "painter": {"kind": "image", "seed": "seed", "price": {"job": 0.05}},
            "echo": {"kind": "video", "inputs": {"reference_video": "video"}, "needs": ["reference_video"],
                     "price": {"job": 0.5}},
        },
    }  # fmt: skip
    path.write_text(yaml.safe_dump(told), encoding="utf-8")
    return path


def orders(prompts: Sequence[str]) -> list[Order]:
    return [
        Order(f"clip-{number:03d}", MediaRequest("video", prompt, seconds=2, seed=number))
        for number, prompt in enumerate(prompts)
    ]


def filled(
    description: Path, folder: Path, prompts: Sequence[str], *, concurrency: int = 4, timeout: float = 5, **how: Any
) -> Generated:
    """Fill orders, in this process."""
    os.environ.setdefault(KEY, "secret-of-tests")

    async def go() -> Generated:
        service = open_media_service("tests/square", description)
        service._timeout = timeout  # type: ignore[attr-defined]
        try:
            with JobBook.open(folder) as book:
                return await Generating(service, book, folder, backoff=0.01, **how).run(orders(prompts), concurrency)
        finally:
            await service.close()

    return asyncio.run(go())


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def kill_when(folder: Path, told: Mapping[str, Any]) -> None:
    """Tell the service whom to kill, and when."""
    place = folder / "kill.json"
    partial = folder / "kill.partial"
    partial.write_text(json.dumps(told))
    partial.replace(place)
