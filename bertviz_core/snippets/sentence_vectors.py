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
    unrelated,  # by length: from and to how many tokens, numbers of sentences, texts of them
    way,  # "mean", "[CLS]", "max", "pooler" or "token table"
    layer,
):
    """Cosines of sentences, and how many pairs of unrelated texts as long are less alike."""

    def vectors_of(texts):
        inputs = tokenizer(texts, padding=True, truncation=True, return_tensors="pt")
        with torch.no_grad():
            result = model(**inputs, output_hidden_states=True)
        vectors = sentence_vector(model, inputs, result, way, layer).double().numpy()
        return vectors, inputs["attention_mask"].sum(dim=1).tolist()

    vectors, tokens = vectors_of(sentences)
    measured = [(*group[:3], vectors_of(group[3])[0]) for group in unrelated]
    for first, second in zip(*np.triu_indices(len(sentences), 1), strict=True):
        cosine = cosine_similarity(vectors)[first, second]
        print(first + 1, "and", second + 1, f"{cosine:.4f}", end="")
        sides = [
            (np.array(numbers), others)
            for length in (tokens[first], tokens[second])
            for low, high, numbers, others in measured
            if low <= length <= high
        ]
        if len(sides) == 2:
            (left, a), (right, b) = sides
            among = cosine_similarity(a, b)[left[:, None] != right]
            print(f", above {int(100 * (among < cosine).mean())} percent", end="")
        print()


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
