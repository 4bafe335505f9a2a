"""Scores of a run as a hub keeps them: a file in ``.eval_results/`` of the repository of the model."""

from collections.abc import Mapping
from pathlib import Path

import yaml

from chronotope.errors import InputError
from chronotope.io import write_atomically
from chronotope.make.publication.dataset_page import ALL, task_ids
from chronotope.make.publication.publishing import Published, require_hub
from chronotope.make.transfer.hub import hub_errors, hub_name

FOLDER = ".eval_results"
_AGAIN = "run the same command again"


def result_file(dataset: str, overall: float, tasks: Mapping[str, float], day: str | None, notes: str) -> str:
    """Return the file with the accuracy (0 to 1) on all questions and on each task.

    ``dataset`` is the address of the benchmark, and ``day`` is the day of the run, such as 2026-11-29. The file states
    percent, rounded to two digits.
    """
    ids = task_ids(list(tasks))
    values = {ids[ALL]: overall} | {ids[name]: value for name, value in tasks.items()}
    entries = [
        {
            "dataset": {"id": hub_name(dataset), "task_id": task},
            "value": round(100 * value, 2),
            **({"date": day} if day else {}),
            "notes": notes,
        }
        for task, value in values.items()
    ]
    return yaml.safe_dump(entries, sort_keys=False, allow_unicode=True)


def publish_result_file(text: str, name: str, address: str, out: Path | None) -> Published:
    """Propose a result file to the repository of a model.

    ``address`` is ``hf://OWNER/MODEL``. If ``out`` is given, the file is written there, and nothing is sent.

    Raises:
        InputError: If ``out`` exists, the package huggingface_hub is missing, or the hub cannot be reached or refuses.
    """
    repository = hub_name(address)
    if out is not None:
        if out.exists():
            raise InputError(f"{out}: exists already: choose another --out, or delete the file")
        with write_atomically(out) as file:
            file.write_text(text, encoding="utf-8")
        return Published(f"hf://{repository}", None, (out.name,), len(text.encode()))
    require_hub(address)
    from huggingface_hub import CommitOperationAdd, HfApi

    with hub_errors(address, _AGAIN):
        done = HfApi(library_name="chronotope").create_commit(
            repository,
            [CommitOperationAdd(f"{FOLDER}/{name}.yaml", text.encode())],
            commit_message=f"Results on {name}",
            create_pr=True,
        )
    file = f"{FOLDER}/{name}.yaml"
    return Published(f"hf://{repository}", str(done.oid), (file,), len(text.encode()), proposal=str(done.pr_url))
