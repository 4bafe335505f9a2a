"""Answer the questions of a benchmark yourself, in the browser."""

import getpass
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from chronotope.api.benchmarks import selected
from chronotope.api.checked_settings import as_path, checked
from chronotope.api.opened_run import Run
from chronotope.api.options import PythonOptions
from chronotope.evaluate.plan import RUNS
from chronotope.evaluate.run import HumanRequest, begin_human_run
from chronotope.families import family
from chronotope.protocol import AskSettings
from chronotope.question import Benchmark


def play(
    bench: Benchmark | Path | str,
    *,
    name: str | None = None,
    out: Path | str | None = None,
    questions: str | Sequence[str] | None = None,
    tasks: str | Sequence[str] = (),
    variants: str | Sequence[str] = (),
    limit: int | None = None,
    reveal: bool = False,
    clip: bool = True,
    port: int = 0,
    browser: bool = True,
    say: Callable[[str], None] | None = None,
    **settings: Any,
) -> Run:
    """Answer the questions of a benchmark in the browser; return the run.

    The page shows the frames that a model would be shown and, if ``clip`` is true, lets you play the clips. With
    ``reveal``, the truth is shown after each answer. At the end, your accuracy is shown beside the runs in ``runs``
    and beside the benchmark. The answers are a run of the model ``human/NAME``, which the same call continues.
    ``questions``, ``tasks``, ``variants``, ``limit``, ``out`` and ``settings`` are as in `chronotope.run`. The page has
    the address 127.0.0.1 and the ``port`` (0 for any free port). ``browser`` opens it, and ``say`` is called with its
    address; by default, the address is printed.

    Raises:
        InputError: If an option is wrong, a clip is missing, or the libraries of the web app are not installed.
    """
    from chronotope.review.app import require_app

    require_app()
    about = {"out": out, "questions": questions, "tasks": tasks, "variants": variants, "limit": limit, "name": name}
    given: PythonOptions = checked(PythonOptions, about, "", "play")
    folder, selection = selected(bench, given.questions, given.tasks, given.limit, given.variants)
    chosen = family(folder.card.family)
    shown = {key: value for key, value in settings.items() if value != _default(key)}
    asked = checked(chosen.RunSettings, shown, "", f"family {chosen.name}")
    request = HumanRequest(
        folder, chosen, given.name or _user(), asked, selection, None if out is None else as_path(out, "out"), clip=clip
    )
    return Run(_played(request, reveal=reveal, port=port, browser=browser, say=say or print))


def _default(key: str) -> Any:
    info = AskSettings.model_fields.get(key)
    return None if info is None else info.default


def _user() -> str:
    """Return the name of the user on this machine, which a run can have as its name."""
    try:
        return getpass.getuser()
    except OSError:  # there is no user with this number
        return "me"


def _played(request: HumanRequest, *, reveal: bool, port: int, browser: bool, say: Callable[[str], None]) -> Path:
    """Serve the pages until the person has finished; return the run folder."""
    from chronotope.review.app.play_app import Play, play_app
    from chronotope.review.app.serving import Address, open_socket, serve, url_of
    from chronotope.review.people import runs_of_benchmark

    address = Address(port=port)
    places = [RUNS, request.benchmark.folder.resolve().parent / RUNS]
    with begin_human_run(request) as run, TemporaryDirectory() as frames:
        others = list(runs_of_benchmark(request.benchmark.card.content_hash, places, run.folder))
        playing = Play(run, others, Path(frames), reveal=reveal)
        listening = open_socket(address)
        url = f"{url_of(address, listening)}/start?key={playing.key}"
        serve(
            play_app(playing), listening, opened=url if browser else None, ended=playing.ended,
            started=lambda: say(f"{len(run.answered)} of {len(run.planned)} questions are answered: open {url}"),
        )  # fmt: skip
        return run.folder
