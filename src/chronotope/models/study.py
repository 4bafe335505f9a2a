"""Models that see all questions of a benchmark before the first ask, but never the answers of the asked cluster."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from chronotope.question import Question


@dataclass(frozen=True)
class Unsolved:
    """A question without its answer, its entities and its provenance.

    ``options`` are texts in the published order; ``window`` is in s; ``shown`` are the paths of the media.
    """

    id: str
    task: str
    cluster: str
    stem: str
    options: tuple[str, ...]
    window: tuple[float, float] | None = None
    variant: str = "base"
    base: str | None = None
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Solved:
    """A base question of another cluster, with the index of its correct option."""

    question: Unsolved
    answer: int


@dataclass(frozen=True)
class Study:
    """The questions of one cluster, and the answers of all other clusters.

    ``others()`` yields these answers in the benchmark's order.
    """

    cluster: str
    asked: tuple[Unsolved, ...]
    others: Callable[[], Iterator[Solved]]


@runtime_checkable
class Studies(Protocol):
    """A model that sees the questions of a benchmark before it is asked."""

    def study(self, studies: Sequence[Study], questions: Mapping[str, str]) -> None:
        """Receive all clusters of a benchmark, once, before the first ask.

        ``questions`` maps the id of each ask to the id of its question.
        """
        ...


def studies_of(questions: Iterable[Question]) -> list[Study]:
    """Remove the answers from questions, cluster by cluster.

    With each cluster go the answers to the base questions of all other clusters. Questions without options, and
    questions that can have several correct options, are left out of these answers.
    """
    asked: dict[str, list[Unsolved]] = {}
    solved: dict[str, list[Solved]] = {}
    for question in questions:
        bare = _stripped(question)
        asked.setdefault(question.cluster, []).append(bare)
        told = solved.setdefault(question.cluster, [])
        if question.variant == "base" and len(question.answer) == 1 and not question.multiple:
            told.append(Solved(bare, question.answer[0]))

    def others(cluster: str) -> Callable[[], Iterator[Solved]]:
        return lambda: (one for name, told in solved.items() if name != cluster for one in told)

    return [Study(cluster, tuple(ones), others(cluster)) for cluster, ones in asked.items()]


def _stripped(question: Question) -> Unsolved:
    window = question.window
    return Unsolved(
        question.id,
        question.task,
        question.cluster,
        question.stem,
        tuple(option.text or "" for option in question.options),
        None if window is None else (window.start, window.end),
        question.variant,
        question.base,
        dict(question.tags),
        tuple(path for item in question.media for path in item.paths),
    )
