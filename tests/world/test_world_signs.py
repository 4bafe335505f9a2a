"""Signs: their words are legible, upright and of the stated size, and their backs are blank."""

import numpy as np
import pytest
import trimesh
from PIL import Image, ImageDraw, ImageFont

from chronotope.errors import InputError
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import FilmSet, Placement
from chronotope.world.quality import Quality
from chronotope.world.render import open_renderer
from chronotope.world.things import SIGNS, Line, Thing, draw_sign

QUALITY = Quality("fast", 640, 360, 10, (1.0, 1.0), 0, 4, 20)
FOCAL = float(intrinsics_of(50, 640, 360)[1, 1])
WORDS = {
    "direction": (Line("Library", "left"), Line("Cafe", "ahead"), Line("Way out", "right")),
    "street": "Mill Lane",
    "shop": "Baker & Sons",
    "door": "Room 214",
    "speed limit": "30",
}
# Widths (m) of real signs: stop signs of 60 to 90 cm, discs and squares of 60 to 75 cm, one-way signs of 90 to 120 cm.
WIDTHS = {"stop": (0.6, 0.9), "no entry": (0.6, 0.75), "speed limit": (0.6, 0.75), "crossing": (0.5, 0.75),
          "one way": (0.9, 1.2)}  # fmt: skip


def drawn(kind: str, seed: int = 0) -> Thing:
    return draw_sign(np.random.default_rng(seed), kind, WORDS.get(kind, ()))


def photograph(sign: Thing, eye: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Colours, and which pixels show the sign, from a place that faces the middle of the sign."""
    pose = look_at(np.array([eye]), np.zeros((1, 3)))[0]
    film_set = FilmSet((Placement("sign", sign, np.eye(4)),), ambient=(0.85, 0.85, 0.85))
    with open_renderer(film_set, QUALITY, FOCAL) as renderer:
        seen = renderer.draw(pose)
    return seen.rgb, seen.identities == 1


def ink_of(rgb: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Which pixels of the face are nearer to the letters' colour than to the ground's, which is the commoner one."""
    grey = rgb.astype(float).mean(axis=2)
    values = grey[mask]
    ground = np.median(values)
    letters = values[np.abs(values - ground).argmax()]
    return mask & (np.abs(grey - letters) < np.abs(grey - ground))


@pytest.mark.usefixtures("drawable")
@pytest.mark.parametrize(("capital", "distance"), [(0.3, 8.0), (0.3, 4.0), (0.12, 3.0)])
def test_a_capital_is_as_high_in_the_picture_as_stated(capital: float, distance: float) -> None:
    sign = draw_sign(np.random.default_rng(1), "shop", "HEH", capital)
    rgb, mask = photograph(sign, (distance, 0.0, 0.0))
    ink = ink_of(rgb, mask)
    columns = np.flatnonzero(ink.any(axis=0))
    stem = ink[:, columns[0] : columns[0] + max(2, len(columns) // 40)].any(axis=1)
    assert stem.sum() == pytest.approx(FOCAL * capital / (distance - 0.008), abs=1.5)


def plain_type(words: str, shape: tuple[int, int], capital: float) -> np.ndarray:
    """Words in the middle of a picture, set by Pillow alone, to compare with."""
    font = ImageFont.load_default(size=round(capital / 0.49 * 0.7))
    image = Image.new("L", shape[::-1])
    ImageDraw.Draw(image).text((shape[1] / 2, shape[0] / 2), words, fill=255, font=font, anchor="mm", stroke_width=0)
    return np.asarray(image, float)


def cropped(picture: np.ndarray) -> np.ndarray:
    rows, columns = np.flatnonzero(picture.any(axis=1)), np.flatnonzero(picture.any(axis=0))
    part = picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    return np.asarray(Image.fromarray((255 * (part > part.max() / 2)).astype(np.uint8)).resize((96, 24)), float)


@pytest.mark.usefixtures("drawable")
@pytest.mark.parametrize("words", ["LIBRARY", "STATION", "Bakery", "School", "Room 214", "Park Row"])
def test_the_words_in_the_picture_are_read_and_neither_mirrored_nor_upside_down(words: str) -> None:
    sign = draw_sign(np.random.default_rng(2), "shop", words, 0.25)
    rgb, mask = photograph(sign, (6.0, 0.0, 0.0))
    seen = cropped(ink_of(rgb, mask).astype(float))
    others = {"LIBRARY", "STATION", "GALLERY", "Bakery", "School", "Museum", "Room 214", "Room 241", "Park Row"}
    shown = {word: cropped(plain_type(word, (200, 900), 60.0)) for word in others}
    shown |= {"mirrored": shown[words][:, ::-1], "upside down": shown[words][::-1], "turned": shown[words][::-1, ::-1]}
    alike = {word: np.corrcoef(seen.ravel(), picture.ravel())[0, 1] for word, picture in shown.items()}
    best = max(alike, key=lambda word: alike[word])
    assert best == words and alike[words] > 0.75
    assert sorted(alike.values())[-2] < alike[words] - 0.08


@pytest.mark.usefixtures("drawable")
@pytest.mark.parametrize("kind", SIGNS)
def test_the_front_shows_something_and_the_back_nothing(kind: str) -> None:
    sign = drawn(kind)
    points = sign.pieces[0].vertices
    z = float(points[:, 2].mean())
    plate = np.array([0.0, 0.0, z])
    wide = float(np.ptp(points[:, 1]))
    spread = {}
    for side in (1, -1):
        pose = look_at(np.array([np.add(plate, (side * 2.2 * wide, 0.0, 0.0))]), plate[None])[0]
        film_set = FilmSet((Placement("sign", sign, np.eye(4)),), ambient=(0.85,) * 3)
        with open_renderer(film_set, QUALITY, FOCAL) as renderer:
            seen = renderer.draw(pose)
        mask = seen.identities == 1
        down, across = np.indices(mask.shape)
        tall = FOCAL * float(np.ptp(points[:, 2])) / (2.2 * wide)
        mask &= (np.abs(down - 179.5) < 0.45 * tall) & (np.abs(across - 319.5) > 0.18 * FOCAL / 2.2)  # without the post
        spread[side] = float(np.ptp(np.percentile(seen.rgb[mask].astype(float).mean(axis=1), (2, 98))))
    assert spread[1] > 80 and spread[-1] < 25


def test_an_arrow_points_where_its_line_says() -> None:
    """The head of an arrow is where it is widest; seen from the front, the right of the sign is its +y."""
    for arrow, axis, sign_of in (("left", 1, -1), ("right", 1, 1), ("ahead", 2, 1)):
        sign = draw_sign(np.random.default_rng(3), "direction", Line("Exit", arrow))
        points = sign.pieces[2].vertices
        along, across = points[:, axis], points[:, 3 - axis]
        middle = (along.min() + along.max()) / 2
        widest = along[np.abs(across - across.mean()).argmax()]
        assert np.sign(widest - middle) == sign_of, arrow
        tip = along.max() if sign_of > 0 else along.min()
        assert np.ptp(across[np.abs(along - tip) < 1e-4]) < 1e-4, "it ends in a point"
        plate = sign.pieces[1].vertices
        assert points[:, 0].max() > plate[:, 0].max(), "it stands out from the plate"


@pytest.mark.parametrize("kind", SIGNS)
def test_a_sign_is_a_closed_thing_of_real_size_whose_front_is_x(kind: str) -> None:
    sign = drawn(kind)
    everything = np.concatenate([piece.vertices for piece in sign.pieces])
    assert np.allclose(everything.max(axis=0), np.array(sign.size) / 2, atol=2e-5)
    assert np.allclose(everything.min(axis=0), -np.array(sign.size) / 2, atol=2e-5)
    for piece in sign.pieces:
        assert trimesh.Trimesh(np.round(piece.vertices, 5), piece.faces).volume > 0
    face = sign.pieces[0]
    assert face.look.texture is not None and face.vertices[:, 0].max() > sign.pieces[1].vertices[:, 0].max()
    if kind in WIDTHS:
        assert WIDTHS[kind][0] <= sign.size[1] <= WIDTHS[kind][1]
        low = face.vertices[:, 2].min() + sign.size[2] / 2
        assert 2.0 < low < 2.4, "people walk under it"
    assert 0.02 < sign.mass < 80 and sum(len(piece.faces) for piece in sign.pieces) < 1500


def test_the_same_generator_gives_the_same_sign_and_the_size_follows_the_letters() -> None:
    for kind in ("direction", "door", "crossing"):
        first, again = drawn(kind, 5), drawn(kind, 5)
        assert first.label == again.label
        for one, other in zip(first.pieces, again.pieces, strict=True):
            assert np.array_equal(one.vertices, other.vertices) and np.array_equal(one.look.texture, other.look.texture)
    small, large = (draw_sign(np.random.default_rng(0), "shop", "Books", capital) for capital in (0.1, 0.3))
    assert np.allclose(np.array(large.size[1:]) / small.size[1:], 3, rtol=0.02)
    assert {drawn("shop", seed).colour for seed in range(30)} >= {"red", "green", "blue", "yellow", "black", "white"}


@pytest.mark.parametrize(
    ("kind", "words", "told"),
    [
        ("hoarding", "x", "no kind of sign 'hoarding'"),
        ("street", (), "street sign has no words"),
        ("shop", "  ", "shop sign has no words"),
        ("no entry", "STOP", "leave out the words 'STOP'"),
        ("stop", ("STOP", "NOW"), "has one line"),
        ("shop", "Café", "has no 'é'"),
        ("door", "a\nb", "has no '\\\\n'"),
        ("direction", Line("Exit", "up"), "no arrow 'up'"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_shown_is_told(kind: str, words: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        draw_sign(np.random.default_rng(0), kind, words)
    with pytest.raises(InputError, match="letters of a shop sign are 0 m high"):
        draw_sign(np.random.default_rng(0), "shop", "Books", 0)
