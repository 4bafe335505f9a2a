"""Questions of all active cells of a scene graph: one for each cell."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from math import lcm
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.families import WriteContext, Written
from chronotope.families.vgenst.tasks import ACTIVE, CONSTANT, ROLE_CONSTANT, own_tasks
from chronotope.families.vgenst.write.authorship import about
from chronotope.families.vgenst.write.by_models import QUESTIONS, model_questions
from chronotope.families.vgenst.write.cell import TEMPLATES, Asked, Design, Draws, Template
from chronotope.families.vgenst.write.naming import by_kinds, kinds_of
from chronotope.families.vgenst.write.seen import SceneSight, sight_of
from chronotope.io import read_json, read_yaml
from chronotope.question import NEEDS_OPTIONS, MediaItem, Question, Refused, item_generator, shuffle
from chronotope.recording import Recording, Scene
from chronotope.world.kinds.stage.graph import TASKS, SceneGraph, parse_graph

GRAPH = "graph.json"
MODULES = ("containers", "quantities", "intersections", "causes", "directions", "taken", "heights", "visibility",
           "signs", "speeds", "landmarks", "reactions")  # fmt: skip


@cache
def templates() -> Mapping[str, Sequence[Template]]:
    """Return the templates of each cell, such as "MC-OE"."""
    for name in MODULES:
        import_module(f"chronotope.families.vgenst.write.cells.{name}")
    own_tasks()  # their packages add templates when they are imported
    return TEMPLATES


@cache
def stems() -> Mapping[str, tuple[str, ...]]:
    """Return the wordings of each template."""
    read: Mapping[str, list[str]] = read_yaml(Path(__file__).with_name("stems.yaml"))
    own = (task.stems for task in own_tasks().values())
    return {name: tuple(texts) for stems in (read, *own) for name, texts in stems.items()}


def write(scene: Scene, context: WriteContext) -> Written:
    """Write the questions about the stages of a scene.

    Raises:
        InputError: If a recording has no scene graph, or if the profile is ``extended``.
    """
    if context.profile == "extended":
        raise InputError("--profile extended: family vgenst has only the profiles strict and paper: choose one of them")
    questions: list[Question] = []
    refusals: dict[str, dict[str, int]] = {}
    for recording in scene.recordings:
        graph = _graph_of(recording, context)
        clip = context.clips.get(recording.id)
        media = () if clip is None else (MediaItem("clip", "video", (clip,)),)
        written = questions_of(
            graph, recording.id, context.seed, context.profile, media=media, sight=sight_of(recording, context.folder)
        )
        questions += written.questions
        questions += model_questions(_beside(recording, context, QUESTIONS), graph, recording.id, context.seed, media)
        for cell, counts in written.refusals.items():
            for code, count in counts.items():
                refusals.setdefault(cell, {})[code] = refusals.get(cell, {}).get(code, 0) + count
    return Written(tuple(questions), refusals)


def _beside(recording: Recording, context: WriteContext, name: str) -> Path:
    assert context.folder is not None, "a build has a folder"
    return context.folder / "recordings" / recording.id / name


def _graph_of(recording: Recording, context: WriteContext) -> SceneGraph:
    path = _beside(recording, context, GRAPH)
    if not path.is_file():
        raise InputError(
            f"{recording.id}: has no scene graph ({GRAPH}), and VGenST-Bench asks about scene graphs: build from "
            "world:stage:N, or from a folder of its recordings"
        )
    return parse_graph(read_json(path), f"{recording.id}: {GRAPH}")


def questions_of(
    graph: SceneGraph,
    name: str,
    seed: int,
    design: Design,
    *,
    media: tuple[MediaItem, ...] = (),
    sight: SceneSight | None = None,
) -> Written:
    """Write the questions about a scene graph: one for each active cell of its task.

    ``name`` is the id of the recording or scene, ``design`` is the profile of the questions, and ``sight`` says what
    the pictures show. Cells that have no question are counted with the reason.
    """
    task = TASKS[graph.task].code
    questions: list[Question] = []
    refusals: dict[str, dict[str, int]] = {}
    for place, kind in enumerate(ACTIVE[task]):
        cell = f"{graph.task}-{kind.partition('-')[2]}"
        try:
            chosen, asked, generator = _asked(graph, cell, place, name, seed, design, sight)
        except Refused as refused:
            refusals[cell] = {refused.code.value: 1}
            continue
        if design == "strict" and not asked.in_full:
            asked = _named_by_kinds(asked, kinds_of(graph, sight.nouns if sight else ()))
        questions.append(_question(graph, kind, chosen, asked, generator, name, design, media))
    return Written(tuple(questions), refusals)


def _asked(
    graph: SceneGraph, cell: str, place: int, name: str, seed: int, design: Design, sight: SceneSight | None
) -> tuple[Template, Asked, Any]:
    """Ask a cell with the template whose turn it is, or with the next one that fits.

    Raises:
        Refused: If no template fits, with the reason of the first.
    """
    fitting = [one for one in templates()[cell] if design in one.designs]
    index = int(graph.provenance.get("index", 0))
    # Each template meets each entry of the cycle: it is put off by one after all that go together without.
    together = lcm(len(TASKS[graph.task].cycles[graph.profile].entries), len(fitting))
    turn = index + index // together + place
    first: Refused | None = None
    for step in range(len(fitting)):
        chosen = fitting[(turn + step) % len(fitting)]
        generator = item_generator(seed, "vgenst", f"{name}-{chosen.name}", "options")
        try:
            asked = chosen.make(graph, Draws(graph, generator, design, sight.nouns if sight else frozenset()))
            if sight is not None:
                sight.confirm(asked.seen)
        except Refused as refused:
            first = first or refused
            continue
        return chosen, asked, generator
    assert first is not None, cell
    raise first


def _named_by_kinds(asked: Asked, kinds: Mapping[str, str]) -> Asked:
    return replace(
        asked,
        right=by_kinds(asked.right, kinds),
        wrong=tuple(by_kinds(text, kinds) for text in asked.wrong),
        words={key: by_kinds(text, kinds) for key, text in asked.words.items()},
    )


def _question(
    graph: SceneGraph,
    kind: str,
    chosen: Template,
    asked: Asked,
    generator: Any,
    name: str,
    design: Design,
    media: tuple[MediaItem, ...],
) -> Question:
    task = TASKS[graph.task].code
    wordings = stems()[chosen.name]
    wording = int(generator.integers(len(wordings)))
    texts, answer = shuffle(generator, [asked.right, *asked.wrong], 0)
    shown = [text[0].upper() + text[1:] for text in texts]
    assert len({text.casefold() for text in shown}) == len(shown), (chosen.name, shown)
    stem = wordings[wording].format(**asked.words)
    flags = [] if chosen.is_open else [NEEDS_OPTIONS]
    if design == "paper":
        flags += ["constant"] if (task, kind) in CONSTANT else []
        flags += ["role_constant"] if (task, kind) in ROLE_CONSTANT else []
    return about(
        graph,
        name,
        kind,
        stem[0].upper() + stem[1:],
        shown,
        answer,
        media,
        template=chosen.name,
        flags=flags,
        provenance={"written_by": "code", "wording": wording},
    )
