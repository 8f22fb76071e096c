"""The embedding module tried out: the order of the sum, and dropout."""

from typing import TYPE_CHECKING

from bertviz_core.snippets.opening import load_and_tokenize

if TYPE_CHECKING:
    from bertviz_core.bert import Bert


def _start(bert: "Bert", text: str, text_pair: str | None) -> str:
    return (
        load_and_tokenize(bert, text, text_pair)
        + """layer = model.embeddings
with torch.no_grad():
    own = layer(inputs["input_ids"], inputs["token_type_ids"])
"""
    )


def orders_code(bert: "Bert", text: str, text_pair: str | None = None) -> str:
    """Code that adds the three embeddings in all six orders.

    Args:
        bert: The checkpoint in use.
        text: The first sentence.
        text_pair: The second, or None.

    Returns:
        A script that prints a line an order: largest difference and share of equal numbers.
    """
    return (
        _start(bert, text, text_pair)
        + """    parts = {
        "token": layer.word_embeddings(inputs["input_ids"]),
        "segment": layer.token_type_embeddings(inputs["token_type_ids"]),
        "position": layer.position_embeddings(torch.arange(inputs["input_ids"].shape[1])),
    }

from itertools import permutations

for a, b, c in permutations(parts):
    with torch.no_grad():
        output = layer.LayerNorm(parts[a] + parts[b] + parts[c])
    print(f"({a} + {b}) + {c}", (output - own).abs().max().item(),
          (output == own).double().mean().item())
"""
    )


def dropout_code(bert: "Bert", text: str, text_pair: str | None, draws: int, seed: int) -> str:
    """Code that runs the embedding module in train mode.

    Args:
        bert: The checkpoint in use.
        text: The first sentence.
        text_pair: The second, or None.
        draws: How many runs.
        seed: For `torch.manual_seed`.

    Returns:
        A script that prints a line a draw: share of zeros, and how far the mean of the draws so
        far lies from eval mode.
    """
    return (
        _start(bert, text, text_pair)
        + f"""
layer.train()  # dropout is on; p = {bert.settings.get("hidden_dropout_prob", 0.1)}
torch.manual_seed({seed})
total = torch.zeros_like(own)
for n in range(1, {draws} + 1):
    with torch.no_grad():
        draw = layer(inputs["input_ids"], inputs["token_type_ids"])
    total += draw
    print(n, "zeros:", round((draw == 0).double().mean().item(), 6),
          "from eval:", round(((total / n - own) ** 2).mean().sqrt().item(), 6))
layer.eval()
"""
    )
