"""A word in its sentences: its path through the layers, and what it is similar to."""

from itertools import combinations

import numpy as np
import torch
from sklearn.metrics.pairwise import cosine_similarity

from bertviz_core.snippets.shared import pool, read, states, with_row, without


def pieces(
    tokenizer,
    model,
    words,  # sentence, first character of the word, one past its last
    pairs,  # numbers of words to compare
    same,  # numbers of words that are one and the same
    pooling,  # "mean", "first", "last" or "max"
    layer,
):
    """Words compared with each other under every pooling, and the pieces of each word."""
    pieces = []
    for word in words:
        ids, positions = read(tokenizer, *word)
        pieces.append(states(model, ids)[layer, positions])

    def mean_cosine(vectors: list[torch.Tensor]) -> float:
        """The mean over all pairs."""
        cosines = [torch.cosine_similarity(a, b, dim=0).item() for a, b in combinations(vectors, 2)]
        return sum(cosines) / len(cosines)

    for i, j in pairs:
        for name in ["mean", "first", "last", "max"]:
            cosine = torch.cosine_similarity(pool(pieces[i], name), pool(pieces[j], name), dim=0)
            print(i, j, f"{name} {cosine.item():.4f}")
    for numbers in same:
        print("the same word:", f"{mean_cosine([pool(pieces[i], pooling) for i in numbers]):.4f}")
    for number, each in enumerate(pieces):
        if len(each) > 1:
            print("pieces of", number, f"{mean_cosine(list(each)):.4f}")


def similarity(
    tokenizer,
    model,
    words,  # of each its sentence, the first character of the word, one past its last
    others,
    pooling,  # "mean", "first", "last" or "max"
    layers,
):
    """Words in their sentences, compared with others layer by layer."""

    def vectors(words: list[tuple[str, int, int]]) -> torch.Tensor:
        """The vector of each word at each layer: (words, layers, dimensions)."""
        found = []
        for word in words:
            ids, positions = read(tokenizer, *word)
            found.append(pool(states(model, ids)[:, positions], pooling))
        return torch.stack(found)

    own, compared = vectors(words), vectors(others)
    for layer in layers:
        for row in cosine_similarity(own[:, layer], compared[:, layer]):
            print(layer, *(f"{cosine:.4f}" for cosine in row))


def another_row(
    tokenizer,
    model,
    word,  # sentence, first character of the word, one past its last
    other,  # the word whose row it gets
):
    """A word with its own row of the token table and with that of another: how alike, by layer."""
    table = model.embeddings.word_embeddings.weight.detach()
    ids, positions = read(tokenizer, *word)
    own_row = table[ids[0, positions]].mean(dim=0)  # of a word in pieces the mean of their rows
    other_row = table[tokenizer(other, add_special_tokens=False)["input_ids"]].mean(dim=0)
    ids, (place,) = without(ids, positions[:1], positions[1:], None)
    own, changed = (with_row(model, ids, place, row) for row in (own_row, other_row))
    for layer, kept in enumerate(torch.cosine_similarity(own, changed).tolist()):
        print(layer, f"{kept:.4f}")


def new_token(
    tokenizer,
    model,
    word,  # sentence, first character of the word, one past its last
    draws,  # rows at random
):
    """One new token for a word in pieces: how like them it is with each of three rows, by layer."""
    table = model.embeddings.word_embeddings.weight.detach()
    tokens = tokenizer.convert_ids_to_tokens(range(len(table)))
    ordinary = [
        i
        for i, token in enumerate(tokens)
        if not token.startswith("[unused") and token not in tokenizer.all_special_tokens
    ]
    ids, positions = read(tokenizer, *word)
    before = states(model, ids)[:, positions].mean(dim=1)
    pieces = table[ids[0, positions]].mean(dim=0)
    mean, spread = table[ordinary].double().mean(dim=0), table[ordinary].double().std(0, False)
    noise = np.random.default_rng(0).standard_normal((draws, len(mean)))
    ids, (place,) = without(ids, positions[:1], positions[1:], None)
    cosines = [
        torch.cosine_similarity(with_row(model, ids, place, row), before, dim=1)
        for row in [*(mean + torch.tensor(noise) * spread), mean, pieces]
    ]
    at_random, (of_all, of_pieces) = torch.stack(cosines[:draws]).mean(dim=0), cosines[draws:]
    for layer, three in enumerate(zip(at_random, of_all, of_pieces, strict=True)):
        print(layer, *(f"{cosine:.4f}" for cosine in three))
