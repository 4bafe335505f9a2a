"""Things of homes: closed shapes of the stated size, shelves that carry, and states that show."""

from dataclasses import fields, replace

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from chronotope.world.camera import look_at
from chronotope.world.film_set import FilmSet, Light, Placement
from chronotope.world.quality import Quality
from chronotope.world.render import render
from chronotope.world.things import HOME_KINDS, HomeState, draw_home_thing

SEEDS = (3, 4)
OTHER = {
    "openness": 1.0,
    "on": True,
    "dirty": True,
    "sliced": True,
    "broken": True,
    "cooked": True,
    "liquid": "water",
    "used_up": True,
}


def things(name, state=None):
    return [draw_home_thing(name, seed, state) for seed in SEEDS]


def placed(made):
    """Vertices and faces of all pieces, in the frame of the model."""
    first, vertices, faces = 0, [], []
    for piece in made.thing.pieces:
        vertices.append(piece.vertices - made.origin)
        faces.append(piece.faces + first)
        first += len(piece.vertices)
    return np.concatenate(vertices), np.concatenate(faces)


def content(made):
    """Everything that is drawn of a thing, as bytes."""
    parts = []
    for piece in made.thing.pieces:
        look = piece.look
        parts += [piece.vertices.tobytes(), piece.faces.tobytes(), repr((look.colour, look.specular)).encode()]
        parts.append(b"" if look.texture is None else look.texture.tobytes())
    return b"".join(parts)


@pytest.mark.parametrize("name", HOME_KINDS)
def test_a_closed_thing_has_the_stated_size_and_stands_in_the_middle(name):
    kind = HOME_KINDS[name]
    for made in things(name):
        vertices, _ = placed(made)
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        assert np.all(high - low <= np.array([bounds[1] for bounds in kind.sizes]) + 1e-3), high - low
        assert -1e-4 <= low[2] <= 2e-3
        assert abs(low[1] + high[1]) / 2 < 0.01
        if kind.mount == "wall":
            assert -1e-4 <= low[0] <= 2e-3
        else:
            assert abs(low[0] + high[0]) / 2 < 0.03
        assert sum(len(piece.faces) for piece in made.thing.pieces) <= 5000


@pytest.mark.parametrize("name", HOME_KINDS)
def test_meshes_are_closed_and_face_outwards(name):
    for made in things(name):
        for piece in made.thing.pieces:
            _, weld = np.unique(np.round(piece.vertices / 1e-6).astype(np.int64), axis=0, return_inverse=True)
            faces = weld.ravel()[piece.faces]
            count = faces.max() + 1
            start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
            used, times = np.unique(start * count + end, return_counts=True)
            back, returned = np.unique(end * count + start, return_counts=True)
            assert np.array_equal(used, back), "an edge is open"
            assert np.array_equal(times, returned), "an edge is open"
            graph = coo_matrix((np.ones(len(start)), (start, end)), shape=(count, count))
            part = connected_components(graph, directed=False)[1][faces[:, 0]]
            a, b, c = (piece.vertices[piece.faces[:, k]] for k in range(3))
            volume = np.bincount(part, np.einsum("ij,ij->i", a, np.cross(b, c)) / 6)
            assert volume[np.unique(part)].min() > 0, "a part faces inwards"


def hits(vertices, faces, points):
    """Heights at which the vertical line through each point (x, y) meets the triangles."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    area = (b[:, 0] - a[:, 0]) * (c[:, 1] - a[:, 1]) - (b[:, 1] - a[:, 1]) * (c[:, 0] - a[:, 0])
    keep = np.abs(area) > 1e-12
    a, b, c, area = a[keep], b[keep], c[keep], area[keep]
    found = []
    for x, y in points:
        u = ((x - a[:, 0]) * (c[:, 1] - a[:, 1]) - (y - a[:, 1]) * (c[:, 0] - a[:, 0])) / area
        v = ((b[:, 0] - a[:, 0]) * (y - a[:, 1]) - (b[:, 1] - a[:, 1]) * (x - a[:, 0])) / area
        met = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9)
        found.append((a[:, 2] + u * (b[:, 2] - a[:, 2]) + v * (c[:, 2] - a[:, 2]))[met])
    return found


@pytest.mark.parametrize("openness", [0.0, 1.0])
@pytest.mark.parametrize("name", HOME_KINDS)
def test_shelves_lie_on_the_thing_and_are_free(name, openness):
    if openness and "openness" not in HOME_KINDS[name].shows:
        pytest.skip("it does not open")
    for made in things(name, HomeState(openness=openness)):
        vertices, faces = placed(made)
        for shelf in made.shelves:
            x, y, z = shelf.centre
            assert shelf.closed == (shelf.inside and "openness" in HOME_KINDS[name].shows and not openness)
            grid = np.array([(i, j) for i in (-0.49, 0.03, 0.49) for j in (-0.49, 0.04, 0.49)])
            for heights in hits(vertices, faces, grid * (shelf.length, shelf.width) + (x, y)):
                below = heights[heights <= z + 5e-4]
                assert below.size, (made.seed, shelf)
                assert z - below.max() <= 2e-3, (made.seed, shelf, below.max())
                above = heights[heights > z + 5e-4]
                assert not np.any(above < z + shelf.clear), (made.seed, shelf, above)


@pytest.mark.parametrize("name", HOME_KINDS)
def test_only_the_shown_states_change_a_thing(name):
    for seed in SEEDS:
        plain = content(draw_home_thing(name, seed))
        assert content(draw_home_thing(name, seed)) == plain
        for item in fields(HomeState):
            other = replace(HomeState(), **{item.name: OTHER[item.name]})
            if item.name in HOME_KINDS[name].shows or seed == SEEDS[0]:
                assert (content(draw_home_thing(name, seed, other)) != plain) == (item.name in HOME_KINDS[name].shows)


def photo(made, reach):
    """Draw a thing from its front and a little above (224, 224, 3)."""
    pose = made.pose(np.eye(4))
    middle = np.array([0, 0, made.kind.sizes[2][1] / 2])
    position = middle + np.array([2.6, 0.8, 0.9]) * reach
    lights = (Light(tuple(position), tuple(middle - position), (0.6, 0.6, 0.6)),)
    film = FilmSet((Placement("thing", made.thing, pose),), (), lights, far=20 + 3 * reach, near=0.1 * reach)
    quality = Quality("fast", 224, 224, 10, (1.0, 1.0), 256, 2, 20)
    return next(iter(render(film, quality, 350.0, look_at(position[None], middle[None].copy())))).rgb


@pytest.mark.slow
@pytest.mark.usefixtures("drawable")
@pytest.mark.parametrize("name", [name for name, kind in HOME_KINDS.items() if kind.shows])
def test_every_state_can_be_seen(name):
    kind = HOME_KINDS[name]
    reach = max(bounds[1] for bounds in kind.sizes)
    for seed in SEEDS:
        plain = photo(draw_home_thing(name, seed), reach).astype(int)
        for shown in kind.shows:
            other = replace(HomeState(), **{shown: OTHER[shown]})
            changed = np.abs(photo(draw_home_thing(name, seed, other), reach) - plain).max(axis=2) > 24
            assert changed.sum() > 40, (seed, shown, int(changed.sum()))
