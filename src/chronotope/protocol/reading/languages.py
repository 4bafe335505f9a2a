"""The languages in which replies are read beside English: a row for each, with the words around an answer.

With English, these are the 15 languages in which models answer most. A new language also needs its words for a
supposition or a denial (``language_markers``), for "therefore", "because", "but" and "or" (``declarations``), and for
"wrong" (``letters``): these words are searched for together, whichever language a reply has.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class MarkerWords:
    """The words of a language around the letter of a marked answer.

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


@dataclass(frozen=True)
class DeclarationWords:
    """The words of a language around the letter of a declaration.

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


@dataclass(frozen=True)
class Language:
    """The words of a language: around a marked letter ("Antwort: B"), and in a declaration ("B ist richtig")."""

    marker: MarkerWords
    declaration: DeclarationWords


_IS = r"\s*(?::|[-–—](?=\s))\s*"  # a colon or a dash

LANGUAGES: dict[str, Language] = {
    "Arabic": Language(
        MarkerWords(
            "جاب جواب خيار ختار",
            rf"(?:(?:ال)?[إا]جاب(?:ة|تي)|(?:ال)?جواب|(?:ال)?خيار(?=\s+الصحيح))(?:\s+(?:ال)?(?:صحيحة|صحيح|نهائية|نهائي))?"
            rf"(?:{_IS}|\s+(?:هي|هو)\s*:?\s*)|(?<!\w)[أا]ختار\s+",
            r"(?:(?:ال)?(?:خيار|حرف|[إا]جابة)\s+)?",
        ),
        DeclarationWords(
            "صحيح",
            r"(?:(?:هي|هو)\s+)?(?:ال)?(?:(?:[إا]جابة|جواب|خيار)\s+ال)?صحيحة?(?!\w)",
            r"(?:ال)?(?:[إا]جابة|جواب|خيار|حرف)\s+",
            conditions=r"(?<!\w)(?:إذا|اذا|لو|إن)(?!\w)",
        ),
    ),
    "Chinese": Language(
        MarkerWords(
            "答案 选 選 正确 正確",
            r"(?:答案|(?:正确|正確|最佳|最终|最終)的?(?:选项|選項|选择|選擇))\s*(?:应该|應該|应当|應當|应|應)?"
            r"(?:是|为|為|选|選)?\s*:?\s*(?=[(\[\"'A-Za-z选選])"
            r"|(?:(?:^|\n|(?<=[.,;:!])\s*)(?:(?:我|故|因此|所以|综上|綜上|于是|於是|应|應|应该|應該|最终|最終|本题|本題)\s*,?\s*)*)"
            r"(?:选择|選擇|选|選)(?:的是|了)?\s*:?\s*(?=[(\[\"'A-Za-z选選])",
            r"(?:选项|選項)?\s*:?\s*",
            r"(?:选项|選項|项|項)",
        ),
        DeclarationWords(
            "正确 正確 对 對",
            r"(?:是|为|為)?(?:正确|正確|对|對)(?:的|答案|选项|選項|的选项|的選項|的答案)?",
            r"(?:选项|選項|答案|选择|選擇)\s*",
            r"\s*(?:选项|選項|项|項)?",
            r"如果|假如|假设|假設|要是|若|倘若|当(?=.*时)",
        ),
    ),
    "French": Language(
        MarkerWords(
            "ponse option choisis",
            rf"(?<!\w)(?:r[ée]ponse|(?:bonne\s+)?option(?=\s+(?:correcte|choisie|est)\b))(?:\s+(?:correcte|choisie|finale|exacte))?"
            rf"(?:{_IS}|\s+est\b\s*:?\s*)|(?<!\w)je\s+choisis\s+"
            r"|(?:^|\n|(?<=[.;:!]))\s*c'est\s+(?=(?:la\s+|l')(?:réponse|option)\s)",
            r"(?:(?:(?:la|l')\s*)?(?:option|lettre|r[ée]ponse)\s+|la\s+)?",
        ),
        DeclarationWords(
            "correct bonne exact juste",
            r"est\s+(?:donc\s+|bien\s+)?(?:la\s+|l')?(?:bonne(?:\s+(?:réponse|option))?"
            r"|(?:(?:réponse|option)\s+)?(?:correcte?|exacte?|juste))(?!\w)",
            r"(?:la\s+|l'\s*)?(?:réponse|option|lettre|proposition)\s+",
            conditions=r"(?<!\w)(?:si|quand|lorsque|à\s+condition|supposons)(?!\w)",
        ),
    ),
    "German": Language(
        MarkerWords(
            "antwort sung option wähle wahle richtig korrekt",
            rf"(?<!\w)(?:antwort|l[öo]sung|(?:richtige|korrekte)\s+option)(?:{_IS}|\s+(?:ist|lautet)\b\s*:?\s*)"
            r"|(?<!\w)ich\s+w[äa]hle\s+"
            r"|(?:^|\n|(?<=[.;:!]))\s*(?:richtig|korrekt)\s+ist\s+(?=(?:(?:die|der)\s+)?(?:option|antwort)\s|[A-Z](?!\w))",
            r"(?:(?:die|der)\s*)?(?:(?:option|antwort|buchstabe)\s+)?",
        ),
        DeclarationWords(
            "richtig korrekt stimmt trifft",
            r"(?:ist\s+(?:somit\s+|also\s+|daher\s+|eindeutig\s+|damit\s+)?(?:(?:die|der)\s+)?(?:richtig|korrekt)(?:e|er)?"
            r"(?:\s+(?:antwort|option|lösung|wahl|auswahl))?|stimmt|trifft\s+zu)(?!\w)",
            r"(?:(?:die|der)\s+)?(?:antwort(?:option)?|option|lösung|buchstabe|auswahl)\s+",
            conditions=r"(?<!\w)(?:wenn|falls|sofern|angenommen|vorausgesetzt|ob)(?!\w)",
            inverted=r"(?i:(?:daher|deshalb|somit|folglich|demnach|also|damit)\s+ist\s+(?:(?:die|der)\s+)?"
            r"(?:(?:antwort|option|lösung)\s+)?)<L>(?i:\s+(?:(?:die|der)\s+)?(?:richtig|korrekt)(?:e|er)?"
            r"(?:\s+(?:antwort|option|lösung|wahl))?)(?!\w)",
        ),
    ),
    "Hindi": Language(
        MarkerWords(
            "उत्तर जवाब विकल्प",
            rf"(?:सही\s+)?(?:उत्तर|जवाब|विकल्प)(?:{_IS}|\s+(?=[(\[\"'A-Z]))",
            r"(?:विकल्प\s+)?",
            r"(?:\s*विकल्प)?\s*(?:है|हैं)",
        ),
        DeclarationWords(
            "सही",
            r"(?:ही\s+)?सही\s+(?:(?:उत्तर|विकल्प|जवाब)\s+)?(?:है|होगा)(?!\w)",
            r"(?:उत्तर|विकल्प|जवाब)\s+",
            conditions=r"अगर|यदि|क्या",
        ),
    ),
    "Indonesian": Language(
        MarkerWords(
            "jawaban pilih milih",
            rf"(?<!\w)(?:jawaban(?:nya)?|pilihan(?=\s+yang))(?:\s+(?:saya|yang|benar|tepat|terbaik|akhir(?:nya)?)){{0,3}}"
            rf"(?:{_IS}|\s+(?:adalah|ialah)\b\s*:?\s*)|(?<!\w)saya\s+(?:memilih|pilih)\s+"
            r"|(?<!\w)jawaban\s+yang\s+(?:benar|tepat)\s+(?=[(\[\"']?[A-Z](?!\w))",
            r"(?:(?:opsi|pilihan|huruf)\s+)?",
        ),
        DeclarationWords(
            "benar tepat",
            r"(?:adalah\s+|merupakan\s+)?(?:(?:jawaban|opsi|pilihan)\s+)?(?:yang\s+)?(?:paling\s+)?(?:benar|tepat)(?!\w)",
            r"(?:jawaban|opsi|pilihan|huruf)\s+",
            conditions=r"(?<!\w)(?:jika|kalau|apabila|bila|apakah|andai(?:kan)?)(?!\w)",
        ),
    ),
    "Italian": Language(
        MarkerWords(
            "risposta opzione scelgo",
            rf"(?<!\w)(?:risposta|opzione(?=\s+(?:corretta|giusta)))(?:\s+(?:corretta|giusta|esatta|finale))?"
            rf"(?:{_IS}|\s+è\s*:?\s*)|(?<!\w)scelgo\s+",
            r"(?:(?:(?:la|l')\s*)?(?:opzione|lettera|risposta)\s+|la\s+)?",
        ),
        DeclarationWords(
            "corrett giust esatt",
            r"è\s+(?:quindi\s+|dunque\s+)?(?:la\s+|l'\s*|quella\s+)?(?:(?:risposta|opzione)\s+)?(?:corrett|giust|esatt)[ao](?!\w)",
            r"(?:la\s+|l'\s*)?(?:risposta|opzione|lettera|alternativa)\s+",
            conditions=r"(?<!\w)(?:se|quando|qualora)(?!\w)",
        ),
    ),
    "Japanese": Language(
        MarkerWords(
            "答 正解 選 正しい です である",
            r"(?:答え|回答|解答|正解|正しい選択肢|正しいの)\s*(?:は|[:=])\s*"
            r"|\A(?=[(\[\"']?[A-Z][)\]\"']?\s*(?:です|である)[.!]?\Z)",
            r"(?:選択肢\s*)?",
            r"\s*(?:です|だ|である)(?!\w)",
        ),
        DeclarationWords(
            "正解 正し 選",
            r"(?:が|は)\s*(?:正解|正しい(?:答え|選択肢)?)(?:です|だ|である|でしょう|となります|になります)?|を(?:選び|選択し)ます",
            r"(?:選択肢|答え|回答|解答)\s*",
            conditions=r"もし|場合|なら",
            anywhere=True,
        ),
    ),
    "Korean": Language(
        MarkerWords(
            "답 선택 것 입니다",
            r"(?:정답|답|올바른\s*(?:선택지|답)|(?:옳은|맞는|올바른)\s*것)\s*(?:은|는|[:=])\s*"
            r"|\A(?=[(\[\"']?[A-Z][)\]\"']?\s*번?\s*입니다[.!]?\Z)",
            r"(?:선택지\s*|보기\s*)?",
            r"\s*번?(?:입니다|이다|예요|이에요)(?!\w)|번(?!\w)",
        ),
        DeclarationWords(
            "정답 맞 올바른 선택",
            r"(?:가|이)\s*(?:정답|맞|올바른\s*(?:답|선택지))(?:입니다|이다|습니다|다|아요|예요|이에요)?"
            r"|(?:를|을)\s*선택(?:합니다|한다|하겠습니다)",
            r"(?:선택지|보기|답|정답)\s*",
            r"\s*번?\s*",
            r"만약|만일|(?:라|다|으)면(?!\w)",
            anywhere=True,
        ),
    ),
    "Portuguese": Language(
        MarkerWords(
            "resposta alternativa opção escolho",
            rf"(?<!\w)(?:resposta|(?:alternativa|opção)(?=\s+(?:correta|certa)))(?:\s+(?:correta|certa|final))?"
            rf"(?:{_IS}|\s+é\s*:?\s*)|(?<!\w)(?:eu\s+)?escolho\s+",
            r"(?:(?:a\s+)?(?:alternativa|opção|letra)\s+|a\s+(?=[(\[\"']?[A-Z](?!\w)))?",
        ),
        DeclarationWords(
            "corret certa certo",
            r"(?:é|está)\s+(?:portanto\s+)?(?:a\s+)?(?:(?:resposta|alternativa|opção)\s+)?(?:corret|cert)[ao](?!\w)",
            r"(?:a\s+)?(?:resposta|alternativa|opção|letra)\s+",
            conditions=r"(?<!\w)(?:se|quando|caso)(?!\w)",
        ),
    ),
    "Russian": Language(
        MarkerWords(
            "ответ вариант выбираю верен правилен",
            rf"(?<!\w)(?:ответ|(?:правильный|верный)\s+вариант)(?:{_IS}|\s*:\s*)|(?<!\w)(?:я\s+)?выбираю\s+"
            r"|(?<!\w)(?:правильный|верный)\s+(?:ответ|вариант)\s+(?=[(\[\"']?[A-Z](?!\w))"
            r"|(?<!\w)(?:верен|правилен|(?:верным|правильным)\s+является)\s+(?=(?:вариант|ответ)\s)",
            r"(?:(?:вариант|ответ)\s+)?",
        ),
        DeclarationWords(
            "верн верен правильн правилен",
            r"(?:(?:[—–-]|это|является)\s+)?(?:это\s+)?(?:верн(?:ый|ая|о|а|ым|ой)|верен|правильн(?:ый|ая|о|а|ым|ой)|правилен)"
            r"(?:\s+(?:ответ(?:ом)?|вариант(?:ом)?))?(?!\w)",
            r"(?:ответ|вариант(?:\s+ответа)?|буква|опция)\s+",
            conditions=r"(?<!\w)(?:если|когда|допустим|предположим)(?!\w)",
        ),
    ),
    "Spanish": Language(
        MarkerWords(
            "respuesta opci alternativa elijo escojo correcta acertada",
            rf"(?<!\w)(?:respuesta|(?:opci[oó]n|alternativa)(?=\s+correcta))(?:\s+(?:correcta|final))?"
            rf"(?:{_IS}|\s+es\b\s*:?\s*)|(?<!\w)(?:elijo|escojo)\s+"
            r"|(?:^|\n|(?<=[.;:!]))\s*(?:la\s+(?:correcta|acertada)\s+es\s+|es\s+(?=la\s+(?:opci[oó]n|respuesta)\s))",
            r"(?:(?:la\s+)?(?:opci[oó]n|letra|respuesta)\s+|la\s+)?",
        ),
        DeclarationWords(
            "correct acertad adecuad",
            r"(?:es|está|sería)\s+(?:la\s+)?(?:(?:respuesta|opci[oó]n|alternativa)\s+)?(?:más\s+)?(?:correct|acertad|adecuad)[ao](?!\w)",
            r"(?:la\s+)?(?:respuesta|opci[oó]n|alternativa|letra)\s+",
            conditions=r"(?<!\w)(?:si|cuando|suponiendo|supongamos)(?!\w)",
            inverted=r"(?i:es\s+correcta\s+la\s+(?:respuesta|opci[oó]n|alternativa|letra)\s+)<L>",
        ),
    ),
    "Turkish": Language(
        MarkerWords(
            "cevap yanıt yanit seçenek secenek olan",
            rf"(?<!\w)(?:do[ğg]ru\s+)?(?:cevap|yan[ıi]t|se[çc]enek|olan)(?:{_IS}|\s+(?=[(\[\"'A-Z]))",
            r"(?:se[çc]enek\s+)?",
            r"(?:\s*(?:şıkkı|seçeneği))?'?(?:d[ıi]r|t[ıi]r)",
        ),
        DeclarationWords(
            "doğru dogru",
            r"(?:en\s+)?do[ğg]ru(?:dur)?(?:\s+(?:cevap|seçenek|yanıt)(?:tır|tir)?)?(?!\w)",
            r"(?:cevap|seçenek|yanıt)\s+",
            r"(?:\s+(?:cevabı|seçeneği|şıkkı|yanıtı))?",
            r"(?<!\w)(?:eğer|şayet)(?!\w)",
        ),
    ),
    "Vietnamese": Language(
        MarkerWords(
            "đáp trả chọn",
            rf"(?<!\w)(?:đáp\s+án|câu\s+trả\s+lời)(?:\s+(?:đúng|chính\s+xác|cuối\s+cùng|của\s+tôi)){{0,2}}"
            rf"(?:{_IS}|\s+là\s*:?\s*)|(?<!\w)tôi\s+chọn\s+",
            r"(?:(?:phương\s+án|đáp\s+án|lựa\s+chọn)\s+)?",
        ),
        DeclarationWords(
            "đúng chính xác",
            r"(?:là\s+)?(?:(?:đáp\s+án|phương\s+án|lựa\s+chọn|câu\s+trả\s+lời)\s+)?(?:đúng|chính\s+xác)(?:\s+nhất)?(?!\w)",
            r"(?:đáp\s+án|phương\s+án|lựa\s+chọn|câu\s+trả\s+lời)\s+",
            conditions=r"(?<!\w)(?:nếu|giả\s+sử|khi)(?!\w)",
        ),
    ),
}
