"""Token, segment and position taken apart: shares, one number step by step, outliers."""

from typing import TYPE_CHECKING

from bertviz_core.snippets.opening import load_and_tokenize

if TYPE_CHECKING:
    from bertviz_core.bert import Bert

_PARTS = """\
layer = model.embeddings
with torch.no_grad():  # float64, so that rounding does not show
    word = layer.word_embeddings(inputs["input_ids"])[0].double()
    segment = layer.token_type_embeddings(inputs["token_type_ids"])[0].double()
    position = layer.position_embeddings.weight[: len(word)].double()
    parts = torch.stack([word, segment, position])  # (3, tokens, hidden size)
    weight, bias = layer.LayerNorm.weight.double(), layer.LayerNorm.bias.double()
summed = parts.sum(dim=0)
mean = summed.mean(dim=-1, keepdim=True)
deviation = (summed.var(dim=-1, correction=0, keepdim=True) + layer.LayerNorm.eps).sqrt()
"""


def _start(bert: "Bert", text: str, text_pair: str | None) -> str:
    return load_and_tokenize(bert, text, text_pair) + _PARTS


def shares_code(bert: "Bert", text: str, text_pair: str | None = None) -> str:
    """Code that measures what each part brings to each token's vector, and what LayerNorm does.

    Args:
        bert: The checkpoint in use.
        text: The first sentence.
        text_pair: The second, or None.

    Returns:
        A script that prints a line a token: three lengths, three cosines, three shares, and the
        lengths before and after the steps of LayerNorm.
    """
    return (
        _start(bert, text, text_pair)
        + """
# Each part as it stands in the output; their sum is output - bias.
scaled = (parts - parts.mean(dim=-1, keepdim=True)) / deviation * weight
without_bias = scaled.sum(dim=0)
lengths = parts.norm(dim=-1)
cosines = torch.cosine_similarity(parts, summed[None], dim=-1)
shares = (scaled * without_bias).sum(dim=-1) / (without_bias ** 2).sum(dim=-1)
stages = torch.stack([summed, summed - mean, (summed - mean) / deviation,
                      without_bias, without_bias + bias]).norm(dim=-1)

tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0].tolist())
for i, token in enumerate(tokens):
    print(token)
    for name, values in [("lengths", lengths), ("cosines", cosines),
                         ("shares", shares), ("LayerNorm", stages)]:
        print("   ", name, [round(value, 4) for value in values[:, i].tolist()])
"""
    )


def waterfall_code(
    bert: "Bert", text: str, text_pair: str | None, place: int, dimension: int
) -> str:
    """Code that follows one number from the tables to the output of LayerNorm.

    Args:
        bert: The checkpoint in use.
        text: The first sentence.
        text_pair: The second, or None.
        place: Position of the token.
        dimension: Which dimension.

    Returns:
        A script that prints the number after each of seven steps, what each part brings to it,
        and the model's own number.
    """
    return (
        _start(bert, text, text_pair)
        + f"""
place, dimension = {place}, {dimension}
number = 0.0
for name, part in [("token", word), ("+ segment", segment), ("+ position", position)]:
    number += part[place, dimension].item()
    print(name, round(number, 6))
number -= mean[place].item()
print("- mean", round(number, 6))
number /= deviation[place].item()
print("/ deviation", round(number, 6))
number *= weight[dimension].item()
print("* weight", round(number, 6))
number += bias[dimension].item()
print("+ bias", round(number, 6))

scaled = (parts - parts.mean(dim=-1, keepdim=True)) / deviation * weight
print("brought by token, segment, position:",
      [round(value, 6) for value in scaled[:, place, dimension].tolist()])
with torch.no_grad():
    own = layer(inputs["input_ids"], inputs["token_type_ids"])[0]
print("model.embeddings:", round(own[place, dimension].item(), 6))
"""
    )


def outliers_code(bert: "Bert", text: str, text_pair: str | None, threshold: float) -> str:
    """Code that finds outlier dimensions.

    Args:
        bert: The checkpoint in use.
        text: The first sentence.
        text_pair: The second, or None.
        threshold: Standard deviations.

    Returns:
        A script that prints a line an outlier: its number and three scores.
    """
    return (
        _start(bert, text, text_pair)
        + f"""
output = (summed - mean) / deviation * weight + bias

def score(values):
    return (values - values.mean()) / values.std(correction=0)

outputs = score(output)
furthest = outputs.gather(0, outputs.abs().argmax(dim=0, keepdim=True))[0]
scores = torch.stack([score(weight), score(bias), furthest])
height = scores.abs().max(dim=0).values
for dimension in height.argsort(descending=True).tolist():
    if height[dimension] > {threshold:g}:
        print(dimension, [round(value, 2) for value in scores[:, dimension].tolist()])
"""
    )
