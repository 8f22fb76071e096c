"""The embedding layer, added up and compared with the model's own."""

from typing import TYPE_CHECKING

from bertviz_core.snippets.opening import load_and_tokenize

if TYPE_CHECKING:
    from bertviz_core.bert import Bert


def input_embeddings_code(bert: "Bert", text: str, text_pair: str | None = None) -> str:
    """Code that adds up the embedding layer and compares it with the model's own.

    Args:
        bert: The checkpoint in use.
        text: The first sentence.
        text_pair: The second, or None.

    Returns:
        A script that prints the output of LayerNorm and the largest difference.
    """
    return (
        load_and_tokenize(bert, text, text_pair)
        + """layer = model.embeddings
with torch.no_grad():
    word = layer.word_embeddings(inputs["input_ids"])
    segment = layer.token_type_embeddings(inputs["token_type_ids"])
    position = layer.position_embeddings(torch.arange(inputs["input_ids"].shape[1]))
    output = layer.LayerNorm(word + segment + position)
    own = layer(inputs["input_ids"], inputs["token_type_ids"])

print(output[0])
print("largest difference:", (output - own).abs().max().item())
"""
    )
