"""A benchmark as a data set on a hub: a folder to publish, and its upload.

The upload needs the package huggingface_hub (extra ``hub``). Files that the hub has already are not sent again, so an
upload that was interrupted goes on when the same command runs again.
"""

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from chronotope.errors import InputError
from chronotope.io import link_or_copy, sha256_file, write_atomically
from chronotope.make.publication.croissant import croissant
from chronotope.make.publication.dataset_page import dataset_page, evaluation_file
from chronotope.make.transfer.hub import hub_errors, hub_name
from chronotope.question import LICENCE_NOT_STATED, Benchmark

Progress = Callable[[int, int, str], None]

CHECKSUMS = "SHA256SUMS"
MADE = ("README.md", "croissant.json", "eval.yaml", CHECKSUMS, ".gitattributes")
PRIVATE = ("ledger.jsonl", "decisions.jsonl")  # calls of models, and what persons decided, stay with their author
_AGAIN = "run the same command again to continue the upload"


@dataclass(frozen=True)
class Published:
    """What was published: its address, the commit on the hub, its files, and the number of bytes.

    ``commit`` is None if nothing was sent. ``proposal`` is the address where results were proposed. ``notes`` are
    sentences for the author.
    """

    address: str
    commit: str | None
    files: tuple[str, ...]
    size: int
    notes: tuple[str, ...] = ()
    proposal: str | None = None


def publish(
    bench: Benchmark,
    address: str,
    out: Path | None = None,
    *,
    private: bool = False,
    progress: Progress | None = None,
) -> Published:
    """Publish a benchmark at an address, ``hf://OWNER/NAME``.

    If ``out`` is given, the folder to publish is written there, and nothing is sent. With ``private``, a data set that
    is made on this occasion can be seen only by its owner.

    Raises:
        InputError: If the address is not one of a data set, ``out`` exists, the package huggingface_hub is missing, or
            the hub cannot be reached or refuses the upload.
    """
    name = hub_name(address)
    if out is not None:
        if out.exists():
            raise InputError(f"{out}: exists already: choose another --out, or delete the folder")
        with write_atomically(out) as folder:
            files, size = prepare(bench, f"hf://{name}", folder, progress)
        return Published(f"hf://{name}", None, files, size, _notes(bench))
    require_hub(address)
    with tempfile.TemporaryDirectory(prefix="chronotope-publish-") as temporary:
        folder = Path(temporary)
        files, size = prepare(bench, f"hf://{name}", folder, progress, symbolic=True)
        commit = _upload(name, address, folder, private)
    return Published(f"hf://{name}", commit, files, size, _notes(bench))


def require_hub(address: str) -> None:
    """Check that uploads are possible.

    Raises:
        InputError: If the package huggingface_hub is missing.
    """
    if find_spec("huggingface_hub") is None:
        raise InputError(
            f"{address}: uploads need the package huggingface_hub, which is not installed: run pip install "
            "'chronotope[hub]', or write the files with --out and upload them in another way"
        )


def prepare(
    bench: Benchmark, address: str, folder: Path, progress: Progress | None = None, *, symbolic: bool = False
) -> tuple[tuple[str, ...], int]:
    """Write the files of a benchmark and of its page into an empty folder.

    The result has the paths of the files, and the bytes of the benchmark. Files are linked or copied. With
    ``symbolic``, they are symbolic links.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sources = _files(bench.folder)
    sums: dict[str, str] = {}
    known = {path: file.sha256 for path, file in bench.media.items()}
    for number, (path, file) in enumerate(sources.items(), 1):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if symbolic:
            target.symlink_to(file.absolute())
        else:
            link_or_copy(file, target)
        sums[path] = known.get(path) or sha256_file(file)
        if progress is not None:
            progress(number, len(sources), path)
    (folder / "README.md").write_text(dataset_page(bench, address), encoding="utf-8")
    (folder / "croissant.json").write_text(croissant(bench, address, sums), encoding="utf-8")
    (folder / "eval.yaml").write_text(evaluation_file(bench), encoding="utf-8")
    for path in ("README.md", "croissant.json", "eval.yaml"):
        sums[path] = sha256_file(folder / path)
    lines = [f"{digest}  {path}\n" for path, digest in sorted(sums.items())]
    (folder / CHECKSUMS).write_text("".join(lines), encoding="utf-8")
    size = sum(file.stat().st_size for file in sources.values())
    return (*sorted(sums), CHECKSUMS), size


def _files(folder: Path) -> dict[str, Path]:
    """Return the files of a benchmark, by their paths inside it."""
    found: dict[str, Path] = {}
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = (Path(place) / name).relative_to(folder).as_posix()
            if not name.startswith(".") and path not in PRIVATE and path not in MADE:
                found[path] = Path(place) / name
    return found


def _notes(bench: Benchmark) -> tuple[str, ...]:
    if bench.card.licence != LICENCE_NOT_STATED:
        return ()
    return ("the source does not state the licence of its media: state it on the page (README.md) of the data set",)


def _upload(name: str, address: str, folder: Path, private: bool) -> str:
    """Send a folder to the hub; return the commit."""
    from huggingface_hub import HfApi
    from huggingface_hub.utils import disable_progress_bars

    disable_progress_bars()
    api = HfApi(library_name="chronotope")
    with hub_errors(address, _AGAIN):
        api.create_repo(name, repo_type="dataset", private=private, exist_ok=True)
        done = api.upload_folder(
            repo_id=name, folder_path=folder, repo_type="dataset", commit_message="Published with Chronotope"
        )
    return str(done.oid)


def is_published(folder: Path) -> bool:
    """Check whether a folder of released data is a benchmark that Chronotope published."""
    return (folder / "card.yaml").is_file() and (folder / "questions.parquet").is_file()


def take_published(folder: Path, out: Path) -> None:
    """Copy a published benchmark into an empty folder, without the files of its page."""
    for path, file in _files(folder).items():
        target = out / path
        target.parent.mkdir(parents=True, exist_ok=True)
        source = file.resolve()  # the cache of a hub has links
        if source.is_symlink() or not source.is_file():
            raise InputError(f"{file}: is not a file: fetch the data set again")
        shutil.copyfile(source, target)
