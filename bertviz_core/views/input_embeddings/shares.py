"""What each part brings: to a token's vector, and to what the first layer's attention compares."""

from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.shares import (
    PART_NAMES,
    SCORE_KINDS,
    part_shares,
    queries_and_keys,
    score_shares,
)
from bertviz_core.figures.axes import numbered
from bertviz_core.figures.colors import MUTED, OUTPUT, POSITION, SEGMENT, SENTENCES, TOKEN
from bertviz_core.tokens import InputText
from bertviz_core.views.card import Chart, card
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, program, say
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
            "The position is <b>{largest_share}</b> of <b>{position} {token}</b>, its largest "
            "share. On average over these {tokens} tokens: token <b>{token_share}</b>, position "
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


@view("what does the first layer compare?", page="Input Embeddings", rank=34, card=True)
def first_scores(bert: Bert, typed: InputText) -> View:
    """The first layer's attention scores, split by what is compared: tokens, positions or both."""
    text = typed.tokenize(bert)
    parts = input_embeddings(bert, text)
    heads = int(bert.settings["num_attention_heads"])
    found = score_shares(*queries_and_keys(bert, parts, heads))
    shares = dict(zip(SCORE_KINDS, found, strict=True))
    token, position, *crossed, rest = found.mean(axis=1)
    most = int(found[1].argmax())
    return card(
        say(
            "Layer 1 compares tokens with tokens, positions with positions, and one with the "
            "other. In your text, these make <b>{token}</b>, <b>{position}</b> and {crossed} of "
            "how its attention scores vary; biases and the segment make the rest ({rest}). Head "
            "<b>{head}</b> "
            + ("compares mostly positions" if found[1, most] > 0.5 else "compares positions most")
            + " ({largest}).",
            method="what-the-first-layer-compares",
            token=f"{token:.0%}",
            position=f"{position:.0%}",
            crossed=f"{sum(crossed):.0%}",
            rest=f"{rest:.0%}",
            head=most + 1,
            largest=f"{found[1, most]:.0%}",
        ),
        name="first-scores",
        columns={"head": list(range(1, heads + 1)), **shares},
        chart=Chart(
            "stacked",
            "share of the variance",
            dict(zip(shares, (TOKEN, POSITION, SENTENCES[-1], OUTPUT, MUTED), strict=True)),
            ".1~%",
        ),
        below=caption(
            "The parts of a head add up to 100%. A part below 0 works against the whole. A text of "
            "a few tokens has few scores."
        ),
        program=program(SCORES_PROGRAM, bert, typed, name="first_scores"),
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


SCORES_PROGRAM = '''
"""The first layer's attention scores in parts: token and position, with each other."""

embedding_parts, mean_and_deviation = ...
tokenizer, model, inputs = ...
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
'''
