"""Result files of other suites: logs of Inspect, and the samples of lmms-eval.

The files come from tasks that ``chronotope export`` wrote, so they have our ids of questions.
"""

import io
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.evaluate.score.prediction import Prediction

_ZSTANDARD = 93  # the compression of the samples in logs of newer versions of Inspect, which zipfile does not know
_CUT = "max_tokens"  # Inspect's reason of a reply that reached the limit of tokens
_CREDIT, _LOGGED = "credit", "chronotope"  # our score in tasks, and in logs that `report --format inspect` writes


def is_inspect_archive(data: bytes) -> bool:
    """Check whether a file is an archive, as the logs of Inspect with the end ``.eval`` are."""
    return data[:4] == b"PK\x03\x04"


def read_inspect_archive(path: Path, data: bytes) -> list[Prediction]:
    """Read the samples of an archive.

    Raises:
        InputError: If the archive is damaged, or has no samples.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if "xl/workbook.xml" in archive.namelist():
                raise InputError(
                    f"{path}: is a spreadsheet: save it as CSV or TSV (VLMEvalKit writes TSV with PRED_FORMAT=tsv)"
                )
            names = sorted(one.filename for one in archive.infolist() if one.filename.startswith("samples/"))
            samples = [json.loads(_member(archive, data, name)) for name in names]
    except (zipfile.BadZipFile, ValueError, OSError, EOFError) as error:
        raise InputError(f"{path}: is not a complete log of Inspect ({error}): write it again") from error
    return read_inspect(path, samples)


def _member(archive: zipfile.ZipFile, data: bytes, name: str) -> bytes:
    member = archive.getinfo(name)
    if member.compress_type != _ZSTANDARD:
        return archive.read(name)
    import pyarrow as pa  # imported late: most files of replies are texts

    # A local header has 30 bytes, of which the last four are the lengths of the name and of the extra field.
    start = member.header_offset + 30
    lengths = (int.from_bytes(data[start - 4 + place : start - 2 + place], "little") for place in (0, 2))
    start += sum(lengths)
    with pa.CompressedInputStream(pa.BufferReader(data[start : start + member.compress_size]), "zstd") as stream:
        return stream.read()


def inspect_samples(text: str) -> list[Any] | None:
    """Return the samples of a log of Inspect as JSON, or None if the text is something else."""
    if not text.lstrip().startswith("{") or '"samples"' not in text or '"eval"' not in text:
        return None
    try:
        log = json.loads(text)
    except ValueError:
        return None
    return log["samples"] if isinstance(log, dict) and "eval" in log and isinstance(log.get("samples"), list) else None


def read_inspect(path: Path, samples: Sequence[Any]) -> list[Prediction]:
    """Read samples of Inspect: the id, the completion, the correct letters and our score.

    Raises:
        InputError: If there are no samples, or a sample is not that of a task from ``chronotope export``.
    """
    if not samples:
        raise InputError(f"{path}: this log of Inspect has no samples: run the task with --log-samples")
    found: list[Prediction] = []
    for number, sample in enumerate(samples, 1):
        try:
            scores = sample.get("scores") or {}
            score = scores.get(_CREDIT, scores.get(_LOGGED, {})).get("value")
            reply, target = sample.get("output", {}).get("completion"), sample["target"]
            letters = ",".join(target) if isinstance(target, list) else str(target)
            stated = None if score is None else float(score)
            # A sample that failed has no completion.
            reply = None if sample.get("error") or not isinstance(reply, str) else reply
            cut = sample["output"]["choices"][0].get("stop_reason") == _CUT if reply is not None else False
            found.append(Prediction(str(sample["id"]), reply, f"sample {number}", _letters(letters), stated, cut))
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise InputError(
                f"{path}: sample {number} of this log has no id, target or score ({error}): expected a task from "
                "`chronotope export --to inspect`"
            ) from error
    return found


def read_lmms_eval(where: str, place: str, value: dict[str, Any]) -> Prediction:
    """Read a line of the samples of lmms-eval; the target has the correct letters and the id.

    Raises:
        InputError: If the line is not that of a task from ``chronotope export``.
    """
    target, reply = value.get("target"), value["filtered_resps"]
    reply = reply[0] if isinstance(reply, list) and reply else reply
    letters, _, name = target.partition(" ") if isinstance(target, str) else ("", "", "")
    if not name or not isinstance(reply, str):
        raise InputError(
            f"{where} has no id in its target; expected samples of a task from `chronotope export --to lmms-eval`, "
            "with --log_samples"
        )
    score = value.get(_CREDIT)
    return Prediction(name, reply, place, _letters(letters), None if score is None else float(score))


def _letters(text: str) -> str:
    return text.replace(",", "").replace(" ", "").upper()
