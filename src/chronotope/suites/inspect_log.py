"""A run as a log of Inspect, which its viewer opens.

The form is version 2 of the logs of inspect_ai: a ZIP file with a header, a file for each sample, and summaries.
"""

import base64
import json
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

from chronotope.errors import InputError
from chronotope.evaluate.score import Answered, Estimate, RunResults, Scores
from chronotope.io import sha256_bytes
from chronotope.ledger import LedgerLine
from chronotope.media import FrameCache
from chronotope.protocol import Image, Part, Text, Video, media_of, option_letters, without_options
from chronotope.view.frames import make_pictures
from chronotope.view.prompts import prompt_words

VERSION = 2
_STOPPED = {"length": "max_tokens", "stop": "stop", "content_filter": "content_filter"}
_SCORER = "chronotope"


def write_inspect_log(results: RunResults, scores: Scores, file: Path, shown: AbstractSet[str] = frozenset()) -> None:
    """Write a run as a log of Inspect.

    ``file`` ends in ``.eval``. ``shown`` are the ids of the questions whose pictures are in the log; a mark in the text
    stands for the pictures of all other questions, and for pictures that cannot be made again.
    """
    cache = FrameCache()
    summaries: list[dict[str, Any]] = []
    times = sorted(line.at for line in results.lines if line.at) or [datetime.now(UTC).isoformat()]
    with ZipFile(file, "w", ZIP_DEFLATED) as log:
        start = {"version": VERSION, "eval": _spec(results, times[0]), "plan": {"name": "plan", "steps": []}}
        log.writestr("_journal/start.json", _json(start))
        for one in results.answered:
            sample = _sample(results, one, cache if one.question.id in shown else None)
            log.writestr(f"samples/{sample['id']}_epoch_1.json", _json(sample))
            summaries.append(_summary(sample))
        log.writestr("summaries.json", _json(summaries))
        stats = {"started_at": times[0], "completed_at": times[-1], "model_usage": _usages(results)}
        done = {"status": "success", "stats": stats, "results": _results(results, scores)}
        log.writestr("header.json", _json(start | done))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False)


def _spec(results: RunResults, created: str) -> dict[str, Any]:
    """Describe the run as the specification of an evaluation."""
    card, bench = results.card, results.benchmark.card
    identity = sha256_bytes(_json(card.identified()).encode())[:22]
    decoding = {"temperature": card.decoding.temperature, "max_tokens": card.decoding.longest_reply[1]}
    return {
        "eval_id": identity,
        "run_id": identity,
        "task_id": identity,
        "created": created,
        "task": bench.name,
        "task_version": bench.version,
        "dataset": {"name": bench.name, "samples": len(results.answered)},
        "model": card.model,
        "model_generate_config": {name: value for name, value in decoding.items() if value is not None},
        "config": {"epochs": 1},
        "packages": {"chronotope": next((one["chronotope"] for one in card.versions if "chronotope" in one), "")},
        "metadata": {name: value for name, value in card.identified().items() if value is not None},
    }


def _sample(results: RunResults, one: Answered, cache: FrameCache | None) -> dict[str, Any]:
    """Make the sample of an ask; without ``cache``, marks stand for its pictures."""
    question, line = one.question, one.line
    letters = option_letters(len(one.ask.placement))
    shown = list(zip(letters, one.ask.placement, strict=True))
    prompt = _messages(results.parts(one.ask), results, cache)
    reply = [] if line is None or line.reply is None else [{"role": "assistant", "content": _content(line)}]
    right = ",".join(letter for letter, index in shown if index in question.answer) or question.expected or ""
    sample: dict[str, Any] = {
        "id": one.ask.id,
        "epoch": 1,
        "uuid": sha256_bytes(one.ask.id.encode())[:22],
        "input": prompt,
        "choices": [question.options[index].text or "" for _, index in shown] or None,
        "target": right,
        "messages": prompt + reply,
        "output": _output(results.card.model, line),
        "scores": {_SCORER: _score(results, one, {index: letter for letter, index in shown})},
        "metadata": {
            "question": question.id,
            "task": question.task,
            "variant": question.variant,
            "cluster": question.cluster,
            "state": "not_asked" if line is None else line.state,
        },
    }
    if line is not None and line.seconds is not None:
        sample["total_time"] = sample["working_time"] = line.seconds
    if line is not None and line.state != "replied":
        sample["error"] = {"message": line.error or line.state, "traceback": "", "traceback_ansi": ""}
    return sample


def _content(line: LedgerLine) -> Any:
    if not line.reasoning:
        return line.reply
    return [{"type": "reasoning", "reasoning": line.reasoning}, {"type": "text", "text": line.reply}]


def _messages(parts: Sequence[Part], results: RunResults, cache: FrameCache | None) -> list[dict[str, Any]]:
    """Make the messages of a prompt, with its pictures as data or with marks."""
    pictures: Iterator[str] | None = None
    if cache is not None:
        try:
            shown = [one for one in media_of(parts) if not isinstance(one, Video)]
            made = make_pictures(results.benchmark.folder, shown, cache)
            pictures = iter(f"data:{one.media_type};base64,{base64.b64encode(one.data).decode()}" for one in made)
        except InputError:  # the report tells which pictures are missing
            pictures = None
    found: list[dict[str, Any]] = []
    for role, group in groupby(without_options(parts), key=lambda part: part.role):
        if pictures is None:
            found.append({"role": role, "content": prompt_words([*group]).removeprefix("[system]\n")})
            continue
        content: list[dict[str, Any]] = []
        for part in group:
            if isinstance(part, Image):
                content.append({"type": "image", "image": next(pictures), "detail": "auto"})
            elif isinstance(part, Text) and content and content[-1]["type"] == "text":
                content[-1]["text"] += part.text
            else:
                content.append({"type": "text", "text": part.text if isinstance(part, Text) else "[video]"})
        found.append({"role": role, "content": content})
    return found


def _output(model: str, line: LedgerLine | None) -> dict[str, Any]:
    if line is None or line.reply is None:
        return {"model": model, "choices": [], "completion": ""}
    message = {"role": "assistant", "content": _content(line), "source": "generate", "model": model}
    choice = {"message": message, "stop_reason": _STOPPED.get(line.finish or "stop", "unknown")}
    return {
        "model": model,
        "choices": [choice],
        "completion": line.reply,
        "usage": _usage([line]),
        "time": line.seconds,
    }


def _usage(lines: Sequence[LedgerLine]) -> dict[str, Any]:
    """Sum the tokens of calls."""
    asked = sum(line.input_tokens or 0 for line in lines)
    made = sum(line.output_tokens or 0 for line in lines)
    return {"input_tokens": asked, "output_tokens": made, "total_tokens": asked + made}


def _usages(results: RunResults) -> dict[str, Any]:
    lines = [one.line for one in results.answered if one.line is not None]
    return {results.card.model: _usage(lines)}


def _score(results: RunResults, one: Answered, letters: dict[int, str]) -> dict[str, Any]:
    """Make the score of an ask: the strict credit of our protocol."""
    reading = one.reading
    value = results.family.protocol.score(one.question, [(one.ask, reading)]).metrics.get("strict")
    chosen = None if reading is None else reading.value
    if reading is not None and reading.options is not None:
        chosen = ",".join(sorted(letters[index] for index in reading.options))
    about = {"rule": None if reading is None else reading.rule, "answered": reading is not None and reading.parsed}
    reply = None if one.line is None else one.line.reply
    return {"value": value or 0.0, "answer": chosen, "explanation": reply, "metadata": about}


def _summary(sample: dict[str, Any]) -> dict[str, Any]:
    kept = {name: sample[name] for name in ("id", "epoch", "uuid", "choices", "target", "metadata")}
    texts = [_text_of(message) for message in sample["input"]]
    score = {name: value for name, value in sample["scores"][_SCORER].items() if name != "explanation"}
    error = sample.get("error")
    return kept | {
        "input": "\n".join(texts)[:1000],
        "scores": {_SCORER: score},
        "completed": True,
        "error": None if error is None else error["message"],
        "message_count": len(sample["messages"]),
    }


def _text_of(message: dict[str, Any]) -> str:
    content = message["content"]
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "[picture]") for part in content)


def _results(results: RunResults, scores: Scores) -> dict[str, Any]:
    """Make the metrics of the log: those that a report shows first, as fractions."""
    metrics = _metrics("accuracy", scores.overall)
    if scores.covered is not None:
        metrics["covered"] = {"name": "covered", "value": scores.covered.value}
    for task, value in scores.tasks.items():
        metrics[task] = {"name": task, "group": "task", "value": value.value}
    asks, made = len(results.answered), sum(one.line is not None for one in results.answered)
    score = {"name": _SCORER, "scorer": _SCORER, "scored_samples": asks, "metrics": metrics}
    return {"total_samples": asks, "completed_samples": made, "scores": [score]}


def _metrics(name: str, of: Estimate) -> dict[str, Any]:
    values = {name: of.value, "low": of.low, "high": of.high, "chance": of.chance}
    return {key: {"name": key, "value": value} for key, value in values.items() if value is not None}
