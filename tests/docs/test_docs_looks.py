"""The pictures of the page of looks: each is there, small, and drawn by the script that the page names."""

import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LARGEST, ALL = 120_000, 1_200_000  # bytes


def test_the_page_shows_what_its_script_draws_and_loads_fast() -> None:
    spec = importlib.util.spec_from_file_location("looks_sheets", ROOT / "examples" / "looks_sheets.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    drawn = {f"images/looks-{drawing.__name__.replace('_', '-')}.jpg" for drawing in script.PICTURES}
    page = (DOCS / "looks.md").read_text()
    assert set(re.findall(r"\((images/[^)]+)\)", page)) == drawn
    sizes = [(DOCS / name).stat().st_size for name in drawn]
    assert max(sizes) <= LARGEST and sum(sizes) <= ALL
