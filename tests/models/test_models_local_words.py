"""What local models say about media that they do not take, and what they need; no weights and no torch are loaded."""

from importlib.metadata import requires
from types import SimpleNamespace

from chronotope.models.transformers.encoding import PromptEncoder


class MllamaProcessor:
    """A processor that does not tell where pictures stand."""


def refusal(error: Exception, *, has_videos: bool) -> str:
    encoder = SimpleNamespace(_processor=MllamaProcessor(), _sources=SimpleNamespace(place="transformers/mllama"))
    return str(PromptEncoder._refusal(encoder, error, has_videos=has_videos))  # type: ignore[arg-type]


def test_a_family_that_cannot_be_run_is_told_without_a_raw_key() -> None:
    told = refusal(KeyError("text_replacement_offsets"), has_videos=False)
    assert "does not tell where pictures stand in a prompt" in told and "endpoint/NAME" in told
    assert "text_replacement_offsets" not in told and "--frames-as" not in told
    told = refusal(ValueError("no videos here"), has_videos=True)
    assert "does not take these videos (no videos here)" in told and "without --frames-as video" in told


def test_the_extra_for_local_models_has_the_words_of_smolvlm() -> None:
    assert any(one.startswith("num2words") and "local" in one for one in requires("chronotope") or ())
