"""The tables of positions and segments."""

import numpy as np
import torch
from sklearn.metrics.pairwise import cosine_similarity, paired_cosine_distances
from transformers import BertForNextSentencePrediction


def distance(model):
    """How alike two positions are by their distance alone, beside sinusoids of the same shape."""
    table = model.embeddings.position_embeddings.weight.detach().double().numpy()
    n, d = table.shape
    angle = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    sinusoids = np.empty((n, d))
    sinusoids[:, 0::2], sinusoids[:, 1::2] = np.sin(angle), np.cos(angle[:, : d // 2])

    i, j = np.triu_indices(n, 1)  # every pair once
    distance = j - i
    for name, rows in (("this model", table), ("sinusoids", sinusoids)):
        cosines = cosine_similarity(rows)[i, j]
        mean = np.bincount(distance, cosines) / np.maximum(np.bincount(distance), 1)
        left = ((cosines - mean[distance]) ** 2).sum() / ((cosines - cosines.mean()) ** 2).sum()
        print(f"{name}: the distance predicts {1 - left:.0%}")
        for apart in range(1, 11):
            print(f"mean cosine at distance {apart}: {mean[apart]:.4f}")


def experiment(
    tokenizer,
    model,
    inputs,
    position_ids,
    token_type_ids,
    orders,  # more position ids, where the words are shuffled
):
    """How far each token moves at each layer when positions or segments are changed."""

    def moved(positions: list[int], segments: list[int]) -> torch.Tensor:
        """1 - cosine of each token with itself: (layers, tokens)."""
        ids = {
            "position_ids": torch.tensor([positions]),
            "token_type_ids": torch.tensor([segments]),
        }
        with torch.no_grad():
            before = model(**inputs, output_hidden_states=True).hidden_states
            after = model(inputs["input_ids"], **ids, output_hidden_states=True).hidden_states
        states = [torch.cat(layers).double() for layers in (before, after)]
        return 1 - torch.cosine_similarity(*states, dim=2)

    for layer, changes in enumerate(moved(position_ids, token_type_ids)):
        print(layer, *(f"{change:.4f}" for change in changes))
    if orders:
        means = [moved(order, token_type_ids)[-1].mean().item() for order in orders]
        print(f"all orders: {np.mean(means):.3f}, {min(means):.3f} to {max(means):.3f}")


def lengths(model):
    """How long the rows of the position table are, and how alike neighbours."""
    table = model.embeddings.position_embeddings.weight.detach().double().numpy()

    lengths = np.linalg.norm(table, axis=1)
    alike = np.diag(cosine_similarity(table), 1)  # each row and the next one
    for position in range(0, len(table), 32):
        print(position, f"{lengths[position]:.4f}")
    if len(table) >= 160:
        windows = np.lib.stride_tricks.sliding_window_view(lengths, 32)
        medians = np.median(windows, axis=1)  # of the 32 rows from each position on
        steps = abs(medians[32:] - medians[:-32])  # the first one lies before position 32
        print(f"before 128: {medians[96]:.3f}, from 128 on: {medians[128]:.3f}")
        print("larger steps:", (steps > steps[96]).sum(), "of", len(steps) - 1)
        print(f"cosine of 127 and 128: {alike[127]:.2f}, less alike:", (alike < alike[127]).sum())
    print("longest:", lengths.argmax(), "median:", f"{np.median(lengths):.2f}")


def one_position(
    model,
    row,
    k,  # nearest positions
):
    """One row of the position table against all others."""
    table = model.embeddings.position_embeddings.weight.detach().double().numpy()

    cosines = cosine_similarity(table[row : row + 1], table)[0]
    order = np.argsort(-cosines, kind="stable")
    for position in order[order != row][:k]:
        print(position, f"{cosines[position]:.4f}")
    print("least:", cosines.argmin(), f"{cosines.min():.4f}")


def segments(model):
    """The two rows of the segment table: lengths, cosine, largest differences."""
    a, b = model.embeddings.token_type_embeddings.weight.detach().double()[:2]
    print("lengths:", *(f"{row.norm():.4f}" for row in (a, b, b - a)))
    print("cosine:", f"{torch.cosine_similarity(a, b, dim=0):.4f}")
    for dimension in (b - a).abs().argsort(descending=True)[:10].tolist():
        print(dimension, f"{(b - a)[dimension]:.4f}")


def sinusoids(model):
    """The position table beside the sinusoids of the original Transformer."""
    table = model.embeddings.position_embeddings.weight.detach().double().numpy()
    n, d = table.shape
    angle = np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    sinusoids = np.empty((n, d))
    sinusoids[:, 0::2], sinusoids[:, 1::2] = np.sin(angle), np.cos(angle[:, : d // 2])

    def centred(table: np.ndarray) -> np.ndarray:
        """The table with its mean row taken away, at length 1 in all."""
        rows = table - table.mean(axis=0)
        return rows / np.linalg.norm(rows)

    def likeness(table: np.ndarray) -> tuple[float, float, float]:
        """Mean cosine of the same rows, R squared after the best rotation, step to the next row."""
        same_rows = (1 - paired_cosine_distances(table, sinusoids)).mean()
        fit = np.linalg.norm(centred(table).T @ centred(sinusoids), "nuc")  # of the best rotation
        step = (np.diff(table, axis=0) ** 2).sum() / (n - 1) / (2 * table.var(axis=0, ddof=1).sum())
        return float(same_rows), float(fit) ** 2, float(step)

    def same_spectrum(seed: int, together: bool = False) -> np.ndarray:
        """A random table as smooth as the model's: its waves in each dimension, moved at random."""
        waves = np.fft.rfft(table, axis=0)
        shape = (len(waves), 1) if together else waves.shape
        angles = np.random.default_rng(seed).uniform(0, 2 * np.pi, shape)
        angles[0] = 0  # the mean stays
        if n % 2 == 0:
            angles[-1] = 0  # 1, -1, 1, -1, ... cannot be moved
        return np.fft.irfft(waves * np.exp(1j * angles), n=n, axis=0)

    def random(seed: int) -> np.ndarray:
        """Independent normal numbers."""
        return np.random.default_rng(seed).standard_normal((n, d))

    print("this model:", *(f"{number:.4f}" for number in likeness(table)))
    draws = {
        "same spectrum and covariances": lambda seed: same_spectrum(seed, together=True),
        "same spectrum": same_spectrum,
        "random walk": lambda seed: random(seed).cumsum(axis=0),
        "its rows shuffled": lambda seed: np.random.default_rng(seed).permutation(table),
        "random numbers": random,
    }
    for name, draw in draws.items():
        mean = np.mean([likeness(draw(seed)) for seed in range(3)], axis=0)
        print(f"{name}:", *(f"{number:.4f}" for number in mean))


def table(model, row, column):
    """The rows of the position table compared with each other."""
    table = model.embeddings.position_embeddings.weight.detach().double().numpy()

    similarity = cosine_similarity(table)
    first, last = max(column - 5, 0), column + 5
    for position, cosine in enumerate(similarity[row, first:last], start=first):
        print(f"cosine of {row} and {position}: {cosine:.4f}")

    others = similarity - 3 * np.eye(len(table))  # without each position itself
    next_door = abs(others.argmax(axis=1) - np.arange(len(table))) == 1
    print("most similar to a direct neighbour:", next_door.sum(), "of", len(table))


def next_sentence(
    tokenizer,
    checkpoint,
    revision,
    first,
    second,
    other,  # does not follow
):
    """The head for the next sentence: the pair, turned round, with other segments, another text."""
    model = BertForNextSentencePrediction.from_pretrained(checkpoint, revision=revision).eval()

    pair = tokenizer(first, second, truncation=True, return_tensors="pt")
    segments = pair["token_type_ids"]
    runs = {
        "A, then B": pair,
        "B, then A": tokenizer(second, first, truncation=True, return_tensors="pt"),
        "segments flipped": {**pair, "token_type_ids": 1 - segments},
        "all segment A": {**pair, "token_type_ids": 0 * segments},
        "A, then the other text": tokenizer(first, other, truncation=True, return_tensors="pt"),
    }
    for name, inputs in runs.items():
        with torch.no_grad():
            logits = model(**inputs).logits[0]
        follows, does_not = logits.tolist()  # label 0 is "B follows A"
        probability = logits.softmax(dim=0)[0]
        print(f"{name}: {probability:.4f} logits {follows:.4f} {does_not:.4f}")
