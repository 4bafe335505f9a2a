"""The words of an audit: names and advice of its checks, and sentences about guesses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chronotope.audit.findings import NOTICED_POINTS, RARE, Finding, Scope, Verdict
from chronotope.evaluate.score.statistics import FEWEST_CLUSTERS

SUSPICIOUS = 0.01  # an undecided difference is suspicious if its own p is below this
SMALL = 0.02  # a check that applies to a smaller part of the questions asks for no more of them


@dataclass(frozen=True)
class Check:
    """A check: its name in all places, the advice if it finds something, and what it does to which questions.

    ``{cluster}`` in ``does`` and ``none`` stands for the word for a cluster. ``mild`` is true if a find can have good
    reasons: it is never more than slight, however large. ``guesses`` is true if it tests rules. ``none`` says that its
    rules apply to no question; ``harmless`` is true if they then can reveal nothing.
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
        "For each question, draw at random how many wrong values are below the correct one, from none to all.",
        guesses=True,
        none="No question has numbers as options.",
        does="Chooses the smallest or the largest number, where each option has one number, or the second smallest or "
        "second largest, where there are at least four; or the number in the middle. Options with several numbers, "
        "such as poses, are compared number by number: the one nearest to all middle numbers is chosen.",
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
        does="Chooses the option with the most punctuation marks (points and signs of numbers count), in questions "
        "where some options have more than others.",
    ),
    "shared": Check(
        "Words that options share",
        "Do not vary the correct option alone: vary each option from the others.",
        guesses=True,
        none="No option shares more words with the other options than they do.",
        harmless=True,
        does="Chooses the option whose words and numbers occur most often in the other options, in questions where "
        "some do so more often than others.",
    ),
    "stem": Check(
        "Words of the question",
        "Use the words of the question in all options, or in none.",
        guesses=True,
        none="No option shares more words with its question than the others do.",
        harmless=True,
        does="Chooses the option that has most words in common with the question, where some options have more than "
        "others.",
    ),
    "others": Check(
        "Options of other questions",
        "Draw wrong options that other questions of the clip do not show as wrong.",
        guesses=True,
        none="No option is offered in more questions of its clip than the others.",
        harmless=True,
        does="Chooses the option that is offered in the largest number of other questions of the {cluster} (if some "
        "are offered more often than others).",
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
        "Make each answer correct equally often in questions with the same wording.",
        guesses=True,
        none="No two {cluster}s have questions with the same wording and a common option.",
        does="Chooses the answer that is correct most often in questions about other {cluster}s with the same wording, "
        "apart from names and numbers. If most wordings occur once, all questions of a task count as one wording.",
    ),
    "classifier": Check(
        "What the texts reveal",
        "Draw wrong options from the same distribution as correct ones.",
        guesses=True,
        none="There is only one {cluster}, or the options are not texts.",
        does="Learns which texts are usually correct in some {cluster}s, and answers the questions about the others; "
        "or learns from some wordings (names and numbers ignored), and answers questions with others "
        "(cross-validation).",
    ),
    "solved": Check(
        "Questions of a clip together",
        "Ask fewer questions about the same motion or thing.",
        guesses=True,
        none="The check reads only questions that Chronotope built, about motions and sizes of STI-Bench. Here are "
        "none.",
        does="Answers linked questions of a {cluster} together, such as distance = speed × time, so that the answers "
        "agree; or by the usual size of a thing of this name. If there are many {cluster}s, it is tried on some, which "
        "are drawn at random.",
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
        "or whose size is asked. Its width: the square root of its number of pixels, in the frame where it is "
        "largest. The check passes if it is at least 1 pixel in each question. This does not say how exactly motion "
        "can be measured.",
        mild=True,
    ),
    "frame": Check(
        "One frame in place of the video",
        "If these questions are to test more than one frame, leave them out, or choose options for which the rule is "
        "right as often as by chance.",
        does="Chooses the thing that is largest, smallest or nearest to the camera in one frame, where options are "
        "things whose true positions are recorded. If a question asks about a moment, such as t = 7.2 s, it is the "
        "frame at this moment. Otherwise it is the one in the middle of the time that the question names. If a "
        "question has several videos, one frame of each is used.",
        mild=True,
        none="No question has things as options and a recording that tells where they are.",
    ),
    "seen": Check(
        "Things in the frames that are shown",
        "Show more frames, or leave these questions out: a thing that they name, or their answer, is in none of the "
        "frames.",
        does="Looks up in the file of true positions (recording) whether the shown frames have all things that a "
        "question names, and its answer if it is a thing. Things that are given only for scale are not counted. A "
        "thing is seen if at least 4 of its pixels are in a frame. Where pixels are unknown, a part of the box around "
        "it must be in the picture; models do not see this box. The middle frame is that of the moment, or in the "
        "middle of the time, that is asked about. The default number of frames decides: if these leave a thing "
        "out, the verdict is slight.",
        mild=True,
    ),
    "evidence": Check(
        "Frames in the time that is asked about",
        "Leave those about motion out, or give them a longer time; others may need only one frame.",
        does="Counts the frames that a run shows inside the time that a question names. At least 2 are needed to see a "
        "motion. The default number of frames decides.",
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
    "others": "the option that is offered most often in other questions of the clip",
    "names:text": "the option whose text is in the question's id or file names",
    "names:letter": "the letter that is in the question's id",
    "picture:largest": "the largest picture",
    "picture:smallest": "the smallest picture",
    "picture:first": "the picture whose name is first in the alphabet",
    "picture:middle": "the picture whose number in its name is in the middle",
    "picture:last": "the picture whose name is last in the alphabet",
    "template": "the answer that is usual in other clips for questions with the same wording",
    "classifier:options": "a classifier that sees only the options",
    "classifier:stem": "a classifier that sees the question and the options",
    "classifier:template": "a classifier that learned only from questions with another wording",
    "frame:largest": "the thing that is largest in one frame",
    "frame:smallest": "the thing that is smallest in one frame",
    "frame:nearest": "the thing that is nearest to the camera in one frame",
    "solved:joint": "a solver that makes linked answers agree",
    "solved:size": "the usual size of a thing of this name",
}


def rule_words(rule: str) -> str:
    """Return the name of a rule in words."""
    if rule.startswith("run:"):
        return rule.removeprefix("run:")
    return f"option {rule[-1]}" if rule.startswith("letter:") else _RULES[rule]


def say(check: str, scopes: Sequence[Scope]) -> str:
    """Say which of the significant differences is the least likely one, and how many others there are.

    A difference over all tasks is told rather than one of a single task, which can have few clusters.
    """
    told = min(scopes, key=lambda one: (one.task != "all", one.p, -one.questions))
    said, others = f"{_share(check, told)}.", len(scopes) - 1
    if told.excess < 0:
        said += " So this option can be excluded."
        above = [one for one in scopes if one.excess > 0]
        if above:
            said += _opposite(min(above, key=lambda one: (one.task != "all", one.p, -one.questions)), p="")
            others -= 1
    if not others:
        return said
    return f"{said} {others} other {'tests' if others > 1 else 'test'} of this check {_differ(others)}, too."


def _opposite(one: Scope, p: str) -> str:
    """Name a difference on the other side of chance."""
    side, where = "above" if one.excess > 0 else "below", "" if one.task == "all" else f" of the task {one.task}"
    said = f" Most clearly {side} chance: {rule_words(one.rule)}, {percent(one.value)} of {one.questions:,} questions"
    return f"{said}{where}{p}."


def _differ(others: int) -> str:
    return "differ significantly" if others > 1 else "differs significantly"


def percent(share: float) -> str:
    """Write a share as all sentences and tables do."""
    return f"{100 * share:.0f} %"


def _share(check: str, scope: Scope) -> str:
    """Say how often a rule is right, and how often by chance."""
    name = rule_words(scope.rule)
    where = "" if scope.task == "all" else f" of the task {scope.task}"
    share = f"{name[0].upper()}{name[1:]} is correct in {percent(scope.value)} of {scope.questions:,} questions{where}"
    if check == "classifier" or scope.rule == "solved:joint":
        share = share.replace(" is correct in ", " answers ", 1) + " correctly"
    return f"{share}; by chance, {percent(scope.chance)}"


def say_none(scopes: Sequence[Scope]) -> str:
    """Say that no test differs from chance."""
    tests = "in the only test" if len(scopes) == 1 else f"in {len(scopes)} tests"
    return f"No significant difference from chance {tests}."


def say_undecided(found: Finding, clusters: int, cluster: str, tests: int, questions: int) -> str:
    """Say how a check ended that is too small: its least likely differences, and what it needs.

    ``clusters`` is the number of clusters on which it was tried, and ``cluster`` their word. ``tests`` is the number of
    tests that are corrected together, and ``questions`` that of all questions.
    """
    widest = max((one.questions for one in found.scopes if one.task == "all"), default=questions)
    rare = _rare(widest, questions) if widest < SMALL * questions else ""
    told = found.strongest
    if not told:
        few = f"this check {rare}"
        if not rare:
            few = "" if found.needed is None else too_few(clusters, cluster, found.needed, _NOTICE)
        return f"{say_none(found.scopes)} But {few}." if few else say_none(found.scopes)
    large, *opposite = told
    joined = "With all tasks together, " if len({one.task for one in found.scopes}) > 1 else ""
    share = _share(found.check, large)
    share = f"{joined}{share[0].lower()}{share[1:]}" if joined else share
    on = f"{large.clusters:,} {cluster}{'' if large.clusters == 1 else 's'}"
    luck = f"Suspicious, but not proven with {on}" if large.p < SUSPICIOUS else f"{on} cannot tell this from luck"
    corrected = f", and {large.adjusted:.2g} corrected for {tests} tests" if tests > 1 else ""
    said = f"{share}. {luck} (p = {large.p:.2g}{corrected})"
    if rare:
        said += f". This check {rare}."
    elif found.needed is None:
        said += "."
    else:
        more = f"at least {FEWEST_CLUSTERS} {cluster}s" if large.clusters < FEWEST_CLUSTERS else "more"
        said += f": {more} are needed."
    return said + "".join(_opposite(one, f" (p = {one.p:.2g})") for one in opposite)


_NOTICE = f"notice {NOTICED_POINTS} points"


def _rare(most: int, questions: int) -> str:
    return f"applies to only {most:,} of {questions:,} questions: too few to decide; you can ignore it"


def too_few(clusters: int, cluster: str, needed: int, purpose: str) -> str:
    """Say that there are too few clusters to decide, and how many are needed for a purpose.

    From fewer than ``FEWEST_CLUSTERS``, this number cannot be estimated.
    """
    few = f"1 {cluster} is" if clusters == 1 else f"{clusters:,} {cluster}s are"
    if clusters < FEWEST_CLUSTERS:
        return f"{few} too few to decide: at least {FEWEST_CLUSTERS} {cluster}s are needed"
    return f"{few} too few to decide, about {needed:,} are needed to {purpose}"


def unmade(check: str, most: int, about: int, questions: int, fewest: tuple[int, int], cluster: str) -> Finding:
    """Make the finding of a check whose rules apply to too few questions, or clusters, to be tested.

    Its rules apply to ``most`` questions ``about`` so many clusters. ``fewest`` has the numbers that a test needs.
    ``cluster`` is the word for a cluster.
    """
    of = CHECKS[check]
    if not most:
        none = of.none.format(cluster=cluster)
        return finding(check, "pass" if of.harmless else "not tested", none, false_alarms=0.0)
    said = f"The rules of this check apply to {most:,} of {questions:,} questions"
    if most <= RARE * questions:
        said += f", too few to matter (at most 1 in {round(1 / RARE)})."
        return finding(check, "pass", said, false_alarms=0.0)
    if most < SMALL * questions:
        return finding(check, "undecided", f"This check {_rare(most, questions)}.", false_alarms=0.0)
    needed = [f"{fewest[0]} questions"] if most < fewest[0] else []
    if about < fewest[1]:
        said += f", about {about} {cluster}{'' if about == 1 else 's'}"
        needed.append(f"{fewest[1]} {cluster}s")
    said += f", too few to decide: at least {' about at least '.join(needed)} are needed."
    return finding(check, "undecided", said, false_alarms=0.0)
