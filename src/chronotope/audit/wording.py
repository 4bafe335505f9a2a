"""The words of an audit: names and advice of its checks, and sentences about guesses."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chronotope.audit.findings import NOTICED, RARE, Finding, Needed, Scope, Verdict


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
        does="Chooses the smallest or the largest number, where each option has one number; or the number in the "
        "middle, where options have equally many numbers, such as those of a pose.",
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
        does="Chooses the answer that is correct most often in the same kind of question about other {cluster}s.",
    ),
    "classifier": Check(
        "What the texts reveal",
        "Draw wrong options from the same distribution as correct ones.",
        guesses=True,
        none="There is only one clip, or the options are not texts.",
        does="Learns from the texts and the answers of other {cluster}s, or of other kinds of questions, and then "
        "answers.",
    ),
    "solved": Check(
        "Questions of a clip together",
        "Ask fewer questions about the same motion or thing.",
        guesses=True,
        none="This check is for questions of STI-Bench about one motion, or about sizes of known things.",
        does="Answers the questions of a {cluster} together, so that their answers agree; or by the usual size of "
        "such a thing. It is tried on some {cluster}s only, because it is slow.",
    ),
    "duplicates": Check(
        "Questions that are asked twice",
        "Leave the repeated questions out: they count one thing twice.",
        does="Compares the media, the time, the words of the question and the options of all questions.",
    ),
    "clips": Check(
        "Clips that show the same",
        "Put such clips into one cluster, so that their questions may depend on each other, or leave one of each pair "
        "out: otherwise intervals are too narrow.",
        does="Compares three pictures of each clip with those of the other clips. Clips of one scene are not compared.",
        mild=True,
    ),
    "resolution": Check(
        "Options that pictures can tell apart",
        "Leave these questions out, or draw options that lie farther apart.",
        does="Applies to options that are a known ratio r apart (such as lengths, speeds or accelerations) if the "
        "thing is known against which they are measured: the one that is given for scale, or whose size is asked. If "
        "this thing is e pixels wide at its best moment (the root of its pixels in the recording’s resolution), "
        "neighbouring options are e (r − 1) pixels of it apart.",
        mild=True,
    ),
    "frame": Check(
        "One frame in place of the video",
        "Questions that this frame answers do not test time. That can be right: a question about one moment needs "
        "no more than the frame of that moment.",
        does="Chooses the thing that is largest, smallest or nearest to the camera in one frame, where options are "
        "things whose true positions are recorded. The frame is that in the middle of the time that the question "
        "names (of the whole clip, if that is the time, even if the text then asks about one moment of it); of "
        "several videos, that of each.",
        mild=True,
    ),
    "seen": Check(
        "Things in the frames that are shown",
        "Show more frames, or leave these questions out: what they ask about is in none of the frames.",
        does="Looks up in the recording which frames show the things that a question names, or asks about, and its "
        "answer if it is a thing; things that are given only for scale are not counted. A thing is seen if at least "
        "4 of its pixels are in the frame, or, where pixels are unknown, if a part of its box is in the picture.",
        mild=True,
    ),
    "evidence": Check(
        "Frames in the time that is asked about",
        "Show more frames, or leave these questions out: with one frame or none of this time, its motion can only "
        "be guessed from the frames around it.",
        does="Counts the frames that a run shows inside the time that a question names. Another number of frames lies "
        "at other times, so more frames are not better for every question.",
        mild=True,
    ),
    "blind": Check(
        "Answers without pictures",
        "Leave questions out that models answer without pictures: see `chronotope filter`.",
        does="Compares the accuracy of named runs without pictures with chance.",
    ),
    "gap": Check(
        "What the pictures add",
        "These questions need less than they show, or the model does not use what it sees: look at them by task.",
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


def say(check: str, scopes: Sequence[tuple[str, Scope]], *, found: bool) -> str:
    """Say how a check ended: its least likely difference from chance, and how many tests differ.

    If nothing was ``found``, the difference is the least likely one over all tasks, for which a pass holds.
    """
    whole = [one for one in scopes if one[1].name == "all"]
    rule, worst = min(scopes if found else whole or scopes, key=lambda one: (one[1].p, -one[1].questions))
    name = rule_words(rule)
    where = "" if worst.name == "all" else f" of the task {worst.name}"
    share = f"{name[0].upper()}{name[1:]} is correct in {worst.value:.0%} of {worst.questions:,} questions{where}"
    if check == "classifier" or rule == "solved:joint":
        share = share.replace(" is correct in ", " answers ", 1) + " correctly"
    share += f"; by chance, {worst.chance:.0%}"
    if not found:
        share += f" (p = {worst.p:.2g}, {worst.adjusted:.2g} after the correction)."
        if len(scopes) == 1:
            return f"No significant difference from chance. The only test: {share[0].lower()}{share[1:]}"
        least = "The least likely result over all tasks" if worst.name == "all" else "The least likely result"
        return f"No significant difference from chance in {len(scopes)} tests. {least}: {share[0].lower()}{share[1:]}"
    others = len(scopes) - 1
    if not others:
        return f"{share}."
    return (
        f"{share}. {others} other test{'s' if others > 1 else ''} of this check differ{'' if others > 1 else 's'}, too."
    )


def say_needed(needed: Needed, clusters: int, cluster: str) -> str:
    """Say how many clusters there are, and how many a check needs to notice its least certain rule."""
    noticed = f"right {100 * NOTICED:.0f} points more often than chance"
    which = f"this rule if it were {noticed}" if needed.only else f"any rule of this check that is {noticed}"
    most = "" if needed.only else f" (most for {rule_words(needed.rule)})"
    told = f"about {needed.clusters:,} {cluster}s like these are needed in all{most}"
    return f"{too_few(clusters, cluster)}: to notice {which}, {told}."


def too_few(clusters: int, cluster: str) -> str:
    """Say that there are too few clusters to decide."""
    return f"{f'1 {cluster} is' if clusters == 1 else f'{clusters:,} {cluster}s are'} too few to decide"


def unmade(check: str, most: int, questions: int, fewest: int) -> Finding:
    """Make the finding of a check whose rules apply to at most ``most`` questions, fewer than ``fewest``."""
    of = CHECKS[check]
    if not most:
        return finding(check, "pass" if of.harmless else "not tested", of.none, false_alarms=0.0)
    said = f"The rules of this check apply to {most} of {questions:,} questions"
    if most <= RARE * questions:
        return finding(check, "pass", f"{said}, too few to matter.", false_alarms=0.0)
    return finding(check, "undecided", f"{said}, too few to decide; at least {fewest} are needed.", false_alarms=0.0)
