"""How far a word's use is apart in two groups of a corpus, layer by layer, against chance."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from sklearn.preprocessing import normalize

folder = "found"  # what `bertviz occurrences` has written
word = "mouse"
column = "year"
sign = "<"  # or "=": the first group is below the value, or has it; the second are all others
value = 1950
most = 1000  # occurrences of a group; of more, as many are drawn at random

parts = sorted(Path(folder).glob("part-*.parquet"))
occurrences = pa.concat_tables(pq.read_table(part, filters=[("word", "=", word)]) for part in parts)
given = occurrences.column(column).to_pylist()
if sign == "<":
    first = [i for i, one in enumerate(given) if one is not None and one < value]
elif column == "source":  # the end of a path names it
    first = [i for i, one in enumerate(given) if f"/{one}".endswith(f"/{value}")]
else:
    first = [i for i, one in enumerate(given) if one == value]
known = {i for i, one in enumerate(given) if one is not None and one == one}  # NaN is no value
random = np.random.default_rng(0)
groups = [
    sorted(random.choice(group, most, replace=False).tolist()) if len(group) > most else group
    for group in (first, sorted(known - set(first)))
]
print("occurrences", *(len(group) for group in groups))

# Occurrences in one sentence stay together when sentences are given to the groups at random.
sentences = occurrences.column("sentence").to_pylist()
numbers: list[int] = []
sizes: list[int] = []
for group in groups:
    number = {text: i for i, text in enumerate(dict.fromkeys(sentences[row] for row in group))}
    numbers += [sum(sizes) + number[sentences[row]] for row in group]
    sizes.append(len(number))
in_first = np.tile(np.arange(sum(sizes)) < sizes[0], (1000, 1))  # row 0 is how it is
in_first[1:] = np.random.default_rng(0).permuted(in_first[1:], axis=1)
chosen = in_first[:, numbers].astype(float)
counts = chosen.sum(axis=1, keepdims=True)


def within(vectors: np.ndarray, of: np.ndarray) -> float:
    """The mean distance of two vectors of length 1 that are of different sentences."""
    apart = of[:, None] != of
    return float(1 - (vectors @ vectors.T)[apart].mean())


def means(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean vector of the first and of the second group, for each division."""
    inside = chosen @ vectors
    return inside / counts, (vectors.sum(axis=0) - inside) / (len(vectors) - counts)


for name in (name for name in occurrences.column_names if name.startswith("layer_")):
    rows = occurrences.column(name).take(groups[0] + groups[1])
    vectors = np.array(rows.to_pylist(), dtype=float)
    units, of, size = normalize(vectors), np.array(numbers), len(groups[0])
    one, other = means(units)  # the mean of all cosines is the product of the means
    average = (1 - (one * other).sum(axis=1)).round(9)
    both = (within(units[:size], of[:size]) + within(units[size:], of[size:])) / 2
    one, other = means(vectors)
    cosine = (normalize(one[:1]) * normalize(other[:1])).sum()
    low, high = np.percentile(average[1:], [5, 95])
    print(
        name,
        f"between / within {average[0] / both:.4f}",
        f"average pairwise distance {average[0]:.4f}",
        f"(at random {low:.4f} to {high:.4f}, p {(average >= average[0]).mean():.3f})",
        f"prototype distance {1 / cosine if cosine > 0 else np.inf:.4f}",
    )
