"""A real browser for the page: Chromium over its debugging pipe, with real keys, at the width that is asked for."""

import contextlib
import fcntl
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chromium import CHROMIUM

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync", "--remote-debugging-pipe"]
CODES = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36, "ArrowUp": 38, "ArrowDown": 40}


class Tab:
    """One page in the browser."""

    def __init__(self, to: int, of: int) -> None:
        self._to, self._of, self._left, self._number, self._session = to, of, b"", 0, ""
        self.requests: list[str] = []
        target = self._send("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self._send(f"{domain}.enable")

    def _send(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while (answer := self._receive()).get("id") != self._number:
            if answer.get("method") == "Network.requestWillBeSent":
                self.requests.append(answer["params"]["request"]["url"])
        assert "error" not in answer, answer
        return answer["result"]

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            data = os.read(self._of, 1 << 20)
            assert data, "the browser has ended"
            self._left += data
        message, _, self._left = self._left.partition(b"\0")
        return json.loads(message)

    def open(self, page: Path, width: int = 1600, height: int = 1000, anchor: str = "", scheme: str = "light") -> None:
        """Open a page from disk and wait until its scripts have run; the system's colours are light or dark."""
        self._send("Page.navigate", url="about:blank")  # another anchor alone would load nothing
        self._send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self._send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self._send("Page.navigate", url=page.as_uri() + anchor)
        ready = "new Promise(d => document.readyState === 'complete' ? d() : window.addEventListener('load', d))"
        self.ask(f"{ready}.then(() => 0)")

    def ask(self, script: str) -> Any:
        """The value of an expression in the page."""
        result = self._send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def before(self, script: str) -> None:
        """Run a script in every page that is opened from now on, before those of the page."""
        self._send("Page.addScriptToEvaluateOnNewDocument", source=script)

    def wait(self, script: str) -> None:
        """Wait until an expression in the page is true, for as long as a busy machine may need."""
        for _ in range(600):
            if self.ask(script):
                return
            self.ask("new Promise(done => setTimeout(done, 50)).then(() => 0)")
        raise AssertionError(f"never true: {script}")

    def saved(self, button: str) -> str:
        """What a button gives to be saved, in place of the file that the browser would write."""
        self.ask(
            "URL.createObjectURL = (blob) => { window.given = blob; return 'about:blank#' };"
            " HTMLAnchorElement.prototype.click = () => {}; 0"
        )
        self.ask(f"document.querySelector({json.dumps(button)}).click()")
        return self.ask("window.given.text()")

    def media(self, kind: str) -> None:
        """Show the page as on paper (``print``) or, with an empty text, on the screen."""
        self._send("Emulation.setEmulatedMedia", media=kind)

    def press(self, *keys: str, shift: bool = False) -> None:
        """Press keys as a person does, one after the other."""
        for key in keys:
            event = {"key": key, "windowsVirtualKeyCode": CODES.get(key, ord(key[0].upper())), "modifiers": 8 * shift}
            text = "\r" if key == "Enter" else key if len(key) == 1 else ""
            self._send("Input.dispatchKeyEvent", type="keyDown", text=text, **event)
            self._send("Input.dispatchKeyEvent", type="keyUp", **event)

    def focused(self) -> str:
        """What has the focus: its id, else its class, else its tag with its words."""
        return self.ask(
            "(e => e.id || e.className || `${e.tagName} ${e.textContent.slice(0, 40)}`)(document.activeElement)"
        )


@contextlib.contextmanager
def start_browser(profile: Path) -> Iterator[Tab]:
    """A tab of a browser of its own; skips where no Chromium is installed."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: the page is not opened in a browser")
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for pipe in (os.pipe(), os.pipe()) for end in pipe]
    its_in, our_out, our_in, its_out = ends

    def connect() -> None:
        os.dup2(its_in, 3)
        os.dup2(its_out, 4)

    process = subprocess.Popen(
        [CHROMIUM, *FLAGS, f"--user-data-dir={profile}"],
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        preexec_fn=connect,
        pass_fds=(3, 4),
    )
    os.close(its_in)
    os.close(its_out)
    try:
        yield Tab(our_out, our_in)
    finally:
        process.kill()
        process.wait()
        os.close(our_out)
        os.close(our_in)
