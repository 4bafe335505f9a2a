"""What runs of models reveal: answers without pictures, and altered pictures with which a model is as good."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from chronotope.audit.findings import FALSE_ALARMS, LEAST_EXCESS, NOTICED_POINTS, Finding, Scope, holm, needed_for
from chronotope.audit.wording import finding, percent, too_few
from chronotope.errors import InputError
from chronotope.evaluate.score import Difference, RunResults, Scores, difference, open_run, score_run
from chronotope.evaluate.score.statistics import FEWEST_CLUSTERS, chance_of, clusters_needed, korn_graubard
from chronotope.question import Benchmark

FEWEST_ASKED = 20  # questions on which a run is tested
LITTLE = 0.05  # a difference is small if its whole interval lies below this size
_SHOWN = {
    "blind": "without pictures",
    "first": "with the first frame alone",
    "middle": "with the middle frame alone",
    "last": "with the last frame alone",
    "shuffled": "with the frames in random order",
    "frozen": "with one frame, shown again and again",
    "swapped": "with the pictures of another scene",
}


@dataclass(frozen=True)
class AuditedRun:
    """A run on the audited benchmark: its name, its input, and its scores."""

    name: str
    input: str
    settings: str
    scores: Scores


def audited_runs(benchmark: Benchmark, folders: Sequence[Path]) -> tuple[AuditedRun, ...]:
    """Open and score the runs.

    Raises:
        InputError: If a folder is not a run, or its run is about another benchmark.
    """
    found: list[AuditedRun] = []
    for folder in dict.fromkeys(one.resolve() for one in folders):
        run = open_run(folder)
        if run.card.benchmark.content_hash != benchmark.card.content_hash:
            raise InputError(
                f"{folder}: this run is about {run.card.benchmark.name} with the content "
                f"{run.card.benchmark.content_hash[:12]}, and the audited benchmark has the content "
                f"{benchmark.card.content_hash[:12]}: name runs on {benchmark.folder}"
            )
        found.append(_audited(run))
    return tuple(found)


def _audited(run: RunResults) -> AuditedRun:
    settings = run.card.identified()
    shown = str(settings.pop("protocol.settings.input", "full"))
    return AuditedRun(run.card.model, shown, repr(sorted(settings.items())), score_run(run))


def answered_blind(runs: Sequence[AuditedRun], cluster: str) -> Finding:
    """Test whether models answer more questions without pictures than by chance.

    ``cluster`` is the word for a cluster.
    """
    blind = [run for run in runs if run.input == "blind"]
    if not blind:
        said = (
            "No run without pictures is named. Make one with `chronotope run BENCHMARK --model MODEL --input blind "
            "--out blind`, and audit with `chronotope audit BENCHMARK --run blind`."
        )
        return finding("blind", "not tested", said)
    told = [(run, scopes) for run in blind if (scopes := list(_scopes(run)))]
    if not told:
        few = f"at least {FEWEST_ASKED} questions about at least {FEWEST_CLUSTERS} {cluster}s"
        return finding("blind", "undecided", f"The runs without pictures are too small to decide: {few} are needed.")
    tested = list(zip([run for run, _ in told], holm([scopes for _, scopes in told]), strict=True))
    scopes = tuple(scope for _, found in tested for scope in found)
    better = [(run, scope) for run, found in tested for scope in found if scope.significant and scope.excess > 0]
    run, worst = max(better or [(run, found[0]) for run, found in tested], key=lambda one: one[1].excess)
    task = worst.name.rpartition(" / ")[2]
    where = "" if task == "all" else f" of the task {task}"
    share = f"{percent(worst.value)} of {worst.questions:,} questions{where}"
    said = f"{run.name} answers {share} correctly without pictures; by chance, {percent(worst.chance)}."
    if better:
        verdict = "defect" if worst.excess >= LEAST_EXCESS else "slight"
        items = tuple(_right_in_all([one for one, _ in tested]))
        return finding("blind", verdict, said, scopes=scopes, items=items, false_alarms=FALSE_ALARMS)
    said = f"No run is significantly better than chance. The best one: {said}"
    clusters = max(one.clusters for one in scopes)
    needed = needed_for(scopes, worst.questions, clusters, len(scopes))
    if needed is None:
        return finding("blind", "pass", said, scopes=scopes, false_alarms=FALSE_ALARMS)
    said = f"{said} {too_few(clusters, cluster, needed, f'notice {NOTICED_POINTS} points')}."
    return finding("blind", "undecided", said, scopes=scopes, needed=needed, false_alarms=FALSE_ALARMS)


def _scopes(run: AuditedRun) -> Iterator[Scope]:
    """Yield the accuracy of a run beside chance: of all questions, then of each task."""
    known = [one for one in run.scores.counted_questions.values() if one.metrics.get("strict") is not None]
    tasks = list(dict.fromkeys(one.question.task for one in known))
    for task in (None, *tasks) if len(tasks) > 1 else (None,):
        some = [one for one in known if one.chance is not None and task in (None, one.question.task)]
        clusters = [one.question.cluster for one in some]
        values, chances = [one.metrics["strict"] or 0.0 for one in some], [one.chance or 0.0 for one in some]
        luck = chance_of(values, chances, clusters) if len(some) >= FEWEST_ASKED else None
        if luck is None:
            continue
        name = f"run:{run.name} / {'all' if task is None else task}"
        low, high = korn_graubard(values, clusters)
        yield Scope(name, len(some), len(set(clusters)), fmean(values), fmean(chances), low, high, *luck)


def _right_in_all(runs: Sequence[AuditedRun]) -> Iterator[str]:
    """Yield the questions that every run answers correctly."""
    of = [run.scores.counted_questions for run in runs]
    for name in of[0]:
        if all(name in one and one[name].metrics.get("strict") == 1 for one in of):
            yield name


def gaps(runs: Sequence[AuditedRun], cluster: str) -> Finding:
    """Compare runs with the full pictures with runs of the same model that saw less.

    ``cluster`` is the word for a cluster.
    """
    pairs = [(full, other) for full in runs for other in runs if _pair(full, other)]
    if not pairs:
        said = (
            "Nothing was compared. Name two runs of one model, one with `--input full` and one with less, such as "
            "`--input first` (the first frame only): `chronotope audit BENCHMARK --run full --run first`."
        )
        return finding("gap", "not tested", said)
    told = [(full, other, gap) for full, other in pairs if (gap := _gap(full, other)) is not None]
    if not told:
        said = f"The runs have too few common questions to decide: at least {FEWEST_ASKED} are needed."
        return finding("gap", "undecided", said)
    said = " ".join(_gap_words(full, other, gap) for full, other, (gap, _) in told)
    little = [(full, other) for full, other, (gap, _) in told if gap.high is not None and gap.high < LITTLE]
    if little:
        said += f" An interval below {100 * LITTLE:.0f} points means that the pictures add little."
        items = tuple(dict.fromkeys(name for pair in little for name in _right_in_all(pair)))
        return finding("gap", "slight", said, items=items)
    # As many as tell a small difference from none.
    open_ = [one for _, _, one in told if one[0].low is None or one[0].low <= 0]
    if not open_:
        return finding("gap", "pass", f"{said} No interval contains 0, so the pictures add something.")
    needed = max(clusters_needed(LITTLE, error, gap.clusters) or FEWEST_CLUSTERS for gap, error in open_)
    purpose = f"tell a difference of {100 * LITTLE:.0f} points from none"
    said += f" {too_few(min(gap.clusters for gap, _ in open_), cluster, needed, purpose)}."
    return finding("gap", "undecided", said, needed=needed)


def _pair(full: AuditedRun, other: AuditedRun) -> bool:
    return full.input == "full" and other.input != "full" and full.settings == other.settings


def _gap(full: AuditedRun, other: AuditedRun) -> tuple[Difference, float] | None:
    """Return how much better a run is than one that saw less, with its standard error."""
    of, there = full.scores.counted_questions, other.scores.counted_questions
    known = [{name for name, one in run.items() if one.metrics.get("strict") is not None} for run in (of, there)]
    both = [name for name in of if name in known[0] & known[1]]
    if len(both) < FEWEST_ASKED:
        return None
    values = [[one[name].metrics["strict"] or 0.0 for name in both] for one in (of, there)]
    clusters = [of[name].question.cluster for name in both]
    gap, luck = difference(values[0], values[1], clusters), chance_of(values[0], values[1], clusters)
    return None if gap is None else (gap, 0.0 if luck is None else luck[1])


def _gap_words(full: AuditedRun, other: AuditedRun, gap: Difference) -> str:
    shown = _SHOWN.get(other.input, f"with the input {other.input}")
    ends = "" if gap.low is None or gap.high is None else f" (95 %: {100 * gap.low:.0f} to {100 * gap.high:.0f})"
    told = f"{full.name} answers {100 * gap.value:.0f} points more{ends} with all pictures than {shown}"
    return f"{told}, on {gap.items:,} questions."
