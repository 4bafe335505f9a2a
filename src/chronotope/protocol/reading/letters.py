"""The letters of an answer, read at one position of a reply.

The answer can be one letter or a list of letters. The texts of the options can follow the letters.
"""

import re
from dataclasses import dataclass

from chronotope.protocol.reading.texts import OptionTexts

_LETTER = re.compile(
    r"\s*(?:(?:the\s+|is\s+)?(?:options?|choices?|letters?|answers?)\s*:?\s+|(?:option|choice)(?=[(\[]))?"
    r"(?P<open>[(\[{\"'<]{1,2}\s*)?(?P<letter>[A-Za-z])(?!\w)(?P<close>\s*[)\]}\"'>]{1,2}(?!\w))?",
    re.IGNORECASE,
)
_DELIMITER = re.compile(r"\s*[.):](?!\w)\s*|\s+[-–—=]+\s+|\s*\(|\s*[-–—](?=[+-]?\d)|\s+")
_SEPARATOR = re.compile(r"\s*(?:,\s*(?:(?P<or1>or)\b|and\b|&)?|[;&/+]|(?P<or2>\bor\b)|\band\b)\s*", re.IGNORECASE)
_COMPACT = re.compile(r"[(\[\"']?([A-Z]{2,})[)\]\"']?[.:;!]?\s*(?=$|\n)")
_ONLY_LETTERS = re.compile(r"[(\[]*[A-Z][)\]]*(?:(?:\s*[.,;:&/+–—-]+\s*|\s+)[(\[]*[A-Z][)\]]*)+[.,;:!]*$")
_SMALL = re.compile(r"(?:(?:[Tt]he\s+)?(?:[Oo]ption|[Cc]hoice|[Aa]nswer)\s+)?[(\[\"']?[a-z][)\]\"']?[.:)]?$")
_REPEATED = re.compile(r"[(\[]*(?P<letter>[A-Z])[)\]]*(?:[\s.,;:]+[(\[]*(?P=letter)[)\]]*)+[.,;:!]*$")  # "B B B"
_SMALL_LIST = re.compile(r"[a-z](?:\s*(?:,|&|;|\band\b)\s*(?:and\s+)?[a-z])+[.]?$")

# A word after which a bare letter is still an answer: "C because it is longer".
_REASON = re.compile(
    r"(?:because|since|as|and|which|with|for|due|based|where|while(?!\s+(?:longer|ago|later|back)\b)|but|so|given|that|rather|not)\b",
    re.IGNORECASE,
)
# Chinese and Japanese need no blank before the next clause: "答案是B,因为它在右边". The clause neither goes on with a
# list of letters nor takes the answer back.
_NEXT_CLAUSE = re.compile(
    r"[.,;](?=[\u3040-\u30ff\u3400-\u9fff])(?!还是|還是|或|和|与|與|及|而|但|不|并|並|非|错|錯|对吗|對嗎|是吗|是嗎|可能|也|か|または|では)"
    r"(?![^.,;!\n]*\?)"
)
# A word after a letter that turns an answer into a statement about an option: "(A) is too long".
_STATEMENT = re.compile(
    r"[\s,.:;)-]*(?:is|are|was|were|be|has|have|had|does|do|did|can|could|would|should|might|may|must|will|cannot|\w+n't"
    r"|seems?|appears?|looks?|represents?|describes?|says?|states?|shows?|suggests?|implies|gives?|means|refers?"
    r"|corresponds?|match(?:es)?|contradicts?|too|or|vs|versus)\b"
)
_ONLY = re.compile(r"^(?:[Bb]oth|[Oo]nly|[Jj]ust)\s+(?=[(\[]?[A-Z]\b)|(?<=^[A-Z])\s+only(?=[.!]?$)")
_HEDGED = re.compile(
    r"\s*(?:,|and\b|&|plus\b)\s*(?:(?:also|maybe|perhaps|possibly|probably|likely|potentially)\s+)+[(\[]?(?P<letter>[A-Z])\b"
)
_ALTERNATIVE = re.compile(r"\s*[,(]\s*(?:or|maybe|perhaps|possibly|alternatively)\b", re.IGNORECASE)
# A word that rejects the letter before it: "B - wrong", "B: falsch".
_REJECTED = re.compile(
    r"[\s.:;()\[\]–—=-]*(?:(?:incorrect|wrong|false|falsch|nicht|no|not|faux|fausse|sbagliat|errad|equivocad|fals[oa]|salah|sai"
    r"|yanlış|неправильн|неверн|خاطئ|خطأ|गलत)\w{0,3}|错误?|錯誤?|不对|不對|不正确|不正確|間違い|誤り|틀림|오답)"
    r"(?:\s*(?:answer|option|choice|antwort|respuesta|réponse|risposta|resposta|ответ|вариант|答案|选项|です))?"
    r"\s*(?:[.,;:!)\]]|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Found:
    """The letters that were read at one position of a reply.

    - ``whole``: there is no other text.
    - ``own_text``: the last letter is followed by the text of the option with this letter.
    - ``clash``: the text of another option follows a letter. Only a later marker can resolve this conflict.
    """

    chosen: frozenset[str]
    invalid: frozenset[str] = frozenset()
    conflict: bool = False
    whole: bool = False
    own_text: bool = False
    clash: bool = False

    @property
    def sound(self) -> bool:
        """Check whether the letters are a valid answer."""
        return bool(self.chosen) and not self.invalid and not self.conflict

    @property
    def decisive(self) -> bool:
        """Check whether the letters on the first line decide.

        If the letters on the first line do not decide, a later marker can decide.
        """
        return not self.conflict and (self.sound or self.whole)


@dataclass(frozen=True)
class _Item:
    letter: str
    end: int
    strong: bool  # brackets, a delimiter or the option's text exclude an article or an initial
    own_text: bool
    conflict: bool = False  # whether the text of another option follows the letter


@dataclass(frozen=True)
class LetterParser:
    """Reads letters at the positions of a reply where an answer can be.

    The text must be a result of ``plain_text``.
    """

    letters: frozenset[str]
    texts: OptionTexts
    multiple: bool

    def first_letter(self) -> frozenset[str]:
        """Return the first letter of the options."""
        return frozenset(sorted(self.letters)[:1])

    def bare(self, line: str) -> Found | None:
        """Read the letters at the beginning of a line, without a marker.

        Lower-case letters count only if there is nothing else on the line.
        """
        line = _ONLY.sub("", self._within_reach(line))
        if _SMALL.match(line) or (self.multiple and _SMALL_LIST.match(line)):
            return self._list(line.upper().replace("AND", "and"), explicit=True)
        if self.multiple and _ONLY_LETTERS.match(line):
            return self._chosen(set(re.findall("[A-Z]", line)), whole=True)
        if (again := _REPEATED.match(line)) and again["letter"] in self.letters:
            return self._chosen({again["letter"]}, whole=True)
        found = self._compact(line) or self._list(line, explicit=False)
        # In "A: the ball rolls left", A may mean "answer".
        if (
            found
            and found.chosen == frozenset("A")
            and not found.whole
            and re.match(r"A\s*:", line)
            and self.texts.known
        ):
            begun = self.texts.at_start(line, line.index(":"))
            return found if begun and "A" in begun[0] else None
        return found

    def payload(self, text: str, start: int) -> Found | None:
        """Read the answer after a marker that ends at ``start``.

        The answer consists of letters, in upper or lower case, or is the text of an option.
        """
        while text[start : start + 1].isspace():
            start += 1
        line = self._within_reach(text[start : start + self.texts.reach + 1].partition("\n")[0])
        found = self._compact(line) or self._list(line, explicit=True)
        if found is not None and self.multiple and found.sound and found.whole:
            for item in self.listed(text[start + len(line) + 1 :], leading=True):
                found = Found(found.chosen | item.chosen, whole=True)
        if found is None or (found.conflict and not found.clash):
            return self._by_text(line) or found
        return found

    def value(self, content: str) -> Found | None:
        """Read an answer that fills a box, a tag or a field."""
        content = content.strip()
        equal = self.texts.equal(content)
        found = self.bare(content) or self._list(self._within_reach(content), explicit=True)
        if found is None or (found.conflict and not found.clash and equal):
            return Found(frozenset(equal), whole=True) if equal else None
        return found

    def listed(self, text: str, *, leading: bool = False) -> list[Found]:
        """Read the lines that begin with the letter of an option.

        A delimiter must follow the letter, or the letter must be the whole line. With ``leading``, reading ends at the
        first line that has other content.
        """
        items: list[Found] = []
        for line in text.split("\n"):
            item = self._item(line, 0, explicit=False)
            found = self._list(line, explicit=False) if item and item.letter in self.letters else None
            if found and item and found.sound and (item.strong or found.whole) and (found.whole or not leading):
                items.append(found)
            elif leading:
                break
        return items

    def _within_reach(self, line: str) -> str:
        """Shorten the line to the part that can contain an answer.

        An ellipsis at the end shows that text is missing.
        """
        return line if len(line) <= self.texts.reach else line[: self.texts.reach] + "…"

    def _chosen(self, letters: set[str], *, whole: bool = False) -> Found:
        conflict = len(letters) > 1 and not self.multiple
        return Found(frozenset(letters & self.letters), frozenset(letters - self.letters), conflict, whole)

    def _compact(self, line: str) -> Found | None:
        """Read letters without separators, such as "AC".

        Such letters count only if several options can be correct, and if the letters cannot be a word such as "NO".
        """
        match = _COMPACT.match(line)
        if not self.multiple or match is None:
            return None
        run = match[1]
        if not set(run) & self.letters:
            return None
        # Letters can be repeated or unsorted only if all are letters of options; otherwise they may be a word.
        if not set(run) <= self.letters and list(run) != sorted(set(run)):
            return None
        return self._chosen(set(run), whole=match.end() == len(line))

    def _item(self, line: str, at: int, *, explicit: bool) -> _Item | None:
        match = _LETTER.match(line, at)
        if match is None:
            return None
        letter, end = match["letter"], match.end()
        if letter.islower() and not explicit:
            return None
        bracketed = match["close"] is not None
        delimiter = _DELIMITER.match(line, end)
        strong = bracketed or (delimiter is not None and not delimiter[0].isspace())
        begun = self.texts.at_start(line, end) if delimiter or bracketed else None
        if begun is None:
            return _Item(letter.upper(), end, strong, False)
        if letter.upper() not in begun[0]:
            clash = self._ends(line, begun[1])
            return _Item(letter.upper(), end, strong, False, conflict=clash and letter.upper() in self.letters)
        end = begun[1]
        closing = re.compile(r"\s*[)\]\"']+").match(line, end)
        return _Item(letter.upper(), closing.end() if closing else end, True, True)

    def _list(self, line: str, *, explicit: bool) -> Found | None:
        """Read the letters at the beginning of a line.

        Returns None if the text after the letters shows that they are not an answer.
        """
        first = item = self._item(line, 0, explicit=explicit)
        if item is None or first is None:
            return None
        letters, conflict = {item.letter}, item.conflict
        while separator := _SEPARATOR.match(line, item.end):
            following = self._item(line, separator.end(), explicit=explicit and line[separator.end() :][:1].islower())
            if following is None or (following.letter == "I" and "I" not in self.letters):
                break
            if not (self._tail(line, following, explicit=explicit) or _SEPARATOR.match(line, following.end)):
                if self.multiple and following.letter in self.letters:
                    return Found(frozenset(), conflict=True)
                break
            conflict |= following.conflict or bool(separator["or1"] or separator["or2"])
            letters.add(following.letter)
            item = following
        if item.conflict:
            article = item.letter == "A" and not item.strong and self.texts.begins_with_article(line, item.end)
            return None if article else Found(frozenset(), conflict=True, clash=True)
        if not self._tail(line, item, explicit=explicit):
            return None
        hedged = _HEDGED.match(line, item.end) if self.multiple else None
        if hedged and hedged["letter"] in self.letters:
            conflict = True
        if len(letters) == 1 and self._repeats(line, item):
            conflict = True
        whole = re.match(r"[\s.:;,!)\]\"'}]*$", line[item.end :]) is not None
        found = self._chosen(letters, whole=whole)
        return Found(found.chosen, found.invalid, found.conflict or conflict, whole, item.own_text)

    def _repeats(self, line: str, item: _Item) -> bool:
        """Check whether only further letters follow, as in "A. B. C."."""
        rest = re.match(r"[.):\s]+((?:\(?[A-Z]\b[\s.):,]*)+)$", line[item.end :])
        return rest is not None and any(letter != item.letter for letter in re.findall("[A-Z]", rest[1]))

    def _ends(self, line: str, at: int) -> bool:
        """Check whether a clause ends at ``at``.

        If a clause ends there, the text before ``at`` is complete.
        """
        rest = line[at:].lstrip("\"')]} ")
        return not rest or rest[0] in ".,;:!(" or _REASON.match(rest) is not None

    def _tail(self, line: str, item: _Item, *, explicit: bool) -> bool:
        """Check whether the text after a letter permits an answer.

        The text may be empty, a full stop, the text of the option, or a reason.
        """
        raw = line[item.end :]
        rest = raw.lstrip(" ")
        if not rest:
            return True
        if line[: item.end].rstrip(")]\"' .")[-1:].islower() and item.letter == "A" and not item.own_text and explicit:
            return re.match(r"[.)\]]+$|[.)]\s", raw) is not None  # after "the answer is", "a" is usually the article
        if (
            rest[0] == "?"
            or _STATEMENT.match(rest)
            or _ALTERNATIVE.match(rest)
            or (not item.own_text and _REJECTED.match(rest))
        ):
            return False
        if not item.own_text and re.match(r"[-–—]+\s[^.!?]*\?$", rest):
            return False  # "B - the right answer?"
        if rest[0] in '.,;:!)]}"' and not rest[1:2].isalnum():
            return True
        if explicit and _NEXT_CLAUSE.match(rest):
            return True
        if rest[0] == "(" or (raw[0] == " " and re.match(r"[-–—=]+\s", rest)) or _REASON.match(rest):
            return True
        return item.strong and raw[0] == " "

    def _by_text(self, line: str) -> Found | None:
        """Read an answer that consists of option texts, such as "3 m"."""
        chosen: set[str] = set()
        at = 0
        while begun := self.texts.at_start(line, at):
            if len(begun[0]) > 1:
                break
            chosen, at = chosen | begun[0], begun[1]
            separator = _SEPARATOR.match(line, at)
            if separator is None or self.texts.at_start(line, separator.end()) is None:
                break
            at = separator.end()
        if not chosen or not self._ends(line, at):
            return None
        return self._chosen(chosen)
