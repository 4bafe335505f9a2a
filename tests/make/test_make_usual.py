"""What homes are drawn with if no flag says it: light as in a photograph, and the user's furniture."""

import pytest

from chronotope.make import BuildRequest
from chronotope.make.sources.find import find_origins
from chronotope.world import assets_place, usual, usual_quality, world_kinds


def request(tmp_path, source="world:walk:1", **more):
    return BuildRequest("sti", source, tmp_path / "out", **more)


def found(asked):
    origins = find_origins(asked, "scene", keep_going=False)
    return origins.found[0], origins.notes.get(asked.source, ())


@pytest.mark.parametrize("kind", ["walk", "house"])
def test_homes_are_drawn_with_baked_light_where_embree_is(tmp_path, monkeypatch, kind):
    source = f"world:{kind}:1"
    monkeypatch.setattr(usual, "find_spec", lambda name: name == "embreex")
    origin, notes = found(request(tmp_path, source))
    assert origin.quality == "photo" and notes == ()
    assert "--quality photo" in request(tmp_path, source).command


def test_without_embree_they_are_as_before_and_a_note_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(usual, "find_spec", lambda name: None)
    origin, [note] = found(request(tmp_path))
    assert origin.quality == "full" and "pip install 'chronotope[world]'" in note
    assert "--quality full" in request(tmp_path).command
    assert found(request(tmp_path, quality="full"))[1] == ()  # who asks for it needs no note


def test_tables_are_drawn_as_before(tmp_path):
    assert usual_quality("table") == "full"
    origin, notes = found(request(tmp_path, "world:table:1"))
    assert origin.quality == "full" and notes == ()


def test_a_walk_has_the_same_size_and_length_with_baked_light_as_without(tmp_path):
    full, photo = (world_kinds()["walk"].qualities[name] for name in ("full", "photo"))
    assert (photo.width, photo.height, photo.fps, photo.seconds) == (full.width, full.height, full.fps, full.seconds)


def test_the_users_furniture_is_used_if_it_is_there_and_no_quality_is_named(tmp_path, monkeypatch):
    place = tmp_path / "furniture"
    monkeypatch.setenv("CHRONOTOPE_ASSETS", str(place))
    assert assets_place() == place and request(tmp_path).drawn_assets is None
    place.mkdir()
    (place / "index.json").write_text('{"format": "chronotope-assets", "settings": "0", "assets": []}')
    assert request(tmp_path).drawn_assets == place
    assert "--assets furniture" in request(tmp_path).command
    origin, notes = found(request(tmp_path))
    assert origin.assets == place and any(str(place) in note for note in notes)
    # a named quality, a house file or a table means the same everywhere
    assert request(tmp_path, quality="full").drawn_assets is None
    assert request(tmp_path, "world:table:1").drawn_assets is None
    house = tmp_path / "house.json"
    house.write_text("{}")
    assert request(tmp_path, f"world:house:{house}").drawn_assets is None


def test_a_build_is_called_by_its_source(tmp_path):
    """The line about its progress says what is built, not the folder that it is written into."""
    named = (("world:walk:6", "world:walk:6"), (tmp_path / "clips", "clips"), (str(tmp_path), tmp_path.name))
    for source, words in named:
        assert BuildRequest("sti", source, tmp_path / "bench").called == words
