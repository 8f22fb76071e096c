#!/usr/bin/env bash
# sentence-transformers 6.2.0: how its own functions compare the int8 vectors that its own
# `quantize_embeddings` makes.
#
# Guess, written down first: `cos_sim`, `dot_score` and `semantic_search` make floats of them
# first. No number overflows.
#
# Seen: `cos_sim` raises. `dot_score` multiplies and adds in int8, and what is beyond 127 wraps
# around: a vector's product with itself is -64 in place of 883,648. `semantic_search` takes that
# function, and ranks by what is left: no sentence finds itself first. `pairwise_dot_score` wraps
# each product and adds the rest as int64. Make floats of the vectors first, or search by FAISS or
# usearch, which know int8.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet torch==2.13.0
"$folder/venv/bin/pip" install --quiet sentence-transformers==6.2.0
"$folder/venv/bin/python" -W ignore - <<'PYTHON'
import numpy as np
import sentence_transformers
from sentence_transformers import quantize_embeddings, util

print("sentence-transformers", sentence_transformers.__version__)
vectors = np.random.default_rng(0).normal(size=(200, 384)).astype(np.float32)
vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
small = quantize_embeddings(vectors, precision="int8")
whole = small.astype(np.float32)


def first(embeddings: np.ndarray) -> float:
    """The share of sentences that find themselves first."""
    hits = util.semantic_search(embeddings, embeddings, top_k=1, score_function=util.dot_score)
    return float(np.mean([hit[0]["corpus_id"] == number for number, hit in enumerate(hits)]))


try:
    util.cos_sim(small, small)
    cosine = "a result"
except RuntimeError as error:
    cosine = type(error).__name__
scores = util.dot_score(small, small)
print("cos_sim:", cosine, "; dot_score:", scores.dtype, "from", *scores.aminmax())
print("to itself:", *scores.diagonal()[:4].tolist(), "in place of", *(whole[:4] ** 2).sum(1))
print("finds itself first: int8", first(small), "; the same numbers as float32", first(whole))
assert cosine == "RuntimeError"
assert str(scores.dtype) == "torch.int8" and bool((scores.diagonal() < 0).any())
assert first(whole) == 1.0 and first(small) < 0.1, "int8 vectors are compared rightly now"
sums = util.pairwise_dot_score(small, small).numpy()
assert not np.isclose(sums, (whole**2).sum(1)).any()
PYTHON
