"""Write two small manuals, and drawn videos of hands that follow the manuals.

    python examples/manuals.py manuals

Each product is a folder with ``procedure.yaml``, one line drawing for each step, and two takes. In each take, a hand
puts the parts into place. The two takes are seen from different sides and have different colours. As in real manuals,
drawings have the step's number printed in bold, so that ``chronotope build ikea`` has a number to remove. With
--photos, there is also a coloured picture of each step.

A product is a pile of boxes (x to the right, y to the back, z up, in cm). Each step adds one group of boxes.
"""

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml
from PIL import Image, ImageDraw, ImageFont

from chronotope.media import encode_clip

FPS = 10
SIZE = (320, 240)
PAPER = (700, 560)
STEP_S, PAUSE_S = 4.0, 0.6
COLOURS = (  # of walls, finished parts and new parts in the two takes
    ((196, 205, 214), (214, 172, 120), (235, 205, 120)),
    ((222, 214, 200), (150, 170, 190), (235, 205, 120)),
)

Box = tuple[float, float, float, float, float, float]  # front lower left corner (x, y, z), width, depth, height


@dataclass(frozen=True)
class Product:
    """A product: for each step, the name of the part and its boxes."""

    category: str
    name: str
    steps: tuple[tuple[str, tuple[Box, ...]], ...]


PRODUCTS = (
    Product(
        "Shelf",
        "tall-shelf",
        (
            ("base", ((0, 0, 0, 60, 30, 4),)),
            ("sides", ((0, 0, 4, 4, 30, 70), (56, 0, 4, 4, 30, 70))),
            ("lower board", ((4, 0, 28, 52, 30, 3),)),
            ("basket", ((14, 2, 31, 32, 26, 16),)),
            ("upper board", ((4, 0, 52, 52, 30, 3),)),
            ("top", ((0, 0, 74, 60, 30, 4),)),
            ("cabinet", ((4, 2, 78, 52, 26, 34),)),
        ),
    ),
    Product(
        "Table",
        "desk-with-drawer",
        (
            ("left legs", ((0, 0, 0, 6, 6, 60), (0, 44, 0, 6, 6, 60))),
            ("right legs", ((84, 0, 0, 6, 6, 60), (84, 44, 0, 6, 6, 60))),
            ("foot rail", ((6, 44, 14, 78, 6, 5),)),
            ("drawer", ((50, 4, 44, 30, 40, 14),)),
            ("table top", ((-4, -4, 60, 98, 58, 5),)),
            ("back panel", ((-4, 50, 65, 98, 4, 26),)),
            ("lamp", ((70, 30, 65, 6, 6, 22), (62, 22, 87, 22, 22, 10))),
        ),
    ),
)


@dataclass(frozen=True)
class View:
    """A parallel view from the front and above; with ``turned``, from the other front corner.

    ``centre`` (px) is the projection of the point (43, 22, 52) cm; ``scale`` is in px per cm.
    """

    turned: bool
    scale: float
    centre: tuple[float, float]

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """Project (..., 3) cm to (..., 2) px."""
        x, y, z = points[..., 0] - 43, points[..., 1] - 22, points[..., 2] - 52
        x = -x if self.turned else x
        flat = np.stack([0.9 * x + 0.42 * y, 0.22 * x - 0.34 * y - z], axis=-1)
        return np.array(self.centre) + self.scale * flat


def fitting(boxes: list[Box], turned: bool) -> View:
    """Return a view in which some boxes fill a page."""
    corners = np.array([face for box in boxes for face in faces(box, turned)])
    flat = View(turned, 1.0, (0, 0))(corners).reshape(-1, 2)
    low, high = flat.min(axis=0), flat.max(axis=0)
    scale = float(min((PAPER[0] - 160) / (high - low)[0], (PAPER[1] - 60) / (high - low)[1]))
    middle = scale * (low + high) / 2
    return View(turned, scale, (PAPER[0] / 2 + 50 - middle[0], PAPER[1] / 2 - middle[1]))


def faces(box: Box, turned: bool) -> list[np.ndarray]:
    """Return the three visible sides of a box, each (4, 3) cm."""
    x, y, z, width, depth, height = box
    right = x if turned else x + width
    top = [
        (x, y, z + height),
        (x + width, y, z + height),
        (x + width, y + depth, z + height),
        (x, y + depth, z + height),
    ]
    front = [(x, y, z), (x + width, y, z), (x + width, y, z + height), (x, y, z + height)]
    side = [(right, y, z), (right, y + depth, z), (right, y + depth, z + height), (right, y, z + height)]
    return [np.array(face, float) for face in (side, top, front)]


def paint(
    draw: ImageDraw.ImageDraw, boxes: list[tuple[Box, tuple[int, int, int] | None]], view: View, line: int
) -> None:
    """Paint boxes from bottom to top and back to front; the colour None means white with black lines."""
    for box, colour in sorted(boxes, key=lambda one: (one[0][2], -one[0][1])):
        for face, shade in zip(faces(box, view.turned), (0.75, 1.0, 0.88), strict=True):
            corners = [tuple(point) for point in view(face)]
            filled = (255, 255, 255) if colour is None else tuple(int(shade * value) for value in colour)
            draw.polygon(corners, fill=filled)
            draw.line([*corners, corners[0]], fill=(20, 20, 20), width=line, joint="curve")


def diagram(product: Product, step: int, is_photo: bool = False) -> Image.Image:
    """Draw a step: the finished parts, the new part above them, an arrow down, and the number of the step.

    A photograph has the same parts in the colours of the second take, without the arrow and the number.
    """
    walls, wood, new_wood = COLOURS[1] if is_photo else ("white", None, None)
    picture = Image.new("RGB", PAPER, walls)
    draw = ImageDraw.Draw(picture)
    there: list[Box] = [box for _, boxes in product.steps[:step] for box in boxes]
    new = product.steps[step][1]
    lifted = [(x, y, z + 26, *rest) for x, y, z, *rest in new]
    view = fitting([*there, *new, *lifted], turned=step % 2 == 1)
    paint(draw, [*((box, wood) for box in there), *((box, new_wood) for box in lifted)], view, 1 if is_photo else 3)
    if is_photo:
        return picture
    x, y, z, width, *_ = new[0]
    end, start = (view(np.array((x + width / 2, y, z + above))) for above in (4.0, 24.0))
    draw.line([tuple(start), tuple(end)], fill="black", width=4)
    draw.polygon([tuple(end), (end[0] - 9, end[1] - 18), (end[0] + 9, end[1] - 18)], fill="black")
    draw.text((30, 24), str(step + 1), fill="black", font=ImageFont.load_default(54), stroke_width=2)
    return picture


def frame(product: Product, step: int, way: float, take: int, grain: np.ndarray) -> np.ndarray:
    """Return a picture of a take, RGB uint8; ``way`` is from 0 (part of ``step`` outside) to 1 (in place)."""
    walls, wood, new_wood = COLOURS[take]
    view = View(take == 1, SIZE[1] / 190, (SIZE[0] / 2, SIZE[1] / 2))
    picture = Image.new("RGB", SIZE, walls)
    draw = ImageDraw.Draw(picture)
    draw.rectangle((0, int(SIZE[1] * 0.72), *SIZE), fill=tuple(int(0.8 * value) for value in walls))
    away = (1 - way) ** 2
    moving = [
        (x + (60 if take == 0 else -60) * away, y, z + 45 * away, *rest) for x, y, z, *rest in product.steps[step][1]
    ]
    boxes = [(box, wood) for _, of_step in product.steps[:step] for box in of_step]
    paint(draw, [*boxes, *((box, new_wood) for box in moving)], view, 1)
    x, y, z, width, _, height = moving[0]
    hand = view(np.array((x + width, y, z + height)))
    if way < 0.97:
        draw.ellipse((hand[0] - 9, hand[1] - 7, hand[0] + 9, hand[1] + 7), fill=(224, 172, 140), outline=(90, 60, 50))
    return np.clip(np.asarray(picture, np.int16) + grain, 0, 255).astype(np.uint8)


def write_take(product: Product, take: int, path: Path) -> list[dict[str, float | int]]:
    """Film a take; return its segments in the form of procedure.yaml (steps from 1, times in s)."""
    grain = np.random.default_rng([take, len(product.name)]).integers(-4, 5, (*SIZE[::-1], 1), dtype=np.int16)
    per_step, pause = round(STEP_S * FPS), round(PAUSE_S * FPS)
    pictures: list[np.ndarray] = []
    segments: list[dict[str, float | int]] = []
    for step in range(len(product.steps)):
        start = len(pictures) / FPS
        pictures += [frame(product, step, i / (per_step - 1), take, grain) for i in range(per_step)]
        segments.append({"step": step + 1, "start": start, "end": len(pictures) / FPS})
        pictures += [frame(product, step, 1.0, take, grain) for _ in range(pause)]
    encode_clip(pictures, path, FPS)
    return segments


def description(names: list[str], step: int) -> dict[str, str]:
    """Return a description of a drawing, without the number of the step."""
    there = "The floor is empty." if step == 0 else f"Already in place: {', '.join(names[:step])}."
    return {
        "parts": f"One new part: the {names[step]}. {there}",
        "action": f"The {names[step]} is lowered into its place.",
        "tools": "None visible.",
        "spatial": "The new part is held above its place.",
        "result": f"The {names[step]} is in its place.",
        "arrow_directions": "One arrow, pointing down.",
    }


def write_product(product: Product, folder: Path, has_photos: bool = False) -> None:
    """Write the folder of one product, with pictures like photographs of its steps if wanted."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [name for name, _ in product.steps]
    steps = []
    for step, name in enumerate(names):
        diagram(product, step).save(folder / f"step-{step + 1}.png")
        joined = [[name], names[:step]] if step else [[name]]
        steps.append(
            {
                "diagram": f"step-{step + 1}.png",
                "parts": joined,
                "connections": [[list(one) for one in joined]] if step else [],  # a copy: else YAML writes a reference
                "description": description(names, step),
            }
        )
        if has_photos:
            diagram(product, step, is_photo=True).save(folder / f"photo-{step + 1}.png")
            steps[-1]["photo"] = f"photo-{step + 1}.png"
    takes = []
    for take, place in enumerate(("workshop", "kitchen")):
        segments = write_take(product, take, folder / f"{place}.mp4")
        takes.append({"id": place, "clip": f"{place}.mp4", "segments": segments})
    document = {
        "product": product.name,
        "category": product.category,
        "licence": "CC0-1.0",
        "steps": steps,
        "takes": takes,
    }
    (folder / "procedure.yaml").write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")


def main() -> None:
    """Write the folders of the products."""
    parser = argparse.ArgumentParser(description="Write two small manuals with videos.")
    parser.add_argument("out", type=Path, help="the folder to write")
    parser.add_argument("--photos", action="store_true", help="also draw a picture like a photograph of each step")
    chosen = parser.parse_args()
    out = chosen.out
    for product in PRODUCTS:
        write_product(product, out / product.name, chosen.photos)
        print(f"{out / product.name}: {len(product.steps)} steps, 2 takes")


if __name__ == "__main__":
    main()
