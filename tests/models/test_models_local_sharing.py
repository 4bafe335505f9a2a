"""One prefill for a clip: replies, logits and memory, against plain generation of each question."""

import asyncio
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from local_prompts import image, stored

from chronotope.models import Decoding, RawReply
from chronotope.protocol import Image, Option, Part, PictureFile, Text

torch = pytest.importorskip("torch", reason="needs the extra local: pip install 'chronotope[local]'")
pytest.importorskip("transformers", reason="needs the extra local: pip install 'chronotope[local]'")

from chronotope.models.transformers import LocalModel, answers, load  # noqa: E402
from chronotope.models.transformers.answers import ClipAnswers, Sharing  # noqa: E402
from chronotope.models.transformers.decoding import Wanted, draw  # noqa: E402
from chronotope.models.transformers.provider import open_transformers  # noqa: E402
from tiny_models import FAMILIES, save_tiny  # noqa: E402

pytestmark = pytest.mark.slow

QUESTIONS, LENGTH = 7, 6
CLIP: list[Part] = [
    Text("Be brief.", "system"),
    *(part for n in range(3) for part in (Text(f"{n}: ", label=True), image(n))),
]


def question(number: int) -> list[Part]:
    """Return the parts of a question; questions have different lengths."""
    words = f"\nQuestion {number}: what is this{' really' * (number % 4)}?\n"
    return [
        Text(words),
        Option("A", "A. a cat\n", "a cat"),
        Option("B", f"B. {number} dogs\n", "dogs"),
        Text("Answer:"),
    ]


def prompts(*, question_first: bool = False, pictures: bool = False) -> list[list[Part]]:
    made = []
    for number in range(QUESTIONS):
        asked = question(number)
        if pictures:  # an option with a picture of its own
            asked[1] = Option("A", "A. ", None, PictureFile("p3", stored(PictureFile("p3", "")).sha256))
        made.append([CLIP[0], *asked[:1], *CLIP[1:], *asked[1:]] if question_first else [*CLIP, *asked])
    return made


@pytest.fixture(scope="module", params=sorted(FAMILIES))
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> LocalModel:
    return load(str(save_tiny(request.param, tmp_path_factory.mktemp("models") / request.param)))


@pytest.fixture
def qwen(tmp_path: Path) -> LocalModel:
    return load(str(save_tiny("qwen2_5_vl", tmp_path / "qwen")))


def answered(model: LocalModel, asked: Sequence[list[Part]], prefix: Sequence[Part], batch: int = 16, **wanted: Any):
    sharing = Sharing(batch)
    clip = ClipAnswers(model, prefix, stored, sharing)
    made = clip.answer([(parts, Wanted(LENGTH, ("A", "B"), **wanted)) for parts in asked])
    clip.close()
    return made, sharing


def plain(model: LocalModel, asked: Sequence[list[Part]]) -> list[Any]:
    """Generate each reply by itself, with the library's own loop."""
    return [model.generate(model.encode(parts, stored), LENGTH) for parts in asked]


@pytest.mark.parametrize("layout", ["shared", "published"])
def test_replies_equal_those_of_plain_generation(model: LocalModel, layout: str) -> None:
    asked = prompts(question_first=layout == "published")
    expected = plain(model, asked)
    made, sharing = answered(model, asked, CLIP if layout == "shared" else CLIP[:1])
    assert [one.reply.tokens for one in made] == [one.tokens for one in expected]
    assert [one.reply.text for one in made] == [one.text for one in expected]
    assert [one.reply.finish for one in made] == [one.finish for one in expected]
    for one, alone in zip(made, expected, strict=True):
        assert float((one.reply.first - alone.first).abs().max()) < 1e-5
    assert len({tuple(one.first.tolist()) for one in expected}) == QUESTIONS  # the questions matter
    length = model.encode(asked[0], stored).media_end(3)
    assert {one.shared for one in made} == ({length} if layout == "shared" else {0})
    assert sharing.exact is (True if layout == "shared" else None)
    assert sharing.remarks == ()


def test_log_probabilities_are_those_of_a_forward_pass(model: LocalModel) -> None:
    asked = prompts()
    made, _ = answered(model, asked, CLIP)
    for parts, one in zip(asked, made, strict=True):
        first = model.tokenizer.decode(one.reply.tokens[:1])
        if not first.strip() or one.reply.text.startswith("<think>"):
            continue
        model.forget_positions()
        with torch.inference_mode():
            logits = model.model(**model.inputs(model.encode(parts, stored))).logits[0, -1]
        every = torch.log_softmax(logits.float(), -1)
        for letter in "AB":
            [token] = model.tokenizer(letter, add_special_tokens=False)["input_ids"]
            assert one.letters[letter] == pytest.approx(float(every[token]), abs=1e-4)


@pytest.mark.parametrize("question_first", [False, True])
def test_a_clip_is_encoded_once(model: LocalModel, question_first: bool) -> None:
    seen = []
    hook = model.family.vision.register_forward_hook(lambda *_: seen.append(1))
    try:
        first, _ = answered(model, prompts(question_first=question_first)[:1], CLIP if not question_first else [])
        once = len(seen)
        seen.clear()
        answered(model, prompts(question_first=question_first), CLIP if not question_first else [])
    finally:
        hook.remove()
    assert first[0].reply is not None
    # One pass for all questions; one more for the comparison of the first batch with a plain pass.
    assert len(seen) == once == (1 if question_first else 2)


def test_pictures_of_options_are_no_part_of_the_prefix(qwen: LocalModel) -> None:
    asked = prompts(pictures=True)
    made, _ = answered(qwen, asked, CLIP)
    assert [one.reply.tokens for one in made] == [one.tokens for one in plain(qwen, asked)]
    assert {one.shared for one in made} == {0}


def test_the_batch_halves_when_the_memory_is_full(qwen: LocalModel, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    decode = answers.decode

    def small(model: LocalModel, rows: Sequence[Any], prefix: Any, features: Any = None) -> Any:
        sizes.append(len(rows))
        if len(rows) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return decode(model, rows, prefix, features)

    monkeypatch.setattr(answers, "decode", small)
    asked = prompts()
    made, sharing = answered(qwen, asked, CLIP)
    assert [one.reply.tokens for one in made] == [one.tokens for one in plain(qwen, asked)]
    assert sizes[0] == QUESTIONS and max(sizes[3:]) <= 4 and sharing.batch == 2
    assert sharing.remarks[-1].endswith("at most 2 questions were answered together (--set batch=2)")


FULL = [  # how a full memory is told
    torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 14.47 GiB."),
    RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
    RuntimeError("CUDA error: out of memory\nSearch for `cudaErrorMemoryAllocation'"),
    RuntimeError("[enforce fail] DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes."),
    MemoryError(),
]


@pytest.mark.parametrize("error", FULL, ids=range(len(FULL)))
def test_what_did_not_fit_is_freed_before_the_next_try(
    qwen: LocalModel, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """The error of a batch refers to its tensors: as long as it is there, they fill the memory."""
    decode, made = answers.decode, []

    class Tensors:
        pass

    def small(model: LocalModel, rows: Sequence[Any], *more: Any) -> Any:
        assert [one for one in made if one() is not None] == []
        tensors = Tensors()
        made.append(weakref.ref(tensors))
        if len(rows) > 1:
            raise type(error)(*error.args)
        return decode(model, rows, *more)

    monkeypatch.setattr(answers, "decode", small)
    asked = prompts()
    found, sharing = answered(qwen, asked, CLIP)
    assert [one.reply.tokens for one in found] == [one.tokens for one in plain(qwen, asked)]
    assert len(made) > QUESTIONS and sharing.batch == 1
    assert all(one.shared for one in found)


@pytest.mark.parametrize("fails", [True, False])
def test_a_prefix_is_used_no_more_after_a_comparison_that_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    """Prompts of different lengths are several batches of this model: the first one is compared."""
    hybrid = load(str(save_tiny("qwen3_5", tmp_path / "hybrid")))
    asked = prompts()
    expected = plain(hybrid, asked)
    assert len({hybrid.encode(parts, stored).length for parts in asked}) > 1

    def full(*_: Any) -> Any:
        if fails:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return torch.arange(len(expected[0].first)).float()

    monkeypatch.setattr(ClipAnswers, "_plain", full)
    made, sharing = answered(hybrid, asked, CLIP)
    assert [one.reply.tokens for one in made] == [one.tokens for one in expected]
    assert {one.shared for one in made} == {0} and sharing.exact is False
    said = "too little memory to compare a shared prefix" if fails else "a shared prefix changes the logits"
    assert said in sharing.remarks[0] and "every prompt was read from its beginning" in sharing.remarks[0]


@pytest.mark.parametrize("full_at", ["decode", "vision_features"])
def test_a_full_memory_is_a_failed_call(qwen: LocalModel, monkeypatch: pytest.MonkeyPatch, full_at: str) -> None:
    def full(*_: Any, **__: Any) -> Any:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(answers, full_at, full)
    made, _ = answered(qwen, prompts()[:2], CLIP)
    assert all("does not fit into the memory of cpu: show fewer frames" in one.failed for one in made)


def test_a_prefix_that_changes_logits_is_not_used(qwen: LocalModel, monkeypatch: pytest.MonkeyPatch) -> None:
    prefill = answers.prefill

    def wrong(*given: Any) -> Any:
        made = prefill(*given)
        with torch.inference_mode():
            made.cache.layers[0].keys.add_(1)
        return made

    monkeypatch.setattr(answers, "prefill", wrong)
    asked = prompts()
    made, sharing = answered(qwen, asked, CLIP)
    assert [one.reply.tokens for one in made] == [one.tokens for one in plain(qwen, asked)]
    assert "a shared prefix changes the logits" in sharing.remarks[0]
    assert {one.shared for one in made} == {0}


def test_another_clip_leaves_no_positions_behind(qwen: LocalModel) -> None:
    answered(qwen, prompts(), CLIP)
    short = [[CLIP[0], image(3), *question(number)] for number in range(3)]
    made, _ = answered(qwen, short, short[0][:2])
    assert [one.reply.tokens for one in made] == [one.tokens for one in plain(qwen, short)]


def test_a_prompt_longer_than_the_context_is_refused(tmp_path: Path) -> None:
    model = load(str(save_tiny("qwen2_5_vl", tmp_path / "short", max_position_embeddings=100)))
    made, _ = answered(model, prompts()[:1], CLIP)
    assert (
        made[0].refused is not None and "but the context has only 100: show fewer or smaller frames" in made[0].refused
    )


def test_random_replies_depend_on_the_ask_alone(qwen: LocalModel) -> None:
    asked = prompts()
    together, _ = answered(qwen, asked, CLIP, temperature=1.5, seed="one")
    alone = [answered(qwen, [parts], CLIP, temperature=1.5, seed="one")[0][0] for parts in asked]
    assert [one.reply.tokens for one in together] == [one.reply.tokens for one in alone]
    greedy, _ = answered(qwen, asked, CLIP)
    other, _ = answered(qwen, asked, CLIP, temperature=1.5, seed="two")
    assert len({tuple(one.reply.tokens for one in made) for made in (together, greedy, other)}) == 3
    certain, _ = answered(qwen, asked, CLIP, temperature=1.5, top_p=1e-9, seed="one")
    assert [one.reply.tokens for one in certain] == [one.reply.tokens for one in greedy]


def test_tokens_are_drawn_with_their_probabilities() -> None:
    logits, random = np.log([0.5, 0.3, 0.15, 0.05]), np.random.default_rng(0)
    counts = np.bincount([draw(logits, Wanted(1, temperature=1), random) for _ in range(20_000)], minlength=4)
    np.testing.assert_allclose(counts / 20_000, [0.5, 0.3, 0.15, 0.05], atol=0.01)
    warm = np.exp(2 * logits) / np.exp(2 * logits).sum()
    counts = np.bincount([draw(logits, Wanted(1, temperature=0.5), random) for _ in range(20_000)], minlength=4)
    np.testing.assert_allclose(counts / 20_000, warm, atol=0.01)
    counts = np.bincount([draw(logits, Wanted(1, temperature=1, top_p=0.7), random) for _ in range(20_000)])
    np.testing.assert_allclose(counts / 20_000, [0.625, 0.375], atol=0.01)


@pytest.mark.parametrize("top_p", [1.0, 0.9])
def test_rounding_changes_few_random_replies(top_p: float) -> None:
    """Batches and devices round logits differently, by about 0.01 in bfloat16; drawn tokens should be the same."""
    random, wanted, same = np.random.default_rng(0), Wanted(1, temperature=1.0, top_p=top_p), 0
    for seed in range(1000):
        logits = random.normal(0, 0.5, 264)
        rounded = logits + random.normal(0, 0.005, 264)
        same += len({draw(one, wanted, np.random.default_rng(seed)) for one in (logits, rounded)}) == 1
    assert same > 970


def test_asks_of_a_group_are_answered_together(tmp_path: Path) -> None:
    folder = save_tiny("qwen2_5_vl", tmp_path / "qwen")
    model = open_transformers(f"transformers/{folder}", {"batch": 4})
    calls: list[int] = []
    asked = prompts()

    async def ask() -> list[RawReply]:
        async with model.open(CLIP, stored) as session:
            kept = session._answers.answer
            session._answers.answer = lambda batch: calls.append(len(batch)) or kept(batch)
            decoding = Decoding(max_tokens=LENGTH)
            replies = await asyncio.gather(
                *(session.ask(parts[len(CLIP) :], decoding, seed=str(n)) for n, parts in enumerate(asked))
            )
            inner = session._answers._answers
        assert inner._prefix is None and not inner._kept and not inner._features  # dropped with the group
        await model.close()
        return replies

    replies = asyncio.run(ask())
    assert calls == [4, 3]
    expected = plain(load(str(folder)), asked)
    assert [reply.text for reply in replies] == [one.text for one in expected]
    shown = [part.picture for part in CLIP if isinstance(part, Image)]
    assert all(reply.pictures == tuple(stored(one).sha256 for one in shown) for reply in replies)
    assert all(reply.cached_tokens and reply.input_tokens > reply.cached_tokens for reply in replies)
