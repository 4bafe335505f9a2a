"""Declarations in 15 languages, such as "Antwort B ist richtig", and sentences near to them that choose nothing.

Written before the patterns, with ``{x}`` for the letter and ``{y}`` for another one.
"""

import itertools

import pytest

from chronotope.protocol import read_choice

OPTIONS = {"A": "0.15 m", "B": "0.35 m", "C": "1.20 m", "D": "2.50 m", "E": "3.75 m"}
LETTERS = "ABCDE"

DECLARED = {
    "English": [
        "{x} is the correct answer",
        "{x} is the correct answer.",
        "Option {x} is right.",
        "Answer {x} is correct.",
        "The answer {x} is correct",
        "Option {x} is the correct one.",
        "The correct one is {x}.",
        "Letter {x} is correct.",
        "Choice {x} is the right answer",
        "({x}) is correct.",
        "Answer ({x}) is right",
        "{x}. is the correct answer",
    ],
    "German": [
        "Antwort {x} ist richtig.",
        "Antwort {x} ist korrekt",
        "{x} ist richtig.",
        "Option {x} ist richtig.",
        "Die Antwort {x} ist die richtige.",
        "{x} ist die richtige Antwort.",
        "Richtig ist {x}.",
        "Richtig ist Antwort {x}.",
        "Die richtige Antwort: {x}",
        "Korrekt ist Option {x}.",
        "Antwort ({x}) ist richtig.",
        "Buchstabe {x} ist richtig.",
        "{x} stimmt.",
        "Option {x} trifft zu.",
        "Die Antwort {x} stimmt.",
        "{x} ist die korrekte Option.",
    ],
    "Spanish": [
        "La respuesta {x} es correcta",
        "La respuesta {x} es la correcta.",
        "La opción {x} es correcta.",
        "La opción {x} es la correcta.",
        "{x} es la respuesta correcta.",
        "{x} es correcta.",
        "La correcta es la {x}.",
        "La alternativa {x} es correcta.",
        "La letra {x} es correcta.",
        "Es correcta la opción {x}.",
        "La opción correcta: {x}",
    ],
    "French": [
        "La réponse {x} est correcte",
        "La réponse {x} est la bonne.",
        "L'option {x} est correcte.",
        "{x} est la bonne réponse.",
        "{x} est correct.",
        "{x} est la réponse correcte.",
        "C'est la réponse {x}.",
        "La bonne réponse : {x}",
        "La réponse {x} est exacte.",
        "L'option {x} est la bonne.",
    ],
    "Italian": [
        "La risposta {x} è corretta",
        "La risposta {x} è quella corretta.",
        "L'opzione {x} è corretta.",
        "{x} è la risposta corretta.",
        "{x} è corretta.",
        "La lettera {x} è corretta.",
        "La risposta giusta è {x}",
        "L'opzione {x} è giusta.",
    ],
    "Portuguese": [
        "A resposta {x} está correta",
        "A resposta {x} é a correta.",
        "A alternativa {x} está correta.",
        "A opção {x} é correta.",
        "{x} é a resposta correta.",
        "A alternativa {x} é a correta.",
        "A letra {x} é a correta.",
        "{x} está correta.",
    ],
    "Russian": [
        "Ответ {x} верный.",
        "Ответ {x} правильный",
        "Вариант {x} верен.",
        "Вариант {x} правильный.",
        "{x} — правильный ответ.",
        "Правильный ответ {x}.",
        "Верный ответ {x}",
        "Верным является вариант {x}.",
        "Правильный вариант {x}.",
        "Верен вариант {x}.",
        "Вариант {x} является правильным.",
        "{x} является правильным ответом.",
    ],
    "Chinese": [
        "答案{x}是正确的",
        "答案{x}正确",
        "{x}是正确答案",
        "{x}是正确的",
        "选项{x}正确",
        "选项{x}是正确答案",
        "{x}正确。",
        "正确答案{x}",
        "答案{x}",
        "{x}选项是正确的",
        "答案{x}是正確的",
        "{x}是正确选项",
        "{x}对。",
        "{x}是对的",
    ],
    "Japanese": [
        "正解は{x}です",
        "{x}が正解です",
        "{x}が正しいです",
        "答え{x}が正しいです",
        "選択肢{x}が正解です。",
        "選択肢{x}が正しい。",
        "{x}は正解です。",
        "{x}が正しい答えです。",
        "正解は{x}である。",
        "正解:{x}",
        "回答{x}が正しいです",
        "正しいのは{x}です。",
    ],
    "Korean": [
        "정답은 {x}입니다",
        "{x}가 정답입니다",
        "답 {x}가 맞습니다",
        "{x}번이 정답입니다.",
        "선택지 {x}가 정답입니다",
        "{x}가 맞습니다.",
        "{x}가 올바른 답입니다.",
        "보기 {x}가 정답입니다.",
        "옳은 것은 {x}입니다.",
    ],
    "Arabic": [
        "الإجابة {x} صحيحة",
        "الإجابة {x} هي الصحيحة",
        "الخيار {x} صحيح",
        "الخيار {x} هو الصحيح",
        "{x} هي الإجابة الصحيحة",
        "{x} هو الجواب الصحيح.",
        "الجواب {x} صحيح",
    ],
    "Hindi": [
        "उत्तर {x} सही है",
        "विकल्प {x} सही है",
        "{x} सही उत्तर है",
        "{x} सही है।",
        "सही जवाब {x} है",
        "उत्तर {x} सही है।",
    ],
    "Indonesian": [
        "Jawaban {x} benar",
        "Jawaban {x} adalah benar.",
        "Opsi {x} benar.",
        "Pilihan {x} adalah jawaban yang benar.",
        "{x} adalah jawaban yang benar.",
        "Jawaban {x} yang benar.",
        "Jawaban yang benar {x}",
    ],
    "Vietnamese": [
        "Đáp án {x} đúng",
        "Đáp án {x} là đúng.",
        "{x} là đáp án đúng.",
        "Phương án {x} đúng.",
        "Lựa chọn {x} là chính xác.",
        "Câu trả lời {x} là đúng",
        "Phương án {x} là đáp án đúng.",
    ],
    "Turkish": [
        "{x} cevabı doğru.",
        "Cevap {x} doğrudur.",
        "{x} seçeneği doğrudur.",
        "{x} doğru cevaptır.",
        "Doğru cevap {x} seçeneğidir.",
        "{x} şıkkı doğru.",
        "Doğru olan {x}.",
        "{x} seçeneği doğru cevaptır.",
    ],
}

# Sentences that discuss a letter: denials, doubts, conditions, questions, and several letters.
DISCUSSED = {
    "English": [
        "{x} is not correct.",
        "{y} or {x} is correct.",
        "Either {y} or {x} is correct.",
        "If the box is small, {x} is correct.",
        "When it is small, {x} is the correct answer.",
        "{x} is correct?",
        "Is {x} correct?",
        "Option {x} is not right.",
        "{x} would be correct if it were longer.",
        "Answer {x} is incorrect.",
        "It is false that {x} is correct.",
        "I doubt that {x} is correct.",
        "Only if the camera moves {x} is correct.",
        "{x} is correct, isn't it?",
        "{y} is correct or {x} is correct.",
        "Neither {y} nor {x} is right.",
        "{x} is right of the chair.",
        "The cup is left and {x} is right.",
        "{x} is almost correct.",
        "Someone might say {x} is correct.",
        "Option {x} is right next to the chair.",
        "Provided it is small, {x} is correct.",
        "{x} is the wrong answer.",
    ],
    "German": [
        "{x} ist falsch.",
        "Antwort {x} ist nicht richtig.",
        "Weder {y} noch {x} ist richtig.",
        "Antwort {y} oder {x} ist richtig.",
        "Wenn es klein ist, ist {x} richtig.",
        "Falls es klein ist: {x} ist richtig.",
        "Ist Antwort {x} richtig?",
        "{x} ist richtig?",
        "{x} ist richtig lang.",
        "Antwort {x} ist zu lang.",
        "Ich glaube nicht, dass Antwort {x} richtig ist.",
        "{x} ist richtig, oder?",
        "Antwort {x} ist unrichtig.",
        "{x} stimmt nicht.",
        "Keine Antwort {x} ist richtig.",
        "Angenommen, {x} ist richtig.",
        "Option {x} trifft nicht zu.",
        "{x} ist fast richtig.",
        "Falsch ist {x}.",
        "Es ist nicht Antwort {x}.",
    ],
    "Spanish": [
        "La respuesta {x} no es correcta.",
        "La respuesta {x} es incorrecta.",
        "Ni {y} ni {x} es correcta.",
        "Si mide poco, la respuesta {x} es correcta.",
        "¿La respuesta {x} es correcta?",
        "¿Es correcta la opción {x}?",
        "La opción {y} o la {x} es correcta.",
        "No es la opción {x}.",
        "La más larga es la opción {x}.",
        "{x} es falsa.",
        "Cuando gira, la opción {x} es correcta.",
        "No creo que la respuesta {x} es correcta.",
    ],
    "French": [
        "La réponse {x} n'est pas correcte.",
        "La réponse {x} est fausse.",
        "La réponse {x} est incorrecte.",
        "Si elle tourne, la réponse {x} est correcte.",
        "La réponse {x} est-elle correcte ?",
        "La réponse {x} est correcte ?",
        "Ni {y} ni {x} n'est correct.",
        "Ce n'est pas la réponse {x}.",
        "La réponse {y} ou {x} est correcte.",
        "{x} est juste au-dessus.",
        "C'est la réponse {x} qui est fausse.",
    ],
    "Italian": [
        "La risposta {x} non è corretta.",
        "La risposta {x} è sbagliata.",
        "Se gira, la risposta {x} è corretta.",
        "La risposta {x} è corretta?",
        "Né {y} né {x} è corretta.",
        "La risposta {y} o {x} è corretta.",
        "Non è la risposta {x}.",
    ],
    "Portuguese": [
        "A resposta {x} não está correta.",
        "A resposta {x} está errada.",
        "Se ela gira, a resposta {x} está correta.",
        "A resposta {x} está correta?",
        "Nem {y} nem {x} está correta.",
        "A alternativa {y} ou {x} está correta.",
        "A alternativa {x} está incorreta.",
    ],
    "Russian": [
        "Ответ {x} неверный.",
        "Ответ {x} не верный.",
        "Вариант {x} неправильный.",
        "Если коробка мала, вариант {x} верен.",
        "Вариант {x} верен?",
        "Ни {y}, ни {x} не верен.",
        "Ответ {y} или {x} верный.",
        "{x} — неправильный ответ.",
        "Неправильный ответ {x}.",
        "Неверный ответ {x}",
    ],
    "Chinese": [
        "{x}不正确",
        "答案{x}不正确",
        "答案{x}是错误的",
        "如果盒子小，{x}正确。",
        "答案{x}正确吗？",
        "{y}或{x}正确",
        "{y}和{x}正确",
        "答案{y}还是{x}正确？",
        "{x}是不对的",
        "{y}、{x}正确。",
        "{x}不对",
        "{x}对吗？",
    ],
    "Japanese": [
        "{x}は正解ではありません。",
        "{x}は不正解です。",
        "もし小さいなら、{x}が正解です。",
        "{y}か{x}が正解です。",
        "{x}が正解ですか？",
        "{x}は間違いです。",
        "{y}と{x}が正解です。",
        "{x}は正しくない。",
    ],
    "Korean": [
        "{x}가 정답이 아닙니다.",
        "만약 작다면, {x}가 정답입니다.",
        "{y}나 {x}가 정답입니다.",
        "{x}가 정답입니까?",
        "{x}는 오답입니다.",
        "{x}가 맞지 않습니다.",
        "{y}와 {x}가 정답입니다.",
    ],
    "Arabic": [
        "الإجابة {x} غير صحيحة",
        "الإجابة {x} ليست صحيحة",
        "الإجابة {x} خاطئة",
        "إذا كان صغيراً، الإجابة {x} صحيحة",
        "هل الإجابة {x} صحيحة؟",
        "الإجابة {y} أو {x} صحيحة",
    ],
    "Hindi": [
        "उत्तर {x} सही नहीं है",
        "उत्तर {x} गलत है",
        "अगर छोटा है, उत्तर {x} सही है",
        "क्या उत्तर {x} सही है?",
        "उत्तर {y} या {x} सही है",
        "{x} सही है?",
    ],
    "Indonesian": [
        "Jawaban {x} tidak benar",
        "Jawaban {x} salah.",
        "Jika kecil, jawaban {x} benar.",
        "Apakah jawaban {x} benar?",
        "Jawaban {y} atau {x} benar.",
        "Jawaban {x} kurang tepat.",
        "Jawaban {x} bukan yang benar.",
    ],
    "Vietnamese": [
        "Đáp án {x} không đúng",
        "Đáp án {x} sai.",
        "Nếu nhỏ, đáp án {x} đúng.",
        "Đáp án {x} đúng không?",
        "Đáp án {y} hoặc {x} đúng.",
        "Cả {y} và {x} đều đúng.",
    ],
    "Turkish": [
        "{x} doğru değil.",
        "{x} cevabı yanlış.",
        "Eğer küçükse, {x} cevabı doğru.",
        "{x} cevabı doğru mu?",
        "{y} veya {x} cevabı doğru.",
        "{x} seçeneği doğru değildir.",
        "Ne {y} ne {x} doğru.",
    ],
}


@pytest.mark.parametrize("language", DECLARED)
def test_declarations_are_read(language: str) -> None:
    for form, x, more in itertools.product(DECLARED[language], LETTERS, ("", "xyz.\n")):
        for options in (None, OPTIONS):
            reply = more + form.format(x=x)
            assert read_choice(reply, LETTERS, options=options).letters == {x}, reply


@pytest.mark.parametrize("language", DISCUSSED)
def test_discussions_choose_nothing(language: str) -> None:
    read = [
        reply
        for form, (x, y) in itertools.product(DISCUSSED[language], itertools.permutations(LETTERS, 2))
        for before, behind in (("", ""), ("xyz.\n", ""), ("", "\nxyz."))
        for options in (None, OPTIONS)
        if read_choice(reply := before + form.format(x=x, y=y) + behind, LETTERS, options=options).letters
    ]
    assert read == []


@pytest.mark.parametrize("language", DECLARED)
def test_a_declaration_is_followed_by_a_reason_or_nothing(language: str) -> None:
    """The last declaration decides, as with all markers; further words or a question take it back."""
    for form in (one.rstrip(".。।") for one in DECLARED[language]):
        said = form.format(x="B")
        assert read_choice(f"{said}\n{form.format(x='C')}", LETTERS).letters == {"C"}, said
        assert read_choice(f"{said}?", LETTERS).letters is None, said


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        ("Antwort B ist richtig, weil die Kiste klein ist.", "B"),
        ("La réponse B est correcte car la boîte est petite.", "B"),
        ("La respuesta B es correcta porque gira.", "B"),
        ("A alternativa B está correta, pois gira.", "B"),
        ("Daher ist Antwort B richtig.", "B"),
        ("Somit ist B die richtige Antwort.", "B"),
        ("Por lo tanto, la opción B es correcta.", "B"),
        ("因此，B是正确的。", "B"),
        ("A错，B对。", "B"),
        ("したがって、Bが正解です。", "B"),
        ("Bです。", "B"),
        ("B입니다.", "B"),
        ("B is right.", "B"),
        ("If we compare the frames, option B is correct.", "B"),
        ("If I had to guess, the answer is B.", "B"),
        ("B ist richtig, aber C ist genauer.", None),
        ("If the box is small, the answer is B. If it is large, the answer is C.", None),
        ("B - wrong.", None),
        ("B: falsch.", None),
        ("B. Wrong answers were left out.", "B"),
        ("Antwort F ist richtig.", None),
    ],
)
def test_reasons_conditions_and_single_words(reply: str, letter: str | None) -> None:
    assert read_choice(reply, LETTERS, options=OPTIONS).letters == (None if letter is None else {letter})


def test_a_declared_letter_that_is_no_option_is_told() -> None:
    assert read_choice("Antwort F ist richtig.", LETTERS).rule == "invalid_letter"
    assert read_choice("Y es correcta.", LETTERS).rule == "no_answer"  # Y is also a word
