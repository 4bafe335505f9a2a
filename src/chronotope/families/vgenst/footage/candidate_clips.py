"""The job that orders pictures and clips, checks the candidates, and shows them to a person.

The book of jobs keeps what was paid for. A job that was stopped, or killed, continues where it stopped.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.families.vgenst.agents import Item
from chronotope.families.vgenst.agents.candidates import COUNT, CandidateClip, checked_clip, clip_orders, judged_clip
from chronotope.families.vgenst.agents.items import CUSTOM
from chronotope.families.vgenst.agents.records import SETTINGS as DRAFTS
from chronotope.families.vgenst.agents.translators import has_anchor
from chronotope.families.vgenst.drafted import DraftedScene, drafted_scenes, drawn_scenes
from chronotope.families.vgenst.footage.generation_settings import CONTROLS, GenerationSettings
from chronotope.families.vgenst.footage.sheets import save_page
from chronotope.families.vgenst.footage.shelf import (
    CLIPS,
    CONTROL,
    PICTURES,
    Candidate,
    Checked,
    Shelf,
    kept_candidates,
)
from chronotope.interrupts import run_async
from chronotope.io import sha256_file
from chronotope.ledger import Ledger, bytes_of_line, read_ledger
from chronotope.media import probe
from chronotope.models import Calls, JobCalls, ModelSpec, OverBudgetError, Say, StructuredJob, UnansweredError
from chronotope.models.media import Generated, Generating, JobBook, Made, MediaRequest, MediaService, Order
from chronotope.models.media.control import save_control, save_first_frame
from chronotope.recording import Recording, load_recording
from chronotope.world.kinds.stage.graph import Theme

LEDGER = "ledger.jsonl"
_LONGEST = 1000  # tokens of a verdict about a clip


@dataclass(frozen=True)
class GenerationRequest:
    """The scenes whose clips are made, the services that make pictures and clips, and the folder of the result.

    ``source`` is a folder of drafts, or of drawn stages. ``images`` makes the first frames. ``judge`` is a model that
    counts what clips show. ``resubmit`` and ``adopt`` are decisions about unclear jobs (see `Generating`).
    """

    source: Path
    out: Path
    service: MediaService
    images: MediaService | None = None
    how: GenerationSettings = field(default_factory=lambda: GenerationSettings.model_validate({}))
    tasks: Sequence[str] = ()
    judge: ModelSpec | None = None
    judge_calls: Calls = field(default_factory=JobCalls)
    resubmit: Sequence[str] = ()
    adopt: Mapping[str, str] = field(default_factory=dict[str, str])
    progress: Callable[..., None] | None = None
    say: Say | None = None


@dataclass(frozen=True)
class GenerationOutcome:
    """The outcome of a job: all candidates with their checks, the page that shows them, and the cost of all jobs.

    ``left_out`` are the scenes without a clip, with the reasons. ``stopped`` says why the job is incomplete.
    """

    candidates: Sequence[Candidate]
    page: Path
    spent: float
    left_out: Sequence[str] = ()
    stopped: str | None = None

    @property
    def proposed(self) -> dict[str, str]:
        """Return the name of the first candidate of each scene against which nothing speaks."""
        found: dict[str, str] = {}
        for one in self.candidates:
            if one.may_be_chosen:
                found.setdefault(one.scene, one.name)
        return found


@dataclass(frozen=True)
class Wanted:
    """A scene with its item, its recording if it is drawn, and what the service is shown."""

    scene: DraftedScene
    item: Item
    recording: Recording | None = None


def wanted_scenes(request: GenerationRequest) -> tuple[list[Wanted], list[str]]:
    """Return the scenes of a request, and what is left out with the reasons.

    Raises:
        InputError: If no scene can be used, or a setting does not fit the source or the service.
    """
    is_drafts = (request.source / DRAFTS).is_file()
    scenes = drafted_scenes(request.source) if is_drafts else drawn_scenes(request.source)
    scenes = [scene for scene in scenes if not request.tasks or scene.graph.task in request.tasks]
    _require_control(request, is_drawn=not is_drafts)
    needs_picture = "first_frame" in request.service.limits.needs and request.how.control != "first-frame"
    found, left_out = list[Wanted](), list[str]()
    for scene in scenes:
        task = scene.graph.task
        if "video" not in scene.prompts or (has_anchor(task) and "image" not in scene.prompts):
            left_out.append(f"{scene.item}: has no validated prompts")
        elif needs_picture and not has_anchor(task):
            left_out.append(f"{scene.item}: is made without a first frame, and {request.service.name} needs one")
        elif needs_picture and request.images is None:
            raise InputError(
                f"{request.service.name} needs a first frame: name a service for pictures with --image-service, or "
                "take it from drawn clips with --control first-frame"
            )
        else:
            theme = Theme(scene.item.removeprefix(f"{task}--"), scene.graph.scene_meta.theme, CUSTOM, None)
            recording = None if scene.recording is None else load_recording(scene.recording)
            found.append(Wanted(scene, Item(task, theme, 0), recording))
    if not found:
        raise InputError(f"{request.source}: no clip can be made ({left_out[0] if left_out else 'no such task'})")
    return found, left_out


def _require_control(request: GenerationRequest, *, is_drawn: bool) -> None:
    control = request.how.control
    if control != "none" and not is_drawn:
        raise InputError(
            f"--control {control}: needs drawn clips: build a benchmark of the drafts first, and name it as SOURCE"
        )
    if control != "none" and CONTROLS[control] not in request.service.limits.takes:
        taken = CONTROLS[control].replace("_", " ")
        raise InputError(f"--control {control}: {request.service.name} takes no {taken}: choose another model")


def picture_orders(request: GenerationRequest, wanted: Sequence[Wanted]) -> list[Order]:
    """Return the orders for the first frames."""
    if request.images is None or request.how.control == "first-frame":
        return []
    if "first_frame" not in request.service.limits.takes:
        return []
    return [
        Order(one.item.id, MediaRequest("image", one.scene.prompts["image"], seed=request.how.seed))
        for one in wanted
        if has_anchor(one.item.task)
    ]


def video_orders(
    request: GenerationRequest, one: Wanted, anchor: Path | None, control: Path | None = None
) -> list[Order]:
    """Return the orders for the candidates of a scene; ``control`` is the file that the drawn clip gives."""
    how = request.how
    orders = clip_orders(
        one.item, one.scene.prompts["video"], request.service.limits, anchor, how.candidates, how.seed
    )  # fmt: skip
    if control is None:
        return orders
    shown: dict[str, Any] = {CONTROLS[how.control]: control}
    return [replace(order, request=replace(order.request, **shown)) for order in orders]


def generate(request: GenerationRequest) -> GenerationOutcome:
    """Order all clips that are missing, check them, and write the page of candidates.

    Raises:
        InputError: If a setting or a service cannot be used, or the folder has clips of another job.
    """
    wanted, left_out = wanted_scenes(request)
    shelf = Shelf(request.out, generation_settings(request))
    for one in wanted:
        shelf.keep_scene(_as_made(request, one))
    made, spent, stopped, shown = run_async(_ordered(request, wanted))
    candidates, told = _candidates(request, wanted, made, shown, spent)
    shelf.keep_candidates(candidates)
    left_out += [f"{one.item.id}: no first frame was made" for one in wanted if one.item.id not in shown]
    page = save_page(request.out, [one.scene for one in wanted], candidates)
    return GenerationOutcome(candidates, page, spent, left_out, stopped or told)


def generation_settings(request: GenerationRequest) -> dict[str, Any]:
    """Return the settings of a request that all clips of a folder share."""
    images = None if request.images is None else request.images.name
    return {
        "schema": 1, "source": request.source.absolute().name, "service": request.service.name, "images": images,
        "control": request.how.control, "seed": request.how.seed,
    }  # fmt: skip


def _as_made(request: GenerationRequest, one: Wanted) -> DraftedScene:
    """Return a scene whose models include those that make its pictures and clips."""
    made = {"video_generator": request.service.name}
    if request.images is not None:
        made["image_generator"] = request.images.name
    return replace(one.scene, models=dict(one.scene.models) | made)


Shown = Mapping[str, Path | None]


async def _ordered(request: GenerationRequest, wanted: Sequence[Wanted]) -> tuple[list[Made], float, str | None, Shown]:
    """Fill all orders.

    Return what was made, the cost, why the work stopped, and the first frame of each scene.
    """
    async with AsyncExitStack() as stack:
        services = [request.service, *([request.images] if request.images is not None else [])]
        for service in services:
            stack.push_async_callback(service.close)
        pictures = stack.enter_context(JobBook.open(request.out / PICTURES))
        clips = stack.enter_context(JobBook.open(request.out / CLIPS))
        judged = _judged_cost(request.out / LEDGER)
        known = {*pictures.jobs, *clips.jobs}
        if strange := [token for token in (*request.resubmit, *request.adopt) if token not in known]:
            raise InputError(f"there is no job {strange[0]!r} in {request.out}: name one of an unclear job")
        orders, stopped = picture_orders(request, wanted), None
        anchors: dict[str, Path | None] = {}
        if orders and request.images is not None:
            work = _generating(request, request.images, pictures, lambda: clips.spent + judged, PICTURES)
            found = await work.run(orders, request.how.concurrency, _advance(request, len(orders), "first frames"))
            stopped = found.stopped
            anchors = {made.name: made.path for made in found.made if made.path is not None}
        named = {order.name for order in orders}
        shown = {one.item.id: anchors.get(one.item.id) for one in wanted
                 if one.item.id not in named or one.item.id in anchors}  # fmt: skip
        videos = [order for one in wanted if one.item.id in shown for order in _controlled(request, one, shown)]
        found = Generated((), clips.spent, stopped)
        if stopped is None:
            work = _generating(request, request.service, clips, lambda: pictures.spent + judged, CLIPS)
            found = await work.run(videos, request.how.concurrency, _advance(request, len(videos), "clips"))
        return list(found.made), pictures.spent + clips.spent, found.stopped, shown


def _generating(
    request: GenerationRequest, service: MediaService, book: JobBook, elsewhere: Callable[[], float], folder: str
) -> Generating:
    resubmit = [token for token in request.resubmit if token in book.jobs]
    adopt = {token: job for token, job in request.adopt.items() if token in book.jobs}
    return Generating(
        service, book, request.out / folder, request.how.max_cost, elsewhere, resubmit, adopt, say=request.say
    )


def _judged_cost(path: Path) -> float:
    return sum(line.money or 0.0 for line in read_ledger(path)) if path.exists() else 0.0


def _advance(request: GenerationRequest, total: int, what: str) -> Callable[[int, int], None]:
    """Return the function that tells the number of filled orders."""
    return lambda done, place: request.progress(done, total, what) if request.progress is not None else None


def _controlled(request: GenerationRequest, one: Wanted, shown: Shown) -> list[Order]:
    """Return the orders of a scene with the file that its drawn clip gives."""
    kind = request.how.control
    if kind == "none":
        return video_orders(request, one, shown[one.item.id])
    assert one.recording is not None and one.scene.recording is not None and one.recording.clip is not None
    if kind == "clip":
        return video_orders(request, one, shown[one.item.id], one.recording.clip.path)
    path = request.out / CONTROL / f"{one.item.id}.{'png' if kind == 'first-frame' else 'mp4'}"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "first-frame":
            save_first_frame(one.recording, path)
        else:
            save_control(one.recording, one.scene.recording, path, kind)
    if kind == "first-frame":
        return video_orders(request, one, path, path)
    return video_orders(request, one, shown[one.item.id], path)


def _candidates(
    request: GenerationRequest, wanted: Sequence[Wanted], made: Sequence[Made], shown: Shown, spent: float
) -> tuple[list[Candidate], str | None]:
    """Check all clips, and ask the judge; return why the judge stopped, too."""
    known = {candidate.name: candidate for candidate in kept_candidates(request.out)}
    by_item = {one.item.id: one for one in wanted}
    found = dict[str, Candidate]()
    for number, one in enumerate(made):
        item = by_item[one.name.rpartition("--")[0]]
        found[one.name] = _checked(request, item, one, shown[item.item.id], known.get(one.name))
        if request.progress is not None:
            request.progress(number + 1, len(made), "checks")
    told = None
    if request.judge is not None:
        told = _judge_all(request, request.judge, by_item, found, spent)
    kept = {name: candidate for name, candidate in known.items() if name not in found}  # of an order that waits
    return sorted((found | kept).values(), key=lambda one: one.name), told


def _checked(
    request: GenerationRequest, one: Wanted, made: Made, anchor: Path | None, known: Candidate | None
) -> Candidate:
    about: dict[str, Any] = {
        "scene": one.item.id, "name": made.name, "state": made.state, "told": made.told, "seed": made.seed,
        "money": made.money, "job": made.job,
    }  # fmt: skip
    if made.path is None:
        return Candidate(**about)
    digest = sha256_file(made.path)
    if known is not None and known.sha256 == digest:
        return known
    about |= {"file": made.path.relative_to(request.out).as_posix(), "sha256": digest}
    [order, *_] = video_orders(request, one, None)
    first = request.out / CONTROL / f"{one.item.id}.png" if request.how.control == "first-frame" else anchor
    try:
        checked = checked_clip(one.item, made, first, order.request.seconds or 0.0)
    except InputError as error:
        return Candidate(**about, checks=[Checked(name="readable", passed=False, told=str(error))])
    about["checks"] = [Checked(name=c.name, passed=c.passed, told=c.told) for c in checked.checks]
    if request.how.control == "none":
        return Candidate(**about)
    return Candidate(**(about | _compared(one, made.path, about["checks"])))


def _compared(one: Wanted, clip: Path, checks: list[Checked]) -> dict[str, Any]:
    """Compare a restyled clip with the drawn one."""
    from chronotope.models.media.restyled import check_restyled  # needs OpenCV

    assert one.recording is not None and one.scene.recording is not None and one.recording.clip is not None
    found = check_restyled(clip, one.recording, one.scene.recording)
    facts = probe(clip)
    is_same = facts.frames == len(one.recording.times) and facts.fps == one.recording.clip.fps
    told = Checked(name="truth", passed=found.is_exact, told=found.told)
    return {"truth_kept": found.is_exact, "same_frames": is_same, "checks": [*checks, told]}


def _judge_all(
    request: GenerationRequest, judge: ModelSpec, by_item: Mapping[str, Wanted], found: dict[str, Candidate],
    spent: float,
) -> str | None:  # fmt: skip
    """Ask the judge about clips that pass all checks; return why it stopped, or None."""
    calls = request.judge_calls
    if request.how.max_cost is not None:
        left = request.how.max_cost - spent
        if left <= 0:
            return f"no money is left for the judge: {spent:.4g} of --max-cost {request.how.max_cost:g} is spent"
        calls = calls.model_copy(update={"max_cost": left})
    waiting = [one for one in found.values() if one.may_be_chosen and (one.seen is None or one.judge != judge.name)]
    with Ledger.open(request.out / LEDGER) as ledger:
        job = StructuredJob(judge, (COUNT,), ledger, calls)

        async def ask(one: Candidate) -> None:
            wanted = by_item[one.scene]
            assert one.file is not None
            clip = CandidateClip(Made(one.name, "made", request.out / one.file))
            judged = await judged_clip(clip, wanted.item, wanted.scene.graph, job)
            found[one.name] = one.model_copy(update={"seen": list(judged.seen or ()), "judge": judge.name})

        async def ask_all() -> None:
            from chronotope.models import do_all

            await do_all([partial(ask, one) for one in waiting], request.how.concurrency)

        try:
            job.run(ask_all, bytes_of_line(_LONGEST) * request.how.concurrency, request.say)
        except (OverBudgetError, UnansweredError) as error:
            return str(error)
    return None
