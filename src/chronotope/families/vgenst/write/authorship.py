"""Questions about a scene graph, with what the graph tells about its makers as flags and provenance."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chronotope.families.vgenst.tasks import axes_of, level_of
from chronotope.question import MediaItem, Option, Question
from chronotope.world.kinds.stage.graph import TASKS, SceneGraph

UNVALIDATED, UNPICKED = "unvalidated", "unpicked"
GENERATED, RESTYLED, NOT_KEPT = "generated", "restyled", "truth_not_kept"


def flags_of(graph: SceneGraph) -> Iterator[str]:
    """Yield the flags of questions about a graph.

    - ``unvalidated``: no judge accepted the graph, and the user took it nevertheless.
    - ``generated``: a service made the clip, so nothing but checks and people say that the clip shows the graph.
    - ``restyled``: a service restyled a drawn clip, and everything is where the recording says.
    - ``truth_not_kept``: a service restyled a drawn clip, and not everything is where the recording says.
    - ``unpicked``: no person has picked the clip.
    """
    if graph.provenance.get("validated") is False:
        yield UNVALIDATED
    clip = graph.provenance.get("clip")
    if not isinstance(clip, Mapping):
        return
    kept = clip.get("truth_kept")
    yield GENERATED if kept is None else RESTYLED if kept else NOT_KEPT
    if clip.get("picked") is False:
        yield UNPICKED


def makers_of(graph: SceneGraph) -> dict[str, Any]:
    """Return who wrote and judged a graph and its clip, by role, as far as the graph tells."""
    told = {name: graph.provenance.get(name) for name in ("models", "judges")}
    return {
        name: {str(role): str(model) for role, model in makers.items()}
        for name, makers in told.items()
        if isinstance(makers, Mapping) and makers
    }


def about(
    graph: SceneGraph,
    name: str,
    kind: str,
    stem: str,
    options: Sequence[str],
    answer: int,
    media: tuple[MediaItem, ...],
    *,
    template: str,
    flags: Sequence[str],
    provenance: Mapping[str, Any],
    suffix: str = "",
) -> Question:
    """Return a question of a type about a scene graph.

    ``name`` is the id of the recording or scene, ``answer`` is the place of the right option, and ``suffix``
    distinguishes questions of one type.
    """
    task = TASKS[graph.task].code
    tags = {
        "type": kind, "level": level_of(kind), **axes_of(task), "theme": graph.scene_meta.theme, "template": template,
    }  # fmt: skip
    return Question(
        id=f"{name}-{kind.lower()}{suffix}",
        family="vgenst",
        task=task,
        cluster=name,
        stem=stem,
        options=tuple(map(Option, options)),
        answer=(answer,),
        media=media,
        tags={tag: (value,) for tag, value in tags.items()},
        flags=(*flags, *flags_of(graph)),
        recordings=(name,) if media else (),
        provenance={
            **provenance,
            "params": graph.params.model_dump(mode="json"),
            "graph_profile": graph.profile,
            **makers_of(graph),
        },
    )
