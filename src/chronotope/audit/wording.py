"""The words of an audit: names and advice of its checks, and sentences about guesses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chronotope.audit.findings import RARE, Finding, Scope, Verdict


@dataclass(frozen=True)
class Check:
    """A check: its name in all places, the advice if it finds something, and what it does to which questions.

    ``{cluster}`` in ``does`` stands for the word for a cluster. ``mild`` is true if a find can have good reasons: it is
    never more than slight, however large. ``guesses`` is true if it tests rules. ``none`` says that its rules apply to
    no question; ``harmless`` is true if they then can reveal nothing.
    """

    name: str
    advice: str
    does: str
    mild: bool = False
    guesses: bool = False
    none: str = ""
    harmless: bool = False


# In the order in which they are told; docs/trust.md has the same names.
CHECKS: dict[str, Check] = {
    "letter": Check(
        "Positions of the answers",
        "Shuffle the options; --fix does so.",
        guesses=True,
        none="No question has options.",
        does="Chooses the same letter in every question; one rule for each letter.",
    ),
    "order": Check(
        "Order of the questions",
        "Shuffle the options of each question independently of its neighbours.",
        guesses=True,
        none="No two questions in a row have equally many options, and one answer each.",
        does="Chooses the position of the correct option of the question before, or the position after that; where "
        "both questions have equally many options.",
    ),
    "rank": Check(
        "Ranks of numbers",
        "Draw wrong values on both sides, so that each rank is equally often correct.",
        guesses=True,
        none="No question has numbers as options.",
        does="Chooses the smallest or the largest number, where each option has one number, or the second smallest or "
        "second largest, where there are at least four; or the number in the middle, where options have equally many "
        "numbers, such as those of a pose.",
    ),
    "round": Check(
        "Round numbers",
        "Print all options of a question with the same number of digits.",
        guesses=True,
        none="No question has numbers as options.",
        does="Chooses the number with the fewest digits, where options are numbers.",
    ),
    "length": Check(
        "Lengths of options",
        "Write wrong options as carefully as correct ones.",
        guesses=True,
        none="All options of each question are equally long.",
        harmless=True,
        does="Chooses the option with the most or the fewest characters, where lengths differ.",
    ),
    "punctuation": Check(
        "Punctuation",
        "Write wrong options in the same form as correct ones.",
        guesses=True,
        none="All options of each question have equally much punctuation.",
        harmless=True,
        does="Chooses the option with the most punctuation marks (points and signs of numbers count), where their "
        "number differs.",
    ),
    "shared": Check(
        "Words that options share",
        "Do not vary the correct option alone: vary each option from the others.",
        guesses=True,
        none="No option shares more words with the other options than they do.",
        harmless=True,
        does="Chooses the option whose words and numbers occur most often in the other options, where this differs.",
    ),
    "stem": Check(
        "Words of the question",
        "Use the words of the question in all options, or in none.",
        guesses=True,
        none="No option shares more words with its question than the others do.",
        harmless=True,
        does="Chooses the option that has most words in common with the question, where this differs.",
    ),
    "others": Check(
        "Options of other questions",
        "Draw wrong options that other questions of the clip do not show as wrong.",
        guesses=True,
        none="No option is offered in more questions of its clip than the others.",
        harmless=True,
        does="Chooses the option that most other questions of the same {cluster} offer, too, where this differs.",
    ),
    "names": Check(
        "Names of files and ids",
        "Give files and questions names that are independent of their answers.",
        guesses=True,
        none="No id and no file name gives away the correct option by its text or letter.",
        harmless=True,
        does="Chooses the option whose text or letter is in the question’s id or in the names of its files.",
    ),
    "picture": Check(
        "Pictures of options",
        "Give pictures of options the same size, names in random order, and the correct one every rank.",
        guesses=True,
        none="No question has pictures as options.",
        does="Chooses by the size, the name or the number in the name of pictures, where options are pictures.",
    ),
    "template": Check(
        "Usual answers",
        "Ask for each answer of a kind of question equally often.",
        guesses=True,
        none="No answer was offered in two clips.",
        does="Chooses the answer that is correct most often in the same kind of question about other {cluster}s. "
        "Questions are of one kind if their texts differ only in names and numbers.",
    ),
    "classifier": Check(
        "What the texts reveal",
        "Draw wrong options from the same distribution as correct ones.",
        guesses=True,
        none="There is only one clip, or the options are not texts.",
        does="Learns which texts are usually correct: from the answers of other {cluster}s, or of other kinds of "
        "questions. Questions are of one kind if their texts differ only in names and numbers.",
    ),
    "solved": Check(
        "Questions of a clip together",
        "Ask fewer questions about the same motion or thing.",
        guesses=True,
        none="This check is for questions of STI-Bench about one motion, or about sizes of known things.",
        does="Answers the questions of a {cluster} together, so that their answers agree; or by the usual size of "
        "such a thing. If there are many {cluster}s, it is tried on some, which are drawn at random.",
    ),
    "duplicates": Check(
        "Questions that are asked twice",
        "Leave the repeated questions out: they count one thing twice.",
        does="Compares the media, the time, the words of the question and the options of all questions.",
    ),
    "clips": Check(
        "Clips that show the same",
        "Leave one clip of each pair out, or count the pair as one scene (give its questions the same cluster): "
        "otherwise intervals are too narrow.",
        does="Compares three pictures of each clip with those of the clips of other scenes.",
        mild=True,
    ),
    "resolution": Check(
        "Options that pictures can tell apart",
        "Leave these questions out, or draw options that lie farther apart.",
        does="How many pixels are neighbouring options apart? For options of 1.00 m and 1.20 m, and a thing 50 pixels "
        "wide to measure by, it is 20 % of 50: 10 pixels. The thing to measure by is the one that is given for scale, "
        "or whose size is asked. Its width is the square root of its pixels, in the frame that shows most of it.",
        mild=True,
    ),
    "frame": Check(
        "One frame in place of the video",
        "If these questions are to test more than one frame, leave them out, or choose options for which the rule is "
        "right as often as by chance.",
        does="Chooses the thing that is largest, smallest or nearest to the camera in one frame, where options are "
        "things whose true positions are recorded. If a question asks about a moment, such as t = 7.2 s, it is the "
        "frame at this moment. Otherwise it is the one in the middle of the time that the question names. Of several "
        "videos, it is one frame of each.",
        mild=True,
    ),
    "seen": Check(
        "Things in the frames that are shown",
        "Show more frames, or leave these questions out: a thing that they name, or their answer, is in none of the "
        "frames.",
        does="Looks up in the recording whether the shown frames have all things that a question names, and its answer "
        "if it is a thing. Things that are given only for scale are not counted. A thing is seen if at least 4 of its "
        "pixels are in a frame. Where pixels are unknown, a part of the box around it must be in the picture; models "
        "do not see this box.",
        mild=True,
    ),
    "evidence": Check(
        "Frames in the time that is asked about",
        "Leave these questions out, or give them a longer time: with fewer than 2 frames of it, a motion can only be "
        "guessed from the frames around it.",
        does="Counts the frames that a run shows inside the time that a question names. At least 2 are needed to see a "
        "motion.",
        mild=True,
    ),
    "blind": Check(
        "Answers without pictures",
        "Leave questions out that models answer without pictures: see `chronotope filter`.",
        does="Compares the accuracy of named runs without pictures with chance.",
    ),
    "gap": Check(
        "What the pictures add",
        "Look at these questions: they need less than their clips show, or the model does not use what it sees.",
        does="Compares named runs of one model with all pictures and with fewer, question by question.",
        mild=True,
    ),
}


def finding(check: str, verdict: Verdict, said: str, **more: Any) -> Finding:
    """Make the finding of a check, with its name, and its advice if it found something."""
    of = CHECKS[check]
    assert not (of.mild and verdict == "defect"), check
    if verdict == "not tested" or not of.guesses:
        more = {"false_alarms": 0.0} | more
    return Finding(check, of.name, verdict, said, of.advice if verdict in ("defect", "slight") else "", **more)


_RULES = {
    "order:same": "the position of the previous answer",
    "order:next": "the position after the previous answer",
    "rank:smallest": "the smallest number",
    "rank:second-smallest": "the second smallest number",
    "rank:second-largest": "the second largest number",
    "rank:largest": "the largest number",
    "rank:middle": "the number in the middle",
    "round": "the roundest number",
    "length:longest": "the longest option",
    "length:shortest": "the shortest option",
    "punctuation": "the option with the most punctuation",
    "shared": "the option that shares most words with the other options",
    "stem": "the option that shares most words with the question",
    "others": "the option that is also offered in most other questions of the clip",
    "names:text": "the option whose text is in the question's id or file names",
    "names:letter": "the letter that is in the question's id",
    "picture:largest": "the largest picture",
    "picture:smallest": "the smallest picture",
    "picture:first": "the picture whose name is first in the alphabet",
    "picture:middle": "the picture whose number in its name is in the middle",
    "picture:last": "the picture whose name is last in the alphabet",
    "template": "the answer that is usual for this kind of question in other clips",
    "classifier:options": "a classifier that sees only the options",
    "classifier:stem": "a classifier that sees the question and the options",
    "classifier:template": "a classifier that learned from other kinds of questions",
    "frame:largest": "the thing that is largest in one frame",
    "frame:smallest": "the thing that is smallest in one frame",
    "frame:nearest": "the thing that is nearest to the camera in one frame",
    "solved:joint": "a solver that makes the answers about one motion agree",
    "solved:size": "the usual size of such a thing",
}


def rule_words(rule: str) -> str:
    """Return the name of a rule in words."""
    if rule.startswith("run:"):
        return rule.removeprefix("run:")
    return f"option {rule[-1]}" if rule.startswith("letter:") else _RULES[rule]


def say(check: str, scopes: Sequence[Scope]) -> str:
    """Say which of the significant differences is the least likely one, and how many others there are."""
    share = f"{_share(check, min(scopes, key=lambda one: (one.p, -one.questions)))}."
    others = len(scopes) - 1
    if not others:
        return share
    return f"{share} {others} other {'tests' if others > 1 else 'test'} of this check {_differ(others)}, too."


def _differ(others: int) -> str:
    return "differ significantly" if others > 1 else "differs significantly"


def _share(check: str, scope: Scope) -> str:
    """Say how often a rule is right, and how often by chance."""
    name = rule_words(scope.rule)
    where = "" if scope.task == "all" else f" of the task {scope.task}"
    share = f"{name[0].upper()}{name[1:]} is correct in {scope.value:.0%} of {scope.questions:,} questions{where}"
    if check == "classifier" or scope.rule == "solved:joint":
        share = share.replace(" is correct in ", " answers ", 1) + " correctly"
    return f"{share}; by chance, {scope.chance:.0%}"


def say_none(scopes: Sequence[Scope]) -> str:
    """Say that no test differs from chance."""
    tests = "in the only test" if len(scopes) == 1 else f"in {len(scopes)} tests"
    return f"No significant difference from chance {tests}."


def say_undecided(found: Finding, clusters: int, cluster: str, tests: int) -> str:
    """Say how a check ended that is too small: its large difference, if any, and what it needs.

    ``clusters`` is the number of clusters of the benchmark, ``cluster`` their word, and ``tests`` the number of tests
    that are corrected together.
    """
    few, large = too_few(clusters, cluster, found.needed), found.strongest
    if large is None:
        return f"{say_none(found.scopes)} But {few}."
    joined = "With all tasks together, " if len({one.task for one in found.scopes}) > 1 else ""
    share = _share(found.check, large)
    share = f"{joined}{share[0].lower()}{share[1:]}" if joined else share
    corrected = f", and {large.adjusted:.2g} corrected for {tests} tests" if tests > 1 else ""
    return f"{share}. That can be luck (p = {large.p:.2g}{corrected}): {few}."


def too_few(clusters: int, cluster: str, needed: int | None = None) -> str:
    """Say that there are too few clusters to decide, and how many are needed."""
    few = f"{f'1 {cluster} is' if clusters == 1 else f'{clusters:,} {cluster}s are'} too few to decide"
    return few if needed is None else f"{few}, about {needed:,} are needed"


def unmade(check: str, most: int, questions: int, fewest: int) -> Finding:
    """Make the finding of a check whose rules apply to at most ``most`` questions, fewer than ``fewest``."""
    of = CHECKS[check]
    if not most:
        return finding(check, "pass" if of.harmless else "not tested", of.none, false_alarms=0.0)
    said = f"The rules of this check apply to {most} of {questions:,} questions"
    if most <= RARE * questions:
        return finding(check, "pass", f"{said}, too few to matter.", false_alarms=0.0)
    return finding(check, "undecided", f"{said}, too few to decide; at least {fewest} are needed.", false_alarms=0.0)
