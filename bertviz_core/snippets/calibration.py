"""Where a cosine lies among those of unrelated words."""

import torch

from bertviz_core.snippets.shared import drawn_words, read, states


def words(
    tokenizer,
    model,
    limit,
    sentences,  # of the page: those that the scale was measured on
    function_words,
    alone,  # whether the second word of a pair stands alone between [CLS] and [SEP]
    layer,
    cosine,
):
    """Cosines of different content words at one layer: how many lie below a cosine."""
    words = drawn_words(tokenizer, sentences, function_words, min(limit, 26))
    sides = []
    for by_itself in [False, alone]:
        vectors = []
        for _, sentence, start, end in words:
            text = (sentence[start:end], 0, end - start) if by_itself else (sentence, start, end)
            ids, positions = read(tokenizer, *text)
            vectors.append(states(model, ids)[layer, positions[0]])
        sides.append(torch.nn.functional.normalize(torch.stack(vectors), dim=1))

    origins = torch.tensor([number for number, *_ in words])
    counted = origins[:, None] != origins
    if not alone:
        counted = counted.triu(1)  # each pair once
    cosines = (sides[0] @ sides[1].T)[counted]
    below = 100 * (cosines < cosine).double().mean()
    print(f"{len(cosines)} pairs, mean {cosines.mean():.4f}, {below:.1f} percent below")
