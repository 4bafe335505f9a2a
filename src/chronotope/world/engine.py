"""Access to MuJoCo, to Embree and to an OpenGL context, with errors that name missing packages."""

import importlib
import os
import sys
from types import ModuleType
from typing import Any

from chronotope.errors import InputError

_NO_ENGINE = "simulated worlds need MuJoCo, which is not installed: pip install 'chronotope[world]'"
_NO_RAYS = "light of --quality photo or lit needs Embree, which is not installed: pip install 'chronotope[world]'"
_WRONG_GL = "MuJoCo has no such renderer: unset the variable, or set it to egl or osmesa"
_NO_GL = (
    "simulated worlds are rendered with OpenGL, and neither EGL nor OSMesa works here ({reasons}): on Debian and "
    "Ubuntu run 'apt-get install -y libegl1 libgl1-mesa-dri' (or libosmesa6); commands that do not render do "
    "not need these libraries"
)


def require_mujoco() -> ModuleType:
    """Import the module ``mujoco``.

    Raises:
        InputError: If the module is missing. The message states the command that installs it.
    """
    before = os.environ.get("MUJOCO_GL")
    # Otherwise MuJoCo looks for a window system on import; the contexts below need no window system.
    os.environ["MUJOCO_GL"] = before or "disable"
    try:
        mujoco = importlib.import_module("mujoco")
    except ImportError as error:
        raise InputError(_NO_ENGINE) from error
    except RuntimeError as error:  # MUJOCO_GL has an unknown value
        raise InputError(f"MUJOCO_GL={before}: {_WRONG_GL}") from error
    finally:
        if before is None:  # our value must not reach other code or child processes
            del os.environ["MUJOCO_GL"]
    if not hasattr(mujoco, "MjSpec"):  # the package is too old or partly uninstalled
        raise InputError(_NO_ENGINE)
    return mujoco


def require_embree() -> tuple[ModuleType, ModuleType]:
    """Import the modules of Embree, which casts rays.

    The result is the module for scenes and the module for meshes.

    Raises:
        InputError: If they are missing. The message states the command that installs them.
    """
    try:
        return importlib.import_module("embreex.rtcore_scene"), importlib.import_module("embreex.mesh_construction")
    except ImportError as error:
        raise InputError(_NO_RAYS) from error


def open_context(width: int, height: int) -> Any:
    """Open an OpenGL context without a window.

    The context is current in this thread, and the caller must free it. EGL is tried first, then OSMesa (in the reverse
    order if MUJOCO_GL is osmesa).

    Raises:
        InputError: If neither EGL nor OSMesa can be used. The message names the missing packages.
    """
    require_mujoco()
    backends = ["egl", "osmesa"]
    # A backend that worked once is kept: another attempt with EGL would unload it.
    if os.environ.get("MUJOCO_GL", "").lower() == "osmesa" or "mujoco.osmesa" in sys.modules:
        backends.reverse()
    reasons: list[str] = []
    for backend in backends:
        try:
            context = importlib.import_module(f"mujoco.{backend}").GLContext(width, height)
            context.make_current()
        # PyOpenGL fails in many ways without its library: on import, on a missing symbol, on the first call.
        except Exception as error:  # noqa: BLE001
            reasons.append(f"{backend}: {' '.join(str(error).split())[:120] or type(error).__name__}")
            _forget()
            continue
        return context
    raise InputError(_NO_GL.format(reasons="; ".join(reasons)))


def _forget() -> None:
    """Undo the process-wide choices of a failed backend.

    Otherwise the next backend would fail, because PyOpenGL binds its functions to one platform when it is imported.
    """
    os.environ.pop("PYOPENGL_PLATFORM", None)
    for name in list(sys.modules):
        if name.partition(".")[0] == "OpenGL" or name.startswith(("mujoco.egl", "mujoco.osmesa")):
            del sys.modules[name]


def require_rendering() -> None:
    """Check that this machine can render.

    Raises:
        InputError: If this machine cannot render. The message names the missing packages.
    """
    open_context(16, 16).free()
