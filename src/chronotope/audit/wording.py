"""The words of an audit: titles and advice of its checks, and sentences about guesses."""

from collections.abc import Sequence

from chronotope.audit.findings import Scope

CHECKS: dict[str, tuple[str, str]] = {
    "letter": ("Positions of the answers", "Shuffle the options; --fix does so."),
    "order": ("Order of the questions", "Shuffle the options of each question independently of its neighbours."),
    "rank": ("Ranks of numbers", "Draw wrong values on both sides, so that each rank is equally often correct."),
    "round": ("Round numbers", "Print all options of a question with the same number of digits."),
    "length": ("Lengths of options", "Write wrong options as carefully as correct ones."),
    "punctuation": ("Punctuation", "Write wrong options in the same form as correct ones."),
    "shared": ("Words that options share", "Do not vary the correct option alone: vary each option from the others."),
    "stem": ("Words of the question", "Use the words of the question in all options, or in none."),
    "others": (
        "Options of other questions",
        "Draw wrong options that other questions of the clip do not show as wrong.",
    ),
    "names": ("Names of files and ids", "Give files and questions names that are independent of their answers."),
    "picture": (
        "Pictures of options",
        "Give pictures of options the same size, names in random order, and the correct one every rank.",
    ),
    "template": ("Usual answers", "Ask for each answer of a template equally often."),
    "classifier": ("What the texts reveal", "Draw wrong options from the same distribution as correct ones."),
    "solved": ("Questions of a clip together", "Ask fewer questions about the same motion or thing."),
}

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
    """Say how a check ended: its least likely difference from chance, and how many tests differ."""
    rule, worst = min(scopes, key=lambda one: (one[1].p, -one[1].questions))
    name = rule_words(rule)
    where = "" if worst.name == "all" else f" of the task {worst.name}"
    share = f"{name[0].upper()}{name[1:]} is correct in {worst.value:.0%} of {worst.questions:,} questions{where}"
    if check == "classifier" or rule == "solved:joint":
        share = share.replace(" is correct in ", " answers ", 1) + " correctly"
    share += f"; by chance, {worst.chance:.0%}."
    if not found:
        tests = "The only test" if len(scopes) == 1 else f"The most unusual of {len(scopes)} tests"
        return f"Nothing differs from chance by more than luck. {tests}: {share[0].lower()}{share[1:]}"
    others = len(scopes) - 1
    if not others:
        return share
    return (
        f"{share} {others} other test{'s' if others > 1 else ''} of this check differ{'' if others > 1 else 's'}, too."
    )
