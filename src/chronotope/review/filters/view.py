"""The questions that remain after some passes, with their new words and tags."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chronotope.errors import InputError
from chronotope.question import Mention, Option, Question
from chronotope.review.filters.capabilities import CAPABILITY, FIRST
from chronotope.review.filters.decisions import LEAVES_OUT, Decision, PassRecord, words_of
from chronotope.review.filters.passes import PASSES, PEOPLE, is_known, order_of


@dataclass(frozen=True)
class Choice:
    """The decisions that count.

    - ``without`` names passes whose decisions do not count, as ``PASS`` or ``PASS:MODEL``.
    - ``keep`` are the ids of questions that no pass drops.
    - ``before`` is the first pass whose decisions do not count.
    """

    without: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    before: str | None = None

    def counts(self, record: PassRecord) -> bool:
        """Check whether the decisions of a run count."""
        late = self.before is not None and order_of(record.name) >= order_of(self.before)
        return not late and not {record.name, f"{record.name}:{record.model}"} & set(self.without)


@dataclass(frozen=True)
class Dropped:
    """The pass and the model that dropped a question, and the reason."""

    name: str
    model: str
    reason: str


@dataclass(frozen=True)
class View:
    """The remaining questions, and the dropped ones with the reasons.

    ``rewritten`` and ``tagged`` count base questions. ``stale`` has, for each pass, the number of its decisions about
    words that have changed since; such decisions are ignored. ``open`` has, for each pass that was made, the number of
    remaining base questions that still lack a decision of this pass.
    """

    questions: tuple[Question, ...]
    dropped: Mapping[str, Dropped]
    rewritten: int = 0
    tagged: int = 0
    stale: Mapping[str, int] = field(default_factory=dict)
    open: Mapping[str, int] = field(default_factory=dict)


def apply_records(questions: Sequence[Question], records: Sequence[PassRecord], choice: Choice | None = None) -> View:
    """Apply decisions to questions, pass by pass.

    A question is dropped if any model of any pass, or any person, drops it. If an adjudicator keeps a question, the
    decisions of the reviewers of this stage do not drop it. Variants of a question are dropped with it, and get its new
    words and tags.

    Raises:
        InputError: If ``choice`` names an unknown question, or a pass without decisions.
    """
    choice = choice or Choice()
    _check(questions, records, choice)
    counted = [record for record in records if choice.counts(record) and is_known(record.name)]
    overruled = _overruled(counted)
    now = {question.id: question for question in questions if question.variant == "base"}
    dropped: dict[str, Dropped] = {}
    stale, changed = Counter[str](), {"rewritten": set[str](), "tagged": set[str]()}
    decided: dict[str, set[str]] = {}
    waiting: dict[str, set[str]] = {}
    for name in (*PASSES, *(name for pair in PEOPLE.items() for name in pair)):
        before = {key: words_of(one) for key, one in now.items()}
        of_pass = [record for record in counted if record.name == name]
        for number, record in enumerate(of_pass):
            for one in record.decisions:
                if before.get(one.question) != one.words:
                    stale[name] += one.question in before and one.question not in dropped
                    continue
                if one.outcome == "unanswered" and name in PEOPLE:  # two people decide: the second is missing
                    waiting.setdefault(name, set()).add(one.question)
                elif one.outcome != "unanswered":
                    decided.setdefault(name, set()).add(one.question)
                if (name, one.question, one.words) in overruled:
                    continue
                if one.outcome in LEAVES_OUT and one.question not in choice.keep:
                    dropped.setdefault(one.question, Dropped(name, record.model, one.reason))
                elif one.outcome in changed and one.question not in dropped:
                    changed[one.outcome].add(one.question)
                    now[one.question] = _changed(now[one.question], one, record, number, len(of_pass))
    kept = tuple(_followed(question, now) for question in questions if (question.base or question.id) not in dropped)
    counts = {name: len(ids - set(dropped)) for name, ids in changed.items()}
    left = now.keys() - dropped.keys()
    made = [name for name in dict.fromkeys(record.name for record in counted) if name not in PEOPLE.values()]
    unseen = {name: len(left - decided.get(name, set()) | left & waiting.get(name, set())) for name in made}
    return View(kept, dropped, **counts, stale=_some(stale), open=_some(unseen))


def _overruled(records: Sequence[PassRecord]) -> set[tuple[str, str, str]]:
    """Return the questions that an adjudicator has kept, with the reviewers' pass and the hash of the words."""
    stage_of = {settled: name for name, settled in PEOPLE.items()}
    return {
        (stage_of[record.name], one.question, one.words)
        for record in records
        if record.name in stage_of
        for one in record.decisions
        if one.outcome == "keep"
    }


def _some(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count}


def _check(questions: Sequence[Question], records: Sequence[PassRecord], choice: Choice) -> None:
    there = {question.id for question in questions}
    for one in choice.keep:
        if one not in there:
            raise InputError(f"--keep {one}: the benchmark has no question with this id")
    names = [name for record in records for name in (record.name, f"{record.name}:{record.model}")]
    for one in choice.without:
        if one not in names:
            known = ", ".join(dict.fromkeys(names)) or "nothing, because no pass was made"
            raise InputError(f"--without {one}: there are no such decisions", expected=known)


def _changed(question: Question, decision: Decision, record: PassRecord, number: int, models: int) -> Question:
    """Give a question its new words, or its new capabilities.

    If two models have tagged the questions, the first decides about "temporal" and the second about all others. If a
    model has not decided about a question, the tags that this model decides stay as they were.
    """
    if decision.outcome == "rewritten":
        return _reworded(question, decision.detail["stem"], decision.detail["options"], record.model)
    named = tuple(decision.detail[CAPABILITY])
    old = question.tags.get(CAPABILITY, ())
    by = {**question.provenance.get("capability_by", {})}
    if models > 1:
        first, others = (named, old) if number == 0 else (old, named)
        named = (*(name for name in first if name == FIRST), *(name for name in others if name != FIRST))
        by |= {FIRST if number == 0 else "others": record.model}
    else:
        by = {"all": record.model}
    template = question.provenance.get("template_capability", list(old))
    provenance = question.provenance | {"template_capability": template, "capability_by": by}
    return replace(question, tags={**question.tags, CAPABILITY: named or old}, provenance=provenance)


def _reworded(question: Question, stem: str, options: Sequence[str], model: str) -> Question:
    texts = [option.text for option in question.options]
    template = question.provenance.get("template", {"question": question.stem, "options": texts})
    return replace(
        question,
        stem=stem,
        options=tuple(replace(old, text=text) for old, text in zip(question.options, options, strict=True)),
        mentions=_found_again(question.mentions, stem),
        provenance=question.provenance | {"template": template, "rewriter": model},
    )


def _found_again(mentions: Iterable[Mention], stem: str) -> tuple[Mention, ...]:
    """Return mentions with their places in a new stem.

    A phrase that the new stem does not contain has no place.
    """
    placed: list[Mention] = []
    upto: dict[str, int] = {}
    for one in mentions:
        if one.start is not None:
            phrase = (one.phrase or "").casefold()
            start = stem.casefold().find(phrase, upto.get(phrase, 0)) if phrase else -1
            found = start >= 0 and len(stem.casefold()) == len(stem)
            upto[phrase] = start + len(phrase)
            one = replace(one, start=start if found else None, end=start + len(phrase) if found else None)
        placed.append(one)
    return tuple(placed)


def _followed(question: Question, now: Mapping[str, Question]) -> Question:
    """Return a question as it is now.

    A variant follows its base question.
    """
    base = now.get(question.base or question.id)
    if base is None:
        return question
    if question.variant == "base":
        return base
    template = base.provenance.get("template")
    if template is not None and template["question"] == question.stem:
        texts = dict(zip(template["options"], (option.text for option in base.options), strict=True))
        options = tuple(Option(texts.get(option.text, option.text), option.image) for option in question.options)
        expected = question.expected if question.expected is None else texts.get(question.expected, question.expected)
        mentions = _found_again(question.mentions, base.stem)
        question = replace(question, stem=base.stem, options=options, expected=expected, mentions=mentions)
    tags = {**question.tags, CAPABILITY: base.tags[CAPABILITY]} if "capability_by" in base.provenance else question.tags
    return replace(question, tags=tags)
