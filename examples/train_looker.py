"""Train a small vision-language model that really looks, and write questions whose answers are exactly known.

    python examples/train_looker.py OUT

makes OUT/model, a folder of weights of a class of the library transformers (InternVL, 0.6 million parameters), and
OUT/bench, questions about scenes that were not trained (`looker_scenes`). The model answers with the pictures, and can
only guess without them. Training takes a minute of one processor core. Everything is seeded.

The answer is one letter, and the options are in random order. From letters alone, so small a model learns slowly. It is
therefore also taught its steps: the vision encoder names what a picture shows, option words name their letter after one
layer of the decoder, and the last token names the answer in words before the last layer. All names are read with the
model's own head, as the logit lens does.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from looker_scenes import (
    COLOURS,
    FPS,
    LAMPS,
    PICTURES,
    SIDE,
    TASK,
    TYPES,
    Scene,
    ask_about,
    draw_facts,
    render,
    write_benchmark,
)
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR
from transformers import (
    DynamicCache,
    GotOcr2ImageProcessorPil,
    InternVLConfig,
    InternVLForConditionalGeneration,
    PreTrainedTokenizerFast,
)

from chronotope.families import family
from chronotope.media import ClipFacts
from chronotope.protocol import Image, MediaFacts, Part, without_options
from chronotope.question import MediaItem, Option, Question

MEAN, DEVIATION = 0.5, 0.25  # of the pixels, from 0 to 1
PATCH, SHRINK = 16, 0.5  # the side of a patch in pixels; the factor for rows and columns in the projector
OF_PICTURE = int((SIDE / PATCH * SHRINK) ** 2)  # tokens
IMAGE, START, END, VIDEO = "<IMG_CONTEXT>", "<img>", "</img>", "<video>"
CUE = "\n\nThe letter of the right option:"
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}{% if part['type'] == 'text' %}{{ part['text'] }}"
    "{% elif part['type'] == 'image' %}<IMG_CONTEXT>\n{% elif part['type'] == 'video' %}<video>\n{% endif %}"
    "{% endfor %}{% endif %}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
WORDS = (*COLOURS, "Yes", "No", *LAMPS)  # in which options differ
LETTER_DEPTH, MATCH_DEPTH, WORD_DEPTH = 1, 2, 3  # layers after which the steps are taught
SEEN, SCENES, QUESTIONS = 16, 12, 6  # scenes of a step of the first and second stage, and questions about each
DRAWN = 768  # scenes
RATE, RATE_OF_MATRICES = 2e-3, 2e-2  # of learning
NAMING, STEPPING, ENDING = 0.1, 0.5, 0.1  # weights of the losses of naming pictures, of the steps, and of the end


def question_parts(stem: str, options: Sequence[str]) -> list[Part]:
    """Make the prompt that Chronotope sends for a question about a clip, with its pictures."""
    vgenst = family("vgenst")
    facts = MediaFacts({"clip.mp4": ClipFacts("0" * 64, SIDE, SIDE, PICTURES, FPS, PICTURES / FPS)})
    media = (MediaItem("video", "video", ("clip.mp4",)),)
    question = Question("q", "vgenst", TASK, "scene", stem, tuple(map(Option, options)), (0,), media=media)
    [ask] = vgenst.protocol.asks(question, vgenst.RunSettings(), facts)
    return vgenst.protocol.parts(ask, question, facts)


def conversation(parts: Sequence[Part]) -> list[dict]:
    """Convert the parts of a prompt to the messages of a chat template."""
    messages: list[dict] = []
    for part in without_options(parts):
        shown = {"type": "image"} if isinstance(part, Image) else {"type": "text", "text": part.text}
        if not messages or messages[-1]["role"] != part.role:
            messages.append({"role": part.role, "content": []})
        content = messages[-1]["content"]
        if content and shown["type"] == content[-1]["type"] == "text":
            content[-1]["text"] += shown["text"]
        else:
            content.append(shown)
    return messages


def make_tokenizer(generator: np.random.Generator) -> PreTrainedTokenizerFast:
    """Make a tokenizer of bytes that merges the words of the questions; it can encode every text."""
    texts = []
    for _ in range(400):
        stem, options, _ = ask_about(draw_facts(generator), str(generator.choice(TYPES)), generator)
        texts += [part.text for part in without_options(question_parts(stem, options)) if not isinstance(part, Image)]
    fixed = sorted({text for text in texts if texts.count(text) > 100})
    texts = [text.removesuffix(CUE) for text in texts if text not in fixed]
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=512,
        special_tokens=["<|endoftext|>", "<|im_start|>", "<|im_end|>", START, END, IMAGE, VIDEO],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator([*texts, *["system\n", "user\n", "assistant\n"] * 2], trainer)
    # The sentences that many prompts share are one token each, so that the prompts are short.
    tokenizer.add_tokens([AddedToken(text, normalized=False) for text in (*fixed, CUE)])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        chat_template=TEMPLATE,
        model_max_length=2048,
        extra_special_tokens={
            "start_image_token": START,
            "end_image_token": END,
            "context_image_token": IMAGE,
            "video_token": VIDEO,
        },
    )


def make_model(tokenizer: PreTrainedTokenizerFast) -> InternVLForConditionalGeneration:
    """Make the model with random weights: two layers that see, and four that read."""
    text = {
        "model_type": "qwen2",
        "vocab_size": len(tokenizer),
        "hidden_size": 96,
        "intermediate_size": 256,
        "num_hidden_layers": 4,
        "num_attention_heads": 6,
        "num_key_value_heads": 6,
        "max_position_embeddings": 2048,
        "tie_word_embeddings": True,
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    vision = {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "image_size": [SIDE, SIDE],
        "patch_size": [PATCH, PATCH],
        "layer_scale_init_value": 1.0,
    }
    config = InternVLConfig(
        vision_config=vision,
        text_config=text,
        image_token_id=tokenizer.convert_tokens_to_ids(IMAGE),
        image_seq_length=OF_PICTURE,
        downsample_ratio=SHRINK,
        tie_word_embeddings=True,
    )
    return InternVLForConditionalGeneration(config)


def encode(tokenizer: PreTrainedTokenizerFast, parts: Sequence[Part]) -> list[int]:
    """Return the tokens of a prompt, with the tokens of its pictures."""
    text = tokenizer.apply_chat_template(conversation(parts), tokenize=False, add_generation_prompt=True)
    return tokenizer.encode(text.replace(IMAGE, START + IMAGE * OF_PICTURE + END), add_special_tokens=False)


@dataclass(frozen=True)
class Batch:
    """Questions about some scenes, with equally many questions about each.

    ``tokens`` (n, t) are the tokens after the pictures with the right letter at the end, and ``last`` (n,) the
    positions of the tokens before it. ``answers`` (n,) are the tokens of the right letters.
    """

    scenes: list[Scene]
    pixels: Tensor
    tokens: Tensor
    last: Tensor
    answers: Tensor


class Questions:
    """An endless stream of questions about scenes that were drawn once."""

    def __init__(self, tokenizer: PreTrainedTokenizerFast, scenes: int, seed: int) -> None:
        self._generator = np.random.default_rng(seed + 1)
        self._scenes = [draw_facts(self._generator) for _ in range(scenes)]
        self._pictures = np.stack([render(scene) for scene in self._scenes])
        self._tokenizer, self._known = tokenizer, dict[tuple[str, ...], list[int]]()
        self.letters = [tokenizer.encode(letter, add_special_tokens=False)[0] for letter in "ABCD"]
        whole = self._tokens(*ask_about(self._scenes[0], TYPES[0], self._generator)[:2])
        image = tokenizer.convert_tokens_to_ids(IMAGE)
        self._after = max(place for place, token in enumerate(whole) if token == image) + 2
        self.prefix = torch.tensor(whole[: self._after])  # all prompts begin with these tokens

    def draw(self, scenes: int, each: int) -> Batch:
        """Draw a batch; each kind of question is asked equally often."""
        chosen = self._generator.integers(len(self._scenes), size=scenes)
        rows, answers = [], []
        for number in chosen:
            for place in range(each):
                stem, options, right = ask_about(self._scenes[number], TYPES[place % len(TYPES)], self._generator)
                answers.append(self.letters[right])
                rows.append(torch.tensor([*self._tokens(stem, options)[self._after :], answers[-1]]))
        pixels = torch.from_numpy(self._pictures[chosen].reshape(-1, SIDE, SIDE, 3)).permute(0, 3, 1, 2).float() / 255
        return Batch(
            [self._scenes[number] for number in chosen],
            (pixels - MEAN) / DEVIATION,
            torch.nn.utils.rnn.pad_sequence(rows, batch_first=True) if rows else torch.zeros(0, 0),
            torch.tensor([len(row) - 2 for row in rows]),
            torch.tensor(answers),
        )

    def _tokens(self, stem: str, options: Sequence[str]) -> list[int]:
        key = (stem, *options)
        if key not in self._known:
            self._known[key] = encode(self._tokenizer, question_parts(stem, options))
        return self._known[key]


class Lessons:
    """The losses of the answer and of the steps to it."""

    def __init__(self, model: InternVLForConditionalGeneration, tokenizer: PreTrainedTokenizerFast, prefix: Tensor):
        self._model, self._text, self._prefix = model, model.model.language_model, prefix
        self._words = {word: self._token(tokenizer, f" {word}") for word in WORDS}
        self._lamps = [*(self._words[lamp] for lamp in LAMPS), self._token(tokenizer, " lamp")]  # left, right, none
        self._letters = torch.tensor([self._token(tokenizer, letter) for letter in "ABCD"])

    @staticmethod
    def _token(tokenizer: PreTrainedTokenizerFast, text: str) -> int:
        [token] = tokenizer.encode(text, add_special_tokens=False)
        return token

    def features(self, pixels: Tensor) -> Tensor:
        """Return the tokens (n, 9, d) of pictures, as they enter the decoder."""
        return self._model.model.get_image_features(pixel_values=pixels, return_dict=True).pooler_output

    def of_pictures(self, features: Tensor, scenes: Sequence[Scene]) -> Tensor:
        """Return the loss of naming the colour and the lamp that is on in each picture."""
        named = self._model.lm_head(features).logsumexp(1)
        colour = [list(COLOURS).index(scene.colour) for scene in scenes for _ in range(PICTURES)]
        lamps = [{at: place for place, (_, at) in enumerate(scene.lit)} for scene in scenes]
        lamp = [of.get(number, len(LAMPS)) for of in lamps for number in range(PICTURES)]
        colours = [self._words[word] for word in COLOURS]
        return cross_entropy(named[:, colours], torch.tensor(colour)) + cross_entropy(
            named[:, self._lamps], torch.tensor(lamp)
        )

    def read(self, features: Tensor, batch: Batch) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Return the logits (2, n, vocabulary) of the letters and what follows them, and the states at each depth.

        The beginning of the prompts is computed once for all questions about a scene.
        """
        embed, scenes = self._model.get_input_embeddings(), len(batch.scenes)
        begin = embed(self._prefix[None].expand(scenes, -1))
        places = (self._prefix == self._model.config.image_token_id)[None, :, None].expand_as(begin)
        cache = DynamicCache(config=self._model.config.text_config)
        self._text(inputs_embeds=begin.masked_scatter(places, features), past_key_values=cache, use_cache=True)
        cache.batch_repeat_interleave(len(batch.tokens) // scenes)
        made = self._text(
            inputs_embeds=embed(batch.tokens), past_key_values=cache, use_cache=True, output_hidden_states=True
        )
        two = torch.stack([batch.last, batch.last + 1])
        last = made.last_hidden_state[torch.arange(len(batch.tokens)), two]
        return self._model.lm_head(last), made.hidden_states

    def of_steps(self, states: Sequence[Tensor], batch: Batch) -> Tensor:
        """Return the loss of the steps: the letter of each option word, and the answer in words.

        The colour in the stem of a yes-or-no question names the answer, too, because it is the word to compare.
        """
        tokens, rows = batch.tokens, torch.arange(len(batch.tokens))
        is_letter = torch.isin(tokens, self._letters)
        begun = is_letter.cumsum(1) > 0
        is_word = torch.isin(tokens, torch.tensor(sorted(self._words.values())))
        place = torch.where(is_letter, torch.arange(tokens.shape[1])[None], 0).cummax(1).values
        letter = tokens.gather(1, place)  # the last letter before each token
        of_option = is_word & begun
        word = (tokens * (of_option & (letter == batch.answers[:, None]))).sum(1)
        loss = cross_entropy(self._named(states[LETTER_DEPTH][of_option]), letter[of_option])
        loss = loss + cross_entropy(self._named(states[WORD_DEPTH][rows, batch.last]), word)
        row, column = (is_word & ~begun).nonzero(as_tuple=True)
        return loss + cross_entropy(self._named(states[MATCH_DEPTH][row, column]), word[row])

    def _named(self, states: Tensor) -> Tensor:
        return self._model.lm_head(self._text.norm(states))


def train(
    model: InternVLForConditionalGeneration,
    tokenizer: PreTrainedTokenizerFast,
    *,
    seed: int,
    warm: int,
    steps: int,
    tell: Callable[[str], None] | None = None,
) -> None:
    """Train the vision encoder for ``warm`` steps, and then the whole model for ``steps`` steps."""
    questions = Questions(tokenizer, DRAWN, seed)
    lessons = Lessons(model, tokenizer, questions.prefix)
    model.train()
    began = time.process_time()
    seeing = _optimizers(model)
    for _ in range(warm):
        batch = questions.draw(SEEN, 0)
        _step(seeing, lessons.of_pictures(lessons.features(batch.pixels), batch.scenes))
    reading = _optimizers(model)
    rates = [LambdaLR(one, lambda step: _rate(step / steps)) for one in reading]
    for step in range(1, steps + 1):
        batch = questions.draw(SCENES, QUESTIONS)
        features = lessons.features(batch.pixels)
        (logits, then), states = lessons.read(features, batch)
        ends = torch.full_like(batch.answers, tokenizer.eos_token_id)
        loss = cross_entropy(logits, batch.answers) + ENDING * cross_entropy(then, ends)
        loss = loss + NAMING * lessons.of_pictures(features, batch.scenes)
        loss = loss + STEPPING * lessons.of_steps(states, batch)
        _step(reading, loss)
        for rate in rates:
            rate.step()
        if step % 50 == 0:
            right = float((logits.argmax(-1) == batch.answers).float().mean())
            (tell or print)(f"step {step}: {100 * right:.0f} % right, {time.process_time() - began:.0f} s")
    model.eval()


def _step(optimizers: Sequence[Optimizer], loss: Tensor) -> None:
    for one in optimizers:
        one.zero_grad()
    loss.backward()
    for one in optimizers:
        one.step()


def _rate(progress: float) -> float:
    """Return the share of the largest rate of learning: it rises, stays, and falls to a tenth."""
    return min(1.0, 0.02 + 10 * progress, 1 - 0.9 * (progress - 0.6) / 0.4)


def _optimizers(model: InternVLForConditionalGeneration) -> list[Optimizer]:
    """Make the optimizers: Muon (Jordan, 2024) for matrices inside layers, and AdamW for all other weights.

    With AdamW alone, the model needs three times as many steps.
    """
    parts = (model.model.vision_tower.encoder, model.model.multi_modal_projector, model.model.language_model.layers)
    matrices = [weights for part in parts for weights in part.parameters() if weights.ndim == 2]
    there = set(map(id, matrices))
    others = [weights for weights in model.parameters() if id(weights) not in there]
    return [
        torch.optim.Muon(matrices, lr=RATE_OF_MATRICES, weight_decay=0.0),
        torch.optim.AdamW(others, lr=RATE, weight_decay=0.01, betas=(0.9, 0.98)),
    ]


def save(model: InternVLForConditionalGeneration, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write the folder of weights, as transformers reads it."""
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    pictures = {"size": {"height": SIDE, "width": SIDE}, "crop_to_patches": False, "min_patches": 1, "max_patches": 1}
    GotOcr2ImageProcessorPil(image_mean=[MEAN] * 3, image_std=[DEVIATION] * 3, **pictures).save_pretrained(folder)
    processor = {"processor_class": "InternVLProcessor", "image_seq_length": OF_PICTURE}
    (folder / "processor_config.json").write_text(json.dumps(processor, indent=2) + "\n")


def make_looker(folder: Path, *, seed: int = 0, warm: int = 125, steps: int = 220) -> None:
    """Train the model and write its folder."""
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    tokenizer = make_tokenizer(np.random.default_rng(seed))
    model = make_model(tokenizer)
    train(model, tokenizer, seed=seed, warm=warm, steps=steps)
    save(model, tokenizer, folder)


def main() -> None:
    """Train the model, and write the model and the questions."""
    parser = argparse.ArgumentParser(description="train a small model that looks, and write questions for it")
    parser.add_argument("out", type=Path, help="the folder to make")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=220, help="steps of training (default: 220)")
    parser.add_argument("--pairs", type=int, default=40, help="pairs of clips in the questions (default: 40)")
    arguments = parser.parse_args()
    if arguments.out.exists():
        parser.error(f"{arguments.out} is there already: name a new folder")
    write_benchmark(arguments.out / "bench", arguments.pairs, arguments.seed)
    make_looker(arguments.out / "model", seed=arguments.seed, steps=arguments.steps)
    print(f"{arguments.out / 'model'} and {arguments.out / 'bench'} are written")


if __name__ == "__main__":
    main()
