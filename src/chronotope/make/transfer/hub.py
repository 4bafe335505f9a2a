"""Download of released data from a hub into a folder for the importers.

The package huggingface_hub (extra ``hub``) downloads the files. The package is imported only if the user gives an
address. The package keeps complete files in its own cache. Therefore an interrupted download can be continued, and no
commit is downloaded twice.
"""

import os
import re
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread

from chronotope.errors import InputError
from chronotope.io import refusal, remedy

_ADDRESS = re.compile(r"hf://(?:datasets/)?(\w[\w.-]*/\w[\w.-]*)(?:@([^\s@]+))?", re.ASCII)
_AGAIN = "run the same command again to continue the download"


@dataclass(frozen=True)
class Fetched:
    """A downloaded data set: its address, its folder, and its hexadecimal commit."""

    address: str
    folder: Path
    commit: str

    @property
    def note(self) -> str:
        """Return a note with the address, the commit and the folder."""
        return f"{self.address}: commit {self.commit}, kept in {self.folder}"


def is_address(text: str) -> bool:
    """Check whether a text begins like an address on a hub."""
    return text.startswith(("hf:", "ms:"))


def hub_name(address: str) -> str:
    """Return OWNER/NAME of the address of a data set to publish.

    Raises:
        InputError: If the address has another format, or a revision.
    """
    match = _ADDRESS.fullmatch(address)
    if match is None or match[2] is not None:
        raise InputError(f"{address}: is not an address to publish at: expected hf://OWNER/NAME, without a revision")
    return match[1]


def fetch(address: str) -> Fetched:
    """Download a data set from a hub.

    The address is ``hf://OWNER/NAME`` or ``hf://datasets/OWNER/NAME``, optionally followed by ``@REVISION``. A revision
    is a branch, a tag or a commit; the default is the newest commit of the main branch. Archives in the data set are
    not unpacked.

    Raises:
        InputError: If the address has another format or is on ModelScope (``ms://OWNER/NAME``), if the package
            huggingface_hub is missing, or if the hub cannot be reached or refuses access.
    """
    if address.startswith("ms:"):
        raise _of_modelscope(address)
    match = _ADDRESS.fullmatch(address)
    if match is None:
        raise InputError(
            f"{address}: is not the address of a data set: expected hf://OWNER/NAME, followed by @REVISION if you need "
            "a certain revision"
        )
    if find_spec("huggingface_hub") is None:
        raise InputError(
            f"{address}: downloads need the package huggingface_hub, which is not installed: run pip install "
            "'chronotope[hub]', or download the data in another way and give the path of the folder"
        )
    folder = _fetched(address, match[1], match[2])
    return Fetched(address, folder, folder.name)


def _of_modelscope(address: str) -> InputError:
    """Return an error that recommends ModelScope's own client."""
    match = re.fullmatch(r"ms://(?:datasets/)?(\w[\w.-]*/(\w[\w.-]*))", address, re.ASCII)
    name, folder = (match[1], match[2]) if match else ("OWNER/NAME", "NAME")
    return InputError(
        f"{address}: ModelScope needs its own client: run pip install modelscope, then modelscope download --dataset "
        f"{name} --local_dir {folder}, then give the folder {folder} instead of the address"
    )


def _fetched(address: str, name: str, revision: str | None) -> Path:
    """Download a data set in a separate process; return its folder.

    A download in this process would react to Ctrl-C only when the current files are complete.
    """
    spawn = get_context("spawn")
    here, there = spawn.Pipe()
    child = spawn.Process(target=_fetch_and_tell, args=(there, address, name, revision), daemon=True)
    hearing = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process inherits this setting
    try:
        child.start()
    finally:
        signal.signal(signal.SIGINT, hearing)
    there.close()
    try:
        folder, refusal_told = here.recv()
    except EOFError:
        raise InputError(f"{address}: the download stopped for an unknown reason: {_AGAIN}") from None
    finally:
        child.kill()
        child.join()
    if refusal_told:
        raise InputError(refusal_told)
    return Path(folder)


def _fetch_and_tell(there: Connection, address: str, name: str, revision: str | None) -> None:
    """Download a data set, and send its folder or the error.

    The function is the main function of the download process. The process ends when its parent process ends.
    """
    Thread(target=_leave_with_parent, args=(there,), daemon=True).start()
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils import disable_progress_bars

    if not sys.stderr.isatty():
        disable_progress_bars()
    try:
        with hub_errors(address):
            folder = snapshot_download(name, repo_type="dataset", revision=revision, library_name="chronotope")
    except InputError as error:
        there.send(("", str(error)))
    else:
        there.send((folder, ""))


def _leave_with_parent(there: Connection) -> None:
    """End this process when the parent closes its end of the pipe."""
    with suppress(EOFError, OSError):
        there.recv()
    os._exit(1)


@contextmanager
def hub_errors(address: str, again: str = _AGAIN) -> Generator[None]:
    """Turn errors of the hub, network or file system into InputError.

    ``again`` says how to go on after an interruption.
    """
    from huggingface_hub import errors

    try:
        yield
    except errors.HFValidationError:
        raise InputError(
            f"{address}: is not a valid name on the hub: expected hf://OWNER/NAME, as shown on the data set's page"
        ) from None
    except errors.GatedRepoError:
        raise InputError(
            f"{address}: the authors of the data set require that you accept their terms: accept the terms on the data "
            "set's page, log in here (hf auth login, or a token in HF_TOKEN), and run the same command again"
        ) from None
    except errors.RepositoryNotFoundError:
        raise InputError(
            f"{address}: was not found on the hub: look up the address on the authors' page, or, if the data set is "
            "private, log in first (hf auth login, or a token in HF_TOKEN)"
        ) from None
    except errors.RevisionNotFoundError:
        raise InputError(
            f"{address}: there is no such revision: expected a branch, a tag or a commit after @, or no @ for the "
            "newest commit"
        ) from None
    except errors.LocalEntryNotFoundError as error:
        raise _no_way(address, error.__cause__, again) from None
    # huggingface_hub downloads with an HTTP library or with hf_xet; these are the errors of both.
    except (errors.HTTPError, RuntimeError) as error:  # pyright: ignore[reportPrivateImportUsage]
        raise _no_way(address, error, again) from None
    except OSError as error:
        if error.errno is None:  # an incomplete file
            raise _no_way(address, error, again) from None
        place = error.filename or "the folder for downloads (HF_HOME)"
        raise InputError(f"{address}: {place}: {refusal(error)}: {remedy(error)}") from None


def _no_way(address: str, error: BaseException | None, again: str) -> InputError:
    """Return the error for a failed connection, with the remedy."""
    from huggingface_hub import errors

    if isinstance(error, RuntimeError) and isinstance(error.__cause__, errors.HfHubHTTPError):
        error = error.__cause__
    if isinstance(error, errors.OfflineModeIsEnabled):
        return InputError(
            f"{address}: some files of the data set are missing, and HF_HUB_OFFLINE forbids downloads: unset "
            "HF_HUB_OFFLINE, or give the path of a folder with the data"
        )
    if isinstance(error, errors.HfHubHTTPError):
        status = error.response.status_code
        do = "log in again (hf auth login)" if status in (401, 403) else f"wait some minutes and {again}"
        return InputError(f"{address}: the hub answered with HTTP {status}: {do}")
    other = "; or download the data in another way and give the path of the folder" if again == _AGAIN else ""
    return InputError(
        f"{address}: the hub cannot be reached, or the connection broke: check the network and {again}{other}"
    )
