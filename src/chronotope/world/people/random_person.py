"""The random choice of a person: body, face, hair and clothes."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from scipy.spatial import ConvexHull

from chronotope.errors import InputError
from chronotope.world.people.body import AGE_GROUPS, ANCESTRIES, SEXES, AgeGroup, Ancestry, Sex, draw_build, make_body
from chronotope.world.people.face import SRGB, draw_complexion, eye_look, eye_uv, skin_picture, skin_uv
from chronotope.world.people.garments import CUTS, covered, make_garment, parts_of
from chronotope.world.people.hair import STYLES, HairKind, draw_hair_kind, make_hair
from chronotope.world.people.head import Head
from chronotope.world.people.measures import Measures
from chronotope.world.people.pack import open_pack
from chronotope.world.people.person import Garment, Person
from chronotope.world.people.sheet import Sheet, hemmed, kept, sheet_of
from chronotope.world.people.shoes import SOLE, make_socks, make_soles, make_uppers, opening
from chronotope.world.people.trims import make_collar, make_placket
from chronotope.world.people.wardrobe import WORN, draw_clothes, main_garment
from chronotope.world.rig import Weights
from chronotope.world.things import Look, Piece, Thing
from chronotope.world.things.colours import plain
from chronotope.world.things.thing import size_of

_Choice = TypeVar("_Choice", bound=str)

_BODY_MASS = 22.5  # kg/m², of a body of average weight
_AGES = (0.25, 0.55, 0.20)  # shares of the age groups
_DARK: tuple[SRGB, ...] = ((0.045, 0.040, 0.038), (0.09, 0.06, 0.045))
_FAIR: tuple[SRGB, ...] = ((0.20, 0.12, 0.07), (0.33, 0.21, 0.12), (0.62, 0.47, 0.27), (0.42, 0.18, 0.08))
_GREY: tuple[SRGB, ...] = ((0.52, 0.51, 0.50), (0.72, 0.71, 0.69), (0.38, 0.37, 0.36))
_SHOES: tuple[SRGB, ...] = ((0.10, 0.09, 0.09), (0.24, 0.14, 0.09), (0.80, 0.80, 0.78), (0.20, 0.22, 0.28))
_SOLES: tuple[SRGB, ...] = ((0.82, 0.82, 0.80), (0.12, 0.11, 0.11))
_SOCK: SRGB = (0.86, 0.86, 0.85)
_BUTTON: SRGB = (0.72, 0.70, 0.66)
_MARGIN = 0.018  # share of the stature by which skin goes on under cloth
_HEM, _THICK = 0.015, 0.0022  # depth and thickness of hems, as shares of the stature
_SKIRT, _NECK = 0.10, 0.06  # depth of linings, as shares of the stature
_UNDER = 0.06  # share of the stature by which cloth goes on under other cloth
_HIDDEN = 0.16  # heights of the skull over the eyes from the hairline from which on hair hides the skin


def draw_person(
    generator: np.random.Generator,
    sex: Sex | None = None,
    age: AgeGroup | None = None,
    ancestry: Ancestry | None = None,
    hair: HairKind | None = None,
    garments: Sequence[str] | None = None,
    colours: Mapping[str, str] | None = None,
) -> Person:
    """Draw a person; what is not given is drawn, too.

    ``garments`` are the nouns of ``garments.CUTS``, such as ("T-shirt", "trousers"), and ``colours`` maps some of them
    to colours of ``wardrobe.WORN``. The same state of the generator gives the same arrays.

    Raises:
        InputError: If an argument has a value that does not exist, or the garments leave a part of the body bare.
    """
    of_sex: Sex = _chosen(generator, "sex", sex, SEXES)
    group: AgeGroup = _chosen(generator, "age group", age, AGE_GROUPS, _AGES)
    origin: Ancestry = _chosen(generator, "ancestry", ancestry, ANCESTRIES)
    drawn = draw_hair_kind(generator, of_sex, group, origin)
    kind: HairKind = drawn if hair is None else _chosen(generator, "kind of hair", hair, tuple(STYLES))
    clothes = draw_clothes(generator, of_sex, group, garments, colours)
    body = make_body(draw_build(generator, of_sex, group, origin))
    measures, head = Measures(body), Head(body)
    colour = _hair_colour(generator, group, origin)
    tones = draw_complexion(generator, body, colour)
    pieces: list[tuple[str, Piece, Weights]] = []
    locks = make_hair(generator, measures, head, kind, colour)

    def add(part: str, sheet: Sheet, look: Look, uv: np.ndarray | None = None) -> None:
        pieces.append((part, Piece(sheet.vertices, sheet.faces, uv, look), sheet.weights()))

    skin = _bare(measures, head, clothes, STYLES[kind].receding)
    picture = skin_picture(generator, body, head, tones, STYLES[kind].receding, 0.85)
    add("skin", skin, Look((1.0, 1.0, 1.0), 0.06, 0.15, picture), skin_uv(head, skin.vertices))
    for name in ("left_eye", "right_eye"):
        ball = sheet_of(body, name)
        add("eye", ball, eye_look(tones), eye_uv(ball.vertices))
    pieces += [("hair", piece, weights) for piece, weights in locks]
    pieces += _dressed(generator, measures, clothes)
    pieces += _shod(generator, measures, bare=clothes[0].noun in ("shorts", "skirt"))
    return _person(measures, clothes, pieces)


def _chosen(
    generator: np.random.Generator,
    what: str,
    value: str | None,
    choice: Sequence[_Choice],
    shares: tuple[float, ...] | None = None,
) -> _Choice:
    # Drawn even if it is given, so that everything else stays the same.
    drawn = choice[int(generator.choice(len(choice), p=shares))]
    if value is None:
        return drawn
    if value not in choice:
        raise InputError(f"world: no {what} {value!r} for people: choose one of {', '.join(choice)}")
    return choice[choice.index(value)]


def _hair_colour(generator: np.random.Generator, age: AgeGroup, ancestry: Ancestry) -> SRGB:
    grey, number = float(generator.uniform(0, 1)), int(generator.integers(12))
    if age == "old" and grey < 0.85:
        return _GREY[number % len(_GREY)]
    choice = (*_DARK[1:], *_FAIR) if ancestry == "caucasian" else _DARK
    return choice[number % len(choice)]


def _bare(measures: Measures, head: Head, clothes: Sequence[Garment], receding: float) -> Sheet:
    """Return the skin that clothes, shoes and hair do not hide."""
    skin, s = sheet_of(measures.body, "body"), measures.stature
    points = skin.vertices
    inside = covered(measures, [kind for garment in clothes for kind in parts_of(garment.noun)], points, skin.shares)
    inside = np.maximum(inside, opening(measures) - points[:, 2] + 0.5 * _MARGIN * s) - _MARGIN * s
    ears = open_pack().masks["ears"][np.unique(open_pack().faces["body"])] > 0.02
    line = head.hairline(head.angle(points), receding) + _HIDDEN * head.rise
    inside = np.maximum(inside, np.where(ears, -1, points[:, 2] - line))
    return kept(skin, ~(inside[skin.faces] > 0).all(axis=1))


def _dressed(
    generator: np.random.Generator, measures: Measures, clothes: Sequence[Garment]
) -> list[tuple[str, Piece, Weights]]:
    """Make the clothes, from the skin outwards."""
    s = measures.stature
    pieces: list[tuple[str, Piece, Weights]] = []
    under: list[Sheet] = []
    for number, garment in enumerate(clothes):
        over = [kind for other in clothes[number + 1 :] for kind in parts_of(other.noun)]
        tint = np.array(WORN[garment.colour]) * generator.uniform(0.95, 1.03)
        red, green, blue = np.round(np.clip(tint, 0, 1), 4).tolist()
        look = plain((red, green, blue), "cloth")
        for kind in parts_of(garment.noun):
            sheet = make_garment(measures, kind, generator, under)
            under.append(sheet)
            done = _shown(measures, hemmed(sheet, _HEM * s, _THICK * s, _lining(measures, sheet, kind)), over)
            pieces.append((garment.noun, Piece(done.vertices, done.faces, None, look), done.weights()))
            if CUTS[kind].collar:
                collar = make_collar(measures, sheet)
                pieces.append((garment.noun, Piece(collar.vertices, collar.faces, None, look), collar.weights()))
            if CUTS[kind].buttons:
                contrast = plain(_BUTTON, "plastic")
                placket = make_placket(measures, sheet, look, contrast)
                pieces += [(garment.noun, piece, weights) for piece, weights in placket]
    return pieces


def _lining(measures: Measures, sheet: Sheet, kind: str) -> np.ndarray:
    """Return the depth (V,) m of the lining at each vertex: that of skirts, and at the neck."""
    layer, s = CUTS[kind].layer, measures.stature
    if layer == "skirt":
        return np.full(len(sheet.vertices), _SKIRT * s)
    is_high = (sheet.anchor[:, 2] > measures.body.joint("Neck")[2] - _NECK * s) & (layer != "bottom")
    return np.where(is_high & (measures.arm_share(sheet.shares) < 0.5), _NECK * s, 0.0)


def _shown(measures: Measures, sheet: Sheet, over: Sequence[str]) -> Sheet:
    """Leave out what other garments hide of a sheet."""
    if not over:
        return sheet
    deep = covered(measures, over, sheet.anchor, sheet.shares) > _UNDER * measures.stature
    return kept(sheet, ~deep[sheet.faces].all(axis=1))


def _shod(generator: np.random.Generator, measures: Measures, bare: bool) -> list[tuple[str, Piece, Weights]]:
    """Make the shoes, and socks if the lower legs are ``bare``."""
    shoe, sole = _SHOES[int(generator.integers(len(_SHOES)))], _SOLES[int(generator.integers(len(_SOLES)))]
    upper = make_uppers(measures)
    pieces = [("shoes", Piece(upper.vertices, upper.faces, None, plain(shoe, "leather")), upper.weights())]
    pieces.append(("shoes", *make_soles(measures, plain(sole, "rubber"))))
    socks = float(generator.uniform(0, 1)) < 0.6
    if bare and socks:
        sock = make_socks(measures, 1.72)
        pieces.append(("socks", Piece(sock.vertices, sock.faces, None, plain(_SOCK, "cloth")), sock.weights()))
    return pieces


def _person(measures: Measures, clothes: tuple[Garment, ...], parts: Sequence[tuple[str, Piece, Weights]]) -> Person:
    """Put the pieces together, standing on the soles."""
    body, pack = measures.body, open_pack()
    build, sole = body.build, SOLE * measures.stature
    up = np.array([0.0, 0.0, sole])
    pieces = tuple(
        replace(
            piece, vertices=np.round(piece.vertices + up, 6), uv=None if piece.uv is None else np.round(piece.uv, 5)
        )
        for _, piece, _ in parts
    )
    rest = np.tile(np.eye(4), (len(body.joints), 1, 1))
    rest[:, :3, 3] = np.round(body.joints + up, 6)
    main = main_garment(clothes)
    thing = Thing(
        "person",
        main.colour,
        "skin and cloth",
        pieces,
        size_of(pieces),
        "none",
        "the face",
        round(_BODY_MASS * (1 + 0.25 * build.weight) * build.stature**2, 1),
        tuple(_hull(piece) for (part, piece, _) in parts if part == "skin" or part in CUTS),
        None,
        called=f"{_who(build.sex, build.age)} in the {{colour}} {main.noun}",
    )
    ordered = (main, *(garment for garment in clothes if garment is not main))
    return Person(
        thing,
        pack.joint_names,
        pack.parents,
        rest,
        tuple(_rounded(weights) for _, _, weights in parts),
        tuple(part for part, _, _ in parts),
        round(build.stature, 4),
        sole,
        build.sex,
        build.age,
        ordered,
    )


def _who(sex: Sex, age: AgeGroup) -> str:
    if age == "child":
        return "girl" if sex == "female" else "boy"
    noun = "woman" if sex == "female" else "man"
    return f"old {noun}" if age == "old" else noun


def _hull(piece: Piece) -> np.ndarray:
    return piece.vertices[ConvexHull(piece.vertices).vertices]


def _rounded(weights: Weights) -> Weights:
    """Round shares so that their sum is still 1."""
    shares = np.round(weights.shares, 5)
    shares[:, 0] += 1 - shares.sum(axis=1)
    return Weights(weights.bones, shares)
