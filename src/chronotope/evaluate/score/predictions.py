"""Read a file of replies that another tool made."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.evaluate.score.prediction import Prediction, PredictionFile
from chronotope.evaluate.score.prediction_tables import is_table, read_table
from chronotope.evaluate.score.suite_results import (
    inspect_samples,
    is_inspect_archive,
    read_inspect,
    read_inspect_archive,
    read_lmms_eval,
)
from chronotope.io import read_bytes, sha256_bytes

RAW, RIGHT = "raw_response", "answer_gt"  # the fields for the reply and the correct letter in IKEA-Bench's files
# STI-Bench's files: fields for the reply and the correct letter, text for a missing reply, identifying fields.
SCRIPTED, ANSWER, NO_CALL = "model_out", "ans", "ERROR_CALL_API"
NAMED = ("id", "id_file", "time_s", "time_e")
# VGenST-Bench's files: field for the reply, field for the replies in several orders, fields that identify a question.
FILMED, PLACED = "response_raw", "per_position"
FORM = ("task", "idx", "qa_type", "variant")
FORMS = {"base": "base", "base_circular": "base", "v1": "none_distractor", "v2": "none_answer", "v3": "open"}

MOST = 1 << 30  # bytes, enough for 50,000 replies of 20,000 characters


def read_predictions(path: Path) -> PredictionFile:
    """Read a file of replies.

    A CSV or TSV file has a header with columns for the ids and the replies (see `read_table`). In other files, an
    entry has the fields ``id`` and ``reply``. The result files of authors are also accepted:

    - IKEA-Bench: an entry has ``raw_response`` and ``answer_gt`` instead of ``reply``.
    - STI-Bench: an entry has ``model_out`` and ``ans`` instead of ``reply``. The clip, the number and the times
      identify the question (`released_name`).
    - VGenST-Bench: an entry has the fields of ``per_question.jsonl`` (`filmed_name`).

    For M3-Verse there is no such format, because its authors released no script that asks models. Results of the tasks
    that ``chronotope export`` writes are accepted, too: logs of Inspect (``.json`` or ``.eval``), and the samples of
    lmms-eval (see `chronotope.evaluate.score.suite_results`). Replies are always read again here; the score that a
    suite gave is kept as ``stated``. A byte-order mark and empty lines are allowed. A reply that is a number becomes
    text with the same digits.

    Raises:
        InputError: If the file cannot be read, is not a regular file, is larger than 1 GB, or is empty, or if one of
            its entries is invalid.
    """
    data = read_bytes(path, MOST)
    if is_inspect_archive(data):
        return PredictionFile(read_inspect_archive(path, data), sha256_bytes(data))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{path}: line {number} is not UTF-8: save the file as UTF-8") from error
    if is_table(path, text):
        rows, told = read_table(path, text)
        entries = [Prediction(name, reply, f"line {number}") for number, name, reply in rows]
        if not entries:
            raise InputError(f"{path}: contains no replies below its header; expected a row for each question")
        return PredictionFile(entries, sha256_bytes(data), () if told is None else (told,))
    if (log := inspect_samples(text)) is not None:
        return PredictionFile(read_inspect(path, log), sha256_bytes(data))
    if text.lstrip().startswith("["):
        values = _json(f"{path}", text, "expected a JSON array of objects, or one object on each line")
        entries = [
            entry
            for number, value in enumerate(values, 1)
            for entry in _entries(f"{path}: entry {number}", f"entry {number}", value)
        ]
    else:
        entries = []
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                where, place = f"{path}: line {number}", f"line {number}"
                entries.extend(_entries(where, place, _json(where, line, 'expected {"id": ..., "reply": ...}')))
    if not entries:
        raise InputError(f'{path}: contains no replies; expected a line {{"id": ..., "reply": ...}} for each question')
    return PredictionFile(entries, sha256_bytes(data))


def released_name(video: str, number: str | None, start: float, end: float) -> str:
    """Return the name of a question in STI-Bench's scripts.

    The name contains the clip, the number of the question, and the start and end times (s).
    """
    return f"{video}|{number or ''}|{start:.3f}|{end:.3f}"


def filmed_name(task: str, idx: int, kind: str, variant: str, letter: str | None = None) -> str:
    """Return the name of a question in VGenST-Bench's rows.

    ``letter`` is the letter of the correct option, for a question that is asked in several orders of its options.
    """
    return f"{task}|{idx}|{kind}|{variant}" + (f"#{letter}" if letter else "")


def without_reply(file: str, missing: Sequence[str], asks: int) -> str:
    """Return a sentence that states the number of missing replies."""
    return f"{file}: no reply for {len(missing)} of {asks} asks, counted as wrong; the first is {missing[0]!r}"


def _json(where: str, text: str, expected: str) -> Any:
    """Parse JSON, and keep numbers as text."""
    try:
        return json.loads(text, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        broken = f"{error.msg}, line {error.lineno} column {error.colno}" if "\n" in text.strip() else error.msg
        raise InputError(f"{where} is not JSON ({broken}); {expected}: correct the file and score it again") from error
    except RecursionError as error:
        raise InputError(f"{where} is nested too deeply; {expected}") from error


def _entries(where: str, place: str, value: Any) -> list[Prediction]:
    if not isinstance(value, dict):
        raise InputError(f'{where} is {_kind(value)}; expected an object {{"id": ..., "reply": ...}}')
    if "reply" not in value and "filtered_resps" in value:
        return [read_lmms_eval(where, place, value)]
    if "reply" not in value and (FILMED in value or PLACED in value):
        return _filmed(where, place, value)
    return [_entry(where, place, value)]


def _entry(where: str, place: str, value: dict[str, Any]) -> Prediction:
    if SCRIPTED in value and "reply" not in value:
        return _scripted(where, place, value)
    name = RAW if RAW in value and "reply" not in value else "reply"
    for needed in ("id", name):
        if needed not in value:
            raise InputError(f'{where} has no "{needed}"; expected an object {{"id": ..., "reply": ...}}')
    if not isinstance(value["id"], str):
        raise InputError(f'{where}: "id" is {_kind(value["id"])}; expected the id of a question, as text')
    reply = value[name]
    if reply is not None and not isinstance(reply, str):
        raise InputError(f'{where}: "{name}" is {_kind(reply)}; expected text, a number, or null for no reply')
    right = value.get(RIGHT) if name == RAW else None
    return Prediction(value["id"], reply, place, right.strip().upper() if isinstance(right, str) else None)


def _scripted(where: str, place: str, value: dict[str, Any]) -> Prediction:
    """Read an entry in a result file of STI-Bench's scripts.

    The scripts write ``ERROR_CALL_API`` if the model gave no reply.
    """
    parts = [value.get(name) for name in NAMED]
    try:
        video, number, *times = (str(part) for part in parts if part is not None)
        name = released_name(video, number, *map(float, times))
    except (TypeError, ValueError):
        raise InputError(
            f'{where} is not a result of STI-Bench: expected "{SCRIPTED}" with {", ".join(NAMED)}, the last two in '
            "seconds"
        ) from None
    reply, right = value[SCRIPTED], value.get(ANSWER)
    _text(where, SCRIPTED, reply)
    return Prediction(name, None if reply == NO_CALL else reply, place, _letter(right))


def _filmed(where: str, place: str, value: dict[str, Any]) -> list[Prediction]:
    """Read a row of VGenST-Bench's ``per_question.jsonl``.

    A row contains one reply, or one reply for each order of the options.
    """
    task, idx, kind, variant = (value.get(name) for name in FORM)
    number = int(idx) if isinstance(idx, str) and idx.isdecimal() and len(idx) < 10 else None
    if not (isinstance(task, str) and isinstance(kind, str) and isinstance(variant, str) and variant in FORMS):
        raise InputError(
            f'{where} is not a result of VGenST-Bench: expected "{FILMED}" with {", ".join(FORM)}, and "variant" as '
            f"one of {', '.join(FORMS)}"
        )
    if number is None:
        raise InputError(f'{where}: "idx" is {str(idx)[:20]!r}; expected the number of a clip, from 0')
    named = (task.partition("-")[0], number, kind, FORMS[variant])
    placed = value.get(PLACED)
    if placed is None:
        right = _letter(value.get("ground_truth")) if variant != "v3" else None
        return [Prediction(filmed_name(*named), _text(where, FILMED, value.get(FILMED)), place, right)]
    if not isinstance(placed, list) or not placed:
        raise InputError(f'{where}: "{PLACED}" is {_kind(placed)}; expected an array with an object for each order')
    found: list[Prediction] = []
    for one in placed:
        letter = _letter(one.get("position")) if isinstance(one, dict) else None
        if letter is None or FILMED not in one:
            raise InputError(
                f'{where}: "{PLACED}" contains {str(one)[:60]}; expected "position" (a letter) and "{FILMED}"'
            )
        found.append(Prediction(filmed_name(*named, letter), _text(where, FILMED, one[FILMED]), place, letter))
    return found


def _letter(value: Any) -> str | None:
    """Read the letter of an option, with or without punctuation.

    Returns None if the value is not a single letter.
    """
    letter = value.strip(" ().:").upper() if isinstance(value, str) else ""
    return letter if len(letter) == 1 and letter.isalpha() else None


def _text(where: str, name: str, reply: Any) -> str | None:
    if reply is not None and not isinstance(reply, str):
        raise InputError(f'{where}: "{name}" is {_kind(reply)}; expected text, or null for no reply')
    return reply


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "an array", str: "text or a number", bool: "true or false", float: "no number"}
    return kinds.get(type(value), "null")
