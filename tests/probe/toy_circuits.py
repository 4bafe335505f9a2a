"""A transformer of a real class whose circuit is written by hand: one layer moves one fact from one token to the last.

A token says A or B. One head of one layer reads it at the last token, and writes the answer. The other layers move
other things in other directions of the residual stream, so that they are not idle.
"""

from typing import Any

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from chronotope.models.transformers import Resolved
from chronotope.models.transformers.families import GENERIC
from chronotope.probe.residual import Stream

SAYS_A, SAYS_B, FILLER, QUERY, LETTER_A, LETTER_B = range(6)
FACT, IS_FACT, IS_QUERY, ANSWER, IDLE, OTHER = range(6)  # directions of the residual stream, one of each dimension
LAYERS, WIDTH, HEAD = 4, 16, 8


def toy_model(mover: int) -> LlamaForCausalLM:
    """Make a model of four layers, of which the layer ``mover`` moves the fact."""
    config = LlamaConfig(
        vocab_size=6, hidden_size=WIDTH, intermediate_size=8, num_hidden_layers=LAYERS, num_attention_heads=1,
        num_key_value_heads=1, head_dim=HEAD, max_position_embeddings=64, rope_theta=1e12, tie_word_embeddings=False,
    )  # fmt: skip
    model = LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for name, weights in model.named_parameters():
            weights.fill_(1.0 if name.endswith("norm.weight") else 0.0)
        embeddings = model.model.embed_tokens.weight
        embeddings[SAYS_A, FACT], embeddings[SAYS_B, FACT] = 1.0, -1.0
        embeddings[[SAYS_A, SAYS_B], IS_FACT] = 1.0
        embeddings[QUERY, IS_QUERY] = 1.0
        embeddings[[FILLER, QUERY], IDLE] = 1.0
        slow = HEAD // 2 - 1  # the dimension of a head that rotary embedding hardly turns
        for number, layer in enumerate(model.model.layers):
            attention = layer.self_attn
            if number == mover:
                attention.q_proj.weight[slow, IS_QUERY] = 40.0
                attention.k_proj.weight[slow, IS_FACT] = 40.0
                attention.v_proj.weight[0, FACT] = 1.0
                attention.o_proj.weight[ANSWER, 0] = 1.0
            else:  # an even attention that spreads something else
                attention.v_proj.weight[1, IDLE] = 1.0
                attention.o_proj.weight[OTHER, 1] = 0.3
            layer.mlp.gate_proj.weight[0, OTHER] = layer.mlp.up_proj.weight[0, OTHER] = 1.0
            layer.mlp.down_proj.weight[OTHER, 0] = 0.2
        model.lm_head.weight[LETTER_A, ANSWER], model.lm_head.weight[LETTER_B, ANSWER] = 5.0, -5.0
    return model


def toy_stream(mover: int) -> Stream:
    model = toy_model(mover)
    decoder = model.model
    return Stream(model, Resolved(GENERIC, None, None, None, decoder, decoder.layers, decoder.norm, model.lm_head))


def toy_prompt(says: int, length: int = 7, place: int = 2) -> torch.Tensor:
    """Make a row of tokens with the fact at one place, and the query at the end."""
    tokens = [FILLER] * length
    tokens[place], tokens[-1] = says, QUERY
    return torch.tensor([tokens])


class Seeing(torch.nn.Module):
    """The toy with eyes: its embeddings come from ``shown``, as those of a clip do, and not from the tokens."""

    def __init__(self, model: LlamaForCausalLM) -> None:
        super().__init__()
        self.model, self.config = model.model, model.config

    def forward(self, input_ids: Any, shown: Any, *, use_cache: bool) -> Any:
        return self.model(inputs_embeds=self.model.embed_tokens(shown), use_cache=use_cache)
