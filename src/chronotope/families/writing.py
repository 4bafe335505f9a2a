"""The data that commands and the writers of families exchange: context, questions, descriptions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from chronotope.question import Description, Profile, Question

if TYPE_CHECKING:
    from chronotope.models import Calls, ModelSpec  # workers that write questions ask no model

Subject = Literal["scene", "procedure"]  # the subject of a family's questions
# Words for subjects in messages. A scene is called a recording, because most scenes are a single recording.
CALLED: dict[Subject, str] = {"scene": "recording", "procedure": "procedure"}


@dataclass(frozen=True)
class WriteContext:
    """The input of a writer in addition to the scene or procedure.

    - ``options`` is the family's ``BuildOptions``.
    - ``clips`` maps the id of each recording of the scene to the path of its clip inside the benchmark. A recording
      without pictures has no clip and is missing in ``clips``.
    - ``folder`` is a folder with the layout of the benchmark. A writer may write pictures into this folder, and must
      list them in ``Written.media``.
    - ``media`` maps each file of the scene or procedure to its path inside ``folder``.
    """

    seed: int
    profile: Profile
    options: Any
    clips: Mapping[str, str] = field(default_factory=dict[str, str])
    folder: Path | None = None
    media: Mapping[Path, str] = field(default_factory=dict[Path, str])


@dataclass(frozen=True)
class Written:
    """The output of a writer: questions, and counts of refused candidates.

    ``refusals`` maps each kind of question to {code of the refusal: number of candidates}. ``media`` lists the paths of
    the pictures that the writer wrote into ``WriteContext.folder``. ``descriptions`` describe these pictures.
    """

    questions: Sequence[Question]
    refusals: dict[str, dict[str, int]] = field(default_factory=dict)
    media: tuple[str, ...] = ()
    descriptions: tuple[Description, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class GivenScene:
    """A scene of a family's own source, from which a kind of world draws or plans it.

    ``text`` is the content of the scene's file, as ``world:NAME:FILE`` takes it, and ``options`` are options of the
    world. ``files`` maps names of files that stand beside the recording to their contents. ``clip`` is a clip that was
    made elsewhere, and ``recording`` is the folder of a recording whose ground truth this clip keeps.
    """

    name: str
    world: str
    text: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    clip: Path | None = None
    recording: Path | None = None


@dataclass(frozen=True)
class GivenScenes:
    """The scenes of a family's own source, with notes, and with the names and reasons of what cannot be used."""

    scenes: tuple[GivenScene, ...]
    notes: tuple[str, ...] = ()
    failures: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class DescribeRequest:
    """The input of a family that lets a model describe pictures.

    ``folders`` maps the id of each recording or procedure to a folder with the layout of the benchmark. ``known`` are
    the existing descriptions. Calls are stored in ``ledger``; a stored call is not repeated.
    """

    folders: Mapping[str, Path]
    known: tuple[Description, ...]
    writer: "ModelSpec"
    calls: "Calls"
    ledger: Path
    progress: Callable[[int, int, str], None] | None = None
    profile: Profile = "strict"


@dataclass(frozen=True)
class Described:
    """All descriptions of pictures, with notes about the model's descriptions."""

    descriptions: tuple[Description, ...]
    notes: tuple[str, ...] = ()
