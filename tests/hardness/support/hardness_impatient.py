"""The command with an endpoint that waits less: the command line has no flags for time-outs, attempts and pauses.

usage: hardness_impatient.py TIMEOUT RETRIES BACKOFF WORDS...
"""

import functools
import sys
from typing import Any

from chronotope.models.services.endpoint import Endpoint

timeout, retries, backoff = float(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
sys.argv[1:4] = []
real = Endpoint.__init__


@functools.wraps(real)
def impatient(self: Endpoint, *args: Any, **settings: Any) -> None:
    real(self, *args, **(settings | {"timeout": timeout, "retries": retries, "backoff": backoff}))


Endpoint.__init__ = impatient

if __name__ == "__main__":
    from chronotope.cli import main

    main()
