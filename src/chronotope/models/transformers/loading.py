"""Load the configuration, the processor and the weights of a model in this process."""

import functools
import hashlib
import inspect
import warnings
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import shorten
from typing import Any

from chronotope.errors import InputError
from chronotope.models.transformers.families import SERVE, FamilyRow, family_row, refuse_foreign
from chronotope.models.transformers.memory import is_out_of_memory
from chronotope.models.transformers.settings import LocalSettings
from chronotope.models.transformers.videos import PatchVideos, PictureVideos

EXTRA = "pip install 'chronotope[local]'"
UPDATE = (
    "update it (pip install --upgrade transformers), or add --set remote_code=true if the code is beside the weights, "
    f"or {SERVE}"
)


def require_torch(name: str) -> None:
    """Check that PyTorch and Transformers are installed.

    Raises:
        InputError: If one of them is missing, or Transformers has an older version.
    """
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError as error:
        raise InputError(f"needs PyTorch and Transformers ({error})", where=name, fix=EXTRA) from error
    if not hasattr(transformers, "AutoModelForImageTextToText"):
        raise InputError(f"Transformers {transformers.__version__} is too old", where=name, expected="5.23", fix=EXTRA)


@dataclass(frozen=True)
class Sources:
    """Everything of a model except its weights.

    ``identity`` identifies the weights: a commit of the hub, or a hash of names and sizes of local files.
    """

    place: str
    settings: LocalSettings
    row: FamilyRow
    config: Any
    processor: Any
    identity: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text_config(self) -> Any:
        """Return the configuration of the language model."""
        return self.config.get_text_config()


def load_sources(name: str, settings: LocalSettings) -> Sources:
    """Load the configuration and the processor of a model.

    No weights are loaded.

    ``name`` is a folder, or a name on the hub.

    Raises:
        InputError: If the model is not there, its family is unknown, or it has no processor or chat template.
    """
    _refuse_no_place(name)
    require_torch(name)
    from transformers import AutoConfig
    from transformers.models.auto.modeling_auto import MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES

    given = {"trust_remote_code": settings.remote_code, "revision": settings.revision}
    _refuse_unknown_code(name, settings)
    config = _loaded(name, "its configuration", lambda: AutoConfig.from_pretrained(name, **given))
    known = set(MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES)
    if settings.remote_code and "AutoModelForImageTextToText" in (getattr(config, "auto_map", None) or {}):
        known.add(config.model_type)
    if config.model_type not in known:
        raise InputError(
            f"the type {config.model_type!r} is not a vision-language model that Transformers knows",
            where=name,
            fix=SERVE,
        )
    row = family_row(config.model_type)
    processor = _loaded(name, "its processor", lambda: _processor(name, row, config, given | settings.processor))
    if not getattr(processor, "chat_template", None):
        raise InputError(
            "the weights have no chat template, so no prompt can be written",
            where=name,
            fix="use the instruction-tuned weights, or put a chat_template.jinja beside them",
        )
    return Sources(name, settings, row, config, processor, _identity(name, config))


def load_weights(sources: Sources) -> Any:
    """Load the weights of a model, in evaluation mode.

    Raises:
        InputError: If the weights cannot be loaded, or do not fit into memory.
    """
    from transformers import AutoModelForImageTextToText

    settings = sources.settings
    device, dtype = resolved_device(sources.place, settings)
    given = {"trust_remote_code": settings.remote_code, "revision": settings.revision}
    try:
        model = _loaded(
            sources.place,
            "its weights",
            lambda: AutoModelForImageTextToText.from_pretrained(sources.place, dtype=dtype, **given),
        )
        _round_exactly(device, dtype)
        return model.to(device).eval()
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        raise InputError(
            f"the weights do not fit into the memory of {device}",
            where=sources.place,
            fix="use a smaller model, --set dtype=bfloat16, or another --set device",
        ) from None


def resolved_device(name: str, settings: LocalSettings) -> tuple[Any, Any]:
    """Return the device and the number format of the weights.

    Raises:
        InputError: If the device does not exist.
    """
    import torch

    wanted = settings.device if settings.on is None else None  # the devices of a cluster are others
    try:
        device = torch.device(wanted or ("cuda" if torch.cuda.is_available() else "cpu"))
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        what = "the GPU" if settings.device is None else f"--set device={settings.device}:"
        raise InputError(
            f"{what} cannot be used ({reason})", where=name, fix="name another with --set device"
        ) from None
    default = torch.float32 if device.type == "cpu" else torch.bfloat16
    return device, default if settings.dtype is None else getattr(torch, settings.dtype)


def _round_exactly(device: Any, dtype: Any) -> None:
    """Turn off TensorFloat-32 if the weights are float32.

    PyTorch uses TensorFloat-32 for convolutions, which are the first layer of most vision encoders, but not for other
    products. TensorFloat-32 keeps only 10 bits of each number, so values on a GPU would differ from values on a CPU.
    """
    import torch

    if device.type == "cuda" and dtype == torch.float32:
        torch.backends.cudnn.allow_tf32 = False


def _loaded(name: str, what: str, load: Callable[[], Any]) -> Any:
    """Load one part of a model; turn the library's errors into sentences."""
    from safetensors import SafetensorError

    try:
        with _quiet():
            return load()
    except InputError:
        raise
    except (OSError, ValueError, ImportError, KeyError, RuntimeError, SafetensorError) as error:
        reason = shorten(" ".join(str(error).split()), 300, placeholder=" …")
        there = "check that all files of the weights are there and complete"
        fix = there if Path(name).is_dir() else "check the name, or give a folder"
        fix = "install the missing package" if isinstance(error, ImportError) else fix
        raise InputError(f"{what} cannot be loaded ({reason})", where=name, fix=fix) from error


@contextmanager
def _quiet() -> Generator[None]:
    """Keep the library's progress bars and warnings from the terminal."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _refuse_no_place(name: str) -> None:
    """Refuse a name of neither a folder nor the hub.

    Raises:
        InputError: If the name is empty, or is the path of a folder without weights.
    """
    wanted = "transformers/FOLDER or transformers/HUB-NAME"
    if not name.strip():
        raise InputError("the model has no name", expected=wanted)
    path = Path(name)
    is_path = path.is_absolute() or name.startswith((".", "~")) or len(path.parts) > 2
    if is_path and not path.is_dir():
        raise InputError("no such folder", where=name, expected=wanted)
    if path.is_dir() and not (path / "config.json").is_file():
        raise InputError("the folder has no config.json", where=name, expected="the folder of the weights of one model")


def _refuse_unknown_code(name: str, settings: LocalSettings) -> None:
    """Refuse weights that need other code, before the library fails on them.

    Raises:
        InputError: If the type of the model needs its authors' package or code, or is unknown.
    """
    from transformers import CONFIG_MAPPING, PreTrainedConfig

    if settings.remote_code:
        return
    try:
        values, _ = PreTrainedConfig.get_config_dict(name, revision=settings.revision)
    except (OSError, ValueError):
        return  # the next step has a better message
    kind = values.get("model_type")
    refuse_foreign(name, str(kind))
    if isinstance(kind, str) and kind not in CONFIG_MAPPING:
        raise InputError(f"this version of Transformers does not know the type {kind!r}", where=name, fix=UPDATE)


def _processor(name: str, row: FamilyRow, config: Any, given: Mapping[str, Any]) -> Any:
    """Load the processor; without torchvision, use our own videos."""
    from transformers import AutoProcessor
    from transformers.utils.import_utils import is_torchvision_available

    try:
        return AutoProcessor.from_pretrained(name, **given)
    except (ImportError, ValueError):
        if is_torchvision_available():
            raise
        return _without_torchvision(name, row, config, given)


def _without_torchvision(name: str, row: FamilyRow, config: Any, given: Mapping[str, Any]) -> Any:
    from transformers import AutoImageProcessor, AutoTokenizer
    from transformers.models.auto.processing_auto import PROCESSOR_MAPPING

    made_by: Any = PROCESSOR_MAPPING[type(config)]
    made_by = made_by[0] if isinstance(made_by, tuple) else made_by
    values, _ = made_by.get_processor_dict(name, revision=given.get("revision"))
    images = AutoImageProcessor.from_pretrained(name, **given)
    base = {"patches": PatchVideos, "pictures": PictureVideos}.get(row.frames or "", _NoVideos)
    videos = base(images, _video_settings(name, given), shared_budget=config.model_type.startswith("qwen3"))
    parts = {"image_processor": images, "video_processor": videos}
    tokenizer = AutoTokenizer.from_pretrained(name, **{key: given[key] for key in ("trust_remote_code", "revision")})
    taken = {attribute: parts.get(attribute, tokenizer) for attribute in made_by.get_attributes()}
    known = inspect.signature(made_by.__init__).parameters
    taken |= {key: value for key, value in values.items() if key in known and key not in taken}
    # The library checks the class of each argument, and this check needs torchvision.
    lenient = type(made_by.__name__, (made_by,), {"check_argument_for_proper_class": lambda self, name, value: None})
    return lenient(**taken)


class _NoVideos:
    """A stand-in for the video processor of families whose videos need torchvision."""

    merge_size = temporal_patch_size = 1
    slice_mode, downsample_mode, use_image_id = False, "16x", False

    def __init__(self, images: Any, settings: Mapping[str, Any], *, shared_budget: bool) -> None:
        pass


def _video_settings(name: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the settings of the library's video processor.

    The result is empty if the model has no video processor.
    """
    from transformers.video_processing_utils import BaseVideoProcessor

    try:
        settings, _ = BaseVideoProcessor.get_video_processor_dict(name, revision=given.get("revision"))
    except OSError:
        return {}
    return settings if "video_processor_type" in settings else {}


def _identity(name: str, config: Any) -> dict[str, str]:
    """Identify weights by their commit, or by their files."""
    folder = Path(name)
    if not folder.is_dir():
        return {"weights": str(getattr(config, "_commit_hash", None) or "unknown")}
    files = sorted(path for path in folder.iterdir() if path.suffix in (".safetensors", ".bin", ".json", ".jinja"))
    told = hashlib.sha256()
    for path in files:
        told.update(f"{path.name}:{path.stat().st_size}\n".encode())
        if path.suffix != ".bin":
            told.update(_beginning(path))
    return {"weights": told.hexdigest()[:16]}


@functools.lru_cache(maxsize=64)
def _beginning(path: Path) -> bytes:
    """Return the first 64 KiB of a file.

    The beginning names and locates the tensors of the file.
    """
    with path.open("rb") as file:
        return file.read(1 << 16)
