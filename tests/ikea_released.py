"""A set in the released form, with the published counts and inventory, words of our own and tiny pictures."""

import hashlib
import io
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

# The specification's tables of sections 3.5 and 1.2, copied from there. Questions by product name: T1 T2 T3 T4 D1 D2.
TASKS = ("T1", "T2", "T3", "T4", "D1", "D2")
COUNTS = {
    "applaro_3": (3, 10, 3, 0, 3, 1),
    "tjusig": (20, 16, 22, 12, 21, 3),
    "applaro": (3, 10, 3, 0, 3, 1),
    "bekvam_3017": (30, 16, 30, 24, 23, 3),
    "grubban": (8, 16, 8, 6, 13, 2),
    "ingolf": (0, 4, 1, 0, 2, 0),
    "lisabo": (4, 8, 4, 3, 3, 2),
    "mammut_1": (0, 16, 0, 0, 23, 0),
    "marius": (0, 16, 0, 0, 22, 0),
    "nordviken": (3, 6, 3, 3, 2, 2),
    "poang_1": (6, 12, 6, 0, 11, 1),
    "poang_2": (34, 16, 34, 30, 21, 4),
    "ronninge": (4, 8, 4, 4, 3, 5),
    "stefan": (3, 6, 3, 0, 2, 1),
    "stig": (30, 16, 33, 30, 21, 6),
    "sundvik": (4, 8, 4, 3, 3, 2),
    "teodores": (28, 16, 34, 22, 21, 4),
    "vedbo": (6, 12, 6, 0, 11, 1),
    "pahl": (12, 16, 12, 0, 22, 1),
    "satsumas_2": (11, 16, 11, 8, 18, 2),
    "vesken": (20, 14, 20, 15, 21, 2),
    "vittsjo_2": (14, 14, 16, 6, 16, 3),
    "laiva": (29, 16, 29, 24, 23, 3),
    "fjallbo": (3, 6, 3, 0, 2, 1),
    "gladom": (23, 16, 23, 0, 23, 1),
    "lunnarp": (6, 12, 6, 5, 5, 4),
    "satsumas": (3, 6, 3, 0, 2, 1),
    "tornviken": (10, 16, 10, 9, 8, 8),
    "vittsjo_1": (3, 6, 3, 0, 2, 1),
}
# The steps that have a diagram.
INVENTORY = {
    "Bench": {"applaro": "01", "applaro_3": "012", "tjusig": "01235"},
    "Chair": {
        **{"applaro": "012", "applaro_3": "01", "bekvam_3017": "01234", "grubban": "0123", "ingolf": "02"},
        **{"leifarne": "0", "lisabo": "0123", "mammut_1": "01", "mammut_2": "0", "marius": "01", "nordviken": "0123"},
        **{"poang_1": "012", "poang_2": "012345", "ronninge": "0123456", "stefan": "012", "stig": "12345678"},
        **{"sundvik": "0123", "teodores": "012345", "tobias": "0", "vedbo": "012"},
    },
    "Desk": {"pahl": "012"},
    "Misc": {"satsumas_2": "0123", "vesken": "0123", "vittsjo_2": "012"},
    "Shelf": {"laiva": "01234"},
    "Table": {
        **{"applaro": "0", "fjallbo": "012", "gladom": "012", "lunnarp": "012345", "satsumas": "012"},
        **{"tornviken": "0123456789", "vittsjo_1": "012", "vittsjo_2": "0123"},
    },
}
UNSEEN = {"tjusig": 4, "ingolf": 1, "stig": 0, "teodores": 6, "vittsjo_2": 4}  # steps without a diagram, asked in T3
DIMENSIONS = ("parts", "action", "tools", "spatial", "result", "warnings", "fasteners", "arrow_directions")
CODES = {"T1": "1a", "T2": "1b", "T3": "2a", "T4": "2b", "D1": "1c", "D2": "2c"}
NAMES = {
    **{"1a": "step_recognition", "1b": "action_verification", "1c": "cross_view_matching"},
    **{"2a": "progress_tracking", "2b": "next_step_prediction", "2c": "sequence_ordering"},
}


def steps_of(category: str, name: str) -> list[int]:
    return [int(digit) for digit in INVENTORY[category][name]]


def diagram(category: str, name: str, step: int) -> str:
    return f"manual_img/{category}/{name}/step_{step}/step_{step}.png"


def frames(category: str, name: str, step: int, video: str, count: int = 8) -> list[str]:
    folder = f"qa_frames/{category}/{name}/step{step}/{video}"
    return [f"{folder}/frame_{place:02d}_t{1.5 * place:.1f}s.jpg" for place in range(count)]


def row(task: str, category: str, name: str, number: int = 0, **changes: Any) -> dict[str, Any]:
    """One released record about a product; ``number`` makes it another of its kind, and moves the right letter."""
    steps = steps_of(category, name)
    step = steps[number % len(steps)]
    values = {"category": category, "product": name, "visual_tokens_est": 0, "type": CODES[task], "dimension": task[0]}
    values |= {"task": NAMES[CODES[task]], "question": f"Which of them is it, in {name} and number {number}?"}
    values |= globals()[f"_{task.lower()}"](category, name, steps, step, f"video{number // len(steps) % 3}", number)
    fields = f"{task}|{name}|{number}" if task != "D2" else f"{task}|{name}|{values['metadata']['triplet_step_ids'][0]}"
    return {"id": hashlib.md5(fields.encode()).hexdigest()[:12]} | values | changes


def _lettered(options: list[dict[str, Any]], number: int) -> dict[str, Any]:
    """The options, the right one given first, and the letter under which it comes to stand."""
    place = number % len(options)
    shown = [*options[1 : place + 1], options[0], *options[place + 1 :]]
    return {"options": [{"label": "ABCD"[n]} | one for n, one in enumerate(shown)], "answer": "ABCD"[place]}


def _t1(category, name, steps, step, video, number):
    wrong = [other for other in steps if other != step][:3]
    options = [{"step_id": one, "image": diagram(category, name, one)} for one in (step, *wrong)]
    metadata = {"video_id": video, "step_start": 1.0, "step_end": 14.5}
    shown = {"video_frames": frames(category, name, step, video), "answer_step_id": step, "metadata": metadata}
    return shown | _lettered(options, number)


def _t4(category, name, steps, step, video, number):
    place = number % (len(steps) - 1)
    current, right = steps[place], steps[place + 1]
    wrong = [other for other in steps if other not in (current, right)][:3]
    options = [{"step_id": one, "image": diagram(category, name, one)} for one in (right, *wrong)]
    metadata = {"video_id": video, "current_step": current}
    shown = {"video_frames": frames(category, name, current, video), "answer_step_id": right, "metadata": metadata}
    return shown | _lettered(options, number)


def _t3(category, name, steps, step, video, number):
    wrong = [other for other in steps if other != step][:3]
    options = [{"step_id": one, "text": f"Step {one + 1}"} for one in (step, *wrong)]
    images = {str(one): diagram(category, name, one) for one in steps}
    shown = {"video_frames": frames(category, name, step, video), "manual_images": images, "answer_step_id": step}
    return shown | {"metadata": {"video_id": video}} | _lettered(options, number)


def _yes_no(positive: bool, number: int, yes: str, no: str) -> dict[str, Any]:
    right, wrong = (yes, no) if positive else (no, yes)
    return _lettered([{"text": right}, {"text": wrong}], number // 2)


def _t2(category, name, steps, step, video, number):
    positive = number % 2 == 0
    other = steps[(steps.index(step) + 1) % len(steps)] if step in steps else steps[0]
    shown = step if positive else other
    metadata = {"video_id": video, "shown_step": shown, "actual_step": step, "is_positive": positive}
    pictures = {"manual_step_image": diagram(category, name, shown), "manual_step_id": shown, "metadata": metadata}
    return {"video_frames": frames(category, name, step, video)} | pictures | _yes_no(positive, number, "Yes", "No")


def _d1(category, name, steps, step, video, number):
    positive = number % 2 == 0
    other = step if positive else step + 1
    videos = ("video0", "video1" if number % 4 else "video2") if positive else ("video1", "video1")
    first, second = videos
    shown = {"video_frames_a": frames(category, name, step, first)}
    shown |= {"video_frames_b": frames(category, name, other, second)}
    told = {"video_a": first, "video_b": second, "step_a": step, "step_b": other}
    words = ("Yes, both clips show one step", "No, they show two different steps")
    return shown | {"metadata": told | {"is_positive": positive}} | _yes_no(positive, number, *words)


def _d2(category, name, steps, step, video, number):
    triplet = steps[number % max(1, len(steps) - 2) :][:3]
    displayed = [triplet[place] for place in ((1, 0, 2), (2, 0, 1), (1, 2, 0))[number % 3]]
    right = tuple(displayed.index(one) + 1 for one in triplet)
    orders = [right, *(order for order in itertools.permutations((1, 2, 3)) if order != right)][:4]
    options = [{"text": " -> ".join(f"Image {place}" for place in order)} for order in orders]
    images = [
        {"label": f"Image {place}", "step_id": one, "image": diagram(category, name, one)}
        for place, one in enumerate(displayed, 1)
    ]
    told = {"triplet_step_ids": triplet, "display_order": [triplet.index(one) for one in displayed]}
    return {"step_images": images, "metadata": told} | _lettered(options, number)


def published_rows() -> list[dict[str, Any]]:
    """1,623 records with the published counts, and the published defects that follow from the inventory."""
    rows: list[dict[str, Any]] = []
    for name, counts in COUNTS.items():
        homes = sorted((c for c in INVENTORY if name in INVENTORY[c]), key=lambda c: -len(INVENTORY[c][name]))
        able = [home for home in homes if len(INVENTORY[home][name]) >= 3] or homes
        pairs = [home for home in homes if len(INVENTORY[home][name]) >= 2]
        for task, count in zip(TASKS, counts, strict=True):
            homes_of = {"T2": pairs, "T4": able[:1]}.get(task, able)
            made = [row(task, homes_of[n % len(homes_of)], name, n) for n in range(count)]
            if task == "D2":
                windows = [(home, n) for home in able for n in range(max(0, len(INVENTORY[home][name]) - 2))]
                made = [row(task, home, name, n) for home, n in windows]
                assert len(made) == count
            if task == "T3":
                made[: count - counts[0]] = [_unseen(name, able[0], n) for n in range(count - counts[0])]
            rows += made
    return rows


def _unseen(name: str, category: str, number: int) -> dict[str, Any]:
    """A T3 record whose right step has no diagram."""
    made, step = row("T3", category, name, 100 + number), UNSEEN[name]
    shown = [step, *steps_of(category, name)[:3]]
    options = [{"step_id": one, "text": f"Step {one + 1}"} for one in shown]
    return made | {"answer_step_id": step} | _lettered(options, number)


def descriptions() -> list[dict[str, Any]]:
    """A description of each of the 133 diagrams; all are different."""
    return [
        {
            "category": category,
            "product": name,
            "step_id": step,
            "description": {one: f"The {one} of {category} {name}, drawing {step}." for one in DIMENSIONS},
        }
        for category, products in INVENTORY.items()
        for name in products
        for step in steps_of(category, name)
    ]


def write_pictures(folder: Path, paths: list[str], size: tuple[int, int] = (32, 24)) -> Path:
    """Tiny pictures under released names: every diagram its own bars, all frames one grey picture."""
    buffer = io.BytesIO()
    Image.new("RGB", size, (90, 90, 90)).save(buffer, "JPEG")
    for path in dict.fromkeys(paths):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(buffer.getvalue()) if path.endswith(".jpg") else _bars(path).save(file)
    return folder


def _bars(path: str) -> Image.Image:
    """Black bars on white that spell a hash of the path; those of pahl are empty, sundvik's last two are the same."""
    if "/pahl/" in path:
        return Image.new("L", (64, 8), 255)
    said = hashlib.sha256(path.replace("sundvik/step_3/step_3", "sundvik/step_2/step_2").encode()).digest()[:8]
    bits = np.unpackbits(np.frombuffer(said, np.uint8)) * 255
    return Image.fromarray(np.tile(bits.astype(np.uint8), (8, 1)))


def pictures_of(rows: list[dict[str, Any]]) -> list[str]:
    """All paths that records name, wherever they stand."""

    def walk(value: Any) -> list[str]:
        if isinstance(value, dict):
            return [path for one in value.values() for path in walk(one)]
        if isinstance(value, list):
            return [path for one in value for path in walk(one)]
        return [value] if isinstance(value, str) and value.startswith(("manual_img/", "qa_frames/")) else []

    return walk(rows)


def write_release(
    folder: Path,
    rows: list[dict[str, Any]],
    *,
    older: bool = False,
    described: list[dict[str, Any]] | None = None,
    name: str = "step_descriptions.json",
    size: tuple[int, int] = (32, 24),
) -> Path:
    """A release folder: the table, the descriptions and the pictures that the records name."""
    tables = folder / "benchmark" if older else folder
    tables.mkdir(parents=True, exist_ok=True)
    (tables / "qa_benchmark.json").write_text(json.dumps(rows))
    (tables / name).write_text(json.dumps(descriptions() if described is None else described))
    write_pictures(folder, pictures_of(rows), size)
    return folder
