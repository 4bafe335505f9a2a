"""The information in the options alone: how well answers follow from the questions of other clusters.

A model of usual answers learns, from the questions of other clusters (such as homes), how likely each option is without
a look at the videos. A selection keeps a question with a chance that is inversely proportional to how likely its
correct option is, so that all options of a set are equally often correct among the kept questions.
"""

# The types of sparse matrices are incomplete.
# pyright: standard

import re
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from os import cpu_count
from threading import Lock
from zlib import crc32

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from chronotope.question.question import Question

FOLDS = 5  # groups of clusters; what is usual in one group is learned from the others
WEIGHT = 8.0  # of the penalty on large weights
STEPS, MEMORY = 40, 5  # iterations of each fit, and earlier slopes that each of them uses
FEWEST = 2  # options with a feature from which its weight is learned
COLUMNS = 2**18  # features are hashed into so many columns
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_WORD = re.compile(r"[a-z0-9-]+")
_FAMILIAR = frozenset(
    ["the", "in", "on", "of", "and", "a", "an", "it", "with", "was", "were", "is", "are", "to", "from", "video"]
)
_ODD = 0x9E3779B1  # a product with it moves the bits of one hash, so that pairs (a, b) and (b, a) differ
_limiting = Lock()  # limits count for the whole process: those of two builds in threads must not overlap
_MAGNITUDES = (1.2, 1.5)  # ratios of two numbers that are of different magnitudes


def how_usual(
    questions: Sequence[Question],
    generator: np.random.Generator,
    kind_of: Callable[[Question], str],
    none: str,
) -> np.ndarray:
    """Measure (N,) how well the answers of questions follow from other clusters.

    Each value is a random number from 0 to 1, divided by the chance that the question is kept. So the questions with
    values below 1 are kept; of all other questions, those with the lowest values reveal least. If there is only one
    cluster, all values are 0, because there are no other clusters to learn from. The model learns only from questions
    of the same kind (`kind_of`). ``none`` is the text of the option that no other option is correct.
    """
    clusters = np.unique([question.cluster for question in questions], return_inverse=True)[1]
    if len(questions) == 0 or clusters.max() == 0:
        return np.zeros(len(questions))
    table = _Table.of(questions, kind_of, none)
    fold = generator.permutation(clusters.max() + 1)[clusters] % FOLDS
    scores = _scored(table, fold)
    chances = np.array(
        [_chance_of(scores[table.rows(place)], table.right[table.rows(place)]) for place in range(len(questions))]
    )
    return generator.random(len(questions)) / chances


def likeliest_options(
    questions: Sequence[Question],
    groups: Sequence[str],
    generator: np.random.Generator,
    kind_of: Callable[[Question], str],
) -> list[list[int]] | None:
    """Guess the answers of questions from the questions of other groups, such as clusters or templates.

    Returns for each question the options that are likeliest to be correct; several options can be equally likely.
    Returns None if there are fewer than two groups. The model and its features are those of `how_usual`.
    """
    group = np.unique(np.asarray(groups), return_inverse=True)[1]
    if len(questions) == 0 or group.max() == 0:
        return None
    table = _Table.of(questions, kind_of, "")
    scores = _scored(table, generator.permutation(group.max() + 1)[group] % FOLDS)
    found: list[list[int]] = []
    for place in range(len(questions)):
        own = scores[table.rows(place)]
        found.append(np.flatnonzero(own >= own.max() - 1e-9).tolist())
    return found


def _scored(table: "_Table", fold: np.ndarray) -> np.ndarray:
    """Score (R,) the options of each fold (N,) of questions with a model of the other folds."""
    places, scores = np.arange(len(fold)), np.zeros(table.owner.size)
    folds = np.unique(fold)
    # A fit is thousands of short sums. Several threads for each of them take longer than the sums, most of all if other
    # programs run; but several fits run at the same time.
    with _limiting, threadpool_limits(1, "blas"), ThreadPoolExecutor(cpu_count()) as fits:
        for each, weights in zip(folds, fits.map(lambda each: table.fit(places[fold != each]), folds), strict=True):
            rows = np.isin(table.owner, places[fold == each])
            scores[rows] = table.features[rows] @ weights
    return scores


def _chance_of(scores: np.ndarray, right: np.ndarray) -> float:
    """Return the chance that a question is kept.

    The chance is the likelihood of the least likely set of correct options, divided by the likelihood of the correct
    set.
    """
    lowest = np.sort(scores)[: np.count_nonzero(right)].sum()
    return float(np.exp(lowest - scores[right].sum()))


class _Table:
    """The features of options, one row for each option that can be correct.

    ``owner`` (R,) is the question of each row, and ``right`` (R,) says whether the option is correct.
    """

    def __init__(self, features: sparse.csr_matrix, owner: np.ndarray, right: np.ndarray) -> None:
        self.features, self.owner, self.right = features, owner, right
        self._first = np.searchsorted(owner, np.arange(owner.max() + 2))

    @classmethod
    def of(cls, questions: Sequence[Question], kind_of: Callable[[Question], str], none: str) -> "_Table":
        options = [_options(question, kind_of(question), none) for question in questions]
        owner = np.repeat(np.arange(len(questions)), [len(each.places) for each in options])
        right = [place in one.answer for one, each in zip(questions, options, strict=True) for place in each.places]
        names = _Lists([row for each in options for row in each.names])
        looks = _Lists([row for each in options for row in each.looks])
        texts = _Lists([[text] for each in options for text in each.texts])
        stems, rivals = _Lists([each.stem for each in options]), _Lists([each.rivals for each in options])
        found = [(names.rows, names.values), looks.crossed(stems, owner), texts.crossed(rivals, owner)]
        rows, columns = map(np.concatenate, zip(*found, strict=True))
        features = sparse.csr_matrix((np.ones(len(rows)), (rows, columns % COLUMNS)), shape=(len(owner), COLUMNS))
        return cls(features, owner, np.array(right))

    def rows(self, question: int) -> slice:
        """Return the rows of a question's options."""
        return slice(self._first[question], self._first[question + 1])

    def fit(self, questions: np.ndarray) -> np.ndarray:
        """Return weights (F,) of the features.

        With these weights, correct options of the questions have high scores. Features that are rare, or that no
        question outside ``questions`` has, have the weight 0.
        """
        chosen = np.isin(self.owner, questions)
        features, right = self.features[chosen], self.right[chosen]
        useful = np.flatnonzero((_counts(features) >= FEWEST) & (_counts(self.features[~chosen]) > 0))
        features, column, number = _merged(features[:, useful])
        group = np.unique(self.owner[chosen], return_inverse=True)[1]
        several = np.bincount(group, right)
        transposed, several_each = features.T.tocsr(), several[group]
        starts = np.searchsorted(group, np.arange(len(several)))  # the rows of a question are consecutive

        def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
            scores = features @ weights
            highest = np.maximum.reduceat(scores, starts)
            powers = np.exp(scores - highest[group])
            total = np.add.reduceat(powers, starts)
            likely = several @ (np.log(total) + highest) - scores[right].sum()
            slope = transposed @ (powers / total[group] * several_each - right)
            return float(likely + WEIGHT / 2 * weights @ weights), slope + WEIGHT * weights

        options = {"maxiter": STEPS, "maxcor": MEMORY}
        found = minimize(loss, np.zeros(len(number)), jac=True, method="L-BFGS-B", options=options)
        weights = np.zeros(COLUMNS)
        weights[useful] = (found.x / np.sqrt(number))[column]
        return weights


class _Lists:
    """Several lists of hashed names, one after another.

    ``values`` (N,) are all hashes, and ``rows`` (N,) is the number of the list of each hash.
    """

    def __init__(self, lists: Sequence[Sequence[int]]) -> None:
        self._lengths = np.array([len(each) for each in lists])
        self.values = np.fromiter(chain.from_iterable(lists), np.int64)
        self.rows = np.repeat(np.arange(len(lists)), self._lengths)

    def crossed(self, others: "_Lists", partner: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pair each hash with each one of another list.

        ``partner`` is the number of the other list for each list. Returns the number (P,) of the list of each pair,
        and the hash (P,) of each pair.
        """
        lengths, partner = others._lengths, partner[self.rows]
        times = lengths[partner]  # a hash is in so many pairs
        begins = np.cumsum(lengths) - lengths
        places = np.arange(times.sum()) + np.repeat(begins[partner] - np.cumsum(times) + times, times)
        return np.repeat(self.rows, times), np.repeat(self.values * _ODD, times) ^ others.values[places]


def _counts(features: sparse.csr_matrix) -> np.ndarray:
    """Return the number (F,) of options that have each feature."""
    return np.bincount(features.indices, minlength=COLUMNS)


def _merged(features: sparse.csr_matrix) -> tuple[sparse.csr_matrix, np.ndarray, np.ndarray]:
    """Merge equal columns of a table of features.

    Most features stand in exactly the same rows as other features; for example, the words of one template do. A fit
    gives equal columns equal weights w, and adds up their penalties. So k equal columns are replaced by one column with
    the value root of k: its weight is w times the root of k, and its penalty is the sum of the k penalties. Returns the
    new table, the place of each old column in it, and the number of old columns in each new one.
    """
    marks = np.random.default_rng(0).integers(np.iinfo(np.int64).max, size=features.indptr.size - 1)
    sums = features.astype(np.int64).T @ marks  # equal columns have equal sums; others practically never
    _, first, place, number = np.unique(sums, return_index=True, return_inverse=True, return_counts=True)
    return (features[:, first] @ sparse.diags(np.sqrt(number))).tocsr(), place, number


@dataclass(frozen=True)
class _Options:
    """The hashed names of the features from which an answer could be guessed.

    ``places`` are the places of the options that can be correct. For each of these options, ``names`` are features,
    ``looks`` are features together with each word of the ``stem``, and ``texts`` are features together with each one of
    ``rivals``.
    """

    places: list[int]
    names: list[list[int]]
    looks: list[list[int]]
    texts: list[int]
    stem: list[int]
    rivals: list[int]


def _options(question: Question, kind: str, none: str) -> _Options:
    """Hash what the options show: texts, words, lengths, ranks, and shared words."""
    start = crc32(f"{kind} {question.multiple} ".encode())  # features of kinds of questions differ
    stem = _words(question.stem)
    listed = [(place, each.text or "") for place, each in enumerate(question.options)]
    # If several options are correct, the option that none is correct cannot be one of them.
    listed = [(place, text) for place, text in listed if not (question.multiple and text == none)]
    words = [_words(text) for _, text in listed]
    values = [_value(text) for _, text in listed]
    known = sorted(value for value in values if value is not None)
    lengths = sorted(len(text) for _, text in listed)
    size, often = len(listed), Counter(chain.from_iterable(words))
    hashed = [_hash(f"text {text}", start) for _, text in listed]
    asked = [_hash(f"with {word}", start) for word in stem]
    asked_with = _hash(f"stem {question.stem}/", start)
    found = _Options([place for place, _ in listed], [], [], hashed, asked, [])
    for at, (_, text) in enumerate(listed):
        own, value = words[at], values[at]
        shared = sum(often[word] for word in own) - len(own)
        names = [_rank("none", str(text == none), size, start), _rank("longer", lengths.index(len(text)), size, start)]
        names += [_amount("shared", min(9, round(shared / size * 3)), start), _amount("words", len(own), start)]
        names += [_amount("common", len(own & stem), start), _hash(text, asked_with)]
        names += [] if value is None else [_rank("rank", known.index(value), size, start)]
        looks = _looks(text, start)
        found.names.append([hashed[at], *looks, *names])
        found.looks.append([hashed[at], *looks])
        found.rivals.extend([hashed[at]] if value is None else [])
    return found


def _hash(name: str, start: int) -> int:
    """Hash a name that continues a hashed text."""
    return crc32(name.encode(), start)


@cache
def _rank(name: str, place: int | str, size: int, start: int) -> int:
    return _hash(f"{name} {place}/{size}", start)


@cache
def _amount(name: str, number: int, start: int) -> int:
    return _hash(f"{name} {number}", start)


@lru_cache(maxsize=2**16)  # the same texts are options of many questions
def _looks(text: str, start: int) -> tuple[int, ...]:
    """Hash the words of an option, or the magnitudes of its number."""
    value = _value(text)
    return tuple([_hash(f"look {look}", start) for look in (_words(text) if value is None else _magnitudes(value))])


@lru_cache(maxsize=2**16)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower())) - _FAMILIAR


@lru_cache(maxsize=2**16)
def _value(text: str) -> float | None:
    """Return the number of an option.

    For a range, this is the geometric mean of its bounds.
    """
    found = [max(float(number), 0.1) for number in _NUMBER.findall(text)]
    return float(np.exp(np.mean(np.log(found)))) if found else None


def _magnitudes(value: float) -> list[str]:
    return [f"magnitude {ratio}/{round(np.log(value) / np.log(ratio))}" for ratio in _MAGNITUDES]
