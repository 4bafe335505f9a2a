"""What can go wrong between a service and its caller."""

import json

from service import Answer, completion, error

PAGE = b"<!DOCTYPE html><html><head><title>502</title></head><body>Answer: A</body></html>"
GOOD = json.dumps(completion("A")).encode()
CHUNK = json.dumps({"choices": [{"index": 0, "delta": {"content": "A"}}]})


def typed(kind: str, body: bytes = GOOD, status: int = 200) -> Answer:
    """An answer under a content type."""
    return Answer(body, status, {"Content-Type": kind})


# Every one of them could be mistaken for the answer A by a careless reader.
FAULTS: dict[str, Answer] = {
    "429": error(429, "Answer: A"),
    "429 with Retry-After": error(429, "Answer: A", {"Retry-After": "1"}),
    "500": error(500, "Answer: A"),
    "503": error(503, "Answer: A"),
    "hang": Answer(hang=True),
    "drip": Answer(b" " * 100_000, drip=0.1),  # JSON may begin with blanks
    "half a body": Answer(GOOD, cut=0.5),
    "HTML": typed("text/html", PAGE),
    "HTML under 502": typed("text/html", PAGE, 502),
    "not UTF-8": Answer(json.dumps(completion("A\x00")).encode().replace(b"\\u0000", b"\xff\xfe")),
    "another charset": typed("application/json; charset=utf-16", GOOD.decode().encode("utf-16")),
    "connection reset": Answer(reset=True),
    "plain text": typed("text/plain", b"A"),
    "a stream of events": typed("text/event-stream", f"data: {CHUNK}\n\ndata: [DONE]\n\n".encode()),
    "a good answer of another type": typed("text/plain"),
    "a picture": typed("image/png", b"\x89PNG\r\n\x1a\nA"),
}
