"""A word with another row of the token table than its own."""

import numpy as np
import torch

from bertviz_core.snippets.shared import read, states, with_row, without


def another_row(
    tokenizer,
    model,
    word,  # sentence, first character of the word, one past its last
    other,  # the word whose row it gets
):
    """A word goes from its own row of the token table to that of another, in ten steps."""
    table = model.embeddings.word_embeddings.weight.detach()
    ids, positions = read(tokenizer, *word)
    own_row = table[ids[0, positions]].mean(dim=0)  # of a word in pieces the mean of their rows
    other_row = table[tokenizer(other, add_special_tokens=False)["input_ids"]].mean(dim=0)
    ids, (place,) = without(ids, positions[:1], positions[1:], None)
    own, changed = (with_row(model, ids, place, row) for row in (own_row, other_row))
    for percent in range(0, 101, 10):
        row = own_row + percent / 100 * (other_row - own_row)
        now = with_row(model, ids, place, row)
        to_own = torch.cosine_similarity(now, own).tolist()
        to_other = torch.cosine_similarity(now, changed).tolist()
        for layer, pair in enumerate(zip(to_own, to_other, strict=True)):
            print(percent, layer, *(f"{cosine:.4f}" for cosine in pair))


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
