"""The answer of one run to one ask, for the question browser of a report."""

import math
from typing import Any

from chronotope.evaluate.score import Answered, RunResults
from chronotope.ledger import LedgerLine
from chronotope.view.frames import Strip

# Longer replies are shortened to their start and end, so that a page with thousands of replies stays usable.
LONGEST_REPLY, KEPT_END = 8000, 2000


def answer_data(run: RunResults, answered: Answered, made: Strip | None) -> dict[str, Any]:
    """Return the answer of a run to an ask, as plain values.

    ``made`` has the prompt's pictures if they were made again for the report; otherwise it is None. These fields need
    an explanation:

    - ``chosen`` has the positions at which the chosen options were shown.
    - ``frames`` states whether the pictures that were sent equal the pictures in the report.
    - ``call`` has the known tokens, cost and time of the call.
    - ``letters`` has the log-probability of each letter at the first token. The most probable letter is first. The
      log-probability of an impossible letter is None.
    """
    line, reading, ask = answered.line, answered.reading, answered.ask
    chosen = None if reading is None or reading.options is None else sorted(map(ask.placement.index, reading.options))
    if run.card.elsewhere is not None:
        frames = "elsewhere"
    elif line is None or not line.pictures:
        frames = "none"
    elif made is None:
        frames = "unchecked"
    else:
        frames = "match" if tuple(line.pictures) == made.hashes else "differ"
    return {
        "state": asked_state(run, answered),
        "reply": None if line is None else _short(line.reply),
        "reasoning": None if line is None else _short(line.reasoning),
        "error": None if line is None else line.error,
        "rule": None if reading is None else reading.rule,
        "chosen": chosen,
        "value": None if reading is None else reading.value,
        "frames": frames,
        "call": _call(line),
        "letters": _letters(line),
    }


def _call(line: LedgerLine | None) -> dict[str, Any]:
    """Return the known tokens, cost and time of a call.

    Most values are missing for baselines, imported replies and unfinished asks.
    """
    if line is None:
        return {}
    taken = {
        "input": line.input_tokens,
        "cached": line.cached_tokens,
        "output": line.output_tokens,
        "money": line.money,
        "attempts": line.attempts or None,
        "seconds": line.seconds,
        "finish": line.finish,
        "at": line.at,
    }
    return {name: value for name, value in taken.items() if value is not None}


def _letters(line: LedgerLine | None) -> list[tuple[str, float | None]] | None:
    if line is None or line.letter_log_probabilities is None:
        return None
    ordered = sorted(line.letter_log_probabilities.items(), key=lambda item: (-item[1], item[0]))
    return [(letter, round(value, 3) if math.isfinite(value) else None) for letter, value in ordered]


def asked_state(run: RunResults, answered: Answered) -> str:
    """Describe the outcome of an ask in a few words.

    If an answer was read, the outcome is ``right``, ``partly right`` or ``wrong``. This outcome depends only on the
    protocol's score of the ask. Otherwise, the words give the reason why there is no score.
    """
    line, reading = answered.line, answered.reading
    if line is None:
        return "not asked"
    if reading is None:
        return line.state.replace("_", " ")
    if not reading.parsed:
        return "cut short" if reading.truncated else "unread"
    if not answered.question.answer and reading.right is None:
        return "unjudged"
    strict = run.family.protocol.score(answered.question, [(answered.ask, reading)]).metrics.get("strict")
    if strict is None:
        return "read"
    return "right" if strict >= 1 else "wrong" if strict <= 0 else "partly right"


def _short(text: str | None) -> str | None:
    if text is None or len(text) <= LONGEST_REPLY:
        return text
    left_out = len(text) - LONGEST_REPLY
    return f"{text[: LONGEST_REPLY - KEPT_END]}\n[… {left_out} characters are in ledger.jsonl …]\n{text[-KEPT_END:]}"
