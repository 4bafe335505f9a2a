"""How workers of a build end: at once, after all finalizers, and with the traceback of an error."""

import subprocess
import sys

import pytest

ENDING = """
import multiprocessing
from multiprocessing.util import Finalize
from chronotope.pool.local import _get_ready


def work(leave, say, fails):
    _get_ready(leave, say, 2)
    Finalize(None, print, args=("the last finalizer of another",), exitpriority=-100)
    print("no line break at the end", end="")
    if fails:
        raise RuntimeError("this explains why")


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    leave, hold = context.Pipe(duplex=False)
    hear, say = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(leave, say, FAILS))
    process.start()
    process.join(60)
    print(f"exit code {process.exitcode}")
"""


@pytest.mark.slow
@pytest.mark.parametrize("fails", [False, True])
def test_a_worker_ends_after_all_finalizers_and_tells_its_error(tmp_path, fails: bool) -> None:
    script = tmp_path / "ending.py"
    script.write_text(ENDING.replace("FAILS", str(fails)))
    ended = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    told = "no line break at the endthe last finalizer of another\n"
    assert ended.stdout == f"{told}exit code {int(fails)}\n"
    assert ("RuntimeError: this explains why" in ended.stderr) == fails
