"""Full memory: its detection, and a way to go on."""

from collections.abc import Callable
from typing import Any, TypeVar

Made = TypeVar("Made")

# How PyTorch says it in other errors than its own: on a CPU, and if CUDA or one of its libraries (for example,
# CUBLAS_STATUS_ALLOC_FAILED) finds a full GPU.
_TOLD = (
    *("not enough memory", "out of memory", "allocate memory", "alloc_failed", "bad_alloc", "unable to allocate"),
    "cublas_status_not_initialized",
)


def unless_full(device: Any, work: Callable[[], Made]) -> Made | None:
    """Return what some work makes; None if the memory is full.

    An error refers to the tensors of the work that raised it, and so keeps them in memory. Therefore the error is
    dropped here, before anything else is tried.
    """
    try:
        return work()
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
    _free(device)
    return None


def is_out_of_memory(error: BaseException) -> bool:
    """Check whether an error says that the memory is full."""
    import torch

    told = str(error).lower()
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or any(words in told for words in _TOLD)


def _free(device: Any) -> None:
    """Return unused memory of a GPU."""
    import gc

    import torch

    gc.collect()
    if device.type == "cuda":
        torch.cuda.empty_cache()
