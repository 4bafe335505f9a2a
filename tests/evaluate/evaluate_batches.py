"""The batch services of OpenAI and Anthropic at a local address; requests and replies go through the client's types."""

import email.parser
import email.policy
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from anthropic import types
from anthropic.types.messages import MessageBatch, MessageBatchIndividualResponse
from anthropic.types.messages.batch_create_params import BatchCreateParams
from pydantic import TypeAdapter

from chronotope.models import opening
from service import Answer, Received, Service

KEY = "sk-of-a-batch-service-0123456789"
VARIABLES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
MODELS = {"openai": "openai/gpt-4o", "anthropic": "anthropic/claude-sonnet-4-6"}
SAMPLING = {"temperature", "top_p", "top_k"}  # which the client's types of today do not know
CREATED = TypeAdapter(BatchCreateParams)
LARGE = 20_000
TOKENS = (100, 2)  # of each request and each reply


@dataclass
class Job:
    """A job at the service. ``fate``: completed, expired, cancelled, refused or full."""

    id: str
    requests: dict[str, Any]
    fate: str
    tag: str | None = None
    file: str = ""
    polls: int = 0
    created: datetime = field(default_factory=lambda: datetime.now(UTC))


def letter(body: Any) -> str:
    """The answer to a request, which depends on the whole of it."""
    return "ABCD"[hashlib.sha256(json.dumps(body, sort_keys=True).encode()).digest()[0] % 4]


# What becomes of a request: None for an answer, an error with its HTTP status, "expired", "missing" or "torn";
# "odd" for an answer that cannot be read, "large" for one with a text of LARGE characters.
Fate = None | tuple[int, str] | str


class BatchServer(Service):
    """Both services, each under its own path.

    ``fates``: those of the jobs, one after the other, then "completed". ``rule``: the fate of a request, by the number
    of its job (from 0), its id and its body. ``before``: called with the name of a stage before it is answered; when it
    returns false, the connection is closed instead. ``instead``: called with the name of a stage; its value, if not
    None, is the answer: a status, further headers and a body. ``hidden``: the number of lists of jobs that lack the
    newest job. ``gone``: ids of jobs without results.
    """

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.files: dict[str, bytes] = {}
        self.singles: list[Any] = []
        self.stages: list[str] = []
        self.fates: list[str] = []
        self.polls = 2  # until a job has ended
        self.rule: Callable[[int, str, Any], Fate] = lambda number, key, body: None
        self.before: Callable[[str], bool] = lambda stage: True
        self.instead: Callable[[str], tuple[int, dict[str, str], Any] | None] = lambda stage: None
        self.hidden = 0
        self.gone: set[str] = set()
        self.keys: set[str] = set()
        super().__init__()

    def at_home(self, patch: pytest.MonkeyPatch) -> None:
        """Let models of both providers be asked here."""
        for provider, variable in VARIABLES.items():
            home = replace(opening.HOSTED[provider], base_url=f"{self.root}/{provider}/v1", chat_url=None)
            patch.setitem(opening.HOSTED, provider, home)
            patch.setenv(variable, KEY)

    @property
    def bodies(self) -> dict[str, Any]:
        """The body of each request of all jobs, by its id."""
        return {key: body for job in self.jobs for key, body in job.requests.items()}

    def fate_of_next(self) -> str:
        return self.fates.pop(0) if self.fates else "completed"

    # Stages: each returns status and body.

    def post(self, provider: str, path: str, request: Received) -> tuple[int, bytes]:
        if path in ("/chat/completions", "/messages"):
            body = request.json
            self.singles.append(body)
            return 200, json.dumps(self.reply(provider, body)).encode()
        if path == "/files":
            return 200, self.store(request)
        assert request.header("Content-Type") == "application/json"
        told, fate = request.json, self.fate_of_next()
        number = len(self.jobs)
        if provider == "openai":
            assert told.keys() == {"input_file_id", "endpoint", "completion_window", "metadata"}
            assert (told["endpoint"], told["completion_window"]) == ("/v1/chat/completions", "24h")
            assert all(len(name) <= 64 and len(value) <= 512 for name, value in told["metadata"].items())
            requests = self.lines(self.files[told["input_file_id"]])
            self.jobs.append(
                Job(f"batch_{number}", requests, fate, told["metadata"]["chronotope"], told["input_file_id"])
            )
        else:
            assert len(told["requests"]) <= 100_000 and len(request.raw) <= 256_000_000
            plain = {"requests": [valid(one) for one in told["requests"]]}
            assert CREATED.dump_python(CREATED.validate_python(plain), mode="json") == plain
            requests = {one["custom_id"]: one["params"] for one in told["requests"]}
            assert len(requests) == len(told["requests"])
            self.jobs.append(Job(f"msgbatch_{number}", requests, fate))
        return 200, self.told(self.jobs[-1])

    def store(self, request: Received) -> bytes:
        """Take a file as a form sends it."""
        head = f"Content-Type: {request.header('Content-Type')}\r\n\r\n".encode()
        form = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + request.raw)
        parts = {part.get_param("name", header="content-disposition"): part for part in form.iter_parts()}
        assert parts.keys() == {"purpose", "file"} and parts["purpose"].get_content().strip() == "batch"
        assert str(parts["file"].get_filename()).endswith(".jsonl")
        data = parts["file"].get_payload(decode=True)
        assert isinstance(data, bytes) and len(data) <= 200_000_000
        name = f"file-{len(self.files)}"
        self.files[name] = data
        told = {"id": name, "object": "file", "bytes": len(data), "purpose": "batch", "filename": "x.jsonl"}
        return json.dumps(told | {"created_at": 1, "status": "processed"}).encode()

    def lines(self, data: bytes) -> dict[str, Any]:
        told = [json.loads(line) for line in data.splitlines()]
        assert 0 < len(told) <= 50_000
        for one in told:
            assert one.keys() == {"custom_id", "method", "url", "body"}
            assert (one["method"], one["url"]) == ("POST", "/v1/chat/completions")
        requests = {one["custom_id"]: one["body"] for one in told}
        assert len(requests) == len(told)
        return requests

    def get(self, provider: str, path: str, query: dict[str, list[str]]) -> tuple[int, bytes]:
        jobs = {job.id: job for job in self.jobs}
        if path in ("/batches", "/messages/batches"):
            limit = int(query["limit"][0])
            start = next((query[name][0] for name in ("after", "after_id") if name in query), None)
            listed = list(jobs.values())[::-1]
            if self.hidden:
                self.hidden -= 1
                listed = listed[1:]
            for job in listed:
                job.polls += 1
            first = 0 if start is None else [job.id for job in listed].index(start) + 1
            page = [json.loads(self.told(job)) for job in listed[first : first + limit]]
            return 200, json.dumps({"data": page, "has_more": first + limit < len(listed)}).encode()
        words = path.split("/")
        if path.startswith("/files/"):
            kind, _, name = words[2].partition("-")
            return 200, self.results(jobs[name.replace("-", "_")], kind)
        name = words[3 if provider == "anthropic" else 2]
        if name not in jobs or (name in self.gone and words[-1] == "results"):
            return 404, json.dumps({"error": {"type": "not_found_error", "message": "No such batch"}}).encode()
        if words[-1] == "results":
            return 200, self.results(jobs[name], "")
        jobs[name].polls += 1
        return 200, self.told(jobs[name])

    def told(self, job: Job) -> bytes:
        """The object of a job."""
        ended = job.polls >= (1 if job.fate in ("refused", "full") else self.polls)
        total = len(job.requests)
        if job.id.startswith("msgbatch"):
            fates = [self.rule(self.jobs.index(job), key, body) for key, body in job.requests.items()]
            expired = sum(fate == "expired" for fate in fates)
            counts = {"canceled": 0, "errored": 0, "expired": 0, "processing": total, "succeeded": 0}
            if ended:
                counts |= {"processing": 0, "succeeded": total - expired, "expired": expired}
            return (
                MessageBatch(
                    id=job.id,
                    type="message_batch",
                    created_at=job.created,
                    expires_at=job.created,
                    processing_status="ended" if ended else "in_progress",
                    request_counts=counts,  # pyright: ignore[reportArgumentType]
                    results_url="http://elsewhere.invalid/results" if ended else None,
                )
                .model_dump_json()
                .encode()
            )
        status = {"refused": "failed", "full": "failed"}.get(job.fate, job.fate) if ended else "in_progress"
        done = total if status == "completed" else min(total, job.polls)
        told: dict[str, Any] = {
            "id": job.id, "object": "batch", "endpoint": "/v1/chat/completions", "completion_window": "24h",
            "input_file_id": job.file, "status": status, "created_at": int(job.created.timestamp()),
            "request_counts": {"total": total, "completed": done, "failed": 0}, "metadata": {"chronotope": job.tag},
            "errors": None, "output_file_id": None, "error_file_id": None,
        }  # fmt: skip
        if status == "failed":
            full = {"code": "token_limit_exceeded", "message": "Enqueued token limit reached for gpt-4o"}
            refused = {"code": "model_not_found", "message": f"The model does not exist ({KEY})"}
            told["errors"] = {"object": "list", "data": [full if job.fate == "full" else refused]}
        elif ended:
            told |= {f"{kind}_file_id": f"{kind}-{job.id.replace('_', '-')}" for kind in ("output", "error")}
        return json.dumps(told).encode()

    def results(self, job: Job, kind: str) -> bytes:
        """The file of answers, of errors, or of both; never in the order of the requests."""
        number = self.jobs.index(job)
        made: list[bytes] = []
        for key, body in reversed(job.requests.items()):
            fate = self.rule(number, key, body)
            if fate == "torn":
                made.append(f'{{"custom_id":"{key}"'.encode())
            elif fate != "missing" and (not kind or (kind == "output") is (fate in (None, "odd", "large"))):
                make = self.line_of_openai if kind else self.line_of_anthropic
                made.append(json.dumps(make(key, body, fate)).encode())
        return b"\n".join(made)

    def line_of_openai(self, key: str, body: Any, fate: Fate) -> Any:
        line = {"id": f"batch_req_{key[:8]}", "custom_id": key, "response": None, "error": None}
        if fate in (None, "odd", "large"):
            told = {} if fate == "odd" else self.reply("openai", body, fate)
            return line | {"response": {"status_code": 200, "request_id": "r", "body": told}}
        if isinstance(fate, tuple):
            told = {"error": {"message": fate[1], "type": "invalid_request_error", "param": None, "code": None}}
            return line | {"response": {"status_code": fate[0], "request_id": "r", "body": told}}
        return line | {"error": {"code": "batch_expired", "message": "This request could not be executed in time."}}

    def line_of_anthropic(self, key: str, body: Any, fate: Fate) -> Any:
        result: dict[str, Any] = {"type": fate}
        if fate in (None, "large"):
            result = {"type": "succeeded", "message": self.reply("anthropic", body, fate)}
        elif isinstance(fate, tuple):
            kind = {400: "invalid_request_error", 402: "billing_error", 404: "not_found_error"}.get(
                fate[0], "api_error"
            )
            error = {"type": "error", "error": {"type": kind, "message": fate[1]}, "request_id": "r"}
            result = {"type": "errored", "error": error}
        told = {"custom_id": key, "result": result}
        if fate == "odd":
            return told | {"result": {"type": "succeeded", "message": {}}}
        MessageBatchIndividualResponse.model_validate(told)
        return told

    def reply(self, provider: str, body: Any, fate: Fate = None) -> Any:
        text, (sent, received) = f"{letter(body)} {KEY}", TOKENS
        text = LARGE * "x" if fate == "large" else text
        if provider == "openai":
            message = {"role": "assistant", "content": text, "refusal": None}
            choice = {"index": 0, "finish_reason": "stop", "message": message, "logprobs": None}
            usage = {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}
            head = {"id": "1", "object": "chat.completion", "created": 1, "model": "gpt-4o"}
            return head | {"choices": [choice], "usage": usage}
        return types.Message(
            id="msg_1",
            type="message",
            role="assistant",
            model="claude-sonnet-4-6",
            content=[types.TextBlock(type="text", text=text)],
            stop_reason="end_turn",
            usage=types.Usage(input_tokens=sent, output_tokens=received),
        ).model_dump(mode="json")

    def take(self, request: Received) -> Answer:
        parts = urlsplit(request.path)
        _, provider, _, *words = parts.path.split("/")
        path = "/" + "/".join(words)
        self.keys.add(request.header("x-api-key") or str(request.header("Authorization")).removeprefix("Bearer "))
        stage = stage_of(request.method, path)
        self.stages.append(stage)
        if not self.before(f"before {stage}"):
            return Answer(silent=True)
        told = self.instead(stage)
        if told is not None:
            answer = Answer(told[2], told[0], told[1])
        elif request.method == "POST":
            status, body = self.post(provider, path, request)
            answer = Answer(body, status)
        else:
            status, body = self.get(provider, path, parse_qs(parts.query))
            answer = Answer(body, status)
        return answer if self.before(stage) else Answer(silent=True)


def stage_of(method: str, path: str) -> str:
    """Name what a request is for: single, upload, create, list, poll or fetch."""
    if path in ("/chat/completions", "/messages"):
        return "single"
    if path == "/files":
        return "upload"
    if path in ("/batches", "/messages/batches"):
        return "create" if method == "POST" else "list"
    return "fetch" if path.endswith(("/content", "/results")) else "poll"


def valid(request: Any) -> Any:
    """A request without the fields that only the version of the API that we name takes."""
    params = {name: value for name, value in request["params"].items() if name not in SAMPLING}
    return {"custom_id": request["custom_id"], "params": params}
