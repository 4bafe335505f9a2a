"""Compare guesses with chance: how often a rule is right, and how likely that is in a clean benchmark.

In a clean benchmark, each option of a question is equally likely to be correct, whatever its text and its position.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc
from scipy.stats import t as student

from chronotope.audit.findings import Scope
from chronotope.evaluate.score.statistics import FEWEST_CLUSTERS, korn_graubard
from chronotope.question import Question

FEWEST = 20  # questions on which a guess is tested


@dataclass(frozen=True)
class Asked:
    """The questions that an audit tests: base questions with options.

    ``cluster`` and ``task`` are the numbers of the cluster and of the task of each question.
    """

    questions: tuple[Question, ...]
    cluster: np.ndarray
    task: np.ndarray
    tasks: tuple[str, ...]

    @classmethod
    def of(cls, questions: Sequence[Question]) -> "Asked":
        """Keep the base questions that have options, some correct and some wrong."""
        kept = tuple(one for one in questions if one.variant == "base" and 0 < len(set(one.answer)) < len(one.options))
        tasks, task = np.unique([one.task for one in kept], return_inverse=True)
        cluster = np.unique([one.cluster for one in kept], return_inverse=True)[1]
        return cls(kept, cluster, task, tuple(map(str, tasks)))


@dataclass(frozen=True)
class Guess:
    """The outcome of a guess on each question (N,): its share of hits, chance, and the variance of a random guess.

    The variance is 0 where the rule says nothing: all options are equally good, or the rule does not apply.

    ``luck`` is the same guess in a form whose luck is known, if that of the guess itself is not: clusters that learn
    from each other hit or miss together. ``learned`` is true if the guess learned from the answers of other clusters.
    It is then tested on one side: where answers are balanced over clusters, it is right less often than chance.
    """

    hit: np.ndarray
    chance: np.ndarray
    variance: np.ndarray
    luck: "Guess | None" = None
    learned: bool = False

    @property
    def told(self) -> np.ndarray:
        """Return where (N,) the rule prefers some options."""
        return self.variance > 0


def guessed(asked: Asked, chosen: Sequence[Sequence[int] | None]) -> Guess:
    """Compare chosen options with the answers.

    ``chosen`` has, for each question, the options among which the rule draws at random; None if it does not apply. The
    number of correct ones among them is hypergeometric in a clean benchmark.
    """
    hit, chance, variance = np.zeros((3, len(asked.questions)))
    for place, (question, options) in enumerate(zip(asked.questions, chosen, strict=True)):
        right, size = set(question.answer), len(question.options)
        share = len(right) / size
        chance[place] = share
        if options is None or not 0 < len(options) < size:
            hit[place] = share
            continue
        hit[place] = len(right.intersection(options)) / len(options)
        variance[place] = share * (1 - share) * (size - len(options)) / (size - 1) / len(options)
    return Guess(hit, chance, variance)


def mean_guess(guesses: Sequence[Guess]) -> Guess:
    """Average guesses of the same kind, such as those of several divisions of a cross-validation."""
    hit, chance, variance = (
        np.mean([getattr(one, name) for one in guesses], axis=0) for name in ("hit", "chance", "variance")
    )
    return Guess(hit, chance, variance)


def scopes_of(asked: Asked, guess: Guess, alike: Sequence[Guess] = ()) -> list[Scope]:
    """Test a guess on all questions and, if it applies to several tasks, on each of them.

    ``alike`` are guesses such as the other ranks of numbers, whose hits in one cluster depend on each other as much.
    """
    every = np.ones(len(asked.questions), bool)
    found = [_tested("all", asked, guess, every, alike)]
    if len(asked.tasks) > 1:
        found += [_tested(name, asked, guess, asked.task == number, alike) for number, name in enumerate(asked.tasks)]
    # A rule that applies to one task alone is tested once: the same questions are no second test.
    return [one for one in found if one is not None and (one is found[0] or one.questions < int(guess.told.sum()))]


def fewest_clusters(asked: Asked) -> int:
    """Return on how many clusters a guess is tested: any number, if there are too few in all.

    From fewer, it is not known how much questions of one cluster depend on each other.
    """
    return FEWEST_CLUSTERS if len(np.unique(asked.cluster)) >= FEWEST_CLUSTERS else 1


def _tested(name: str, asked: Asked, guess: Guess, some: np.ndarray, alike: Sequence[Guess]) -> Scope | None:
    """Test a guess on ``some`` (N,) of the questions."""
    chosen = guess.told & some
    count = int(chosen.sum())
    if count < FEWEST:
        return None
    hit, clusters = guess.hit[chosen], asked.cluster[chosen]
    groups = len(np.unique(clusters))
    if groups < fewest_clusters(asked):
        return None
    low, high = korn_graubard(hit, [str(one) for one in clusters]) if groups >= FEWEST_CLUSTERS else (None, None)
    luck = guess.luck or guess
    p, error = _luck(luck, some, asked.cluster, alike)
    if guess.learned and hit.mean() <= guess.chance[chosen].mean():
        p = 1.0
    error *= guess.variance[chosen].sum() / max(luck.variance[some].sum(), 1e-12)  # `luck` guesses fewer of them
    return Scope(name, count, groups, float(hit.mean()), float(guess.chance[chosen].mean()), low, high, p, error)


def _luck(guess: Guess, some: np.ndarray, cluster: np.ndarray, alike: Sequence[Guess]) -> tuple[float, float]:
    """Return how likely a guess differs so much in a clean benchmark, and its standard error.

    The hits of a rule that is right in few clusters hardly differ between them, so they do not tell how much those in
    one cluster depend on each other. The mean of this dependence over guesses that are ``alike`` does (the correction
    of Rao and Scott).
    """
    chosen = guess.told & some
    count = int(chosen.sum())
    if not count:
        return 1.0, 0.0
    chance = float(guess.chance[chosen].mean())
    off, expected, between, groups = _spread(guess, chosen, cluster)
    told = [_spread(one, one.told & some, cluster) for one in alike if (one.told & some).sum() >= FEWEST]
    if told:
        between = max(between, expected * float(np.mean([apart / alone for _, alone, apart, _ in told])))
    error = float(np.sqrt(max(expected, between))) / count
    enough = groups >= FEWEST_CLUSTERS
    return chance_of(off, expected, between, groups if enough else count, chance, count), error


def _spread(guess: Guess, chosen: np.ndarray, cluster: np.ndarray) -> tuple[float, float, float, int]:
    """Return the sum of differences from chance, its variance by questions and between clusters, and their number.

    The variance between clusters is 0 if they are too few.
    """
    off, expected = guess.hit[chosen] - guess.chance[chosen], float(guess.variance[chosen].sum())
    sums = np.bincount(np.unique(cluster[chosen], return_inverse=True)[1], off)
    groups = sums.size
    between = float(sums.var(ddof=1)) * groups if groups >= FEWEST_CLUSTERS else 0.0
    return float(off.sum()), expected, between, groups


def chance_of(off: float, expected: float, between: float, groups: int, chance: float, count: int) -> float:
    """Return how likely a sum of differences from chance is in a clean benchmark, on both sides.

    ``expected`` is the variance of the sum if all questions are independent; ``between`` is its variance between the
    clusters. The larger one counts. The result is the larger of two: Student's t, and the binomial tail with the
    effective number of questions, which is right for rare hits.
    """
    variance = max(expected, between)
    by_t = 2 * float(student.sf(abs(off) / np.sqrt(variance), max(groups - 1, 1)))
    effective = count**2 * chance * (1 - chance) / variance
    right = (chance + off / count) * effective
    right, rest = max(right, 0.0), max(effective - right, 0.0)
    above = float(betainc(right, rest + 1, chance)) if right > 0 else 1.0
    below = float(betainc(rest, right + 1, 1 - chance)) if rest > 0 else 1.0
    return min(1.0, max(by_t, 2 * min(above, below)))
