"""Audit a benchmark: make all checks, correct for their number, and say the result in sentences."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from chronotope.audit import cues, facts, from_runs, learned
from chronotope.audit.attacks.joint import joint
from chronotope.audit.attacks.size_by_name import size_by_name
from chronotope.audit.findings import LEAST_EXCESS, Audit, Finding, Scope, holm, needed_for
from chronotope.audit.one_frame import OneFrame
from chronotope.audit.resolution import Resolution
from chronotope.audit.trials import FEWEST, Asked, Guess, fewest_clusters, guessed, scopes_of
from chronotope.audit.wording import CHECKS, finding, rule_words, say, say_none, say_undecided, unmade
from chronotope.errors import InputError
from chronotope.evaluate.plan.plan import media_facts
from chronotope.evaluate.score.statistics import FEWEST_CLUSTERS
from chronotope.families import family
from chronotope.models.study import studies_of
from chronotope.question import Benchmark, recordings_of
from chronotope.view.question_boxes import RecordingReader

STUDIED = 300  # questions of whole clusters that are solved together, at least, if there are so many
# Checks whose rules each choose another option in the same way. A solver makes answers of a cluster agree, as ranks do.
ALIKE = {"letter": "letter", "rank": "rank", "picture": "picture", "solved": "rank"}
Advance = Callable[[int, int], object]


@dataclass
class Tried:
    """All guesses of an audit, with the questions on which they were tested."""

    asked: Asked
    guesses: dict[str, dict[str, Guess]] = field(default_factory=dict[str, dict[str, Guess]])
    tests: dict[str, dict[str, tuple[Scope, ...]]] = field(default_factory=dict[str, dict[str, tuple[Scope, ...]]])


def audit(
    benchmark: Benchmark,
    *,
    clips: bool = True,
    seed: int = 0,
    runs: Sequence[Path] = (),
    advance: Advance | None = None,
) -> Audit:
    """Check what a benchmark reveals without its videos.

    With ``clips``, three pictures of each clip are decoded and compared. ``runs`` are folders of runs on this
    benchmark, which tell what models answer without the pictures, or with fewer. ``advance`` is called with the
    finished and all steps.

    Raises:
        InputError: If the benchmark has no base question with options, or a run is about another benchmark.
    """
    opened = from_runs.audited_runs(benchmark, runs)
    found = found_by(benchmark, tried(benchmark, seed), clips=clips, advance=advance)
    shown = from_runs.answered_blind(opened, found.cluster), from_runs.gaps(opened, found.cluster)
    return replace(found, findings=(*found.findings, *shown))


def tried(benchmark: Benchmark, seed: int = 0) -> Tried:
    """Make all guesses, and test them."""
    asked = Asked.of(benchmark.questions)
    if not asked.questions:
        raise InputError(f"{benchmark.folder}: has no question with options: there is nothing to audit")
    made = Tried(asked, _guesses(benchmark, asked, seed))
    names = [(check, rule) for check, rules in made.guesses.items() for rule in rules]
    alike = {check: list(made.guesses[of].values()) for check, of in ALIKE.items()}
    corrected = holm([scopes_of(asked, made.guesses[check][rule], alike.get(check, ())) for check, rule in names])
    for (check, rule), scopes in zip(names, corrected, strict=True):
        made.tests.setdefault(check, {})[rule] = scopes
    return made


def _guesses(benchmark: Benchmark, asked: Asked, seed: int) -> dict[str, dict[str, Guess]]:
    templates = learned.templates_of(asked)
    chosen = cues.letters(asked) | cues.order(asked) | cues.by_text(asked) | cues.in_clip(asked) | cues.names(asked)
    chosen |= cues.pictures(asked, benchmark.media)
    found: dict[str, dict[str, Guess]] = {check: {} for check, of in CHECKS.items() if of.guesses}
    for rule, options in chosen.items():
        found[rule.partition(":")[0]][rule] = guessed(asked, options)
    found["template"]["template"] = learned.usual(asked, templates, seed)
    clusters = [one.cluster for one in asked.questions]
    for rule, groups, stems in (
        ("classifier:options", clusters, False),
        ("classifier:stem", clusters, True),
        ("classifier:template", templates, True),
    ):
        guess = learned.classified(asked, groups, seed, stems=stems)
        if guess is not None:
            found["classifier"][rule] = guess
    if benchmark.card.family == "sti":
        found["solved"] = _solved(asked, seed)
    return found


def _solved(asked: Asked, seed: int) -> dict[str, Guess]:
    """Let the baselines that see all questions of a cluster answer some clusters."""
    studies = studies_of(asked.questions)
    some = np.random.default_rng(seed).permutation(len(studies))
    before = np.cumsum([0, *(len(studies[number].asked) for number in some)])[:-1]
    answers: dict[str, dict[str, int]] = {"solved:joint": {}, "solved:size": {}}
    for number in some[(before < STUDIED) | (np.arange(len(some)) < FEWEST_CLUSTERS)]:
        for rule, solver in (("solved:joint", joint), ("solved:size", size_by_name)):
            answers[rule] |= {name: one.option for name, one in solver(studies[number]).items()}
    return {
        rule: guessed(asked, [[known[one.id]] if one.id in known else None for one in asked.questions])
        for rule, known in answers.items()
    }


def found_by(benchmark: Benchmark, made: Tried, *, clips: bool, advance: Advance | None) -> Audit:
    """State the findings of all guesses and counts."""
    card, cluster = benchmark.card, family(benchmark.card.family).cluster
    tests = sum(len(scopes) for rules in made.tests.values() for scopes in rules.values())
    findings = [_finding(check, made, tests, cluster) for check in made.guesses]
    findings.append(facts.same_questions(made.asked))
    if clips:
        findings.append(facts.same_clips(benchmark, advance))
    findings += from_recordings(benchmark, made.asked, cluster)
    findings.append(facts.evidence(benchmark, made.asked))
    notes = []
    left = len(benchmark.questions) - len(made.asked.questions)
    if left:
        notes.append(f"{left:,} questions are not tested: variants of others, and questions without options.")
    clusters = len(set(made.asked.cluster.tolist()))
    if clusters < FEWEST_CLUSTERS:
        told = f"one {cluster}" if clusters == 1 else f"{clusters} {cluster}s"
        notes.append(
            f"All questions are about {told}. Answers about one {cluster} depend on each other, so a finding may be "
            f"luck: audit a benchmark with at least {FEWEST_CLUSTERS} {cluster}s."
        )
    counts = len(made.asked.questions), clusters, cluster, tests
    return Audit(card.name, card.content_hash, *counts, tuple(findings), tuple(notes))


def from_recordings(benchmark: Benchmark, asked: Asked, cluster: str) -> list[Finding]:
    """State what the recordings of questions tell, each of which is read once.

    ``cluster`` is the word for a cluster.
    """
    groups: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(asked.questions):
        for name in recordings_of(one):
            groups[name].append(place)
    measured, looked, reader = Resolution(), OneFrame(asked), RecordingReader()
    try:
        media = media_facts(benchmark)
    except InputError:  # an import without facts about its clips
        media = None
    for name, places in groups.items():
        recording = reader.named(benchmark.folder, name)
        if recording is not None:
            measured.look(recording, [asked.questions[place] for place in places])
            looked.look(recording, places, benchmark, media)
    return [measured.finding(), *looked.findings(cluster)]


def _finding(check: str, made: Tried, tests: int, cluster: str) -> Finding:
    asked, guesses = made.asked, made.guesses[check]
    scopes = [(rule, scope) for rule, found in made.tests.get(check, {}).items() for scope in found]
    if not scopes:
        sizes = (_size(guess, asked) for guess in guesses.values())
        most, about = max(sizes, default=(0, 0))
        return unmade(check, most, about, len(asked.questions), (FEWEST, fewest_clusters(asked)), cluster)
    told = tuple(replace(scope, name=f"{rule} / {scope.name}") for rule, scope in scopes)
    found = _decided(check, made, told, tests, cluster)
    return replace(found, said=" ".join([found.said, *_left_out(found, made, cluster)]))


def _size(guess: Guess, asked: Asked) -> tuple[int, int]:
    """Return to how many questions a guess applies, and about how many clusters these are."""
    return int(guess.told.sum()), len(set(asked.cluster[guess.told].tolist()))


def _decided(check: str, made: Tried, told: tuple[Scope, ...], tests: int, cluster: str) -> Finding:
    """Make the finding of a check with tests."""
    asked, guesses = made.asked, made.guesses[check]
    alarming = [scope for scope in told if scope.significant]
    if alarming:
        verdict = "defect" if max(abs(scope.excess) for scope in alarming) >= LEAST_EXCESS else "slight"
        above = [scope for scope in alarming if scope.excess > 0]
        items = tuple(dict.fromkeys(name for scope in above for name in _items(asked, guesses[scope.rule], scope)))
        return finding(check, verdict, say(check, alarming), scopes=told, items=items)
    tried, clusters = _tried_clusters(check, made), len(set(asked.cluster.tolist()))
    needed = needed_for(told, len(asked.questions), tried, tests)
    if needed is None:
        return finding(check, "pass", say_none(told), scopes=told)
    # More clusters do not help a check that tries some of them only.
    found = finding(check, "undecided", "", scopes=told, needed=needed if tried == clusters else None)
    return replace(found, said=say_undecided(found, tried, cluster, tests, len(asked.questions)))


def _tried_clusters(check: str, made: Tried) -> int:
    """Return on how many clusters a check was tried: all, but for the slow one."""
    cluster = made.asked.cluster
    if check == "solved":
        cluster = cluster[np.any([of.told for of in made.guesses[check].values()], axis=0)]
    return len(set(cluster.tolist()))


def _left_out(found: Finding, made: Tried, cluster: str) -> Iterator[str]:
    """Say what a check left out: clusters that take too long, and rules on few questions or clusters."""
    check, least = found.check, fewest_clusters(made.asked)
    sizes = {rule: _size(guess, made.asked) for rule, guess in made.guesses[check].items()}
    tried, clusters = _tried_clusters(check, made), len(set(made.asked.cluster.tolist()))
    if tried < clusters:
        some = f"{tried} of the {clusters:,} {cluster}s, drawn at random"
        stay = ", and can be undecided for a large benchmark, too" if found.verdict == "undecided" else ""
        yield f"Because this check is slow, it uses only {some}{stay}."
    few = [
        f"“{rule_words(rule)}” ({count} question{'s' if count > 1 else ''}"
        + (f" about {about} {cluster}{'s' if about > 1 else ''})" if about < least else ")")
        for rule, (count, about) in sizes.items()
        if count and (count < FEWEST or about < least)
    ]
    if few:
        fewest = f"{FEWEST} questions" + (f" or {least} {cluster}s" if least > 1 else "")
        yield f"Rules on fewer than {fewest} are not tested: {', '.join(few)}."


def _items(asked: Asked, guess: Guess, scope: Scope) -> list[str]:
    """Return the questions on which a guess is better than chance."""
    chosen = guess.told if scope.task == "all" else guess.told & (asked.task == asked.tasks.index(scope.task))
    return [asked.questions[place].id for place in np.flatnonzero(chosen & (guess.hit > guess.chance))]
