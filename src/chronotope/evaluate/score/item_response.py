"""Item response: how difficult each question is for several runs, and which questions do not fit.

The model is that of Rasch, with the guessing of multiple choice: a run with ability a answers a question with
difficulty b and chance c correctly with the probability c + (1 - c) / (1 + exp(b - a)). Difficulties are normally
distributed with mean 0; their spread and the abilities are fitted by maximum marginal likelihood (R. D. Bock and
M. Aitkin, "Marginal maximum likelihood estimation of item parameters", Psychometrika 46, 1981). There are few runs
and many questions, so the questions are the random part here.
"""

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from scipy.optimize import minimize
from scipy.stats import false_discovery_control

FEWEST_RUNS = 5  # with fewer, a question's answers say too little about it
SHARE_OF_FALSE = 0.05  # expected share of sound questions among the suspects
_NODES, _WEIGHTS = hermegauss(21)
_PATTERNS = 5000  # patterns of right and wrong that are counted; more are drawn
_PRIOR = 3.0  # standard deviation of the weak prior of abilities and log spread, which keeps them finite
_LARGEST = 1 - 1e-9


@dataclass(frozen=True, eq=False)
class ItemResponse:
    """The abilities of R runs and the difficulties of N questions, on one scale (logits).

    - ``abilities`` (R,): a run with ability 0 gives, without guessing, the correct answer to half of the questions with
      difficulty 0.
    - ``difficulties`` (N,) are the expected difficulties, and ``spreads`` (N,) their standard deviations.
    - ``chances`` (N,) are the p-values of "runs that are worse overall are not better at this question", by the
      patterns of right and wrong with the same number of right ones.
    - ``suspects`` are the positions of questions that the best runs fail and the worst pass, the most doubtful first.
      About 5 % of them are false alarms (Y. Benjamini and Y. Hochberg, 1995).
    """

    abilities: np.ndarray
    difficulties: np.ndarray
    spreads: np.ndarray
    chances: np.ndarray
    suspects: tuple[int, ...]


def fit_items(right: np.ndarray, guess: np.ndarray) -> ItemResponse:
    """Fit abilities and difficulties to answers.

    ``right`` (R, N) has 1 for a correct answer and 0 for a wrong one, and ``guess`` (N,) the chance of each question.

    Raises:
        ValueError: If there are fewer than ``FEWEST_RUNS`` runs or no question.
    """
    if right.ndim != 2 or len(right) < FEWEST_RUNS or right.shape[1] == 0 or guess.shape != right.shape[1:]:
        raise ValueError(f"expected at least {FEWEST_RUNS} runs and one chance for each question")
    right = np.round(right)
    # Questions with the same chance and the same answers are one row with a weight.
    rows, of, counts = np.unique(np.column_stack([right.T, guess]), axis=0, return_inverse=True, return_counts=True)
    answers, chance = rows[:, :-1], np.minimum(rows[:, -1], _LARGEST)
    shares = np.clip((right.mean(axis=1) - guess.mean()) / (1 - guess.mean()), 0.02, 0.98)
    start = np.append(np.log(shares / (1 - shares)), 0.0)
    found = minimize(_loss, start, args=(answers, chance, counts), jac=True, method="L-BFGS-B")
    abilities, width = found.x[:-1], float(np.exp(found.x[-1]))
    posterior = np.exp(_joint(abilities, width, answers, chance)[0])
    posterior /= posterior.sum(axis=1, keepdims=True)
    means = posterior @ (width * _NODES)
    spreads = np.sqrt(np.maximum(0.0, posterior @ (width * _NODES) ** 2 - means**2))
    of = of.ravel()
    chances = _misfits(answers, abilities, means, chance)[of]
    adjusted = false_discovery_control(chances)
    suspects = [int(place) for place in np.argsort(chances, kind="stable") if adjusted[place] < SHARE_OF_FALSE]
    return ItemResponse(abilities, means[of], spreads[of], chances, tuple(suspects))


def _joint(
    abilities: np.ndarray, width: float, answers: np.ndarray, chance: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return likelihoods for each difficulty of the grid.

    The parts are the logs of likelihood and prior (P, Q), the curve (Q, R), and the chances to be right (P, Q, R).
    """
    curve = 1 / (1 + np.exp(width * _NODES[:, None] - abilities))
    correct = chance[:, None, None] + (1 - chance[:, None, None]) * curve
    likelihood = np.where(answers[:, None, :] > 0, correct, 1 - correct)
    logs = np.log(np.maximum(likelihood, 1e-300)).sum(axis=2) + np.log(_WEIGHTS / _WEIGHTS.sum())
    return logs, curve, correct


def _loss(values: np.ndarray, answers: np.ndarray, chance: np.ndarray, counts: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the negative log likelihood with a weak prior of the abilities, and its gradient."""
    abilities, width = values[:-1], float(np.exp(values[-1]))
    logs, curve, correct = _joint(abilities, width, answers, chance)
    top = logs.max(axis=1, keepdims=True)
    weights = np.exp(logs - top)
    total = weights.sum(axis=1, keepdims=True)
    posterior = counts[:, None] * weights / total
    # d log P / d ability = (1 - c) * curve * (1 - curve) / P for right answers, and -curve for wrong ones
    slope = (1 - chance[:, None, None]) * curve * (1 - curve) / np.maximum(correct, 1e-300)
    change = np.where(answers[:, None, :] > 0, slope, -curve)
    by_run = np.einsum("pq,pqr->r", posterior, change)
    by_width = -np.einsum("pq,q,pqr->", posterior, width * _NODES, change)
    loss = -float((counts * (np.log(total) + top).ravel()).sum()) + float((values**2).sum()) / (2 * _PRIOR**2)
    return loss, np.append(abilities / _PRIOR**2 - by_run, values[-1] / _PRIOR**2 - by_width)


def _misfits(answers: np.ndarray, abilities: np.ndarray, difficulties: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """Return how probable so few of the abler runs are among the right ones, for each row."""
    correct = chance[:, None] + (1 - chance[:, None]) / (1 + np.exp(difficulties[:, None] - abilities))
    odds = np.log(correct / np.maximum(1 - correct, 1e-12))
    found = np.ones(len(answers))
    counts = answers.sum(axis=1).astype(int)
    for count in set(counts.tolist()) - {0, answers.shape[1]}:
        patterns = _patterns(answers.shape[1], count)
        sums = patterns @ abilities
        for places in np.array_split(np.flatnonzero(counts == count), 1 + int((counts == count).sum()) // 200):
            weights = odds[places] @ patterns.T
            weights = np.exp(weights - weights.max(axis=1, keepdims=True))
            low = sums <= (answers[places] @ abilities)[:, None] + 1e-9
            found[places] = (weights * low).sum(axis=1) / weights.sum(axis=1)
    return found


def _patterns(runs: int, count: int) -> np.ndarray:
    """Return sets of ``count`` runs as rows of 0 and 1: all sets, or a sample."""
    if comb(runs, count) <= _PATTERNS:
        places = np.array(list(combinations(range(runs), count)))
    else:
        places = np.argsort(np.random.default_rng(0).random((_PATTERNS, runs)), axis=1)[:, :count]
    patterns = np.zeros((len(places), runs))
    np.put_along_axis(patterns, places, 1.0, axis=1)
    return patterns
