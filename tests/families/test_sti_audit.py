"""An audit names the defect of the published rule for options, and finds none in ours."""

from dataclasses import replace
from pathlib import Path

import pytest
from sti_ways import way

from chronotope.audit.auditing import audit
from chronotope.families import WriteContext, family
from chronotope.families.sti.scale import SCALES
from chronotope.recording import Scene
from fair_sets import written

pytestmark = pytest.mark.slow


def test_the_published_rule_of_sti_is_found_and_ours_is_not(tmp_path: Path) -> None:
    sti = family("sti")
    found = {}
    for profile in ("paper", "strict"):
        context = WriteContext(0, profile, sti.build.Options(per_variant=4))
        ways = [way(seed, kind, fps=12, seconds=20) for kind in SCALES for seed in range(8)]
        questions = [one for each in ways for one in sti.build.write(Scene.of(each), context).questions]
        bare = [replace(one, media=()) for one in questions]
        found[profile] = audit(written(tmp_path / profile, bare))
    defects = {one.check for one in found["paper"].defects}
    assert {"rank", "classifier", "solved"} <= defects
    assert found["strict"].defects == ()
