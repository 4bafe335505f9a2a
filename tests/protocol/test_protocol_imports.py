"""Making prompts needs neither PyAV nor Arrow: who only asks, or imports a family, waits for neither."""

import subprocess
import sys


def test_a_protocol_opens_no_clip_and_no_table() -> None:
    told = "import sys, chronotope.protocol; print(sorted({'av', 'pyarrow', 'PIL', 'httpx'} & set(sys.modules)))"
    made = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == "[]"


def test_names_that_come_later_are_the_real_ones() -> None:
    told = (
        "import chronotope.media as m, chronotope.question as q;"
        "import chronotope.media.cache, chronotope.question.folder;"
        "assert all(getattr(of, name) is not None for of in (m, q) for name in of.__all__);"
        "from chronotope.media import decode, probe;"
        "from chronotope.question import open_benchmark, validate;"
        "print(*(one.__name__ for one in (decode, probe, open_benchmark, validate)));"
        "m.nothing"
    )
    made = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=False)
    assert made.stdout.strip() == "decode probe open_benchmark validate"
    assert "AttributeError: module 'chronotope.media' has no attribute 'nothing'" in made.stderr
