"""The command `chronotope` with workers of Ray that write down what they measure, and one of which dies."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from chronotope.probe import measuring

DIARY = "CHRONOTOPE_TEST_DIARY"  # the folder in which workers write
DEADLY = 3  # the call at which a worker dies if the diary has a file "dies"


class Writing(measuring.Measurer):
    """A worker that writes down its process and the unit."""

    def measure(self, unit: Any, pictures: Any) -> Any:
        diary = Path(os.environ[DIARY])
        with (diary / "calls").open("a") as file:
            file.write(f"{os.getpid()} {unit.id}\n")
        if len((diary / "calls").read_text().splitlines()) == DEADLY and (diary / "dies").exists():
            (diary / "dies").unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().measure(unit, pictures)


if __name__ == "__main__":
    import probe_workers  # the workers find the class there

    measuring.Measurer = probe_workers.Writing
    from chronotope.cli import main

    sys.exit(main())
