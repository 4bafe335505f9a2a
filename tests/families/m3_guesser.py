"""What a stranger to a home gets right: classifiers that see options, or options and stem, but no video.

A guess is one option of a question. Chance is the share of correct options: 1/n, or, if the question has several
correct options, their share of the options other than "No correct option is listed.", which is then wrong.
"""

import re
from collections import defaultdict

import numpy as np

from chronotope.families.m3.tasks import NONE

VIEWS = ("options", "options and stem")
FOLDS = 5
NUMBER = re.compile(r"\d+(?:\.\d+)?")


def chance(question):
    """The share of correct options, of those that can be correct."""
    texts = [one.text for one in question.options]
    return len(question.answer) / (len(texts) - (question.multiple and NONE in texts))


def kind_of_stem(stem):
    """A stem without the names of things."""
    return re.sub(
        r"\bthe (?!first video|second video|larg|small|long|short)[a-z' -]+?(?= in | and | been |[,.?])", "X", stem
    )


def numbers_of(texts):
    """The first number of each option, and its rank among the options; -1 without a number."""
    values = [float(found[0]) if (found := NUMBER.search(text)) else -1.0 for text in texts]
    known = sorted(value for value in values if value >= 0)
    return values, [known.index(value) if value >= 0 else -1 for value in values]


def shared(words, place):
    return sum(len(words[place] & other) for at, other in enumerate(words) if at != place)


def described(question, sees_stem):
    """For each option, the names of its features and some numbers."""
    [subtask] = question.tags["subtask"]
    texts = [one.text for one in question.options]
    values, ranks = numbers_of(texts)
    words = [set(re.findall(r"[a-z0-9-]+", text.lower())) for text in texts]
    lengths = np.array([len(text) for text in texts])
    size, several = len(texts), question.multiple
    start = f"{subtask}|{several}"
    stem_words = set(re.findall(r"[a-z0-9-]+", question.stem.lower())) if sees_stem else set()
    stem = [f"stem:{question.stem}", f"kind:{kind_of_stem(question.stem)}"] if sees_stem else []
    rows = []
    for place, text in enumerate(texts):
        longer = int((lengths < lengths[place]).sum())
        own = [f"text:{text}", f"text:{text}/{size}", f"rank:{ranks[place]}/{size}", f"longer:{longer}/{size}"]
        own += [f"word:{word}" for word in words[place]]
        own += [f"pair:{text}/{other}" for other in texts if other != text]
        names = [f"{start}|{name}" for name in own] + [f"{several}|{name}" for name in own[:4]]
        names += [f"{start}|{each}|{name}" for each in stem for name in own[:3]]
        names += [f"{start}|{each}|{word}" for each in stem_words for word in words[place]]
        names += [f"{start}|{each}|{text}" for each in stem_words]
        near = [abs(values[place] - value) for at, value in enumerate(values) if at != place and value >= 0]
        figures = [size, several, text == NONE, lengths[place], longer, values[place], ranks[place]]
        figures += [min(near, default=-1), shared(words, place), len(words[place] & stem_words), max(ranks)]
        rows.append((names, figures))
    return rows


class Table:
    """The features of the options of all questions, one row for each option."""

    def __init__(self, questions, view):
        from sklearn.feature_extraction import FeatureHasher

        rows = [described(one, view != VIEWS[0]) for one in questions]
        self.first = np.cumsum([0, *map(len, rows)])
        self.names = [names for each in rows for names, _ in each]
        self.figures = np.array([figures for each in rows for _, figures in each], float)
        self.hashed = FeatureHasher(2**20, input_type="string", alternate_sign=False).transform(self.names)
        subtasks = sorted({one.tags["subtask"][0] for one in questions})
        of_question = [subtasks.index(one.tags["subtask"][0]) for one in questions]
        self.subtask = np.repeat(of_question, np.diff(self.first))
        self.right = np.concatenate([[k in one.answer for k in range(len(one.options))] for one in questions])
        self.fair = np.repeat([chance(one) for one in questions], np.diff(self.first))

    def rows(self, chosen):
        return np.concatenate([np.arange(self.first[each], self.first[each + 1]) for each in chosen])


def by_words(table, train, test):
    """Log odds of the options of the test by a linear classifier of all words and their combinations."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(solver="liblinear", C=0.1).fit(table.hashed[train], table.right[train])
    return model.decision_function(table.hashed[test])


def by_trees(table, train, test):
    """Probabilities by trees that know how often each text was right in the training, beside the figures."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    def known(rows, of, without=None):
        """Excess of right options over chance for the first names of each row, apart from its own home."""
        return [[of.rate(table.names[row][at], row if without else None) for at in range(3)] for row in rows]

    memory = Memory(table, train)
    make = lambda rows, out: np.c_[table.subtask[rows], table.figures[rows], known(rows, memory, out)]  # noqa: E731
    model = HistGradientBoostingClassifier(max_iter=120, learning_rate=0.08, categorical_features=[0], random_state=0)
    model.fit(make(train, True), table.right[train])
    return model.predict_proba(make(test, None))[:, 1]


class Memory:
    """How much more often than by chance the options with a feature were right."""

    def __init__(self, table, rows):
        self.table, self.sums, self.counts = table, defaultdict(float), defaultdict(int)
        for row in rows:
            for name in table.names[row][:3]:
                self.sums[name] += table.right[row] - table.fair[row]
                self.counts[name] += 1

    def rate(self, name, left_out):
        total, count = self.sums.get(name, 0.0), self.counts.get(name, 0)
        if left_out is not None:
            total, count = total - (self.table.right[left_out] - self.table.fair[left_out]), count - 1
        return total / (count + 4)


GUESSERS = (by_words, by_trees)


def hits(questions, view, guesser, part=lambda one: one.cluster):
    """Which questions (N,) bool a guesser answers rightly that learns from other parts, by default homes; 5-fold."""
    from sklearn.model_selection import GroupKFold

    table = Table(questions, view)
    found = np.zeros(len(questions), bool)
    parts = [part(one) for one in questions]
    folds = GroupKFold(min(FOLDS, len(set(parts))), shuffle=True, random_state=0)
    for train, test in folds.split(parts, groups=parts):
        scores = np.full(table.first[-1], -np.inf)
        rows = table.rows(test)
        scores[rows] = guesser(table, table.rows(train), rows)
        for each in test:
            own = scores[table.first[each] : table.first[each + 1]]
            best = np.flatnonzero(own >= own.max() - 1e-9)
            found[each] = np.isin(best, questions[each].answer).mean() > np.random.default_rng(each).random()
    return found


def guessed(questions):
    """For each view, which questions (N,) bool the better guesser answers rightly."""
    made = {view: [hits(questions, view, guesser) for guesser in GUESSERS] for view in VIEWS}
    return {view: max(each, key=np.mean) for view, each in made.items()}


def by_group(questions, found, key):
    """For each group: its number of questions, chance, and the share of hits of each view."""
    groups = defaultdict(list)
    for place, one in enumerate(questions):
        groups[key(one)].append(place)
    return {
        name: (
            len(places),
            np.mean([chance(questions[k]) for k in places]),
            *(found[view][places].mean() for view in VIEWS),
        )
        for name, places in groups.items()
    }
