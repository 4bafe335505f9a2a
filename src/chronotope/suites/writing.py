"""The writers of tasks for other suites, by the name of the suite."""

import csv
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from chronotope import __version__
from chronotope.errors import InputError
from chronotope.evaluate.plan import Selection
from chronotope.families import Family
from chronotope.io import slug, write_atomically, write_json
from chronotope.protocol import AskSettings
from chronotope.question import Benchmark
from chronotope.suites.asked import OPEN, Asked, Progress, asked_rows, plan_asked
from chronotope.suites.reader_copy import write_reader

ASKS, ABOUT = "asks.jsonl", "about.json"
_ABOUT = ("title", "version", "licence", "questions", "cluster", "max_tokens", "written_by")  # of the texts of kits


@dataclass(frozen=True)
class Exported:
    """A written task: the number of its questions, the command that runs it, and remarks."""

    questions: int
    command: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Suite:
    """One suite: its title, its files beside the asks, and the commands that install it and run the task.

    In names, texts and commands, ``{name}`` stands for the name of the task, and ``{folder}`` for the folder.
    ``tested`` is the version with which our tests run the task.
    ``results`` says where the results are, ``errors`` what its standard errors are worth, and ``limits`` how the
    results may differ from those of `run`.
    """

    title: str
    files: Mapping[str, str]
    install: str
    tested: str
    command: str
    results: str
    errors: str
    limits: tuple[str, ...]
    table: bool = False  # whether the questions are a table, too


def _quote(replies: str) -> str:
    """Say which interval to quote, and how to get it from a suite's file with replies."""
    return (
        "Quote the 95 % interval of Chronotope instead: it is by {cluster}, wider if there are few {cluster}s, and not "
        f"symmetric (it reaches farther towards 50 %). `chronotope score BENCHMARK {replies}` prints it; BENCHMARK is "
        "the folder from which this task was written."
    )


_CUT = "The suite does not tell a task that a reply was cut short: such a reply is read as if it were complete."
_SUITES = {
    "inspect": _Suite(
        "Inspect (inspect_ai)",
        {"task.py": "inspect_task.py.txt"},
        "pip install inspect_ai openai",
        "0.3.285",
        "LOCAL_API_KEY=KEY inspect eval {folder}/task.py --model openai-api/local/MODEL --model-base-url URL",
        "`inspect view` shows the log, which is in the folder `logs`. The `mean` of the score `credit` is the "
        "accuracy, and `stderr` is its standard error by {cluster}. Below it is one mean for each kind of question "
        "(`task` in `asks.jsonl`). The score `answered` is the share of replies with an answer.",
        "`stderr` of Inspect allows for that, but `mean` ± 2 `stderr` is too narrow for few {cluster}s, and can end "
        "below 0 or above 1. " + _quote("logs/….eval"),
        (
            "The log contains all pictures, and gets large; `--no-log-images` keeps them out.",
            "Any other model of Inspect that accepts {most} in one request works, too: give its name to `--model`, and "
            "leave out `--model-base-url`.",
        ),
    ),
    "lmms-eval": _Suite(
        "lmms-eval",
        {"{name}.yaml": "lmms_eval_task.yaml.txt", "utils.py": "lmms_eval_utils.py.txt"},
        "pip install lmms_eval",
        "0.7.3",
        "python -m lmms_eval --include_path {folder} --tasks {name} --model openai --model_args "
        "model_version=MODEL,base_url=URL,api_key=KEY --output_path results --log_samples",
        "The last table that is printed has `credit`, the accuracy, and `answered`, the share of replies with an "
        "answer. The folder `results` has both, and the samples with all replies.",
        "The `Stderr` that lmms-eval prints is by question, so it is too small. " + _quote("results/…/samples_….jsonl"),
        (
            _CUT,
            "Only models of lmms-eval with chat messages (such as `openai`) get texts and pictures in our order. Older "
            "ones get all pictures first.",
            "Leave the environment variable `LMMS_IMAGE_ENCODE_FORMAT` at PNG, its default: JPEG would change pixels.",
        ),
    ),
    "vlmevalkit": _Suite(
        "VLMEvalKit",
        {"run.py": "vlmevalkit_run.py.txt"},
        "pip install ms-vlmeval",
        "0.0.20",
        "python {folder}/run.py --model MODEL --base-url URL --key KEY",
        "`outputs/MODEL` has the results: `…_acc.json` the accuracy (`Overall`), the share of replies with an answer "
        "(`answered`) and one accuracy for each kind of question (`category`); `…_result.tsv` each reply with "
        "its credit.",
        "VLMEvalKit prints no standard error. " + _quote("outputs/MODEL/….tsv"),
        (
            "VLMEvalKit encodes each picture again as JPEG, and enlarges very small ones. With `--local-media` it "
            "sends names of files instead, so no pixel changes; the server must be allowed to read this folder (vLLM: "
            "`--allowed-local-media-path`).",
            _CUT,
            "An empty reply is asked for again (`--retry`), and a call that fails counts as a wrong answer.",
            "With models that VLMEvalKit loads itself, a text for the system becomes the first text of the user.",
        ),
        table=True,
    ),
}
SuiteName = Literal["inspect", "lmms-eval", "vlmevalkit"]


def export_suite(
    benchmark: Benchmark,
    family: Family,
    out: Path,
    suite: str,
    settings: AskSettings,
    selection: Selection,
    progress: Progress | None = None,
) -> Exported:
    """Write a benchmark as a task of another suite.

    The task has the prompts and frames of our protocol, and a copy of our reader of replies. An error or an
    interruption leaves no incomplete folder.

    Raises:
        InputError: If ``out`` exists and is not empty, or a question cannot be asked in the suite (`plan_asked`).
    """
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise InputError(f"{out}: exists already: choose another --out, or delete the folder")
    asked = plan_asked(benchmark, family, settings, selection)
    with write_atomically(out) as folder:
        folder.mkdir()
        about = about_task(asked)
        table = folder / f"{about['name']}.tsv" if _SUITES[suite].table else None
        about |= _write_asks(asked, folder, table, progress)
        write_json(folder / ABOUT, about, None)
        write_reader(folder)
        told = _fill(_SUITES[suite], folder, out, about, asked.left_out)
    left = (f"{asked.left_out} questions are left out: {OPEN}",) if asked.left_out else ()
    return Exported(len(asked.plan.asks), told, left)


def _write_asks(asked: Asked, folder: Path, table: Path | None, progress: Progress | None) -> dict[str, Any]:
    """Write the asks with their pictures, and a table for VLMEvalKit if there is a place for it.

    Returns the numbers of pictures: the fewest and the most that a question sends, those of all, and of the files.
    """
    rows: list[dict[str, str]] = []
    sent: list[int] = []
    files: set[str] = set()
    with (folder / ASKS).open("w", encoding="utf-8") as opened:
        for row in asked_rows(asked, folder, progress):
            opened.write(json.dumps(row, ensure_ascii=False) + "\n")
            sent.append(len(_pictures(row)))
            files.update(_pictures(row))
            if table is not None:
                rows.append(_table_row(row, asked.plan.questions[row["question"]].stem))
    if table is not None:
        letters = sorted({name for row in rows for name in row if len(name) == 1})
        with table.open("w", encoding="utf-8", newline="") as opened:
            columns = ("index", "question", *letters, "answer", "category", "image_path")
            writer = csv.DictWriter(opened, columns, restval="", delimiter="\t", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return {"pictures": {"fewest": min(sent), "most": max(sent), "all": sum(sent), "files": len(files)}}


def _pictures(row: Mapping[str, Any]) -> list[str]:
    return [part["path"] for message in row["messages"] for part in message["content"] if part["path"]]


def _table_row(row: Mapping[str, Any], stem: str) -> dict[str, str]:
    """Make the row of an ask in the columns of VLMEvalKit.

    A list of pictures is written as in Python, because VLMEvalKit evaluates the text.
    """
    options = {one["letter"]: one["text"] or "" for one in row["options"]}
    about = {"answer": ",".join(row["answer"]), "category": row["task"], "image_path": repr(_pictures(row))}
    return {"index": row["id"], "question": stem, **options, **about}


def about_task(asked: Asked) -> dict[str, Any]:
    """Describe a task: its benchmark, protocol and settings."""
    plan, card = asked.plan, asked.plan.benchmark.card
    return {
        "name": slug(f"chronotope-{card.family}-{card.name}").replace("-", "_"),
        "title": card.name,
        "family": card.family,
        "version": card.version,
        "content_hash": card.content_hash,
        "licence": card.licence,
        "attributions": list(card.attributions),
        "protocol": {"name": plan.family.protocol.name, "version": plan.family.protocol.version},
        "settings": plan.settings.identified(),
        "cluster": plan.family.cluster,
        "questions": len(plan.asks),
        "temperature": 0.0,
        "max_tokens": plan.settings.max_tokens,
        "written_by": f"chronotope {__version__}",
    }


def _fill(suite: _Suite, folder: Path, out: Path, about: Mapping[str, Any], left_out: int) -> str:
    """Write the files of a suite, and return the command that runs the task.

    The command in the file ``README.md`` holds in the folder above ``out``, wherever both are moved together.
    """
    kits, name = files("chronotope.suites") / "kits", about["name"]
    fill: Callable[[str, str], str] = lambda text, at: text.replace("{name}", name).replace("{folder}", at)  # noqa: E731
    own = {
        "suite": suite.title,
        "tested": suite.tested,
        "install": suite.install,
        "results": suite.results,
        "errors": suite.errors,
        "command": suite.command,
        "sent": _sent_words(**about["pictures"]),
    }
    left = f"{left_out:,} questions without options are not in the task, because their answers need a judge."
    own["limits"] = "\n".join(f"- {one}" for one in ((left,) if left_out else ()) + suite.limits)
    own["files"] = "".join(f"| `{one}` | what {suite.title} needs to find the task |\n" for one in suite.files)
    own["files"] += "| `{name}.tsv` | the questions in the columns of VLMEvalKit |\n" if suite.table else ""
    own |= {key: str(about[key]) for key in _ABOUT}  # last, because texts above name them
    own["most"] = _pictures_words(about["pictures"]["most"])
    for target, source in {**suite.files, "README.md": "readme.md.txt"}.items():
        text = (kits / source).read_text(encoding="utf-8")
        for key, value in own.items():
            text = text.replace(f"{{{key}}}", value)
        (folder / fill(target, "")).write_text(fill(text, out.resolve().name), encoding="utf-8")
    return fill(suite.command, str(out))


def _sent_words(fewest: int, most: int, files: int, **every: int) -> str:
    """Say how many pictures a question sends, and how many all send."""
    each = _pictures_words(most) if fewest == most else f"{fewest:,} to {_pictures_words(most)}"
    of_files = f"{files:,} file{'' if files == 1 else 's'}"
    return f"Each question sends {each}. All questions together send {every['all']:,}, from {of_files} that they share."


def _pictures_words(number: int) -> str:
    return f"{number:,} picture{'' if number == 1 else 's'}"
