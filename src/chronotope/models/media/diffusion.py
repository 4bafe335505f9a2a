"""Pipelines of diffusers in this process: free of charge, and without a service.

A pipeline is a folder or a name on the hub. What it takes is read from its class, without loading weights. Jobs are
made one after the other in a thread. A job ends with its process, and costs nothing, so it is made again.
"""

import asyncio
import importlib
import inspect
import shutil
import tempfile
import uuid
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.io import read_json
from chronotope.media import encode_clip
from chronotope.models.media.request import (
    Asset,
    Done,
    ExpiredError,
    Failed,
    Input,
    MediaLimits,
    MediaRequest,
    Waiting,
)

INDEX = "model_index.json"
RATE = 16  # frames per second that most open video models were trained with
STEP = 4  # the number of frames is a multiple of it, plus one
# Parameters of pipelines that take an input. Pipelines with a mask take a control video, others a clip to restyle.
_PARAMETERS: Mapping[Input, str] = {"first_frame": "image", "last_frame": "last_image"}


class DiffusionService:
    """A pipeline of diffusers, which is loaded when it is first used.

    ``fields`` of a request are further parameters of the pipeline, such as ``num_inference_steps``. Two of them are
    ours: ``fps``, the rate of the clip, and ``device``.

    Raises:
        InputError: If diffusers is not installed, or there is no such pipeline.
    """

    first_wait, patience = 0.0, 24 * 3600.0

    def __init__(self, model: str) -> None:
        self.name, self._model = f"diffusers/{model}", model
        self._class = _pipeline_class(model)
        called = inspect.signature(self._class.__call__).parameters
        video = "video" in called or "num_frames" in called
        takes: dict[Input, str] = {name: parameter for name, parameter in _PARAMETERS.items() if parameter in called}
        if "video" in called:
            takes["control_video" if "mask" in called else "reference_video"] = "video"
        self._takes, self._called = takes, set(called)
        needs: set[Input] = {name for name, of in takes.items() if called[of].default is inspect.Parameter.empty}
        self.limits = MediaLimits(
            "video" if video else "image", None, None, frozenset(takes), frozenset(needs), "generator" in called
        )
        self._jobs: dict[str, asyncio.Task[Path]] = {}
        self._one = asyncio.Lock()
        self._folder = Path(tempfile.mkdtemp(prefix="chronotope-diffusion-"))

    def price(self, request: MediaRequest) -> float | None:
        """Return 0, because nothing is billed."""
        return 0.0

    async def submit(self, request: MediaRequest, token: str) -> str:
        """Start a job in a thread, and return its id; see `MediaService.submit`."""
        job = uuid.uuid4().hex
        self._jobs[job] = asyncio.create_task(self._made(request, job))
        return job

    async def _made(self, request: MediaRequest, job: str) -> Path:
        async with self._one:  # a pipeline fills the memory
            return await asyncio.to_thread(self._run, request, job)

    async def poll(self, job: str) -> Waiting | Done | Failed:
        """Return the state of a job; see `MediaService.poll`."""
        task = self._jobs.get(job)
        if task is None:
            return Failed("lost", "the process that made it has ended", 0.0)
        if not task.done():
            return Waiting(0.2)
        if (error := task.exception()) is not None:
            return Failed("failed", f"{type(error).__name__}: {error}"[:500], 0.0)
        return Done((Asset(str(task.result())),), money=0.0)

    async def fetch(self, asset: Asset, place: Path) -> None:
        """Write a result to a file; see `MediaService.fetch`."""
        if not Path(asset.url).is_file():
            raise ExpiredError("the process that made it has ended")
        await asyncio.to_thread(shutil.copyfile, asset.url, place)

    async def close(self) -> None:
        """Wait for jobs that run, and free the memory."""
        await asyncio.gather(*self._jobs.values(), return_exceptions=True)
        self.__dict__.pop("_pipeline", None)
        shutil.rmtree(self._folder, ignore_errors=True)

    @cached_property
    def _pipeline(self) -> Any:
        pipeline = self._class.from_pretrained(self._model)
        pipeline.set_progress_bar_config(disable=True)
        return pipeline

    def _run(self, request: MediaRequest, job: str) -> Path:
        """Run the pipeline, and write its result."""
        import torch

        fields = dict(request.fields)
        fps, device = float(fields.pop("fps", RATE)), str(fields.pop("device", "cpu"))
        pipeline = self._pipeline.to(device)
        told = self._arguments(request, fps) | fields
        if "generator" in self._called and request.seed is not None:
            told["generator"] = torch.Generator(device="cpu").manual_seed(request.seed)
        made = pipeline(**told, output_type="np")
        if self.limits.kind == "image":
            from PIL import Image

            path = self._folder / f"{job}.png"
            Image.fromarray(_bytes(np.asarray(made.images[0]))).save(path)
            return path
        path = self._folder / f"{job}.mp4"
        encode_clip(list(_bytes(np.asarray(made.frames[0]))), path, fps)
        return path

    def _arguments(self, request: MediaRequest, fps: float) -> dict[str, Any]:
        """Return the arguments of the pipeline, as far as it has them."""
        told: dict[str, Any] = {"prompt": request.prompt}
        if request.size is not None:
            told |= {"width": request.size[0], "height": request.size[1]}
        if "num_frames" in self._called and request.seconds is not None:
            told["num_frames"] = frames_for(request.seconds, fps)
        for name, path in request.inputs().items():
            told[self._takes[name]] = _shown(path, is_video=name.endswith("video"), count=told.get("num_frames"))
        return {name: value for name, value in told.items() if name in self._called}


def frames_for(seconds: float, fps: float) -> int:
    """Return the number of frames for a duration (s): a multiple of 4, plus 1."""
    return max(1, STEP * round(seconds * fps / STEP)) + 1


def _pipeline_class(model: str) -> Any:
    """Return the class of a pipeline, from its index.

    Raises:
        InputError: If diffusers is not installed, or there is no such pipeline.
    """
    try:
        diffusers = importlib.import_module("diffusers")
    except ImportError:
        raise InputError(
            "diffusers is not installed, which pipelines in this process need: pip install 'diffusers>=0.40' "
            "accelerate ftfy torch"
        ) from None
    index = Path(model) / INDEX
    if not index.is_file():
        from huggingface_hub import hf_hub_download
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError

        try:
            index = Path(hf_hub_download(model, INDEX))
        except (HfHubHTTPError, HFValidationError, OSError) as error:
            raise InputError(
                f"diffusers/{model}: neither a folder with {INDEX}, nor a pipeline on the hub ({type(error).__name__})"
            ) from None
    told: Any = read_json(index)
    name = told.get("_class_name") if isinstance(told, dict) else None
    found = getattr(diffusers, str(name), None)
    if found is None:
        raise InputError(f"{index}: names no pipeline of the installed diffusers {diffusers.__version__} ({name!r})")
    return found


def _shown(path: Path, *, is_video: bool, count: int | None) -> Any:
    """Return a picture, or the frames of a clip, as the pictures that pipelines take."""
    from PIL import Image

    from chronotope.media import decode_frames, probe, read_picture

    if not is_video:
        return Image.fromarray(read_picture(path))
    total = probe(path).frames
    wanted = np.linspace(0, total - 1, count or total).round().astype(int).tolist()
    frames = {index: Image.fromarray(picture) for index, picture in decode_frames(path, wanted)}
    return [frames[index] for index in wanted]


def _bytes(values: np.ndarray) -> np.ndarray:
    """Return values from 0 to 1 as bytes."""
    return (np.clip(values, 0, 1) * 255).round().astype(np.uint8)
