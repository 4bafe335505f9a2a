"""Takes of a product: shots are filmed and verified one by one, and joined with cuts to one clip with its truth."""

import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.media import decode_frames, encode_clip
from chronotope.recording import Clip, Entity, Event, Mistake, Recording, Segment, Take, save_recording
from chronotope.world.articulated_entity import with_body
from chronotope.world.film import film
from chronotope.world.film_set import Placement
from chronotope.world.furniture.course.course import Course
from chronotope.world.furniture.filmed.cameras import CAMERAS, Camera
from chronotope.world.furniture.filmed.pauses import BACK
from chronotope.world.furniture.filmed.shots import PERSON, Scene, draw_scenery, scenes
from chronotope.world.furniture.filmed.slips import mistake_of
from chronotope.world.furniture.manual import truth_of
from chronotope.world.quality import Quality
from chronotope.world.refused import RefusedError
from chronotope.world.verify import Verification, verify
from chronotope.world.verify.assembly import verify_motion, verify_shot, verify_take
from chronotope.world.verify.mistaken import Sight, look_at_end, verify_mistake

Tell = Callable[[float, str], None]
WORLD = "furniture"


@dataclass(frozen=True, eq=False)
class Filmed:
    """A shot after filming: its recording, and where it begins in the take (frames)."""

    scene: Scene
    recording: Recording
    first: int

    @property
    def frames(self) -> int:
        """Return the number of frames."""
        return len(self.recording.times)


@dataclass(frozen=True)
class TakeName:
    """The name of a take: the id of its product, its number from 0, and whether it has a mistake.

    ``may_wear`` is false if worn cameras were refused before; then the camera moves instead.
    """

    product: str
    number: int
    is_wrong: bool = False
    may_wear: bool = True

    @property
    def id(self) -> str:
        """Return the id of the take."""
        return f"{self.product}-{'mistake' if self.is_wrong else 'take'}-{self.number + 1}"

    @property
    def camera(self) -> Camera:
        """Return the kind of camera.

        Nobody wears it in a take with a mistake, which must be seen as a whole.
        """
        camera = CAMERAS[self.number % (2 if self.is_wrong else len(CAMERAS))]
        return "moving" if camera == "worn" and not self.may_wear else camera

    def places(self, folder: Path) -> tuple[Path, Path]:
        """Return the folder of the truth, and the folder in which shots are filmed."""
        return folder / "recordings" / self.id, folder / f".{self.id}"


def make_take(
    generator: np.random.Generator, course: Course, name: TakeName, quality: Quality, folder: Path,
    truth: dict[str, Any], tell: Tell,
) -> Take:  # fmt: skip
    """Film a take of a product, and write its clip and its truth into a folder.

    ``folder`` is that of the build, and ``truth`` the content of the product's file of parts and steps. The first take
    has a fixed camera, the second a moving one, in the third the person wears it, and so on.

    Raises:
        InputError: If the engine or OpenGL is missing.
        RefusedError: If a part cannot be brought, or if the pictures contradict the facts.
    """
    scenery = draw_scenery(generator, course.product, name.camera)
    built = truth if course.slip is None else {**truth_of(course.product), "order": list(course.shown)}
    inside, working = name.places(folder)
    shots = scenes(course, scenery, quality)
    for scene in shots:  # before it costs a film
        _require(verify_motion(_placed(scene, len(built["parts"])), built, _group_told(scene)))
    filmed: list[Filmed] = []
    sights: list[Sight] = []
    working.mkdir()
    for at, scene in enumerate(shots):
        tell(at / len(shots), f"filming {'mistake' if name.is_wrong else 'take'} {name.number + 1}, "
             f"shot {at + 1} of {len(shots)}")  # fmt: skip
        recording = film(scene.shot, f"shot-{at}", WORLD, generator, quality, working)
        place = working / "recordings" / recording.id
        _require(verify(recording, place))
        one = Filmed(scene, recording, sum(each.frames for each in filmed))
        _require(verify_shot(recording, place, built, told_of(one, quality)))
        if course.slip is not None:
            sights.append(look_at_end(recording, place, truth))
        for maps in ("depth", "identities"):
            shutil.rmtree(place / maps)
        filmed.append(one)
    mistake = None if course.slip is None else mistake_of(course.slip, filmed, quality.fps, truth)
    take, recording = _joined(filmed, name.id, quality, folder, scenery.camera, mistake)
    told = json.loads((inside / "assembly.json").read_text(encoding="utf-8"))
    _require(verify_take(recording, told, built, [one.recording for one in filmed]))
    if mistake is not None:
        (inside / "built.json").write_text(json.dumps(built, indent=1) + "\n", encoding="utf-8")
        _require(verify_mistake(recording, told, truth, sights))
    shutil.rmtree(working)
    return take


def _joined(
    filmed: list[Filmed], called: str, quality: Quality, folder: Path, camera: Camera, mistake: Mistake | None
) -> tuple[Take, Recording]:
    """Join the clips and the facts of shots."""
    (folder / "clips").mkdir(exist_ok=True)
    clip = folder / "clips" / f"{called}.mp4"
    facts = encode_clip(_pictures(filmed), clip, quality.fps, crf=quality.crf)
    recordings = [one.recording for one in filmed]
    frames = sum(one.frames for one in filmed)
    told = [told_of(one, quality) for one in filmed]
    recording = replace(
        recordings[0],
        id=called,
        scene=called,
        times=np.arange(frames) / quality.fps,
        world_T_camera=np.concatenate([each.world_T_camera for each in recordings]),
        valid=np.ones(frames, bool),
        clip=Clip(clip, facts.sha256, float(quality.fps), facts.width, facts.height),
        depth=None,
        identities=None,
        depth_scale=None,
        entities=tuple(_entities(filmed)),
        events=tuple(_events(filmed, quality)),
        provenance={"world": WORLD, "quality": quality.name, "camera": camera},
    )
    inside = folder / "recordings" / called
    inside.mkdir(parents=True)
    save_recording(recording, inside)
    segments = list(_segments(filmed, quality))
    record: dict[str, Any] = {"fps": quality.fps, "segments": [vars(one) for one in segments], "shots": told}
    if mistake is not None:
        record["mistake"] = {**vars(mistake), "parts": [int(part) for part in mistake.parts]}
    (inside / "assembly.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return Take(called, clip, tuple(segments), float(quality.fps), mistake), recording


def _pictures(filmed: list[Filmed]) -> Iterator[np.ndarray]:
    for one in filmed:
        assert one.recording.clip is not None, "it was filmed"
        for _, picture in decode_frames(one.recording.clip.path, range(one.frames)):
            yield picture


def _segments(filmed: list[Filmed], quality: Quality) -> Iterator[Segment]:
    """Yield the segment of each step: from its first shot to the end of its last one."""
    for step in dict.fromkeys(one.scene.step for one in filmed):
        own = [one for one in filmed if one.scene.step == step]
        end = (own[-1].first + own[-1].frames) / quality.fps
        yield Segment(step, round(own[0].first / quality.fps, 6), round(end, 6))


def _placed(scene: Scene, count: int) -> list[np.ndarray]:
    """Return the poses (T, 4, 4) of all parts."""
    frames = len(scene.shot.times)
    own = {one.id: one.poses for one in scene.shot.film_set.placements}
    found = [own[f"part-{number}"] for number in range(count)]
    return [np.tile(each, (frames, 1, 1)) if len(each) == 1 else each for each in found]


def _group_told(scene: Scene) -> dict[str, Any]:
    situation = scene.situation
    return {"step": scene.step, "parts": list(situation.entry.parts), "there": list(situation.there)}


def told_of(one: Filmed, quality: Quality) -> dict[str, Any]:
    """Describe a shot: its frames, the group that comes, and what is there."""
    situation = one.scene.situation
    return {
        **_group_told(one.scene),
        "first_frame": one.first,
        "frames": one.frames,
        "toward": [round(float(value), 6) for value in situation.toward],
        "world_T_product": np.round(situation.pose, 6).tolist(),
        "contacts": [
            {"part": event.object, "joint": event.parameters["joint"],
             "from": round(one.first / quality.fps + event.start, 6),
             "to": round(one.first / quality.fps + event.end, 6)}
            for event in one.recording.events if event.kind == "hold"
        ],
        "camera": one.scene.camera,
        "pauses": _pauses(one, quality),
    }  # fmt: skip


def _pauses(one: Filmed, quality: Quality) -> list[dict[str, float]]:
    """Return from when to when (s) the person stops and looks around, until the head is ahead again."""
    looks = [event for event in one.recording.events if event.kind == "look"]
    if not looks:
        return []
    begin, first, last = one.first / quality.fps, min(each.start for each in looks), max(each.end for each in looks)
    [rest] = [each.end for each in one.recording.events if each.kind == "stand" and abs(each.start - last) < 1e-3]
    return [{"from": round(begin + first, 6), "to": round(begin + rest + BACK, 6)}]


def _events(filmed: list[Filmed], quality: Quality) -> Iterator[Event]:
    for one in filmed:
        begin = one.first / quality.fps
        for event in one.recording.events:
            yield replace(event, start=round(begin + event.start, 6), end=round(begin + event.end, 6))


def _entities(filmed: list[Filmed]) -> Iterator[Entity]:
    """Yield the entities of all shots with their facts in all frames."""
    for number, first in enumerate(filmed[0].recording.entities):
        own = [one.recording.entities[number] for one in filmed]
        joined = replace(
            first,
            poses=np.concatenate([_poses(each, one.frames) for each, one in zip(own, filmed, strict=True)]),
            visible=np.concatenate([_known(each.visible) for each in own]),
            visible_pixels=np.concatenate([_known(each.visible_pixels) for each in own]),
            visible_fraction=np.concatenate([_known(each.visible_fraction) for each in own]),
            box2d=np.concatenate([_known(each.box2d) for each in own]),
        )
        yield _whole_person(joined, [one.scene.person for one in filmed]) if first.id == PERSON else joined


def _poses(entity: Entity, frames: int) -> np.ndarray:
    return np.tile(entity.poses, (frames, 1, 1)) if len(entity.poses) == 1 else entity.poses


def _known(values: np.ndarray | None) -> np.ndarray:
    assert values is not None, "our own engine measures what is seen"
    return values


def _whole_person(entity: Entity, shown: list[Placement]) -> Entity:
    """Give the person the motion of all shots, and a box around all of it."""
    rigs = [one.rig for one in shown if one.rig is not None]
    rig = replace(rigs[0], path=np.concatenate([each.path for each in rigs]))
    path = np.concatenate([one.poses for one in shown])
    whole = replace(shown[0], pose=path[0], path=path, rig=rig)
    return with_body(replace(entity, body=None), whole, rig)


def _require(verification: Verification) -> None:
    if not verification.passed:
        checks = tuple(check.name for check in verification.failed)
        raise RefusedError(verification.sentence(), checks, verification.faults())
