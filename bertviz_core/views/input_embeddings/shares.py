"""What token, segment and position bring to each token's vector."""

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.embedding_layer import PART_NAMES, part_shares
from bertviz_core.figures.axes import numbered
from bertviz_core.figures.colors import POSITION, SEGMENT, TOKEN
from bertviz_core.tokens import InputText
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import program, say
from bertviz_core.views.view import View


@view("which part contributes how much?", page="Input Embeddings", rank=30)
def shares(bert: Bert, typed: InputText) -> View:
    """The share of token, segment and position embedding in each token's vector."""
    text = typed.tokenize(bert)
    measured = part_shares(bert, input_embeddings(bert, text))
    token, segment, position = measured.shares.mean(axis=1)
    furthest = int(measured.shares[2].argmax())
    return card(
        say(
            "The position contributes most to <b>{position} {token}</b>: <b>{largest_share}</b>. "
            "Means over all {tokens} tokens: token <b>{token_share}</b>, position "
            "<b>{position_share}</b>, segment <b>{segment_share}</b>. LayerNorm's bias, the same "
            "for all, is left out; it is <b>{bias_share}</b> of the whole.",
            tokens=len(text),
            token_share=f"{token:.0%}",
            segment_share=f"{segment:.0%}",
            position_share=f"{position:.0%}",
            position=furthest,
            token=text.tokens[furthest],
            largest_share=f"{measured.shares[2, furthest]:.0%}",
            bias_share=f"{measured.bias_shares.mean():.0%}",
            method="contribution-of-each-part",
        ),
        name="shares",
        columns={"position": text.position_ids, "token": text.tokens, **measured.columns()},
        chart=Chart(
            "stacked",
            "share in the output",
            {
                f"{part}: share": color
                for part, color in zip(PART_NAMES, (TOKEN, SEGMENT, POSITION), strict=True)
            },
            ".1~%",
            names=numbered(text.tokens),
        ),
        fold="Table, with the length of each part and its cosine with the sum",
        program=program(SHARES_PROGRAM, bert, typed, name="shares"),
    )


SHARES_PROGRAM = '''
"""What token, segment and position bring to each vector."""

embedding_parts, mean_and_deviation = ...
tokenizer, model, inputs = ...
norm = model.embeddings.LayerNorm
weight, bias = norm.weight.detach().double(), norm.bias.detach().double()
parts = embedding_parts(model, inputs).double()  # float64, so that rounding does not show
summed = parts.sum(dim=0)
_, deviation = mean_and_deviation(summed, norm.eps)

# Each part after LayerNorm, without the bias; their sum is output - bias.
scaled = (parts - parts.mean(dim=-1, keepdim=True)) / deviation * weight
without_bias = scaled.sum(dim=0)
lengths = parts.norm(dim=-1)
cosines = torch.cosine_similarity(parts, summed[None], dim=-1)
shares = (scaled * without_bias).sum(dim=-1) / (without_bias**2).sum(dim=-1)
output = without_bias + bias
bias_shares = (bias * output).sum(dim=-1) / (output**2).sum(dim=-1)

for i, token in enumerate(inputs.tokens()):
    print(token)
    print("    lengths", lengths[:, i].round(decimals=4).tolist())
    print("    cosines", cosines[:, i].round(decimals=4).tolist())
    print("    shares", shares[:, i].round(decimals=4).tolist())
    print("    share of the bias", [round(bias_shares[i].item(), 4)])
'''
