"""The visible text of a reply: without thinking, and in plain characters."""

import re

# A tag that begins or ends thinking, in every spelling that models are known to send: XML-like tags (also with a
# vendor's prefix), Kimi's triangles, Mistral's brackets, begin/end tokens, and the channels of the gpt-oss format.
_THINK_TAG = re.compile(
    r"<\s*(?P<close1>/?)\s*(?P<name1>(?:\w+:)?(?:think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad))\s*>"
    r"|◁(?P<close2>/?)(?P<name2>think)▷"
    r"|\[(?P<close3>/?)(?P<name3>(?-i:THINK))\]"
    r"|<\|(?P<close4>begin|end)_of_(?P<name4>thought|thinking)\|>"
    r"|<\|channel\|>\s*(?P<close5>analysis|commentary|final)(?P<name5>)(?:\s*<\|message\|>)?",
    re.IGNORECASE,
)
_CLOSING = {"/", "end", "final"}

_LOOK_ALIKES = str.maketrans(
    {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}  # full-width forms
    | dict(zip("“”„«»‘’‚´⁰¹²³⁴⁵⁶⁷⁸⁹º−﹣。、\u00a0\u202f\u2009\u3000", '"""""\'\'\'\'0123456789°--.,    ', strict=True))
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\u200e\u200f", None)
    | {chr(code): None for code in (*range(0x20), 0x7F) if chr(code) not in "\t\n\r\v\f"}  # NUL and other controls
    | dict(zip("【】〔〕「」『』《》", '[][]""""""', strict=True))
    | dict(zip("।،؛؟", ".,;?", strict=True))  # Hindi and Arabic punctuation
    | {"\r": "\n", "\v": "\n", "\f": "\n", "\x85": "\n", "\u2028": "\n", "\u2029": "\n", "\t": " "}
)
# Ticks beside an answer. Beside crosses, they are a list of verdicts, whose lines are not answers by themselves.
_TICKS, _CROSSES = re.compile("[✅✔☑👉\ufe0f]"), re.compile("[❌✗✘✖🚫❎]")
_MARK = re.compile(r"[\\<>$^*`#•●▪]|- |__|  ")  # a text without any of these has no markup
_LATEX_TEXT = re.compile(r"\\(?:text|mathrm|mathbf|mathit|mathsf|textbf|textit|textrm|operatorname)\s*\{([^{}]*)\}")
_MARKUP = (
    (re.compile(r"^[ ]*```[\w-]*[ ]*$", re.MULTILINE), ""),  # code fences
    (re.compile(r"<\|begin_of_box\|>"), r"\\boxed{"),  # GLM's marker before an answer
    (re.compile(r"<\|end_of_box\|>"), "}"),
    (re.compile(r"<\|[^|<>\n]{1,40}\|>|</?s>|<eos>|<(?:start|end)_of_turn>"), " "),  # special tokens
    (re.compile(r"<br\s*/?>", re.IGNORECASE), "\n"),
    (re.compile(r"</?(?:b|i|u|em|strong|p|span|code|center)>"), ""),
    (re.compile(r"\\[()\[\]]|\$"), ""),  # mathematics
    (re.compile(r"\\[,;! ]"), " "),
    (re.compile(r"\^\{?([0-9]+)\}?"), r"\1"),  # exponents become plain digits, as superscript digits do
    (re.compile(r"[*`]+|__"), ""),
    (re.compile(r" {2,}"), " "),
    (re.compile(r"^[ ]*(?:#{1,6}[ ]+|>[ ]+|[-•●▪][ ]+)+", re.MULTILINE), ""),  # headings, quotes, bullets
)


def without_thinking(reply: str) -> str | None:
    """Return the reply without its thinking.

    Returns None if the thinking does not end, because the reply then has no answer. If there is only a closing tag, the
    thinking began in the prompt, and all text before this tag is thinking.
    """
    kept: list[str] = []
    start, inside = 0, None
    for tag in _THINK_TAG.finditer(reply):
        form = next(i for i in "12345" if tag[f"name{i}"] is not None)
        name, closing = form + tag[f"name{form}"].lower(), tag[f"close{form}"].lower() in _CLOSING
        if inside is None and not closing:
            kept.append(reply[start : tag.start()])
            inside = name
        elif inside is None:
            kept, start = [], tag.end()
        elif closing and name == inside:
            start, inside = tag.end(), None
    return None if inside is not None else "".join(kept) + reply[start:]


def plain_text(text: str) -> str:
    """Return the text in plain characters and without markup.

    Full-width, typographic and superscript characters are replaced by plain characters.
    """
    text = text.replace("\r\n", "\n").translate(_LOOK_ALIKES)
    if _CROSSES.search(text) is None:
        text = _TICKS.sub("", text)
    if _MARK.search(text):
        for _ in range(2):  # \text{\textbf{C}}
            text = _LATEX_TEXT.sub(r"\1", text)
        for pattern, replacement in _MARKUP:
            text = pattern.sub(replacement, text)
    return "\n".join(line for line in map(str.strip, text.split("\n")) if line)
