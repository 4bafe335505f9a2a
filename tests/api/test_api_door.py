"""The door: what `import chronotope` offers and loads, and each example of the page on Python."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import chronotope as ct
from chronotope import api

HEAVY = {"numpy", "pyarrow", "av", "PIL", "pandas", "pydantic", "httpx", "asyncio", "scipy", "matplotlib"}
PAGE = Path(__file__).parents[2] / "docs" / "python.md"
SCREEN = 50  # lines of a table that a screen shows


def told(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=os.environ | environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_import_loads_no_library_and_offers_all_names() -> None:
    code = f"import sys, chronotope as ct; print(sorted({HEAVY!r} & set(sys.modules)), *dir(ct))"
    assert told(code) == " ".join(["[]", *sorted([*api.__all__, "__version__"])])


def test_each_name_is_what_the_room_has() -> None:
    assert set(ct.__all__) | {"open"} == {*api.__all__, "__version__"}  # a star import must not replace `open`
    for name in api.__all__:
        found = getattr(ct, name)
        assert callable(found), name
        if name not in ("audit", "probe", "report", "world"):
            assert found is getattr(api, name)
    with pytest.raises(AttributeError, match="'chronotope' has no attribute 'runn'"):
        _ = ct.runn
    with pytest.raises(AttributeError, match=r"'chronotope\.api' has no attribute 'runn'"):
        _ = api.runn


def test_a_package_with_the_name_of_a_function_is_both() -> None:
    code = "import chronotope as ct; import chronotope.world as room"
    assert told(f"{code}; print(ct.world('table', 8), ct.world is room, sorted(room.QUALITIES)[0])") == (
        "world:table:8 True fast"
    )


def test_the_public_names_fit_on_one_screen_of_the_page_each_with_its_example() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `ct\.(\w+)`", text, re.MULTILINE)
    assert sorted(rows) == sorted(api.__all__)
    assert len(rows) <= SCREEN
    every = "\n".join(page.read_text(encoding="utf-8") for page in PAGE.parent.glob("*.md"))
    examples = "\n".join(re.findall(r"^```python\n(.*?)^```", every, re.MULTILINE | re.DOTALL))
    for name in rows:
        assert f"ct.{name}" in examples, name  # and tests/cli/test_cli_docs.py runs them


def test_errors_have_their_place_the_expected_value_and_the_remedy(folder: Path) -> None:
    bench = ct.open(folder)
    with pytest.raises(ct.InputError, match=r"no question 'clip-9': expected one of clip-0-0, clip-0-1") as caught:
        _ = bench["clip-9"]
    assert (caught.value.where, caught.value.fix) == (str(folder), None)
    assert caught.value.expected.startswith("one of clip-0-0")
    with pytest.raises(ct.InputError, match=r"framez: there is no such option; did you mean 'frames'") as caught:
        ct.run(bench, "baseline/random", framez=3)
    assert caught.value.where == "framez" and "frames" in caught.value.expected
    with pytest.raises(ct.InputError, match=r"^frames: .*found 'x'"):
        ct.run(bench, "baseline/random", frames="x")
    with pytest.raises(ct.InputError, match="is not a run") as caught:
        ct.Run(folder / "clips").scores()
    assert caught.value.fix == "name a folder made by `chronotope run`"
    with pytest.raises(ct.InputError, match="no such folder: expected a benchmark folder"):
        ct.open(folder / "nothing")
    with pytest.raises(ct.InputError, match="there is no simulated world"):
        ct.world("moon", 3)
