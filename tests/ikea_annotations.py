"""Made-up annotations of the published shape: the 36 manuals, their steps and diagrams, as many videos as it takes.

The numbers of steps and diagrams are those of the data set. How many videos show each step is worked out from the
published counts. Determined by them are: every step of a manual with a single video, the sum over all steps of a manual
with at least three diagrams (T1), the steps without a diagram (T3 - T1) and the last step of those with four or more
diagrams (T1 - T4). How a sum is spread over the other steps is not, nor are the two-step manuals mammut_1 and marius,
of which only "at least 8" (T2) and "at least 13 pairs" (D1) is known, nor how vittsjo_2 is split between its two
manuals; a spread is taken that gives the pairs of videos (D1) that are published.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from chronotope.families import WriteContext, Written
from chronotope.families.ikea.options import BuildOptions
from chronotope.families.ikea.write import select, write
from chronotope.question import Profile
from chronotope.recording.procedure import Procedure, Segment, Step, Take

# By name: T1 T2 T3 T4 D1 D2 (paper, Table 8).
TABLE_8 = {
    "applaro": (3, 10, 3, 0, 3, 1),
    "applaro_3": (3, 10, 3, 0, 3, 1),
    "bekvam_3017": (30, 16, 30, 24, 23, 3),
    "fjallbo": (3, 6, 3, 0, 2, 1),
    "gladom": (23, 16, 23, 0, 23, 1),
    "grubban": (8, 16, 8, 6, 13, 2),
    "ingolf": (0, 4, 1, 0, 2, 0),
    "laiva": (29, 16, 29, 24, 23, 3),
    "lisabo": (4, 8, 4, 3, 3, 2),
    "lunnarp": (6, 12, 6, 5, 5, 4),
    "mammut_1": (0, 16, 0, 0, 23, 0),
    "marius": (0, 16, 0, 0, 22, 0),
    "nordviken": (3, 6, 3, 3, 2, 2),
    "pahl": (12, 16, 12, 0, 22, 1),
    "poang_1": (6, 12, 6, 0, 11, 1),
    "poang_2": (34, 16, 34, 30, 21, 4),
    "ronninge": (4, 8, 4, 4, 3, 5),
    "satsumas": (3, 6, 3, 0, 2, 1),
    "satsumas_2": (11, 16, 11, 8, 18, 2),
    "stefan": (3, 6, 3, 0, 2, 1),
    "stig": (30, 16, 33, 30, 21, 6),
    "sundvik": (4, 8, 4, 3, 3, 2),
    "teodores": (28, 16, 34, 22, 21, 4),
    "tjusig": (20, 16, 22, 12, 21, 3),
    "tornviken": (10, 16, 10, 9, 8, 8),
    "vedbo": (6, 12, 6, 0, 11, 1),
    "vesken": (20, 14, 20, 15, 21, 2),
    "vittsjo_1": (3, 6, 3, 0, 2, 1),
    "vittsjo_2": (14, 14, 16, 6, 16, 3),
}
TASKS = ("T1", "T2", "T3", "T4", "D1", "D2")

# Videos that show each step, for every step of the manual.
VIDEOS = {
    "Bench/applaro": (1, 1),
    "Bench/applaro_3": (1, 1, 1, 0),
    "Bench/tjusig": (4, 3, 3, 5, 2, 5),
    "Chair/applaro": (1, 1, 1),
    "Chair/applaro_3": (1, 1),
    "Chair/bekvam_3017": (6, 6, 6, 6, 6),
    "Chair/grubban": (2, 2, 2, 2),
    "Chair/ingolf": (1, 1, 1),
    "Chair/leifarne": (1,),
    "Chair/lisabo": (1, 1, 1, 1),
    "Chair/mammut_1": (6, 6),
    "Chair/mammut_2": (1,),
    "Chair/marius": (6, 6),
    "Chair/nordviken": (1, 1, 1, 0),
    "Chair/poang_1": (2, 2, 2),
    "Chair/poang_2": (6, 6, 6, 6, 6, 4),
    "Chair/ronninge": (1, 1, 1, 1, 0, 0, 0),
    "Chair/stefan": (1, 1, 1),
    "Chair/stig": (3, 4, 4, 4, 4, 4, 4, 3, 3),
    "Chair/sundvik": (1, 1, 1, 1),
    "Chair/teodores": (5, 5, 4, 4, 4, 6, 6),
    "Chair/tobias": (1,),
    "Chair/vedbo": (2, 2, 2),
    "Desk/pahl": (4, 4, 4),
    "Misc/satsumas_2": (3, 3, 2, 3),
    "Misc/vesken": (5, 5, 5, 5),
    "Misc/vittsjo_2": (2, 2, 2),
    "Shelf/laiva": (6, 6, 6, 6, 5),
    "Table/applaro": (1,),
    "Table/fjallbo": (1, 1, 1),
    "Table/gladom": (8, 8, 7),
    "Table/lunnarp": (1, 1, 1, 1, 1, 1),
    "Table/satsumas": (1, 1, 1),
    "Table/tornviken": (1,) * 10,
    "Table/vittsjo_1": (1, 1, 1),
    "Table/vittsjo_2": (2, 2, 2, 2, 2),
}

# Where the published copy of the diagrams and the better one differ, by step.
NOT_PUBLISHED = {
    "Bench/tjusig": {4}, "Chair/ingolf": {1}, "Chair/stig": {0}, "Chair/teodores": {6}, "Table/vittsjo_2": {4}
}  # fmt: skip
ONLY_PUBLISHED = {"Chair/teodores": {5}}
NOWHERE = {"Bench/applaro_3": {3}}
PUBLISHED_BLANK = {"Desk/pahl": {0, 1, 2}}
PUBLISHED_TWICE = {"Chair/sundvik": {3: 2}}
PUBLISHED_FOREIGN = {"Chair/stefan": {0, 1, 2}, "Chair/marius": {0, 1}, "Chair/ingolf": {0, 2}, "Chair/leifarne": {0}}


def draw(path: Path, seed: int) -> Path:
    """A small line drawing, another one for each seed."""
    rng = np.random.default_rng(seed)
    picture = Image.new("L", (96, 96), 255)
    pen = ImageDraw.Draw(picture)
    for _ in range(12):
        pen.line([int(x) for x in rng.integers(4, 92, 4)], fill=0, width=3)
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(path)
    return path


def published_shape(folder: Path) -> list[Procedure]:
    """The 36 manuals, drawn into the folder."""
    return [_procedure(folder / f"{number:02d}", number, key) for number, key in enumerate(VIDEOS)]


def _procedure(folder: Path, number: int, key: str) -> Procedure:
    category, name = key.split("/")
    counts = VIDEOS[key]
    steps = [Step(n, *_diagrams(folder, key, n, 1000 * number)) for n in range(len(counts))]
    return procedure(f"{category}-{name}", name, category, steps, counts, folder)


def _diagrams(folder: Path, key: str, step: int, seed: int) -> tuple[Path | None, Path | None]:
    """The best and the published diagram of a step."""
    if step in NOWHERE.get(key, ()):
        return None, None
    best = draw(folder / f"step_{step}.png", seed + step)
    if step in NOT_PUBLISHED.get(key, ()):
        return best, None
    published = folder / "published" / f"step_{step}.png"
    if step in PUBLISHED_BLANK.get(key, ()):
        published.parent.mkdir(exist_ok=True)
        Image.new("L", (96, 96), 255).save(published)
        return best, published
    if step in PUBLISHED_TWICE.get(key, {}):
        return best, draw(published, seed + PUBLISHED_TWICE[key][step])
    if step in PUBLISHED_FOREIGN.get(key, ()):
        return best, draw(published, seed + step + 500)
    return best, best


def procedure(
    name: str, product: str, category: str, steps: list[Step], videos: tuple[int, ...], folder: Path
) -> Procedure:
    """A procedure of which so many videos show each step; a video shows its steps one after another, 10 s each."""
    takes = [
        Take(
            f"video{take}",
            folder / f"video{take}.mp4",
            tuple(
                Segment(step.number, 10.0 * step.number, 10.0 * step.number + 8.0)
                for step, count in zip(steps, videos, strict=True)
                if count > take
            ),
            30.0,
        )
        for take in range(max(videos))
    ]
    return Procedure(name, product, category, "made up", tuple(steps), tuple(takes))


def plain(folder: Path, steps: int, takes: int, name: str = "stool") -> Procedure:
    """A manual of so many steps, each with its own diagram, carried out in so many takes."""
    drawn = [draw(folder / name / f"step_{n}.png", n) for n in range(steps)]
    made = [Step(n, path, path) for n, path in enumerate(drawn)]
    return procedure(f"chair-{name}", name, "Chair", made, (takes,) * steps, folder / name)


def context(procedures: list[Procedure], profile: Profile, seed: int = 7, **options: object) -> WriteContext:
    """What a build tells the writer: every file under a path inside the benchmark that tells whose it is."""
    files: dict[Path, str] = {}
    for made in procedures:
        for step in made.steps:
            for path in {step.diagram, step.published_diagram} - {None}:
                files[path] = f"images/{made.id}/{path.parent.name}-step_{step.number}.png"
        for take in made.takes:
            if take.clip is not None:
                files[take.clip] = f"clips/{made.id}-{take.id}.mp4"
    return WriteContext(seed, profile, BuildOptions(**options), media=files)


def build(procedures: list[Procedure], profile: Profile, seed: int = 7, **options: object) -> tuple[Written, Written]:
    """All candidates, with their refusals, and what is kept."""
    told = context(procedures, profile, seed, **options)
    refusals: dict[str, dict[str, int]] = {}
    questions = []
    for made in procedures:
        written = write(made, told)
        questions += written.questions
        for task, codes in written.refusals.items():
            for code, n in codes.items():
                refusals.setdefault(task, {}).setdefault(code, 0)
                refusals[task][code] += n
    candidates = Written(tuple(questions), refusals)
    return candidates, select(candidates.questions, told)


def without_clips(made: Procedure) -> Procedure:
    """The same procedure, its videos not there."""
    return replace(made, takes=tuple(replace(take, clip=None) for take in made.takes))


@dataclass(frozen=True)
class RealCopies:
    """The diagrams of the data set: the better copy and the one that was published."""

    folder: Path

    def procedures(self, *, union: bool) -> list[Procedure]:
        """The 36 manuals without takes; ``union`` takes the published diagram where the better copy has none."""
        better, other = self.folder / "manual_img", self.folder / "manual_img_published"
        made: list[Procedure] = []
        for masks in sorted((self.folder / "manual_masks").glob("*/*")):
            key = f"{masks.parent.name}/{masks.name}"
            steps: list[Step] = []
            for number in range(len(list(masks.glob("step_*_mask.png")))):
                best, replaced = (_first(root / key / f"step_{number}") for root in (better, other))
                published = None if number in NOT_PUBLISHED.get(key, ()) else replaced or best
                steps.append(Step(number, best or (replaced if union else None), published))
            made.append(Procedure(key.replace("/", "-"), masks.name, masks.parent.name, "real", tuple(steps)))
        return made


def _first(folder: Path) -> Path | None:
    return next(iter(sorted(folder.glob("*.png"))), None)
