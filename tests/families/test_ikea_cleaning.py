"""Printed step numbers are removed whole, and nothing else is: on drawn diagrams, in folders, on the real ones."""

import functools
import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw, ImageFont
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from chronotope.errors import InputError
from chronotope.families.ikea.cleaning import clean_diagram, find_numbers
from chronotope.families.ikea.cleaning_folder import clean_folder
from chronotope.media import read_picture

FONTS = Path(matplotlib.get_data_path()) / "fonts" / "ttf"


class Diagram:
    """A drawing, and printed digits on layers of their own, so that the diagram without the digits is known."""

    def __init__(self, width: int = 800, height: int = 600) -> None:
        self.drawing = Image.new("L", (width, height), 255)
        self.digits: list[list[Image.Image]] = []
        self.pen = ImageDraw.Draw(self.drawing)

    def furniture(self) -> "Diagram":
        """Lines, a dark arrow, a part count and the part's circle, clear of the top left corner."""
        width, height = self.drawing.size
        for share in (0.35, 0.5, 0.8):
            self.pen.line((0.3 * width, share * height, 0.97 * width, 0.6 * height), fill=0, width=3)
        self.pen.polygon([(0.6 * width, 0.1 * height), (0.7 * width, 0.1 * height), (0.65 * width, 0.2 * height)], 20)
        self.pen.ellipse((0.3 * width, 0.1 * height, 0.45 * width, 0.3 * height), outline=0, width=3)
        return self.count("4x", 0.02 * width, 0.6 * height)

    def count(self, text: str, x: float, y: float, size: float = 40) -> "Diagram":
        """How many of a part are needed, in thin type."""
        self.pen.text((x, y), text, font=ImageFont.truetype(FONTS / "DejaVuSans.ttf", size), fill=0)
        return self

    def number(self, text: str, x: float, y: float, size: float = 60) -> "Diagram":
        """A printed number: bold digits, each drawn apart."""
        font = ImageFont.truetype(FONTS / "DejaVuSans-Bold.ttf", size)
        self.digits.append([])
        for digit in text:
            layer = Image.new("L", self.drawing.size, 255)
            ImageDraw.Draw(layer).text((x, y), digit, font=font, fill=0)
            self.digits[-1].append(layer)
            x += font.getlength(digit)
        return self

    def resized(self, width: int) -> "Diagram":
        """The same diagram as a picture of another width."""
        other = Diagram()
        size = width, round(self.drawing.height * width / self.drawing.width)
        other.drawing = self.drawing.resize(size)
        other.digits = [[layer.resize(size) for layer in number] for number in self.digits]
        return other

    @property
    def numbers(self) -> list[list[tuple[int, int, int, int]]]:
        """The boxes of the digits' ink: left, top, right, bottom."""
        return [[layer.point(lambda grey: 255 * (grey < 128)).getbbox() for layer in number] for number in self.digits]

    @property
    def printed(self) -> np.ndarray:
        """RGB with the numbers."""
        layers = [layer for number in self.digits for layer in number]
        return np.asarray(functools.reduce(ImageChops.darker, layers, self.drawing).convert("RGB"))

    @property
    def unprinted(self) -> np.ndarray:
        """RGB without."""
        return np.asarray(self.drawing.convert("RGB"))


def boxes(picture: np.ndarray) -> list[list[tuple[int, int, int, int]]]:
    return [list(number.digits) for number in find_numbers(picture)]


def pieces(ink: np.ndarray) -> np.ndarray:
    """A number for each piece of ink connected through sides and corners, -1 where there is none, as a graph."""
    index = np.full(ink.shape, -1)
    index[ink] = np.arange(ink.sum())
    height, width = ink.shape
    edges = []
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        rows, left = slice(0, height - down), slice(max(-right, 0), width - max(right, 0))
        one = index[rows, left]
        other = index[down:, slice(max(right, 0), width + min(right, 0))]
        both = (one >= 0) & (other >= 0)
        edges.append(np.stack([one[both], other[both]]))
    pairs = np.concatenate(edges, axis=1)
    count = int(ink.sum())
    graph = coo_array((np.ones(pairs.shape[1]), (pairs[0], pairs[1])), shape=(count, count))
    labels = np.full(ink.shape, -1)
    labels[ink] = connected_components(graph, directed=False)[1]
    return labels


def pieces_gone(before: np.ndarray, after: np.ndarray) -> int:
    """How many pieces of dark ink are gone; fails where one is there in part."""
    labels = pieces(before[..., 0] < 128)
    gone = set(np.unique(labels[after[..., 0] >= 128])) - {-1}
    assert not gone & set(np.unique(labels[after[..., 0] < 128]))
    return len(gone)


@pytest.mark.parametrize("text", [*"0123456789", "10", "11", "25", "48", "107"])
def test_a_bold_number_goes_and_the_drawing_stays(text: str) -> None:
    diagram = Diagram(1000).furniture().number(text, 30, 20)
    cleaned = clean_diagram(diagram.printed)
    assert [list(number.digits) for number in cleaned.numbers] == diagram.numbers
    assert np.array_equal(cleaned.rgb, diagram.unprinted)
    expected = np.zeros(cleaned.mask.shape, dtype=bool)
    for left, top, right, bottom in diagram.numbers[0]:
        expected[top - 4 : bottom + 4, left - 4 : right + 4] = True
    assert np.array_equal(cleaned.mask, expected)


@pytest.mark.parametrize("width", [318, 600, 1154])
def test_numbers_are_of_one_size_in_pictures_of_usual_widths(width: int) -> None:
    diagram = Diagram(width).furniture().number("8", 10, 20)
    assert np.array_equal(clean_diagram(diagram.printed).rgb, diagram.unprinted)


@pytest.mark.parametrize("width", [160, 190, 220, 290, 1600, 3000])
def test_numbers_scale_with_pictures_of_other_widths(width: int) -> None:
    diagram = Diagram(1000, 700).furniture().number("16", 40, 30).number("4", 45, 600, 50).resized(width)
    cleaned = clean_diagram(diagram.printed)
    assert [list(number.digits) for number in cleaned.numbers] == diagram.numbers
    assert np.array_equal(cleaned.rgb, diagram.unprinted)


def test_two_numbers_go_whatever_their_heights() -> None:
    diagram = Diagram().furniture().number("3", 30, 20).number("14", 25, 500, size=48)
    cleaned = clean_diagram(diagram.printed)
    assert [list(number.digits) for number in cleaned.numbers] == diagram.numbers
    assert np.array_equal(cleaned.rgb, diagram.unprinted)


def test_numbers_are_told_nearest_to_the_corner_first() -> None:
    diagram = Diagram(900).number("5", 20, 400).number("4", 120, 60)
    assert boxes(diagram.printed) == [diagram.numbers[1], diagram.numbers[0]]


def test_digits_on_two_lines_or_far_apart_are_two_numbers() -> None:
    diagram = Diagram(900).number("1", 20, 60).number("2", 60, 90).number("3", 20, 300).number("4", 110, 300)
    found = boxes(diagram.printed)
    assert len(found) == 4
    assert sorted(found) == sorted(diagram.numbers)


@pytest.mark.parametrize("edge", ["left", "top", "bottom"])
def test_a_number_that_the_edge_cuts_goes(edge: str) -> None:
    place = {"left": (-8, 100), "top": (30, -24), "bottom": (30, 545)}[edge]
    diagram = Diagram().furniture().number("2", *place)
    assert boxes(diagram.printed) == diagram.numbers
    assert np.array_equal(clean_diagram(diagram.printed).rgb, diagram.unprinted)


@pytest.mark.parametrize(
    "diagram",
    [
        Diagram(),
        Diagram().furniture(),
        Diagram(900).count("4x", 20, 20).count("10x", 30, 200, 36),
        Diagram().furniture().count("4", 30, 20).count("10", 30, 200),  # thin
        Diagram().furniture().number("7", 300, 20),  # in the middle
        Diagram(300).number("2", 60, 20),  # across the limit
        Diagram().furniture().number("7", 20, 20, size=110),  # too big
        Diagram().furniture().number("7", 20, 20, size=28),  # too small
    ],
    ids=["blank", "drawing", "counts", "thin", "middle", "limit", "big", "small"],
)
def test_what_is_no_printed_number_stays(diagram: Diagram) -> None:
    cleaned = clean_diagram(diagram.printed)
    assert cleaned.numbers == ()
    assert not cleaned.mask.any()
    assert np.array_equal(cleaned.rgb, diagram.printed)


@pytest.mark.parametrize("distance", [1, 4, 7, 8, 12])
@pytest.mark.parametrize("side", ["right", "below"])
def test_no_drawing_is_cut_however_near_it_is(distance: int, side: str) -> None:
    diagram = Diagram().number("6", 30, 20)
    _, _, right, bottom = diagram.numbers[0][0]
    if side == "right":
        diagram.pen.line((right + distance - 1, 0, right + distance - 1, 599), fill=0)
    else:
        diagram.pen.line((0, bottom + distance - 1, 799, bottom + distance - 1), fill=0)
    cleaned = clean_diagram(diagram.printed)
    assert np.array_equal(cleaned.rgb, diagram.printed if distance <= 7 else diagram.unprinted)


def test_a_digit_beside_one_that_touches_the_drawing_stays_too() -> None:
    diagram = Diagram().number("12", 30, 20)
    left, top, _, _ = diagram.numbers[0][0]
    diagram.pen.line((left - 3, 0, left - 3, top + 100), fill=0)
    assert boxes(diagram.printed) == []


def test_a_number_above_one_that_touches_the_drawing_stays_too() -> None:
    diagram = Diagram().number("5", 30, 20).number("8", 30, 70)
    (_, _, _, bottom), (left, top, _, _) = diagram.numbers[0][0], diagram.numbers[1][0]
    assert 0 < top - bottom < 7
    assert len(boxes(diagram.printed)) == 2
    diagram.pen.line((left - 3, top + 20, left - 3, top + 90), fill=0)
    assert boxes(diagram.printed) == []


def test_strokes_that_meet_in_a_corner_are_one_digit() -> None:
    diagram = Diagram()
    diagram.pen.rectangle((30, 30, 45, 45), fill=0)
    diagram.pen.rectangle((46, 46, 61, 61), fill=0)
    assert boxes(diagram.printed) == [[(30, 30, 62, 62)]]


@dataclass(frozen=True)
class Thing:
    """Something drawn at random: a digit, or a dark shape much like one."""

    what: str
    x: int
    y: int
    size: int
    grey: int


things = st.builds(
    Thing,
    what=st.sampled_from([*"0123456789", "ellipse", "line", "dot"]),
    x=st.integers(-20, 160),
    y=st.integers(-20, 200),
    size=st.integers(20, 90),
    grey=st.integers(0, 200),
)


def drawn(several: list[Thing]) -> np.ndarray:
    picture = Image.new("L", (520, 240), 255)
    pen = ImageDraw.Draw(picture)
    for thing in several:
        if thing.what == "ellipse":
            pen.ellipse((thing.x, thing.y, thing.x + 15, thing.y + thing.size), fill=thing.grey)
        elif thing.what == "line":
            pen.line((thing.x, thing.y, thing.x + 3 * thing.size, thing.y + thing.size), fill=thing.grey, width=3)
        elif thing.what == "dot":
            pen.ellipse((thing.x, thing.y, thing.x + 2, thing.y + 2), fill=thing.grey)
        else:
            font = ImageFont.truetype(FONTS / "DejaVuSans-Bold.ttf", thing.size)
            pen.text((thing.x, thing.y), thing.what, font=font, fill=thing.grey)
    return np.asarray(picture.convert("RGB"))


@settings(max_examples=150)
@given(st.lists(things, max_size=6))
def test_cleaning_twice_is_cleaning_once_and_nothing_is_cut(several: list[Thing]) -> None:
    picture = drawn(several)
    original = picture.copy()
    once = clean_diagram(picture)
    assert np.array_equal(picture, original)
    assert (once.rgb[once.mask] == 255).all()
    assert np.array_equal(once.rgb[~once.mask], original[~once.mask])
    assert pieces_gone(original, once.rgb) == sum(len(number.digits) for number in once.numbers)
    twice = clean_diagram(once.rgb)
    assert twice.numbers == ()
    assert np.array_equal(twice.rgb, once.rgb)


# Folders.


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def state(folder: Path) -> dict[str, tuple[str, int]]:
    """Hash and time of every file."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): (sha256(file), file.stat().st_mtime_ns) for file in files}


def pixels(path: Path) -> np.ndarray:
    return np.asarray(Image.open(path).convert("RGB"))


WITH, TWO = Diagram().furniture().number("3", 30, 20), Diagram(500, 700).number("1", 20, 30).number("12", 10, 500)
WITHOUT = Diagram().furniture()


@pytest.fixture
def originals(tmp_path: Path) -> Path:
    """Four diagrams: one number, none, two, and one on transparent ground."""
    folder = tmp_path / "originals"
    for name, diagram in {
        "Chair/a/step_0/step_2": WITH,
        "Chair/a/step_1/step_4": WITHOUT,
        "Desk/b/step_0/x": TWO,
    }.items():
        file = folder / f"{name}.png"
        file.parent.mkdir(parents=True)
        Image.fromarray(diagram.printed).save(file)
    ink = 255 - WITH.printed[..., 0]
    clear = np.dstack([np.zeros((*ink.shape, 3), dtype=np.uint8), ink])  # what shows through would be black
    (folder / "Table").mkdir()
    Image.fromarray(clear, "RGBA").save(folder / "Table" / "clear.png")
    return folder


def test_a_folder_is_cleaned_to_another_with_a_manifest(originals: Path, tmp_path: Path) -> None:
    (originals / "notes.txt").write_text("no picture")
    (originals / ".hidden.png").write_bytes(b"no picture")
    before = state(originals)
    out, told = tmp_path / "out", []
    report = clean_folder(originals, out, None, lambda *step: told.append(step))
    assert state(originals) == before
    names = ["Chair/a/step_0/step_2.png", "Chair/a/step_1/step_4.png", "Desk/b/step_0/x.png", "Table/clear.png"]
    assert told == [(number, 4, name) for number, name in enumerate(names, 1)]
    assert sorted(state(out)) == [*names, "cleaning.json"]
    assert (report.numbers, report.written, report.unreadable, report.pages) == (4, 4, (), ())
    for name, diagram in zip(names, [WITH, WITHOUT, TWO, WITH], strict=True):
        assert np.array_equal(pixels(out / name), diagram.unprinted)
    assert (out / names[1]).read_bytes() == (originals / names[1]).read_bytes()
    assert [file.path for file in report.files] == names
    manifest = json.loads((out / "cleaning.json").read_text())
    assert manifest["pictures"] == {
        name: {
            "cleaned": name,
            "numbers": [[list(box) for box in number] for number in diagram.numbers],
            "before": sha256(originals / name),
            "after": sha256(out / name),
        }
        for name, diagram in zip(names, [WITH, WITHOUT, TWO, WITH], strict=True)
    }


def test_a_rerun_does_nothing(originals: Path, tmp_path: Path) -> None:
    first = clean_folder(originals, tmp_path / "out")
    before = state(tmp_path / "out")
    again = clean_folder(originals, tmp_path / "out")
    assert state(tmp_path / "out") == before
    assert (again.written, again.files) == (0, first.files)


def test_cleaning_the_cleaned_folder_copies_it(originals: Path, tmp_path: Path) -> None:
    clean_folder(originals, tmp_path / "out")
    report = clean_folder(tmp_path / "out", tmp_path / "again")
    assert report.numbers == 0
    assert {file.path: file.before for file in report.files} == {file.path: file.after for file in report.files}


def test_what_changed_is_made_anew_and_nothing_else(originals: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    clean_folder(originals, out)
    before = state(out)
    (out / "Table/clear.png").write_bytes(b"broken")
    (out / "Desk/b/step_0/x.png").unlink()
    Image.fromarray(TWO.printed).save(originals / "Chair/a/step_1/step_4.png")
    assert clean_folder(originals, out).written == 3
    after = state(out)
    assert after["Chair/a/step_0/step_2.png"] == before["Chair/a/step_0/step_2.png"]
    assert after["Table/clear.png"][0] == before["Table/clear.png"][0]
    assert after["Desk/b/step_0/x.png"][0] == before["Desk/b/step_0/x.png"][0]
    assert np.array_equal(pixels(out / "Chair/a/step_1/step_4.png"), TWO.unprinted)


def test_pictures_cleaned_by_another_rule_are_cleaned_anew(originals: Path, tmp_path: Path) -> None:
    clean_folder(originals, tmp_path / "out")
    manifest = tmp_path / "out" / "cleaning.json"
    manifest.write_text(manifest.read_text().replace('"rule": 1', '"rule": 0'))
    assert clean_folder(originals, tmp_path / "out").written == 4
    assert '"rule": 1' in manifest.read_text()


def test_an_interrupted_run_goes_on(originals: Path, tmp_path: Path) -> None:
    whole = clean_folder(originals, tmp_path / "whole")

    def interrupt(done: int, total: int, label: str) -> None:
        if done == 2:
            raise KeyboardInterrupt

    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        clean_folder(originals, out, None, interrupt)
    assert len(state(out)) == 3  # two pictures and the manifest
    (out / "Table").mkdir()
    (out / "Table" / ".0123.partial.png").write_bytes(b"half")  # left by a kill
    report = clean_folder(originals, out)
    assert (report.written, report.files) == (2, whole.files)
    assert {name: one for name, (one, _) in state(out).items()} == {
        name: one for name, (one, _) in state(tmp_path / "whole").items()
    }


def test_a_run_that_was_killed_at_once_can_be_run_again(originals: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".0123.partial.json").write_text("{")
    assert clean_folder(originals, tmp_path / "out").written == 4
    assert not list((tmp_path / "out").glob(".*"))


def test_an_unreadable_picture_is_a_sentence(originals: Path, tmp_path: Path) -> None:
    broken, cut = originals / "Chair" / "broken.png", originals / "Chair" / "cut.png"
    broken.write_bytes(b"no picture")
    cut.write_bytes((originals / "Table" / "clear.png").read_bytes()[:500])
    with pytest.raises(InputError, match=r"broken\.png: cannot be read as a picture .*; use a PNG or JPEG"):
        clean_folder(originals, tmp_path / "out")
    report = clean_folder(originals, tmp_path / "out", keep_going=True)
    assert len(report.files) == 4
    assert len(json.loads((tmp_path / "out" / "cleaning.json").read_text())["pictures"]) == 4
    assert [sentence.split(":")[0] for sentence in report.unreadable] == [str(broken), str(cut)]
    assert not (tmp_path / "out" / "Chair" / "broken.png").exists()


def test_a_jpeg_with_a_number_becomes_a_png_beside_no_other(originals: Path, tmp_path: Path) -> None:
    photograph = originals / "Desk" / "page.jpg"
    Image.fromarray(WITH.printed).save(photograph, quality=95)
    Image.fromarray(WITHOUT.printed).save(originals / "Desk" / "plain.jpg", quality=95)
    report = clean_folder(originals, tmp_path / "out")
    kept = {file.path: file.cleaned for file in report.files}
    assert (kept["Desk/page.jpg"], kept["Desk/plain.jpg"]) == ("Desk/page.png", "Desk/plain.jpg")
    before, after = pixels(photograph), pixels(tmp_path / "out" / "Desk" / "page.png")
    left, top, right, bottom = WITH.numbers[0][0]
    changed = (before != after).any(axis=2)
    assert changed[top:bottom, left:right].any()
    changed[top - 6 : bottom + 6, left - 6 : right + 6] = False
    assert not changed.any()
    Image.fromarray(TWO.printed).save(originals / "Desk" / "page.png")
    with pytest.raises(
        InputError, match=r"page\.png: .* of this file and of Desk/page\.jpg would both be .*; rename one"
    ):
        clean_folder(originals, tmp_path / "out")


def test_folders_must_be_apart_and_hold_what_is_expected(originals: Path, tmp_path: Path) -> None:
    for out in (originals, originals / "out", tmp_path):
        with pytest.raises(InputError, match="separate folders: choose another folder"):
            clean_folder(originals, out)
    with pytest.raises(InputError, match="separate folders"):
        clean_folder(originals, tmp_path / "out", tmp_path / "out" / "sheet")
    with pytest.raises(InputError, match="is not a folder; give"):
        clean_folder(tmp_path / "nowhere", tmp_path / "out")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="contains no PNG, JPEG or WebP picture"):
        clean_folder(tmp_path / "empty", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "holiday.png").write_bytes(b"dear to me")
    with pytest.raises(
        InputError, match=r"contains no cleaning\.json from an earlier cleaning; choose a new or empty folder"
    ):
        clean_folder(originals, mine)
    (mine / "cleaning.json").write_text('{"rule": 1, "pictures": {"a.png": {"cleaned": "a.png"}}}')
    with pytest.raises(InputError, match=r"cleaning\.json: is not a record of cleaned diagrams \(pictures\.a\.png"):
        clean_folder(originals, mine)
    assert (mine / "holiday.png").read_bytes() == b"dear to me"


def test_a_sheet_shows_every_diagram_before_what_went_and_after(originals: Path, tmp_path: Path) -> None:
    for number in range(4):
        shutil.copy(originals / "Desk/b/step_0/x.png", originals / "Desk" / f"{number}.png")
    sheet = tmp_path / "sheet"
    report = clean_folder(originals, tmp_path / "out", sheet)
    assert [page.name for page in report.pages] == ["page-0001.png", "page-0002.png"]  # six and two
    assert sorted(page.name for page in sheet.iterdir()) == ["page-0001.png", "page-0002.png"]
    page = pixels(report.pages[0]).astype(int)
    red = (page[..., 0] > 150) & (page[..., 1] < 80) & (page[..., 2] < 80)
    half, third = page.shape[1] // 2, page.shape[0] // 3
    # In reading order: numbers went from the first, none from the second, and from the four others.
    cells = [
        red[row * third : (row + 1) * third, side * half : (side + 1) * half] for row in range(3) for side in (0, 1)
    ]
    assert [bool(cell.any()) for cell in cells] == [True, False, True, True, True, True]
    for file in (originals / "Desk").glob("*.png"):
        file.unlink()
    assert len(clean_folder(originals, tmp_path / "out", sheet).pages) == 1
    assert [page.name for page in sheet.iterdir()] == ["page-0001.png"]


# The real diagrams.

ONLY_TOOL = {"Bench/tjusig/step_4", "Chair/ingolf/step_1", "Chair/stig/step_0", "Chair/teodores/step_6"}
ONLY_TOOL |= {"Table/vittsjo_2/step_4"}


def by_step(folder: Path) -> dict[str, Path]:
    return {file.parent.relative_to(folder).as_posix(): file for file in sorted(folder.rglob("*.png"))}


@pytest.fixture(scope="module")
def copies(test_data: Path) -> dict[str, dict[str, Path]]:
    """The two copies of the diagrams, by step."""
    folder = test_data / "ikea-manuals-at-work"
    tool = by_step(folder / "manual_img")
    published = {step: file for step, file in tool.items() if step not in ONLY_TOOL}
    published |= by_step(folder / "manual_img_published")
    return {"tool": tool, "published": published}


@pytest.fixture(scope="module")
def found(copies: dict[str, dict[str, Path]]) -> dict[Path, list[int]]:
    """How many digits each number of each real diagram has; what was removed is checked on the way."""
    digits = {}
    for file in sorted({file for copy in copies.values() for file in copy.values()}):
        picture = read_picture(file)
        cleaned = clean_diagram(picture)
        digits[file] = [len(number.digits) for number in cleaned.numbers]
        assert not ((cleaned.rgb != picture) & ~cleaned.mask[..., None]).any(), file
        assert find_numbers(cleaned.rgb) == (), file
        removed = (picture[..., 0] < 128) & (cleaned.rgb[..., 0] >= 128)
        for left, top, right, bottom in (box for number in cleaned.numbers for box in number.digits):
            around = slice(max(top - 7, 0), bottom + 7), slice(max(left - 7, 0), right + 7)
            assert removed[around].any(), file
            assert cleaned.rgb[around].min() > 240, file  # nothing of the digit is left, nothing was cut
            removed[top:bottom, left:right] = False
        assert not removed.any(), file
    return digits


def test_every_number_of_the_real_diagrams_is_found(
    copies: dict[str, dict[str, Path]], found: dict[Path, list[int]]
) -> None:
    numbers = {copy: {step: found[file] for step, file in files.items()} for copy, files in copies.items()}
    assert {copy: len(steps) for copy, steps in numbers.items()} == {"tool": 137, "published": 133}
    assert {copy: sum(map(len, steps.values())) for copy, steps in numbers.items()} == {"tool": 139, "published": 131}
    none = {(copy, step) for copy, steps in numbers.items() for step, of in steps.items() if not of}
    assert none == {("published", f"Desk/pahl/step_{step}") for step in range(3)}  # blank
    two = {(copy, step) for copy, steps in numbers.items() for step, of in steps.items() if len(of) == 2}
    laiva = {(copy, "Shelf/laiva/step_0") for copy in copies}  # the crop shows the next number too
    assert two == laiva | {("tool", "Chair/marius/step_0")}


def test_the_numbers_have_as_many_digits_as_the_steps_that_the_files_are_named_by(found: dict[Path, list[int]]) -> None:
    for file, digits in found.items():
        if digits:
            step = int(file.stem[5:]) + (file.stem[4] == "_")  # step_k prints k + 1, step-k prints k
            assert digits[0] == len(str(step)), file


def test_the_published_files_are_cleaned_as_a_folder(test_data: Path, tmp_path: Path) -> None:
    source = test_data / "ikea-manuals-at-work" / "manual_img_published"
    report = clean_folder(source, tmp_path / "out")
    assert (len(report.files), report.numbers, report.written) == (13, 10, 13)
    for file in report.files:
        same = (source / file.path).read_bytes() == (tmp_path / "out" / file.cleaned).read_bytes()
        assert same == file.path.startswith("Desk/pahl/")
        assert same == (not file.numbers)
    assert clean_folder(source, tmp_path / "out").written == 0
