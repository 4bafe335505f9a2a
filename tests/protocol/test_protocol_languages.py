"""The reader in the 15 languages in which models answer most, and replies in further forms."""

import itertools
import json
from pathlib import Path

import pytest

from chronotope.protocol import read_choice

OPTIONS = {"A": "0.15 m", "B": "0.35 m", "C": "1.20 m", "D": "2.50 m", "E": "3.75 m"}
LETTERS = "ABCDE"

SAID = {
    "Chinese": [
        *("我選擇 {x}", "故選 {x}。", "正確答案為 {x}", "正确答案是：{x}", "选择{x}", "因此，正确的选项是 {x}。"),
        *(
            "答案选{x}",
            "答案是选项{x}。",
            "我选{x}。",
            "综上所述，答案为：{x}",
            "所以选{x}。",
            "应该选择{x}",
            "选项{x}是正确的。",
        ),
        *(
            "{x}选项正确。",
            "最佳选项是{x}",
            "正確選項為：{x}。",
            "答案應為 {x}",
            "本题选{x}",
            "盒子很小。\n选 {x}",
            "答案是{x}选项。",
        ),
    ],
    "Spanish": [
        *("Respuesta: {x}", "La respuesta correcta es la {x}.", "La respuesta es {x}", "La opción correcta es {x}."),
        *("Elijo la opción {x}.", "Respuesta final: {x}", "La alternativa correcta es la letra {x}."),
    ],
    "French": [
        *(
            "Réponse : {x}",
            "La bonne réponse est {x}.",
            "La réponse correcte est la {x}.",
            "L'option correcte est {x}.",
        ),
        *("Je choisis la réponse {x}.", "Réponse finale : {x}", "La réponse est l'option {x}."),
    ],
    "German": [
        *("Antwort: {x}", "Die richtige Antwort ist {x}.", "Die Antwort lautet {x}", "Lösung: {x}"),
        *("Die richtige Option ist {x}.", "Ich wähle {x}.", "Ich wähle Option {x}."),
    ],
    "Japanese": [
        *(
            "答え：{x}",
            "答えは{x}です。",
            "正解は選択肢{x}です。",
            "正しい答えは{x}です",
            "正しい選択肢は{x}です。",
            "{x}が正解です。",
        ),
        *("{x}を選びます。", "解答：{x}"),
    ],
    "Korean": [
        *(
            "정답: {x}",
            "정답은 {x}입니다.",
            "정답은 {x}번입니다.",
            "답: {x}",
            "올바른 답은 {x}입니다.",
            "{x}가 정답입니다.",
        ),
        *("{x}를 선택합니다.", "정답은 선택지 {x}입니다"),
    ],
    "Russian": [
        *(
            "Ответ: {x}",
            "Правильный ответ: {x}",
            "Правильный ответ — {x}.",
            "Верный вариант: {x}",
            "Я выбираю вариант {x}.",
        ),
        "Ответ: вариант {x}",
    ],
    "Portuguese": [
        *("Resposta: {x}", "A resposta correta é a {x}.", "A resposta é {x}", "A alternativa correta é a letra {x}."),
        *(
            "Escolho a opção {x}.",
            "Resposta final: {x}",
            "A opção correta é: {x}",
            "A resposta certa é a alternativa {x}.",
        ),
    ],
    "Italian": [
        *("Risposta: {x}", "La risposta corretta è la {x}.", "La risposta è {x}", "L'opzione corretta è {x}."),
        *("Scelgo l'opzione {x}.", "Risposta finale: {x}", "La risposta giusta è l'opzione {x}."),
    ],
    "Arabic": [
        *(
            "الإجابة: {x}",
            "الإجابة الصحيحة هي {x}.",
            "الجواب الصحيح هو {x}",
            "الإجابة الصحيحة: {x}",
            "الخيار الصحيح هو {x}.",
        ),
        *("أختار الخيار {x}.", "الإجابة النهائية هي: {x}"),
    ],
    "Hindi": [
        "उत्तर: {x}",
        "सही उत्तर {x} है।",
        "सही उत्तर: {x}",
        "उत्तर {x} है",
        "सही विकल्प {x} है।",
        "सही उत्तर विकल्प {x} है।",
        "जवाब: {x}",
    ],
    "Indonesian": [
        *("Jawaban: {x}", "Jawaban yang benar adalah {x}.", "Jawabannya adalah {x}", "Jawaban saya: {x}"),
        *("Pilihan yang tepat adalah {x}.", "Saya memilih opsi {x}.", "Jawaban akhir: {x}"),
    ],
    "Vietnamese": [
        *("Đáp án: {x}", "Đáp án đúng là {x}.", "Đáp án là {x}", "Câu trả lời đúng là {x}.", "Tôi chọn {x}."),
        *("Câu trả lời: {x}", "Đáp án chính xác là phương án {x}."),
    ],
    "Turkish": [
        "Cevap: {x}",
        "Doğru cevap {x}'dir.",
        "Doğru cevap: {x}",
        "Yanıt: {x}",
        "Doğru seçenek {x}.",
        "Cevap {x}",
    ],
}


@pytest.mark.parametrize("language", SAID)
def test_markers_of_a_language_are_read(language: str) -> None:
    for form, x, more in itertools.product(SAID[language], LETTERS, ("", "xyz.\n")):
        reply = more + form.format(x=x)
        for options in (None, OPTIONS):
            assert read_choice(reply, LETTERS, options=options).letters == {x}, reply


# Sentences that mention letters, or begin like markers, and choose nothing.
UNSAID = {
    "Chinese": [
        *(
            "答案不是{x}",
            "如果答案是{x}，那么盒子很小",
            "不选{x}",
            "为什么选{x}？",
            "选项{x}太长。",
            "{x}是错误的。",
            "{x}不正确。",
            "选择{x}还是{y}？",
        ),
        *(
            "答案是{x}或{y}",
            "可能选{x}",
            "别选{x}。",
            "选择{x}的原因",
            "{x}是正确的吗？",
            "不能选择{x}",
            "选项有{x}、{y}。",
            "没有选择{x}。",
            "是否选{x}",
        ),
        *(
            "假设选择{x}",
            "选{x}不对",
            "我选不出{x}来",
            "答案A到E都有可能",
            "从{x}走到{y}",
            "{x}和{y}都不正确。",
            "为什么答案是{x}",
            "难道答案是{x}",
        ),
    ],
    "Spanish": [
        "La respuesta no es {x}.",
        "Si la respuesta es {x}, gira.",
        "La opción {x} es larga.",
        "La respuesta es una caja.",
        "Respuesta: {x} o {y}",
        "No elijo {x}.",
    ],
    "French": [
        "La réponse n'est pas {x}.",
        "Si la réponse est {x}, elle tourne.",
        "L'option {x} est longue.",
        "Réponse : {x} ou {y}",
        "Pourquoi la réponse est {x}",
    ],
    "German": [
        "Die Antwort ist nicht {x}.",
        "Falls die Antwort {x} ist.",
        "Option {x} ist zu lang.",
        "Antwort: {x} oder {y}",
        "Ich wähle nicht {x}.",
        "Ob die Lösung {x} ist",
    ],
    "Japanese": [
        "答えは{x}ではありません",
        "もし答えは{x}です",
        "{x}は間違いです。",
        "答えは{x}か{y}です。",
        "{x}を選びません。",
        "{x}が正解ですか？",
    ],
    "Korean": [
        "정답은 {x}가 아닙니다",
        "만약 정답은 {x}입니다",
        "{x}는 틀렸습니다.",
        "{x}를 선택하지 않습니다.",
        "{x}가 정답입니까?",
    ],
    "Russian": [
        "Ответ: не {x}",
        "Если ответ: {x}",
        "Вариант {x} слишком длинный.",
        "Я не выбираю {x}.",
        "Ответ: {x} или {y}",
    ],
    "Portuguese": [
        "A resposta não é {x}.",
        "Se a resposta é {x}, ela gira.",
        "A opção {x} é longa.",
        "Resposta: {x} ou {y}",
        "Não escolho {x}.",
        "A resposta é a caixa.",
        "Resposta: a caixa anda",
    ],
    "Italian": [
        "La risposta non è {x}.",
        "Se la risposta è {x}, gira.",
        "L'opzione {x} è lunga.",
        "Risposta: {x} o {y}",
        "Non scelgo {x}.",
        "Risposta: e poi gira",
    ],
    "Arabic": [
        "الإجابة ليست {x}.",
        "إذا كانت الإجابة هي {x}",
        "الخيار {x} طويل.",
        "لا أختار {x}.",
        "الإجابة: {x} أو {y}",
    ],
    "Hindi": ["सही उत्तर {x} नहीं है।", "अगर उत्तर {x} है", "विकल्प {x} लंबा है।", "उत्तर {x} या {y} है।"],
    "Indonesian": [
        "Jawabannya bukan {x}.",
        "Jika jawaban yang benar adalah {x}",
        "Opsi {x} terlalu panjang.",
        "Jawaban: {x} atau {y}",
        "Saya tidak memilih {x}.",
    ],
    "Vietnamese": [
        "Đáp án không phải là {x}.",
        "Nếu đáp án là {x}",
        "Phương án {x} quá dài.",
        "Đáp án: {x} hoặc {y}",
        "Tôi không chọn {x}.",
    ],
    "Turkish": [
        "Doğru cevap {x} değil.",
        "Eğer cevap {x}'dir",
        "{x} seçeneği çok uzun.",
        "Cevap: {x} veya {y}",
        "Cevap {x} olamaz.",
    ],
    "English": [
        *(
            "ASSISTANT: {x} cup moves.",
            "Assistant: not {x}",
            "ASSISTANT: I cannot tell.",
            "answer {x} or {y}",
            "Not {x}.",
            "It is not {x}. It is not {y}.",
        ),
        *(
            "It is not {x}. It is {x}.",
            "It's definitely not {x}. It could be {y}.",
            "Not {x}. Perhaps {y}.",
            "{x} {y} {x} {y}",
            "{x} {x} {y}",
            "An answer {x} would be wrong.",
        ),
    ],
}


@pytest.mark.parametrize(
    ("reply", "chosen"),
    [
        ("答案是B，因为它在右边。", "B"),
        ("答案是B。因为它在右边。", "B"),
        ("选B，理由如下：它在右边。", "B"),
        ("उत्तर B है।", "B"),
        ("答案是A，还是B？", None),
        ("答案是A，不对，要再看。", None),
        ("答案是A，对吗？", None),
        ("答案是A，但不确定。", None),
        ("उत्तर A है या B?", None),
    ],
)
def test_what_follows_a_letter_without_a_blank_counts(reply: str, chosen: str | None) -> None:
    found = read_choice(reply, "ABCD", options=dict(zip("ABCD", ("left", "right", "above", "below"), strict=True)))
    assert found.letters == (None if chosen is None else frozenset(chosen))


@pytest.mark.parametrize("language", UNSAID)
def test_sentences_that_mention_letters_choose_nothing(language: str) -> None:
    read = [
        reply
        for form, (x, y) in itertools.product(UNSAID[language], itertools.permutations("ABCDE", 2))
        for before, behind in (("", ""), ("xyz.\n", ""), ("", "\nxyz."))
        for options in (None, OPTIONS)
        if read_choice(reply := before + form.format(x=x, y=y) + behind, LETTERS, options=options).letters
    ]
    assert read == []


def test_the_negative_set_is_large() -> None:
    assert sum(map(len, UNSAID.values())) * 20 * 3 >= 5000


LISTED = "\n".join(f"{letter}. {text}" for letter, text in OPTIONS.items())


@pytest.mark.parametrize(
    ("reply", "letter"),
    [
        (f"{LISTED}\n\nB", "B"),
        (f"Options:\n{LISTED}\n\nE", "E"),
        (f"{LISTED}\n\n(A)", "A"),
        (LISTED, None),
        (LISTED.rpartition("\n")[0] + "\nB", None),  # E may be missing, because the list is not complete
        ("B B B B", "B"),
        ("B B B B B B", "B"),
        ("(B) (B)", "B"),
        ("B, B, B.", "B"),
        ("B C B", None),
        ("ASSISTANT: B", "B"),
        ("Assistant:\nB", "B"),
        ("ASSISTANT: B. 0.35 m", "B"),
        ("answer b", "B"),
        ("Answer B", "B"),
        ("option b", "B"),
        ("It's definitely not A. It is B.", "B"),
        ("Not A. Not C. I think B.", "B"),
        ("B\x00\x00\x00", "B"),
        ("\x00B", "B"),
        ("35 cm", "B"),
        ("The box is 35 cm long.", "B"),
        ("35cm", "B"),
        ("350 millimetres", "B"),
        ("0,35 m", "B"),
        ("0,35m", "B"),
        ("Answer: 35 cm", "B"),
        ("1,20 m", "C"),
        ("120 cm", "C"),
        ("It is not 35 cm.", None),
        ("30-35 cm", None),
        ("Answer: 20–35 cm", None),
        ("between 30 and 35 cm", None),
        ("35 cm x 20 cm", None),
        ("35 cm ± 5 cm", None),
        ("3 x 35 cm", None),
        ("35 cm or 120 cm", None),
        ("36 cm", None),
        ("35 kg", None),
        ("35", None),
        ("35 cm/s", None),
        ("B. 120 cm", None),  # the text of another option
    ],
)
def test_further_forms(reply: str, letter: str | None) -> None:
    assert read_choice(reply, LETTERS, options=OPTIONS).letters == (None if letter is None else {letter})


def test_units_are_converted_only_if_all_options_have_one() -> None:
    for options in ({"A": "0.35 m", "B": "a box"}, {"A": "0.35", "B": "2"}, {"A": "0.35 m", "B": "2 s"}):
        assert read_choice("35 cm", "AB", options=options).letters is None
    assert read_choice("0,35", "AB", options={"A": "0.35", "B": "2"}).letters == {"A"}
    assert read_choice("1,200 m", "AB", options={"A": "1.2 m", "B": "3 m"}).letters is None  # may be 1200 m
    assert read_choice("3.6 km/h", "AB", options={"A": "1 m/s", "B": "3.6 m/s"}).letters == {"A"}
    assert read_choice("35 cm", "AB", options={"A": "0.35 m", "B": "350 mm"}).letters is None


def test_the_reported_replies_in_chinese_are_read(test_data: Path) -> None:
    lines = (test_data / "reports/chinese-replies/chinese.jsonl").read_text(encoding="utf-8").splitlines()
    assert [read_choice(json.loads(line)["reply"], LETTERS, options=OPTIONS).letters for line in lines] == [{"B"}] * 6
