"""Markers of an answer in other languages than English: "Antwort: X", "答案是X", "正解はXです", "Jawaban: X".

Each language has a row in `LANGUAGES`. With English, these are the 15 languages in which models answer most.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from chronotope.protocol.declarations import DECLARED, WINDOW, is_conditional
from chronotope.protocol.letters import Found, LetterParser


@dataclass(frozen=True)
class _Language:
    """The words of one language around the letter of an answer.

    ``stems`` are parts of these words: a text without any of them has no marker. The others are regular expressions:

    - ``before`` ends directly before the letter: "Antwort ist".
    - ``noun`` can follow, before the letter: "Option".
    - ``after`` can directly follow a letter that belongs to the marker: "です". Text that is not among them ends the
      marker, unless it is a reason.
    """

    stems: str
    before: str
    noun: str = ""
    after: str = ""


_IS = r"\s*(?::|[-–—](?=\s))\s*"  # a colon or a dash

LANGUAGES: dict[str, _Language] = {
    "Arabic": _Language(
        "جاب جواب خيار ختار",
        rf"(?:(?:ال)?[إا]جاب(?:ة|تي)|(?:ال)?جواب|(?:ال)?خيار(?=\s+الصحيح))(?:\s+(?:ال)?(?:صحيحة|صحيح|نهائية|نهائي))?"
        rf"(?:{_IS}|\s+(?:هي|هو)\s*:?\s*)|(?<!\w)[أا]ختار\s+",
        r"(?:(?:ال)?(?:خيار|حرف|[إا]جابة)\s+)?",
    ),
    "Chinese": _Language(
        "答案 选 選 正确 正確",
        r"(?:答案|(?:正确|正確|最佳|最终|最終)的?(?:选项|選項|选择|選擇))\s*(?:应该|應該|应当|應當|应|應)?"
        r"(?:是|为|為|选|選)?\s*:?\s*(?=[(\[\"'A-Za-z选選])"
        r"|(?:(?:^|\n|(?<=[.,;:!])\s*)(?:(?:我|故|因此|所以|综上|綜上|于是|於是|应|應|应该|應該|最终|最終|本题|本題)\s*,?\s*)*)"
        r"(?:选择|選擇|选|選)(?:的是|了)?\s*:?\s*(?=[(\[\"'A-Za-z选選])",
        r"(?:选项|選項)?\s*:?\s*",
        r"(?:选项|選項|项|項)",
    ),
    "French": _Language(
        "ponse option choisis",
        rf"(?<!\w)(?:r[ée]ponse|(?:bonne\s+)?option(?=\s+(?:correcte|choisie|est)\b))(?:\s+(?:correcte|choisie|finale|exacte))?"
        rf"(?:{_IS}|\s+est\b\s*:?\s*)|(?<!\w)je\s+choisis\s+"
        r"|(?:^|\n|(?<=[.;:!]))\s*c'est\s+(?=(?:la\s+|l')(?:réponse|option)\s)",
        r"(?:(?:(?:la|l')\s*)?(?:option|lettre|r[ée]ponse)\s+|la\s+)?",
    ),
    "German": _Language(
        "antwort sung option wähle wahle richtig korrekt",
        rf"(?<!\w)(?:antwort|l[öo]sung|(?:richtige|korrekte)\s+option)(?:{_IS}|\s+(?:ist|lautet)\b\s*:?\s*)"
        r"|(?<!\w)ich\s+w[äa]hle\s+"
        r"|(?:^|\n|(?<=[.;:!]))\s*(?:richtig|korrekt)\s+ist\s+(?=(?:(?:die|der)\s+)?(?:option|antwort)\s|[A-Z](?!\w))",
        r"(?:(?:die|der)\s*)?(?:(?:option|antwort|buchstabe)\s+)?",
    ),
    "Hindi": _Language(
        "उत्तर जवाब विकल्प",
        rf"(?:सही\s+)?(?:उत्तर|जवाब|विकल्प)(?:{_IS}|\s+(?=[(\[\"'A-Z]))",
        r"(?:विकल्प\s+)?",
        r"(?:\s*विकल्प)?\s*(?:है|हैं)",
    ),
    "Indonesian": _Language(
        "jawaban pilih milih",
        rf"(?<!\w)(?:jawaban(?:nya)?|pilihan(?=\s+yang))(?:\s+(?:saya|yang|benar|tepat|terbaik|akhir(?:nya)?)){{0,3}}"
        rf"(?:{_IS}|\s+(?:adalah|ialah)\b\s*:?\s*)|(?<!\w)saya\s+(?:memilih|pilih)\s+"
        r"|(?<!\w)jawaban\s+yang\s+(?:benar|tepat)\s+(?=[(\[\"']?[A-Z](?!\w))",
        r"(?:(?:opsi|pilihan|huruf)\s+)?",
    ),
    "Italian": _Language(
        "risposta opzione scelgo",
        rf"(?<!\w)(?:risposta|opzione(?=\s+(?:corretta|giusta)))(?:\s+(?:corretta|giusta|esatta|finale))?"
        rf"(?:{_IS}|\s+è\s*:?\s*)|(?<!\w)scelgo\s+",
        r"(?:(?:(?:la|l')\s*)?(?:opzione|lettera|risposta)\s+|la\s+)?",
    ),
    "Japanese": _Language(
        "答 正解 選 正しい です である",
        r"(?:答え|回答|解答|正解|正しい選択肢|正しいの)\s*(?:は|[:=])\s*"
        r"|\A(?=[(\[\"']?[A-Z][)\]\"']?\s*(?:です|である)[.!]?\Z)",
        r"(?:選択肢\s*)?",
        r"\s*(?:です|だ|である)(?!\w)",
    ),
    "Korean": _Language(
        "답 선택 것 입니다",
        r"(?:정답|답|올바른\s*(?:선택지|답)|(?:옳은|맞는|올바른)\s*것)\s*(?:은|는|[:=])\s*"
        r"|\A(?=[(\[\"']?[A-Z][)\]\"']?\s*번?\s*입니다[.!]?\Z)",
        r"(?:선택지\s*|보기\s*)?",
        r"\s*번?(?:입니다|이다|예요|이에요)(?!\w)|번(?!\w)",
    ),
    "Portuguese": _Language(
        "resposta alternativa opção escolho",
        rf"(?<!\w)(?:resposta|(?:alternativa|opção)(?=\s+(?:correta|certa)))(?:\s+(?:correta|certa|final))?"
        rf"(?:{_IS}|\s+é\s*:?\s*)|(?<!\w)(?:eu\s+)?escolho\s+",
        r"(?:(?:a\s+)?(?:alternativa|opção|letra)\s+|a\s+(?=[(\[\"']?[A-Z](?!\w)))?",
    ),
    "Russian": _Language(
        "ответ вариант выбираю верен правилен",
        rf"(?<!\w)(?:ответ|(?:правильный|верный)\s+вариант)(?:{_IS}|\s*:\s*)|(?<!\w)(?:я\s+)?выбираю\s+"
        r"|(?<!\w)(?:правильный|верный)\s+(?:ответ|вариант)\s+(?=[(\[\"']?[A-Z](?!\w))"
        r"|(?<!\w)(?:верен|правилен|(?:верным|правильным)\s+является)\s+(?=(?:вариант|ответ)\s)",
        r"(?:(?:вариант|ответ)\s+)?",
    ),
    "Spanish": _Language(
        "respuesta opci alternativa elijo escojo correcta acertada",
        rf"(?<!\w)(?:respuesta|(?:opci[oó]n|alternativa)(?=\s+correcta))(?:\s+(?:correcta|final))?"
        rf"(?:{_IS}|\s+es\b\s*:?\s*)|(?<!\w)(?:elijo|escojo)\s+"
        r"|(?:^|\n|(?<=[.;:!]))\s*(?:la\s+(?:correcta|acertada)\s+es\s+|es\s+(?=la\s+(?:opci[oó]n|respuesta)\s))",
        r"(?:(?:la\s+)?(?:opci[oó]n|letra|respuesta)\s+|la\s+)?",
    ),
    "Turkish": _Language(
        "cevap yanıt yanit seçenek secenek olan",
        rf"(?<!\w)(?:do[ğg]ru\s+)?(?:cevap|yan[ıi]t|se[çc]enek|olan)(?:{_IS}|\s+(?=[(\[\"'A-Z]))",
        r"(?:se[çc]enek\s+)?",
        r"(?:\s*(?:şıkkı|seçeneği))?'?(?:d[ıi]r|t[ıi]r)",
    ),
    "Vietnamese": _Language(
        "đáp trả chọn",
        rf"(?<!\w)(?:đáp\s+án|câu\s+trả\s+lời)(?:\s+(?:đúng|chính\s+xác|cuối\s+cùng|của\s+tôi)){{0,2}}"
        rf"(?:{_IS}|\s+là\s*:?\s*)|(?<!\w)tôi\s+chọn\s+",
        r"(?:(?:phương\s+án|đáp\s+án|lựa\s+chọn)\s+)?",
    ),
}

# Cyrillic letters that look like the letters of options. They are not read in a reply with Б, Г or Д, because such a
# reply names the options by Russian letters. No word may follow such a letter, because "В доме" begins with a
# preposition.
_CYRILLIC = re.compile(
    r"[(\[\"']?[АВСЕ][)\]\"']?(?:\s*,\s*[(\[\"']?[A-ZАВСЕ][)\]\"']?)*(?=[.:]?\s*(?:$|\n)|[.:)]\s|\s*\(|\s\d)"
)
_CYRILLIC_ORDER = re.compile(r"(?<!\w)[БГД](?!\w)")
_LATIN = str.maketrans("АВСЕ", "ABCE")
_WINDOW = 120  # maximum number of characters in which a supposition or denial is looked for
_CLAUSE = re.compile(r"[.,;:!?\n]")
# Words that turn a statement into a supposition or a denial, if they are in the clause before the statement.
_SUPPOSED = re.compile(
    r"(?<!\w)(?:wenn|falls|ob|nicht|keine?|si|no|pas|ne|если|не|se|não|nao|non|jika|kalau|bukan|tidak|nếu|không|eğer|değil"
    r"|إذا|لو|ليس|ليست|لا|अगर|यदि|नहीं|warum|pourquoi|por\s*qu[eé]|perch[eé]|почему|mengapa|tại\s+sao|neden|لماذا|क्यों)(?!\w)"
    r"|如果|假如|假设|假設|要是|若|不|没|沒|非|别|別|未必|是否|为什么|為什麼|为何|為何|可能|也许|也許|或许|或許|难道|難道"
    r"|もし|なぜ|만약|왜",
    re.IGNORECASE,
)

_ASKED = re.compile(r"[^.,!?\n]*\?")  # the clause after a letter is a question: "उत्तर A है या B?"
_NEVER = re.compile(r"(?!)")


def _patterns(language: _Language) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Compile the expressions of a language.

    The expressions match what stands before a letter, and a letter with its suffix.
    """
    after = rf"([(\[\"']?[A-Z][)\]\"']?)(?:{language.after})(?=\s*(?:[.,;!)]|$|\n|\s))"
    return (
        re.compile(rf"(?:{language.before})(?:{language.noun})", re.IGNORECASE),
        re.compile(after) if language.after else _NEVER,
    )


_CONDITIONS = {name: re.compile(of.conditions, re.IGNORECASE) for name, of in DECLARED.items()}
_PATTERNS = {name: (language.stems.split(), *_patterns(language)) for name, language in LANGUAGES.items()}


def find_elsewhere(text: str, parser: LetterParser) -> Iterator[tuple[int, Found]]:
    """Find markers in other languages, with their positions."""
    low = text.lower()
    counted = _CYRILLIC_ORDER.search(text) is not None
    for name, (stems, before, suffixed) in _PATTERNS.items():
        if not any(stem in low for stem in stems):
            continue
        conditions = _CONDITIONS[name]
        for match in before.finditer(text):
            if is_supposed(text[max(0, match.start() - _WINDOW) : match.start()]):
                continue
            if is_conditional(text[max(0, match.start() - WINDOW) : match.start()], conditions):
                continue
            cyrillic = _CYRILLIC.match(text, match.end()) if name == "Russian" and not counted else None
            found = _read(text, match.end(), suffixed, cyrillic, parser)
            if found:
                yield match.start(), found


def _read(
    text: str, at: int, suffixed: re.Pattern[str], cyrillic: re.Match[str] | None, parser: LetterParser
) -> Found | None:
    """Read the letters after a marker that ends at ``at``."""
    if cyrillic:
        beside = text[cyrillic.end() : cyrillic.end() + parser.texts.reach]
        return parser.payload(cyrillic[0].translate(_LATIN) + beside, 0)
    if match := suffixed.match(text, at):
        return None if _ASKED.match(text, match.end()) else parser.value(match[1])
    return parser.payload(text, at)


def is_supposed(before: str) -> bool:
    """Check whether a marker is only supposed, denied or asked.

    The word for this begins before the marker, in its clause.
    """
    return _SUPPOSED.search(_CLAUSE.split(before[-_WINDOW:])[-1]) is not None
