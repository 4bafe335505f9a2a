"""A chat-completions service that answers by a script and writes down what it was sent.

usage: scripted_server.py FOLDER. It prints its port. FOLDER/script.json is a list of [words, status, reply] or
[words, status, reply, more]: the first entry whose words are in the prompt is answered; ``more`` may have further
fields of the ``choice`` (finish_reason, logprobs) and of ``usage``. One JSON line a request goes to
FOLDER/requests.jsonl: the text of the whole prompt, and the SHA-256 of every picture in order.
"""

import hashlib
import json
import sys
from pathlib import Path

from service import Answer, Received, Service, completion, error, read_parts

folder = Path(sys.argv[1])
script = json.loads((folder / "script.json").read_text())
log = (folder / "requests.jsonl").open("a", buffering=1)


class Scripted(Service):
    def take(self, request: Received) -> Answer:
        text, shown = read_parts(request.json)
        with self.lock:
            log.write(json.dumps({"text": text, "pictures": [hashlib.sha256(one).hexdigest() for one in shown]}) + "\n")
        status, reply, *rest = next(entry for words, *entry in script if words in text)
        if status != 200:
            return error(status, reply)
        more = rest[0] if rest else {}
        told = completion(reply, (len(text) // 4, 1))
        told["usage"] |= more.get("usage", {})
        told["choices"][0] |= more.get("choice", {})
        return Answer(told)


Scripted().run()
