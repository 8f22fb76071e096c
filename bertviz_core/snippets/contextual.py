"""A word in its sentences: its path through the layers, and what it is similar to."""

from itertools import combinations

import numpy as np
import torch
from scipy.stats import spearmanr
from sklearn.metrics.pairwise import cosine_similarity
from transformers import AutoTokenizer, BertForMaskedLM, BertModel

from bertviz_core.snippets.shared import pool, read, states, with_row, without


def lens(
    tokenizer,
    model,
    word,  # sentence, first character of the word, one past its last
    pooling,  # "mean", "first", "last" or "max"
    k,  # rows for each layer
):
    """The rows of the token table nearest to a word's vector at every layer."""
    ids, positions = read(tokenizer, *word)
    vectors = pool(states(model, ids)[:, positions], pooling)
    table = model.embeddings.word_embeddings.weight.detach()
    tokens = tokenizer.convert_ids_to_tokens(range(len(table)))
    named = [
        i
        for i, token in enumerate(tokens)
        if not token.startswith("[unused") and token not in tokenizer.all_special_tokens
    ]
    candidates = sorted({*named, *ids[0, positions].tolist()})
    for layer, vector in enumerate(vectors):
        cosines = torch.cosine_similarity(table[candidates], vector[None])
        for i in cosines.argsort(descending=True)[:k].tolist():
            print(layer, f"{cosines[i]:.4f}", tokens[candidates[i]])


def neighbors(
    tokenizer,
    model,
    word,  # sentence, first character of the word, one past its last
    sentences,
    pooling,  # "mean", "first", "last" or "max"
    layer,
    k,
):
    """The tokens of some sentences nearest to a word at one layer."""
    ids, own = read(tokenizer, *word)
    vector = pool(states(model, ids)[layer, own], pooling)
    found = []
    for number, sentence in enumerate(sentences):
        ids, _ = read(tokenizer, sentence, 0, 0)
        cosines = torch.cosine_similarity(states(model, ids)[layer], vector[None]).tolist()
        for position, token in enumerate(tokenizer.convert_ids_to_tokens(ids[0].tolist())):
            itself = sentence == word[0] and position in own
            if token not in tokenizer.all_special_tokens and not itself:
                found.append((cosines[position], number, position, token))
    for cosine, number, position, token in sorted(found, key=lambda row: -row[0])[:k]:
        print(f"{cosine:.4f}", number, position, token)


def path(
    tokenizer,
    model,
    inputs,
    token_at,  # position of the token
):
    """One token of a sentence: its path through the layers of BERT."""
    for layer, vectors in enumerate(states(model, inputs["input_ids"]).numpy()):
        if layer == 0:
            start = vectors[[token_at]]
        to_start = cosine_similarity(vectors[[token_at]], start)[0, 0]
        to_others = cosine_similarity(vectors[[token_at]], vectors)[0].sum() - 1
        mean = to_others / max(len(vectors) - 1, 1)
        print(
            "layer",
            layer,
            f"with its input embedding {to_start:.4f}",
            f"with the others {mean:.4f}",
        )


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


def predictions(
    tokenizer,
    checkpoint,
    revision,
    word,  # sentence, first character of the word, one past its last
    pooling,  # "mean", "first", "last" or "max"
    k,  # tokens for each layer
):
    """What a word's vector predicts at every layer, by the model's own head for masked words."""
    model = BertForMaskedLM.from_pretrained(checkpoint, revision=revision).eval()

    ids, positions = read(tokenizer, *word)
    vectors = pool(states(model.bert, ids)[:, positions], pooling)
    with torch.no_grad():
        probabilities = model.cls(vectors).softmax(dim=-1)  # (layers + 1, tokens of the vocabulary)
    for layer, row in enumerate(probabilities):
        for i in row.argsort(descending=True)[:k].tolist():
            print(layer, f"{row[i]:.4f}", tokenizer.convert_ids_to_tokens(i))


def second_model(
    checkpoint,
    revision,
    limit,
    layer,
    other_checkpoint,
    other_revision,
    other_limit,
    other_layer,
    words,  # sentence, first character of the word, one past its last
    pairs,  # numbers of words
    pooling,  # "mean", "first", "last" or "max"
):
    """The same pairs of words in two models, and the rank correlation of their cosines."""
    models = [
        (checkpoint, revision, limit, layer),
        (other_checkpoint, other_revision, other_limit, other_layer),
    ]
    cosines = []
    for name, commit, most, number in models:
        tokenizer = AutoTokenizer.from_pretrained(name, revision=commit, model_max_length=most)
        model = BertModel.from_pretrained(name, revision=commit).eval()
        vectors = []
        for word in words:
            ids, positions = read(tokenizer, *word)
            vectors.append(pool(states(model, ids)[number, positions], pooling))
        similar = [torch.cosine_similarity(vectors[i], vectors[j], dim=0).item() for i, j in pairs]
        cosines.append(similar)
    for (i, j), first, second in zip(pairs, *cosines, strict=True):
        print(i, j, f"{first:.4f} {second:.4f}")
    if len(pairs) > 2:
        print("rank correlation:", f"{spearmanr(*cosines).statistic:.4f}")


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
