"""A service of the chat-completions form on this machine that answers by the hash of the one picture it is sent."""

import hashlib
import json
import threading
from collections import Counter

from service import ChatService, completion, data_of, parts_of


class WriterService(ChatService):
    """``answers`` maps the SHA-256 of a picture to what is said of it; ``requests`` counts what was asked of each.

    ``spoiled`` says how many replies about a picture are no JSON first; ``refuse`` is a status for every reply;
    ``free`` bounds how many are answered before all others wait for ``go_on``.
    """

    def __init__(self, answers):
        self.answers, self.requests, self.texts = answers, Counter(), []
        self.spoiled, self.refuse, self.free = Counter(), None, None
        self.go_on, self.lock, self.running, self.most = threading.Event(), threading.Lock(), 0, 0
        super().__init__()

    def close(self):
        self.go_on.set()
        super().close()

    def answer(self, body):
        parts = parts_of(body)
        [picture] = {hashlib.sha256(data_of(part)).hexdigest() for part in parts if part["type"] == "image_url"}
        with self.lock:
            self.requests[picture] += 1
            self.texts.append("\n".join(part["text"] for part in parts if part["type"] == "text"))
            waits = self.free is not None and self.requests.total() > self.free
            spoiled = self.spoiled[picture] > 0
            self.spoiled[picture] -= spoiled
            self.running += 1
            self.most = max(self.most, self.running)
        if waits:
            self.go_on.wait(60)
        with self.lock:
            self.running -= 1
        if self.refuse:
            return self.refuse, {"error": {"message": "no"}}
        content = "Here you are: two panels." if spoiled else json.dumps(self.answers[picture])
        return 200, completion(content)
