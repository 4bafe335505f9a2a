"""The page with one scene of each task: code writes the same words again, and its pictures are there and small."""

import importlib.util
import re
from pathlib import Path

import pytest
from PIL import Image

import chronotope as ct

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
HEAVIEST = 80_000  # bytes


def script():
    spec = importlib.util.spec_from_file_location("stage_cards", ROOT / "examples" / "stage_cards.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pictures_are_there_and_small():
    page = (DOCS / "stage-cards.md").read_text(encoding="utf-8")
    pictures = re.findall(r"\((images/stage-\w+\.jpg)\)", page)
    assert len(set(pictures)) == 12
    for picture in pictures:
        assert (DOCS / picture).stat().st_size < HEAVIEST
        with Image.open(DOCS / picture) as opened:
            assert opened.width > 700
    assert page.count("```yaml") == page.count("| level | question |") == 12


@pytest.mark.slow
def test_code_writes_the_same_words_again(tmp_path):
    ct.build("vgenst", "world:stage:12", tmp_path / "stages", seed=3, quality="fast", options={"render": False})
    page = script().page_of(tmp_path / "stages")
    assert page == (DOCS / "stage-cards.md").read_text(encoding="utf-8"), (
        "run examples/stage_cards.py anew, as its head says"
    )
