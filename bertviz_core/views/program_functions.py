"""What several programs need; `programs.program_text` copies a function into those that name it."""

from itertools import pairwise

import numpy as np
import torch
from transformers import BertModel, PreTrainedTokenizerBase
from transformers.utils import ModelOutput


def read(
    tokenizer: PreTrainedTokenizerBase, sentence: str, start: int, end: int
) -> tuple[torch.Tensor, list[int]]:
    """Token ids (1, tokens), and the positions of the tokens that hold sentence[start:end]."""
    inputs = tokenizer(sentence, return_tensors="pt", return_offsets_mapping=True, truncation=True)
    offsets = inputs["offset_mapping"][0].tolist()  # first character of a token, one past its last
    return inputs["input_ids"], [
        i for i, (first, stop) in enumerate(offsets) if max(first, start) < min(stop, end)
    ]


def states(model: BertModel, ids: torch.Tensor) -> torch.Tensor:
    """The vector of each token at each layer: (layers + 1, tokens, hidden size)."""
    with torch.no_grad():
        return torch.stack(model(ids, output_hidden_states=True).hidden_states)[:, 0]


def pool(pieces: torch.Tensor, pooling: str) -> torch.Tensor:
    """One vector from those of a word's pieces, (..., pieces, hidden size)."""
    if pooling == "mean":
        return pieces.mean(dim=-2)
    if pooling == "max":
        return pieces.amax(dim=-2)
    return pieces[..., 0 if pooling == "first" else -1, :]


def sentence_vector(
    model: BertModel,
    inputs: dict[str, torch.Tensor],
    result: ModelOutput,  # with hidden states
    way: str,
    layer: int,
) -> torch.Tensor:
    """One vector a sentence, (sentences, hidden size): [CLS] and [SEP] count, padding does not."""
    states = result.hidden_states[layer]
    mask = inputs["attention_mask"][:, :, None]
    if way == "token table":
        states = model.embeddings.word_embeddings(inputs["input_ids"]).detach()
    if way == "pooler":
        return result.pooler_output
    if way == "[CLS]":
        return states[:, 0]
    if way == "max":
        return states.masked_fill(mask == 0, -torch.inf).amax(dim=1)
    return (states * mask).sum(dim=1) / mask.sum(dim=1)


def vectors_of(
    tokenizer: PreTrainedTokenizerBase,
    model: BertModel,
    words: list[tuple[str | None, str, int, int]],
    pooling: str,
) -> np.ndarray:
    """The vector of each word at each layer: (layers + 1, words, hidden size)."""
    vectors = []
    for _, sentence, start, end in words:
        ids, positions = read(tokenizer, sentence, start, end)
        vectors.append(pool(states(model, ids)[:, positions], pooling).double().numpy())
    return np.stack(vectors, axis=1)


def without(
    ids: torch.Tensor, positions: list[int], taken: list[int], mask: int | None
) -> tuple[torch.Tensor, list[int]]:
    """A sentence (1, tokens) with tokens masked, or dropped if mask is None; a word's positions."""
    if mask is not None:
        masked = ids.clone()
        masked[0, taken] = mask
        return masked, positions
    kept = [i for i in range(ids.shape[1]) if i not in taken]
    return ids[:, kept], [kept.index(i) for i in positions]


def allowed(token: str, keep: str, tokenizer: PreTrainedTokenizerBase) -> bool:
    """Whether a token is of the kind to keep: "all", whole "words", or "subwords" (##...)."""
    prefix = tokenizer.backend_tokenizer.model.continuing_subword_prefix
    subword = bool(prefix) and token.startswith(prefix) and token != prefix
    if keep == "words":
        return not subword and token not in tokenizer.all_special_tokens
    return keep == "all" or subword


def reached(tokenizer: PreTrainedTokenizerBase) -> set[int]:
    """The ids that some text gives: each token is read, and a piece (##...) after a word."""
    tokens = sorted(tokenizer.get_vocab())
    word = ""  # what follows a word that begins no other token must continue it
    for one, following in pairwise([*tokens, ""]):
        if one.isalpha() and not following.startswith(one) and tokenizer.tokenize(one) == [one]:
            word = one
            break
    prefix = tokenizer.backend_tokenizer.model.continuing_subword_prefix
    pieces = [one.removeprefix(prefix) for one in tokens if prefix and one.startswith(prefix)]
    texts = [*tokens, *(word + piece for piece in pieces)]
    read = tokenizer(texts, add_special_tokens=False)["input_ids"]
    return {token_id for ids in read for token_id in ids}


def embedding_parts(model: BertModel, inputs: dict[str, torch.Tensor]) -> torch.Tensor:
    """Token, segment and position embedding of each token: (3, tokens, hidden size)."""
    layer = model.embeddings
    with torch.no_grad():
        word = layer.word_embeddings(inputs["input_ids"])[0]
        segment = layer.token_type_embeddings(inputs["token_type_ids"])[0]
        position = layer.position_embeddings.weight[: len(word)]
        return torch.stack([word, segment, position])


def mean_and_deviation(vectors: torch.Tensor, eps: float) -> tuple[torch.Tensor, torch.Tensor]:
    """What LayerNorm takes away from each vector, and what it divides by: (tokens, 1) each."""
    variance = vectors.var(dim=-1, correction=0, keepdim=True)
    return vectors.mean(dim=-1, keepdim=True), (variance + eps).sqrt()
