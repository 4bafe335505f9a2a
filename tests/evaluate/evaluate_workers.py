"""The command `chronotope` with workers of Ray that write down what they do, and may die at a call.

The command itself may die, too: as soon as its ledger has as many lines as the variable `LINES` says.
"""

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from chronotope.ledger import Ledger
from chronotope.models.transformers import on_cluster

DIARY = "CHRONOTOPE_TEST_DIARY"  # the folder in which workers write
LINES = "CHRONOTOPE_TEST_LINES"
DEADLY = 3  # the call at which a worker dies if the diary has a file "dies"


class Writing(on_cluster.Answerer):
    """A worker that writes down its process, the group, the number of new pictures, and the number of questions."""

    def answer(self, number: int, prefix: Any, new: Any, prompts: Any) -> Any:
        diary = Path(os.environ[DIARY])
        with (diary / "calls").open("a") as file:
            file.write(json.dumps([os.getpid(), number, len(new), len(prompts)]) + "\n")
        if len((diary / "calls").read_text().splitlines()) == DEADLY and (diary / "dies").exists():
            (diary / "dies").unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().answer(number, prefix, new, prompts)


if __name__ == "__main__":
    import evaluate_workers  # the workers find the class there

    on_cluster.Answerer = evaluate_workers.Writing
    if number := int(os.environ.get(LINES, 0)):
        append, written = Ledger.append, []

        def counted(ledger: Ledger, line: Any) -> None:
            append(ledger, line)
            written.append(line)
            if len(written) == number:
                os.kill(os.getpid(), signal.SIGKILL)

        Ledger.append = counted
    from chronotope.cli import main

    sys.exit(main())
