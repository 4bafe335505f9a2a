"""STI-Bench: precise quantities of space and time from real video."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from chronotope.families import Family, Release, WriteContext, Written, read_reference
from chronotope.families.sti.options import BuildOptions
from chronotope.families.sti.protocol import RunSettings, STIProtocol
from chronotope.families.sti.refusal import MEANINGS
from chronotope.families.sti.tasks import TASKS

if TYPE_CHECKING:
    from chronotope.recording import Recording

__all__ = ["FAMILY"]


def _write(recording: "Recording", context: WriteContext) -> Written:
    """Write the questions about a recording."""
    from chronotope.families.sti.write import write

    return write(recording, context)


def _read_release(path: Path, clips: Path | None = None) -> Release:
    """Read what the authors released."""
    from chronotope.families.sti.release import read_release

    return read_release(path, clips)


def _kinds() -> dict[str, str]:
    """Tell the task of each kind of question."""
    from chronotope.families.sti.write import kinds

    return kinds()


FAMILY = Family(
    name="sti",
    title="STI-Bench: precise quantities of space and time",
    tasks=TASKS,
    write=_write,
    protocol=STIProtocol(),
    BuildOptions=BuildOptions,
    RunSettings=RunSettings,
    importer=_read_release,
    reference=partial(read_reference, __name__),
    explain={code.value: meaning for code, meaning in MEANINGS.items()},
    kinds=_kinds,
)
