"""Declarations in other languages than English: "Antwort B ist richtig", "La respuesta B es correcta", "答案B是正确的".

A declaration has a letter, a verb, and a word for correct. It begins a clause, and nothing but a reason follows it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from chronotope.protocol.letters import Found, LetterParser


@dataclass(frozen=True)
class _Declared:
    """The words of one language around the letter of a declaration.

    ``stems`` are parts of the words for correct: a text without any of them has no declaration. The others are regular
    expressions:

    - ``correct`` follows the letter. ``noun`` can stand before the letter, and ``behind`` directly after it.
    - ``conditions`` turn a sentence into a supposition.
    - ``inverted`` is a whole declaration whose verb precedes its letter ``<L>``.

    ``anywhere`` means that a declaration need not begin a clause, because its particles show the subject.
    """

    stems: str
    correct: str
    noun: str = ""
    behind: str = ""
    conditions: str = r"(?!)"
    inverted: str = ""
    anywhere: bool = False


DECLARED: dict[str, _Declared] = {
    "Arabic": _Declared(
        "صحيح",
        r"(?:(?:هي|هو)\s+)?(?:ال)?(?:(?:[إا]جابة|جواب|خيار)\s+ال)?صحيحة?(?!\w)",
        r"(?:ال)?(?:[إا]جابة|جواب|خيار|حرف)\s+",
        conditions=r"(?<!\w)(?:إذا|اذا|لو|إن)(?!\w)",
    ),
    "Chinese": _Declared(
        "正确 正確 对 對",
        r"(?:是|为|為)?(?:正确|正確|对|對)(?:的|答案|选项|選項|的选项|的選項|的答案)?",
        r"(?:选项|選項|答案|选择|選擇)\s*",
        r"\s*(?:选项|選項|项|項)?",
        r"如果|假如|假设|假設|要是|若|倘若|当(?=.*时)",
    ),
    "French": _Declared(
        "correct bonne exact juste",
        r"est\s+(?:donc\s+|bien\s+)?(?:la\s+|l')?(?:bonne(?:\s+(?:réponse|option))?"
        r"|(?:(?:réponse|option)\s+)?(?:correcte?|exacte?|juste))(?!\w)",
        r"(?:la\s+|l'\s*)?(?:réponse|option|lettre|proposition)\s+",
        conditions=r"(?<!\w)(?:si|quand|lorsque|à\s+condition|supposons)(?!\w)",
    ),
    "German": _Declared(
        "richtig korrekt stimmt trifft",
        r"(?:ist\s+(?:somit\s+|also\s+|daher\s+|eindeutig\s+|damit\s+)?(?:(?:die|der)\s+)?(?:richtig|korrekt)(?:e|er)?"
        r"(?:\s+(?:antwort|option|lösung|wahl|auswahl))?|stimmt|trifft\s+zu)(?!\w)",
        r"(?:(?:die|der)\s+)?(?:antwort(?:option)?|option|lösung|buchstabe|auswahl)\s+",
        conditions=r"(?<!\w)(?:wenn|falls|sofern|angenommen|vorausgesetzt|ob)(?!\w)",
        inverted=r"(?i:(?:daher|deshalb|somit|folglich|demnach|also|damit)\s+ist\s+(?:(?:die|der)\s+)?"
        r"(?:(?:antwort|option|lösung)\s+)?)<L>(?i:\s+(?:(?:die|der)\s+)?(?:richtig|korrekt)(?:e|er)?"
        r"(?:\s+(?:antwort|option|lösung|wahl))?)(?!\w)",
    ),
    "Hindi": _Declared(
        "सही",
        r"(?:ही\s+)?सही\s+(?:(?:उत्तर|विकल्प|जवाब)\s+)?(?:है|होगा)(?!\w)",
        r"(?:उत्तर|विकल्प|जवाब)\s+",
        conditions=r"अगर|यदि|क्या",
    ),
    "Indonesian": _Declared(
        "benar tepat",
        r"(?:adalah\s+|merupakan\s+)?(?:(?:jawaban|opsi|pilihan)\s+)?(?:yang\s+)?(?:paling\s+)?(?:benar|tepat)(?!\w)",
        r"(?:jawaban|opsi|pilihan|huruf)\s+",
        conditions=r"(?<!\w)(?:jika|kalau|apabila|bila|apakah|andai(?:kan)?)(?!\w)",
    ),
    "Italian": _Declared(
        "corrett giust esatt",
        r"è\s+(?:quindi\s+|dunque\s+)?(?:la\s+|l'\s*|quella\s+)?(?:(?:risposta|opzione)\s+)?(?:corrett|giust|esatt)[ao](?!\w)",
        r"(?:la\s+|l'\s*)?(?:risposta|opzione|lettera|alternativa)\s+",
        conditions=r"(?<!\w)(?:se|quando|qualora)(?!\w)",
    ),
    "Japanese": _Declared(
        "正解 正し 選",
        r"(?:が|は)\s*(?:正解|正しい(?:答え|選択肢)?)(?:です|だ|である|でしょう|となります|になります)?|を(?:選び|選択し)ます",
        r"(?:選択肢|答え|回答|解答)\s*",
        conditions=r"もし|場合|なら",
        anywhere=True,
    ),
    "Korean": _Declared(
        "정답 맞 올바른 선택",
        r"(?:가|이)\s*(?:정답|맞|올바른\s*(?:답|선택지))(?:입니다|이다|습니다|다|아요|예요|이에요)?"
        r"|(?:를|을)\s*선택(?:합니다|한다|하겠습니다)",
        r"(?:선택지|보기|답|정답)\s*",
        r"\s*번?\s*",
        r"만약|만일|(?:라|다|으)면(?!\w)",
        anywhere=True,
    ),
    "Portuguese": _Declared(
        "corret certa certo",
        r"(?:é|está)\s+(?:portanto\s+)?(?:a\s+)?(?:(?:resposta|alternativa|opção)\s+)?(?:corret|cert)[ao](?!\w)",
        r"(?:a\s+)?(?:resposta|alternativa|opção|letra)\s+",
        conditions=r"(?<!\w)(?:se|quando|caso)(?!\w)",
    ),
    "Russian": _Declared(
        "верн верен правильн правилен",
        r"(?:(?:[—–-]|это|является)\s+)?(?:это\s+)?(?:верн(?:ый|ая|о|а|ым|ой)|верен|правильн(?:ый|ая|о|а|ым|ой)|правилен)"
        r"(?:\s+(?:ответ(?:ом)?|вариант(?:ом)?))?(?!\w)",
        r"(?:ответ|вариант(?:\s+ответа)?|буква|опция)\s+",
        conditions=r"(?<!\w)(?:если|когда|допустим|предположим)(?!\w)",
    ),
    "Spanish": _Declared(
        "correct acertad adecuad",
        r"(?:es|está|sería)\s+(?:la\s+)?(?:(?:respuesta|opci[oó]n|alternativa)\s+)?(?:más\s+)?(?:correct|acertad|adecuad)[ao](?!\w)",
        r"(?:la\s+)?(?:respuesta|opci[oó]n|alternativa|letra)\s+",
        conditions=r"(?<!\w)(?:si|cuando|suponiendo|supongamos)(?!\w)",
        inverted=r"(?i:es\s+correcta\s+la\s+(?:respuesta|opci[oó]n|alternativa|letra)\s+)<L>",
    ),
    "Turkish": _Declared(
        "doğru dogru",
        r"(?:en\s+)?do[ğg]ru(?:dur)?(?:\s+(?:cevap|seçenek|yanıt)(?:tır|tir)?)?(?!\w)",
        r"(?:cevap|seçenek|yanıt)\s+",
        r"(?:\s+(?:cevabı|seçeneği|şıkkı|yanıtı))?",
        r"(?<!\w)(?:eğer|şayet)(?!\w)",
    ),
    "Vietnamese": _Declared(
        "đúng chính xác",
        r"(?:là\s+)?(?:(?:đáp\s+án|phương\s+án|lựa\s+chọn|câu\s+trả\s+lời)\s+)?(?:đúng|chính\s+xác)(?:\s+nhất)?(?!\w)",
        r"(?:đáp\s+án|phương\s+án|lựa\s+chọn|câu\s+trả\s+lời)\s+",
        conditions=r"(?<!\w)(?:nếu|giả\s+sử|khi)(?!\w)",
    ),
}

_L = r"(?P<letter>[(\[\"']?[A-Z][)\]\"']?)(?![A-Za-z0-9_'-])"
_START = r"(?:^|(?<=[.,;:!\n]))[ ]*"
_THEREFORE = (
    r"(?:(?:por\s+(?:lo\s+)?tanto|así\s+que|entonces|donc|ainsi|par\s+conséquent|quindi|dunque|pertanto|portanto|logo"
    r"|assim|следовательно|таким\s+образом|значит|итак|поэтому|jadi|oleh\s+karena\s+itu|maka|vì\s+vậy|do\s+đó|vậy"
    r"|bu\s+nedenle|dolayısıyla|इसलिए|अतः|लذا|لذلك|إذن)\s*,?\s+|(?:因此|所以|故|综上|綜上)\s*,?\s*)?"
)
_BECAUSE = (
    r"(?:weil|da|denn|porque|pues|ya\s+que|car|parce\s+que|puisque|perché|poiché|pois|já\s+que|karena|sebab|vì"
    r"|потому)(?!\w)"
)
_BUT = r"(?:aber|jedoch|pero|mais|ma|però|mas|porém|но|однако|tetapi|namun|tapi|nhưng|ama|fakat|ancak|लेकिन|لكن|但|而)"
_END = rf"(?=\s*(?:[.;!)]|$|\n|,(?!\s*{_BUT})|{_BECAUSE}))"


def _patterns(language: _Declared) -> list[re.Pattern[str]]:
    """Compile the declarations of a language.

    Only the letter is case-sensitive.
    """
    start = "" if language.anywhere else _START
    words = f"(?i:{_THEREFORE})(?P<noun>(?i:{language.noun}))?"
    usual = rf"{start}{words}{_L}(?i:{language.behind}\s*(?:{language.correct})){_END}"
    inverted = f"{_START}{language.inverted.replace('<L>', _L)}{_END}"
    return [re.compile(usual), *([re.compile(inverted)] if language.inverted else [])]


_COMPILED = {
    name: (of.stems.split(), re.compile(of.conditions, re.IGNORECASE), _patterns(of)) for name, of in DECLARED.items()
}
_SENTENCE = re.compile(r"[!?;\n]|\.(?!\d)")
_OR = re.compile(
    r"(?:(?<!\w)(?:or|oder|ou|atau|hoặc|hay|veya|или|أو|या)\s+|(?:或者?|还是|還是|또는)\s*)$", re.IGNORECASE
)
_LISTED = re.compile(
    r"(?<![A-Za-z0-9_'])[A-Z][)\]\"']?(?:,?\s(?:and|or|nor|o|u|y|e|et|und|noch|ni|né|nem|dan|và|hoặc|ve|и|ни|और|و)\s+"
    r"|\s*[,/&+]\s*|\s*(?:か|と|や|나|이나|와|과|和|与|與|或|跟)\s*)$"
)
WINDOW = 240  # maximum number of characters before and after a letter in which its sentence is looked at
_TAG = re.compile(r"[^.!?\n]*\?")


def is_joined(before: str) -> bool:
    """Check whether the letter after this text is one of several.

    Examples are "A or B is correct" and "AかBが正解です".
    """
    return _OR.search(before[-24:]) is not None or _LISTED.search(before[-24:]) is not None


def is_conditional(before: str, conditions: re.Pattern[str]) -> bool:
    """Check whether the sentence before a statement begins a condition."""
    return conditions.search(_SENTENCE.split(before)[-1]) is not None


def is_questioned(text: str, at: int) -> bool:
    """Check whether the sentence goes on to a question mark after ``at``."""
    return _TAG.match(text, at, at + WINDOW) is not None


def find_declared(text: str, parser: LetterParser) -> Iterator[tuple[int, Found]]:
    """Find declarations in other languages than English, with their positions."""
    low = text.lower()
    for stems, conditions, patterns in _COMPILED.values():
        if not any(stem in low for stem in stems):
            continue
        for match in (match for pattern in patterns for match in pattern.finditer(text)):
            before = text[max(0, match.start() - WINDOW) : match.start()]
            if is_joined(before) or is_conditional(before, conditions) or is_questioned(text, match.end()):
                continue
            found = parser.value(match["letter"])
            # Without a noun, a letter that belongs to no option can be a word, such as "Y" or "E".
            if found and (found.sound or match.groupdict().get("noun")):
                yield match.start("letter"), found
