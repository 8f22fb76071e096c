"""Rows of two texts compared."""

from typing import TYPE_CHECKING

from bertviz_core.snippets.opening import load
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

if TYPE_CHECKING:
    from bertviz_core.bert import Bert


def rows_code(bert: "Bert", first: str, second: str) -> str:
    """Code that says which rows of two texts are equal after each stage of the embedding layer.

    Args:
        bert: The checkpoint in use.
        first: Text A.
        second: Text B.

    Returns:
        A script that prints, for each stage, the pairs of positions whose rows are equal, and the
        largest difference between rows of the same position.
    """
    first, second = without_lone_surrogates(first), without_lone_surrogates(second)
    return (
        load(bert)
        + f"""
def stages(text):
    inputs = tokenizer(text, return_tensors="pt",
                       truncation=True, max_length={bert.max_position_embeddings})
    layer = model.embeddings
    with torch.no_grad():
        word = layer.word_embeddings(inputs["input_ids"])[0]
        segment = layer.token_type_embeddings(inputs["token_type_ids"])[0]
        position = layer.position_embeddings.weight[: len(word)]
        summed = word + segment + position
        return [word, word + segment, summed, layer.LayerNorm(summed)]

names = ["token rows", "+ segment", "+ position", "after LayerNorm"]
for name, a, b in zip(names, stages({first!r}), stages({second!r})):
    equal = [(i, j) for i in range(len(a)) for j in range(len(b)) if torch.equal(a[i], b[j])]
    both = min(len(a), len(b))
    print(name, equal, "largest difference", round((a[:both] - b[:both]).abs().max().item(), 4))
"""
    )
