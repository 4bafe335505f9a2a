"""The figures of rankings and labels from small records, and the even sample; without a storage."""

from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("alembic", reason="the extra review is not installed")

from chronotope.errors import InputError
from chronotope.review.errors import sample_evenly
from chronotope.review.studies import Ranking, read_study
from chronotope.review.studies.labelling import Labelled, label_figures, label_shares
from chronotope.review.studies.ranking import Ranked, ranking_figures
from chronotope.review.studies.study_kinds import Source

SOURCES = (Source(name="made", truth="fake"), Source(name="filmed", truth="real"))


def test_a_sample_is_even_over_cells_and_short_cells_give_all() -> None:
    things = [("a", number) for number in range(100)] + [("b", number) for number in range(3)]
    things += [("c", number) for number in range(50)]
    drawn = sample_evenly(things, lambda thing: thing[0], 43, 0)
    assert Counter(cell for cell, _ in drawn) == {"a": 20, "b": 3, "c": 20}
    assert len(set(drawn)) == 43
    assert drawn == sample_evenly(things, lambda thing: thing[0], 43, 0) != sample_evenly(things, lambda t: t[0], 43, 1)
    assert len(sample_evenly(things, lambda thing: thing[0], 1000, 0)) == 153


def test_mean_ranks_and_shares_are_those_counted_by_hand() -> None:
    ranked = [
        Ranked("1", "ada", {"looks": {"made": 2, "filmed": 1}}, {"made": True, "filmed": False}),
        Ranked("1", "bob", {"looks": {"made": 2, "filmed": 1}}, {"made": True, "filmed": True}),
        Ranked("2", "ada", {"looks": {"made": 1, "filmed": 2}}, {"made": False, "filmed": False}),
        Ranked("2", "bob", {"looks": {"made": 2, "filmed": 1}}, {"made": True, "filmed": False}),
    ]
    plain = ranking_figures("r", ranked, SOURCES, ["looks"], 6).plain()
    assert plain["ranks"]["made"]["looks"] == {"mean": 1.75, "deviation": pytest.approx(0.5)}
    assert plain["fake"]["made"]["by_person"] == {"ada": 1, "bob": 2}
    assert plain["fake"]["made"]["share"][0] == 0.75
    # Of the made clips, people agree about one of two: (0.5 - 0.625) / (1 - 0.625).
    assert plain["fake"]["made"]["kappa"]["value"] == pytest.approx(-1 / 3)
    tables = ranking_figures("r", [], SOURCES, ["looks"], 6).tables
    assert tables[0].rows == (("made", "–"), ("filmed", "–")) and tables[0].notes


def test_shares_of_labels_count_cases_once() -> None:
    shares = label_shares([["a"], ["a", "b"], ["b", "b"], []], ["a", "b", "c"])
    assert (shares["a"][0], shares["b"][0], shares["c"][0]) == (0.5, 0.5, 0.0)
    assert shares["c"][1] == 0.0 < shares["c"][2] < 0.6


def test_labels_stand_beside_published_shares_and_the_judge() -> None:
    cases = [
        Labelled(str(n), "t", "s" if n else "u", ("a",) if n < 6 else ("b",), "a" if n < 5 else "b") for n in range(9)
    ]
    figures = label_figures("why", cases, ["a", "b"], {"a": 56.44}, "Figure 7")
    assert figures.tables[0].columns == ("label", "people, %", "judge model, %", "Figure 7, %")
    assert figures.tables[0].rows[0][3] == "56.44" and figures.tables[0].rows[1][3] == "–"
    agrees = figures.plain()["judge_agrees"]
    assert agrees["share"][0] == pytest.approx(8 / 9)
    # Marginals 6/9 and 5/9 of "a": chance is (30 + 12) / 81.
    assert agrees["cohen"]["value"] == pytest.approx((8 / 9 - 42 / 81) / (1 - 42 / 81))
    assert agrees["confusion"] == {"a": {"a": 5, "b": 1}, "b": {"b": 3}}


def test_paths_of_sources_are_relative_to_their_file(tmp_path: Path) -> None:
    text = "study: s\nkind: ranking\nreviewers: 1\naxes: [looks]\nsources:\n"
    text += "  - {name: a, truth: real, benchmark: ../other}\n  - {name: b, truth: fake}\n"
    (tmp_path / "study.yaml").write_text(text)
    study = read_study(tmp_path / "study.yaml")
    assert isinstance(study, Ranking)
    assert study.sources[0].benchmark == str(tmp_path.parent / "other") and study.sources[1].benchmark is None
    (tmp_path / "study.yaml").write_text(text.replace("name: b", "name: a"))
    with pytest.raises(InputError, match="twice"):
        read_study(tmp_path / "study.yaml")
