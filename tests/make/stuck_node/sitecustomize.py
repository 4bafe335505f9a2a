"""A node of which one job never ends: so it dies in the middle of a job, however busy the machine is.

Python imports this module at its start where its folder is on the path. The folder ``STUCK_FOLDER`` gets a file for
each job of the node, and the file ``stuck`` when the job with the number ``STUCK_JOB``, from 0, is at work.
"""

import os
import sys
import time
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any

MODULE = "chronotope.pool.on_node"


class _Stuck(MetaPathFinder):
    """Changes the function that does the jobs of a node, when its module is imported."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name == MODULE else None
        if spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            load(module)
            module.do_unit = _stuck(module.do_unit)

        spec.loader.exec_module = exec_module
        return spec


def _stuck(do_unit: Callable[..., Any]) -> Callable[..., Any]:
    def do(packed: bytes, say: Callable[[float, str], object]) -> Any:
        folder = Path(os.environ["STUCK_FOLDER"])
        number = len([*folder.iterdir()])  # a node with one CPU has one job at a time
        (folder / str(number)).touch()
        return do_unit(packed, _never if number == int(os.environ["STUCK_JOB"]) else say)

    def _never(share: float, stage: str) -> None:
        Path(os.environ["STUCK_FOLDER"], "stuck").touch()
        while True:
            time.sleep(60)

    return do


sys.meta_path.insert(0, _Stuck())
