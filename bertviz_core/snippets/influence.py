"""What a word's vector follows from: other words, and attention."""

import numpy as np
import torch
from scipy.stats import rankdata

from bertviz_core.snippets.shared import pool, read, states, without


def attention(
    tokenizer,
    model,
    word,  # sentence, first character of the word, one past its last
    layer,  # counted from 1
    head,  # counted from 1
):
    """What a word attends to in one head."""
    model.set_attn_implementation("eager")  # the one that gives its weights
    ids, positions = read(tokenizer, *word)
    with torch.no_grad():
        attentions = model(ids, output_attentions=True).attentions
    weights = attentions[layer - 1][0, head - 1, positions].mean(dim=0)
    for i, token in enumerate(tokenizer.convert_ids_to_tokens(ids[0])):
        print(i, f"{weights[i]:.4f}", token)


def influence(
    tokenizer,
    model,
    word,  # sentence, first character of the word, one past its last
    anchor,  # the same of the word to compare with
    others,  # each other word, and the positions of its pieces
    change,  # "mask" or "drop"
    pooling,  # "mean", "first", "last" or "max"
    layer,
):
    """How the similarity of two words changes when each other word is masked or dropped."""

    def similarity(ids: torch.Tensor, positions: list[int]) -> float:
        """Cosine of the word at these positions with the anchor."""
        vector = pool(states(model, ids)[layer, positions], pooling)
        return torch.cosine_similarity(vector, anchor_vector, dim=0).item()

    ids, positions = read(tokenizer, *anchor)
    anchor_vector = pool(states(model, ids)[layer, positions], pooling)
    ids, positions = read(tokenizer, *word)
    before = similarity(ids, positions)
    mask = tokenizer.mask_token_id if change == "mask" else None
    print(f"{before:.4f}")
    for number, (name, taken) in enumerate(others):
        changed = similarity(*without(ids, positions, taken, mask))
        print(f"{number} {changed:.4f} {changed - before:+.4f}", name)


def heads(
    tokenizer,
    model,
    sentences,  # sentence, first character of the marked word, one past its last
    change,  # "mask" or "drop"
    fewest,  # other words in a sentence
    shuffles,
):
    """Rank correlation of attention with what taking words away changes, mean over sentences."""
    model.set_attn_implementation("eager")  # the one that gives its weights
    mask = tokenizer.mask_token_id if change == "mask" else None

    def ranks(rows: np.ndarray) -> np.ndarray:
        """Ranks of each row, centred, of length 1: products are Spearman's correlations."""
        centred = rankdata(rows, axis=-1) - (rows.shape[-1] + 1) / 2
        lengths = np.linalg.norm(centred, axis=-1, keepdims=True)
        return centred / np.where(lengths > 0, lengths, 1)

    draw = np.random.default_rng(0)
    found, shuffled, nearness = [], np.zeros(()), []
    for sentence, start, end in sentences:
        ids, own = read(tokenizer, sentence, start, end)
        words: dict[int, list[int]] = {}
        for position, word in enumerate(tokenizer(sentence, truncation=True).word_ids()):
            if word is not None:
                words.setdefault(word, []).append(position)
        others = [taken for taken in words.values() if not set(taken) & set(own)]
        if len(others) < fewest:
            continue
        with torch.no_grad():
            attention = torch.stack(model(ids, output_attentions=True).attentions)[:, 0]
        attention = attention[:, :, own].mean(dim=2).flatten(0, 1).numpy()  # (all heads, tokens)
        weights = ranks(np.stack([attention[:, taken].sum(axis=-1) for taken in others], axis=-1))
        before, sizes = states(model, ids)[-1, own].mean(dim=0).double(), []
        for taken in others:
            changed, positions = without(ids, own, taken, mask)
            after = states(model, changed)[-1, positions].mean(dim=0).double()
            sizes.append(1 - torch.cosine_similarity(before, after, dim=0).item())
        gaps = [min(abs(taken[0] - own[-1]), abs(own[0] - taken[-1])) for taken in others]
        changes, near = ranks(np.array(sizes)), ranks(-np.array(gaps))
        order = draw.permuted(np.tile(np.arange(len(others)), (shuffles, 1)), axis=1)
        found.append(weights @ changes)
        nearness.append(near @ changes)
        shuffled = shuffled + weights @ changes[order].T
    print("nearness alone", f"{np.mean(nearness):.3f}")
    print("shuffled words", f"{np.quantile((shuffled / len(found)).max(axis=0), 0.95):.3f}")
    for number, correlation in enumerate(np.mean(found, axis=0)):
        layer, head = divmod(number, model.config.num_attention_heads)
        print("layer", layer + 1, "head", head + 1, f"{correlation:.3f}")
