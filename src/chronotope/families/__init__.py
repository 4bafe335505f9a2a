"""The families of questions: one package for each paper, and the search for installed families."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel

from chronotope.families.depictions import Depiction, plain_depictions
from chronotope.families.findings import AboveChance, Contrast, PaperFinding, QuestionKind, Varied
from chronotope.families.presets import Preset
from chronotope.families.published import (
    FigurePoint,
    Measure,
    Misprint,
    PublishedColumn,
    PublishedLength,
    PublishedRow,
    PublishedTable,
    PublishedWay,
    Reference,
    ReleasedSet,
    Share,
    TableFigure,
    read_reference,
)
from chronotope.families.released import Finding, NoClipError, Release, ReleasedRows, UnusableError, folders_in
from chronotope.families.statements import (
    CheckedStatement,
    Statement,
    Verdict,
    above,
    check_statements,
    columns_of,
    extreme,
    points,
    said,
)
from chronotope.families.twinning import NoTwin, TwinContext, require_possible, with_stem
from chronotope.families.writing import (
    CALLED,
    Described,
    DescribeRequest,
    GivenScene,
    GivenScenes,
    Subject,
    WriteContext,
    Written,
)
from chronotope.plugins import installed, named, own_parts
from chronotope.protocol import Ask, AskSettings, EvaluationProtocol, MediaFacts, Reading, Scored
from chronotope.question import Description, Profile, Question, Refused

if TYPE_CHECKING:
    from chronotope.world import WorldKind

__all__ = [
    "CALLED",
    "AboveChance",
    "CheckedStatement",
    "Contrast",
    "Depiction",
    "DescribeRequest",
    "Described",
    "Family",
    "FamilyBuild",
    "FamilyPaper",
    "FamilyRelease",
    "FigurePoint",
    "Finding",
    "GivenScene",
    "GivenScenes",
    "Measure",
    "Misprint",
    "NoClipError",
    "NoTwin",
    "PaperFinding",
    "Preset",
    "Profile",
    "PublishedColumn",
    "PublishedLength",
    "PublishedRow",
    "PublishedTable",
    "PublishedWay",
    "QuestionKind",
    "Reference",
    "Refused",
    "Release",
    "ReleasedRows",
    "ReleasedSet",
    "Share",
    "Statement",
    "Subject",
    "TableFigure",
    "TwinContext",
    "UnusableError",
    "Varied",
    "Verdict",
    "WriteContext",
    "Written",
    "above",
    "check_statements",
    "columns_of",
    "extreme",
    "families",
    "family",
    "folders_in",
    "plain_depictions",
    "points",
    "read_reference",
    "require_possible",
    "said",
    "with_stem",
]


@dataclass(frozen=True)
class FamilyBuild:
    """How a family makes questions, for ``chronotope build``.

    - ``write`` makes questions from one ``subject`` (a Scene or a Procedure). ``write`` is None if the questions of the
      family can only be imported.
    - ``Options`` are the options of the command, one field each.
    - ``select`` applies rules about the whole benchmark. It returns the allowed questions, and counts the other
      questions as refused.
    - ``describe`` lets a model describe pictures (``--writer``), and ``pictures`` returns the hashes of those pictures,
      from the folders and the known descriptions of a `DescribeRequest`.
    - ``joins_states`` states whether ``write`` gets all saved recordings of a scene together. Simulated worlds then
      need scenes with several states.
    - ``needs_plan`` states whether simulated worlds need scenes with a plan, such as a scene graph.
    - ``explain`` maps the codes of refusals to their meanings in a few words.
    - ``kinds`` returns the task of each kind of question, if a task has several kinds.
    - ``usual_source`` returns the source that options stand for, or None, if the options can replace the source.
    - ``world_options`` are the options of simulated worlds, by profile, that the family needs if the user gives none.
    - ``given`` reads scenes from a source of the family's own, from the path, the options and the profile, or returns
      None for another source. ``given_words`` name these sources in the help.
    """

    write: Callable[[Any, WriteContext], Written] | None = None
    Options: type[BaseModel] = BaseModel
    subject: Subject = "scene"
    select: Callable[[Sequence[Question], WriteContext], Written] | None = None
    describe: Callable[[DescribeRequest], Described] | None = None
    pictures: Callable[[Mapping[str, Path], Sequence[Description]], Collection[str]] | None = None
    joins_states: bool = False
    needs_plan: bool = False
    explain: Mapping[str, str] = field(default_factory=dict)
    kinds: Callable[[], dict[str, str]] = dict
    usual_source: Callable[[Any], str | None] | None = None
    world_options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    given: Callable[[Path, Any, Profile], GivenScenes | None] | None = None
    given_words: str = ""

    def can_ask_about(self, kind: "WorldKind") -> bool:
        """Check whether a kind of simulated world has what the questions are about."""
        return (
            kind.subject == self.subject
            and (kind.has_states or not self.joins_states)
            and (kind.plan is not None or not self.needs_plan)
        )


@dataclass(frozen=True)
class FamilyRelease:
    """How a family reads and writes data in the formats of the paper's authors.

    - ``read`` reads the authors' released data and raises InputError for other data. The parameters of ``read`` are the
      path of the data, and the folder of the clips if this is another folder.
    - ``write`` writes a benchmark into an empty folder in the layout of the authors' own data, and returns notes.
    - ``results`` makes the contents of result files, from asks and the readings of their replies. It returns a mapping
      from the authors' name of each strategy to the content of its result file.
    """

    read: Callable[[Path, Path | None], Release] | None = None
    write: Callable[..., tuple[str, ...]] | None = None
    results: Callable[[Iterable[tuple[Ask, Question, Reading | None, str | None]]], dict[str, Any]] | None = None


@dataclass(frozen=True)
class FamilyPaper:
    """What the paper of a family says, and how reports compare results with the paper.

    - ``reference`` reads the published results.
    - ``figures`` are the figures of the paper that can be drawn from the protocol's tables.
    - ``statements`` compares claims in the paper's text with the scores of a run.
    - ``findings`` are findings of the paper, which a report checks with intervals on one run or on two.
    - ``presets`` are the settings with which the authors ran models, by name (``run --preset``).
    - ``composition`` returns the distribution of a set's questions, with the published shares.
    - ``measures`` returns the sizes of a set's scenes and clips, from the summaries of its recordings.
    - ``headline`` is the paper's main score.
    """

    reference: Callable[[], Reference] | None = None
    figures: tuple[TableFigure, ...] = ()
    statements: Callable[[Sequence[Scored]], list[CheckedStatement]] | None = None
    findings: tuple[PaperFinding, ...] = ()
    presets: Mapping[str, Preset] = field(default_factory=dict)
    composition: Callable[[Sequence[Question]], Sequence[Share]] | None = None
    measures: Callable[[Sequence[Mapping[str, Any]]], Sequence[Measure]] | None = None
    headline: Literal["accuracy", "circular"] = "accuracy"


@dataclass(frozen=True)
class Family:
    """The interface of a family. The package of a family has an object of this class with the name ``FAMILY``.

    The commands use a family only through this object:

    - ``protocol`` asks the questions and scores the replies, with the settings ``RunSettings``.
    - ``build`` makes questions.
    - ``release`` reads and writes the authors' data.
    - ``paper`` has the published results.
    - ``guard`` gets the model, the judge model or None, the settings of the run and the questions. It returns the
      reason why the run is forbidden, or None if the run is allowed.
    - ``cluster`` is the word for clusters in reports and intervals.
    - ``depicts`` returns what the clips and pictures of a question depict, for probes.
    - ``pictured`` returns a question with the pictures that an ask shows, if a setting shows other pictures than those
      of the question. It is None if the family has no such setting.
    - ``processors`` are settings of the processor with which the authors ran models, by the family of the model. Probes
      use them, unless other settings are given.
    - ``twin`` returns the same question about an altered clip, or raises NoTwin. It is None if the family declares no
      alterations.
    - ``tag_words`` says what a tag of the questions means, for the reports.

    Every command that looks up a family imports the package of the family. To keep this import fast, the functions that
    write, import or describe load their modules only when they are called. Commands that only ask or score questions
    load none of these modules.
    """

    name: str
    title: str
    tasks: tuple[str, ...]
    protocol: EvaluationProtocol
    RunSettings: type[AskSettings] = AskSettings
    build: FamilyBuild = FamilyBuild()
    release: FamilyRelease = FamilyRelease()
    paper: FamilyPaper = FamilyPaper()
    guard: Callable[[str, str | None, Any, Sequence[Question]], str | None] | None = None
    cluster: str = "clip"
    depicts: Callable[[Question], Sequence[Depiction]] = plain_depictions
    pictured: Callable[[Ask, Question, MediaFacts], Question] | None = None
    processors: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    twin: Callable[[Question, TwinContext], Question] | None = None
    tag_words: Mapping[str, str] = field(default_factory=dict)


@cache
def families() -> dict[str, Family]:
    """Return all installed families by name.

    The families in the folder ``chronotope/families`` come first, then the families of the entry point group
    ``chronotope.families``.

    Raises:
        InputError: If an entry point cannot be loaded, if it is not a family, or if two families have the same name.
    """
    own = own_parts(__name__, __path__, "FAMILY")
    return installed("chronotope.families", Family, ("family", "families"), own)


def family(name: str) -> Family:
    """Return the family with this name.

    Raises:
        InputError: If there is no family with this name. The message lists the names of all families.
    """
    return named(families(), name, "family")
