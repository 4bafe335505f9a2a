"""How often a classifier is right that sees the options of a question and nothing else."""

import re

import numpy as np

WORDS = ("Left", "Right", "Up", "Down", "Front", "Back")
SECTORS = ("Front-Left", "Back-Left", "Back-Right", "Front-Right")


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
    """(N, K, F) for questions of one kind, all with K options."""
    texts = [[option.text for option in question.options] for question in questions]
    if texts[0][0] in WORDS:
        return np.array([of_words(row) for row in texts], float)
    if texts[0][0].startswith("the "):
        vocabulary = sorted({word for row in texts for text in row for word in text.split()})
        return np.array([of_names(row, vocabulary) for row in texts], float)
    return np.array([of_numbers(row) for row in texts], float)


def right_by_options_alone(questions):
    """Which questions (N,) bool of one kind a gradient-boosted classifier answers rightly, 5-fold by cluster."""
    return hits_of(features(questions), questions)


def share_and_error(hits, clusters):
    """The share of hits, and its standard error if those of one cluster hang together, as all motion of a clip does."""
    hits, clusters = np.asarray(hits, float), np.asarray(clusters)
    share = hits.mean()
    sums = np.array([(hits[clusters == one] - share).sum() for one in np.unique(clusters)])
    return share, float(np.sqrt((sums**2).sum())) / len(hits)


def hits_of(X, questions):
    """Which questions (N,) bool a classifier of the features (N, K, F) of their options answers rightly."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import GroupKFold

    truth = np.array([question.answer[0] for question in questions])
    y = (np.arange(X.shape[1]) == truth[:, None]).astype(int)
    hits = np.zeros(len(questions), bool)
    for train, test in GroupKFold(5).split(X, groups=[question.cluster for question in questions]):
        classifier = HistGradientBoostingClassifier(random_state=0, max_iter=60, learning_rate=0.06)
        classifier.fit(X[train].reshape(-1, X.shape[2]), y[train].ravel())
        guess = classifier.predict_proba(X[test].reshape(-1, X.shape[2]))[:, 1].reshape(-1, X.shape[1]).argmax(1)
        hits[test] = guess == truth[test]
    return hits


# The shape of an option among the others, whatever is asked and however large the values are.


def roundness(text):
    """Zeros at the end of the digits."""
    digits = re.sub(r"\D", "", text)
    return len(digits) - len(digits.rstrip("0"))


def shape_of_scalars(texts):
    """Rank, gaps over the spread, place about mean and median, last digits, roundness, sign, length."""
    values = np.array([float(re.match(r"-?\d+(?:\.\d+)?", text).group()) for text in texts])
    spread, ordered = np.ptp(values) + 1e-12, np.sort(values)
    gaps, rows = np.diff(ordered) / spread, []
    for text, value in zip(texts, values, strict=True):
        rank, digits = int((values < value).sum()), re.sub(r"\D", "", text)
        beside = [gaps[rank - 1] if rank else -1, gaps[rank] if rank < 4 else -1]
        about = [(value - values.mean()) / spread, (value - np.median(values)) / spread]
        ends = [int(digits[-1]), int(digits[-2]) if len(digits) > 1 else -1, roundness(text)]
        rows.append([rank, *beside, *gaps, *about, np.abs(about[0]), *ends, value < 0, len(text)])
    return rows


def shape_of_numbers(texts):
    """For poses and boxes: ranks of each number, distances to the others over their mean, nearness to the medoid."""
    number = re.compile(r"(?<![a-zA-Z\d])-?\d+(?:\.\d+)?")
    values = np.array([[float(found) for found in number.findall(text)] for text in texts])
    spread = np.ptp(values, axis=0)
    scaled = values[:, spread > 0] / spread[spread > 0]
    about = np.where(spread > 0, (values - np.median(values, 0)) / (spread + 1e-12), 0)
    places = slice(3, 6) if texts[0].startswith(('{"C_', '{"dim')) else slice(0, 3)
    rows = []
    for points in (scaled, values[:, places]):
        apart = np.linalg.norm(points[:, None] - points, axis=2)
        apart = apart / (apart.sum() / 20 + 1e-12)
        medoid = int(apart.sum(1).argmin())
        rows.append(np.c_[np.sort(apart, 1)[:, 1:], apart.sum(1).argsort().argsort(), apart[medoid], apart.sum(1)])
    lengths = np.array([len(text) for text in texts])
    zeros = np.array([sum(map(roundness, re.findall(r"\d+\.\d+", text))) for text in texts])
    return np.c_[rows[0], rows[1], values.argsort(0).argsort(0), about, lengths - lengths.min(), zeros]


def shape_of_parts(texts):
    """For courses: parts shared with the others, how typical the amounts and the sides are, and the length."""
    parts = [text.split(", then ") for text in texts]
    kinds = [tuple(re.sub(r"[\d.]+", "#", part) for part in row) for row in parts]
    amounts = [np.array([float(re.search(r"[\d.]+\d|\d", part).group()) for part in row]) for row in parts]
    totals = np.array([row.sum() for row in amounts])
    rows = []
    for n, row in enumerate(parts):
        shared = [len(set(row) & set(other)) for k, other in enumerate(parts) if k != n]
        alike = sum(kinds[n] == other for other in kinds)
        left = sum("left" in part for part in row) - sum("right" in part for part in row)
        rows.append([len(row), sum(shared), max(shared), alike, left, (totals < totals[n]).sum(), len(texts[n]),
                     roundness(row[0])])  # fmt: skip
        same = [k for k in range(len(parts)) if len(parts[k]) == len(row)]
        for at in range(4):
            column = np.array([amounts[k][at] for k in same if at < len(row)])
            if at >= len(row) or np.ptp(column) == 0:
                rows[-1] += [-1, 0, -1, -1]
                continue
            value, ordered = amounts[n][at], np.sort(column)
            rank, gaps = int((column < value).sum()), np.diff(np.sort(column)) / np.ptp(column)
            beside = [gaps[rank - 1] if rank else -1, gaps[rank] if rank < len(ordered) - 1 else -1]
            rows[-1] += [rank, (value - np.median(column)) / np.ptp(column), *beside]
    return rows


def shape_of_words(texts, vocabulary):
    """Which of the known words, and which are offered; of names their length and how many words they share."""
    offered = [word in texts for word in vocabulary]
    lengths = np.array([len(text) for text in texts])
    words = [set(text.split()) for text in texts]
    return [
        [vocabulary.index(text) if text in vocabulary else -1, *offered, (lengths < len(text)).sum(),
         sum(len(words[n] & other) for other in words), bool(re.search(r"\d", text))]
        for n, text in enumerate(texts)
    ]  # fmt: skip


def answer_kind(question):
    """How its options are written: scalar, numbers (poses, boxes), course, words."""
    text = question.options[0].text
    if text.startswith("{"):
        return f"numbers-{len(re.findall('-?[0-9.]+', text))}"
    if re.match(r"move |turn |stop ", text):
        return "course"
    return "scalar" if re.match(r"-?\d", text) else "words"


def shapes(questions):
    """(N, K, F) for questions with K options, written alike; the last feature says which variant it is."""
    texts = [[option.text for option in question.options] for question in questions]
    kind = answer_kind(questions[0])
    vocabulary = [*WORDS, *SECTORS]
    make = {"scalar": shape_of_scalars, "course": shape_of_parts}.get(kind, shape_of_numbers)
    rows = [shape_of_words(row, vocabulary) if kind == "words" else make(row) for row in texts]
    variants = sorted({(q.tags["variant"][0], q.tags["scene"][0]) for q in questions})
    which = [variants.index((q.tags["variant"][0], q.tags["scene"][0])) for q in questions]
    return np.concatenate([np.array(rows, float), np.repeat(which, len(texts[0])).reshape(len(texts), -1, 1)], axis=2)
