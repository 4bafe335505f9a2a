"""Answers in the last sentence of a reply, without a marker: "I think B", "It is A."

A sentence without a marker is weak evidence, because the sentence can be withdrawn, hypothetical or quoted. Such a
sentence counts only at the end of a reply, and only if there is no word of doubt before it. Only capital letters count,
because "I think a cup moved" names no option.
"""

import re

from chronotope.protocol.reading.letters import Found, LetterParser

_NAMED = r"(?:[Oo]ption\s+|[Cc]hoice\s+)?[(\[\"']{0,2}[A-Z](?![\w'-])"
_BELIEF = (
    r"(?:I|We|we)(?:\s+(?:would|do|still|now))?(?:'d)?\s+(?:think|believe|guess|say|reckon|conclude)(?:\s+that)?,?:?\s+"
)
_IDENTITY = r"(?:[Ii]t\s+(?:is|must\s+be|(?P<unreal>would\s+be|should\s+be))|[Ii]t's)\s+"
_CONCLUSION = r"(?:[Tt]herefore|[Tt]hus|[Hh]ence|[Cc]onsequently|[Ss]o),?:?\s+"
# A statement begins a sentence, or follows a clause and a comma. A conclusion without "it is" ("So (C)") must begin a
# sentence, because "(A) is too long, so (C)" can continue in any way.
_SENTENCE = r"(?:^|\n|(?<=[.!?])\s+)"
_STATEMENT = re.compile(
    rf"{_SENTENCE}(?P<clause>(?:[^.!?\n]|\.(?=\d)){{0,200}},\s+)?(?P<joined>(?:and|but|then)\s+)?(?P<so>{_CONCLUSION})?"
    rf"(?:(?P<belief>{_BELIEF})(?:{_IDENTITY})?|{_IDENTITY.replace('unreal', 'only_unreal')})(?={_NAMED})"
    rf"|{_SENTENCE}(?P<bare>{_CONCLUSION})(?={_NAMED})"
)
# Harmless clauses before a statement: a source ("based on the frames"), an assent, a conclusion, a modest phrase.
_PRELUDE = re.compile(
    r"(?:(?:based\s+(?:up)?on|given|from|judging\s+(?:by|from)|looking\s+at|considering)\s+(?:the|these|this|all)\s+"
    r"(?:\w+\s+){0,2}(?:frames?|videos?|clips?|images?|pictures?|diagrams?)(?:\s+(?:shown|provided|above))?"
    r"|sure|ok|okay|therefore|thus|hence|consequently|so|(?:I'm|I\s+am)\s+not\s+(?:\w+\s+)?(?:sure|certain)),\s+",
    re.IGNORECASE,
)
# Words of doubt. Near such a word, a statement may be supposed, denied, quoted, weighed or withdrawn.
_DOUBT = re.compile(
    r"[?\":;…]|\be\.\s?g\b|\bi\.\s?e\b|\b(?:\w+n't|"
    # suppositions
    r"if|whether|unless|when|whenever|once|in\s+case|otherwise|suppos\w*|assum\w*|imagin\w*|pretend\w*|hypothe\w*|let"
    r"|were|had|would|could|should|may|might|maybe|perhaps|possib\w*|example|instance|guess\w*|until|before"
    # statements of others, or first thoughts
    r"|some|someone|somebody|others?|another|one|people|many|any\w*|every\w*|most|they|he|she|you|your|his|her|their|who"
    r"|which|what|say|says|said|saying|claim\w*|argu\w*|thought|believe[ds]|told|tell\w*|wrote|writ\w*|quot\w*|repl\w*"
    r"|answer\w*|first|initial\w*|original\w*|early|earlier|glance|previous\w*|used\s+to|seem\w*|appear\w*|tempt\w*"
    # denials
    r"|not|no|none|nobody|nothing|never|neither|nor|cannot|nope|nah|without|except|unlike\w*|least|worst|wrong\w*|incorrect"
    r"|inaccura\w*|false\w*|mist\w*|err\w*|bad|untrue|impossib\w*|contra\w*|opposite|out|reject\w*|refut\w*|dismiss\w*"
    r"|discard\w*|drop\w*|exclu\w*|elimin\w*|avoid\w*|ruled?|ruling|fail\w*|fool\w*|trap\w*|trick\w*|decoy\w*"
    r"|distract\w*|naive\w*|jok\w*|lie[sd]?|odd|doubt\w*|unsure|uncertain\w*|unclear|confus\w*|hard|deny|denies|denied"
    r"|poor\w*|weak\w*"
    # letters that are not letters of options
    r"|letters?|labels?|labell?ed|signs?|buttons?|marked|printed|written|grades?|vitamins?"
    # changes of mind
    r"|wait|hold|strike|ignor\w*|disregard\w*|forget|undo|negative"
    r"|hmm+|oops|sorry|however|but|yet|though|although|actually|instead|rather|despite|still|again"
    r"|scratch|correction|reconsider\w*|recheck\w*|revis\w*|retract\w*|withdraw\w*|change[ds]?|or|versus|vs|only)\b",
    re.IGNORECASE,
)
_EXCLUDED = re.compile(
    rf"{_SENTENCE}(?:(?:[Ii]t|[Tt]his|[Tt]hat)(?:'s|\s+is)\s+)?(?:definitely\s+|clearly\s+|certainly\s+|surely\s+)?"
    r"[Nn]ot\s+(?:[Oo]ption\s+)?[(\[]?(?P<letter>[A-Z])[)\]]?[.!](?=\s|$)"
)
_LETTERS = re.compile(rf"{_NAMED}[)\]\"']*(?:\s*(?:,\s*(?:and\s+)?|and\s+|&\s*){_NAMED}[)\]\"']*)*")
_BESIDE = re.compile(r"\s*[.:,(–—-]?\s*")
_END = re.compile(r"[)\]\"']*\s*[.!]?\s*$")
# A reason is one plain clause without a letter and with at most one verb, because a second verb may belong to the
# letter before the reason ("A because .. is out").
_REASON = re.compile(r",?\s+(?:because|since)\s+(?P<words>(?:[^.!?,()\n]|\.(?=\d)){1,80})[.!]?\s*$")
_LETTER = re.compile(r"\b[A-Z]\b")
_VERB = re.compile(r"\b(?:is|are|was|were|be|has|have|does|do|did|can|will|must|goes|went|too)\b|'s\b|'re\b")


def find_statement(text: str, parser: LetterParser) -> Found | None:
    """Find an answer in the last sentence of a text.

    Returns None if no sentence names an answer in this way. The result has no letters if there is any doubt, or if the
    last sentence contains more text. Sentences with different letters are a conflict.
    """
    stated = [
        (match, found)
        for match in _STATEMENT.finditer(text)
        if (found := parser.payload(text, match.end())) is not None
    ]
    if not stated:
        return None
    if clash := next((found for _, found in stated if found.clash), None):
        return clash
    match, last = stated[-1]
    if len({found.chosen for _, found in stated}) > 1:
        return Found(frozenset(), conflict=True)
    undoubted = last.sound and not _doubted(text, match, last) and _ends(text, match, last, parser)
    return last if undoubted else Found(frozenset())


def _doubted(text: str, match: re.Match[str], found: Found) -> bool:
    """Check whether the text before a statement contains doubt.

    A sentence that only excludes another letter is not a doubt: "It is definitely not A. It is B."
    """
    before = text[: match.start()]
    for denial in reversed(list(_EXCLUDED.finditer(before))):
        if denial["letter"] not in found.chosen:
            before = before[: denial.start()] + before[denial.end() :]
    if _DOUBT.search(before):
        return True
    clause = match["clause"]
    if clause is None:
        return match["joined"] is not None
    if _PRELUDE.fullmatch(clause):
        modest = "not" in clause
        return match["only_unreal"] is not None or match["joined"] != ("but " if modest else None)
    return match["so"] is None or match["joined"] == "but " or _DOUBT.search(clause) is not None


def _ends(text: str, match: re.Match[str], found: Found, parser: LetterParser) -> bool:
    """Check whether a statement ends after its letters.

    The text of the option may follow. A reason may also follow, if it names no letter and no other option and contains
    no word of doubt.
    """
    letters = _LETTERS.match(text, match.end())
    if letters is None or frozenset(_LETTER.findall(letters[0])) != found.chosen:
        return False
    end = letters.end()
    beside = _BESIDE.match(text, end)
    own = parser.texts.at_start(text, beside.end()) if beside else None
    if own and own[0] & found.chosen:
        end = own[1]
    if _END.match(text, end):
        return True
    reason = _REASON.match(text, end)
    if reason is None or match["bare"] is not None:
        return False
    words = reason["words"]
    return not (
        _LETTER.search(words)
        or _DOUBT.search(words)
        or len(_VERB.findall(words)) > 1
        or parser.texts.occurring(words) - found.chosen
    )
