"""The web server of the standard library as tests use it: nobody waits for it without need."""

import threading
from http.server import ThreadingHTTPServer

__all__ = ["PromptServer"]


class PromptServer(ThreadingHTTPServer):
    """Takes many callers at once and stops at once.

    Where only five may stand in its queue, as usual, the sixth of those who come together tries again a second later.
    """

    request_queue_size = 256

    def start(self) -> None:
        """Serve from a thread of this process, until ``shutdown``."""
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
