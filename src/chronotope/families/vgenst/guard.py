"""A guard against self-evaluation: a model must not answer questions that a model of its own family wrote."""

import re
from collections.abc import Iterable, Sequence

from chronotope.families.vgenst.protocol import RunSettings
from chronotope.question import Question

WRITERS = {
    "scene_graph_generator": "Claude-Opus-4.7",
    "scenario_generator": "Claude-Opus-4.7",
    "qa_generator": "Claude-Sonnet-4.6",
    "reformatter": "Claude-Sonnet-4.6",
}
"""The models that wrote the released questions, by their role in the paper's table."""

# Roles of models that wrote no question: validators, and models that made or described the pictures.
_NO_WRITER = re.compile(r"valid|judge|video|image|frame|render|media|anchor", re.IGNORECASE)
# Words that identify a family of models in a model's name or its provider's name. Digits may follow a word.
_FAMILIES = {
    "Claude": ("claude", "anthropic", "opus", "sonnet", "haiku"),
    "GPT": ("gpt", "chatgpt", "openai", "o1", "o3", "o4"),
    "Gemini": ("gemini", "gemma", "google", "learnlm"),
    "Qwen": ("qwen", "qwq", "qvq", "tongyi"),
    "Llama": ("llama", "meta"),
    "Mistral": ("mistral", "mistralai", "mixtral", "pixtral", "ministral", "magistral"),
    "DeepSeek": ("deepseek",),
    "GLM": ("glm", "chatglm", "cogvlm", "zai", "thudm", "zhipu"),
    "InternVL": ("internvl", "internlm", "opengvlab"),
    "Grok": ("grok", "xai"),
    "Kimi": ("kimi", "moonshot", "moonshotai"),
    "Seed": ("seed", "doubao", "bytedance"),
    "Phi": ("phi", "microsoft"),
    "Nova": ("nova", "amazon"),
    "LLaVA": ("llava",),
    "MiniCPM": ("minicpm", "openbmb"),
}
# First parts of names that identify a service or a way of access, and not the maker of the model.
_WAYS = ("endpoint", "openrouter", "transformers", "baseline", "vllm", "ollama", "bedrock", "azure")


def families_of(name: str) -> frozenset[str]:
    """Return the model families to which a model name belongs.

    ``name`` is a full name such as ``provider/model``. The families are searched for in the last component of the name,
    and then, if none is found, in the provider's name. The name of a distilled model can contain the names of several
    families. A baseline belongs to no family.
    """
    way, *rest = name.split("/")
    if way == "baseline":
        return frozenset()
    parts = [part for part in (way, *rest) if part.casefold() not in _WAYS]
    for told in (parts[-1:], parts[-2:-1]):
        if found := frozenset(family for family in _FAMILIES if any(_is_of(part, family) for part in told)):
            return found
    return frozenset()


def _is_of(part: str, family: str) -> bool:
    words = re.split(r"[^a-z0-9]+", part.casefold())
    for known in _FAMILIES[family]:
        exact = known[-1].isdigit()
        if any(word == known or (not exact and re.fullmatch(rf"{known}v?\d.*", word)) for word in words):
            return True
    return False


def writers_of(questions: Iterable[Question]) -> list[tuple[str, str]]:
    """Return the roles and names of the models that wrote the questions.

    The models are read from the provenance of the questions. If the provenance names no model, the models of the paper
    are returned. Questions that code wrote have only the models that wrote what the questions are about.
    """
    found: dict[tuple[str, str], None] = {}
    for question in questions:
        told = question.provenance.get("models")
        told = told if isinstance(told, dict) else {}
        written = {role: str(model) for role, model in told.items() if not _NO_WRITER.search(role)}
        by_code = question.provenance.get("written_by") == "code"
        found |= dict.fromkeys((written if written or by_code else WRITERS).items())
    return list(found)


def _what(role: str) -> str:
    """Return what a writer in a role wrote, in words."""
    return "the scenes of these questions" if re.search(r"graph|scenario|prompt", role) else "these questions"


def judges_of(questions: Iterable[Question]) -> list[tuple[str, str]]:
    """Return the roles and names of the models that judged a set while it was made.

    Agents write them into the provenance. The provenance of released questions names no such models.
    """
    found: dict[tuple[str, str], None] = {}
    for question in questions:
        told = question.provenance.get("judges")
        if isinstance(told, dict):
            found |= dict.fromkeys((str(role), str(model)) for role, model in told.items())
    return list(found)


def guard(model: str, judge: str | None, settings: RunSettings, questions: Sequence[Question]) -> str | None:
    """Explain why a model must not answer questions, or return None.

    A model must not answer questions that a model of its own family wrote or reformulated, or judged when a set was
    made. The judge of its answers must not belong to its own family, either. The setting ``allow_self_eval`` permits
    such runs.
    """
    if settings.allow_self_eval:
        return None
    own = families_of(model)
    lifted = "choose another model, or use --allow-self-eval, which marks the run"
    for role, writer in writers_of(questions):
        if shared := own & families_of(writer):
            return (
                f"{model} belongs to the family {min(shared)}, and so does {writer}, which wrote {_what(role)} "
                f"({role.replace('_', ' ')}): a model is not scored on questions of its own family: {lifted}"
            )
    for role, other in judges_of(questions):
        if shared := own & families_of(other):
            return (
                f"{model} belongs to the family {min(shared)}, and so does {other}, which judged these questions "
                f"({role.replace('_', ' ')}): a model is not scored on questions that its own family chose: {lifted}"
            )
    if judge is not None and (judge == model or own & families_of(judge)):
        return f"{model} would be judged by {judge}, a model of its own family: {lifted} (--judge selects the judge)"
    return None
