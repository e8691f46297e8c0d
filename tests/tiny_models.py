"""Models of a few thousand parameters, made at once and alike each time."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

VOCABULARY = 400


def causal_model(texts: Sequence[str]) -> tuple[Any, Any]:
    """A GPT-2 of one layer with a byte-level vocabulary that is trained on some texts."""
    torch, transformers = _modules()
    trained = import_module("tokenizers").ByteLevelBPETokenizer()
    trained.train_from_iterator(
        texts, VOCABULARY, special_tokens=["<|endoftext|>"], show_progress=False
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=trained._tokenizer,
        bos_token="<|endoftext|>",
        eos_token="<|endoftext|>",
        pad_token="<|endoftext|>",
    )
    torch.manual_seed(0)
    config = transformers.GPT2Config(
        vocab_size=len(tokenizer),
        n_positions=512,
        n_embd=16,
        n_layer=1,
        n_head=2,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    return transformers.GPT2LMHeadModel(config).eval(), tokenizer


def masked_model(texts: Sequence[str]) -> tuple[Any, Any]:
    """A BERT of one layer with a vocabulary that is trained on some texts."""
    torch, transformers = _modules()
    trained = import_module("tokenizers").BertWordPieceTokenizer(lowercase=False)
    trained.train_from_iterator(texts, VOCABULARY, show_progress=False)
    tokenizer = transformers.BertTokenizerFast(
        tokenizer_object=trained._tokenizer, do_lower_case=False
    )
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=512,
    )
    return transformers.BertForMaskedLM(config).eval(), tokenizer


def _modules() -> tuple[Any, Any]:
    """Torch and transformers, whose types differ between versions."""
    return import_module("torch"), import_module("transformers")
