"""The results of a run: its asks, calls, and readings.

Readings are computed whenever a run is opened, and are not stored.
"""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from pydantic import ValidationError

from chronotope.errors import InputError
from chronotope.evaluate.plan.asks import read_asks
from chronotope.evaluate.plan.inputs import shown_media
from chronotope.evaluate.plan.manifest import LEDGER, RunManifest, read_manifest
from chronotope.evaluate.plan.plan import ask_parts, media_facts
from chronotope.evaluate.plan.staged import Staged
from chronotope.evaluate.score.verdicts import JUDGED, NORMALISED, decided
from chronotope.families import Family
from chronotope.families import family as find_family
from chronotope.io import reading
from chronotope.io.fields import first_fault
from chronotope.io.packed import PackedList
from chronotope.ledger import LedgerLine, answers, ledger_content
from chronotope.methods import MethodAsk
from chronotope.protocol import Ask, AskSettings, MediaFacts, Part, Reading
from chronotope.question import (
    Benchmark,
    Question,
    open_benchmark,
    read_card,
    read_descriptions,
    read_media,
    read_questions,
)

ASKS_TELL_ALL = 2  # first schema version of run cards whose asks contain all values for their prompts
NO_REPLY = "(no reply)"  # stands for a missing reply in a prompt
CUT_SHORT = "length"  # the finish reason of a reply that reached the limit of tokens
PARSER = (
    "because all their text is in the reasoning: check the reasoning parser of the server (vLLM and SGLang: "
    "--reasoning-parser), or switch thinking off"
)


def only_thinks(text: str | None, reasoning: str | None, finish: str | None) -> bool:
    """Check whether a complete reply has only reasoning.

    Its whole text is in the field for reasoning.
    """
    return bool(reasoning and reasoning.strip()) and not (text or "").strip() and finish != CUT_SHORT


@dataclass(frozen=True)
class Answered:
    """One ask of a run, with its call and the reading of its reply.

    ``line`` is the line of the call in the ledger, or None if there is no call. ``reading`` is None if there is no
    reply.
    """

    ask: Ask
    question: Question
    line: LedgerLine | None
    reading: Reading | None


@dataclass(frozen=True)
class OpenAnswers:
    """The numbers of open answers that were and were not judged.

    ``settled`` answers were judged by rules, ``judged`` answers by a judge model, and ``unjudged`` answers by neither.
    """

    settled: int
    judged: int
    unjudged: int

    @property
    def total(self) -> int:
        """Count all open answers."""
        return self.settled + self.judged + self.unjudged


@dataclass(frozen=True)
class RunResults:
    """The results of a run, with its benchmark.

    - ``answered`` has one entry for each ask, in the planned order.
    - ``lines`` contains all lines of the ledger, in the order in which they were written.
    - ``damage`` is a sentence about damaged lines of the ledger, or None. Damaged lines are ignored.

    The clips and pictures of the benchmark are not needed, because only the tables of the benchmark are used.
    """

    folder: Path
    card: RunManifest
    benchmark: Benchmark
    family: Family
    answered: Sequence[Answered]
    lines: Sequence[LedgerLine]
    damage: str | None = None

    def parts(self, ask: Ask) -> list[Part]:
        """Return the parts of a prompt, in the order sent.

        With a method, the prompt of the answer contains the replies to the calls of earlier stages.
        """
        settings, facts = self._asked_with
        questions = self.benchmark.by_id
        question = shown_media(ask, questions[ask.question], questions)
        if self._staged is not None:
            parts = ask_parts(self.family, ask, question, settings, facts, self.card.layout)
            asked = MethodAsk(ask, question, tuple(parts), facts)
            return list(self._staged.walk(asked, self._replies.get, NO_REPLY)[1])
        if self.card.schema_version < ASKS_TELL_ALL:
            ask = self._told_whole(ask, question)
        return ask_parts(self.family, ask, question, settings, facts, self.card.layout)

    def _told_whole(self, ask: Ask, question: Question) -> Ask:
        """Complete an ask of an older run from the run's settings.

        The stored asks of older runs lack some values that determine their prompts.
        """
        planned = self.family.protocol.asks(question, *self._asked_with)[0]
        plans = tuple(old or new for old, new in zip(ask.plans, planned.plans, strict=True))
        return replace(ask, plans=plans, wording=planned.wording)

    @cached_property
    def open_answers(self) -> OpenAnswers:
        """Count the open answers that could be read from replies."""
        rules = Counter(
            one.reading.rule if one.reading.right is not None else ""
            for one in self.answered
            if not one.question.answer and one.reading and one.reading.parsed
        )
        by_rule = sum(count for rule, count in rules.items() if rule.startswith(NORMALISED))
        return OpenAnswers(by_rule, rules[JUDGED], rules.total() - by_rule - rules[JUDGED])

    @cached_property
    def pictures_sent(self) -> bool:
        """Check whether a call sent pictures or clips."""
        return any(one.line is not None and one.line.pictures for one in self.answered)

    @property
    def looked(self) -> bool | None:
        """Check whether the model got pictures or clips.

        Returns None if that is unknown, as for imported replies, or if the pictures went to other calls of a method.
        """
        return None if self.card.elsewhere is not None or self.card.method is not None else self.pictures_sent

    @cached_property
    def _staged(self) -> Staged | None:
        return None if self.card.method is None else self.card.method.staged()

    @cached_property
    def _replies(self) -> dict[str, str]:
        """Return the replies to the calls of a method, by key."""
        best = answers(line for line in self.lines if line.kind in ("caption", "summary"))
        return {key: line.reply or "" for key, line in best.items() if line.state == "replied"}

    @cached_property
    def _asked_with(self) -> tuple[AskSettings, MediaFacts]:
        return self.settings, media_facts(self.benchmark)

    @cached_property
    def settings(self) -> AskSettings:
        """Return the settings of the protocol.

        Raises:
            InputError: If ``run.yaml`` has other settings than those of the family.
        """
        try:
            return self.family.RunSettings.model_validate(self.card.protocol.settings)
        except ValidationError as error:
            raise InputError(
                f"its settings of {self.family.name} cannot be read ({first_fault(error)})",
                where=f"{self.folder}/run.yaml",
                fix="restore the file, or update chronotope",
            ) from None


def open_run(folder: Path | str) -> RunResults:
    """Read the results of a run, even before it has finished.

    The manifest of the run has two paths of the benchmark: an absolute path, and a path relative to the run folder. The
    benchmark is searched for at both paths, so the benchmark and the run can be moved together. The clips of the
    benchmark are not needed. The protocol of the family computes the readings, which are not stored. Rules decide
    whether an open answer is correct. If no rule decides, the verdict of the run's judge in the ledger is used.

    Raises:
        InputError: If the folder is not a run folder, a file in the folder cannot be read, or the benchmark of the run
            is missing or has changed.
    """
    folder = Path(folder)
    card = read_manifest(folder)
    benchmark = benchmark_of(folder, card)
    family = find_family(card.family)
    if card.protocol.name != family.protocol.name:
        raise InputError(
            f"holds the calls of {card.protocol.name}, not answers to the questions",
            where=str(folder),
            fix="name a folder made by `chronotope run`",
        )
    ledger = ledger_content(folder / LEDGER)
    best = answers(ledger.lines)
    answered = PackedList[Answered]()
    for planned in read_asks(folder):
        question = benchmark.by_id.get(planned.ask.question)
        if question is None:
            raise InputError(
                f"{folder}: the run asks question {planned.ask.question!r}, which is missing in {benchmark.folder}"
            )
        if len({*planned.ask.placement} & {*range(len(question.options))}) != len(planned.ask.placement):
            raise InputError(
                f"{folder}: the ask {planned.ask.id!r} shows options that its question does not have: restore "
                "asks.parquet, or make the run again"
            )
        line = best.get(planned.key)
        reading = _read(family, planned.ask, question, line)
        if reading is not None and not question.answer:
            reading = decided(reading, question, card.judge, best)
        answered.append(Answered(planned.ask, question, line, reading))
    return RunResults(folder, card, benchmark, family, answered.ended(), ledger.lines, ledger.problem)


def _read(family: Family, ask: Ask, question: Question, line: LedgerLine | None) -> Reading | None:
    if line is None or line.state != "replied":
        return None
    return family.protocol.read(ask, question, line.reply or "", line.finish == CUT_SHORT)


def benchmark_of(folder: Path, card: RunManifest) -> Benchmark:
    """Find the benchmark of a run by its content hash.

    Raises:
        InputError: If the benchmark is not there, or has changed.
    """
    absolute = Path(card.benchmark.path)
    beside = Path(os.path.normpath(folder.resolve() / card.benchmark.relative_path))
    places = list(dict.fromkeys([absolute, beside]))
    changed: Benchmark | None = None
    faults: list[str] = []
    for place in places:
        if not _is_folder(place):
            continue
        try:
            benchmark = open_benchmark(place)
        except InputError as error:
            tables = _tables(place)
            if tables is not None and tables.card.content_hash == card.benchmark.content_hash:
                return tables
            faults.append(str(error))
            continue
        if benchmark.card.content_hash == card.benchmark.content_hash:
            return benchmark
        changed = changed or benchmark
    if changed is not None:
        raise InputError(
            f"the benchmark has changed since {folder} was made (content hash {changed.card.content_hash[:8]}, at that "
            f"time {card.benchmark.content_hash[:8]})",
            where=str(changed.folder),
            fix="restore the old benchmark, or run again into a new folder",
        )
    if faults:
        raise InputError(faults[0])
    raise InputError(
        f"the benchmark {card.benchmark.name!r} of this run is not at {' nor at '.join(map(str, places))}",
        where=str(folder),
        fix=f"restore it there, or correct benchmark.path in {folder / 'run.yaml'}",
    )


def _is_folder(place: Path) -> bool:
    with reading(place):
        return place.is_dir()


def _tables(folder: Path) -> Benchmark | None:
    """Read a benchmark that has only its card and its tables.

    Returns None if the card or the tables have changed since they were written. Tables with the recorded content hash
    were valid when the run was made. No clip is opened, because scores do not depend on clips.
    """
    try:
        card = read_card(folder / "card.yaml")
        questions = read_questions(folder / "questions.parquet")
        media = read_media(folder / "media.parquet")
        benchmark = Benchmark(folder, card, questions, media, read_descriptions(folder / "descriptions.parquet"))
        content = benchmark.content_hash()
    except InputError:
        return None
    return benchmark if content == card.content_hash else None
