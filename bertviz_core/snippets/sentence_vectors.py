"""One vector for a sentence."""

import numpy as np
import torch
from scipy.stats import spearmanr
from sklearn.metrics.pairwise import cosine_similarity, paired_cosine_distances

from bertviz_core.snippets.shared import sentence_vector


def matrix(
    tokenizer,
    model,
    sentences,
    unrelated,  # of this project
    way,  # "mean", "[CLS]", "max", "pooler" or "token table"
    layer,
):
    """Cosines of sentences, and how many pairs of unrelated sentences are less alike."""
    cosines = []
    for texts in (sentences, unrelated):
        inputs = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
        with torch.no_grad():
            result = model(**inputs, output_hidden_states=True)
        vectors = sentence_vector(model, inputs, result, way, layer).double().numpy()
        cosines.append(cosine_similarity(vectors)[np.triu_indices(len(texts), 1)])
    for first, second, cosine in zip(*np.triu_indices(len(sentences), 1), cosines[0], strict=True):
        below = int(100 * (cosines[1] < cosine).mean())
        print(first + 1, "and", second + 1, f"{cosine:.4f}, above {below} percent")


def ways(
    tokenizer,
    model,
    pairs,  # our score from 0 to 5, and two sentences
    ways,
):
    """How the cosines of each way order judged pairs, by layer: Spearman's rank correlation."""
    scores, *sides = zip(*pairs, strict=True)
    texts = [sentence for side in sides for sentence in side]
    inputs = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
    with torch.no_grad():
        result = model(**inputs, output_hidden_states=True)
    for way in ways:
        for layer in range(len(result.hidden_states)):
            vectors = sentence_vector(model, inputs, result, way, layer).double().numpy()
            cosines = 1 - paired_cosine_distances(*np.split(vectors, 2))
            if np.ptp(cosines) > 1e-9:  # [CLS] at layer 0 is the same for all sentences
                print(way, layer, f"{spearmanr(scores, cosines).statistic:.3f}")
