"""The check of a recording: first its facts, then every frame once, in order."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.recording import Recording
from chronotope.world.verify.agreement import Agreement
from chronotope.world.verify.boxes import Boxes
from chronotope.world.verify.counts import Counts
from chronotope.world.verify.facts import check_clip, check_poses, check_rest
from chronotope.world.verify.frame import is_slow, read_frame, read_frames
from chronotope.world.verify.outcome import Verification
from chronotope.world.verify.picture_checks import Pictures
from chronotope.world.verify.rooms import Way, check_layout


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
    looks = [Counts(recording), Agreement(recording, folder), Pictures(is_slow(recording))]
    if has_tight_boxes:
        facts.insert(1, check_rest(recording))
        looks.insert(1, Boxes(recording))
    if recording.rooms:
        facts.append(check_layout(recording, has_tight_boxes))
        looks.append(Way())
    for done, frame in enumerate(read_frames(recording, folder, clip), 1):
        for look in looks:
            look.look(frame)
        if tell is not None:
            tell(done, len(valid))
    return Verification(recording.id, (*facts, *(check for look in looks for check in look.checks())))
