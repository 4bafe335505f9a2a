"""Real Ray clusters on this machine: nodes that `ray start` makes, each with an address and CPUs of its own."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import psutil
import pytest

from service import free_port

RAY = Path(sys.executable).with_name("ray")
OPEN = {
    **os.environ, "RAY_AUTH_MODE": "disabled", "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S": "120",  # how long a busy head may take to serve a new client
    # The head forks a server for each client. With gRPC's own handlers of forks, one of about 15 servers dies at once,
    # and its client waits for minutes.
    "GRPC_ENABLE_FORK_SUPPORT": "0",
}  # fmt: skip
ATTEMPTS = 3  # to start a node
COMMAND = (sys.executable, "-m", "chronotope.cli")


def wait_until(condition: Callable[[], object], what: str, seconds: float = 240) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.05)


class Node:
    """A node in a process group of its own."""

    def __init__(self, cpus: int, words: list[str], hidden: Path | None, environment: Mapping[str, str]) -> None:
        """Start the node; the folder ``hidden`` is another one there, as on a machine with a disk of its own."""
        words = [str(RAY), "start", "--block", f"--num-cpus={cpus}", "--object-store-memory=100000000", *words]
        if hidden is not None:
            words = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs tmpfs "$0" && exec "$@"', str(hidden), *words]
        self.process = subprocess.Popen(
            words,
            env={**OPEN, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def members(self) -> list[psutil.Process]:
        with contextlib.suppress(psutil.NoSuchProcess):
            root = psutil.Process(self.process.pid)
            return [root, *root.children(recursive=True)]
        return []

    def has_ended(self) -> bool:
        """Say whether `ray start` gave up, as it does on a busy machine."""
        return self.process.poll() is not None

    def is_up(self) -> bool:
        return any("raylet" in member.name() for member in self.members())

    def kill(self) -> None:
        """End all its processes at once, as when the power fails."""
        members = self.members()
        for member in members:
            with contextlib.suppress(psutil.NoSuchProcess):
                member.send_signal(signal.SIGKILL)
        psutil.wait_procs(members, timeout=30)
        self.process.wait(30)


class Nodes:
    """A cluster of a head, which runs no jobs, and of nodes that join it: so a test knows where its jobs run."""

    def __init__(self) -> None:
        if not RAY.exists():
            pytest.skip("Ray is not installed: pip install -e '.[cluster]'")
        self.all: list[Node] = []
        for _ in range(ATTEMPTS):
            self.port, self.client = free_port(), free_port()
            words = ["--head", "--node-ip-address=127.0.0.1", f"--port={self.port}", "--include-dashboard=false"]
            head = Node(0, [*words, f"--ray-client-server-port={self.client}", "--dashboard-port=0"], None, {})
            self.all.append(head)
            wait_until(lambda head=head: head.has_ended() or _answers(self.client), "the head")
            if not head.has_ended():
                return
        raise AssertionError("Ray's head does not start")

    @property
    def on(self) -> str:
        return f"ray://127.0.0.1:{self.client}"

    def join(self, number: int, hidden: Path | None = None, environment: Mapping[str, str] | None = None) -> Node:
        """Let another node join, and wait until it is there."""
        for _ in range(ATTEMPTS):
            words = [f"--address=127.0.0.1:{self.port}", f"--node-ip-address=127.0.0.{number}"]
            node = Node(1, words, hidden, environment or {})
            self.all.append(node)
            wait_until(lambda node=node: node.has_ended() or node.is_up(), "a node")
            if not node.has_ended():
                return node
        raise AssertionError("Ray's second node does not start")


def _answers(port: int) -> bool:
    return any(one.laddr.port == port and one.status == psutil.CONN_LISTEN for one in psutil.net_connections("tcp"))


def can_hide() -> bool:
    """Say whether a node can have a disk of its own here."""
    return sys.platform == "linux" and os.geteuid() == 0 and shutil.which("unshare") is not None


@contextlib.contextmanager
def cluster() -> Iterator[Nodes]:
    """Start a head; all nodes are killed at the end."""
    nodes = Nodes()
    try:
        yield nodes
    finally:
        for node in reversed(nodes.all):
            node.kill()
