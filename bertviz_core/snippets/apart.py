"""Three rows in one sum: told apart again, and compared by the first layer."""

import torch

from bertviz_core.snippets.shared import embedding_parts, mean_and_deviation


def apart(tokenizer, model, inputs, sentences):
    """Which rows are nearest to the sum of three, and the angles between the tables."""
    names = ["word_embeddings", "token_type_embeddings", "position_embeddings"]
    tables = [getattr(model.embeddings, name).weight.detach() for name in names]
    unit = torch.nn.functional.normalize
    rows = [unit(tables[0], dim=-1), unit(tables[2], dim=-1)]

    def nearest(inputs: dict[str, torch.Tensor]) -> torch.Tensor:
        """Cosine with the own row, and the highest with another, by table: (2, 2, tokens)."""
        ids = inputs["input_ids"][0]
        summed = unit(embedding_parts(model, inputs).sum(dim=0), dim=-1)
        found = []
        for table, own in zip(rows, (ids, torch.arange(len(ids))), strict=True):
            cosines = summed @ table.T
            right = cosines.gather(1, own[:, None])[:, 0]
            others = cosines.scatter(1, own[:, None], -2).max(dim=1).values
            found.append(torch.stack([right, others]))
        return torch.stack(found)

    for token, one in zip(inputs.tokens(), nearest(inputs).flatten(0, 1).T, strict=True):
        print(token, *(f"{cosine:.3f}" for cosine in one.tolist()))
    every = [nearest(tokenizer(s, truncation=True, return_tensors="pt")) for s in sentences]
    own, other = torch.cat(every, dim=-1).unbind(dim=1)
    shares = (100 * (own > other).double().mean(dim=1)).tolist()
    print("right token and position:", *(f"{share:.1f}%" for share in shares))

    spans = []
    for table in tables:
        count = min(10, len(table) - 1, table.shape[1] // 2)
        centred = table.double() - table.double().mean(dim=0)
        spans.append(torch.linalg.svd(centred, full_matrices=False).Vh[:count])
    for a, b in ((0, 1), (0, 2), (1, 2)):
        angles = torch.linalg.svdvals(spans[a] @ spans[b].T).clamp(max=1).acos().rad2deg()
        print(names[a], names[b], *(f"{angle:.1f}" for angle in angles.tolist()))


def first_scores(tokenizer, model, inputs):
    """The first layer's attention scores in parts: token and position, with each other."""
    norm, attention = model.embeddings.LayerNorm, model.encoder.layer[0].attention.self
    parts = embedding_parts(model, inputs).double()  # float64, so that rounding does not show
    _, deviation = mean_and_deviation(parts.sum(dim=0), norm.eps)
    token, segment, position = (
        (part - part.mean(dim=-1, keepdim=True)) / deviation * norm.weight for part in parts
    )
    rows = torch.stack([token, position, segment + norm.bias])  # the last is all else
    vectors = []
    for dense in (attention.query, attention.key):
        made = rows @ dense.weight.double().T
        made[2] += dense.bias
        vectors.append(made.unflatten(-1, (attention.num_attention_heads, -1)).transpose(1, 2))
    query, key = vectors
    scores = query[:, None] @ key[None].mT / query.shape[-1] ** 0.5  # (3, 3, heads, tokens, tokens)

    scores = scores - scores.mean(dim=-1, keepdim=True)  # the softmax sees differences alone
    total = scores.sum(dim=(0, 1))
    shares = (scores * total).sum(dim=(-2, -1)) / (total**2).sum(dim=(-2, -1))
    kinds = [shares[0, 0], shares[1, 1], shares[0, 1], shares[1, 0]]
    for name, one in zip(("token", "position", "crossed", "crossed back"), kinds, strict=True):
        print(name, *(f"{share:.3f}" for share in one.tolist()))
    print("other", *(f"{share:.3f}" for share in (shares.sum(dim=(0, 1)) - sum(kinds)).tolist()))
