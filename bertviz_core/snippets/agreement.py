"""A word's occurrences and pieces compared, and two models over the same pairs."""

from typing import TYPE_CHECKING

from bertviz_core.snippets.opening import load
from bertviz_core.snippets.spans import Span, listed, pool_of, reader

if TYPE_CHECKING:
    from bertviz_core.bert import Bert


def pieces_code(bert: "Bert", words: list[Span], pooling: str, layer: int) -> str:
    """Code that compares words with each other under every pooling, and their pieces.

    Args:
        bert: The checkpoint in use.
        words: Sentence, first and one-past-last character of each word.
        pooling: The pooling on the page, for the mean over all pairs.
        layer: 0 to num_hidden_layers.

    Returns:
        A script that prints a line for each pair of words with its cosine under the poolings mean,
        first, last and max; the mean cosine of all pairs under `pooling`; and for each word of
        several pieces the mean cosine between them.
    """
    shown = "".join(f"    {listed(word)},\n" for word in words)
    return (
        load(bert)
        + reader(bert)
        + f"""from itertools import combinations

words = [  # sentence, first character of the word, one past its last
{shown}]
poolings = {{
    "mean": lambda pieces: pieces.mean(dim=0),
    "first": lambda pieces: pieces[0],
    "last": lambda pieces: pieces[-1],
    "max": lambda pieces: pieces.max(dim=0).values,
}}

def pieces(sentence, start, end):
    ids, positions = read(sentence, start, end)
    with torch.no_grad():
        return model(ids[None], output_hidden_states=True).hidden_states[{layer}][0][positions]

found = [pieces(*word) for word in words]
pairs = list(combinations(range(len(words)), 2))
cosines = {{name: [torch.cosine_similarity(pool(found[i]), pool(found[j]), dim=0).item()
                  for i, j in pairs] for name, pool in poolings.items()}}
for number, (i, j) in enumerate(pairs):
    print(i, j, *(f"{{cosines[name][number]:.4f}}" for name in poolings))
if pairs:
    print("all pairs, {pooling}:", f"{{sum(cosines[{pooling!r}]) / len(pairs):.4f}}")
for number, inside in enumerate(found):
    if len(inside) > 1:
        alike = [torch.cosine_similarity(a, b, dim=0).item() for a, b in combinations(inside, 2)]
        print("pieces of", number, f"{{sum(alike) / len(alike):.4f}}")
"""
    )


def second_model_code(
    berts: tuple["Bert", "Bert"],
    words: list[Span],
    pairs: list[tuple[int, int]],
    pooling: str,
    layers: tuple[int, int],
) -> str:
    """Code that compares the same pairs of words in two models.

    Args:
        berts: The two checkpoints.
        words: Sentence, first and one-past-last character of each word.
        pairs: Numbers of the words to compare, at least three for a correlation.
        pooling: "mean", "first", "last" or "max".
        layers: The layer of each model.

    Returns:
        A script that prints a line for each pair, its cosine in both models, and the rank
        correlation.
    """
    shown = "".join(f"    {listed(word)},\n" for word in words)
    models = "".join(
        f"    ({bert.checkpoint.repo_id or f'path/to/{bert.name}'!r}, "
        f"{bert.checkpoint.revision or 'main'!r}, {layer}, {bert.max_position_embeddings}),\n"
        for bert, layer in zip(berts, layers, strict=True)
    )
    return f"""\
import numpy as np
import torch
from transformers import BertModel, BertTokenizer

models = [  # checkpoint, revision, layer, longest text in tokens
{models}]
words = [  # sentence, first character of the word, one past its last
{shown}]
pairs = {pairs!r}

def vector(tokenizer, model, layer, longest, sentence, start, end):
    inputs = tokenizer(sentence, return_tensors="pt", return_offsets_mapping=True,
                       truncation=True, max_length=longest)
    offsets = inputs.pop("offset_mapping")[0].tolist()
    with torch.no_grad():
        states = model(**inputs, output_hidden_states=True).hidden_states
    pieces = states[layer][0][[i for i, (s, e) in enumerate(offsets)
                               if s < end and e > start and e > s]]
    return {pool_of(pooling)}

cosines = []
for checkpoint, revision, layer, longest in models:
    tokenizer = BertTokenizer.from_pretrained(checkpoint, revision=revision)
    model = BertModel.from_pretrained(checkpoint, revision=revision).eval()
    found = [vector(tokenizer, model, layer, longest, *word) for word in words]
    cosines.append([torch.cosine_similarity(found[i], found[j], dim=0).item() for i, j in pairs])
for number, (i, j) in enumerate(pairs):
    print(i, j, f"{{cosines[0][number]:.4f}} {{cosines[1][number]:.4f}}")

def ranks(values):  # equal values share the mean of their ranks
    values = np.array(values)
    return [(values < one).sum() + ((values == one).sum() - 1) / 2 for one in values]

if len(pairs) > 2:
    print("rank correlation:", f"{{np.corrcoef(ranks(cosines[0]), ranks(cosines[1]))[0, 1]:.4f}}")
"""
