"""Rankings and judgements of the shape that VGenST-Bench prints give its figures."""

import itertools

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, milp

from chronotope.review.studies import Ranking, read_study
from chronotope.review.studies.ranking import Ranked, ranking_figures

pytest.importorskip("statsmodels", reason="the extra review is not installed")

# Mean ± standard deviation of ranks by axis (photorealism, temporal coherence, comprehensibility); judged fake by each
# of three people, of 50 clips; Fleiss' kappa.
PRINTED = {
    "Perception Test": ([(1.84, 0.90), (2.01, 1.02), (2.31, 1.13)], (8, 5, 6), 0.64),
    "EgoExoBench": ([(2.13, 1.01), (2.24, 1.08), (2.18, 1.05)], (8, 9, 10), 0.64),
    "VSI-Bench": ([(2.39, 0.93), (2.47, 1.02), (2.47, 1.04)], (12, 13, 14), 0.52),
    "VGenST-Bench": ([(3.64, 0.67), (3.27, 0.94), (3.04, 1.07)], (32, 29, 34), 0.66),
}
SETS, PEOPLE = 50, 3
NEAR = 0.0055
ORDERS = list(itertools.permutations(range(1, 5)))


def rankings(axis: int) -> list[tuple[int, ...]]:
    """150 rankings without ties whose means and deviations are printed as those of an axis."""
    total, rows, low, high = SETS * PEOPLE, [], [], []
    for place, (printed, *_) in enumerate(PRINTED.values()):
        mean, deviation = printed[axis]
        ranks = np.array([order[place] for order in ORDERS])
        # Of the mean, the sum of ranks; of the deviation, the sum of squares around any mean that is printed so.
        rows += [ranks, (ranks - mean) ** 2]
        low += [(mean - 0.0049) * total, (deviation - 0.0045) ** 2 * (total - 1)]
        high += [(mean + 0.0049) * total, (deviation + 0.0045) ** 2 * (total - 1)]
    rows.append(np.ones(len(ORDERS)))
    limits = LinearConstraint(np.array(rows), [*low, total], [*high, total])
    found = milp(np.zeros(len(ORDERS)), constraints=limits, integrality=np.ones(len(ORDERS)))
    assert found.success, (axis, found.message)
    return [order for order, times in zip(ORDERS, np.rint(found.x).astype(int), strict=True) for _ in range(times)]


def judgements(counts: tuple[int, ...], kappa: float) -> list[tuple[bool, ...]]:
    """Three judgements of each of 50 clips: ``counts`` are judged fake by each person, with this agreement.

    Between 50 clips, kappa has steps of about 0.035; the printed 0.52 of VSI-Bench is 0.515 with the printed counts.
    """
    patterns = list(itertools.product((False, True), repeat=PEOPLE))
    share = sum(counts) / (SETS * PEOPLE)
    chance = share**2 + (1 - share) ** 2
    # The agreement of a clip is 1 if all say the same, and otherwise 1/3.
    alike = np.array([1.0 if len(set(pattern)) == 1 else 1 / 3 for pattern in patterns])
    rows = [[float(pattern[person]) for pattern in patterns] for person in range(PEOPLE)] + [[1.0] * 8, list(alike)]
    wanted = [(kappa + side * NEAR) * (1 - chance) + chance for side in (-1, 1)]
    low, high = [*counts, SETS, wanted[0] * SETS], [*counts, SETS, wanted[1] * SETS]
    found = milp(np.zeros(8), constraints=LinearConstraint(np.array(rows), low, high), integrality=np.ones(8))
    assert found.success, (counts, found.message)
    return [
        pattern for pattern, times in zip(patterns, np.rint(found.x).astype(int), strict=True) for _ in range(times)
    ]


def test_records_of_the_published_shape_give_the_published_figures() -> None:
    study = read_study("ranking")
    assert isinstance(study, Ranking)
    assert (study.sets, len(study.people), [source.truth for source in study.sources].count("fake")) == (50, 3, 1)
    names = list(PRINTED)
    by_axis = {axis: rankings(number) for number, axis in enumerate(study.axes)}
    said = {name: judgements(counts, kappa) for name, (_, counts, kappa) in PRINTED.items()}
    ranked = [
        Ranked(
            f"set {number}", f"person {person}",
            {axis: dict(zip(names, of[number * PEOPLE + person], strict=True)) for axis, of in by_axis.items()},
            {name: of[number][person] for name, of in said.items()},
        )
        for number in range(SETS)
        for person in range(PEOPLE)
    ]  # fmt: skip
    figures = ranking_figures("ranking", ranked, study.sources, study.axes, SETS * PEOPLE)
    plain = figures.plain()
    for name, (printed, counts, kappa) in PRINTED.items():
        for axis, (mean, deviation) in zip(study.axes, printed, strict=True):
            found = plain["ranks"][name][axis]
            assert (round(found["mean"], 2), round(found["deviation"], 2)) == (mean, deviation), (name, axis)
        assert tuple(plain["fake"][name]["by_person"].values()) == counts
        assert plain["fake"][name]["kappa"]["value"] == pytest.approx(kappa, abs=NEAR)
    shares = {name: round(100 * of["share"][0], 1) for name, of in plain["fake"].items()}
    assert shares == {"Perception Test": 12.7, "EgoExoBench": 18.0, "VSI-Bench": 26.0, "VGenST-Bench": 63.3}
    rows = {row[0]: row[1:] for row in figures.tables[0].rows}
    assert rows["VGenST-Bench"] == ("3.64 ± 0.67", "3.27 ± 0.94", "3.04 ± 1.07")
