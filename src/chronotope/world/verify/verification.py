"""The check of a recording: first its facts, then every frame once, in order."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.recording import Recording
from chronotope.world.verify.agreement import Agreement
from chronotope.world.verify.bodies import Bodies
from chronotope.world.verify.boxes import Boxes
from chronotope.world.verify.counts import Counts
from chronotope.world.verify.events import check_events
from chronotope.world.verify.facts import check_clip, check_poses, check_rest
from chronotope.world.verify.feet import Feet
from chronotope.world.verify.frame import is_slow, moves_far, read_frame, read_frames
from chronotope.world.verify.holds import check_held
from chronotope.world.verify.looks import Looks
from chronotope.world.verify.mover_light import MoverLight
from chronotope.world.verify.outcome import Verification
from chronotope.world.verify.picture_checks import Pictures
from chronotope.world.verify.rooms import Way, check_layout
from chronotope.world.verify.skin import Skins
from chronotope.world.verify.stage import Stage, is_stage
from chronotope.world.verify.standing import Standing
from chronotope.world.verify.timing import joint_poses
from chronotope.world.verify.wheels import Wheels


def is_worn(recording: Recording) -> bool:
    """Check whether a person wears the camera on the head.

    Such a camera bows and turns within a few frames.
    """
    heads = [head for entity in recording.entities if (head := joint_poses(entity, "Head")) is not None]
    return any(
        float(np.linalg.norm(recording.world_T_camera[:, :3, 3] - head[:, :3, 3], axis=1).max()) < 0.3 for head in heads
    )


def verify(
    recording: Recording, folder: Path, tell: Callable[[int, int], None] | None = None, has_tight_boxes: bool = True
) -> Verification:
    """Check a recording against its own depth, identities and clip.

    ``folder`` contains its recording.json. ``tell`` is called after each frame with the number of checked frames and
    the number of all frames. If boxes do not fit tightly around things (boxes of colliders, for example), the checks
    that need tight boxes are not made. Memory does not grow with the number of frames.

    Raises:
        InputError: If a file of the recording is missing or cannot be read, or if depth or identities are missing.
    """
    valid = np.flatnonzero(recording.valid)
    if not len(valid):
        raise InputError(f"recording {recording.id!r}: no sample is valid, so it cannot be verified")
    height, width = read_frame(recording, folder, int(valid[0])).depth.shape
    facts = [check_poses(recording), check_clip(recording, (width, height))]
    clip = recording.clip.path if recording.clip is not None and facts[-1].passed else None
    skins = Skins(recording)
    # The camera of a stage goes from stop to stop, so what it shows changes within a few frames.
    pictures = Pictures(is_slow(recording), is_quick=moves_far(recording) or is_stage(folder) or is_worn(recording))
    looks = [Counts(recording), Agreement(recording, folder, skins), pictures]
    if has_tight_boxes:
        facts.insert(1, check_rest(recording))
        looks.insert(1, Boxes(recording))
    if recording.rooms:
        facts.append(check_layout(recording, has_tight_boxes))
        looks.append(Way())
    if recording.events:
        facts += [check for check in (check_events(recording), check_held(recording)) if check is not None]
    if recording.events or skins.by_identity:
        looks.append(Standing(recording))
    looks += [Bodies(recording, skins), Wheels(recording, skins), Feet(recording, skins)]
    looks += [Looks(recording), MoverLight(recording, skins)]
    if is_stage(folder):
        looks.append(Stage(recording, folder))
    for done, frame in enumerate(read_frames(recording, folder, clip), 1):
        for look in looks:
            look.look(frame)
        if tell is not None:
            tell(done, len(valid))
    return Verification(recording.id, (*facts, *(check for look in looks for check in look.checks())))
