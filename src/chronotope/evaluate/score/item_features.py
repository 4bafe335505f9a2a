"""What makes questions difficult: features of a question and its scene, and how far they foretell difficulty."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from chronotope.evaluate.score.statistics import FEWEST_CLUSTERS
from chronotope.question import Question
from chronotope.recording import Recording

FEWEST_VALUES = 4  # different values that a feature must have
FOLDS = 10
_RESAMPLES, _RIDGE = 1000, 1.0


@dataclass(frozen=True)
class FeatureEffect:
    """How the difficulty of questions grows with a feature.

    ``correlation`` is the rank correlation within tasks, from -1 to 1, over ``questions`` questions. ``low`` and
    ``high`` are the ends of its 95 % interval by resampling clusters, or None if there are too few clusters.
    """

    name: str
    correlation: float
    low: float | None
    high: float | None
    questions: int


@dataclass(frozen=True)
class Foretold:
    """The share of the variance of difficulty that is foretold for clusters that were left out.

    ``by_task`` uses the task alone, and ``by_scene`` the task and all features. Values below 0 are worse than the mean.
    """

    effects: tuple[FeatureEffect, ...]
    by_task: float
    by_scene: float


def item_features(
    questions: Sequence[Question], recording_of: Callable[[Question], Recording | None]
) -> dict[str, np.ndarray]:
    """Return features (N,) of questions by name, NaN where a question has no such feature.

    Features of the scene are known for questions about exactly one recording.
    """
    rows = [_of_question(one) | _of_scene(one, recording_of(one)) for one in questions]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {name: np.array([row.get(name, np.nan) for row in rows]) for name in names}


def _of_question(question: Question) -> dict[str, float]:
    found = {"options": float(len(question.options)), "things that the question names": float(len(question.entities()))}
    for text in question.tags.get("spacing", ())[:1]:
        name = "spacing of the options (°)" if text.endswith("°") else "spacing of the options (ratio)"
        try:
            found[name] = float(text.removesuffix("°"))
        except ValueError:
            continue
    if question.window is not None:
        found["time that is asked about (s)"] = question.window.end - question.window.start
    return found


def _of_scene(question: Question, recording: Recording | None) -> dict[str, float]:
    if recording is None:
        return {}
    seen = [one for one in recording.entities if one.visible_pixels is not None and bool(one.visible_pixels.any())]
    if not seen:
        return {"things in the scene": float(len(recording.entities))}
    found = {"things in the scene": float(len(seen))}
    asked = [one for one in seen if one.id in question.entities()]
    if asked:
        found["largest picture of the smallest thing asked about (px)"] = float(
            min(np.max(one.visible_pixels) for one in asked if one.visible_pixels is not None)
        )
    fractions = [np.nanmax(one.visible_fraction) for one in asked if one.visible_fraction is not None]
    if fractions:
        found["largest unhidden part of a thing asked about"] = float(min(fractions))
    return found


def foretell(
    difficulties: np.ndarray, features: Mapping[str, np.ndarray], tasks: Sequence[str], clusters: Sequence[str]
) -> Foretold:
    """Relate difficulties (N,) to features (N,), within tasks.

    Features with fewer than ``FEWEST_VALUES`` different values are left out.
    """
    _, task = np.unique(np.asarray(tasks, dtype=str), return_inverse=True)
    _, cluster = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)
    used = {
        name: values
        for name, values in features.items()
        if len(np.unique(values[np.isfinite(values)])) >= FEWEST_VALUES
    }
    effects = [_effect(name, difficulties, values, task, cluster) for name, values in used.items()]
    dummies = np.eye(int(task.max()) + 1)[task]
    columns = [_filled(values, task) for values in used.values()]
    return Foretold(
        tuple(sorted(effects, key=lambda one: -abs(one.correlation))),
        _explained(dummies, difficulties, cluster),
        _explained(np.column_stack([dummies, *columns]), difficulties, cluster),
    )


def _effect(
    name: str, difficulties: np.ndarray, values: np.ndarray, task: np.ndarray, cluster: np.ndarray
) -> FeatureEffect:
    known = np.isfinite(values)
    here, of = _within(rankdata(difficulties[known]), task[known]), cluster[known]
    there = _within(rankdata(values[known]), task[known])
    products = np.stack([here * there, here * here, there * there])
    sums = np.stack([np.bincount(of, row, minlength=int(cluster.max()) + 1) for row in products])
    sums = sums[:, np.bincount(of, minlength=sums.shape[1]) > 0]
    count, low, high = sums.shape[1], None, None
    if count >= FEWEST_CLUSTERS:
        drawn = np.random.default_rng(0).multinomial(count, np.full(count, 1 / count), size=_RESAMPLES)
        ends = np.percentile([_correlation(one) for one in (sums @ drawn.T).T], (2.5, 97.5))
        low, high = float(ends[0]), float(ends[1])
    return FeatureEffect(name, _correlation(sums.sum(axis=1)), low, high, int(known.sum()))


def _correlation(sums: np.ndarray) -> float:
    scale = float(np.sqrt(sums[1] * sums[2]))
    return float(sums[0]) / scale if scale > 0 else 0.0


def _within(values: np.ndarray, task: np.ndarray) -> np.ndarray:
    """Subtract the mean of each task."""
    counts = np.maximum(np.bincount(task), 1)
    return np.asarray(values - (np.bincount(task, values) / counts)[task])


def _filled(values: np.ndarray, task: np.ndarray) -> np.ndarray:
    """Return ranks within tasks of unit variance, and 0 where a question has no such feature."""
    known, column = np.isfinite(values), np.zeros(len(values))
    column[known] = _within(rankdata(values[known]), task[known])
    spread = float(column[known].std())
    return column / spread if spread > 0 else column


def _explained(columns: np.ndarray, wanted: np.ndarray, cluster: np.ndarray) -> float:
    """Return the share of variance that ridge regression foretells for clusters that were left out."""
    fold = np.random.default_rng(0).permutation(int(cluster.max()) + 1)[cluster] % FOLDS
    foretold = np.full(len(wanted), wanted.mean())
    for one in range(FOLDS):
        held, rest = fold == one, fold != one
        if held.any() and rest.any():
            centre = wanted[rest].mean()
            normal = columns[rest].T @ columns[rest] + _RIDGE * np.eye(columns.shape[1])
            foretold[held] = centre + columns[held] @ np.linalg.solve(normal, columns[rest].T @ (wanted[rest] - centre))
    total = float(((wanted - wanted.mean()) ** 2).sum())
    return 1 - float(((wanted - foretold) ** 2).sum()) / total if total > 0 else 0.0
