"""A small benchmark with real clips, and a server whose answers are known."""

import dataclasses
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import yaml

from chronotope.evaluate.plan import RunPrice, Selection
from chronotope.evaluate.run import run
from chronotope.families import family
from chronotope.models import Decoding, FunctionModel
from chronotope.protocol import Layout
from chronotope.question import (
    Benchmark,
    MediaItem,
    Option,
    Question,
    Window,
)
from chronotope.recording import Recording, save_recording
from drawn_benchmarks import MARKUP
from service import ServiceProcess

CLIPS = 7
MODEL = "endpoint/" + MARKUP + "$a_b$"
SCRIPT = f"</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">{MARKUP}"
# One kind of answer for each question of a clip, told by the day in its stem; letters are those of `questions`.
DAYS = {
    "Monday": ("right", "C"),
    "Tuesday": ("wrong", "B"),
    "Wednesday": ("unread", f"I \u2028 would \ud800 rather {SCRIPT} not say"),
    "Thursday": ("failed", f"overloaded {SCRIPT}"),
}
TASKS = ("Displacement & Path Length", "Speed & Acceleration")


def questions(clips: int = CLIPS) -> list[Question]:
    """For each clip one question a day; the right option is the third, markup stands in the first."""
    return [
        Question(
            id=f"clip-{clip}-{day.lower()}",
            family="sti",
            task=TASKS[number % 2],
            cluster=f"clip-{clip}",
            stem=f"How far is it in clip {clip} on a {day}? {MARKUP}",
            options=(Option(f"{MARKUP} {clip} m"), *(Option(f"{clip + step}.5 m") for step in range(3))),
            answer=(2,),
            window=Window(0.0, 0.5),
            media=(MediaItem("video", "video", (f"clips/{clip}.mp4",)),),
            tags={"scene": ("Indoor",)},
            provenance={"recording": f"clip-{clip}"},
        )
        for clip in range(clips)
        for number, day in enumerate(DAYS)
    ]


def save_licensed(benchmark: Path, recording: str, licence: str | None) -> None:
    """A recording beside the questions that says under which licence it stands."""
    poses = np.tile(np.eye(4), (2, 1, 1))
    times, valid = np.array([0.0, 0.1]), np.ones(2, bool)
    save_recording(
        Recording(recording, "indoor", "test", times, poses, valid, licence=licence),
        benchmark / "recordings" / recording,
    )


class Server(ServiceProcess):
    """The service that answers by a script, a process of its own."""

    def __init__(self, folder: Path, script: Sequence[tuple[str, int, str]]) -> None:
        folder.mkdir(parents=True)
        (folder / "script.json").write_text(json.dumps(script))
        super().__init__(Path(__file__).parent / "support" / "scripted_server.py", folder)

    def pictures(self) -> dict[str, list[str]]:
        """What it was sent with each prompt."""
        return {line["text"]: line["pictures"] for line in self.requests()}


def ask(
    benchmark: Benchmark,
    out: Path,
    model: str | FunctionModel,
    url: str | None = None,
    *,
    limit: int | None = None,
    variants: tuple[str, ...] = (),
    layout: Layout = "published",
    price: RunPrice | None = None,
    check: bool = False,
    **settings: object,
) -> Path:
    """Ask a model all questions, or so many of them; the run's folder."""
    sti = family("sti")
    of = (sti.RunSettings(**settings), Selection(limit=limit, variants=variants), out)
    return run(benchmark, sti, model, Decoding(), *of, layout=layout, base_url=url, price=price, check=check).folder


@dataclasses.dataclass
class Asked:
    """The benchmark, the runs (the endpoint's first) and the server that was asked."""

    benchmark: Path
    runs: list[Path]
    server: Server

    def copy(self, folder: Path) -> "Asked":
        """The same elsewhere, to be spoilt."""
        shutil.copytree(self.benchmark, folder / "bench")
        runs = [shutil.copytree(path, folder / path.name) for path in self.runs]
        for path in runs:
            values = yaml.safe_load((path / "run.yaml").read_text())
            values["benchmark"]["path"] = str(folder / "bench")
            (path / "run.yaml").write_text(yaml.safe_dump(values))
        return Asked(folder / "bench", runs, self.server)


def read_report(folder: Path) -> dict:
    """The data of the browser as the page gets it."""
    text = (folder / "questions.js").read_text(encoding="utf-8")
    start, end = "window.REPORT = ", ";\n"
    assert text.startswith(start) and text.endswith(end)
    return json.loads(text[len(start) : -len(end)])
