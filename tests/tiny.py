"""The tiny random BERT of the unit tests: 2 layers x 8 dimensions x 16 positions."""

import json
from itertools import product
from pathlib import Path

import numpy as np

VOCABULARY = (
    *("[PAD]", "[unused0]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    *("the", "cat", "dog", "sat", "on", "a", "mat", "python", "snake", "code", "king", "queen"),
    *("man", "woman", "i", "love", "my", "pet", "coding", "in", "##s", "##ing", "##un"),
    *("!", ".", ",", "[", "]", "##an", "sin", "an", "b", "##b"),
)
# Texts that it reads without [UNK].
SENTENCES = (
    *("the cat sat on the mat", "i love my pet python", "coding in python!"),
    *("a dog sat on a mat.", "the king, the queen", "man love woman in a code"),
    *("my snake sat in the code", "a cat s an b"),
)


STEMS = ("cat", "dog", "mat", "python", "snake", "code", "king", "queen", "man", "woman", "pet")
ENDINGS = ("s", "ing", "un", "an", "b")


def sentences_of_split_words() -> list[str]:
    """Sentences of words of one, two and three pieces, enough for percentile scales of the last."""
    pieces = product(STEMS, ("", *ENDINGS), ("", *ENDINGS))
    words = np.random.default_rng(0).permutation(["".join(word) for word in pieces])
    return [" ".join(words[first : first + 3]) for first in range(0, len(words) - 3, 3)]


def write_checkpoint(folder: Path, *, masked_words: bool = False, all_heads: bool = False) -> Path:
    """Write it to a new folder, always the same: plain, with one head, or with all and the pooler.

    A head is random as well. With `masked_words` alone there is no pooler.
    """
    import torch
    from transformers import BertConfig, BertForMaskedLM, BertForPreTraining, BertModel

    folder.mkdir()
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(VOCABULARY),
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=16,
        initializer_range=0.5,
    )
    kind = BertForPreTraining if all_heads else BertForMaskedLM if masked_words else BertModel
    model = kind(config)
    if masked_words or all_heads:
        for parameter in model.cls.parameters():  # biases of 0 could be forgotten unseen
            torch.nn.init.normal_(parameter, std=0.5)
    model.save_pretrained(folder)
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n", encoding="utf-8")
    settings = {"do_lower_case": True, "tokenizer_class": "BertTokenizer"}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return folder
