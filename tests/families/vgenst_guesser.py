"""Guessers that see no picture: they learn from questions with known answers what right options look like."""

import re
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction import FeatureHasher
from sklearn.linear_model import SGDClassifier

from chronotope.question import Question

DIVISIONS = 5


def features(question: Question, k: int, *, with_stem: bool) -> Iterator[str]:
    """What a guesser sees of one option, beside the others and perhaps with the stem."""
    [name] = question.tags["template"]
    texts = [(option.text or "").casefold() for option in question.options]
    words = [set(re.findall(r"[a-z0-9']+", text)) for text in texts]
    others = [words[j] for j in range(len(texts)) if j != k]
    shared = sum(len(words[k] & other) for other in others)
    order = sorted(texts, key=lambda text: (len(text), text)).index(texts[k])
    own = [f"text {texts[k]}", f"place {k}", f"length {order}", f"shares {shared}", f"of {len(texts)}",
           *(f"word {word}" for word in words[k]),
           *(f"beside {texts[k]} {text}" for text in texts if text != texts[k])]  # fmt: skip
    if texts[k].isdigit():
        own.append(f"rank {sum(int(text) < int(texts[k]) for text in texts if text.isdigit())}")
    if with_stem:
        seen = re.findall(r"[a-z0-9'-]+", question.stem.casefold())
        own += [f"stem {word} with {texts[k]}" for word in set(seen)]
        own.append(f"said {len(words[k] & set(seen))}")
    for feature in own:
        yield feature
        yield f"{name} {feature}"


def rate_of(questions: Sequence[Question], *, with_stem: bool, seed: int = 0) -> tuple[float, float]:
    """The share of right guesses in per cent, each scene guessed by a guesser that never saw it, and that of chance."""
    scenes = sorted({question.cluster for question in questions})
    rng = np.random.default_rng(seed)
    part = dict(zip(scenes, rng.permutation(len(scenes)) % DIVISIONS, strict=True))
    hasher = FeatureHasher(2**18, input_type="string")
    rows = [(n, k) for n, question in enumerate(questions) for k in range(len(question.options))]
    data = csr_matrix(hasher.transform(list(features(questions[n], k, with_stem=with_stem)) for n, k in rows))
    right = np.array([k == questions[n].answer[0] for n, k in rows])
    fold = np.array([part[questions[n].cluster] for n, _ in rows])
    of = np.array([n for n, _ in rows])
    hits = 0
    for division in range(DIVISIONS):
        guesser = SGDClassifier("log_loss", alpha=2e-3, max_iter=12, tol=None, random_state=0).fit(
            data[fold != division], right[fold != division]
        )
        scores = guesser.decision_function(data[fold == division])
        where, which = of[fold == division], right[fold == division]
        for n in np.unique(where):
            mine = np.flatnonzero(where == n)
            hits += bool(which[mine[np.argmax(scores[mine] + 1e-9 * rng.random(len(mine)))]])
    chance = float(np.mean([1 / len(question.options) for question in questions]))
    return 100 * hits / len(questions), 100 * chance
