"""Words compared in their sentences."""

from typing import TYPE_CHECKING

from bertviz_core.snippets.opening import load
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

if TYPE_CHECKING:
    from bertviz_core.bert import Bert


def word_in_context_code(
    bert: "Bert", words: list[tuple[str, int, int]], pooling: str, layer: int
) -> str:
    """Code that compares words in their sentences at one layer.

    Args:
        bert: The checkpoint in use.
        words: Sentence, first and one-past-last character of the word, for each.
        pooling: "mean", "first", "last" or "max".
        layer: 0 to num_hidden_layers.

    Returns:
        A script that prints the matrix of cosines.
    """
    pool = {
        "mean": "pieces.mean(dim=0)",
        "first": "pieces[0]",
        "last": "pieces[-1]",
        "max": "pieces.max(dim=0).values",
    }[pooling]
    listed = "".join(
        f"    {(without_lone_surrogates(sentence), start, end)!r},\n"
        for sentence, start, end in words
    )
    return (
        load(bert)
        + f"""from sklearn.metrics.pairwise import cosine_similarity

words = [  # sentence, first character of the word, one past its last
{listed}]

def vector(sentence, start, end):
    inputs = tokenizer(sentence, return_tensors="pt", return_offsets_mapping=True,
                       truncation=True, max_length={bert.max_position_embeddings})
    offsets = inputs.pop("offset_mapping")[0].tolist()
    with torch.no_grad():
        states = model(**inputs, output_hidden_states=True).hidden_states
    pieces = states[{layer}][0][[i for i, (s, e) in enumerate(offsets)
                          if s < end and e > start and e > s]]
    return {pool}

print(cosine_similarity(torch.stack([vector(*word) for word in words]).numpy()))
"""
    )
