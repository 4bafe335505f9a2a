"""How often a classifier is right that sees the options of a question and nothing else."""

import re

import numpy as np

WORDS = ("Left", "Right", "Up", "Down", "Front", "Back")


def of_words(texts):
    """Which word, and which words are offered."""
    offered = [word in texts for word in WORDS]
    return [[WORDS.index(text), *offered] for text in texts]


def of_names(texts, vocabulary):
    """The words of a phrase, its length, and how that compares with the others'."""
    lengths = np.array([len(text) for text in texts])
    return [
        [len(text), (lengths < len(text)).sum(), len(text.split()), *(word in text.split() for word in vocabulary)]
        for text in texts
    ]


def of_numbers(texts):
    """The numbers of each option as they are, their ranks, how they lie among the others, last digits, length."""
    values = np.array([[float(found) for found in re.findall(r"-?\d+(?:\.\d+)?", text)] for text in texts])
    spread = np.ptp(values, axis=0) + 1e-12
    about_mean, about_median = (values - values.mean(0)) / spread, (values - np.median(values, 0)) / spread
    ranks, ordered = values.argsort(0).argsort(0), np.sort(values, axis=0)
    gaps = np.diff(ordered, axis=0) / spread
    rows = []
    for text, value, rank, mean, median in zip(texts, values, ranks, about_mean, about_median, strict=True):
        row = [*value, *rank, *mean, *median, np.abs(mean).sum(), np.abs(median).sum(), len(text)]
        for axis, place in enumerate(rank):
            row += [gaps[place - 1, axis] if place else -1, gaps[place, axis] if place < 4 else -1]
        if len(value) == 1:
            row += [*gaps[:, 0], *ordered[:, 0]]
        digits = re.sub(r"\D", "", text)
        rows.append([*row, int(digits[-1]), int(digits[-2])])
    return rows


def features(questions):
    """(N, 5, F) for questions of one kind."""
    texts = [[option.text for option in question.options] for question in questions]
    if texts[0][0] in WORDS:
        return np.array([of_words(row) for row in texts], float)
    if texts[0][0].startswith("the "):
        vocabulary = sorted({word for row in texts for text in row for word in text.split()})
        return np.array([of_names(row, vocabulary) for row in texts], float)
    return np.array([of_numbers(row) for row in texts], float)


def right_by_options_alone(questions):
    """How many questions of one kind a gradient-boosted classifier answers rightly, 5-fold by cluster."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import GroupKFold

    X, truth = features(questions), np.array([question.answer[0] for question in questions])
    y = (np.arange(5) == truth[:, None]).astype(int)
    hits = 0
    for train, test in GroupKFold(5).split(X, groups=[question.cluster for question in questions]):
        classifier = HistGradientBoostingClassifier(random_state=0, max_iter=60, learning_rate=0.06)
        classifier.fit(X[train].reshape(-1, X.shape[2]), y[train].ravel())
        guess = classifier.predict_proba(X[test].reshape(-1, X.shape[2]))[:, 1].reshape(-1, 5).argmax(1)
        hits += int((guess == truth[test]).sum())
    return hits
