"""The causes of refusals, told apart by the codes and phrases of each service.

`KNOWN` is the only place that knows the words of services. A row names a service that is known to send these words;
its codes and phrases are accepted from every service, because gateways forward the errors of the services behind them.
Sources: the error pages of the services, their code, and reports of users (2025 to November 2026).
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from chronotope.models.model import LENGTH_FIELDS
from chronotope.models.services.replies import ServiceError

# passing: temporary, so try again. loading: the service loads its model, so wait. credit, key, settings, address, form:
# wrong use. content, too_long: a fault of this call. access, request, no_pictures, named (a refusal that names a
# field): wrong use if the service has never answered a call, otherwise a fault of this call.
Fault = Literal[
    "passing",
    "loading",
    "credit",
    "key",
    "settings",
    "address",
    "form",
    "access",
    "named",
    "request",
    "no_pictures",
    "content",
    "too_long",
]

REFUSED: tuple[Fault, ...] = ("content", "too_long")  # faults of one call, whatever happened before

WRONG_USE: dict[Fault, str] = {
    "key": "the service does not accept the API key: put a valid key in the provider's variable "
    "(CHRONOTOPE_API_KEY for endpoint/), or in another variable, named with {key_flag}",
    "credit": "the account has no credit left, or has used up its quota: top it up or wait, and run the command again; "
    "all answers so far are kept",
    "settings": "the service refuses a field of the request: change it with {flag} (NAME=null leaves it out)",
    "named": "the service refuses a field of the request: change it with {flag} (NAME=null leaves it out)",
    "address": "no such model, or no service: check the model's name{remedy}",
    "form": "the server there is not {service}: check the model's name{remedy}",
    "access": "access is refused: check that the key has access to this model",
    "request": "every request so far was refused: check the model's name and the settings of the request",
    "no_pictures": "the model takes no pictures there: choose a vision model, or ask without pictures (--input blind)",
}
LONG = "the prompt is too long for the model, so show fewer frames (--frames), or give the server a longer context"
REMEDY = "; remedy: "  # between the words of a service and our advice
OWN_WORDS = re.compile(r"\((HTTP \d+: .*)\)$", re.DOTALL)  # the words of the service at the end of an error


@dataclass(frozen=True)
class KnownFault:
    """A fault that a service reports in known words.

    A row matches an error if all its conditions hold: the HTTP status is one of ``statuses`` (none: any status), the
    whole code or type of the error matches ``code``, and the message contains ``phrase``. Both are regular
    expressions. ``remedy`` is the setting of the service that helps.
    """

    service: str
    fault: Fault
    statuses: tuple[int, ...] = ()
    code: str = ""
    phrase: str = ""
    remedy: str = ""

    def matches(self, status: int, error: ServiceError) -> bool:
        """Check whether an error is this fault."""
        if self.statuses and status not in self.statuses:
            return False
        if self.code and not any(_pattern(self.code).fullmatch(one) for one in (error.code, error.kind)):
            return False
        return not self.phrase or _pattern(self.phrase).search(error.message) is not None


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text, re.IGNORECASE)


Row = KnownFault
FEWER = "show fewer frames (--frames), or raise the limit of the server (vLLM: --limit-mm-per-prompt)"
# The first row that matches decides: rows with more conditions stand before rows of the same words.
KNOWN: tuple[KnownFault, ...] = (
    # The limit on the reply is the cause, although the message can also mention the context.
    Row("OpenAI", "named", (400, 422), phrase=rf"({'|'.join(LENGTH_FIELDS)})\b.{{0,40}}too large"),
    Row("DashScope", "settings", (400,), phrase=r"parameter\.enable_thinking", remedy="--set enable_thinking=false"),
    # Quotas of a minute look like an empty account, and the other way round.
    Row("DashScope", "passing", (429,), phrase=r"allocated quota exceeded|increase your quota limit"),
    Row("OpenRouter", "credit", (429,), phrase=r"free-models-per-day"),
    Row("OpenRouter", "credit", (403,), phrase=r"key limit exceeded"),
    Row("OpenAI", "too_long", (429,), phrase=r"request too large for .{1,80}\blimit \d+, requested \d+"),
    Row("OpenAI", "credit", code=r"insufficient_quota|billing_(hard_limit_reached|not_active)"),
    Row("OpenAI", "credit", code=r"credit_balance_exhausted"),
    Row("OpenAI", "credit", code=r"(organization|project)_spend_limit_exceeded"),
    Row("Anthropic", "credit", phrase=r"credit balance is too low|specified API usage limits|spend(ing)? (limit|cap)"),
    Row("DashScope", "credit", code=r"arrearage|.*FreeTierOnly"),
    Row("DashScope", "credit", phrase=r"account is in good standing|free (tier|quota) .{0,40}(exhausted|used up)"),
    Row("Moonshot", "credit", code=r"exceeded_current_quota_error"),
    Row("Zhipu", "credit", (400, 429), code=r"1113|1308|1309|1310"),
    Row("Zhipu", "credit", phrase=r"余额不足|已欠费|account is in arrears"),
    Row("MiniMax", "credit", (200,), code=r"1008"),
    Row("LiteLLM", "credit", code=r"budget_exceeded"),
    Row("LiteLLM", "credit", phrase=r"budget has been exceeded|ExceededBudget|crossed budget"),
    Row("OpenAI", "key", code=r"invalid_api_key"),
    Row("DashScope", "key", code=r"InvalidApiKey"),
    Row("Google", "key", code=r"API_KEY_INVALID"),
    Row("Google", "key", phrase=r"API key not valid"),
    Row("Moonshot", "key", code=r"invalid_authentication_error|incorrect_api_key_error"),
    Row("Zhipu", "key", (400, 401), code=r"100[0-4]"),
    Row("MiniMax", "key", (200,), code=r"1004|2049"),
    # Servers that answer before their model is loaded.
    Row("llama.cpp", "loading", (503,), phrase=r"^loading model"),
    Row("Ollama", "loading", (500, 503), phrase=r"llm server loading model"),
    Row("TGI", "loading", (503,), phrase=r"is currently loading"),
    # Models or servers without vision.
    Row("llama.cpp", "no_pictures", phrase=r"image input is not supported", remedy="start llama-server with --mmproj"),
    Row("llama.cpp", "no_pictures", phrase=r"unsupported content part type: \W*image_url"),
    Row("vLLM", "no_pictures", phrase=r"is not a multimodal model|at most 0 image\(?s?\)? may be provided"),
    Row("Ollama", "no_pictures", phrase=r"missing data required for image input"),
    Row("LM Studio", "no_pictures", phrase=r"model does not support images"),
    Row("OpenAI", "no_pictures", phrase=r"image_url is only supported by certain models"),
    Row("DeepSeek", "no_pictures", phrase=r"unknown variant `image_url`"),
    Row("OpenRouter", "no_pictures", (404,), phrase=r"no endpoints found that support image input"),
    # Prompts that are too long, or have too many pictures.
    Row("several", "too_long", code=r"context_length_exceeded|model_context_window_exceeded|string_above_max_length"),
    Row("vLLM", "too_long", phrase=r"longer than the maximum model length", remedy="vLLM: --max-model-len"),
    Row("vLLM", "too_long", phrase=r"too long to fit into the model", remedy="vLLM: --max-model-len"),
    Row("vLLM", "content", phrase=r"at most \d+ (image|video)\(?s?\)? may be provided", remedy=FEWER),
    Row("SGLang", "too_long", phrase=r"longer than the model's context length|multimodal prompt is too long",
        remedy="SGLang: --context-length"),
    Row("SGLang", "too_long", phrase=r"requested token count exceeds|exceeds the maximum allowed (input )?length",
        remedy="SGLang: --context-length"),
    Row("llama.cpp", "too_long", code=r"exceed_context_size_error", remedy="llama-server: --ctx-size"),
    Row("llama.cpp", "too_long", phrase=r"exceeds the available context size|context size has been exceeded",
        remedy="llama-server: --ctx-size"),
    Row("llama.cpp", "too_long", (500,), phrase=r"context shift is disabled", remedy="llama-server: --ctx-size"),
    Row("Ollama", "too_long", phrase=r"prompt too long; exceeded", remedy="Ollama: OLLAMA_CONTEXT_LENGTH"),
    Row("LM Studio", "too_long", phrase=r"tokens to keep from the initial prompt is greater than"),
    Row("TGI", "too_long", phrase=r"`inputs` (tokens \+ `max_new_tokens` must be|must have less than)",
        remedy="TGI: --max-input-tokens and --max-total-tokens"),
    Row("Together", "too_long", phrase=r"input token count \+ .{0,40}must be less than"),
    Row("DashScope", "too_long", phrase=r"range of input length should be"),
    Row("Moonshot", "too_long", phrase=r"exceeded model token limit|input token length too long"),
    Row("Moonshot", "too_long", phrase=r"total message size \d+ exceeds limit"),
    Row("Zhipu", "too_long", (400,), code=r"1261"),
    Row("MiniMax", "too_long", (200,), code=r"1039"),
    Row("LMDeploy", "too_long", phrase=r"exceeds? session_len|INPUT_LENGTH_ERROR"),
    Row("Zhipu", "too_long", phrase=r"prompt\s*超长|prompt exceeds max length"),
    Row("LiteLLM", "too_long", phrase=r"ContextWindowExceededError"),
    Row("Anthropic", "too_long", phrase=r"prompt is too long|input length and .{1,40} exceed context limit"),
    Row("Anthropic", "content", phrase=r"too much media", remedy="show fewer frames (--frames)"),
    Row("Google", "too_long", phrase=r"input token count .{0,40}exceeds|payload size exceeds"),
    Row("Mistral", "too_long", phrase=r"too large for model with \d+ maximum context length"),
    Row("several", "too_long", phrase=r"maximum (context|prompt) length is|input is too long for requested model"),
    Row("several", "too_long", phrase=r"exceed\w*[^.]{0,40}context (length|window|size|limit)"),
    Row("several", "content", (413,), remedy="the request is too large, so show fewer or smaller frames (--frames)"),
    # Filters of prompts.
    Row("OpenAI", "content", code=r"content_policy_violation|content_filter|moderation_blocked"),
    Row("OpenAI", "content", phrase=r"(rejected|blocked) (as a result of|by) (our|the) safety system"),
    Row("Azure", "content", code=r"ResponsibleAIPolicyViolation"),
    Row("Azure", "content", phrase=r"content management policy"),
    Row("Anthropic", "content", phrase=r"content filtering policy"),
    Row("DashScope", "content", code=r"DataInspectionFailed|data_inspection_failed"),
    Row("DashScope", "content", phrase=r"may contain inappropriate content"),
    Row("Moonshot", "content", phrase=r"considered high risk"),
    Row("Zhipu", "content", (400,), code=r"1301"),
    Row("MiniMax", "content", (200,), code=r"1026|1027"),
    Row("OpenRouter", "content", (403,), phrase=r"input was flagged|requires moderation|guardrail"),
    Row("LiteLLM", "content", phrase=r"ContentPolicyViolationError"),
    # Other names of the usual faults.
    Row("OpenAI", "settings", code=r"unsupported_(parameter|value)|unknown_parameter"),
    Row("several", "address", code=r"model_?not_?found|invalid_model|model_not_available"),
    Row("Zhipu", "address", (400,), code=r"1211"),
    Row("OpenRouter", "address", (400,), phrase=r"is not a valid model ID"),
    Row("TGI", "passing", (424,)),
)  # fmt: skip


def diagnosed(status: int, error: ServiceError, fields: Collection[str]) -> KnownFault:
    """Find the cause of an error.

    The cause is a row of `KNOWN`, or the meaning of the status.

    ``fields`` are the names of the fields in every request's body, besides model and messages. An error in a body with
    a good status (200) is temporary if no row matches.
    """
    known = next((row for row in KNOWN if row.matches(status, error)), None)
    return known or KnownFault("", _by_status(status, error, fields))


def fault(status: int, error: ServiceError, fields: Collection[str]) -> Fault:
    """Return the kind of an error (see `diagnosed`)."""
    return diagnosed(status, error, fields).fault


def _by_status(status: int, error: ServiceError, fields: Collection[str]) -> Fault:
    if status == 402:
        return "credit"
    if status in (408, 409, 425, 429) or status >= 500 or 200 <= status < 300:
        return "passing"
    if status == 401:
        return "key"
    if error.parameter in fields:
        return "settings"
    if status < 400 or status in (404, 405) or error.parameter == "model":
        return "address"
    if status == 403:
        return "access"
    return "named" if status in (400, 422) and _named(error, fields) else "request"


def refusal_words(error: str, known: KnownFault) -> str:
    """Return the error of a refused call.

    The remedy, if known, follows the error.
    """
    remedy = known.remedy
    if known.fault == "too_long":
        remedy = f"{LONG} ({remedy})" if remedy else LONG
    return f"{error}{REMEDY}{remedy}" if remedy else error


def own_words(error: str) -> str:
    """Return the words of the service in an error, without our advice."""
    found = OWN_WORDS.search(error)
    return (found[1] if found else error).partition(REMEDY)[0]


def cure(error: ServiceError, fields: Mapping[str, object], flag: str) -> str:
    """Name the flags that remove a refused field from the body.

    Returns a text, which is empty if the error names no field. ``fields`` are the fields of the body besides model and
    messages; ``flag`` is the flag that sets them (``--set``).
    """
    named = _named(error, fields)
    if {"temperature", "top_p"} <= set(named) and re.search("both|together", error.message):
        named = ["top_p"]
    return " ".join(_cure(name, error.message, fields, flag) for name in named)


_TOO_LARGE = re.compile(
    r"too (large|long|many|big)|at most|maximum|exceed|less than|up to|range of", re.IGNORECASE
)  # said of a limit on the reply


def _cure(name: str, message: str, fields: Mapping[str, object], flag: str) -> str:
    other = next((one for one in LENGTH_FIELDS if one != name), name)
    if name in LENGTH_FIELDS and _TOO_LARGE.search(message):
        return f"{flag} {name}=N with fewer tokens than {fields[name]}"
    return f"{flag} {other}={fields[name]}" if name in LENGTH_FIELDS and other in message else f"{flag} {name}=null"


def _named(error: ServiceError, fields: Collection[str]) -> list[str]:
    """Return the fields that an error names.

    If the error's parameter is one of ``fields``, only this field is returned. Otherwise, the text of the error is
    searched for fields.
    """
    if error.parameter in fields:
        return [error.parameter]
    return [name for name in fields if re.search(rf"(?<![A-Za-z0-9_]){re.escape(name)}(?![A-Za-z0-9_])", error.message)]
