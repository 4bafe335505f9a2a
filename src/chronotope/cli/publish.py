"""The command ``chronotope publish``."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from chronotope.cli.console import command, emit_json, note, out, progress_bar
from chronotope.cli.paths import existing


@command
def publish_command(
    benchmark: Annotated[Path, typer.Argument(help="a benchmark folder, or a run folder", metavar="DIR")],
    address: Annotated[
        str, typer.Argument(help="hf://OWNER/NAME: the data set to make, or the repository of the run's model")
    ],
    out_folder: Annotated[
        Path | None, typer.Option("--out", help="write the folder to publish (of a run, the file), and send nothing")
    ] = None,
    private: Annotated[bool, typer.Option(help="a new data set can be seen only by its owner")] = False,
    of: Annotated[
        str | None, typer.Option(help="of a run: the published benchmark, hf://OWNER/NAME, whose results these are")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
) -> None:
    """Publish a benchmark on a hub, with a page, Croissant metadata, eval.yaml and checksums; or the scores of a run.

    Log in first (hf auth login, or a token in HF_TOKEN). An interrupted upload goes on when the command runs again.
    The scores of a run are proposed to the repository of its model, where the hub shows them.

    Example: chronotope publish bench hf://lab/my-bench --out to-publish

    Example: chronotope publish bench hf://lab/my-bench --private

    Example: chronotope publish runs/bench-qwen hf://lab/qwen --of hf://lab/my-bench --out results.yaml
    """
    # Imported here because scores load much that --help does not need.
    from chronotope.api.publishing import publish

    with progress_bar("publishing") as advance:
        published = publish(existing(benchmark), address, of=of, out=out_folder, private=private, progress=advance)
    for text in published.notes:
        note(text, "yellow")
    if as_json:
        told = asdict(published) | {"out": None if out_folder is None else str(out_folder)}
        emit_json(told)
        return
    size = f"{len(published.files)} files, {published.size / 1e6:,.1f} MB"
    if published.proposal is not None:
        out.print(f"proposed: {published.proposal}", markup=False)
    elif published.commit is None:
        out.print(f"{out_folder} is ready ({size}); nothing was sent", markup=False)
    else:
        out.print(f"{published.address}: commit {published.commit} ({size})", markup=False)
