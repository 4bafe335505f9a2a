"""A chat-completions server of the standard library that answers by a script and writes down what it was sent.

usage: scripted_server.py FOLDER. It prints its port. FOLDER/script.json is a list of [words, status, reply] or
[words, status, reply, more]: the first entry whose words are in the prompt is answered; ``more`` may have further
fields of the ``choice`` (finish_reason, logprobs) and of ``usage``. One JSON line a request goes to
FOLDER/requests.jsonl: the text of the whole prompt, and the SHA-256 of every picture in order.
"""

import base64
import hashlib
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

folder = Path(sys.argv[1])
script = json.loads((folder / "script.json").read_text())
log = (folder / "requests.jsonl").open("a", buffering=1)
lock = threading.Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts, pictures = [], []
        for message in body["messages"]:
            content = message["content"]
            for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
                if part["type"] == "text":
                    texts.append(part["text"])
                else:
                    data = base64.b64decode(part["image_url"]["url"].partition(",")[2])
                    pictures.append(hashlib.sha256(data).hexdigest())
        text = "".join(texts)
        with lock:
            log.write(json.dumps({"text": text, "pictures": pictures}) + "\n")
        status, reply, *rest = next(entry for words, *entry in script if words in text)
        more = rest[0] if rest else {}
        message = {"role": "assistant", "content": reply}
        usage = {"prompt_tokens": len(text) // 4, "completion_tokens": 1} | more.get("usage", {})
        choice = {"index": 0, "finish_reason": "stop", "message": message} | more.get("choice", {})
        answer = {"object": "chat.completion", "choices": [choice]}
        content = json.dumps(answer | {"usage": usage} if status == 200 else {"error": {"message": reply}}).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        """Say nothing on the terminal."""


ThreadingHTTPServer.request_queue_size = 512  # none of many requests at once is turned away
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()
