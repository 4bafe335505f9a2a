"""Belongings, toiletries and small devices of homes."""

from dataclasses import replace

import numpy as np

from chronotope.world.catalogue import desk as desk_things
from chronotope.world.catalogue import found, household, paperware, toys
from chronotope.world.catalogue.colours import plain
from chronotope.world.catalogue.homes.effects import adapted, soiled
from chronotope.world.catalogue.homes.joinery import board, pane, rod, tilted
from chronotope.world.catalogue.homes.kind import HomeKind, HomeState, Model
from chronotope.world.catalogue.homes.pictures import broadcast
from chronotope.world.catalogue.mesh import block, cylinder, ellipsoid, fillet, lathe, merge, moved, turned
from chronotope.world.catalogue.things import Look, Paint

__all__ = ["KINDS"]

_DARK, _PALE, _STEEL = (0.09, 0.09, 0.10), (0.95, 0.94, 0.90), (0.72, 0.73, 0.75)
_CARD = (0.66, 0.50, 0.33)
_BRIGHT = ("red", "orange", "yellow", "green", "blue", "purple", "pink")


def _screen(generator: np.random.Generator) -> Look:
    """Draw a dark or a bright screen."""
    picture, is_on = broadcast(generator), bool(generator.random() < 0.6)
    return Look((1.0, 1.0, 1.0), 0.1, 0.1, picture) if is_on else plain((0.03, 0.03, 0.04), "glass")


def _laptop(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a laptop; its lid turns about the rear edge, and its screen looks towards +x."""
    deep, wide = float(size[0]), float(size[1])
    half, thick = deep / 2, 0.010
    base = board((-half, -wide / 2, 0), (half, wide / 2, 1.2 * thick))
    keys = board((-0.75 * half, -0.42 * wide, 1.2 * thick), (0.1 * half, 0.42 * wide, 1.2 * thick + 0.002))
    pad = board((0.35 * half, -0.13 * wide, 1.2 * thick), (0.85 * half, 0.13 * wide, 1.2 * thick + 0.0015))
    # The lid is made upright behind the base, and then turned down to its angle.
    low = 1.2 * thick
    lid = board((-half, -wide / 2, low), (-half + 0.7 * thick, wide / 2, low + deep - 0.004))
    glass = pane((-0.45 * wide, low + 0.02), (0.45 * wide, low + deep - 0.02), -half + 0.7 * thick, 0.001)
    degrees = 90 - 110 * state.openness if state.openness > 0 else 90
    lid, glass = (tilted(mesh, (-half, low + 0.0012), degrees) for mesh in (lid, glass))
    look = _screen(generator)
    parts = (
        (merge(base, lid), paint.look),
        (merge(keys, pad), plain(_DARK, "plastic")),
        (glass, look),
    )
    return Model(parts, (base.vertices, lid.vertices))


def _phone(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a telephone that lies on its back; broken, white cracks cross its screen."""
    length, width, height = (float(each) for each in size)
    body = moved(block((length, width, height), 0.002, 0.008), by=(0, 0, height / 2))
    glass = moved(block((0.92 * length, 0.88 * width, 0.001), 0.0, 0.006), by=(0, 0, height))
    bright = tuple(float(each) for each in generator.uniform(0.45, 0.95, 3))
    lit = plain((bright[0], bright[1], bright[2]), "glass") if state.on else plain((0.03, 0.03, 0.04), "glass")
    angles = generator.uniform(0, 180, 6)
    parts: list[tuple[object, Look]] = [(body, paint.look), (glass, lit)]
    if state.broken:
        cracks = [turned(block((0.8 * width, 0.0025, 0.001), 0), "z", float(angle)) for angle in angles]
        parts.append((moved(merge(*cracks), by=(0.1 * length, 0, height + 0.001)), plain(_PALE, "glass")))
    return Model(tuple(parts), (body.vertices,))  # pyright: ignore[reportArgumentType]


def _remote(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a remote control with rows of buttons."""
    length, width, height = (float(each) for each in size)
    body = moved(block((length, width, 0.85 * height), 0.003, 0.008), by=(0, 0, 0.425 * height))
    dots = [
        moved(cylinder(0.13 * width, 0.15 * height, "z", 0.0005, 12), by=(x * length, y * width, 0.92 * height))
        for x in (-0.35, -0.2, -0.05, 0.1)
        for y in (-0.28, 0.0, 0.28)
    ]
    power = moved(cylinder(0.14 * width, 0.15 * height, "z", 0.0005, 12), by=(0.36 * length, 0, 0.92 * height))
    light = plain(_PALE if paint.colour == "black" else _DARK, "rubber")
    return Model(
        ((body, paint.look), (merge(*dots), light), (power, plain((0.8, 0.1, 0.1), "rubber"))), (body.vertices,)
    )


def _coffee_machine(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a coffee machine; switched on, its lamp is lit and coffee runs into the tray."""
    deep, wide, tall = (float(each) for each in size)
    a, b = deep / 2, wide / 2
    tower = board((-a, -b, 0), (-0.1 * a, b, tall))
    head = board((-0.1 * a, -0.8 * b, 0.68 * tall), (0.8 * a, 0.8 * b, tall))
    tray = board((-0.1 * a, -0.8 * b, 0), (a, 0.8 * b, 0.10 * tall))
    nozzle = rod((0.4 * a, 0, 0.69 * tall), (0.4 * a, 0, 0.58 * tall), 0.014, 12)
    lamp = moved(ellipsoid((0.008, 0.022, 0.022), 14), by=(0.8 * a, 0, 0.86 * tall))
    glow = Look((0.15, 0.95, 0.25), 0.2, 0.2) if state.on else plain((0.05, 0.12, 0.06), "glass")
    parts = [
        (merge(tower, head), paint.look),
        (merge(tray, nozzle), plain(_STEEL, "steel")),
        (lamp, glow),
    ]
    if state.on:
        stream = rod((0.4 * a, 0, 0.10 * tall), (0.4 * a, 0, 0.60 * tall), 0.010, 10)
        pool = moved(cylinder(0.05, 0.004, "z", 0, 20), by=(0.4 * a, 0, 0.10 * tall + 0.002))
        parts.append((merge(stream, pool), plain((0.24, 0.13, 0.06), "glass")))
    return Model(tuple(parts), (tower.vertices, head.vertices, tray.vertices))


def _toaster(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a toaster with two slices of bread; if it is on, these are down and the slots glow."""
    deep, wide, tall = (float(each) for each in size)
    body = moved(block((deep, wide, 0.92 * tall), 0.02, 0.03), by=(0, 0, 0.46 * tall))
    slots = merge(
        *(moved(block((0.72 * deep, 0.12 * wide, 0.006), 0.001), by=(0, y * wide, 0.92 * tall)) for y in (-0.2, 0.2))
    )
    lever = board((0.5 * deep - 0.002, -0.02, 0.55 * tall), (0.5 * deep + 0.018, 0.02, 0.62 * tall))
    slot = Look((1.0, 0.42, 0.08), 0.0, 0.0) if state.on else plain(_DARK, "steel")
    rise = [
        board((-0.25 * deep, y * wide - 0.008, 0.92 * tall), (0.25 * deep, y * wide + 0.008, tall)) for y in (-0.2, 0.2)
    ]
    parts = [(body, paint.look), (slots, slot), (lever, plain(_DARK, "plastic"))]
    if not state.on:
        parts.append((merge(*rise), plain((0.78, 0.55, 0.28), "fruit")))
    return Model(tuple(parts), (body.vertices,))


def _candle(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState, model: Model) -> Model:
    if not state.on:
        return model
    flame = moved(ellipsoid((0.007, 0.007, 0.018), 14), by=(0, 0, size[2] + 0.012))
    return replace(model, parts=(*model.parts, (flame, Look((1.0, 0.80, 0.25), 0.0, 0.0))))


def _book(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState, model: Model) -> Model:
    """Open a book: two halves of white pages side by side on the open cover."""
    if state.openness <= 0:
        return model
    deep, wide, tall = (float(each) for each in size)
    thin = max(0.5 * tall, 0.008)
    cover = board((-deep / 2, -wide, 0), (deep / 2, wide, 0.003))
    pages = [
        moved(block((0.94 * deep, 0.95 * wide, thin), 0.003), by=(0, y * 0.5 * wide, 0.003 + thin / 2)) for y in (-1, 1)
    ]
    lines = [
        board((x * deep, y * wide + 0.1 * wide, 0.003 + thin), (x * deep + 0.004, y * wide + 0.8 * wide, 0.0035 + thin))
        for x in np.linspace(-0.38, 0.38, 9).tolist()
        for y in (-0.97, 0.03)
    ]
    parts = (
        (cover, paint.look),
        (merge(*pages), plain(_PALE, "paper")),
        (merge(*lines), plain((0.35, 0.35, 0.36), "paper")),
    )
    return Model(parts, (cover.vertices, *(page.vertices for page in pages)))


def _roll(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make an upright roll of paper; used up, only its brown core is left."""
    radius, tall = min(float(size[0]), float(size[1])) / 2, float(size[2])
    core = lathe(
        np.array([(0.30 * radius, 0), (0.36 * radius, 0), (0.36 * radius, tall), (0.30 * radius, tall)]),
        24,
        closed=True,
    )
    if state.used_up:
        return Model(((core, plain(_CARD, "cardboard")),), (core.vertices,))
    outer = fillet([(0.37 * radius, 0), (radius, 0), (radius, 0.99 * tall), (0.37 * radius, 0.99 * tall)], 0.004)
    paper = lathe(outer, 32, closed=True)
    return Model(((core, plain(_CARD, "cardboard")), (paper, paint.look)), (paper.vertices,))


def _tissue_box(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a box of tissues; used up, no tissue sticks out of the dark slot."""
    deep, wide, tall = float(size[0]), float(size[1]), 0.75 * float(size[2])
    body = moved(block((deep, wide, tall), 0.002), by=(0, 0, tall / 2))
    slot = moved(block((0.22 * deep, 0.62 * wide, 0.002), 0, 0.01), by=(0, 0, tall))
    lean = float(generator.uniform(-25, 25))
    parts = [(body, paint.look), (slot, plain(_DARK, "paper"))]
    if not state.used_up:
        fold = [
            moved(
                turned(block((0.004, 0.34 * wide, 0.28 * tall), 0.001), "z", lean + k * 35),
                by=(0, 0, tall + 0.14 * tall),
            )
            for k in (-1, 0, 1)
        ]
        parts.append((merge(*fold), plain(_PALE, "fabric")))
    return Model(tuple(parts), (body.vertices,))


def _soap_bottle(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a clear pump bottle with coloured soap; used up, it is clear and empty."""
    radius, tall = min(float(size[0]), float(size[1])) / 2, float(size[2])
    shoulder = float(generator.uniform(0.55, 0.65)) * tall
    level = shoulder * 0.85
    lower = lathe(fillet([(0, 0), (radius, 0), (radius, level), (0, level)], 0.004), 28)
    upper = lathe(
        np.array(
            [(0, level), (radius, level), (0.9 * radius, shoulder), (0.3 * radius, 0.72 * tall), (0, 0.72 * tall)]
        ),
        28,
    )
    neck = rod((0, 0, 0.72 * tall), (0, 0, 0.96 * tall), 0.008, 12)
    spout = rod((0, 0, 0.97 * tall), (min(radius, 0.045), 0, 0.955 * tall), 0.007, 10)
    clear = plain((0.86, 0.89, 0.91), "glass")
    soap = clear if state.used_up else paint.look
    return Model(
        ((lower, soap), (upper, clear), (merge(neck, spout), plain(_PALE, "plastic"))),
        (lower.vertices, upper.vertices, neck.vertices, spout.vertices),
    )


def _pillow(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a soft pillow with thin edges."""
    body = block((1.0, 1.0, 1.0), 0.12, 0.10, steps=4)
    x, y = body.vertices[:, 0], body.vertices[:, 1]
    full = (1 - (2 * np.abs(x)) ** 4) * (1 - (2 * np.abs(y)) ** 4)
    flat = body.vertices * np.column_stack([np.ones((len(x), 2)), 0.15 + 0.85 * np.clip(full, 0, 1)])
    body = moved(body._replace(vertices=flat * size), by=(0, 0, size[2] / 2))
    body = body._replace(vertices=body.vertices - [0, 0, body.vertices[:, 2].min()])
    return Model(((body, paint.look),), (body.vertices,))


def _newspaper(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a folded newspaper with a headline, columns and a picture."""
    length, width, height = (float(each) for each in size)
    body = moved(block((length, width, height), 0.004), by=(0, 0, height / 2))
    marks = [board((-0.42 * length, -0.42 * width, height), (-0.32 * length, 0.42 * width, height + 0.0006))]
    marks += [
        board((x * length, y * width, height), (x * length + 0.006, (y + 0.24) * width, height + 0.0006))
        for x in np.linspace(-0.22, 0.42, 8).tolist()
        for y in (-0.42, -0.12)
    ]
    photo = board((-0.2 * length, 0.18 * width, height), (0.25 * length, 0.44 * width, height + 0.0006))
    tint = plain((0.45, 0.52, 0.60), "paper")
    return Model(
        ((body, plain((0.88, 0.87, 0.83), "paper")), (merge(*marks), plain((0.2, 0.2, 0.21), "paper")), (photo, tint)),
        (body.vertices,),
    )


def _stick(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a pen or pencil that lies along x."""
    length, radius = float(size[0]), float(min(size[1], size[2])) / 2
    shaft = rod((-length / 2, 0, radius), (0.36 * length, 0, radius), radius, 10)
    tip = rod((0.36 * length, 0, radius), (length / 2, 0, radius), (radius, 0.15 * radius), 10)
    return Model(((shaft, paint.look), (tip, plain((0.85, 0.70, 0.45), "wood"))), (shaft.vertices, tip.vertices))


def _cloth(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a folded cloth of three layers."""
    length, width, height = (float(each) for each in size)
    layers = [
        moved(block((length * s, width * s, 0.34 * height), 0.14 * height, 0.01), by=(0, 0, (0.17 + 0.33 * k) * height))
        for k, s in enumerate((1.0, 0.985, 0.97))
    ]
    model = Model(((merge(*layers), paint.look),), tuple(layer.vertices for layer in layers))
    child = np.random.default_rng(generator.integers(2**31))
    return soiled(child, paint, model) if state.dirty else model


def _soap_bar(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    body = moved(block(size.tolist(), 0.4 * float(size[2]), 0.4 * float(size[1])), by=(0, 0, size[2] / 2))
    return Model(((body, paint.look),), (body.vertices,))


def _card(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a bank card with a golden chip and a dark stripe."""
    length, width, height = (float(each) for each in size)
    body = moved(block((length, width, height), 0, 0.004), by=(0, 0, height / 2))
    chip = board((-0.3 * length, -0.12 * width, height), (-0.12 * length, 0.12 * width, height + 0.0006))
    line = board((-0.45 * length, -0.4 * width, height), (0.45 * length, -0.25 * width, height + 0.0006))
    return Model(
        ((body, paint.look), (chip, plain((0.85, 0.68, 0.25), "metal")), (line, plain(_DARK, "plastic"))),
        (body.vertices,),
    )


def _ball(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make an orange basketball with black seams."""
    radius = float(size.min()) / 2
    ball = ellipsoid(radius, 28)
    seam = lathe(
        np.array(
            [(radius - 0.002, -0.003), (radius + 0.0006, -0.003), (radius + 0.0006, 0.003), (radius - 0.002, 0.003)]
        ),
        32,
        closed=True,
    )
    seams = merge(seam, turned(seam, "x", 90), turned(seam, "y", 90))
    by = (0, 0, radius)
    return Model(
        ((moved(ball, by=by), plain((0.86, 0.42, 0.14), "rubber")), (moved(seams, by=by), plain(_DARK, "rubber"))),
        (moved(ball, by=by).vertices,),
    )


def _plunger(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a plunger: a rubber cup below a wooden stick."""
    radius, tall = float(min(size[0], size[1])) / 2, float(size[2])
    cup = lathe(
        np.array([(0, 0), (radius, 0), (0.92 * radius, 0.06), (0.4 * radius, 0.10), (0.02, 0.115), (0, 0.115)]), 28
    )
    stick = rod((0, 0, 0.11), (0, 0, tall), 0.011, 12)
    return Model(((cup, paint.look), (stick, plain((0.76, 0.58, 0.36), "wood"))), (cup.vertices, stick.vertices))


def _brush(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a toilet brush in its holder."""
    radius, tall = float(min(size[0], size[1])) / 2, float(size[2])
    holder = lathe(fillet([(0, 0), (radius, 0), (0.8 * radius, 0.38 * tall), (0, 0.38 * tall)], 0.006), 28)
    stick = rod((0, 0, 0.37 * tall), (0, 0, tall), 0.009, 12)
    collar = moved(cylinder(0.55 * radius, 0.02, "z", 0.003, 24), by=(0, 0, 0.38 * tall + 0.009))
    return Model(
        ((merge(holder, collar), paint.look), (stick, plain(_STEEL, "steel"))), (holder.vertices, stick.vertices)
    )


KINDS: tuple[HomeKind, ...] = (
    HomeKind(
        "Laptop",
        "laptop",
        ("white", "black", "blue", "pink"),
        ("plastic",),
        ((0.22, 0.26), (0.32, 0.38), (0.02, 0.022)),
        _laptop,
        "surface",
        front="its keyboard",
        shows=frozenset({"openness"}),
    ),
    HomeKind(
        "CellPhone",
        "mobile phone",
        ("black", "white", "red", "blue"),
        ("plastic",),
        ((0.14, 0.16), (0.068, 0.08), (0.008, 0.011)),
        _phone,
        "surface",
        symmetry="half",
        along="its two short sides",
        shows=frozenset({"on", "broken"}),
    ),
    HomeKind(
        "RemoteControl",
        "remote control",
        ("black", "white"),
        ("plastic",),
        ((0.19, 0.22), (0.045, 0.06), (0.018, 0.024)),
        _remote,
        "surface",
        front="its red button",
    ),
    HomeKind(
        "CoffeeMachine",
        "coffee machine",
        ("red", "white", "black"),
        ("plastic",),
        ((0.30, 0.38), (0.24, 0.30), (0.36, 0.42)),
        _coffee_machine,
        "surface",
        front="its tray",
        shows=frozenset({"on"}),
    ),
    HomeKind(
        "Toaster",
        "toaster",
        ("red", "white", "black", "blue"),
        ("metal",),
        ((0.30, 0.36), (0.18, 0.22), (0.19, 0.23)),
        _toaster,
        "surface",
        front="its lever",
        shows=frozenset({"on"}),
    ),
    HomeKind(
        "AlarmClock",
        "alarm clock",
        ("red", "yellow", "green", "blue", "white", "black"),
        ("metal",),
        ((0.10, 0.14), (0.05, 0.07), (0.12, 0.17)),
        adapted(household.alarm_clock),
        "surface",
        symmetry="half",
    ),
    HomeKind(
        "Candle",
        "candle",
        (*_BRIGHT, "white"),
        ("wax",),
        ((0.05, 0.08), (0.05, 0.08), (0.09, 0.19)),
        adapted(household.candle, _candle),
        "surface",
        symmetry="any",
        shows=frozenset({"on"}),
    ),
    HomeKind(
        "Book",
        "book",
        (*_BRIGHT, "white", "black"),
        ("paper",),
        ((0.20, 0.28), (0.14, 0.2), (0.02, 0.045)),
        adapted(paperware.book, _book),
        "surface",
        symmetry="half",
        shows=frozenset({"openness"}),
    ),
    HomeKind(
        "ToiletPaper",
        "roll of toilet paper",
        ("white",),
        ("paper",),
        ((0.10, 0.12), (0.10, 0.12), (0.095, 0.105)),
        _roll,
        "surface",
        symmetry="any",
        shows=frozenset({"used_up"}),
    ),
    HomeKind(
        "PaperTowelRoll",
        "roll of paper towels",
        ("white",),
        ("paper",),
        ((0.10, 0.13), (0.10, 0.13), (0.21, 0.25)),
        _roll,
        "surface",
        symmetry="any",
        shows=frozenset({"used_up"}),
    ),
    HomeKind(
        "TissueBox",
        "box of tissues",
        (*_BRIGHT, "white"),
        ("cardboard",),
        ((0.11, 0.13), (0.20, 0.24), (0.11, 0.15)),
        _tissue_box,
        "surface",
        symmetry="half",
        shows=frozenset({"used_up"}),
    ),
    HomeKind(
        "SoapBottle",
        "soap bottle",
        _BRIGHT,
        ("plastic",),
        ((0.06, 0.08), (0.06, 0.08), (0.17, 0.21)),
        _soap_bottle,
        "surface",
        front="its spout",
        shows=frozenset({"used_up"}),
    ),
    HomeKind(
        "SprayBottle",
        "spray bottle",
        (*_BRIGHT, "white"),
        ("plastic",),
        ((0.105, 0.12), (0.06, 0.075), (0.24, 0.27)),
        adapted(household.spray_bottle),
        "surface",
        front="its nozzle",
    ),
    HomeKind(
        "Pillow",
        "pillow",
        (*_BRIGHT, "white"),
        ("fabric",),
        ((0.34, 0.45), (0.42, 0.62), (0.11, 0.16)),
        _pillow,
        "surface",
        symmetry="half",
    ),
    HomeKind(
        "Newspaper",
        "newspaper",
        ("white",),
        ("paper",),
        ((0.18, 0.2), (0.28, 0.34), (0.019, 0.026)),
        _newspaper,
        "surface",
        front="its lower edge",
    ),
    HomeKind(
        "Pen",
        "pen",
        ("red", "blue", "black"),
        ("plastic",),
        ((0.14, 0.16), (0.011, 0.013), (0.011, 0.013)),
        _stick,
        "surface",
        front="its tip",
    ),
    HomeKind(
        "Pencil",
        "pencil",
        ("yellow", "green", "red"),
        ("wood",),
        ((0.15, 0.19), (0.010, 0.012), (0.010, 0.012)),
        _stick,
        "surface",
        front="its tip",
    ),
    HomeKind(
        "CreditCard",
        "bank card",
        ("blue", "red", "green", "black"),
        ("plastic",),
        ((0.0855, 0.086), (0.0535, 0.054), (0.003, 0.004)),
        _card,
        "surface",
        front="its edge far from the chip",
    ),
    HomeKind(
        "Cloth",
        "cloth",
        (*_BRIGHT, "white"),
        ("fabric",),
        ((0.16, 0.24), (0.16, 0.24), (0.025, 0.04)),
        _cloth,
        "surface",
        symmetry="quarter",
        shows=frozenset({"dirty"}),
    ),
    HomeKind(
        "SoapBar",
        "bar of soap",
        ("pink", "green", "white", "yellow"),
        ("wax",),
        ((0.085, 0.095), (0.05, 0.06), (0.024, 0.03)),
        _soap_bar,
        "surface",
        symmetry="half",
    ),
    HomeKind(
        "DishSponge",
        "sponge",
        ("yellow", "green", "blue", "pink"),
        ("fabric",),
        ((0.10, 0.12), (0.07, 0.08), (0.03, 0.04)),
        _cloth,
        "surface",
        symmetry="half",
    ),
    HomeKind(
        "TeddyBear",
        "teddy bear",
        ("brown", "pink", "blue", "white"),
        ("plush",),
        ((0.26, 0.33), (0.3, 0.42), (0.34, 0.46)),
        adapted(toys.teddy_bear),
        "surface",
        front="its face",
    ),
    HomeKind(
        "WateringCan",
        "watering can",
        ("red", "green", "blue", "white"),
        ("metal", "plastic"),
        ((0.26, 0.30), (0.13, 0.15), (0.18, 0.2)),
        adapted(household.watering_can),
        "surface",
        front="its spout",
    ),
    HomeKind(
        "Dumbbell",
        "dumbbell",
        ("red", "blue", "black", "pink"),
        ("iron",),
        ((0.28, 0.33), (0.11, 0.13), (0.11, 0.13)),
        adapted(desk_things.dumbbell),
        "surface",
        symmetry="half",
    ),
    HomeKind(
        "BasketBall",
        "basketball",
        ("orange",),
        ("rubber",),
        ((0.239, 0.24), (0.239, 0.24), (0.239, 0.24)),
        _ball,
        "floor",
        symmetry="any",
    ),
    HomeKind(
        "Boots",
        "boot",
        ("red", "blue", "brown", "white", "black"),
        ("leather",),
        ((0.26, 0.30), (0.09, 0.11), (0.3, 0.42)),
        adapted(found.boot),
        "floor",
        front="its toe",
    ),
    HomeKind(
        "Plunger",
        "plunger",
        ("red", "black", "brown"),
        ("rubber",),
        ((0.14, 0.15), (0.14, 0.15), (0.48, 0.54)),
        _plunger,
        "floor",
        symmetry="any",
    ),
    HomeKind(
        "ScrubBrush",
        "toilet brush",
        ("white", "blue", "black"),
        ("plastic",),
        ((0.11, 0.13), (0.11, 0.13), (0.36, 0.42)),
        _brush,
        "floor",
        symmetry="any",
    ),
)
