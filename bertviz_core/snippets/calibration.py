"""Where a cosine lies among those of unrelated words."""

import torch

from bertviz_core.snippets.shared import drawn_words, mean_vectors, pool, read, states


def words(
    tokenizer,
    model,
    limit,
    sentences,  # of the page: those that the scale was measured on
    function_words,
    first_pieces,  # of the first word of a pair; 3 for three and more
    second_pieces,
    second_alone,  # whether the second word stands alone between [CLS] and [SEP]
    pooling,  # "mean", "first", "last" or "max"
    layer,
    cosine,
):
    """Cosines of different content words at one layer: how many lie below a cosine."""
    words = drawn_words(tokenizer, sentences, function_words, min(limit, 26))
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
    mean = mean_vectors(model, tokenizer, sentences, min(limit, 26))[layer]
    for name, centre in [("raw", 0), ("centred", mean)]:
        units = [torch.nn.functional.normalize(side - centre, dim=1) for side in (first, second)]
        cosines = (units[0] @ units[1].T)[counted]
        below = 100 * (cosines < cosine).double().mean()
        print(f"{name}: {len(cosines)} pairs, mean {cosines.mean():.4f}, {below:.1f} percent below")
