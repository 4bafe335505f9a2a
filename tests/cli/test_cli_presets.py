"""The flag --preset: the published settings of a model."""

from pathlib import Path

import pytest

import chronotope as ct
from chronotope.api.presets import with_preset
from chronotope.cli.flags import flag_of
from chronotope.cli.run import preset_help
from chronotope.errors import InputError
from chronotope.families import families, family
from chronotope.make import import_release
from commands import command
from m3_released import row, write_release


def test_a_preset_stands_for_its_flags() -> None:
    fields, body = with_preset("gemini-2.5-pro", family("m3"), {"seed": 3}, {"seed": 1})
    assert fields == {"seed": 3, "rate": 2.0, "size": "native"}
    assert body == {"seed": 1, "thinking": 128}
    assert with_preset("gpt-5", family("m3"), {}, {})[1] == {"reasoning_effort": "low"}


def test_presets_are_settings_of_their_families_and_stand_in_the_help() -> None:
    told = preset_help()
    for chosen in families().values():
        for name, preset in chosen.paper.presets.items():
            chosen.RunSettings(**preset.settings)
            assert name in told


def test_a_preset_is_one_of_the_published_ways() -> None:
    reference = family("m3").paper.reference
    assert reference is not None
    ways = [one for one in reference().ways if one.method is None and one.group is None]
    apart = {
        name
        for name, preset in family("m3").paper.presets.items()
        if not any(
            all(value in way.fixed[key] for key, value in ({"rate": None, "frames": None} | preset.settings).items())
            and {key: [value] for key, value in preset.body.items()} == {k: list(v) for k, v in way.extra.items()}
            for way in ways
        )
    }
    assert apart == {"video-xl-2"}  # the words between its two videos are our own


@pytest.mark.parametrize(
    ("name", "of", "fields", "body", "words"),
    [
        ("gpt-4", "m3", {}, {}, "is not a preset of the family m3: expected one of gpt-5, gemini"),
        ("gpt-5", "sti", {}, {}, "this family has no presets"),
        ("gpt-5", "m3", {"frames": 8}, {}, "--frames: --preset gpt-5 sets it, too: omit one of the two flags"),
        ("gpt-5", "m3", {}, {"reasoning_effort": "high"}, "--set reasoning_effort=…: --preset gpt-5 sets it, too"),
    ],
)
def test_what_a_preset_cannot_be_combined_with(
    name: str, of: str, fields: dict[str, int], body: dict[str, str], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        with_preset(name, family(of), fields, body, flag_of, "flags")


def test_a_run_has_the_settings_of_its_preset(tmp_path: Path) -> None:
    release = write_release(tmp_path / "release", [row(0)], scenes=("scene_0",))
    import_release("m3", release, tmp_path / "bench")
    words = ["run", str(tmp_path / "bench"), "--model", "baseline/random", "--out", str(tmp_path / "run")]
    command(*words, "--preset", "qwen3-vl-235b", code=0)
    card = (tmp_path / "run" / "run.yaml").read_text()
    assert "rate: 1.0" in card and "size: 448x448" in card
    again = ct.run(tmp_path / "bench", "baseline/random", preset="qwen3-vl-235b", out=tmp_path / "run")
    assert again.outcome.asked == 0, "the same run from Python"
    with pytest.raises(InputError, match=r"^rate: preset qwen3-vl-235b sets it, too: omit one of the two parameters"):
        ct.run(tmp_path / "bench", "baseline/random", preset="qwen3-vl-235b", rate=2)
