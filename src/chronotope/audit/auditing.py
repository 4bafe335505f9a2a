"""Audit a benchmark: make all checks, correct for their number, and say the result in sentences."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from chronotope.audit import cues, facts, from_runs, learned
from chronotope.audit.attacks.joint import joint
from chronotope.audit.attacks.size_by_name import size_by_name
from chronotope.audit.findings import FALSE_ALARMS, LEAST_EXCESS, Audit, Finding, Scope, holm
from chronotope.audit.one_frame import OneFrame
from chronotope.audit.resolution import Resolution
from chronotope.audit.trials import FEWEST, Asked, Guess, guessed, scopes_of
from chronotope.audit.wording import CHECKS, say
from chronotope.errors import InputError
from chronotope.evaluate.plan.plan import media_facts
from chronotope.evaluate.score.statistics import FEWEST_CLUSTERS
from chronotope.models.study import studies_of
from chronotope.question import Benchmark, recordings_of
from chronotope.view.question_boxes import RecordingReader

STUDIED = 300  # questions of whole clusters that are solved together, at least if there are so many
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
    if not opened:
        return found
    return replace(found, findings=(*found.findings, from_runs.answered_blind(opened), from_runs.gaps(opened)))


def tried(benchmark: Benchmark, seed: int = 0) -> Tried:
    """Make all guesses, and test them."""
    asked = Asked.of(benchmark.questions)
    if not asked.questions:
        raise InputError(f"{benchmark.folder}: has no question with options: there is nothing to audit")
    made = Tried(asked, _guesses(benchmark, asked, seed))
    names = [(check, rule) for check, rules in made.guesses.items() for rule in rules]
    corrected = holm([scopes_of(asked, made.guesses[check][rule]) for check, rule in names])
    for (check, rule), scopes in zip(names, corrected, strict=True):
        made.tests.setdefault(check, {})[rule] = scopes
    return made


def _guesses(benchmark: Benchmark, asked: Asked, seed: int) -> dict[str, dict[str, Guess]]:
    templates = learned.templates_of(asked)
    chosen = cues.letters(asked) | cues.order(asked) | cues.by_text(asked) | cues.in_clip(asked) | cues.names(asked)
    chosen |= cues.pictures(asked, benchmark.media) | {"template": learned.usual(asked, templates)}
    found: dict[str, dict[str, Guess]] = {check: {} for check in CHECKS}
    for rule, options in chosen.items():
        found[rule.partition(":")[0]][rule] = guessed(asked, options)
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
    for number in some[before < STUDIED]:
        for rule, solver in (("solved:joint", joint), ("solved:size", size_by_name)):
            answers[rule] |= {name: one.option for name, one in solver(studies[number]).items()}
    return {
        rule: guessed(asked, [[known[one.id]] if one.id in known else None for one in asked.questions])
        for rule, known in answers.items()
    }


def found_by(benchmark: Benchmark, made: Tried, *, clips: bool, advance: Advance | None) -> Audit:
    """State the findings of all guesses and counts."""
    findings = [_finding(check, made.asked, made.guesses[check], made.tests.get(check, {})) for check in CHECKS]
    findings.append(facts.same_questions(made.asked))
    if clips:
        findings.append(facts.same_clips(benchmark, advance))
    findings += from_recordings(benchmark, made.asked)
    findings.append(facts.evidence(benchmark, made.asked))
    notes = []
    left = len(benchmark.questions) - len(made.asked.questions)
    if left:
        notes.append(f"{left:,} questions are not tested: variants of others, and questions without options.")
    clusters = len(set(made.asked.cluster.tolist()))
    if clusters < FEWEST_CLUSTERS:
        told = "one scene" if clusters == 1 else f"{clusters} scenes"
        notes.append(
            f"All questions are about {told}. Answers about one scene depend on each other, so a finding may be luck: "
            f"audit a benchmark with at least {FEWEST_CLUSTERS} scenes."
        )
    card = benchmark.card
    return Audit(card.name, card.content_hash, len(made.asked.questions), clusters, tuple(findings), tuple(notes))


def from_recordings(benchmark: Benchmark, asked: Asked) -> list[Finding]:
    """State what the recordings of questions tell, each of which is read once."""
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
    return [measured.finding(), *looked.findings()]


def _finding(check: str, asked: Asked, guesses: Mapping[str, Guess], tests: Mapping[str, Sequence[Scope]]) -> Finding:
    title, advice = CHECKS[check]
    scopes = [(rule, scope) for rule, found in tests.items() for scope in found]
    if not scopes:
        said = f"No rule of this check applies to at least {FEWEST} questions."
        return Finding(check, title, "not tested", said, false_alarms=0)
    told = tuple(replace(scope, name=f"{rule} / {scope.name}") for rule, scope in scopes)
    alarming = [(rule, scope) for rule, scope in scopes if scope.significant]
    if not alarming:
        return Finding(check, title, "pass", say(check, scopes, found=False), scopes=told)
    worst = max(alarming, key=lambda one: abs(one[1].excess))
    verdict = "defect" if abs(worst[1].excess) >= LEAST_EXCESS else "slight"
    items = tuple(dict.fromkeys(name for rule, scope in alarming for name in _items(asked, guesses[rule], scope)))
    return Finding(check, title, verdict, say(check, alarming, found=True), advice, told, items, FALSE_ALARMS)


def _items(asked: Asked, guess: Guess, scope: Scope) -> list[str]:
    """Return the questions that make a guess better, or worse, than chance."""
    chosen = guess.told if scope.name == "all" else guess.told & (asked.task == asked.tasks.index(scope.name))
    off = (guess.hit - guess.chance) * np.sign(scope.excess)
    return [asked.questions[place].id for place in np.flatnonzero(chosen & (off > 0))]
